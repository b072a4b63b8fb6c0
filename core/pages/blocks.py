"""The blocks of a page: its addressable DOM elements in document order, before anything is left out.

One pass over the parsed tree with an explicit stack, so that neither deep nesting nor size needs recursion.
Each block collects its own serialised HTML and text while the pass is inside it, which keeps the pass linear.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from clausegraph.core.types import Link

_INVISIBLE = str.maketrans("", "", "\u200b\u2060\u00ad\ufeff")


def squeeze(text: str) -> str:
    """White space (no-break spaces too) collapsed to single spaces; zero-width characters dropped."""
    return " ".join(text.translate(_INVISIBLE).split())


@dataclass(slots=True)
class Cell:
    """A table cell: whether it is a header, how many columns and rows it spans. It has a text once it was sealed."""

    text: str = ""
    pieces: list[str] = field(default_factory=list)
    is_header: bool = False
    is_bold: bool = False
    columns: int = 1
    rows: int = 1
    blank: int = 0  # how many of the first pieces are known to have no text

    @property
    def is_blank(self) -> bool:
        """Whether no text has been read yet."""
        while self.blank < len(self.pieces) and not squeeze(self.pieces[self.blank]):
            self.blank += 1
        return self.blank == len(self.pieces)

    def seal(self) -> None:
        """Everything in it was read."""
        self.text = squeeze("".join(self.pieces))


@dataclass(slots=True)
class Block:
    """One addressable element as the page has it; ``tag`` is h1, h2, h3, p, li or tr.

    ``text`` is there once it was sealed: normalised; cells of a row joined by " | ".
    ``group`` numbers the list or table it belongs to; ``item`` is the list item it is nested in;
    ``region`` numbers the innermost container (div, section, layout cell). ``boilerplate`` tells that the
    structure around it says so (navigation, footer, …).
    """

    tag: str
    dom_tag: str
    group: int | None = None
    item: Block | None = None
    region: int = 0
    boilerplate: bool = False
    in_head: bool = False  # row of a thead
    text: str = ""
    html_pieces: list[str] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    cells: list[Cell] = field(default_factory=list)
    links: list[Link] = field(default_factory=list)
    open_inline: list[str] = field(default_factory=list)  # inline tags to close when a run of loose text ends
    closing: str = ""

    @property
    def html(self) -> str:
        return "".join(self.html_pieces)

    def seal(self) -> None:
        """Everything in it was read."""
        if self.tag != "tr":
            self.text = squeeze("".join(self.pieces))
            return
        for cell in self.cells:
            cell.seal()
        texts = [cell.text for cell in self.cells]
        self.text = " | ".join(texts) if any(texts) else ""

    @property
    def target(self) -> list[str]:
        """Where text goes now: the last cell of a row, else the block itself."""
        return self.cells[-1].pieces if self.cells else self.pieces

    @property
    def link_share(self) -> float:
        """Share of the text's characters that are link text, 0 to 1."""
        length = len(self.text)
        return min(1.0, sum(len(link.text) for link in self.links) / length) if length else 0.0
