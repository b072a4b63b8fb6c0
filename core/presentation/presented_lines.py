"""The lines that an answer is shown in, and the tables that some of them are rows of."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class LineKind(StrEnum):
    """How a line is shown."""

    SENTENCE = "sentence"
    ITEM = "item"  # of a list, indented by its depth
    CONDITION = "condition"  # of the sentence above, with its mark, indented by its depth
    QUOTE = "quote"  # the page's own words
    NOTE = "note"  # what is doubted, missing or disputed
    PLACE = "place"  # title and section that the quotes below it are from


@dataclass(frozen=True, slots=True)
class PresentedTableRow:
    """A row of a table. ``number`` is that of its quote, 0 for a neighbour.

    ``note`` says how many rows are left out at this place; such a row has no cells.
    """

    cells: tuple[str, ...] = ()
    number: int = 0
    note: str = ""


@dataclass(frozen=True, slots=True)
class PresentedTable:
    """Rows of a table of a page in their order, below their column heads; a row has a cell for each head.

    ``place`` is the section that it stands in, "" where a line above names it; ``number`` is that of a quote of the
    heads, 0 where there is none.
    """

    heads: tuple[str, ...]
    rows: tuple[PresentedTableRow, ...]
    place: str = ""
    number: int = 0


@dataclass(frozen=True, slots=True)
class PresentedLine:
    """A line of an answer with the numbers of the quotes that it rests on.

    ``table``: where tables can be shown, it stands in the place of this line and of the next ones that are
    ``is_in_table``.
    """

    kind: LineKind
    text: str
    citations: tuple[int, ...] = ()
    depth: int = 0
    calculations: tuple[str, ...] = ()
    table: PresentedTable | None = None
    is_in_table: bool = False
