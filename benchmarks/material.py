"""What the benchmarks run on, and how they print: pages in ConditionalQA's form, seeded edits, tables, limits."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from clausegraph.core.pages.read import read_document
from clausegraph.ingestion.sources import SourceDocument, open_source

REPOSITORY = Path(__file__).resolve().parents[1]
EDITIONS = 10  # edited copies of every page
_EXAMPLE_QUESTIONS = REPOSITORY / "examples" / "questions.json"

Record = dict[str, Any]  # title, url, contents (serialised elements in reading order)


@dataclass(frozen=True, slots=True)
class Material:
    """Pages and questions; ``origin`` says where they come from."""

    origin: str
    records: list[Record]
    questions: list[tuple[str, str]]  # question, scenario


def named_folder(data: Path | None) -> Path:
    """Where ConditionalQA's files are looked for."""
    return data or Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", REPOSITORY.parent / "shared" / "data"))


def find_folder(data: Path | None = None) -> Path | None:
    """The folder of ConditionalQA's ``documents.json``, if there is one; ``data`` as of :func:`find_material`."""
    named = named_folder(data)
    return next((folder for folder in (named, named / "conditionalqa") if (folder / "documents.json").is_file()), None)


def find_material(data: Path | None = None) -> Material:
    """ConditionalQA's pages and development questions, or else the example pages and their questions."""
    folder = find_folder(data)
    if folder is not None:
        records = json.loads((folder / "documents.json").read_text(encoding="utf-8"))
        dev = folder / "dev.json"
        return Material(f"ConditionalQA in {folder}", records, _questions(dev if dev.is_file() else _EXAMPLE_QUESTIONS))
    if data is not None:
        raise FileNotFoundError(f"no documents.json in {data}")
    return Material(
        f"examples/corpus, because {named_folder(data)} has no documents.json: figures are not comparable with others",
        example_records(),
        _questions(_EXAMPLE_QUESTIONS),
    )


def example_records() -> list[Record]:
    """The pages of ``examples/corpus`` in ConditionalQA's form."""
    records = []
    for document in open_source(str(REPOSITORY / "examples" / "corpus")).documents():
        if isinstance(document, SourceDocument):
            reading, _ = read_document(document)
            contents = [element.plain_html for element in reading.elements]
            records.append({"title": reading.title, "url": document.uri, "contents": contents})
    return records


def _questions(path: Path) -> list[tuple[str, str]]:
    return [(item["question"], item["scenario"]) for item in json.loads(path.read_text(encoding="utf-8"))]


# --- seeded edits: the same seed makes the same pages, whatever ran before --------------------------


def copies(records: Sequence[Record], count: int, seed: int = 1) -> list[Record]:
    """``count`` edited copies of every page.

    A copy has its own title and url and every tenth of its paragraphs and items edited. The title is part of
    every text that is extracted from and embedded, so copies share nothing in the stores: the worst case.
    """
    made = []
    for number in range(1, count + 1):
        for record in records:
            draw = random.Random(f"{seed}/{number}/{record['url']}")
            contents = list(record["contents"])
            places = editable(contents)
            for place in draw.sample(places, len(places) // 10):
                contents[place] = _edited(contents[place], draw)
            title, url = f"{record['title']}, edition {number}", f"{record['url']}?edition={number}"
            made.append({"title": title, "url": url, "contents": contents})
    return made


def edit_one(record: Record, draw: random.Random) -> Record:
    """The page with one paragraph or item edited; a page that has none stays as it is."""
    contents = list(record["contents"])
    places = editable(contents)
    if places:
        place = draw.choice(places)
        contents[place] = _edited(contents[place], draw)
    return record | {"contents": contents}


def editable(contents: Sequence[str]) -> list[int]:
    """Positions of the paragraphs and items of five words or more."""
    return [place for place, html in enumerate(contents) if html[:3] in ("<p>", "<li") and html.count(" ") > 3]


def _edited(html: str, draw: random.Random) -> str:
    """The element with one of its inner words replaced by a number."""
    words = html.split(" ")
    words[draw.randrange(1, len(words) - 1)] = str(draw.randrange(10, 100_000))
    return " ".join(words)


# --- printing ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Check:
    """A figure against its limit. Times depend on the machine and its load, so a time never ``decides``."""

    what: str
    value: float
    limit: float
    unit: str
    decides: bool = True

    @property
    def holds(self) -> bool:
        return self.value <= self.limit

    def as_dict(self) -> dict[str, object]:
        return asdict(self) | {"holds": self.holds}


def print_table(title: str, rows: Sequence[Sequence[object]]) -> None:
    """A title and left-aligned columns."""
    print(f"\n{title}")
    cells = [[_text(cell) for cell in row] for row in rows]
    widths = [max(len(row[column]) for row in cells if column < len(row)) for column in range(max(map(len, cells)))]
    for row in cells:
        print("  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=False)).rstrip())


def print_checks(checks: Sequence[Check]) -> None:
    """One line a check: PASS or FAIL where it decides, else whether the goal was met."""
    for check in checks:
        verdict = ("PASS" if check.holds else "FAIL") if check.decides else ("met" if check.holds else "not met")
        kind = "limit" if check.decides else "goal"
        print(f"  {verdict}: {check.what} {_text(check.value)} {check.unit}, {kind} {_text(check.limit)} {check.unit}")


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least ``share`` of the values do not exceed."""
    return float(np.quantile(values, share, method="inverted_cdf"))


def machine() -> dict[str, object]:
    """Cores and the load averages of now: figures are worth little without."""
    return {"cores": os.cpu_count(), "load": [round(value, 2) for value in os.getloadavg()]}


def _text(cell: object) -> str:
    if isinstance(cell, float):
        return f"{cell:,.3g}" if abs(cell) < 10 else f"{cell:,.1f}"
    return f"{cell:,}" if isinstance(cell, int) else str(cell)
