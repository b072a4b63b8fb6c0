"""``python -m benchmarks.formats [--data DIR] [--home HOME] [--only recall]``: the same pages in other formats.

Each page is written as a page of a web site within its frame, as Markdown, as a Word document and as a PDF in one
column and in two (``written.py``), and read again. Recall and precision of its elements (tag and text, each as often as
it is there) are against the reading that they were written from; the title, which a web page or Word document has as an
element of its own, counts neither way. Then each
format's files are mirrored into one corpus, one after the other (equal texts are embedded once: keep ``--home``), and
ConditionalQA's development questions are asked of each: F1 and F1 with conditions of the reader without a model, made
to assert.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import REPOSITORY
from benchmarks.show import Check, machine, print_checks, print_table
from benchmarks.written import WRITERS
from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.settings import load_settings
from clausegraph.core.types import Reading
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.conditionalqa.figures import EngineFigures, engine_figures
from clausegraph.eval.conditionalqa.run import answer_record
from clausegraph.ingestion.formats.recognise import recognised
from clausegraph.ingestion.pipeline import Options
from clausegraph.ingestion.reading.page import read_page
from clausegraph.ingestion.sources import open_source
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.read.extractive import ExtractiveReader

FLOORS = {".html": 0.97, ".md": 0.97, ".docx": 0.97, ".pdf": 0.9, ".columns.pdf": 0.9}
"""Share of the elements that each must give."""


@dataclass(frozen=True, slots=True)
class Recovered:
    """Elements of the pages, of their files, and those that both have; seconds it took to read the files."""

    wanted: int
    found: int
    both: int
    seconds: float

    @property
    def recall(self) -> float:
        return self.both / self.wanted

    @property
    def precision(self) -> float:
        return self.both / self.found


def readings_of(location: str) -> list[Reading]:
    """The pages of a source as they are read."""
    pages = (page for page in open_source(location).documents() if isinstance(page, SourceDocument))
    return [read_document(page)[0] for page in pages]


def write_files(readings: Sequence[Reading], folder: Path, ending: str) -> None:
    """Each page as a file of this format, named by its number."""
    folder.mkdir(parents=True, exist_ok=True)
    for number, reading in enumerate(readings):
        (folder / f"{number:03}{ending}").write_bytes(WRITERS[ending](reading))


def recovered(readings: Sequence[Reading], folder: Path, ending: str) -> Recovered:
    """How much of the pages their files give."""
    wanted = found = both = 0
    seconds = 0.0
    for number, reading in enumerate(readings):
        name = f"{number:03}{ending}"
        raw = (folder / name).read_bytes()
        start = time.process_time()
        again, _ = read_page(SourceDocument(name, raw, recognised(name, raw)))
        seconds += time.process_time() - start
        want, have = _elements(reading), _elements(again)
        for counts in (want, have):
            counts.pop(("h1", reading.title), None)
        wanted, found, both = wanted + want.total(), found + have.total(), both + (want & have).total()
    return Recovered(wanted, found, both, seconds)


def _elements(reading: Reading) -> Counter[tuple[str, str]]:
    return Counter((element.tag, element.text) for element in reading.elements)


def asked_of(home: Path, location: Path, questions: Sequence[Question]) -> EngineFigures:
    """Mirror the files in the place of those before, and ask every question."""
    with Workspace(load_settings(home=home, corpus="formats")) as workspace:
        source = open_source(str(location), "pages")
        run_ingest(workspace, "formats", source, Options(relocate=True))
        with workspace.view() as view:
            engine = make_engine(
                view,
                workspace.embedder,
                reader=ExtractiveReader(workspace.embedder, asserted=0.0),  # the scorer knows no quotes
                limit=workspace.settings.ask_elements,
            )
            return engine_figures([answer_record(engine, question)[0] for question in questions])


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure and print; 1 when a format gives too few elements."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.formats", description="The same pages in other formats."
    )
    parser.add_argument("--data", type=Path, default=REPOSITORY.parent / "shared" / "data" / "conditionalqa")
    parser.add_argument("--home", type=Path, help="keep the corpus here; default: a folder that is removed")
    parser.add_argument("--only", choices=["recall"], help="ask no questions")
    options = parser.parse_args(None if arguments is None else list(arguments))
    documents = options.data / "documents.json"
    location = documents if documents.is_file() else REPOSITORY / "examples" / "corpus"
    readings = readings_of(str(location))
    print(f"pages: {len(readings)} of {location}; {machine()}")
    with tempfile.TemporaryDirectory(prefix="clausegraph-formats-") as scratch:
        checks = _recall(readings, Path(scratch))
        print_checks(checks)
        if options.only is None and documents.is_file():
            _ask(options, Path(scratch), documents)
    return 0 if all(check.holds for check in checks) else 1


def _recall(readings: Sequence[Reading], folder: Path) -> list[Check]:
    rows, checks = [], []
    for ending, floor in FLOORS.items():
        write_files(readings, folder / ending[1:], ending)
        one = recovered(readings, folder / ending[1:], ending)
        milliseconds = 1000 * one.seconds / len(readings)
        rows.append((ending, f"{one.recall:.4f}", f"{one.precision:.4f}", one.wanted, f"{milliseconds:.0f}"))
        checks.append(Check(f"{ending}: share of elements missing", 1 - one.recall, 1 - floor, ""))
    print_table("elements of the files", [("format", "recall", "precision", "elements", "ms a file"), *rows])
    return checks


def _ask(options: argparse.Namespace, files: Path, documents: Path) -> None:
    questions = load_questions(options.data / "dev.json")
    rows = []
    for name, location in {"pages": documents, **{ending: files / ending[1:] for ending in FLOORS}}.items():
        one = asked_of(options.home or files / "home", location, questions)
        scores = (one.f1, one.yes_no, one.span, one.f1_with_conditions)
        rows.append((name, *(f"{score:.1f}" for score in scores), one.failed))
        print(rows[-1], flush=True)
    header = ("format", "F1", "yes/no", "span", "with conditions", "failed")
    print_table(f"{len(questions)} questions", [header, *rows])


if __name__ == "__main__":
    sys.exit(main())
