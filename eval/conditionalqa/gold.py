"""Gold evidence against what a round of the loop has found."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.tokens import count_tokens
from clausegraph.eval.conditionalqa.dataset import Question
from clausegraph.eval.conditionalqa.run import units_of
from clausegraph.eval.metrics import element_key
from clausegraph.eval.retrieval import BUDGETS, evidence_at_budgets
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.graph import ego_of
from clausegraph.query.steps.protocol import Route

BUDGET = BUDGETS[0]  # word pieces of what was found: the elements that a reader's answer hangs on stand first


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """The evidence of labelled questions, by what an engine asks: text as it reads it, and scenario."""

    view: View
    questions: dict[tuple[str, str], Question]

    @classmethod
    def of(cls, view: View, questions: Iterable[Question], read: Callable[[str], str] = str) -> GoldEvidence:
        """Of the questions that have evidence.

        Args:
            read: how the engine reads a question's misspelt words.
        """
        return cls(view, {(read(one.question), one.scenario): one for one in questions if one.evidences})

    def question(self, inquiry: Inquiry) -> Question | None:
        """The question that is asked, where it has evidence."""
        return self.questions.get((inquiry.question, inquiry.scenario))

    def recall(self, inquiry: Inquiry, hits: Sequence[Hit]) -> float | None:
        """The share of the evidence within ``BUDGET`` of the hits; none for a question without evidence."""
        question = self.question(inquiry)
        if question is None:
            return None
        return evidence_at_budgets(units_of(self.view, hits), question.evidences, count_tokens, (BUDGET,))[0].recall

    def around(self, inquiry: Inquiry, route: Route) -> float | None:
        """The share of the evidence that states facts of the route's subgraph; none without evidence."""
        question = self.question(inquiry)
        if question is None:
            return None
        places = ego_of(self.view, route.keys, route.relations).places if route.topics else {}
        found = {
            element_key(element.html)
            for page, anchor in places
            if (element := self.view.reading(page).element(anchor)) is not None
        }
        wanted = {element_key(element) for element in question.evidences}
        return len(wanted & found) / len(wanted)
