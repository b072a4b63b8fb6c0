"""``simple_summarize``: all that was found into one prompt of four, after HybridContextQA; and its reply read."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import normalise_text, tokens
from clausegraph.core.types import (
    All,
    Alternative,
    AnswerStatus,
    ConditionState,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    leaves,
)
from clausegraph.query.engines.presets.context import ContextElement, PromptContext
from clausegraph.query.engines.presets.forms import AnswerForm
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.protocol import Pages, ReadResult
from clausegraph.query.steps.model import StepModel

LONGEST = 600  # characters of an answer
CONDITIONS = 20  # of an answer
_TAG = re.compile(r"</?[a-z][a-z0-9]*>", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_LABEL = re.compile(r"^\s*(?:answer|conditions?)\s*:\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Summary:
    """A reply, read: the answer's text, the elements that are its conditions, and how many lines were none."""

    text: str
    conditions: tuple[ContextElement, ...]
    unknown: int


def summarise(
    pages: Pages, model: StepModel, inquiry: Inquiry, context: PromptContext, form: AnswerForm, shots: str = ""
) -> ReadResult:
    """The answer of one call; what it cites was shown. Conditions that code has solved are not asked for.

    Raises:
        ModelError: there is no reply, or none that can be read.
    """
    if not context.shown:
        return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), {"status_because": "nothing to read"})
    inputs: dict[str, object] = {
        "question": inquiry.question,
        "scenario": inquiry.scenario or "none",
        "context": context.text,
        "examples": shots,
    }
    asked = form if context.solved is None else form.alone
    said = model.ask(
        asked.value, inputs, partial(parse_summary, context=context, form=asked), pages=context.pages
    ).value
    answer = _alternative(pages, said, context)
    if context.solved is not None and form.has_conditions:
        answer = replace(answer, condition=context.solved.missing)
    reasons: dict[str, object] = {
        "prompt": asked.value,
        "elements shown": len(context.shown),
        "triples shown": len(context.triples),
        "conditions": len(list(leaves(answer.condition))),
        "lines that are no element": said.unknown,
    }
    return ReadResult(AnswerStatus.ANSWERED, (answer,), reasons)


def parse_summary(text: str, context: PromptContext, form: AnswerForm) -> Summary:
    """The first line is the answer, each further one a condition: a whole element that was shown.

    Raises:
        UnusableReply: there is no line, or neither yes nor no where one is asked for.
    """
    lines = [_LABEL.sub("", _BULLET.sub("", line)).strip() for line in text.rpartition("</think>")[2].splitlines()]
    lines = [line for line in lines if line]
    if not lines:
        raise UnusableReply("the reply is empty")
    answer = normalise_text(_TAG.sub("", lines[0]))[:LONGEST]
    if form.is_yes_no:
        first = tokens(answer)[:1]
        if first not in (["yes"], ["no"]):
            raise UnusableReply(f"the reply begins with neither yes nor no: {answer[:80]!a}")
        answer = first[0]
    if not form.has_conditions:
        return Summary(answer, (), 0)
    named = [find_shown(line, context.shown) for line in lines[1 : 1 + CONDITIONS]]
    found = {(one.page, one.element.anchor): one for one in named if one is not None}
    return Summary(answer, tuple(found.values()), len(lines) - 1 - sum(one is not None for one in named))


def find_shown(line: str, shown: Sequence[ContextElement]) -> ContextElement | None:
    """The element whose whole text a line is, else the one of which it is a whole sentence, or none."""
    wanted = tokens(_TAG.sub(" ", line))
    if not wanted:
        return None
    whole = (one for one in shown if tokens(one.element.text) == wanted)
    return next(whole, None) or next((one for one in shown if _says(one.element.text, wanted)), None)


def _says(text: str, wanted: Sequence[str]) -> bool:
    return any(tokens(text[start:end]) == wanted for start, end in sentence_spans(text))


def _alternative(pages: Pages, said: Summary, context: PromptContext) -> Alternative:
    leaves = tuple(_judged(pages, one) for one in said.conditions)
    condition: JudgedCondition | None = None
    if leaves:
        condition = leaves[0] if len(leaves) == 1 else All(leaves)
    holds = [one for one in context.shown if said.text.lower() in one.element.text.lower()]
    cited = (holds or list(said.conditions) or list(context.shown))[0]
    return Alternative(said.text, condition, (_evidence(pages, cited),), 0.5)


def _judged(pages: Pages, one: ContextElement) -> JudgedLeaf:
    text = one.element.text
    return JudgedLeaf(Leaf(one.element.anchor, 0, len(text), text), ConditionState.UNKNOWN, _evidence(pages, one))


def _evidence(pages: Pages, one: ContextElement) -> Evidence:
    return evidence_of(one.page, pages(one.page), one.element)
