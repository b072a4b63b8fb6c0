"""The loop's steps by a language model, after router, validator and commentor of HybGRAG (Lee et al. 2024).

Each asks; a reply that cannot be used is done without, by the rules, and noted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.prompts import shipped_examples
from clausegraph.query.retrieve.graph import Offer, Topic
from clausegraph.query.steps.model import Said, StepModel, inputs_of
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
from clausegraph.query.steps.reply import (
    UNUSABLE,
    chosen,
    fault_of,
    labelled,
    listed,
    member,
    object_of,
    object_schema,
    parse_judgement,
    parse_label,
)
from clausegraph.query.steps.rules import TOPICS, RuleCommentor, RuleRouter, RuleValidator, kind_of, mended

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage

RELATIONS = 5
SHOWN = 30  # hits: about a quarter of what a reader with a model is given
PATHS = 10
COMMENT = "comment"
_TEXTS = {"type": "array", "items": {"type": "string"}}
CHOICE_SCHEMA = object_schema(
    "route", entities=_TEXTS, relations=_TEXTS, kind={"type": "string", "enum": [kind.value for kind in AskedKind]}
)
MODULE_SCHEMA = object_schema("module", module={"type": "string", "enum": [module.value for module in Module]})
VALIDATE_SCHEMA = object_schema("validate", missing={"type": "string"}, enough={"type": "boolean"})
COMMENT_SCHEMA = object_schema(
    "comment", error={"type": "string", "enum": [kind.value for kind in FeedbackKind]}, about={"type": "string"}
)


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """What a reply chose of what was offered; ``ignored`` is what it named that was not."""

    topics: tuple[Topic, ...]
    relations: tuple[str, ...]
    kind: AskedKind | None
    ignored: int


def parse_choice(text: str, entities: Sequence[Topic], relations: Sequence[str]) -> RouteChoice:
    """Read the first reply of a router."""
    reply = object_of(text)
    if not reply.keys() & {"entities", "relations", "kind"}:
        raise UnusableReply("the reply has neither entities nor relations nor kind")
    topics, strange = chosen(reply.get("entities"), entities, lambda topic: topic.key, "e")
    along, stranger = chosen(reply.get("relations"), relations, str, "r")
    kind = member(reply.get("kind"), AskedKind)
    return RouteChoice(tuple(topics[:TOPICS]), tuple(along[:RELATIONS]), kind, strange + stranger)


parse_module = partial(parse_label, name="module", kind=Module, refusal="the reply names no module")


def parse_feedback(text: str, route: Route, offer: Offer) -> Feedback:
    """Read a commentor's reply; what it is about must be of the route or on offer, else it is left out."""
    kind, about = fault_of(text, FeedbackKind, "error", "about", "the reply names no error of the set")
    known = {*route.keys, *route.relations, *(topic.key for topic in offer.entities), *offer.relations, *AskedKind}
    return Feedback(kind, about if about in known else "")


def _model_of(parts: StepParts) -> StepModel:
    assert parts.model is not None  # ``make_step`` has told of one that is missing
    return parts.model


