"""PDFs as a press office makes them: by fpdf2, untagged."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import matplotlib
from fpdf import FPDF

_SIZES = {"h1": 18, "h2": 13, "h3": 11.5}  # points; text has 9.5
_TEXT = 9.5
_MARGIN, _TOP, _BETWEEN, _WIDTH = 18, 20, 8, 174  # millimetres


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
