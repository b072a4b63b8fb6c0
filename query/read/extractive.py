"""The embedded extractive reader: no language model; rules on words and small linear models.

``read`` goes: form of the question → is anything found about it? → yes/no or spans → conditions that the
scenario leaves open. Every decision leaves a short reason in ``ReadResult.reasons``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Alternative, AnswerStatus, ConditionState, holds
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.answerable import is_likely, is_near, unrelated
from clausegraph.query.read.answers import Asked, ruled_on, span_alternatives, values_for, with_condition
from clausegraph.query.read.candidates import Candidate, candidates
from clausegraph.query.read.choose import read_spans, with_values
from clausegraph.query.read.conditions import Openness
from clausegraph.query.read.confidence import ASSERTED, probability
from clausegraph.query.read.protocol import ReadResult, Rules
from clausegraph.query.read.questions import QuestionForm, QuestionKind, question_form
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
        embedder: judges whether the scenario touches a condition in other words; without it, words decide.
        depth: elements that decide yes or no.
        span_depth: elements that are searched for spans.
        most: alternatives at most.
        open_below: a condition is open when a smaller share of its words occurs in scenario and question;
            0 never calls one open.
        open_least: elements of one statement that must be open together; 1 shows every open condition, which
            costs about 1 point of ConditionalQA's F1 with conditions.
        open_match: share of the question's words that a statement must have before its conditions count as open.
        form: what is asked for; another rule only for comparisons with systems that are told.
        asserted: probability of being right from which an answer is asserted; below it the pages are quoted. 0 always
            asserts.
    """

    def __init__(
        self,
        embedder: Embedder | None = None,
        *,
        depth: int = 8,
        span_depth: int = 20,
        most: int = 5,
        open_below: float = 0.2,
        open_least: int = 3,
        open_match: float = 0.3,
        form: FormRule = form_by_words,
        asserted: float = ASSERTED,
    ) -> None:
        self._embedder = embedder
        self._depth = depth
        self._span_depth = span_depth
        self._most = most
        self._openness = Openness(open_below, open_least)
        self._open_match = open_match
        self._form = form
        self._asserted = asserted

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        """Read the answer from the elements of the hits, best first."""
        form = self._form(inquiry)
        ranked = candidates(hits, rules.reading)
        reasons: Reasons = {"kind": form.kind.value, "kind_because": form.reason, "type": form.type.value}
        if not ranked or not form.sentence:
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing to read"})
        asked = self.asked(inquiry, rules)
        far, figures = unrelated(inquiry.question, ranked, rules.reading)
        reasons |= figures | {"likely": is_likely(inquiry.question, hits, self._embedder, rules.reading)}
        if far and not is_near(hits, self._embedder):
            return ReadResult(AnswerStatus.NOT_ANSWERABLE, (), reasons | {"status_because": "nothing is about it"})
        return self._presented(asked, ranked, reasons)

    def asked(self, inquiry: Inquiry, rules: Rules) -> Asked:
        """The inquiry as this reader reads it."""
        return Asked(self._form(inquiry), inquiry, rules, self._embedder, self._openness, self._open_match)

    def _presented(self, asked: Asked, ranked: Sequence[Candidate], reasons: Reasons) -> ReadResult:
        """What is surely said, or what the pages say; where always something is asserted, the best guess."""
        reasons["asserted_from"] = self._asserted
        if self._asserted <= 0.0:
            guess = self._yes_no if asked.form.kind is QuestionKind.YES_NO else self._spans
            return guess(asked, ranked, reasons)
        if not _ABOUT_PAGE.search(asked.form.sentence):
            ranked = [one for one in ranked if not is_furniture(one.element.text)]
        replaced = replaced_pages(ranked, asked.pages)
        sure = surely(asked, [one for one in ranked if one.page not in replaced])
        if sure is not None:
            reasons |= {"answer": sure.kind, "doubts": list(sure.doubts)}
            reasons |= {"probability": round(sure.alternative.score, 3)}
            if sure.alternative.score >= self._asserted and _stands(sure.alternative):
                reasons["conditions_taken_for_granted"] = list(sure.granted)
                return ReadResult(AnswerStatus.ANSWERED, (sure.alternative,), reasons)
        reasons["status_because"] = "not sure enough"
        if replaced:
            reasons["replaced"] = sorted(str(page) for page in replaced)
        status = AnswerStatus.QUOTED if reasons["likely"] else AnswerStatus.UNKNOWN
        return ReadResult(status, (), reasons, quotes(asked, ranked, replaced=replaced))

    def _yes_no(self, asked: Asked, ranked: Sequence[Candidate], reasons: Reasons) -> ReadResult:
        ruled = ruled_on(asked, ranked[: self._depth])
        if ruled is None:
            return ReadResult(AnswerStatus.UNKNOWN, (), reasons | {"status_because": "no statement found"})
        ruling, words = ruled.ruling, ruled.words
        first = ruling.rule.statement
        place, tree, score = (first.start, first.end), ruling.tree, probability("guess")
        answer, out = with_condition(asked, ruling.text, first.candidate, place, score, tree, ruling.rule.tree)
        reasons |= {"yes_probability": round(words.probability, 3), "polarity_because": list(words.because)}
        reasons |= {"ruled_because": ruling.why, "condition": ruling.state.value}
        reasons |= {"open_conditions": len(answer.open_conditions), "conditions_taken_for_granted": list(out)}
        return ReadResult(AnswerStatus.ANSWERED, (answer,), reasons)

    def _spans(self, asked: Asked, ranked: Sequence[Candidate], reasons: Reasons) -> ReadResult:
        inquiry = asked.inquiry
        found = ranked[: self._span_depth]
        values = values_for(asked, ranked)
        others = read_spans(asked.form, inquiry.question, inquiry.scenario, found, asked.pages)
        spans = with_values(values, others, asked.pages)
        if not spans:
            return ReadResult(AnswerStatus.UNKNOWN, (), reasons | {"status_because": "no span found"})
        alternatives, several = span_alternatives(asked, spans, self._most)
        alternatives = tuple(replace(alternative, score=probability("guess")) for alternative in alternatives)
        best = spans[0]
        reasons |= several | {
            "span_cut": f"{best.span.opens} to {best.span.closes}",
            "span_worth": round(best.worth, 3),
            "open_conditions": sum(len(a.open_conditions) for a in alternatives),
        }
        return ReadResult(AnswerStatus.ANSWERED, alternatives, reasons)
