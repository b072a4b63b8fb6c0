"""Elements numbered for a prompt, and numbers turned back into the labels of each chunk's input.

Chunks that share a call are numbered through: a triple belongs to the chunk that owns the elements it cites. A number
stands for one text, wherever that text is also context (a lead-in or parent item, a heading above) of another chunk of
the call. Every heading above an element has a number of its own and as many marks as its level.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from clausegraph.core.errors import PromptError
from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.normalise import visible
from clausegraph.core.prompts import Prompt, PromptMessage
from clausegraph.ingestion.extract.llm.parts import marked

_CHARACTERS = 4  # of English per token, near enough to decide what shares a call
_PER_ELEMENT = 3  # tokens of an element's number and line
MAX_CHARACTERS = 8000  # of one element in a prompt; longer ones are cut there and reported
CUT = " [cut]"
_LEVELS = {"h1": "#", "h2": "##", "h3": "###"}
_MARKS = {"li": "-", "tr": "|", **_LEVELS}


def grouped(inputs: Sequence[ExtractionInput], limit: int) -> Iterator[tuple[ExtractionInput, ...]]:
    """Cut the inputs, in order, into groups of at most about ``limit`` tokens each.

    A chunk above the limit has a call of its own; with limit 0 every chunk has. The groups of a page are about
    equal, because a run waits for the longest reply.
    """
    sizes = [
        sum(len(one.text) // _CHARACTERS + _PER_ELEMENT for one in chunk_input.elements if one.is_own)
        for chunk_input in inputs
    ]
    left = sum(sizes)
    calls = -(-left // limit) if limit else 0
    group: list[ExtractionInput] = []
    filled = 0
    for chunk_input, size in zip(inputs, sizes, strict=True):
        share = left / max(calls, 1)  # of the groups that are still to be made, this one included
        if group and (filled + size > limit or filled + size / 2 > share):
            yield tuple(group)
            group, left, calls, filled = [], left - filled, calls - 1, 0
        group.append(chunk_input)
        filled += size
    if group:
        yield tuple(group)


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
    """Number the elements of the chunks in order; context that an earlier chunk has printed is not repeated.

    What stands around a chunk can be cited where another chunk of the call prints it.
    """
    printed: list[Numbered] = []
    labels: list[dict[int, str]] = []
    known: dict[tuple[str, str, tuple[str, ...]], int] = {}
    for chunk, chunk_input in enumerate(inputs):
        mine: dict[int, str] = {}
        for element in (*chunk_input.above, *chunk_input.elements):
            identity = _identity(element)
            number = known.get(identity)
            if number is None or element.is_own:
                number = len(printed) + 1
                known[identity] = number
                printed.append(Numbered(number, chunk, element))
            mine[number] = element.label
        around = {known.get(_identity(element)): element.label for element in chunk_input.around}
        labels.append({number: label for number, label in around.items() if number is not None} | mine)
    return Call(tuple(inputs), tuple(printed), tuple(labels))


def _identity(element: InputElement) -> tuple[str, str, tuple[str, ...]]:
    return element.tag, element.text, element.headings


def page_text(call: Call) -> str:
    """The numbered page as a model reads it.

    A line an element: its number, then ``-`` for a list item, ``|`` for a table row or ``#`` for a heading (as many as
    its level), then its text. A line without a number names a heading path (``## a > b``)
    that no numbered heading gives. The texts are one line each, so that no text can pass for another element.
    """
    lines: list[str] = []
    heads = {item.element.text for item in call.printed if item.element.tag == "tr"}
    last: tuple[str, ...] | None = None
    for item in call.printed:
        source = call.inputs[item.chunk]
        if source.headings != last:
            last = source.headings
            numbered = {element.text for element in (*source.above, *source.elements) if element.tag in _LEVELS}
            if not numbered.issuperset(last):
                lines.append("## " + cut(visible(" > ".join(last))))
        element = item.element
        columns = "" if " | ".join(element.headers) in heads else _columns(element)
        shown = cut(visible(marked(element.text, element.tag)) + columns)
        lines.append(f"{item.number}{_MARKS.get(element.tag, '')} {shown}")
    return "\n".join(lines)


def element_text(element: InputElement) -> str:
    """The element as a model reads it: one line, with a table row's column names, cut where it is too long."""
    return cut(visible(element.text) + _columns(element))


def _columns(element: InputElement) -> str:
    is_row = element.headers and element.tag == "tr"
    return " (columns: " + visible(" | ".join(element.headers)) + ")" if is_row else ""


def cut(text: str) -> str:
    """The text, cut and marked where it is too long for a prompt."""
    return text if len(text) <= MAX_CHARACTERS else text[:MAX_CHARACTERS] + CUT


def render_call(prompt: Prompt, call: Call, *, examples: str, ontology: str = "") -> list[PromptMessage]:
    """The messages that ask for the triplets of a call; each prompt gets the inputs it declares.

    ``page`` is the numbered page, ``html`` the tagged lines of its elements, ``headings`` the heading path of its first
    chunk; ``ontology`` are the types of entities.
    """
    first = call.inputs[0]
    own = [item.element for item in call.printed if not item.element.label.startswith("h")]  # without those above
    made = {
        "title": cut(visible(first.title)),
        "headings": cut(visible(" > ".join(first.headings))),
        "page": page_text(call),
        "html": "\n".join(f"<{element.tag}>{element_text(element)}</{element.tag}>" for element in own),
        "examples": examples,
        "ontology": ontology,
    }
    foreign = [name for name in prompt.inputs if name not in made]
    if foreign:
        raise PromptError(
            f"prompt {prompt.id} ({prompt.path}) declares input {foreign[0]!r}; extraction has: {', '.join(made)}"
        )
    return prompt.render(**{name: made[name] for name in prompt.inputs})
