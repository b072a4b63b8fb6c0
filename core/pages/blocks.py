"""The blocks of a page: its addressable DOM elements in document order, before anything is left out.

Each block collects its own text and serialised HTML while the pass over the tree is inside it, which keeps that linear.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field

from clausegraph.core.types import Link

_TELLING = 3  # words; of a picture that stands alone
_INVISIBLE = str.maketrans("", "", "\u200b\u2060\u00ad\ufeff")


def squeeze(text: str) -> str:
    """White space (no-break spaces too) collapsed to single spaces; zero-width characters dropped."""
    return " ".join(text.translate(_INVISIBLE).split())


def is_telling(said: str) -> bool:
    """Whether what a picture says is worth saying without any text around it."""
    return len(said.split()) >= _TELLING


@dataclass(eq=False, slots=True)
class OpenablePart:
    """A part of the page that opens and closes; ``end`` is the order of the first block behind it."""

    end: int = sys.maxsize


@dataclass(slots=True)
class Break:
    """A line break inside a block: where its parts go on, and the inline markup that is open there."""

    at: int
    links: int  # that ended before
    open_tags: tuple[str, ...]
    is_plain: bool  # some of the text since the break before is neither bold nor large


@dataclass(slots=True)
class Cell:
    """A table cell: whether it is a header, how many columns and rows it spans. It has a text once it was sealed."""

    text: str = ""
    start: int = 0  # of its parts in those of its row
    said: list[str] = field(default_factory=list)  # by pictures
    is_header: bool = False
    is_bold: bool = False
    is_blank: bool = True  # no text has been read yet
    column: int = 0  # its place in the row, with the cells of rows above that span it
    columns: int = 1
    rows: int = 1


@dataclass(slots=True)
class Block:
    """One addressable element as the page has it; ``tag`` is h1, h2, h3, p, li or tr (h3 for every deeper heading).

    ``text`` is there once it was sealed: normalised; cells of a row joined by " | ".
    ``group`` numbers the list or table it belongs to; ``item`` is the list item it is nested in;
    ``region`` numbers the innermost container (div, section, layout cell). ``section`` is the innermost part around it
    that opens and closes. ``boilerplate`` tells that the structure around it says so (navigation, footer, …).
    """

    tag: str
    dom_tag: str
    group: int | None = None
    item: Block | None = None
    region: int = 0
    place: int = 0  # the container around it: the region, for loose text the one around that
    around: int = 0  # … and the one around its place
    boilerplate: bool = False
    in_head: bool = False  # row of a thead
    level: int = 0  # of a heading: 1 to 6 as the page has it, STYLED by its look only; 0 is none
    order: int = 0  # its place in the document
    section: OpenablePart | None = None
    is_styled: bool = False  # its class or style says that it looks like a heading
    is_plain: bool = False  # some of its text is neither bold nor large
    start: str = ""  # its start tag
    end: str = ""
    parts: list[tuple[str, str]] = field(default_factory=list)  # text and HTML
    breaks: list[Break] = field(default_factory=list)
    said: list[str] = field(default_factory=list)  # by pictures
    cells: list[Cell] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    text: str = ""

    @property
    def html(self) -> str:
        return "".join((self.start, *(html for _, html in self.parts), self.end))

    def words(self, start: int = 0, end: int | None = None) -> str:
        """The text of some of its parts."""
        return squeeze("".join(text for text, _ in self.parts[start:end]))

    def seal(self) -> None:
        """Everything in it was read."""
        if self.tag != "tr":
            self.text = self.words() or " ".join(filter(is_telling, self.said))
            return
        ends = [*(cell.start for cell in self.cells[1:]), len(self.parts)]
        for cell, end in zip(self.cells, ends, strict=False):
            cell.text = self.words(cell.start, end) or " ".join(cell.said)
        self.join_cells()

    def join_cells(self) -> None:
        """Make a row's text of its cells."""
        texts = [cell.text for cell in self.cells]
        self.text = " | ".join(texts) if any(texts) else ""

    def mark_as_note(self) -> None:
        """Say in the block's own start tag, as HTML has it, that it is a footnote."""
        if " role=" not in self.start:
            self.start = f'{self.start[:-1]} role="doc-footnote">'

    @property
    def link_share(self) -> float:
        """Share of the text's characters that are link text, 0 to 1."""
        length = len(self.text)
        return min(1.0, sum(len(link.text) for link in self.links) / length) if length else 0.0
