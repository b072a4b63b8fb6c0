"""Pages written as other files: what people would have who kept the same text as PDF, Word or Markdown."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

from clausegraph.core.types import Element, Reading

_SIZES = {"h1": 20, "h2": 15, "h3": 12}  # points; text has 10
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#+\-.!|~&()])")


def _runs(reading: Reading) -> Iterator[tuple[str, list[Element]]]:
    """Elements in order; the items of a list and the rows of a table together."""
    for _, group in groupby(enumerate(reading.elements), lambda at: at[1].tag if at[1].tag in ("li", "tr") else at[0]):
        elements = [element for _, element in group]
        yield elements[0].tag, elements


def _cells(row: Element) -> list[str]:
    return row.text.split(" | ")


def as_markdown(reading: Reading) -> bytes:
    """CommonMark with tables, the title in its front matter; every sign that could mean something is escaped."""
    parts = []
    for tag, elements in _runs(reading):
        texts = [_SPECIAL.sub(r"\\\1", element.text) for element in elements]
        if tag == "li":
            parts.append("\n".join(f"- {text}" for text in texts))
        elif tag == "tr":
            width = max(len(_cells(row)) for row in elements)
            rows = [[_SPECIAL.sub(r"\\\1", cell) for cell in _cells(row)] for row in elements]
            lines = [f"| {' | '.join(row)} |" for row in rows]
            parts.append("\n".join([lines[0], "|---" * width + "|", *lines[1:]]))
        else:
            parts.append(f"{'#' * int(tag[1])} {texts[0]}" if tag in _SIZES else texts[0])
    return "\n\n".join([f"---\ntitle: {json.dumps(reading.title)}\n---", *parts]).encode()


def as_docx(reading: Reading) -> bytes:
    """A Word document with the styles of its template, its title as such above the text."""
    import docx

    document = docx.Document()
    document.add_heading(reading.title, 0)
    for tag, elements in _runs(reading):
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
            if tag in _SIZES:
                document.add_heading(element.text, int(tag[1]))
            else:
                document.add_paragraph(element.text, style="List Bullet" if tag == "li" else None)
    file = io.BytesIO()
    document.save(file)
    return file.getvalue()


def as_pdf(reading: Reading) -> bytes:
    """A PDF without tags: larger bold headings, bullets, ruled tables, the title as running head, page numbers."""
    pdf = _new_pdf(reading.title)
    pdf.add_page()
    for tag, elements in _runs(reading):
        if tag == "tr":
            _table(pdf, [_cells(row) for row in elements])
        for element in elements if tag != "tr" else ():
            _write(pdf, tag, element.text)
        pdf.ln(2)
    return bytes(pdf.output())


def _new_pdf(title: str) -> Any:
    import matplotlib
    from fpdf import FPDF

    class Leaflet(FPDF):
        def header(self) -> None:
            self.set_font("D", size=8)
            self.cell(0, 6, title, new_x="LMARGIN", new_y="NEXT")
            self.ln(4)

        def footer(self) -> None:
            self.set_y(-15)
            self.set_font("D", size=8)
            self.cell(0, 6, f"Page {self.page_no()} of {{nb}}", align="C")

    fonts = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    pdf = Leaflet()
    pdf.add_font("D", "", fonts / "DejaVuSans.ttf")
    pdf.add_font("D", "B", fonts / "DejaVuSans-Bold.ttf")
    pdf.set_title(title)
    return pdf


def _write(pdf: Any, tag: str, text: str) -> None:
    size = _SIZES.get(tag, 10)
    pdf.set_font("D", "B" if tag in _SIZES else "", size)
    below = {"new_x": "LMARGIN", "new_y": "NEXT", "align": "L"}
    if tag == "li":
        pdf.cell(4, 5)
        pdf.cell(5, 5, "•")
        pdf.multi_cell(0, 5, text, **below)
    else:
        pdf.multi_cell(0, size / 2, text, **below)
        pdf.ln(1)


def _table(pdf: Any, rows: Sequence[Sequence[str]]) -> None:
    pdf.set_font("D", "", 10)
    width = max(map(len, rows))
    with pdf.table(first_row_as_headings=True) as table:
        for texts in rows:
            row = table.row()
            for index, text in enumerate(texts):
                row.cell(text, colspan=width - index if index + 1 == len(texts) else 1)


WRITERS: dict[str, Callable[[Reading], bytes]] = {".md": as_markdown, ".docx": as_docx, ".pdf": as_pdf}
"""By ending."""
