"""The extraction tasks: what reads a prompt's replies, and what shares a call. Prompts are rendered by ``render``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clausegraph.core.errors import PromptError
from clausegraph.core.extraction import Extraction
from clausegraph.core.prompts import Prompt
from clausegraph.ingestion.extract.llm.conditional.parse import (
    parse_clear,
    parse_conditional,
    parse_doubted,
    parse_nothing_twice,
    parse_stand_alone,
)
from clausegraph.ingestion.extract.llm.conditional.schema import (
    CLEAR_SCHEMA,
    CONDITIONAL_SCHEMA,
    DOUBTED_SCHEMA,
    STAND_ALONE_SCHEMA,
)
from clausegraph.ingestion.extract.llm.lines.parse import parse_lines
from clausegraph.ingestion.extract.llm.numbering import Call


class Parse(Protocol):
    """A reply turned into one extraction for each chunk of its call; none for what a cut-off reply does not cover."""

    def __call__(self, text: str, call: Call, *, cut_off: bool) -> Sequence[Extraction | None]: ...


@dataclass(frozen=True, slots=True)
class Task:
    """How a prompt's replies are read. ``parser`` names the parser's version: a change is another extraction.

    ``schema`` is the name and JSON schema of a reply, for servers that enforce one; ``by_headings`` how pages are
    printed (see ``numbering``).
    """

    parser: str
    parse: Parse
    schema: tuple[str, dict[str, Any]] | None
    many_chunks: bool
    by_headings: bool = False


STAND_ALONE = Task(
    "conditional:2", parse_stand_alone, ("triplets", STAND_ALONE_SCHEMA), many_chunks=True, by_headings=True
)
NOTHING_TWICE = Task(
    "conditional:3", parse_nothing_twice, ("triplets", STAND_ALONE_SCHEMA), many_chunks=True, by_headings=True
)
CLEAR = Task("conditional:4", parse_clear, ("triplets", CLEAR_SCHEMA), many_chunks=True, by_headings=True)
DOUBTED = Task("conditional:5", parse_doubted, ("triplets", DOUBTED_SCHEMA), many_chunks=True, by_headings=True)
CONDITIONAL = Task("conditional:1", parse_conditional, ("triplets", CONDITIONAL_SCHEMA), many_chunks=True)
LINES = Task("lines:1", parse_lines, None, many_chunks=False)
_BY_OUTPUT = (  # what a header's output begins with, the longest first
    ("a JSON object of triples that stand alone, say what conditions mean and what is doubtful", DOUBTED),
    ("a JSON object of triples that stand alone and say what conditions mean", CLEAR),
    ("a JSON object of triples that stand alone and repeat nothing", NOTHING_TWICE),
    ("a JSON object of triples that stand alone", STAND_ALONE),
    ("a JSON object", CONDITIONAL),
    ("one (subject, predicate, object) per line", LINES),
)


def task_of(prompt: Prompt) -> Task:
    """The task of an extraction prompt, by its declared output.

    Raises:
        PromptError: the prompt's output is none that a parser reads.
    """
    for beginning, task in _BY_OUTPUT:
        if prompt.output.startswith(beginning):
            return task
    known = ", ".join(repr(beginning) for beginning, _ in _BY_OUTPUT)
    raise PromptError(
        f"prompt {prompt.id} ({prompt.path}) cannot be read by an extractor: its header's output must begin with one "
        f"of {known}"
    )
