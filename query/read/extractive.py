"""The embedded extractive reader: no language model; rules on words and small linear models.

``read`` goes: form of the question → is anything found about it? → yes/no or spans → conditions that the
scenario leaves open. Every decision leaves a short reason in ``ReadResult.reasons``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Alternative, AnswerStatus, ConditionState, holds
from clausegraph.query.read.answerable import is_likely, is_near, unrelated
from clausegraph.query.read.best_candidate import AnswerCandidate, best_answer
from clausegraph.query.read.candidates import Candidate, candidates
from clausegraph.query.read.probability import ASSERTED, COUNTS
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.question_context import QuestionContext, spans_of
from clausegraph.query.read.questions import QuestionForm, question_form
from clausegraph.query.read.quoting import quotes
from clausegraph.query.read.replaced import replaced_pages
from clausegraph.query.read.statements import is_furniture
from clausegraph.query.retrieve.bank import Hit

FormRule = Callable[[Inquiry], QuestionForm]
Reasons = dict[str, object]
Alternatives = tuple[Alternative, ...]


_ABOUT_PAGE = re.compile(r"\b(?:updated|reviewed|page|guide|changed)\b", re.IGNORECASE)


def _stands(alternative: Alternative) -> bool:
    """Whether its own condition does not refute it."""
    return holds(alternative.condition) is not ConditionState.UNMET


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
        reasons: Reasons = {"kind": form.kind.value, "kind_because": form.reason, "type": form.type.value}
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
        near = is_likely(inquiry.question, hits, self._embedder, rules.reading)
        reasons |= {"likely": near, "asserted_from": self._asserted}
        found, because = self._found(context, in_force, near=near)
        reasons |= because
        if found and found[0].score >= self._asserted:
            return ReadResult(AnswerStatus.ANSWERED, found, reasons)
        reasons["status_because"] = "not sure enough"
        if replaced:
            reasons["replaced"] = sorted(str(page) for page in replaced)
        status = AnswerStatus.QUOTED if near else AnswerStatus.UNKNOWN
        return ReadResult(status, (), reasons, quotes(context, ranked, replaced=replaced))

    def best(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> AnswerCandidate | None:
        """The best verdict or value with its features, asserted or not; None where nothing fits."""
        form, ranked = self._form(inquiry), candidates(hits, rules.reading)
        if not ranked or not form.sentence:
            return None
        if unrelated(inquiry.question, ranked, rules.reading)[0] and not is_near(hits, self._embedder):
            return None
        context = QuestionContext(form, inquiry, rules)
        replaced = replaced_pages(ranked, context.pages)
        near = is_likely(inquiry.question, hits, self._embedder, rules.reading)
        found = best_answer(context, [one for one in ranked if one.page not in replaced], float(near))
        return found if found is not None and _stands(found.alternative) else None

    def _found(
        self, context: QuestionContext, ranked: Sequence[Candidate], *, near: bool
    ) -> tuple[Alternatives, Reasons]:
        """The best verdict or value, or where there is none that its own condition allows, the best span."""
        best = best_answer(context, ranked, float(near))
        if best is None or not _stands(best.alternative):
            spans, because = spans_of(context, ranked)
            return (spans if all(map(_stands, spans)) else ()), because
        failed = [name for name, value in best.features.items() if value and name not in COUNTS]
        reasons: Reasons = {"answer": best.kind, "failed_checks": failed}
        reasons |= {"probability": round(best.alternative.score, 3)}
        return (best.alternative,), reasons | {"conditions_taken_for_granted": list(best.granted)}
