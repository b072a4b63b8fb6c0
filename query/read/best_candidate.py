"""The best verdict or value as an alternative with its condition, its evidence and its probability."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausegraph.core.types import All, Alternative, ConditionState, JudgedCondition, JudgedLeaf, holds, leaves, mapped
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.cells import is_user_row, limits_of
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.listed_cases import is_named
from clausegraph.query.read.probability import Features, probability, with_counts
from clausegraph.query.read.question_context import QuestionContext, conditioned, with_condition
from clausegraph.query.read.questions import QuestionKind
from clausegraph.query.read.typed import TypedValue, is_typed
from clausegraph.query.read.value_candidates import best_value
from clausegraph.query.read.verdict_candidates import best_verdict
from clausegraph.query.read.word_match import content_terms, coverage, missing_terms

_ASKS_MORE = re.compile(
    r"\?.*\w.*\?"
    r"|\b(?:and|or|but)\s+(?:if (?:so|not)\b,?\s*)?(?:by |for |at |from |to )?"
    r"(?:(?:what|when|where|who|how)s?|which|why)\b"
    r"|\b(?:and|or|but)\s+(?:if (?:so|not)\b,?\s*)?(?:can|could|do|does|did|is|are|must|will|would|should|may|am)\s+"
    r"(?:i|we|you|he|she|it|they|there|my|our|the)\b",
    re.IGNORECASE | re.DOTALL,
)
_MET = ConditionState.MET
_BOUND = re.compile(
    r"\b(up to|at least|at most|within|no more than|no less than|a minimum of|a maximum of|between)\s*:\s*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """An answer, its kind ("verdict", "value"), its features by name, and what is taken for granted."""

    alternative: Alternative
    kind: str
    features: Features
    granted: tuple[str, ...] = ()


def best_answer(context: QuestionContext, ranked: Sequence[Candidate], near: float) -> AnswerCandidate | None:
    """The verdict or value that fits best, its score the probability that it is right; None where nothing fits.

    None, too, for a question that asks for neither: its pages are quoted, and say it themselves.

    Args:
        near: 1 where the search is as near to the question as what decides mostly is, else 0.
    """
    made = _verdict if context.form.kind is QuestionKind.YES_NO else _value if is_typed(context.form) else None
    found = made(context, ranked) if made is not None else None
    if found is None:
        return None
    more = {"more than one thing is asked": float(bool(_ASKS_MORE.search(context.inquiry.question)))}
    features = with_counts(found.features | more, near)
    scored = replace(found.alternative, score=probability(found.kind, features))
    return replace(found, alternative=scored, features=features)


def _verdict(context: QuestionContext, ranked: Sequence[Candidate]) -> AnswerCandidate | None:
    found = best_verdict(context, ranked)
    if found is None:
        return None
    first, verdict = found.statement, found.verdict
    place = (first.start, first.end)
    made, granted = with_condition(context, verdict.text, first.candidate, place, 0.0, verdict.tree)
    made = replace(made, otherwise=verdict.otherwise, evidence=verdict.evidence or made.evidence)
    bound = made.condition
    if isinstance(bound, JudgedLeaf) and bound.leaf.text == first.text and bound.state is ConditionState.MET:
        made = replace(made, condition=None)  # the rule itself: nothing is a condition of itself
    elif bound is not None:
        made = replace(made, condition=_below_headings(bound))
    return AnswerCandidate(made, "verdict", found.features, granted)


def _value(context: QuestionContext, ranked: Sequence[Candidate]) -> AnswerCandidate | None:
    found = best_value(context, ranked)
    if found is None:
        return None
    value, features = found
    text = f"{_bound_above(context, value)} {value.text}".strip()
    made, granted = conditioned(context, text, value.candidate, value.start, value.end, 0.0)
    tree = made.condition
    if tree is not None and any(_is_of(one, value) for one in leaves(tree)):
        tree = None  # it is what is required: neither itself nor what else is required is a condition of it
    if tree is not None:
        own = any(one.state is ConditionState.MET and not _is_heading(one) for one in leaves(tree))
        tree = _below_headings(mapped(tree, lambda one: _as_asked(context, one, own=own)))
    limits = limits_of(value.candidate.page, value.candidate.element, context.pages(value.candidate.page))
    beside = limits if value.candidate.element.tag == "tr" else []
    evidence = (*made.evidence, *(one for one in beside if one not in made.evidence))
    return AnswerCandidate(replace(made, condition=tree, evidence=evidence), "value", features, granted)


def _below_headings(tree: JudgedCondition) -> JudgedCondition | None:
    """A condition without the case of the section that is asked about: its heading stands above what is quoted."""
    parts = tree.children if isinstance(tree, All) else (tree,)
    kept = [one for one in parts if not (isinstance(one, JudgedLeaf) and _is_heading(one) and holds(one) is _MET)]
    return All(tuple(kept)) if len(kept) > 1 else kept[0] if kept else None


def _is_of(one: JudgedLeaf, value: TypedValue) -> bool:
    """Whether a value stands in a condition."""
    leaf = one.leaf
    return leaf.anchor == value.candidate.element.anchor and leaf.start <= value.start < leaf.end


def _is_heading(one: JudgedLeaf) -> bool:
    return one.source.html.startswith("<h")


def _as_asked(context: QuestionContext, one: JudgedLeaf, *, own: bool) -> JudgedLeaf:
    """A condition of a value as met where the question, or its section's heading, is about that case.

    Args:
        own: whether the sentence of the value has a condition of its own that is met: its section's case is another
            word for it, or a wider one.
    """
    if one.state is not ConditionState.UNKNOWN:
        return one
    case = f"{context.scenario_text}. {context.parts.case}"
    words = content_terms(one.leaf.text)
    heading = _is_heading(one) and (own or (bool(words) and coverage(words, context.user_text) == 1.0))
    row = one.source.html.startswith("<tr") and _is_user_row(context, one, words)
    return replace(one, state=ConditionState.MET) if heading or row or is_named(one.leaf.text, case) else one


def _is_user_row(context: QuestionContext, one: JudgedLeaf, words: frozenset[str]) -> bool:
    """Whether what is told has a word, or the figure, of the row of a value: no other one fits as well."""
    reading = context.pages(one.source.page)
    row = reading.element(one.leaf.anchor)
    return len(missing_terms(words, context.user_text)) < len(words) or (
        row is not None and is_user_row(context, row, reading)
    )


def _bound_above(context: QuestionContext, value: TypedValue) -> str:
    """The bound that introduces a list of values: "up to" of "You can get up to:"; "" without one."""
    element = value.candidate.element
    lead = introduction(element, context.pages(value.candidate.page)) if element.tag == "li" else ""
    bound = _BOUND.search(lead)
    return bound[1].lower() if bound is not None and not element.text[: value.start].strip() else ""
