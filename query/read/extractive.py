"""The embedded extractive reader: no language model; rules on words and a fitted probability.

``read`` goes: form of the question → is anything found about it? → the best verdict or value with its condition and its
probability → asserted, or the pages quoted. Every decision leaves a short reason in ``ReadResult.reasons``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Alternative, AnswerStatus, ConditionState, holds
from clausegraph.query.read.places import is_typed
from clausegraph.query.read.probability import (
    ASSERTED,
    COUNTS,
    MAY_SAY,
    REFUSED,
    UNFITTED,
    answerable,
    is_measured,
    probability,
    replaced_pages,
    with_counts,
)
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.question_context import AnswerCandidate, QuestionContext
from clausegraph.query.read.questions import QuestionForm, QuestionKind, question_form
from clausegraph.query.read.quoting import quotes
from clausegraph.query.read.ranking import ranked_places
from clausegraph.query.read.spans import spans_of
from clausegraph.query.read.statements import Candidate, candidates, is_furniture
from clausegraph.query.read.value_candidates import best_value
from clausegraph.query.read.verdicts import best_verdict
from clausegraph.query.retrieve.bank import Hit

FormRule = Callable[[Inquiry], QuestionForm]

_ABOUT_PAGE = re.compile(r"\b(?:updated|reviewed|page|guide|changed)\b", re.IGNORECASE)


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
        near = answerable(inquiry.question, hits, self._embedder, rules.reading)
        reasons |= {"answerable": round(near, 3), "asserted_from": self._asserted}
        if near < REFUSED:
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing is about it"})
        context = QuestionContext(form, inquiry, rules)
        if not _ABOUT_PAGE.search(form.sentence):
            ranked = [one for one in ranked if not is_furniture(one.element.text)]
        replaced = replaced_pages(ranked, context.pages)
        in_force = [one for one in ranked if one.page not in replaced]
        found: tuple[Alternative, ...] = ()
        if (best := best_answer(context, in_force, near)) is not None:
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
        places = ranked_places(context, ranked, measured=is_measured(self._embedder))
        status = AnswerStatus.QUOTED if near >= MAY_SAY else AnswerStatus.UNKNOWN
        return ReadResult(status, (), reasons, quotes(context, places, replaced))


def best_answer(context: QuestionContext, ranked: Sequence[Candidate], near: float) -> AnswerCandidate | None:
    """The verdict or value that fits best, its score the probability that it is right.

    None where nothing fits, where its own condition refutes it, and for a question that asks for neither.

    Args:
        near: the probability that the pages answer the question.
    """
    if context.form.kind is QuestionKind.YES_NO:
        found = best_verdict(context, ranked)
    else:
        found = best_value(context, ranked) if is_typed(context.form) else None
    if found is None or not _stands(found.alternative):
        return None
    features = with_counts(found.features, near)
    scored = replace(found.alternative, score=probability(found.kind, features))
    return replace(found, alternative=scored, features=features)


def _stands(alternative: Alternative) -> bool:
    """Whether its own condition does not refute it."""
    return holds(alternative.condition) is not ConditionState.UNMET
