"""Lines to blocks: headings by size and weight, paragraphs, list items."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from clausegraph.ingestion.formats.pdf.lines import TextLine
from clausegraph.ingestion.formats.pdf.tables import PageTable

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
_LEVELS_OF = frozenset(_LEVELS)


@dataclass(slots=True)
class TextBlock:
    """Lines that belong together; ``tag`` is h1, h2, h3, p or li. ``mark`` is an item's number, "" for a bullet."""

    tag: str
    lines: list[TextLine]
    mark: str = ""
    texts: list[str] = field(default_factory=list)

    @property
    def page(self) -> int:
        return self.lines[0].page


Piece = TextLine | PageTable


def blocks_of(pieces: Iterable[Piece]) -> Iterator[TextBlock | PageTable]:
    """Blocks and tables in reading order."""
    pieces = list(pieces)
    lines = [piece for piece in pieces if isinstance(piece, TextLine)]
    if not lines:
        yield from (piece for piece in pieces if isinstance(piece, PageTable))
        return
    styles = _Styles(lines)
    current: TextBlock | None = None
    for piece in pieces:
        if isinstance(piece, PageTable):
            if current is not None:
                yield current
            current = None
            yield piece
            continue
        started = styles.block(piece)
        if current is not None and styles.goes_on(current, piece, started):
            current.lines.append(piece)
            current.texts.append(piece.text)
            continue
        if current is not None:
            yield current
        current = started
    if current is not None:
        yield current


class _Styles:
    """What the sizes, weights and distances of a document's lines mean."""

    def __init__(self, lines: Sequence[TextLine]) -> None:
        weights: Counter[float] = Counter()
        bold: Counter[bool] = Counter()
        for line in lines:
            weights[line.size] += len(line.text)
            bold[line.bold] += len(line.text)
        self.size = weights.most_common(1)[0][0]
        self._bold_means = bold[True] < 0.3 * bold.total()
        gaps = sorted(_gap(a, b) / a.size for a, b in pairwise(lines) if _follows(a, b) and a.size == b.size)
        self._gap = min(gaps[len(gaps) // 10], _MOST_GAP) if gaps else 0.3  # most lines may be paragraphs of their own
        self._levels = self._ranked(lines)

    def _ranked(self, lines: Sequence[TextLine]) -> dict[tuple[float, bool], str]:
        """Heading tags by style: the largest is h1; what is only bold comes after all larger ones, from h2."""
        larger = sorted({line.size for line in lines if self._is_larger(line)}, reverse=True)
        grouped: list[list[float]] = []
        for size in larger:
            if grouped and grouped[-1][0] - size < 0.6:
                grouped[-1].append(size)
            else:
                grouped.append([size])
        tags = {size: _LEVELS[min(rank, 2)] for rank, sizes in enumerate(grouped) for size in sizes}
        found = {(size, bold): tag for size, tag in tags.items() for bold in (False, True)}
        return found | {(self.size, True): _LEVELS[min(max(len(grouped), 1), 2)]}

    def _is_larger(self, line: TextLine) -> bool:
        return line.size > _LARGER * self.size and len(line.text) <= _MAX_HEADING

    def block(self, line: TextLine) -> TextBlock:
        """The block that a line would begin."""
        bullet = _BULLET.match(line.text)
        if bullet:
            return TextBlock("li", [line], texts=[line.text[bullet.end() :]])
        if self._is_larger(line) or self._is_bold_heading(line):
            tag = self._levels.get((line.size, line.bold)) or self._levels[self.size, True]
            return TextBlock(tag, [line], texts=[line.text])
        numbered = _NUMBERED.match(line.text)
        if numbered:
            return TextBlock("li", [line], numbered[1], [line.text[numbered.end() :]])
        return TextBlock("p", [line], texts=[line.text])

    def _is_bold_heading(self, line: TextLine) -> bool:
        return (
            self._bold_means
            and line.bold
            and line.size > 0.9 * self.size
            and len(line.text) <= _MAX_HEADING / 2
            and not _NO_HEADING.search(line.text)
        )

    def goes_on(self, block: TextBlock, line: TextLine, started: TextBlock) -> bool:
        """Whether a line goes on with the block before it rather than beginning its own."""
        last = block.lines[-1]
        if not _is_alike(block, line, started):
            return False
        if not _follows(last, line):  # in another column or on another page
            begins = line.text[:1].isupper() if block.tag in _LEVELS else started.tag != "p"
            return not begins and _is_full(last, line)
        if block.tag in _LEVELS:
            return _gap(last, line) <= max(self._gap + 0.35, _HEADING_GAP) * last.size
        return _gap(last, line) <= (self._gap + 0.35) * last.size and _wraps(block, line)


def _is_alike(block: TextBlock, line: TextLine, started: TextBlock) -> bool:
    """Whether a line looks like the block before it and begins no item."""
    last = block.lines[-1]
    if abs(line.size - last.size) > 0.1 * last.size or _begins_item(block, line, started):
        return False
    return started.tag == block.tag if _LEVELS_OF & {started.tag, block.tag} else True


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


def _begins_item(block: TextBlock, line: TextLine, started: TextBlock) -> bool:
    """Whether an item begins: a dash or "5." at the start of a line may go on with a sentence."""
    if started.tag != "li":
        return False
    if not started.mark:
        dash = line.text[0] in _DASHES and block.tag == "p" and abs(line.x0 - block.lines[-1].x0) < 1
        return not (dash and _is_full(block.lines[-1], line))
    return started.texts[0][:1].isupper() or line.text.startswith("(") or not started.mark.isdigit()


def _gap(above: TextLine, below: TextLine) -> float:
    return below.top - above.bottom


def _follows(above: TextLine, below: TextLine) -> bool:
    """Whether a line stands right below another in its column."""
    return (
        above.page == below.page and above.left == below.left and above.right == below.right and below.top > above.top
    )


def _is_full(above: TextLine, below: TextLine) -> bool:
    """Whether the first word of a line would not have fitted at the end of the line before."""
    return above.x1 + 0.25 * above.size + below.first > above.right - 0.5 * above.size
