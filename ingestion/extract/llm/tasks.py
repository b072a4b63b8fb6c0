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

    ``schema`` is the name and JSON schema of a reply, for servers that enforce one.
    """

    parser: str
    parse: Parse
    schema: tuple[str, dict[str, Any]] | None
    many_chunks: bool


CONDITIONAL = Task("conditional:1", parse_conditional, ("triplets", CONDITIONAL_SCHEMA), many_chunks=True)
LINES = Task("lines:1", parse_lines, None, many_chunks=False)
_TASKS = {
    "triplets-conditional": CONDITIONAL,
    "triplets-default": LINES,
    "triplets-v1": LINES,
    "triplets-v2": LINES,
}


def task_of(prompt: Prompt) -> Task:
    """The task of an extraction prompt; one of a user's own goes by its declared output.

    Raises:
        PromptError: the prompt's output is none that a parser reads.
    """
    found = _TASKS.get(prompt.task)
    if found is not None:
        return found
    if prompt.output.startswith("a JSON object"):
        return CONDITIONAL
    if prompt.output.startswith("one (subject, predicate, object) per line"):
        return LINES
    raise PromptError(
        f"prompt {prompt.id} ({prompt.path}) cannot be read by an extractor: its header's output must begin with "
        "'a JSON object' or 'one (subject, predicate, object) per line'"
    )