class LlmRouter:
    """Entities, relations and kind from closed lists, then the module; in one chat, which reflection goes on with."""

    calls = 2

    def __init__(self, parts: StepParts) -> None:
        self._model, self._notes, self._rules = _model_of(parts), parts.notes, RuleRouter(parts)
        self._chat: tuple[ChatMessage, ...] = ()

    def route(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route | None:
        """The model's route; where it gives one that was tried, the rules mend the last one."""
        try:
            route = self._asked(inquiry, offer, tried)
        except UNUSABLE as error:
            self._notes["by rules"] = str(error)
            return self._rules.route(inquiry, offer, tried)
        before = {one.route for one in tried}
        if route not in before:
            return route
        self._notes["repeated"] = "the model gave a route that was tried"
        return next((one for one in mended(route, _feedback(tried), inquiry, offer) if one not in before), None)

    def _asked(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route:
        if not self._chat:
            said = ask_choice(self._model, inquiry, offer.entities, offer.relations)
        else:
            feedback, last = _feedback(tried), tried[-1].route
            inputs = {"feedback": feedback.kind.value, "about": feedback.about, "module": last.module.value} | _topics(
                last
            )
            parse = partial(parse_choice, entities=offer.entities, relations=offer.relations)
            said = self._model.ask("route-again", inputs, parse, schema=CHOICE_SCHEMA, before=self._chat)
        choice, self._chat = said.value, said.chat
        if choice.ignored:
            self._notes["ignored"] = f"{choice.ignored} names that are not in the corpus"
        kind = choice.kind or kind_of(inquiry)
        if not choice.topics:
            return Route(kind)
        drawn = Route(kind, Module.HYBRID, choice.topics, choice.relations)
        placed = self._model.ask("route-module", _topics(drawn), parse_module, schema=MODULE_SCHEMA, before=self._chat)
        self._chat = placed.chat
        return Route(kind, placed.value, choice.topics, choice.relations)


def ask_choice(
    model: StepModel, inquiry: Inquiry, entities: Sequence[Topic], relations: Sequence[str] = ()
) -> Said[RouteChoice]:
    """The entities and relations that a model chooses for a question, of those on offer."""
    names = [f"{topic.key} ({topic.type})" for topic in entities]
    inputs = inputs_of(inquiry, entities=labelled(names, "e"), relations=labelled(relations, "r"))
    parse = partial(parse_choice, entities=entities, relations=relations)
    return model.ask("route", inputs, parse, schema=CHOICE_SCHEMA)


def _feedback(tried: Sequence[Tried]) -> Feedback:
    feedback = tried[-1].feedback
    assert feedback is not None  # a round that was not the last has been commented
    return feedback


def _topics(route: Route) -> dict[str, object]:
    return {"topics": listed(route.names), "relations": listed(route.relations)}


class LlmValidator:
    """One call with what was found and how, unless nothing was found."""

    calls = 1
    last = True

    def __init__(self, parts: StepParts) -> None:
        self._model, self._notes, self._view = _model_of(parts), parts.notes, parts.view
        self._rules = RuleValidator(parts)

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """The model's judgement."""
        by_rules = self._rules.validate(inquiry, offer, route, found)
        if by_rules.nothing_found:
            return by_rules
        hits = found.hits[:SHOWN]
        lines = (" > ".join((self._view.reading(hit.page).title, *hit.headings)) + f": {hit.text}" for hit in hits)
        inputs = inputs_of(inquiry, paths="\n".join(found.paths[:PATHS]), found="\n".join(lines))
        pages = tuple(dict.fromkeys(str(hit.page) for hit in hits))
        try:
            return self._model.ask("validate", inputs, parse_judgement, schema=VALIDATE_SCHEMA, pages=pages).value
        except UNUSABLE as error:
            self._notes["by rules"] = str(error)
            return by_rules


class LlmCommentor:
    """One error of the fixed set. It sees the route, not what was found."""

    calls = 1

    def __init__(self, parts: StepParts) -> None:
        self._model, self._notes, self._rules = _model_of(parts), parts.notes, RuleCommentor(parts)
        self._examples = shipped_examples(self._model.prompt(COMMENT))

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """The model's feedback; where the entities have nothing in common there is nothing to ask."""
        if found.met == 0 and len(route.topics) > 1:
            return Feedback(FeedbackKind.EMPTY, route.keys[-1])
        inputs = _topics(route) | inputs_of(
            inquiry,
            module=route.module.value,
            kind=route.kind.value,
            missing=judged.reason,
            examples=self._examples,
        )
        try:
            parse = partial(parse_feedback, route=route, offer=offer)
            return self._model.ask(COMMENT, inputs, parse, schema=COMMENT_SCHEMA).value
        except UNUSABLE as error:
            self._notes["by rules"] = str(error)
            return self._rules.comment(inquiry, offer, route, found, judged)
