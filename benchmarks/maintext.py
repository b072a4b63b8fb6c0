"""``python -m benchmarks.maintext PAGES LABELS [--draw SEED COUNT]``: main text against labels made by eye.

``python -m benchmarks.maintext PAGES --pieces`` needs no labels: what is left of each page, and in how many pieces.

PAGES is a folder of HTML files or CRAG's ``.jsonl`` (``.bz2``): the pages of each line's ``search_results``. LABELS is
a folder with one file a page, ``NAME.label``, NAME a file's stem or the number of the page from 00. ``--draw`` writes
such files for COUNT pages, drawn by a seed, with every mark still a minus.

The first line of a label is ``# KIND``: page, or what the page is instead (wall, shell, empty, missing). Then a line
for each block of text that a browser could show, in order: mark, tab, tag, tab, text. The mark is ``+`` for main text,
``-`` for what is none, ``?`` where two readers may differ (bylines, credits, references): such a line counts neither
way. Rows of a table that matters have the tag ``tableN``, N one number a table; those of other tables ``tr``.

Compared are runs of four words (shorter lines whole). Recall: of those of each ``+`` line, how many the text has;
precision: of those of the text, less what stands in ``?`` lines only, how many stand in ``+`` lines. Each page counts
the same. A table is found when nine of ten of its rows are rows of the reading with the same words; a page of another
kind is flagged when its reading has no elements and a reject says why. trafilatura reads the same pages in the same
run. What pictures say (alternative texts) is in no label, so it is left out.
"""

from __future__ import annotations

import argparse
import bz2
import json
import random
import re
import statistics
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from lxml import html as lxml_html
from lxml.etree import _Element

from benchmarks.material import Check, machine, print_checks, print_table
from clausegraph.core.pages.blocks import squeeze
from clausegraph.core.pages.markup import INLINE, SKIPPED, is_hidden
from clausegraph.core.pages.pieces import pieces_of
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import Reading

_WORD = re.compile(r"\w+")
_RUN = 4  # words
_ROWS_FOUND = 0.9
_RECALL, _PRECISION, _TABLES = 0.95, 0.9, 0.9

