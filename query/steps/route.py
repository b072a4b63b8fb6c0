"""Routing by rules: names that stand in the question, its kind by its words; text first, which is measured best."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.questions import AnswerType, QuestionKind, question_form
from clausegraph.query.retrieve.topics import Offer, Topic
from clausegraph.query.steps.protocol import AskedKind, Feedback, FeedbackKind, Module, Route, StepNotes, Tried

TOPICS = 2  # a route has at most: the ego-graphs of three hardly ever meet
_KINDS = {AnswerType.LIST: AskedKind.LIST, AnswerType.METHOD: AskedKind.PROCEDURE, AnswerType.FORM: AskedKind.PROCEDURE}
_OTHER_MODULE = {Module.TEXT: Module.HYBRID, Module.HYBRID: Module.GRAPH, Module.GRAPH: Module.TEXT}


class RuleRouter:
    """The first route is text with the names of the question; each further one does what the feedback says."""

    calls = 0

    def __init__(self) -> None:
        self.notes = StepNotes()

    def route(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route | None:
        """The next route that was not tried."""
        if not tried:
            return Route(kind_of(inquiry), Module.TEXT, offer.named[:TOPICS])
        last = tried[-1]
        before = {one.route for one in tried}
        wanted = [] if last.feedback is None else list(mended(last.route, last.feedback, inquiry, offer))
        return next((route for route in wanted if route not in before), None)


def kind_of(inquiry: Inquiry) -> AskedKind:
    """What the words of the question ask for."""
    form = question_form(inquiry.question)
    if form.kind is QuestionKind.YES_NO:
        return AskedKind.GATE
    return _KINDS.get(form.type, AskedKind.FACT)


def mended(route: Route, feedback: Feedback, inquiry: Inquiry, offer: Offer) -> Iterator[Route]:
    """Routes that do not have the error any more, the likeliest first."""
    looked = route if route.module is not Module.TEXT else replace(route, module=Module.HYBRID)
    about, topics = feedback.about, route.topics
    others = [topic for topic in offer.entities if topic not in topics]
    match feedback.kind:
        case FeedbackKind.KIND_WRONG:
            yield replace(route, kind=AskedKind(about) if about in set(AskedKind) else kind_of(inquiry))
        case FeedbackKind.MODULE_WRONG:
            yield replace(route, module=_OTHER_MODULE[route.module])
        case FeedbackKind.RELATION_WRONG:
            left = tuple(one for one in route.relations if one != about)
            yield replace(looked, relations=left if len(left) < len(route.relations) else ())
        case FeedbackKind.MISSING if about in offer.relations:
            yield replace(looked, relations=(*route.relations, about))
        case FeedbackKind.MISSING:
            asked = [topic for topic in others if topic.key == about]
            yield from (replace(looked, topics=(*topics, topic)[-TOPICS:]) for topic in [*asked, *others])
        case FeedbackKind.NO_ENTITY:
            yield from (replace(route, module=Module.HYBRID, topics=(topic,)) for topic in others)
        case FeedbackKind.ENTITY_WRONG | FeedbackKind.EMPTY | FeedbackKind.LACKING:
            yield from _without(looked, about, others, offer.named)
    yield replace(route, module=_OTHER_MODULE[route.module])


def _without(route: Route, about: str, others: Sequence[Topic], named: Sequence[Topic]) -> Iterator[Route]:
    """Without the entity that is wrong, the last one where none is named; then with others in its place, but never in
    place of the only one that the question names."""
    wrong = next((topic for topic in route.topics if topic.key == about), route.topics[-1] if route.topics else None)
    left = tuple(topic for topic in route.topics if topic != wrong)
    if left:
        yield replace(route, topics=left)
    if route.relations:
        yield replace(route, relations=())
    if left or wrong not in named:
        yield from (replace(route, topics=(*left, topic)[-TOPICS:]) for topic in others)
