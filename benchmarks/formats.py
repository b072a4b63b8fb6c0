"""``python -m benchmarks.formats [--data DIR]``: the same pages in other formats, read again.

Each page is written as a page of a web site within its frame, as Markdown, as a Word document and as a PDF in one
column and in two, and read again. Recall and precision of its elements (tag and text, each as often as it is there) are
against the reading that they were written from; the title, which a web page or Word document has as an element of its
own, counts neither way.
"""

from __future__ import annotations

import argparse
import io
import json
import re
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import matplotlib
from fpdf import FPDF

from benchmarks.material import REPOSITORY, Check, find_folder, machine, print_checks, print_table
from clausegraph.core.pages.markup import HEADINGS
from clausegraph.core.pages.read import SourceDocument, read_document
from clausegraph.core.types import Element, Reading
from clausegraph.ingestion.formats.formats import recognised
from clausegraph.ingestion.reading.page import read_page
from clausegraph.ingestion.sources import open_source

FLOORS = {".html": 0.97, ".md": 0.97, ".docx": 0.97, ".pdf": 0.9, ".columns.pdf": 0.9}
"""Share of the elements that each must give."""
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+\-.!|~&()])")
_SIZES = {"h1": 18, "h2": 13, "h3": 11.5}  # points; text has 9.5
_TEXT = 9.5
_MARGIN, _TOP, _BETWEEN, _WIDTH = 18, 20, 8, 174  # millimetres


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


