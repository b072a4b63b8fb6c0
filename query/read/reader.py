"""The embedded extractive reader: no language model; rules on words and small linear models.

``read`` goes: form of the question → yes/no or spans → conditions that the scenario leaves open. Every
decision leaves a short reason in ``ReadResult.reasons``.
"""

from __future__ import annotations

from collections.abc import Sequence

from core.models.embedding import Embedder
from core.types import Alternative, AnswerStatus
from query.read.choose import ReadSpan, read_spans
from query.read.evidence import evidence_of
from query.read.polarity import decide_polarity, polarity_features
from query.read.questions import QuestionForm, QuestionKind, question_form
from query.read.statements import statements_of
from query.read.types import Candidate, Pages, ReadResult, Supports, no_supports


class ExtractiveReader:
    """Answers from retrieved elements. Deterministic; holds no state between questions."""

    def __init__(self, embedder: Embedder | None = None, *, depth: int = 8, span_depth: int = 20) -> None:
        """``depth`` elements decide yes or no, ``span_depth`` are searched for spans."""
        self._embedder = embedder
        self._depth = depth
        self._span_depth = span_depth

    def read(
        self, question: str, scenario: str, ranked: Sequence[Candidate], pages: Pages, supports: Supports = no_supports
    ) -> ReadResult:
        """Read the answer to ``question`` (about ``scenario``, may be "") from candidates, best first."""
        form = question_form(question)
        reasons: dict[str, object] = {"kind": form.kind.value, "kind_because": form.reason, "type": form.type.value}
        if not ranked or not form.sentence:
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing to read"})
        if form.kind is QuestionKind.YES_NO:
            return self._yes_no(form, question, scenario, ranked, pages, reasons)
        return self._spans(form, question, scenario, ranked, pages, reasons)

    def _yes_no(
        self,
        form: QuestionForm,
        question: str,
        scenario: str,
        ranked: Sequence[Candidate],
        pages: Pages,
        reasons: dict[str, object],
    ) -> ReadResult:
        statements = [s for candidate in ranked[: self._depth] for s in statements_of(candidate, pages)]
        verdict = decide_polarity(polarity_features(form, question, scenario, statements))
        evidence = tuple(
            evidence_of(s.candidate.page, pages(s.candidate.page), s.candidate.element, s.start, s.end)
            for s in statements[:2]
        )
        reasons |= {"yes_probability": round(verdict.probability, 3), "polarity_because": list(verdict.because)}
        text = "yes" if verdict.yes else "no"
        score = max(verdict.probability, 1 - verdict.probability)
        return ReadResult(AnswerStatus.ANSWERED, (Alternative(text, evidence=evidence, score=score),), reasons)

    def _spans(
        self,
        form: QuestionForm,
        question: str,
        scenario: str,
        ranked: Sequence[Candidate],
        pages: Pages,
        reasons: dict[str, object],
    ) -> ReadResult:
        spans = read_spans(form, question, scenario, ranked[: self._span_depth], pages)
        if not spans:
            return ReadResult(AnswerStatus.UNKNOWN, (), reasons | {"status_because": "no span found"})
        return ReadResult(AnswerStatus.ANSWERED, (_alternative(spans[0], pages),), reasons)


def _alternative(found: ReadSpan, pages: Pages) -> Alternative:
    page, element = found.candidate.page, found.candidate.element
    evidence = evidence_of(page, pages(page), element, found.span.start, found.span.end)
    return Alternative(found.text, evidence=(evidence,), score=found.worth)
