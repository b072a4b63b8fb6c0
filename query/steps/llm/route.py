"""Routing by a model: entities, relations and kind from closed lists, then the module; in one chat, which reflection
goes on with. After the router of HybGRAG (Lee et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.retrieve.topics import Offer, Topic
from clausegraph.query.steps.llm.reply import (
    UNUSABLE,
    chosen,
    labelled,
    listed,
    member,
    object_of,
    object_schema,
)
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import AskedKind, Feedback, Module, Route, StepNotes, Tried
from clausegraph.query.steps.route import TOPICS, RuleRouter, kind_of, mended

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage

RELATIONS = 5
_TEXTS = {"type": "array", "items": {"type": "string"}}
CHOICE_SCHEMA = object_schema(
    "route", entities=_TEXTS, relations=_TEXTS, kind={"type": "string", "enum": [kind.value for kind in AskedKind]}
)
MODULE_SCHEMA = object_schema("module", module={"type": "string", "enum": [module.value for module in Module]})


@dataclass(frozen=True, slots=True)
class RouteChoice:
    """What a reply chose of what was offered; ``ignored`` is what it named that was not."""

    topics: tuple[Topic, ...]
    relations: tuple[str, ...]
    kind: AskedKind | None
    ignored: int


def parse_choice(text: str, entities: Sequence[Topic], relations: Sequence[str]) -> RouteChoice:
    """Read the first reply.

    Raises:
        UnusableReply: it is no JSON object, or names none of what is asked for.
    """
    reply = object_of(text)
    if not reply.keys() & {"entities", "relations", "kind"}:
        raise UnusableReply("the reply has neither entities nor relations nor kind")
    topics, strange = chosen(reply.get("entities"), entities, lambda topic: topic.key, "e")
    along, stranger = chosen(reply.get("relations"), relations, str, "r")
    kind = member(reply.get("kind"), AskedKind)
    return RouteChoice(tuple(topics[:TOPICS]), tuple(along[:RELATIONS]), kind, strange + stranger)


def parse_module(text: str) -> Module:
    """Read the second reply.

    Raises:
        UnusableReply: it names no module.
    """
    module = member(object_of(text).get("module"), Module)
    if module is None:
        raise UnusableReply("the reply names no module")
    return module


class LlmRouter:
    """Asks; what cannot be used is done by rules, and noted."""

    calls = 2

    def __init__(self, model: StepModel) -> None:
        self.notes = StepNotes()
        self._model = model
        self._rules = RuleRouter()
        self._chat: tuple[ChatMessage, ...] = ()

    def route(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route | None:
        """The model's route; where it gives one that was tried, the rules mend the last one."""
        try:
            route = self._asked(inquiry, offer, tried)
        except UNUSABLE as error:
            self.notes.said["by rules"] = str(error)
            return self._rules.route(inquiry, offer, tried)
        before = {one.route for one in tried}
        if route not in before:
            return route
        self.notes.said["repeated"] = "the model gave a route that was tried"
        return next((one for one in mended(route, _feedback(tried), inquiry, offer) if one not in before), None)

    def _asked(self, inquiry: Inquiry, offer: Offer, tried: Sequence[Tried]) -> Route:
        parse = partial(parse_choice, entities=offer.entities, relations=offer.relations)
        if not self._chat:
            inputs: dict[str, object] = {
                "question": inquiry.question,
                "scenario": inquiry.scenario or "none",
                "entities": labelled([f"{topic.key} ({topic.type})" for topic in offer.entities], "e"),
                "relations": labelled(offer.relations, "r"),
            }
            said = self._model.ask("route", inputs, parse, schema=CHOICE_SCHEMA)
        else:
            last = tried[-1].route
            inputs = {"feedback": _feedback(tried).words, "about": _feedback(tried).about} | _in_words(last)
            said = self._model.ask("route-again", inputs, parse, schema=CHOICE_SCHEMA, before=self._chat)
        choice, self._chat = said.value, said.chat
        if choice.ignored:
            self.notes.said["ignored"] = f"{choice.ignored} names that are not in the corpus"
        kind = choice.kind or kind_of(inquiry)
        if not choice.topics:
            return Route(kind)
        drawn = Route(kind, Module.HYBRID, choice.topics, choice.relations)
        return Route(kind, self._module(drawn), choice.topics, choice.relations)

    def _module(self, drawn: Route) -> Module:
        """Asked once the model has seen what it chose."""
        inputs = {name: value for name, value in _in_words(drawn).items() if name != "module"}
        said = self._model.ask("route-module", inputs, parse_module, schema=MODULE_SCHEMA, before=self._chat)
        self._chat = said.chat
        return said.value


def _feedback(tried: Sequence[Tried]) -> Feedback:
    feedback = tried[-1].feedback
    assert feedback is not None  # a round that was not the last has been commented
    return feedback


def _in_words(route: Route) -> dict[str, object]:
    return {
        "topics": listed([f"{topic.key} ({topic.type})" for topic in route.topics]),
        "relations": listed(route.relations),
        "module": route.module.value,
    }
