"""Blocks to HTML: nested lists by their indents, tables with their headers, and the page that each begins on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from html import escape

from clausegraph.core.pages.read import PAGE_NUMBER
from clausegraph.ingestion.formats.pdf.joining import joined, vocabulary
from clausegraph.ingestion.formats.pdf.structure import TextBlock
from clausegraph.ingestion.formats.pdf.tables import PageTable, TableCell

_INDENT = 4.0  # points further right: an item of a list in the item before


def html_of(blocks: Iterable[TextBlock | PageTable]) -> str:
    """The blocks as a body of HTML; a table that goes on over pages is one."""
    blocks = list(blocks)
    words = vocabulary([line.text for block in blocks if isinstance(block, TextBlock) for line in block.lines])
    pieces: list[str] = []
    lists: list[tuple[float, str]] = []  # indent and end tag of the open lists, outermost first
    table: PageTable | None = None
    for block in blocks:
        if isinstance(block, TextBlock) and block.tag == "li":
            pieces += _item(block, lists, words)
            table = None
            continue
        pieces += _closed(lists)
        if isinstance(block, TextBlock):
            pieces.append(f"<{_start(block.tag, block.page)}>{escape(joined(block.texts, words))}</{block.tag}>")
            table = None
        elif table is not None and table.columns == block.columns:
            pieces[-1:] = [*_rows(block, goes_on=table), "</table>"]
        else:
            pieces += ["<table>", *_rows(block), "</table>"]
            table = block
    return "\n".join([*pieces, *_closed(lists)])


def _start(tag: str, page: int) -> str:
    return f'{tag} {PAGE_NUMBER}="{page}"'


def _item(block: TextBlock, lists: list[tuple[float, str]], words: set[str]) -> Iterator[str]:
    indent = block.lines[0].x0 - block.lines[0].left
    while lists and indent < lists[-1][0] - _INDENT:
        yield f"</li>{lists.pop()[1]}"
    if lists and indent <= lists[-1][0] + _INDENT:
        yield "</li>"
    else:
        tag = "ol" if block.mark else "ul"
        lists.append((indent, f"</{tag}>"))
        yield f'<ol start="{block.mark}">' if block.mark.isdigit() else f"<{tag}>"
    yield f"<{_start('li', block.page)}>{escape(joined(block.texts, words))}"


def _closed(lists: list[tuple[float, str]]) -> Iterator[str]:
    while lists:
        yield f"</li>{lists.pop()[1]}"


def _rows(table: PageTable, goes_on: PageTable | None = None) -> Iterator[str]:
    """The rows; a header that is repeated where the table goes on is left out."""
    rows = list(table.rows)
    heads = goes_on is None and all(cell.bold for cell in rows[0] if cell.text) and not _all_bold(rows[1])
    if goes_on is not None and [cell.text for cell in rows[0]] == [cell.text for cell in goes_on.rows[0]]:
        rows = rows[1:]
    for index, row in enumerate(rows):
        tag = "th" if heads and not index else "td"
        yield f"<{_start('tr', table.page)}>{''.join(_cell(tag, cell) for cell in row)}</tr>"


def _all_bold(row: Iterable[TableCell]) -> bool:
    return all(cell.bold for cell in row if cell.text)


def _cell(tag: str, cell: TableCell) -> str:
    spans = "".join(
        f' {name}="{count}"' for name, count in (("colspan", cell.columns), ("rowspan", cell.rows)) if count > 1
    )
    return f"<{tag}{spans}>{escape(cell.text)}</{tag}>"
