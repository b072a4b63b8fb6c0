"""The embedded extractive reader: no language model; rules on words and small linear models.

``read`` goes: form of the question → is anything found about it? → the best verdict or value with its condition and its
probability → asserted, or the pages quoted. Every decision leaves a short reason in ``ReadResult.reasons``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import (
    All,
    Alternative,
    AnswerStatus,
    ConditionState,
    JudgedCondition,
    JudgedLeaf,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.answerable import LIKELY, MAY_SAY, is_near, nearness, replaced_pages, unrelated
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.places import is_typed, is_user_row, limits_of
from clausegraph.query.read.probability import ASSERTED, COUNTS, UNFITTED, Features, probability, with_counts
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.question_context import QuestionContext, conditioned, with_condition
from clausegraph.query.read.questions import QuestionForm, QuestionKind, question_form
from clausegraph.query.read.quoting import quotes
from clausegraph.query.read.spans import spans_of
from clausegraph.query.read.statements import Candidate, candidates, is_furniture
from clausegraph.query.read.value_candidates import ValueCandidate, best_value
from clausegraph.query.read.verdict_candidates import best_verdict
from clausegraph.query.read.word_match import content_terms, coverage, is_named, missing_terms
from clausegraph.query.retrieve.bank import Hit

FormRule = Callable[[Inquiry], QuestionForm]

_ASKS_MORE = re.compile(
    r"\?.*\w.*\?"
    r"|\b(?:and|or|but)\s+(?:if (?:so|not)\b,?\s*)?(?:by |for |at |from |to )?"
    r"(?:(?:what|when|where|who|how)s?|which|why)\b"
    r"|\b(?:and|or|but)\s+(?:if (?:so|not)\b,?\s*)?(?:can|could|do|does|did|is|are|must|will|would|should|may|am)\s+"
    r"(?:i|we|you|he|she|it|they|there|my|our|the)\b",
    re.IGNORECASE | re.DOTALL,
)
_BOUND = re.compile(
    r"\b(up to|at least|at most|within|no more than|no less than|a minimum of|a maximum of|between)\s*:\s*$",
    re.IGNORECASE,
)
_ABOUT_PAGE = re.compile(r"\b(?:updated|reviewed|page|guide|changed)\b", re.IGNORECASE)
_MET, _UNMET, _UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN


def form_by_words(inquiry: Inquiry) -> QuestionForm:
    """The form that the words of the question say."""
    return question_form(inquiry.question)


class ExtractiveReader:
    """Answers from retrieved elements. Deterministic; holds no state between questions.

    Args:
        embedder: the one that the search compared with; without it, words alone tell whether anything is near.
        form: what is asked for; another rule only for comparisons with systems that are told.
        asserted: probability of being right from which an answer is asserted; below it the pages are quoted. 0 always
            asserts the best candidate.
    """

    def __init__(
        self, embedder: Embedder | None = None, *, form: FormRule = form_by_words, asserted: float = ASSERTED
    ) -> None:
        self._embedder = embedder
        self._form = form
        self._asserted = asserted

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        """Read the answer from the elements of the hits, best first."""
        form = self._form(inquiry)
        ranked = candidates(hits, rules.reading)
        reasons: dict[str, object] = {"kind": form.kind.value, "kind_because": form.reason, "type": form.type.value}
        if not ranked or not form.sentence:
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing to read"})
        far, figures = unrelated(inquiry.question, ranked, rules.reading)
        reasons |= figures
        if far and not is_near(hits, self._embedder):
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing is about it"})
        context = QuestionContext(form, inquiry, rules)
        if not _ABOUT_PAGE.search(form.sentence):
            ranked = [one for one in ranked if not is_furniture(one.element.text)]
        replaced = replaced_pages(ranked, context.pages)
        in_force = [one for one in ranked if one.page not in replaced]
        near = nearness(inquiry.question, hits, self._embedder, rules.reading)
        likely = near >= LIKELY
        reasons |= {"likely": likely, "asserted_from": self._asserted}
        found: tuple[Alternative, ...] = ()
        if (best := best_answer(context, in_force, float(likely))) is not None:
            found = (best.alternative,)
            failed = [name for name, value in best.features.items() if value and name not in COUNTS]
            reasons |= {"answer": best.kind, "failed_checks": failed, "probability": round(best.alternative.score, 3)}
            reasons |= {"conditions_taken_for_granted": list(best.granted)}
        elif self._asserted <= UNFITTED and form.kind is QuestionKind.SPAN:
            found = tuple(filter(_stands, spans_of(context, in_force)))
        if found and found[0].score >= self._asserted:
            return ReadResult(AnswerStatus.ANSWERED, found, reasons)
        reasons["status_because"] = "not sure enough"
        if replaced:
            reasons["replaced"] = sorted(str(page) for page in replaced)
        status = AnswerStatus.QUOTED if near >= MAY_SAY else AnswerStatus.UNKNOWN
        return ReadResult(status, (), reasons, quotes(context, ranked, replaced))


def _stands(alternative: Alternative) -> bool:
    """Whether its own condition does not refute it."""
    return holds(alternative.condition) is not _UNMET


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """An answer, its kind ("verdict", "value"), its features by name, and what is taken for granted."""

    alternative: Alternative
    kind: str
    features: Features
    granted: tuple[str, ...] = ()


def best_answer(context: QuestionContext, ranked: Sequence[Candidate], near: float) -> AnswerCandidate | None:
    """The verdict or value that fits best, its score the probability that it is right.

    None where nothing fits, where its own condition refutes it, and for a question that asks for neither.

    Args:
        near: 1 where the search is as near to the question as what decides mostly is, else 0.
    """
    found = _verdict(context, ranked) if context.form.kind is QuestionKind.YES_NO else _value(context, ranked)
    if found is None or not _stands(found.alternative):
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
    place, tree = (first.start, first.end), verdict.tree
    made, granted = with_condition(context, verdict.text, first.candidate, place, 0.0, tree)
    if isinstance(tree, JudgedLeaf) and tree.leaf.text == first.text and tree.state is _MET:
        tree = None  # the rule itself: nothing is a condition of itself
    else:
        tree = _below_headings(made.condition)
    evidence = verdict.evidence or made.evidence
    made = replace(made, condition=tree, otherwise=verdict.otherwise, evidence=evidence)
    return AnswerCandidate(made, "verdict", found.features, granted)


def _value(context: QuestionContext, ranked: Sequence[Candidate]) -> AnswerCandidate | None:
    found = best_value(context, ranked) if is_typed(context.form) else None
    if found is None:
        return None
    value, features = found
    page, element = value.candidate.page, value.candidate.element
    text = f"{_bound_above(context, value)} {value.text}".strip()
    made, granted = conditioned(context, text, value.candidate, (value.start, value.end), 0.0)
    tree = made.condition
    places = [one.leaf for one in leaves(tree) if one.leaf.anchor == element.anchor]
    if any(leaf.start <= value.start < leaf.end for leaf in places):
        tree = None  # it is what is required: neither itself nor what else is required is a condition of it
    if tree is not None:
        own = any(one.state is _MET and not _is_heading(one) for one in leaves(tree))
        tree = _below_headings(mapped(tree, lambda one: _as_asked(context, one, own=own)))
    limits = limits_of(page, element, context.pages(page)) if element.tag == "tr" else []
    evidence = (*made.evidence, *(one for one in limits if one not in made.evidence))
    return AnswerCandidate(replace(made, condition=tree, evidence=evidence), "value", features, granted)


def _below_headings(tree: JudgedCondition | None) -> JudgedCondition | None:
    """A condition without the case of the section that is asked about: its heading stands above what is quoted."""
    parts = tree.children if isinstance(tree, All) else () if tree is None else (tree,)
    kept = [one for one in parts if not (isinstance(one, JudgedLeaf) and _is_heading(one) and one.state is _MET)]
    return All(tuple(kept)) if len(kept) > 1 else kept[0] if kept else None


def _is_heading(one: JudgedLeaf) -> bool:
    return one.source.html.startswith("<h")


def _as_asked(context: QuestionContext, one: JudgedLeaf, *, own: bool) -> JudgedLeaf:
    """A condition of a value as met where the question, or its section's heading, is about that case.

    Args:
        own: whether the sentence of the value has a condition of its own that is met: its section's case is another
            word for it, or a wider one.
    """
    if one.state is not _UNKNOWN:
        return one
    case = f"{context.scenario_text}. {context.parts.case}"
    words = content_terms(one.leaf.text)
    heading = _is_heading(one) and (own or (bool(words) and coverage(words, context.user_text) == 1.0))
    row = one.source.html.startswith("<tr") and _is_user_row(context, one, words)
    return replace(one, state=_MET) if heading or row or is_named(one.leaf.text, case) else one


def _is_user_row(context: QuestionContext, one: JudgedLeaf, words: frozenset[str]) -> bool:
    """Whether what is told has a word, or the figure, of the row of a value: no other one fits as well."""
    reading = context.pages(one.source.page)
    row = reading.element(one.leaf.anchor)
    return len(missing_terms(words, context.user_text)) < len(words) or (
        row is not None and is_user_row(context, row, reading)
    )


def _bound_above(context: QuestionContext, value: ValueCandidate) -> str:
    """The bound that introduces a list of values: "up to" of "You can get up to:"; "" without one."""
    element = value.candidate.element
    lead = introduction(element, context.pages(value.candidate.page)) if element.tag == "li" else ""
    bound = _BOUND.search(lead)
    return bound[1].lower() if bound is not None and not element.text[: value.start].strip() else ""
