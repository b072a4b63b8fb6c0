"""The pass over a page's DOM that yields its blocks."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from lxml import etree
from lxml.etree import _Element

from clausegraph.core.pages.blocks import Block, Cell, squeeze
from clausegraph.core.pages.boilerplate import furniture_containers
from clausegraph.core.pages.layout import layout_containers
from clausegraph.core.pages.markup import (
    CELLS,
    HEADINGS,
    INLINE,
    ITEMS,
    LISTS,
    NO_REGIONS,
    PARAGRAPHS,
    SKIPPED,
    end_tag,
    is_hidden,
    start_tag,
)
from clausegraph.core.pages.tables import MAX_COLUMNS, MAX_ROWS
from clausegraph.core.types import Link


@dataclass(slots=True)
class _Frame:
    """State inside one open DOM element."""

    node: _Element
    container: _Element  # innermost element that is no inline markup, itself included
    owner: Block | None  # the block that text here belongs to
    run: Block | None = None  # the run of loose text that an inline element began in
    item: Block | None = None  # innermost list item
    group: int | None = None
    region: int = 0
    boilerplate: bool = False
    in_head: bool = False
    in_layout: bool = False  # the innermost table only lays out the page
    skipped: bool = False
    link: tuple[Block, list[str], int] | None = None  # block, its text pieces, where the link's text starts


class _Walker:
    """Collects blocks; ``start``, ``end`` and ``text`` are called in document order."""

    def __init__(self, root: _Element) -> None:
        self.blocks: list[Block] = []
        self._layout = layout_containers(root)
        self._furniture = furniture_containers(root)
        self._stack = [_Frame(root, root, None)]
        self._run: Block | None = None
        self._numbers = 0

    def start(self, node: _Element) -> None:
        """Enter an element."""
        parent = self._stack[-1]
        tag = node.tag
        frame = _Frame(
            node, parent.container if tag in INLINE else node, parent.owner, None, parent.item, parent.group,
            parent.region, parent.boilerplate, parent.in_head, parent.in_layout, _is_skipped(node, parent),
        )  # fmt: skip
        self._stack.append(frame)
        if frame.skipped:
            return
        frame.boilerplate = (frame.boilerplate and tag != "main") or node in self._furniture
        if tag in INLINE:
            self._start_inline(frame)
        else:
            self._start_block(frame)
        self.text(node.text)

    def end(self, node: _Element) -> None:
        """Leave an element; its tail belongs to what is around it."""
        frame = self._stack.pop()
        if not frame.skipped:
            if node.tag in INLINE:
                self._end_inline(frame)
            else:
                self._end_block(frame)
        self.text(node.tail)

    def text(self, text: str | None) -> None:
        """Add text at the current place; loose text of a container opens a paragraph of its own."""
        frame = self._stack[-1]
        if not text or frame.skipped:
            return
        owner = frame.owner or self._run
        if owner is None:
            if not text.strip():
                return
            owner = self._open_run(frame)
        owner.target.append(text)
        owner.html_pieces.append(escape(text, quote=False))

    def close(self) -> list[Block]:
        """End the pass; returns the blocks that have text, in document order."""
        self._close_run()
        for block in self.blocks:
            block.seal()
        return [block for block in self.blocks if block.text]

    # --- blocks ---------------------------------------------------------------------------------

    def _start_block(self, frame: _Frame) -> None:
        node, tag = frame.node, str(frame.node.tag)
        self._close_run()
        role = self._role(frame)
        if role == "":
            if tag not in NO_REGIONS:
                frame.region = self._number()
            self._start_container(frame)
            return
        block = Block(role, tag, frame.group, frame.item, frame.region, frame.boilerplate, frame.in_head)
        block.html_pieces.append(start_tag(node))
        self.blocks.append(block)
        frame.owner = block
        if role == "li":
            frame.item = block

    def _role(self, frame: _Frame) -> str:
        """The tag of the block that this element opens; empty when it opens none."""
        tag, owner = str(frame.node.tag), frame.owner
        if tag == "tr":
            return "" if frame.in_layout else "tr"
        if owner is not None:
            return ""  # a block swallows what is inside; lists and tables inside a list item have left it already
        if tag in HEADINGS:
            return tag
        if tag in ITEMS:
            return "" if frame.node in self._layout else "li"
        return "p" if tag in PARAGRAPHS else ""

    def _start_container(self, frame: _Frame) -> None:
        node, tag, owner = frame.node, str(frame.node.tag), frame.owner
        if tag in LISTS or tag == "table":
            if owner is None or owner.tag != "tr":
                frame.owner, frame.group = None, self._number()
            if tag == "table":
                frame.in_layout = node in self._layout
                frame.in_head = False
        elif tag == "thead":
            frame.in_head = True
        elif tag in CELLS and owner is not None and owner.tag == "tr":
            columns, rows = _span(node, "colspan", MAX_COLUMNS), _span(node, "rowspan", MAX_ROWS)
            owner.cells.append(Cell(is_header=tag == "th", columns=columns, rows=rows))
        if frame.owner is not None:
            frame.owner.html_pieces.append(start_tag(node))
            frame.owner.target.append(" ")

    def _end_block(self, frame: _Frame) -> None:
        self._close_run()
        if frame.owner is not None:
            frame.owner.html_pieces.append(end_tag(frame.node))
            frame.owner.target.append(" ")

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    # --- loose text and inline markup -----------------------------------------------------------

    def _open_run(self, frame: _Frame) -> Block:
        """Open a paragraph for text that stands directly in a container (td, div, blockquote, …)."""
        block = Block("p", str(frame.container.tag), frame.group, frame.item, frame.region, frame.boilerplate)
        block.html_pieces.append(start_tag(frame.container))
        block.closing = end_tag(frame.container)
        self.blocks.append(block)
        self._run = block
        return block

    def _close_run(self) -> None:
        if self._run is not None:
            self._run.html_pieces += [*reversed(self._run.open_inline), self._run.closing]
            self._run = None

    def _start_inline(self, frame: _Frame) -> None:
        node = frame.node
        owner = frame.owner or self._run
        if node.tag == "br":
            if owner is not None:
                owner.target.append(" ")
                owner.html_pieces.append("<br>")
            if owner is self._run and _is_double_break(node):
                self._close_run()
            return
        if owner is None:
            if not (node.text and node.text.strip()):
                return  # nothing to say yet: a link around blocks, an icon
            owner = self._open_run(frame)
        if frame.owner is None:
            frame.run = owner
            owner.open_inline.append(end_tag(node))
        owner.html_pieces.append(start_tag(node))
        if node.tag == "a" and node.get("href"):
            frame.link = (owner, owner.target, len(owner.target))
        if node.tag in ("b", "strong") and owner.cells and owner.cells[-1].is_blank:
            owner.cells[-1].is_bold = True

    def _end_inline(self, frame: _Frame) -> None:
        node = frame.node
        if frame.link is not None:
            block, pieces, since = frame.link
            block.links.append(Link(node.get("href") or "", squeeze("".join(pieces[since:]))))
        if node.tag == "br":
            return
        if frame.owner is not None:
            frame.owner.html_pieces.append(end_tag(node))
        elif frame.run is not None and frame.run is self._run:
            self._run.open_inline.pop()
            self._run.html_pieces.append(end_tag(node))


def _is_skipped(node: _Element, parent: _Frame) -> bool:
    """Whether an element is never shown as text; ``main`` is, even where an unclosed button swallowed it."""
    return (parent.skipped and node.tag != "main") or node.tag in SKIPPED or is_hidden(node)


def _is_double_break(node: _Element) -> bool:
    """Whether a line break directly follows another: old pages separate paragraphs so."""
    before = node.getprevious()
    return before is not None and before.tag == "br" and not (before.tail or "").strip()


def _span(node: _Element, attribute: str, most: int) -> int:
    """Columns or rows that a cell spans, at least 1."""
    value = (node.get(attribute) or "1").strip()
    return min(most, max(1, int(value))) if value.isascii() and value.isdigit() and len(value) < 10 else 1


def page_blocks(root: _Element) -> list[Block]:
    """Return all blocks with text below ``root``, in document order, boilerplate included."""
    walker = _Walker(root)
    walker.text(root.text)
    for event, node in etree.iterwalk(root, events=("start", "end", "comment", "pi")):
        if node is root:
            continue
        if event == "start":
            walker.start(node)
        elif event == "end":
            walker.end(node)
        else:
            walker.text(node.tail)
    return walker.close()
