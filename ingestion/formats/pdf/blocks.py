"""Lines and tables to HTML: headings by size and weight, paragraphs, nested lists, tables that go on over pages."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from itertools import pairwise

from clausegraph.core.pages.read import PAGE_NUMBER
from clausegraph.ingestion.formats.pdf.layout import TextLine, joined, vocabulary
from clausegraph.ingestion.formats.pdf.tables import PageTable, TableCell

_LARGER = 1.12  # times the text's size: a heading
_MOST_GAP = 1.0  # times the size: between the lines of one paragraph
_HEADING_GAP = 0.8  # times the size: between the lines of one heading
_MAX_HEADING = 200  # characters; bold ones have half of that
_NO_HEADING = re.compile(r"[.;:,!?][\"'”’)\]]*$")
_ENDS_SENTENCE = re.compile(r"[.:!?][\"'”’)\]]*$")
_BULLET = re.compile(r"^([•●○▪■□◦‣⁃∙·➢➤✓✔–—*\-\uf0b7\uf0a7\uf0d8\uf076\uf0fc])\s+(?=\S)|^([\uf0b7\uf0a7\uf0d8])(?=\S)")
_NUMBERED = re.compile(r"^\(?(\d{1,2}|[a-z]|[ivx]{1,4})[.)]\s+(?=\S)")
_DASHES = "-–—*"
_LEVELS = ("h1", "h2", "h3")
_INDENT = 4.0  # points further right: an item of a list in the item before


@dataclass(slots=True)
class TextBlock:
    """Lines that belong together; ``tag`` is h1, h2, h3, p or li. ``mark`` is an item's number, "" for a bullet."""

    tag: str
    lines: list[TextLine]
    texts: list[str]  # of the lines, the first one's mark apart
    mark: str = ""


def html_of(pieces: Sequence[TextLine | PageTable]) -> str:
    """The pieces, in reading order, as a body of HTML whose elements say the page that they begin on."""
    blocks = list(_blocks(pieces))
    words = vocabulary([line.text for block in blocks if isinstance(block, TextBlock) for line in block.lines])
    html: list[str] = []
    lists: list[tuple[float, str]] = []  # indent and end tag of the open lists, outermost first
    table: PageTable | None = None
    for block in blocks:
        if isinstance(block, TextBlock) and block.tag == "li":
            html += _item(block, lists, words)
            table = None
            continue
        html += _closed(lists)
        if isinstance(block, TextBlock):
            start = _start(block.tag, block.lines[0].page)
            html.append(f"{start}{escape(joined(block.texts, words))}</{block.tag}>")
            table = None
        elif table is not None and table.columns == block.columns:
            html[-1:] = [*_rows(block, goes_on=table), "</table>"]
        else:
            html += ["<table>", *_rows(block), "</table>"]
            table = block
    return "\n".join([*html, *_closed(lists)])


def _start(tag: str, page: int) -> str:
    return f'<{tag} {PAGE_NUMBER}="{page}">'


def _item(block: TextBlock, lists: list[tuple[float, str]], words: Container[str]) -> Iterator[str]:
    indent = block.lines[0].x0 - block.lines[0].left
    while lists and indent < lists[-1][0] - _INDENT:
        yield f"</li>{lists.pop()[1]}"
    if lists and indent <= lists[-1][0] + _INDENT:
        yield "</li>"
    else:
        tag = "ol" if block.mark else "ul"
        lists.append((indent, f"</{tag}>"))
        yield f'<ol start="{block.mark}">' if block.mark.isdigit() else f"<{tag}>"
    yield f"{_start('li', block.lines[0].page)}{escape(joined(block.texts, words))}"


def _closed(lists: list[tuple[float, str]]) -> Iterator[str]:
    while lists:
        yield f"</li>{lists.pop()[1]}"


def _rows(table: PageTable, goes_on: PageTable | None = None) -> Iterator[str]:
    """The rows; a header that is repeated where the table goes on is left out."""
    rows = list(table.rows)
    heads = goes_on is None and _is_bold(rows[0]) and not _is_bold(rows[1])
    if goes_on is not None and [cell.text for cell in rows[0]] == [cell.text for cell in goes_on.rows[0]]:
        rows = rows[1:]
    for index, row in enumerate(rows):
        cells = []
        for cell in row:
            tag = "th" if heads and not index else "td"
            spans = (("colspan", cell.columns), ("rowspan", cell.rows))
            stated = "".join(f' {name}="{count}"' for name, count in spans if count > 1)
            cells.append(f"<{tag}{stated}>{escape(cell.text)}</{tag}>")
        yield f"{_start('tr', table.page)}{''.join(cells)}</tr>"


def _is_bold(row: Iterable[TableCell]) -> bool:
    return all(cell.bold for cell in row if cell.text)


# --- blocks -----------------------------------------------------------------------------------------


def _blocks(pieces: Sequence[TextLine | PageTable]) -> Iterator[TextBlock | PageTable]:
    styles = _Styles([piece for piece in pieces if isinstance(piece, TextLine)])
    current: TextBlock | None = None
    for piece in pieces:
        started = piece if isinstance(piece, PageTable) else styles.block(piece)
        if isinstance(started, TextBlock) and current is not None and styles.goes_on(current, started):
            current.lines += started.lines
            current.texts.append(started.lines[0].text)
            continue
        if current is not None:
            yield current
        current = started if isinstance(started, TextBlock) else None
        if isinstance(started, PageTable):
            yield started
    if current is not None:
        yield current


