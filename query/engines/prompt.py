"""One prompt of four, after HybridContextQA's ``simple_summarize``: what it shows, forms of answers, its reply."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import normalise_text, tokens
from clausegraph.core.prompts import MARK
from clausegraph.core.types import (
    All,
    Alternative,
    AnswerStatus,
    ConditionState,
    Element,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    PageKey,
    leaves,
)
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.protocol import Pages, ReadResult
from clausegraph.query.read.questions import QuestionKind, question_form
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.steps.model import StepModel, inputs_of

LONGEST = 600  # characters of an answer
CONDITIONS = 20  # of an answer
_TAG = re.compile(r"</?[a-z][a-z0-9]*>", re.IGNORECASE)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_LABEL = re.compile(r"^\s*(?:answer|conditions?)\s*:\s*", re.IGNORECASE)


class AnswerForm(StrEnum):
    """Yes or no, or words of the pages; alone, or with the conditions under which it holds. The value is a prompt."""

    YES_NO = "answer-yes-no"
    SPAN = "answer-span"
    YES_NO_CONDITIONS = "answer-yes-no-conditions"
    SPAN_CONDITIONS = "answer-span-conditions"

    @property
    def is_yes_no(self) -> bool:
        return self in (AnswerForm.YES_NO, AnswerForm.YES_NO_CONDITIONS)

    @property
    def has_conditions(self) -> bool:
        return self in (AnswerForm.YES_NO_CONDITIONS, AnswerForm.SPAN_CONDITIONS)

    @property
    def alone(self) -> AnswerForm:
        """The same without conditions."""
        return AnswerForm.YES_NO if self.is_yes_no else AnswerForm.SPAN


FormOf = Callable[[Inquiry], AnswerForm]


def form_by_question(inquiry: Inquiry) -> AnswerForm:
    """The form by the words of the question; conditions are always asked for. The published system is told the form
    of the gold answer (``--oracle-type``), which no user can know."""
    yes_no = question_form(inquiry.question).kind is QuestionKind.YES_NO
    return AnswerForm.YES_NO_CONDITIONS if yes_no else AnswerForm.SPAN_CONDITIONS


# --- what a prompt shows --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class ContextElement:
    """An element of a page that the model is shown."""

    page: PageKey
    element: Element


@dataclass(frozen=True, slots=True)
class Solved:
    """What code has solved of the conditions of what is asked: those that are missing, as a tree; none if none is."""

    missing: JudgedCondition | None


@dataclass(frozen=True, slots=True)
class PromptContext:
    """The text of a prompt's context, what it shows, triples in words, and conditions where code has solved them."""

    text: str
    shown: tuple[ContextElement, ...]
    triples: tuple[str, ...] = ()
    solved: Solved | None = None

    @property
    def pages(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(str(one.page) for one in self.shown))


def of_hits(pages: Pages, hits: Sequence[Hit], triples: Iterable[str] = ()) -> PromptContext:
    """The hits in their order, each behind the title of its page; triples above them."""
    stated = tuple(dict.fromkeys(triples))
    blocks = [f"{pages(hit.page).title} > {' > '.join(hit.headings)}\n{hit.text}" for hit in hits]
    shown: dict[tuple[PageKey, str], ContextElement] = {}
    for page, anchor in ((hit.page, anchor) for hit in hits for anchor in hit.anchors):
        element = pages(page).element(anchor)
        if element is not None:
            shown.setdefault((page, anchor), ContextElement(page, element))
    return PromptContext("\n\n".join(["\n".join(stated), *blocks] if stated else blocks), tuple(shown.values()), stated)


def of_page(pages: Pages, page: PageKey) -> PromptContext:
    """A whole page, element by element, with its tags as ConditionalQA's pages have them."""
    reading = pages(page)
    shown = tuple(ContextElement(page, element) for element in reading.elements)
    return PromptContext("\n".join([reading.title, *(element.plain_html for element in reading.elements)]), shown)


# --- the call and its reply -----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Summary:
    """A reply, read: the answer's text, the elements that are its conditions, and how many lines were none."""

    text: str
    conditions: tuple[ContextElement, ...]
    unknown: int


def summarise(
    pages: Pages, model: StepModel, inquiry: Inquiry, context: PromptContext, form: AnswerForm, shots: str = ""
) -> ReadResult:
    """The answer of one call; what it cites was shown. Conditions that code has solved are not asked for."""
    if not context.shown:
        return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), {"status_because": "nothing to read"})
    inputs = inputs_of(inquiry, context=context.text, examples=shots)
    asked = form if context.solved is None else form.alone
    parse = partial(parse_summary, context=context, form=asked)
    said = model.ask(asked.value, inputs, parse, pages=context.pages).value
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
    """The first line is the answer, each further one a condition: a whole element that was shown."""
    lines = [_LABEL.sub("", _BULLET.sub("", line)).strip() for line in text.rpartition("</think>")[2].splitlines()]
    lines = [line for line in lines if line and not line.startswith(MARK)]  # a weak model repeats the marker lines
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
    named = [_find_shown(line, context.shown) for line in lines[1 : 1 + CONDITIONS]]
    found = {(one.page, one.element.anchor): one for one in named if one is not None}
    return Summary(answer, tuple(found.values()), len(lines) - 1 - sum(one is not None for one in named))


def _find_shown(line: str, shown: Sequence[ContextElement]) -> ContextElement | None:
    """The element whose whole text a line is, else the one of which it is a whole sentence, or none."""
    wanted = tokens(_TAG.sub(" ", line))
    if not wanted:
        return None
    whole = (one for one in shown if tokens(one.element.text) == wanted)
    return next(whole, None) or next((one for one in shown if _says(one.element.text, wanted)), None)


def _says(text: str, wanted: Sequence[str]) -> bool:
    return any(tokens(text[start:end]) == wanted for start, end in sentence_spans(text))


def _alternative(pages: Pages, said: Summary, context: PromptContext) -> Alternative:
    def evidence(one: ContextElement) -> Evidence:
        return evidence_of(one.page, pages(one.page), one.element)

    judged = tuple(
        JudgedLeaf(
            Leaf(one.element.anchor, 0, len(one.element.text), one.element.text), ConditionState.UNKNOWN, evidence(one)
        )
        for one in said.conditions
    )
    condition = (judged[0] if len(judged) == 1 else All(judged)) if judged else None
    holds = [one for one in context.shown if said.text.lower() in one.element.text.lower()]
    return Alternative(said.text, condition, (evidence((holds or said.conditions or context.shown)[0]),), 0.5)
