"""``python -m benchmarks.facts [FOLDER]``: what the rule extractor finds, against labels.

Condition trees on ``examples/statements.json`` (odd ids were developed on, even ids held out), and, with a
folder that holds ConditionalQA's ``documents.json`` and ``dev.json``, the gold condition elements found
against the share of all elements marked.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.condition_measures import marking_report, predicted_trees
from benchmarks.tree_scores import TreeScores, score_trees, summarise_trees
from clausegraph.core.pages.chunks import chunk_reading
from clausegraph.core.pages.read import read_document
from clausegraph.core.types import Reading
from clausegraph.eval.conditionalqa.dataset import load_questions
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.sources import SourceDocument, open_source

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"


def readings(location: Path, chunked: bool) -> dict[str, Reading]:
    """The readings of a source, by uri."""
    pages = [page for page in open_source(str(location)).documents() if isinstance(page, SourceDocument)]
    read = {page.uri: read_document(page)[0] for page in pages}
    return {uri: chunk_reading(reading) for uri, reading in read.items()} if chunked else read


def trees(remainder: int) -> TreeScores:
    """Scores of the labelled statements whose id leaves ``remainder`` when divided by two."""
    labels = json.loads((EXAMPLES / "statements.json").read_text(encoding="utf-8"))
    labels = [label for label in labels if int(label["id"].removeprefix("st-")) % 2 == remainder]
    predicted = predicted_trees(readings(EXAMPLES / "corpus", chunked=False), labels, RuleExtractor())
    return summarise_trees(score_trees(predicted, {label["id"]: label["condition"] for label in labels}))


def main() -> None:
    """Print both tables."""
    print("condition trees        statements  exact  leaf F1  operators  compound  exceptions")
    for name, remainder in (("developed on (odd)", 1), ("held out (even)", 0)):
        found = trees(remainder)
        figures = (found.exact, found.leaf_f1, found.operators, found.compound_operators, found.exceptions_recall)
        print(f"{name:24}{found.statements:9}" + "".join(f"{figure or 0:9.3f}" for figure in figures))
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
        pages = readings(folder / "documents.json", chunked=True)
        print("\ncondition elements        recall  share of all elements")
        for row in marking_report(pages, load_questions(folder / "dev.json"), RuleExtractor()):
            print(f"{row.name:26}{row.recall:6.3f} {row.share:8.3f}")


if __name__ == "__main__":
    main()