class _Styles:
    """What the sizes, weights and distances of a document's lines mean."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        self.size = usual_size(lines)
        bold = sum(len(line.text) for line in lines if line.bold)
        self._bold_means = bold < 0.3 * sum(len(line.text) for line in lines)
        gaps = sorted(_gap(a, b) / a.size for a, b in pairwise(lines) if _follows(a, b) and a.size == b.size)
        self._gap = min(gaps[len(gaps) // 10], _MOST_GAP) if gaps else 0.3  # most lines may be paragraphs of their own
        # by size: the largest is h1; what is only bold comes after all larger ones, from h2
        rank, last = -1, float("inf")
        self._levels: dict[float, str] = {}
        for size in sorted({line.size for line in lines if self._is_larger(line)}, reverse=True):
            if last - size >= 0.6:
                rank, last = rank + 1, size
            self._levels[size] = _LEVELS[min(rank, 2)]
        self._bold_level = _LEVELS[min(max(rank + 1, 1), 2)]

    def _is_larger(self, line: TextLine) -> bool:
        return line.size > _LARGER * self.size and len(line.text) <= _MAX_HEADING

    def block(self, line: TextLine) -> TextBlock:
        """The block that a line would begin."""
        if bullet := _BULLET.match(line.text):
            return TextBlock("li", [line], [line.text[bullet.end() :]])
        if self._is_larger(line) or self._is_bold_heading(line):
            return TextBlock(self._levels.get(line.size, self._bold_level), [line], [line.text])
        if numbered := _NUMBERED.match(line.text):
            return TextBlock("li", [line], [line.text[numbered.end() :]], numbered[1])
        return TextBlock("p", [line], [line.text])

    def _is_bold_heading(self, line: TextLine) -> bool:
        return (
            self._bold_means
            and line.bold
            and line.size > 0.9 * self.size
            and len(line.text) <= _MAX_HEADING / 2
            and not _NO_HEADING.search(line.text)
        )

    def goes_on(self, block: TextBlock, started: TextBlock) -> bool:
        """Whether a line, which could begin a block, goes on with the one before it."""
        last, line = block.lines[-1], started.lines[0]
        heads = block.tag in _LEVELS
        if abs(line.size - last.size) > 0.1 * last.size or _begins_item(block, started):
            return False
        if (heads or started.tag in _LEVELS) and started.tag != block.tag:
            return False
        if not _follows(last, line):  # in another column or on another page
            begins = line.text[:1].isupper() if heads else started.tag != "p"
            return not begins and _is_full(last, line)
        if heads:
            return _gap(last, line) <= max(self._gap + 0.35, _HEADING_GAP) * last.size
        return _gap(last, line) <= (self._gap + 0.35) * last.size and _wraps(block, line)


def usual_size(lines: Iterable[TextLine]) -> float:
    """The size of most letters; 0 without any."""
    sizes: Counter[float] = Counter()
    for line in lines:
        sizes[line.size] += len(line.text)
    return max(sizes, key=lambda size: sizes[size], default=0.0)


def _wraps(block: TextBlock, line: TextLine) -> bool:
    """Whether a line right below a paragraph or item belongs to it, by its indent and by where the last one ended."""
    last = block.lines[-1]
    first = block.lines[0]
    if block.tag == "li" and line.x0 - line.left < first.x0 - first.left - 1:
        return False
    if block.tag == "li" and len(block.lines) == 1 and abs(line.x0 - last.x0) < 1:
        return _is_full(last, line)  # an item without hanging lines, or what comes after the list
    if not _ENDS_SENTENCE.search(last.text):
        return True
    if len(block.lines) == 1 and block.tag == "p" and line.x0 - line.left > line.size and abs(line.x0 - last.x0) < 1:
        return False  # both lines are indented as first lines are
    return _is_full(last, line) and (block.tag == "li" or line.x0 <= last.x0 + line.size)


def _begins_item(block: TextBlock, started: TextBlock) -> bool:
    """Whether an item begins: a dash or "5." at the start of a line may go on with a sentence."""
    last, line = block.lines[-1], started.lines[0]
    if started.tag != "li":
        return False
    if not started.mark:
        dash = line.text[0] in _DASHES and block.tag == "p" and abs(line.x0 - last.x0) < 1
        return not (dash and _is_full(last, line))
    return started.texts[0][:1].isupper() or line.text.startswith("(") or not started.mark.isdigit()


def _gap(above: TextLine, below: TextLine) -> float:
    return below.top - above.bottom


def _follows(above: TextLine, below: TextLine) -> bool:
    """Whether a line stands right below another in its column."""
    columns = [(line.page, line.left, line.right) for line in (above, below)]
    return columns[0] == columns[1] and below.top > above.top


def _is_full(above: TextLine, below: TextLine) -> bool:
    """Whether the first word of a line would not have fitted at the end of the line before."""
    return above.x1 + 0.25 * above.size + below.first > above.right - 0.5 * above.size
