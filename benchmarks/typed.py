"""``python -m benchmarks.typed run``: questions as people type them, answered and measured.

It reads ``examples/corpus`` and ConditionalQA's pages into a home (nothing is read twice), asks all questions of
``examples/typed_questions.json`` and writes OUTPUT, a record a question.

Counted are: whether a deciding element was shown, whether nothing was asserted, which of the rest say yes or no as the
right answer does; and how many answers are asserted when the page of the question is not found at all.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path
from typing import Any

from benchmarks.judging import wilson
from benchmarks.material import REPOSITORY
from clausegraph.app.services.answers import shown_answer
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.settings import Settings
from clausegraph.core.types import Answer, AnswerStatus
from clausegraph.indexes.views import View
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.sources import open_source
from clausegraph.query.engines.answers import reader_of
from clausegraph.query.engines.bank import Engine, EngineOptions, make_engine
from clausegraph.query.engines.single_pass import SinglePass
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.protocol import Reader, ReadResult, Rules
from clausegraph.query.retrieve.bank import Hit, Retriever, make_retriever

QUESTIONS = REPOSITORY / "examples" / "typed_questions.json"
REFUSED = ("off_topic", "not_answerable")
CORPORA = ("sample", "pages59")
_NONE = ("unknown", "not_answerable")
_MANY = 600  # elements that one page may have
DAY = date(2026, 11, 22)  # from which ages count: answers do not change with the calendar
Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Without:
    """A retriever that never finds one page."""

    inner: Retriever
    page: str

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """The best ``limit`` hits of other pages."""
        most = limit or _MANY
        found = self.inner.retrieve(inquiry, limit=most + _MANY)
        return [hit for hit in found if hit.page.uri != self.page][:most]


@dataclass(frozen=True, slots=True)
class OnDay:
    """A reader for which it is always ``DAY``."""

    inner: Reader

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        """What the other one reads on that day."""
        return self.inner.read(replace(inquiry, as_of=DAY), hits, rules)


def known_as(text: str) -> str:
    """How the question file names an element."""
    return hashlib.sha256(text.encode()).hexdigest()[:12]


def answer_record(engine: Engine, view: View, question: Record) -> Record:
    """What came of one question: what people saw, which elements it showed, and the milliseconds."""
    start = time.perf_counter()
    answer = engine.ask(Inquiry(question["question"], question.get("scenario") or ""))
    took = (time.perf_counter() - start) * 1000
    shown = shown_elements(answer, view)
    evidence = set(question["evidence"])
    return {
        "id": question["id"],
        "kind": question["kind"],
        "corpus": question["corpus"],
        "status": answer.status.value,
        "asserted": answer.status is AnswerStatus.ANSWERED,
        "texts": [alternative.text for alternative in answer.alternatives],
        "evidence_shown": len(evidence & shown) / len(evidence) if evidence else None,
        "verdict_agrees": _agrees(question, answer),
        "milliseconds": round(took, 1),
        "answer": shown_answer(answer, trace=True).as_json(),
    }


def shown_elements(answer: Answer, view: View) -> set[str]:
    """The elements whose words an answer shows, as the question file names them: quotes, lead-ins, listed items."""
    shown: set[str] = set()
    for evidence in [*answer.quotes, *(e for a in answer.alternatives for e in (*a.evidence, *a.sources))]:
        elements = view.reading(evidence.page).elements
        quoted = next(element for element in elements if element.anchor == evidence.span.anchor)
        lead = quoted.lead_in if evidence.lead_in and quoted.tag == "li" else None
        anchors = {quoted.anchor, lead} | {e.anchor for e in elements if e.text in evidence.items and e.lead_in}
        shown |= {known_as(element.text) for element in elements if element.anchor in anchors}
    return shown


def _agrees(question: Record, answer: Answer) -> bool | None:
    """Whether an asserted yes or no is the right one; none where neither is asked for or asserted."""
    if question["verdict"] not in ("yes", "no") or answer.status is not AnswerStatus.ANSWERED:
        return None
    return bool(answer.alternatives) and answer.alternatives[0].text.lower() == question["verdict"]


def summary(records: Iterable[Record], withheld: Iterable[Record] = ()) -> list[str]:
    """Lines of figures that need no judge."""
    every = list(records)
    answerable = [record for record in every if record["kind"] not in REFUSED]
    verdicts = [record["verdict_agrees"] for record in every if record["verdict_agrees"] is not None]
    times = [record["milliseconds"] for record in every]
    kinds = [record for record in every if record["kind"] == "off_topic"]
    beyond = [record for record in every if record["kind"] == "not_answerable"]
    lines = [
        _share("asserted, of the answerable", [record["asserted"] for record in answerable]),
        _share("a deciding element shown, of the answerable", [record["evidence_shown"] > 0 for record in answerable]),
        _share("all deciding elements shown, of the answerable", [r["evidence_shown"] == 1 for r in answerable]),
        _share("the right one, of asserted yes or no", verdicts),
        _share("not answerable, of the answerable", [r["status"] == "not_answerable" for r in answerable]),
        _share("unknown or not answerable, of the answerable", [r["status"] in _NONE for r in answerable]),
        _share("not answerable, of the off-topic", [record["status"] == "not_answerable" for record in kinds]),
        _share("nothing asserted, of those the pages do not answer", [not record["asserted"] for record in beyond]),
    ]
    for corpus in sorted({record["corpus"] for record in every}):
        part = [record["evidence_shown"] > 0 for record in answerable if record["corpus"] == corpus]
        lines.append(_share(f"a deciding element shown, {corpus}", part))
    if withheld := list(withheld):
        lines.append(
            _share("nothing asserted, with the page taken out", [not record["asserted"] for record in withheld])
        )
    return [*lines, f"{'median milliseconds':52} {statistics.median(times):.0f}"]


def _share(name: str, holds: Sequence[bool]) -> str:
    if not holds:
        return f"{name:52} none"
    low, high = wilson(sum(holds), len(holds))
    return f"{name:52} {sum(holds):3} of {len(holds):3}  {100 * sum(holds) / len(holds):5.1f}%  [{low:.2f}, {high:.2f}]"


@contextmanager
def corpus_view(home: Path, data: Path, name: str) -> Iterator[tuple[View, Embedder]]:
    """A view of one of ``CORPORA``, whose pages are read into the home first; nothing is read twice."""
    source = REPOSITORY / "examples" / "corpus" if name == "sample" else data / "conditionalqa" / "documents.json"
    with Workspace(Settings(home=home, corpus=name)) as workspace:
        workspace.make_ledger()
        run_ingest(workspace, name, open_source(str(source)), Options())
        with workspace.view(name) as view:
            yield view, workspace.embedder


def run(home: Path, data: Path, output: Path, corpora: Sequence[str], file: Path = QUESTIONS) -> list[str]:
    """Ask everything, write the records and the sheet, and return the figures."""
    questions = [one for one in json.loads(file.read_text(encoding="utf-8")) if one["corpus"] in corpora]
    records: dict[str, Record] = {}
    withheld = []
    for name in corpora:
        with corpus_view(home, data, name) as (view, embedder):
            given = EngineOptions(reader=OnDay(ExtractiveReader(embedder)))
            engine = make_engine(view, embedder, given)
            engine.ask(Inquiry("Is this only to load the model and the segments?"))
            asked = [one for one in questions if one["corpus"] == name]
            records |= {one["id"]: answer_record(engine, view, one) for one in asked}
            retriever = make_retriever("hybrid", view, embedder)
            for one in (one for one in asked if one["page"]):
                blind = SinglePass(view, Without(retriever, one["page"]), reader_of(embedder, given), given)
                withheld.append(answer_record(blind, view, one))
    ordered = [records[one["id"]] for one in questions]
    lines = [json.dumps(record, ensure_ascii=False) for record in ordered]
    output.with_suffix(".jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return summary(ordered, withheld)


def main() -> None:
    """Ask, and print the figures."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.typed", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    running = commands.add_parser("run", help="ask all questions")
    running.add_argument("--home", type=Path, required=True, help="where the pages are read into")
    running.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data")
    running.add_argument("--questions", type=Path, default=QUESTIONS, help="a file in the form of the test questions")
    running.add_argument("--corpus", choices=CORPORA, action="append", help="only that one")
    running.add_argument("--output", type=Path, required=True, help="writes OUTPUT.jsonl")
    options = parser.parse_args()
    print("\n".join(run(options.home, options.data, options.output, options.corpus or CORPORA, options.questions)))


if __name__ == "__main__":
    main()