Grams = Counter[tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Label:
    """What a person says of a page: its kind, and mark, tag and text of its lines."""

    kind: str
    lines: tuple[tuple[str, str, str], ...]

    def texts(self, marks: str) -> list[str]:
        return [text for mark, _, text in self.lines if mark in marks]

    @property
    def tables(self) -> list[list[str]]:
        """Texts of the rows of each table that matters."""
        rows = sorted(((tag, text) for _, tag, text in self.lines if tag.startswith("table")), key=lambda row: row[0])
        return [[text for _, text in group] for _, group in groupby(rows, key=lambda row: row[0])]


@dataclass(frozen=True, slots=True)
class Score:
    recall: float
    precision: float


def main() -> int:
    """Measure and print; 1 when a floor is missed."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.maintext", description=(__doc__ or "").split("\n")[0])
    parser.add_argument("pages", type=Path)
    parser.add_argument("labels", type=Path, nargs="?")
    parser.add_argument("--pieces", action="store_true", help="print what is left of pages, and its pieces")
    parser.add_argument("--draw", type=int, nargs=2, metavar=("SEED", "COUNT"))
    options = parser.parse_args()
    pages = pages_of(options.pages)
    if options.pieces:
        return print_pieces(pages)
    if options.labels is None:
        parser.error("LABELS is missing")
    if options.draw:
        return draw(pages, options.labels, *options.draw)
    labels = {path.stem: read_label(path) for path in sorted(options.labels.glob("*.label"))}
    checks = measure(pages, labels)
    print_checks(checks)
    return 0 if all(check.holds for check in checks if check.decides) else 1


def measure(pages: dict[str, str], labels: dict[str, Label]) -> list[Check]:
    """Print the tables; returns what is held against a floor."""
    readings, seconds = _read_all(pages)
    scores = {"clausegraph": score_all({name: text_of(readings[name]) for name in labels}, labels)}
    scores["trafilatura"] = score_all({name: _by_trafilatura(pages[name]) for name in labels}, labels)
    rows = [(tool, *_means(found.values()), *_means(found.values(), worst=True)) for tool, found in scores.items()]
    print_table("maintext: mean over pages, and the worst page", [("", "recall", "precision", "", ""), *rows])
    tables = [(name, rows) for name, label in labels.items() for rows in label.tables]
    found = sum(has_table(readings[name], rows) for name, rows in tables)
    others = [name for name, label in labels.items() if label.kind != "page"]
    flagged = [name for name in labels if not readings[name].elements]
    missed = [f"{name} ({labels[name].kind})" for name in others if name not in flagged]
    wrong = [name for name in flagged if name not in others]
    print(f"  {found} of {len(tables)} tables of data; not flagged: {missed or 'none'}; wrongly: {wrong or 'none'}")
    slowest = max(seconds, key=lambda name: seconds[name])
    mean = sum(seconds.values()) / len(seconds)
    print(f"  {mean:.2f} s a page, {seconds[slowest]:.2f} s the slowest ({slowest}); load {machine()['load']}")
    recall, precision = _means(scores["clausegraph"].values())
    return [
        Check("main text lost", 1 - recall, 1 - _RECALL, "of it"),
        Check("other text let in", 1 - precision, 1 - _PRECISION, "of what is read"),
        Check("tables not found", 1 - found / max(1, len(tables)), 1 - _TABLES, "of them"),
        Check("pages without main text that are not flagged, or pages that are", len(missed) + len(wrong), 0, "pages"),
    ]


# --- pages and labels -----------------------------------------------------------------------------


def pages_of(path: Path) -> dict[str, str]:
    """HTML of the pages by name."""
    if path.is_dir():
        return {file.stem: file.read_text(encoding="utf-8") for file in sorted(path.glob("*.html"))}
    raw = path.read_bytes()
    lines = (bz2.decompress(raw) if path.suffix == ".bz2" else raw).decode().splitlines()
    found = [page["page_result"] for line in lines for page in json.loads(line)["search_results"]]
    return {f"{number:02}": page for number, page in enumerate(found)}


def read_label(path: Path) -> Label:
    """Read one label file."""
    first, *lines = path.read_text(encoding="utf-8").split("\n")
    parts = [tuple(line.split("\t", 2)) for line in lines if line]
    return Label(first.removeprefix("#").strip(), tuple((mark, tag, text) for mark, tag, text in parts))


def draw(pages: dict[str, str], folder: Path, seed: int, count: int) -> int:
    """Write the label files to be marked; those that are there already stay."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in random.Random(seed).sample(sorted(pages), count):
        path = folder / f"{name}.label"
        if not path.exists():
            lines = [f"-\t{tag}\t{text}" for tag, text in outline(pages[name])]
            path.write_text("\n".join(["# page", *lines]) + "\n", encoding="utf-8")
    return 0


def outline(page: str) -> list[tuple[str, str]]:
    """Tag and text of every block of text, by the DOM alone: none of the reader's rules; ``!`` marks hidden ones."""
    if not page.strip():
        return []
    parser = lxml_html.HTMLParser(encoding="utf-8", huge_tree=True, remove_comments=True, remove_pis=True)
    body = lxml_html.document_fromstring(page.encode(), parser=parser).find("body")
    lines: list[tuple[str, str]] = []
    if body is not None:
        _outline(body, "body", False, [], lines)
    return lines


def _outline(node: _Element, tag: str, hidden: bool, pending: list[str], lines: list[tuple[str, str]]) -> None:
    if node.tag in SKIPPED or not isinstance(node.tag, str):
        return
    hidden = hidden or is_hidden(node)
    is_block = node.tag not in INLINE

    def flush(owner: str) -> None:
        text = squeeze("".join(pending))
        pending.clear()
        if text:
            lines.append((owner + "!" * hidden, text))

    if is_block:
        flush(tag)
    own = str(node.tag) if is_block else tag
    if own == "tr" and node.find(".//table") is None:
        cells = [squeeze("".join(map(str, cell.itertext()))) for cell in node if cell.tag in ("td", "th")]
        lines.extend([("tr" + "!" * hidden, " | ".join(cells))] if any(cells) else [])
        return
    pending.append(node.text or "")
    for child in node:
        _outline(child, own, hidden, pending, lines)
        pending.append(child.tail or "")
    if is_block:
        flush(own)


# --- scores ---------------------------------------------------------------------------------------


def score_all(texts: dict[str, str], labels: dict[str, Label]) -> dict[str, Score]:
    """Scores of the pages that have main text."""
    return {name: score(texts[name], label) for name, label in labels.items() if label.kind == "page"}


def score(text: str, label: Label) -> Score:
    """Recall and precision of a text; see above."""
    given = _runs([text], whole=True)
    wanted = _runs(label.texts("+"), whole=False)
    main = _runs([" ".join(label.texts("+"))], whole=True)
    neutral = (given & (main | _runs([" ".join(label.texts("+?"))], whole=True))) - (given & main)
    right = (given & main).total()
    short = _runs([text], whole=True, sizes=range(1, _RUN + 1))
    counted = given.total() - neutral.total()
    return Score((wanted & short).total() / wanted.total(), right / counted if counted else 0.0)


def _runs(texts: Iterable[str], *, whole: bool, sizes: Iterable[int] = (_RUN,)) -> Grams:
    """Runs of words; ``whole=False``: a text that is shorter is one run."""
    found: Grams = Counter()
    for text in texts:
        words = _WORD.findall(text.casefold())
        for size in sizes:
            used = size if whole else max(1, min(size, len(words)))
            found.update(tuple(words[i : i + used]) for i in range(len(words) - used + 1))
    return found


def has_table(reading: Reading, rows: Sequence[str]) -> bool:
    """Whether nine of ten rows are in the reading, as rows."""
    there = Counter(_plain(element.text) for element in reading.elements if element.tag == "tr")
    wanted = Counter(map(_plain, rows))
    return (there & wanted).total() >= _ROWS_FOUND * wanted.total()


def _plain(text: str) -> str:
    return "".join(_WORD.findall(text.casefold()))


def _means(scores: Iterable[Score], worst: bool = False) -> tuple[float, float]:
    found = list(scores)
    fold: Callable[[Iterable[float]], float] = min if worst else statistics.fmean
    return fold(one.recall for one in found), fold(one.precision for one in found)


# --- readers --------------------------------------------------------------------------------------


def _read_all(pages: dict[str, str]) -> tuple[dict[str, Reading], dict[str, float]]:
    """Readings and processor seconds of all pages; what is loaded once counts to none."""
    warm = b"<html><body><main><p>You must pay the fee each year.</p></main></body></html>"
    read_document(SourceDocument("warm", warm))
    readings, seconds = {}, {}
    for name, page in pages.items():
        start = time.process_time()
        readings[name] = read_document(SourceDocument(name, page.encode("utf-8", "surrogatepass")))[0]
        seconds[name] = time.process_time() - start
    return readings, seconds


def text_of(reading: Reading) -> str:
    return "\n".join(element.text for element in reading.elements if not element.html.startswith("<img"))


def _by_trafilatura(page: str) -> str:
    import trafilatura

    return trafilatura.extract(page, include_comments=False, include_tables=True) or ""


def print_pieces(pages: dict[str, str]) -> int:
    """Print what is left of each page, and what it takes to come there."""
    readings, seconds = _read_all(pages)
    start = time.process_time()
    pieces = {name: pieces_of(reading) for name, reading in readings.items()}
    cutting = time.process_time() - start
    kept = {name: sum(len(piece.text) for piece in found) for name, found in pieces.items()}
    shown = {
        name: sum(len(text) for tag, text in outline(page) if not tag.endswith("!")) for name, page in pages.items()
    }
    rows = [
        (name, len(pages[name]), shown[name], kept[name], sum(one.is_table for one in found), len(found), seconds[name])
        for name, found in pieces.items()
    ]
    print_table("pages", [("", "characters", "shown", "left", "of tables", "pieces", "seconds"), *rows])
    totals = [sum(values) for values in zip(*(row[1:] for row in rows), strict=True)]
    print(
        f"  {len(rows)} pages, {totals[0] / 1e6:.1f} MB, of which a browser shows {totals[1] / 1e6:.2f}; "
        f"{1 - totals[2] / max(1, totals[1]):.0%} of that removed; {totals[4]:,} pieces, {totals[3]} of tables; "
        f"{sum(not found for found in pieces.values())} pages without text; {totals[5]:.1f} s to read "
        f"({max(seconds.values(), default=0):.2f} s the slowest), {cutting:.2f} s to cut"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
