"""Gold evidence against what a round of the loop has found: oracle steps for ablations.

Oracles say what a better critic, or a better choice of module, would be worth (after HybGRAG's oracle rows, Lee et al.
2024). They are built by evaluation alone and named in every report.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.tokens import count_tokens
from clausegraph.eval.conditionalqa.dataset import Question
from clausegraph.eval.conditionalqa.records import BUDGETS, evidence_at_budgets
from clausegraph.eval.conditionalqa.run import units_of
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.retrieve.graph import Offer
from clausegraph.query.steps.protocol import (
    ROUTERS,
    Acceptance,
    Feedback,
    FeedbackKind,
    LookedUp,
    Module,
    Route,
    Router,
    StepMaker,
    StepParts,
    Tried,
    make_step,
)
from clausegraph.query.steps.rules import Lookup, RuleCommentor, mended

BUDGET = BUDGETS[0]  # word pieces of what was found: the elements that a reader's answer hangs on stand first
NAMED = 5  # entities on offer that a feedback may name
ORACLE_STEPS = {"validate": ("oracle",), "comment": ("oracle",), "route": ("oracle-module", "oracle-module-llm")}


@dataclass(frozen=True, slots=True)
class GoldEvidence:
    """The evidence of labelled questions, by what an engine asks: text as it reads it, and scenario."""

    view: View
    questions: dict[tuple[str, str], Question]

    @classmethod
    def of(cls, view: View, questions: Iterable[Question], read: Callable[[str], str] = str) -> GoldEvidence:
        """Of the questions that have evidence."""
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


def oracle_step(step: str, name: str, gold: GoldEvidence) -> StepMaker:
    """The maker of an oracle: "oracle" validates or comments with gold evidence; "oracle-module" routes by rules, and
    "oracle-module-llm" by a model, each with the module that finds most of it."""
    if step == "route":
        inner = "llm" if name.endswith("-llm") else "rules"
        return lambda parts: OracleModule(parts, gold, inner)
    if step == "validate":
        return lambda parts: OracleValidator(gold)
    return lambda parts: OracleCommentor(parts, gold)


class OracleValidator:
    """Accepts what has all gold evidence; a question without any is accepted at once."""

    calls = 0
    last = False

    def __init__(self, gold: GoldEvidence) -> None:
        self._gold = gold

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """By the share of the evidence that was found."""
        recall = self._gold.recall(inquiry, found.hits)
        if recall is None or recall == 1.0:
            return Acceptance(True, "oracle: all evidence is there", score=1.0)
        return Acceptance(False, "oracle: evidence is missing", score=recall)


class OracleCommentor:
    """Says the first feedback after which the rules find all evidence; where none does, what the rules say."""

    calls = 0

    def __init__(self, parts: StepParts, gold: GoldEvidence) -> None:
        self._parts, self._gold = parts, gold
        self._rules = RuleCommentor(parts)

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """One error of the route."""
        for feedback in possible(route, offer):
            if helps(feedback, route, inquiry, offer, self._parts.lookup, self._gold):
                return feedback
        self._parts.notes["oracle"] = "no feedback leads to the evidence"
        return self._rules.comment(inquiry, offer, route, found, judged)


class OracleModule:
    """Another router's entities and relations, and the module that finds most of the evidence with them."""

    def __init__(self, parts: StepParts, gold: GoldEvidence, inner: str) -> None:
        self._lookup, self._gold = parts.lookup, gold
        self._inner: Router = make_step(ROUTERS, inner, parts)
        self.calls = self._inner.calls

    def route(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route | None:
        """The route with the best module that was not tried."""
        drawn = self._inner.route(inquiry, offer, tried)
        if drawn is None or not drawn.topics or self._gold.question(inquiry) is None:
            return drawn
        before = {one.route for one in tried}
        others = [replace(drawn, module=module) for module in Module if module is not drawn.module]

        def recall(route: Route) -> float:
            return self._gold.recall(inquiry, self._lookup.find(inquiry, route).hits) or 0.0

        return max([drawn, *(one for one in others if one not in before)], key=recall)


def possible(route: Route, offer: Offer) -> Iterator[Feedback]:
    """Every feedback that may fit a route, those that name what is wrong with it first. An entity that the question
    names is not wrong; a wrong kind changes nothing that is looked up, so evidence cannot tell whether it helps."""
    named = [topic.key for topic in offer.named]
    if not route.topics:
        yield from (Feedback(FeedbackKind.NO_ENTITY, topic.key) for topic in offer.entities[:NAMED])
    yield from (Feedback(FeedbackKind.ENTITY_WRONG, key) for key in route.keys if key not in named)
    yield from (Feedback(FeedbackKind.RELATION_WRONG, relation) for relation in route.relations)
    if route.topics:
        yield from (Feedback(FeedbackKind.MISSING, name) for name in named if name not in route.keys)
    if len(route.topics) > 1:
        yield from (Feedback(FeedbackKind.LACKING, key) for key in route.keys)
    yield Feedback(FeedbackKind.MODULE_WRONG, route.module.value)


def helps(feedback: Feedback, route: Route, inquiry: Inquiry, offer: Offer, lookup: Lookup, gold: GoldEvidence) -> bool:
    """Whether the likeliest route without that error finds all evidence."""
    better = next((one for one in mended(route, feedback, inquiry, offer) if one != route), None)
    return better is not None and gold.recall(inquiry, lookup.find(inquiry, better).hits) == 1.0
