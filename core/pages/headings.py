"""The heading path: which h1, h2 and h3 stand above an element."""

from __future__ import annotations

MAX_NAME = 300  # characters of a title, heading or header cell that are repeated with what stands below it


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
