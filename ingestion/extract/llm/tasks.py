"""The extraction tasks: what reads a prompt's replies, and what shares a call. Prompts are rendered by ``render``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from clausegraph.core.errors import PromptError
from clausegraph.core.extraction import Extraction
from clausegraph.core.prompts import Prompt
from clausegraph.ingestion.extract.llm.conditional.parse import parse_conditional
from clausegraph.ingestion.extract.llm.conditional.schema import CONDITIONAL_SCHEMA
from clausegraph.ingestion.extract.llm.lines.parse import parse_lines
from clausegraph.ingestion.extract.llm.numbering import Call


class Parse(Protocol):
    """A reply turned into one extraction for each chunk of its call; none for what a cut-off reply does not cover."""

    def __call__(self, text: str, call: Call, *, cut_off: bool) -> Sequence[Extraction | None]: ...


@dataclass(frozen=True, slots=True)
class Task:
    """How a prompt's replies are read. ``parser`` names the parser's version: a change is another extraction.

    ``schema`` is the name and JSON schema of a reply, for servers that enforce one; ``whole_pages`` whether chunks of a
    page share a call, which is printed by its headings (see ``numbering``).
    """

    parser: str
    parse: Parse
    schema: tuple[str, dict[str, Any]] | None
    whole_pages: bool


_BY_OUTPUT = (  # what a header's output begins with
    ("a JSON object", Task("conditional:5", parse_conditional, ("triplets", CONDITIONAL_SCHEMA), whole_pages=True)),
    ("one (subject, predicate, object) per line", Task("lines:1", parse_lines, None, whole_pages=False)),
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
