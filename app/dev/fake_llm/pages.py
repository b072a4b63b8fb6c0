"""The numbered page that a prompt holds between two marker lines, read back into sections and elements."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace

_FENCE = re.compile(r"^<<<PAGE ([0-9a-fA-F]+)>>>[ \t]*\n(.*?)^<<<END \1>>>", re.MULTILINE | re.DOTALL)
_ELEMENT = re.compile(r"(\d+)([.\-|]|#{1,3}) (.*)")
_COLUMNS = re.compile(r"(.*) \(columns: (.*)\)")
_TAGGED = re.compile(r"<(p|li|tr|h[1-3])>(.*)</\1>")  # a line of the prompts that show elements as HTML
_MARKS = {".": "p", "-": "li", "|": "tr", "#": "h2", "##": "h2", "###": "h3"}
_LEVELS = {"#": 1, "##": 2, "###": 3}


@dataclass(frozen=True, slots=True)
class PromptElement:
    """One numbered line: its number, tag (p, li, tr, h2), text, and the header cells of a table row."""

    number: int
    tag: str
    text: str
    headers: tuple[str, ...] = ()
    level: int = field(default=0, compare=False)  # of a heading: how many marks it has


@dataclass(frozen=True, slots=True)
class PromptSection:
    """The elements of one heading: ``path`` has its text, ``above`` the numbered headings above it."""

    path: tuple[str, ...]
    elements: tuple[PromptElement, ...]
    title: str = ""
    above: tuple[PromptElement, ...] = ()


def page_in(text: str) -> tuple[str, str] | None:
    """The first page of a message, and what is written around it; none when no pair of markers matches."""
    found = _FENCE.search(text)
    return None if found is None else (found[2], text[: found.start()] + text[found.end() :])


def sections_of(page: str) -> tuple[PromptSection, ...]:
    """The sections of a numbered page. Where no line has a number, every line is a paragraph, or what its tag says."""
    lines = [line for line in page.split("\n") if line.strip()]
    if not any(_ELEMENT.match(line) for line in lines):
        return (PromptSection((), tuple(_unnumbered(i, line) for i, line in enumerate(lines, start=1))),)
    by_paths = any(line.startswith("## ") for line in lines)
    return _by_paths(lines) if by_paths else _by_headings(lines)


def _by_paths(lines: list[str]) -> tuple[PromptSection, ...]:
    """The sections of a page where lines without a number name the heading path."""
    sections: list[tuple[tuple[str, ...], list[PromptElement]]] = []
    for line in lines:
        if line.startswith("## "):
            sections.append((tuple(line.removeprefix("## ").split(" > ")), []))
            continue
        element = _element(line)
        if element is None:
            continue
        if not sections:
            sections.append(((), []))
        sections[-1][1].append(element)
    return tuple(PromptSection(path, tuple(elements)) for path, elements in sections if elements)


def _by_headings(lines: list[str]) -> tuple[PromptSection, ...]:
    """The sections of a page whose headings have numbers, and as many marks as their level."""
    title = lines[0].removeprefix("# ") if lines[0].startswith("# ") else ""
    sections: list[PromptSection] = []
    above: list[PromptElement] = []
    for element in filter(None, map(_element, lines)):
        if element.level:
            above = [heading for heading in above if heading.level < element.level]
            path = (*(heading.text for heading in above), element.text)
            sections.append(PromptSection(path, (), title, tuple(above)))
            above.append(element)
        if not sections:
            sections.append(PromptSection((), (), title))
        sections[-1] = replace(sections[-1], elements=(*sections[-1].elements, element))
    return tuple(sections)


def _unnumbered(number: int, line: str) -> PromptElement:
    tagged = _TAGGED.fullmatch(line.strip())
    return PromptElement(number, tagged[1] if tagged else "p", tagged[2] if tagged else line.strip())


def _element(line: str) -> PromptElement | None:
    found = _ELEMENT.match(line)
    if found is None:
        return None
    number, mark, text = found.groups()
    columns = _COLUMNS.fullmatch(text) if mark == "|" else None
    if columns is None:
        return PromptElement(int(number), _MARKS[mark], text, level=_LEVELS.get(mark, 0))
    return PromptElement(int(number), _MARKS[mark], columns[1], tuple(columns[2].split(" | ")))
