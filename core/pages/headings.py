"""The heading path: which headings stand above an element."""

from __future__ import annotations

from dataclasses import dataclass, field

from clausegraph.core.pages.blocks import Block, OpenablePart

MAX_NAME = 300  # characters of a title, heading or header cell that are repeated with what stands below it


_BELOW_ALL = 10
MAX_PATH = 5  # headings of a path; of a deeper one the first two and the last three are told


def limited(name: str) -> str:
    """The name as it is repeated: an overlong one is cut, or a page of 1 MB would be read into gigabytes."""
    return name if len(name) <= MAX_NAME else name[: MAX_NAME - 1].rstrip() + "…"


class HeadingPath:
    """Follows the headings of a page in document order."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []  # level and text, outermost first

    def above(self, tag: str) -> tuple[str, ...]:
        """Texts of the headings above an element with this tag; a heading is not above itself."""
        if tag in ("h1", "h2", "h3"):
            return tuple(text for level, text in self._open if level < int(tag[1]))
        return tuple(text for _, text in self._open)

    def enter(self, tag: str, text: str) -> None:
        """Take note of a heading: it ends the ones of its level and below."""
        level = int(tag[1])
        self._open = [(other, name) for other, name in self._open if other < level]
        self._open.append((level, limited(text)))


class ScopedPath:
    """Follows the headings of a web page: its blocks in document order.

    A heading inside a section that opens and closes (a tab, an accordion, ``details``, a description) heads what is in
    it and nothing behind it; the headings outside stay above all of it.
    """

    def __init__(self) -> None:
        self._open = [_Scope(None, ())]

    def above(self, block: Block) -> tuple[str, ...]:
        """Texts of the headings above a block, outermost first; a heading is not above itself."""
        while (section := self._open[-1].section) is not None and section.end <= block.order:
            self._open.pop()
        scope = self._open[-1]
        limit = _rank(block) if block.level and block.section is scope.section else _BELOW_ALL
        return _cut((*scope.outer, *(name for level, name in scope.entries if level < limit)))

    def enter(self, block: Block) -> None:
        """Take note of a heading: it ends those of its level and below, in its section."""
        scope = self._open[-1]
        if scope.section is not block.section:
            outer = _cut((*scope.outer, *(name for _, name in scope.entries)))
            scope = _Scope(block.section, outer)
            self._open.append(scope)
        rank = _rank(block)
        scope.entries = [(level, name) for level, name in scope.entries if level < rank]
        scope.entries.append((rank, limited(block.text)))


@dataclass(slots=True)
class _Scope:
    """A section, the path outside it, and level and text of the headings that are open in it."""

    section: OpenablePart | None
    outer: tuple[str, ...]
    entries: list[tuple[int, str]] = field(default_factory=list)


def _cut(path: tuple[str, ...]) -> tuple[str, ...]:
    return path if len(path) <= MAX_PATH else (*path[:2], *path[2 - MAX_PATH :])


def _rank(block: Block) -> int:
    """Its level; what opens a section stands above every heading in it."""
    return 0 if block.section is not None and block.dom_tag in ("summary", "dt", "button") else block.level
