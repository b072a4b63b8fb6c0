"""The extraction tasks: which prompt is read by which parser, and what shares a call."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from clausegraph.core.errors import PromptError
from clausegraph.core.extraction import Extraction
from clausegraph.core.prompts import Prompt, shipped_examples
from clausegraph.ingestion.extract.llm.conditional.parse import parse_conditional
from clausegraph.ingestion.extract.llm.conditional.schema import CONDITIONAL_SCHEMA
from clausegraph.ingestion.extract.llm.lines.parse import parse_triples, statements_of_lines
from clausegraph.ingestion.extract.llm.numbering import Call

Parse = Callable[[str, Call, bool], Sequence[Extraction | None]]  # reply, call, whether it was cut off


@dataclass(frozen=True, slots=True)
class Task:
    """How a prompt's replies are read. ``parser`` names the parser's version: a change is another extraction."""

    parser: str
    parse: Parse
    many_chunks: bool
    schema: tuple[str, dict[str, Any]] | None
    examples: Callable[[Prompt], str]


def _conditional(text: str, call: Call, cut_off: bool) -> Sequence[Extraction | None]:
    return parse_conditional(text, call, cut_off=cut_off).extractions


def _lines(text: str, call: Call, _cut_off: bool) -> Sequence[Extraction | None]:
    chunk_input = call.inputs[0]
    texts = " ".join(element.text for element in chunk_input.elements)
    triples, rejects = parse_triples(text, source_text=texts)  # tells commas within names from those between
    found = statements_of_lines(triples, chunk_input)
    return [Extraction(found.statements, (*rejects, *found.rejects))]


_CONDITIONAL = Task("conditional:1", _conditional, True, ("triplets", CONDITIONAL_SCHEMA), shipped_examples)
_LINES = Task("lines:1", _lines, False, None, shipped_examples)
_TASKS = {
    "triplets-conditional": _CONDITIONAL,
    "triplets-default": _LINES,
    "triplets-v1": _LINES,
    "triplets-v2": _LINES,
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
        return _CONDITIONAL
    if prompt.output.startswith("one (subject, predicate, object) per line"):
        return _LINES
    raise PromptError(
        f"prompt {prompt.id} ({prompt.path}) cannot be read by an extractor: its header's output must begin with "
        "'a JSON object' or 'one (subject, predicate, object) per line'"
    )
