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
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.answerable import is_likely, is_near, unrelated
from clausegraph.query.read.answers import Asked, spans_of
from clausegraph.query.read.candidates import Candidate, candidates
from clausegraph.query.read.confidence import ASSERTED
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.questions import QuestionForm, question_form
from clausegraph.query.read.quoting import quotes
from clausegraph.query.read.replaced import replaced_pages
from clausegraph.query.read.statements import is_furniture
from clausegraph.query.read.surely import surely

FormRule = Callable[[Inquiry], QuestionForm]
Reasons = dict[str, object]


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
        reasons |= figures | {"likely": is_likely(inquiry.question, hits, self._embedder, rules.reading)}
        if far and not is_near(hits, self._embedder):
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing is about it"})
        return self._presented(self.asked(inquiry, rules), ranked, reasons)

    def asked(self, inquiry: Inquiry, rules: Rules) -> Asked:
        """The inquiry as this reader reads it."""
        return Asked(self._form(inquiry), inquiry, rules)

    def _presented(self, asked: Asked, ranked: Sequence[Candidate], reasons: Reasons) -> ReadResult:
        """The best candidate where it is sure enough, or what the pages say."""
        reasons["asserted_from"] = self._asserted
        if not _ABOUT_PAGE.search(asked.form.sentence):
            ranked = [one for one in ranked if not is_furniture(one.element.text)]
        replaced = replaced_pages(ranked, asked.pages)
        in_force = [one for one in ranked if one.page not in replaced]
        best = surely(asked, in_force)
        if best is not None and _stands(best.alternative):
            reasons |= {"answer": best.kind, "doubts": list(best.doubts)}
            reasons |= {"probability": round(best.alternative.score, 3)}
            if best.alternative.score >= self._asserted:
                reasons["conditions_taken_for_granted"] = list(best.granted)
                return ReadResult(AnswerStatus.ANSWERED, (best.alternative,), reasons)
        spans, because = spans_of(asked, in_force)
        if spans and spans[0].score >= self._asserted and all(map(_stands, spans)):
            return ReadResult(AnswerStatus.ANSWERED, spans, reasons | because)
        reasons["status_because"] = "not sure enough"
        if replaced:
            reasons["replaced"] = sorted(str(page) for page in replaced)
        status = AnswerStatus.QUOTED if reasons["likely"] else AnswerStatus.UNKNOWN
        return ReadResult(status, (), reasons, quotes(asked, ranked, replaced=replaced))
