"""The pass over a page's DOM that yields its blocks."""

from __future__ import annotations

from html import escape

from lxml import etree
from lxml.etree import _Element

from clausegraph.core.pages.blocks import Block, Break, Cell, OpenablePart, is_telling
from clausegraph.core.pages.elements import MAX_COLUMNS, MAX_ROWS, lower_spans, tables_of
from clausegraph.core.pages.layout import furniture_containers, is_kept_from_readers, layout_containers, opened_panels
from clausegraph.core.pages.lines import name_headings, split_lines
from clausegraph.core.pages.markup import (
    CELLS,
    ITEMS,
    LISTS,
    NO_REGIONS,
    PARAGRAPHS,
    SKIPPED,
    STYLED,
    Notes,
    OpenElement,
    end_tag,
    is_double_break,
    is_hidden,
    is_inline,
    is_strong,
    looks_strong,
    named_heading,
    numbered_tag,
    numbering,
    role_of,
    said_by,
    span_of,
    start_tag,
)
from clausegraph.core.types import Link

_MAX_OPEN = 8  # inline elements around a line break; text is not cut inside deeper ones
_SWALLOWS = {"button", "head"}  # libxml2 leaves them open around a main: a button without end, a page without body tag


class _Walker:
    """Collects blocks; ``start``, ``end`` and ``text`` are called in document order."""

    def __init__(self, root: _Element) -> None:
        self.blocks: list[Block] = []
        self._layout = layout_containers(root)
        self._furniture = furniture_containers(root)
        self._panels = opened_panels(root)
        self._notes = Notes()
        self._stack = [OpenElement(root, root, None)]
        self._run: Block | None = None  # the open paragraph of loose text
        self._open_inline: list[str] = []  # end tags of the inline markup that is open in it
        self._numbers = 0
        self._around: dict[int, int] = {}  # container → the one around it

    def start(self, node: _Element) -> None:
        """Enter an element."""
        parent = self._stack[-1]
        inline = is_inline(str(node.tag))
        frame = OpenElement(
            node, parent.container if inline else node, parent.owner, None, None, parent.item, parent.group,
            parent.region, parent.boilerplate, parent.in_head, parent.in_layout, self._is_skipped(node, parent),
            section=parent.section,
        )  # fmt: skip
        if inline or is_inline(str(parent.node.tag)):
            frame.is_strong = parent.is_strong
        self._stack.append(frame)
        if frame.skipped:
            frame.is_hidden = parent.is_hidden or node.tag in SKIPPED - _SWALLOWS or self._hides(node)
            return
        frame.boilerplate = (frame.boilerplate and node.tag != "main") or node in self._furniture
        if inline or node.tag == "button":
            frame.is_strong = frame.is_strong or is_strong(node)
            self._start_inline(frame)
        else:
            frame.is_strong = frame.is_strong or looks_strong(node)
            self._start_block(frame)
        self.text(node.text)

    def end(self, node: _Element) -> None:
        """Leave an element; its tail belongs to what is around it."""
        frame = self._stack.pop()
        if not frame.skipped:
            if is_inline(str(node.tag)) or node.tag == "button":
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
        owner.parts.append((text, escape(text, quote=False)))
        if text.strip():
            owner.is_plain = owner.is_plain or not frame.is_strong
            if owner.cells:
                owner.cells[-1].is_blank = False

    def close(self) -> list[Block]:
        """End the pass; returns the blocks that have text, in document order."""
        self._close_run()
        for block in self.blocks:
            block.seal()
        for rows in tables_of(self.blocks):
            lower_spans(rows)
        return [block for block in self.blocks if block.text]

    def _is_skipped(self, node: _Element, parent: OpenElement) -> bool:
        """Whether an element is never shown as text.

        ``main`` is, even where an unclosed button or the head swallowed it; so are a heading's button and what a
        control opens.
        """
        if parent.skipped and (node.tag != "main" or parent.is_hidden):
            return True
        if node.tag == "button" and parent.owner is not None and parent.owner.level:
            return False
        return node.tag in SKIPPED or self._hides(node)

    def _hides(self, node: _Element) -> bool:
        if node in self._panels or node.tag == "body":
            return False
        return is_hidden(node) or is_kept_from_readers(node)

    # --- blocks ---------------------------------------------------------------------------------

    def _start_block(self, frame: OpenElement) -> None:
        node = frame.node
        self._close_run()
        self._notes.enter(node)
        self._open_section(frame)
        role, level = role_of(frame, self._layout)
        if role == "":
            if node.tag not in NO_REGIONS:
                outer, frame.region = frame.region, self._number()
                self._around[frame.region] = outer
            self._start_container(frame)
            return
        block = self._add(Block(role, str(node.tag), frame.group, frame.item), frame, node)
        block.level, block.is_styled = level, named_heading(node)
        frame.owner = frame.opened = block
        if node.tag in ITEMS:
            block.start = numbered_tag(node, self._stack[-2])
            frame.item = block
        if self._notes.marks(node):
            block.mark_as_note()

    def _add(self, block: Block, frame: OpenElement, node: _Element) -> Block:
        """Put a block at the end, in the place of a frame."""
        block.region, block.boilerplate, block.in_head = frame.region, frame.boilerplate, frame.in_head
        block.section, block.order = frame.section, len(self.blocks)
        is_loose = block.tag == "p" and node is frame.container and node.tag not in PARAGRAPHS
        block.place = self._around.get(frame.region, 0) if is_loose else frame.region
        block.around = self._around.get(block.place, 0)
        block.start, block.end = start_tag(node), end_tag(node)
        self.blocks.append(block)
        return block

    def _open_section(self, frame: OpenElement) -> None:
        """A part that opens and closes is a section; the name of its control is its heading."""
        node = frame.node
        if node.tag not in ("details", "dl") and node not in self._panels:
            return
        frame.section = frame.own_section = OpenablePart()
        opener = self._panels.get(node)
        if opener is not None and frame.owner is None:
            block = self._add(Block("h3", "button"), frame, node)
            block.level, block.parts = STYLED, [(opener.name, escape(opener.name, quote=False))]
            block.start, block.end = opener.tag, f"</{opener.tag[1:-1].split()[0]}>"

    def _start_container(self, frame: OpenElement) -> None:
        node, tag, owner = frame.node, str(frame.node.tag), frame.owner
        if tag in LISTS or tag == "table":
            if owner is None or owner.tag != "tr":
                frame.owner, frame.group = None, self._number()
            elif tag == "table":
                frame.group = self._number()  # a table in a cell of one with headers
            if tag == "table":
                frame.in_layout = node in self._layout
                frame.in_head = False
            elif tag == "ol":
                frame.next_number, frame.counts, frame.letters = numbering(node)
        elif tag == "thead":
            frame.in_head = True
        elif tag in CELLS and owner is not None and owner.tag == "tr":
            columns, rows = span_of(node, "colspan", MAX_COLUMNS), span_of(node, "rowspan", MAX_ROWS)
            cell = Cell(start=len(owner.parts), is_header=tag == "th", columns=columns, rows=rows)
            owner.cells.append(cell)
        if frame.owner is not None:
            frame.owner.parts.append((" ", start_tag(node)))

    def _end_block(self, frame: OpenElement) -> None:
        self._close_run()
        if frame.own_section is not None:
            frame.own_section.end = len(self.blocks)
        if frame.owner is not None and frame.owner is not frame.opened:
            frame.owner.parts.append((" ", end_tag(frame.node)))

    def _number(self) -> int:
        self._numbers += 1
        return self._numbers

    # --- loose text and inline markup -----------------------------------------------------------

    def _open_run(self, frame: OpenElement) -> Block:
        """Open a paragraph for text that stands directly in a container (td, div, blockquote, …)."""
        block = Block("p", str(frame.container.tag), frame.group, frame.item)
        self._add(block, frame, frame.container)
        block.in_head, block.is_styled = False, named_heading(frame.container)
        if self._notes.marks(frame.container):
            block.mark_as_note()
        self._run = block
        return block

    def _close_run(self) -> None:
        if self._run is not None:
            self._run.end = "".join((*reversed(self._open_inline), self._run.end))
            self._open_inline.clear()
            self._run = None

    def _start_inline(self, frame: OpenElement) -> None:
        node = frame.node
        owner = frame.owner or self._run
        if node.tag == "br":
            self._break(frame, owner)
            return
        if node.tag == "img":
            self._picture(frame, owner)
            return
        if owner is None:
            if not (node.text and node.text.strip()):
                return  # nothing to say yet: a link around blocks, an icon
            owner = self._open_run(frame)
        if frame.owner is None:
            frame.run = owner
            self._open_inline.append(end_tag(node))
        if self._notes.marks(node) and owner.tag in ("p", "li"):
            owner.mark_as_note()
        owner.parts.append((self._notes.before(node), start_tag(node)))
        if node.tag == "a" and node.get("href"):
            frame.link = (owner, len(owner.parts))
        if node.tag in ("b", "strong") and owner.cells and owner.cells[-1].is_blank:
            owner.cells[-1].is_bold = True

    def _break(self, frame: OpenElement, owner: Block | None) -> None:
        """A line break; two of them end a run of loose text."""
        if owner is None:
            return
        owner.parts.append((" ", "<br>"))
        is_double = is_double_break(frame.node)
        if owner is self._run and is_double:
            self._close_run()
            return
        around = self._stack[-2 : -_MAX_OPEN - 3 : -1]
        inside = next((i for i, one in enumerate(around) if not is_inline(str(one.node.tag))), None)
        if owner.tag == "p" and inside is not None:
            tags = tuple(start_tag(one.node) for one in reversed(around[:inside]))
            owner.breaks.append(Break(len(owner.parts), len(owner.links), tags, owner.is_plain))
            owner.is_plain = False

    def _picture(self, frame: OpenElement, owner: Block | None) -> None:
        """What a picture says: read where its block or cell says nothing else, or where it stands alone."""
        said = said_by(frame.node, in_link=any(one.node.tag == "a" for one in self._stack[-4:-1]))
        if owner is not None:
            owner.parts.append(("", start_tag(frame.node)))
            if said:
                (owner.cells[-1] if owner.cells else owner).said.append(said)
        elif is_telling(said):
            block = self._add(Block("p", "img", frame.group, frame.item), frame, frame.node)
            block.parts.append((said, ""))

    def _end_inline(self, frame: OpenElement) -> None:
        node = frame.node
        if frame.link is not None:
            block, since = frame.link
            block.links.append(Link(node.get("href") or "", block.words(since)))
        if node.tag in ("br", "img"):
            return
        owner = frame.owner or self._run
        is_in_run = frame.run is not None and frame.run is self._run
        if is_in_run:
            self._open_inline.pop()
        if owner is not None:
            tag = end_tag(node) if frame.owner is not None or is_in_run else ""
            owner.parts.append((self._notes.after(node), tag))


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
    return name_headings(split_lines(walker.close()))
