"""Elements numbered for a prompt, and numbers turned back into the labels of each chunk's input.

Chunks that share a call are numbered through, so that a reply needs no chunk names: a triple belongs to the
chunk that owns the first element it cites. A number stands for one text, wherever that text is also context
(a lead-in or parent item) of another chunk of the call.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.normalise import visible

MAX_CHARACTERS = 8000  # of one element in a prompt; longer ones are cut there and reported
CUT = " [cut]"
_MARKS = {"li": "-", "tr": "|", "h1": "#", "h2": "#", "h3": "#"}


@dataclass(frozen=True, slots=True)
class Numbered:
    """One printed element: its number, the chunk (position in the call) that prints it, and the element."""

    number: int
    chunk: int
    element: InputElement


@dataclass(frozen=True, slots=True)
class Call:
    """The chunks of one page that share a call, numbered."""

    inputs: tuple[ExtractionInput, ...]
    printed: tuple[Numbered, ...]
    labels: tuple[dict[int, str], ...]  # per chunk: number → label in that chunk's input


def number_call(inputs: Sequence[ExtractionInput]) -> Call:
    """Number the elements of the chunks in order; context that an earlier chunk has printed is not repeated."""
    printed: list[Numbered] = []
    labels: list[dict[int, str]] = []
    known: dict[tuple[str, str, tuple[str, ...]], int] = {}
    for chunk, chunk_input in enumerate(inputs):
        mine: dict[int, str] = {}
        for element in chunk_input.elements:
            identity = (element.tag, element.text, element.headings)
            number = known.get(identity)
            if number is None or element.is_own:
                number = len(printed) + 1
                known[identity] = number
                printed.append(Numbered(number, chunk, element))
            mine[number] = element.label
        labels.append(mine)
    return Call(tuple(inputs), tuple(printed), tuple(labels))


def page_text(call: Call) -> str:
    """The numbered page as a model reads it.

    A line a heading path where it changes (``## a > b``), a line an element: its number, then ``.`` for a
    paragraph, ``-`` for a list item, ``|`` for a table row or ``#`` for a heading, then its text. The texts are
    one line each, so that no text can pass for another element.
    """
    lines: list[str] = []
    path: tuple[str, ...] | None = None
    for item in call.printed:
        headings = call.inputs[item.chunk].headings
        if headings != path:
            path = headings
            lines.append("## " + cut(visible(" > ".join(headings) or call.inputs[item.chunk].title)))
        lines.append(f"{item.number}{_MARKS.get(item.element.tag, '.')} {element_text(item.element)}")
    return "\n".join(lines)


def element_text(element: InputElement) -> str:
    """The element as a model reads it: one line, with a table row's column names, cut where it is too long."""
    text = visible(element.text)
    if element.headers and element.tag == "tr":
        text += " (columns: " + visible(" | ".join(element.headers)) + ")"
    return cut(text)


def cut(text: str) -> str:
    """The text, cut and marked where it is too long for a prompt."""
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + CUT
