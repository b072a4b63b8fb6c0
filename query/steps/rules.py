"""The loop's steps by rules: routing by the names of the question, looking up, validating, commenting."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.read.questions import AnswerType, QuestionKind, question_form
from clausegraph.query.retrieve.bank import Retriever
from clausegraph.query.retrieve.graph import RADIUS, Offer, Topic, all_in_words, ego_of, ranked
from clausegraph.query.retrieve.nearest import embed
from clausegraph.query.steps.protocol import (
    Acceptance,
    AskedKind,
    Feedback,
    FeedbackKind,
    LookedUp,
    Module,
    Route,
    StepParts,
    Tried,
)

TOPICS = 2  # a route has at most: the ego-graphs of three hardly ever meet
NEAR = 1  # facts between a single entity and what the hybrid puts first: within two lies half of many a page
DEPTH = 300  # elements of the text ranking of which the graph's come first
LOOK_AT = 8  # hits that the reader decides by
_KINDS = {AnswerType.LIST: AskedKind.LIST, AnswerType.METHOD: AskedKind.PROCEDURE, AnswerType.FORM: AskedKind.PROCEDURE}
_OTHER_MODULE = {Module.TEXT: Module.HYBRID, Module.HYBRID: Module.GRAPH, Module.GRAPH: Module.TEXT}
_VALUES = {
    AnswerType.AMOUNT: ("amount", "percent"),
    AnswerType.DURATION: ("duration", "date", "number"),
    AnswerType.DATE: ("date", "duration"),
    AnswerType.AGE: ("age", "number", "duration"),
    AnswerType.NUMBER: ("number", "amount", "duration", "age", "percent"),
}


class RuleRouter:
    """The first route is text with the names of the question; each further one does what the feedback says."""

    calls = 0

    def __init__(self, parts: StepParts | None = None) -> None:
        """It needs nothing of a question but the question."""

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


class Lookup:
    """The bank behind the three modules."""

    def __init__(self, view: View, embedder: Embedder, text: Retriever, limit: int) -> None:
        self._view, self._embedder, self._text, self._limit = view, embedder, text, limit

    def find(self, inquiry: Inquiry, route: Route) -> LookedUp:
        """Hits in the order in which they are to be read."""
        if route.module is Module.TEXT:
            return LookedUp(tuple(self._text.retrieve(inquiry, limit=self._limit)))
        # Several entities need room to meet, and what the graph alone finds is little
        radius = NEAR if route.module is Module.HYBRID and len(route.topics) == 1 else RADIUS
        ego = ego_of(self._view, route.keys, route.relations, radius=radius)
        paths = all_in_words(ego.paths)
        if route.module is Module.GRAPH:
            hits = ranked(self._view, ego.places, embed(inquiry, self._embedder))[: self._limit]
            return LookedUp(tuple(hits), paths, len(ego.shared))
        ranking = self._text.retrieve(inquiry, limit=DEPTH)
        inside = [hit for hit in ranking if any((hit.page, anchor) in ego.places for anchor in hit.anchors)]
        kept = set(map(id, inside))
        rest = [hit for hit in ranking if id(hit) not in kept]
        return LookedUp(tuple([*inside, *rest][: self._limit]), paths, len(ego.shared) if inside else 0)


class RuleValidator:
    """Accepts what has the names of the question and a value of the kind it asks for; else says what is missing."""

    calls = 0
    last = False

    def __init__(self, parts: StepParts) -> None:
        self._view = parts.view

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """The first thing that is missing, or accepted."""
        if not found.hits or (found.met == 0 and route.module is not Module.TEXT):
            return Acceptance(False, "nothing is stated around the topics", nothing_found=True)
        best = found.hits[:LOOK_AT]
        around = (part for hit in best for part in (self._view.reading(hit.page).title, *hit.headings, hit.text))
        text = entity_key(" ".join(around))
        names = [topic.key for topic in offer.named]
        missing = [name for name in names if f" {name} " not in f" {text} "]
        has_kind = has_value(inquiry, [hit.text for hit in best])
        score = (len(names) - len(missing)) / len(names) if names else 1.0
        score += has_kind / 2  # what is about something else answers nothing, whatever values it has
        if missing:
            return Acceptance(False, f"nothing found is about {missing[0]}", missing[0], score)
        if not has_kind:
            wanted = question_form(inquiry.question).type.value
            return Acceptance(False, f"nothing found has a value: {wanted}", wanted, score)
        return Acceptance(True, "names and kind are there", score=score)


def has_value(inquiry: Inquiry, texts: Sequence[str]) -> bool:
    """Whether a text has a value of the type that the question asks for; true where it asks for none."""
    form = question_form(inquiry.question)
    kinds = _VALUES.get(form.type)
    if form.kind is QuestionKind.YES_NO or kinds is None:
        return True
    if form.type in (AnswerType.NUMBER, AnswerType.AGE) and any(re.search(r"\d", text) for text in texts):
        return True
    return any(quantity.kind in kinds for text in texts for quantity in find_quantities(text))


class RuleCommentor:
    """The error of the route that the rejection implies: a wrong entity explains an empty intersection."""

    calls = 0

    def __init__(self, parts: StepParts) -> None:
        self._view = parts.view

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """One error, and what it is about."""
        last = route.keys[-1] if route.topics else ""
        return next(self._errors(inquiry, offer, route, found, judged), Feedback(FeedbackKind.LACKING, last))

    def _errors(
        self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance
    ) -> Iterator[Feedback]:
        unnamed = [topic.key for topic in offer.named if topic.key not in route.keys]
        if not route.topics:
            yield Feedback(FeedbackKind.NO_ENTITY, offer.entities[0].key if offer.entities else "")
        if unnamed:
            said = set(entity_key(inquiry.text).split())
            yield from (Feedback(FeedbackKind.ENTITY_WRONG, key) for key in route.keys if not said & set(key.split()))
        if route.module is not Module.TEXT:
            yield from (
                Feedback(FeedbackKind.RELATION_WRONG, one) for one in route.relations if not self._leads(one, route)
            )
        if found.met == 0 and len(route.topics) > 1:
            yield Feedback(FeedbackKind.EMPTY, route.keys[-1])
        yield from (Feedback(FeedbackKind.MISSING, name) for name in unnamed)
        if (route.kind is AskedKind.GATE) != (kind_of(inquiry) is AskedKind.GATE):
            yield Feedback(FeedbackKind.KIND_WRONG, kind_of(inquiry).value)
        if route.module is Module.TEXT or judged.nothing_found:
            yield Feedback(FeedbackKind.MODULE_WRONG, route.module.value)

    def _leads(self, relation: str, route: Route) -> bool:
        """Whether a fact lies along the relation at any topic."""
        return any(ego_of(self._view, [key], [relation], radius=1).facts for key in route.keys)