def main(arguments: Iterable[str] | None = None) -> int:
    """Measure and print; 1 when a format gives too few elements."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.formats", description="The pages in other formats.")
    parser.add_argument("--data", type=Path, help="folder with documents.json; else examples/corpus")
    folder = find_folder(parser.parse_args(None if arguments is None else list(arguments)).data)
    location = folder / "documents.json" if folder else REPOSITORY / "examples" / "corpus"
    readings = readings_of(str(location))
    print(f"pages: {len(readings)} of {location}; {machine()}")
    rows, checks = [], []
    with tempfile.TemporaryDirectory(prefix="clausegraph-formats-") as scratch:
        for ending, floor in FLOORS.items():
            write_files(readings, Path(scratch) / ending[1:], ending)
            one = recovered(readings, Path(scratch) / ending[1:], ending)
            milliseconds = 1000 * one.seconds / len(readings)
            rows.append((ending, f"{one.recall:.4f}", f"{one.precision:.4f}", one.wanted, f"{milliseconds:.0f}"))
            checks.append(Check(f"{ending}: share of elements missing", 1 - one.recall, 1 - floor, ""))
    print_table("elements of the files", [("format", "recall", "precision", "elements", "ms a file"), *rows])
    print_checks(checks)
    return 0 if all(check.holds for check in checks) else 1


# --- the files, as people would have them who kept the same text so ---------------------------------


def runs(reading: Reading) -> Iterator[tuple[str, list[Element]]]:
    """Elements in order; the items of a list and the rows of a table together."""
    for _, group in groupby(enumerate(reading.elements), lambda at: at[1].tag if at[1].tag in ("li", "tr") else at[0]):
        elements = [element for _, element in group]
        yield elements[0].tag, elements


def _cells(row: Element) -> list[str]:
    return row.text.split(" | ")


def as_markdown(reading: Reading) -> bytes:
    """CommonMark with tables, the title in its front matter; every sign that could mean something is escaped."""
    parts = []
    for tag, elements in runs(reading):
        texts = [_SPECIAL.sub(r"\\\1", element.text) for element in elements]
        if tag == "li":
            parts.append("\n".join(f"- {text}" for text in texts))
        elif tag == "tr":
            width = max(len(_cells(row)) for row in elements)
            rows = [[_SPECIAL.sub(r"\\\1", cell) for cell in _cells(row)] for row in elements]
            lines = [f"| {' | '.join(row)} |" for row in rows]
            parts.append("\n".join([lines[0], "|---" * width + "|", *lines[1:]]))
        else:
            parts.append(f"{'#' * int(tag[1])} {texts[0]}" if tag in HEADINGS else texts[0])
    return "\n\n".join([f"---\ntitle: {json.dumps(reading.title)}\n---", *parts]).encode()


def as_site_page(reading: Reading) -> bytes:
    """A page of a web site: a cookie notice, a header with menus and a search, breadcrumbs, related pages, a footer."""
    title = escape(reading.title)
    menu = "".join(
        f'<li><a href="/{name.lower()}">{name}</a></li>' for name in ("Benefits", "Housing", "Births", "Money")
    )
    parts = []
    for tag, elements in runs(reading):
        texts = [escape(element.text) for element in elements]
        if tag == "li":
            parts.append(f"<ul>{''.join(f'<li>{text}</li>' for text in texts)}</ul>")
        elif tag == "tr":
            rows = ["".join(f"<td>{escape(cell)}</td>" for cell in _cells(row)) for row in elements]
            parts.append(f"<table>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>")
        else:
            parts.append(f"<{tag}>{texts[0]}</{tag}>")
    return (
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} - The Office</title></head><body>'
        '<div class="cookie-banner" role="region"><p>We use cookies to make this site work and to count visits.</p>'
        '<button>Accept all cookies</button></div><header role="banner"><a href="/">The Office</a>'
        f'<form role="search"><input name="q"><button>Search</button></form><nav><ul>{menu}</ul></nav></header>'
        '<div class="breadcrumbs"><ol><li><a href="/">Home</a></li><li><a href="/Benefits">Benefits</a></li></ol></div>'
        f'<main id="content"><h1>{title}</h1>{"".join(parts)}</main>'
        f"<aside><h2>Related content</h2><ul>{menu}</ul></aside>"
        '<footer><ul><li><a href="/help">Help</a></li><li><a href="/privacy">Privacy</a></li></ul>'
        "<p>All content is available under the open licence of the office, except where otherwise stated.</p></footer>"
        "</body></html>"
    ).encode()


def as_docx(reading: Reading) -> bytes:
    """A Word document with the styles of its template, its title as such above the text."""
    import docx

    document = docx.Document()
    document.add_heading(reading.title, 0)
    for tag, elements in runs(reading):
        if tag == "tr":
            rows = [_cells(row) for row in elements]
            width = max(map(len, rows))
            table = document.add_table(len(rows), width)
            for index, row in enumerate(rows):
                for column, text in enumerate(row):
                    table.cell(index, column).text = text
                if len(row) < width:
                    table.cell(index, len(row) - 1).merge(table.cell(index, width - 1))
            continue
        for element in elements:
            if tag in HEADINGS:
                document.add_heading(element.text, int(tag[1]))
            else:
                document.add_paragraph(element.text, style="List Bullet" if tag == "li" else None)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def as_pdf(reading: Reading) -> bytes:
    """A PDF in one column, ragged, with gaps between paragraphs."""
    return _pdf(reading, columns=1)


def as_pdf_in_columns(reading: Reading) -> bytes:
    """A PDF in two columns, justified."""
    return _pdf(reading, columns=2)


def _pdf(reading: Reading, columns: int) -> bytes:
    pdf = Leaflet(reading.title, columns)
    for tag, elements in runs(reading):
        if tag == "tr":
            pdf.rows([_cells(row) for row in elements])
        for element in elements if tag != "tr" else ():
            pdf.element(tag, element.text)
        pdf.ln(2)
    return bytes(pdf.output())


class Leaflet(FPDF):
    """Larger bold headings, bullets, ruled tables, the title as running head, page numbers; in one or two columns."""

    def __init__(self, title: str, columns: int) -> None:
        super().__init__()
        fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
        self.add_font("D", "", fonts / "DejaVuSans.ttf")
        self.add_font("D", "B", fonts / "DejaVuSans-Bold.ttf")
        self.set_title(title)
        self.running, self.columns, self.column = title, columns, 0
        self.set_auto_page_break(True, _TOP)
        self._enter(0)
        self.add_page()
        self._enter(0)

    @property
    def accept_page_break(self) -> bool:
        """Go on in the next column, else on the next page."""
        self._enter((self.column + 1) % self.columns)
        if self.column:
            self.set_y(_TOP)
        return self.column == 0

    def header(self) -> None:
        self.set_font("D", size=8)
        self.set_xy(_MARGIN, 8)
        self.cell(_WIDTH, 6, self.running)
        self.set_xy(self.l_margin, _TOP)

    def footer(self) -> None:
        self.set_y(-14)
        self.set_font("D", size=8)
        self.cell(0, 6, f"Page {self.page_no()} of {{nb}}", align="C")

    def _enter(self, column: int) -> None:
        self.column = column
        width = (_WIDTH - (self.columns - 1) * _BETWEEN) / self.columns
        left = _MARGIN + column * (width + _BETWEEN)
        self.set_margins(left, _TOP, 210 - left - width)
        self.set_x(left)

    def element(self, tag: str, text: str) -> None:
        """A heading, paragraph or item."""
        size = _SIZES.get(tag, _TEXT)
        self.set_font("D", "B" if tag in _SIZES else "", size)
        if tag == "li":
            self.set_x(self.l_margin + 2)
            self.cell(5, 4.7, "•")
        height = 4.7 if size == _TEXT else size / 2
        align = "J" if self.columns > 1 and tag not in _SIZES else "L"
        self.multi_cell(0, height, text, new_x="LMARGIN", new_y="NEXT", align=align)
        self.ln(0 if tag == "li" else 1)

    def rows(self, rows: Sequence[Sequence[str]]) -> None:
        """A ruled table; beside columns on a page of its own, since fpdf2 breaks tables over whole pages only."""
        columns, self.columns = self.columns, 1
        if columns > 1:
            self._enter(0)
            self.add_page()
        self.set_font("D", "", _TEXT)
        width = max(map(len, rows))
        with self.table(text_align="LEFT") as table:
            for texts in rows:
                row = table.row()
                for index, text in enumerate(texts):
                    row.cell(text, colspan=width - index if index + 1 == len(texts) else 1)
        self.columns = columns
        if columns > 1:
            self._enter(0)
            self.add_page()


WRITERS: dict[str, Callable[[Reading], bytes]] = {
    ".html": as_site_page,
    ".md": as_markdown,
    ".docx": as_docx,
    ".pdf": as_pdf,
    ".columns.pdf": as_pdf_in_columns,
}
"""By ending."""

if __name__ == "__main__":
    sys.exit(main())
