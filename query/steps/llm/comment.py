"""Comments by a model: one error of the fixed set. It sees the route, not what was found; after HybGRAG's commentor."""

from __future__ import annotations

from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.prompts import shipped_examples
from clausegraph.query.retrieve.topics import Offer
from clausegraph.query.steps.comment import RuleCommentor
from clausegraph.query.steps.llm.reply import UNUSABLE, listed, member, object_of, object_schema, short
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import Acceptance, AskedKind, Feedback, FeedbackKind, LookedUp, Route, StepNotes

PROMPT = "comment"
SCHEMA = object_schema(
    "comment", error={"type": "string", "enum": [kind.value for kind in FeedbackKind]}, about={"type": "string"}
)


def parse_feedback(text: str, route: Route, offer: Offer) -> Feedback:
    """Read the reply; what it is about must be of the route or on offer, else it is left out.

    Raises:
        UnusableReply: it names no error of the set.
    """
    reply = object_of(text)
    kind = member(reply.get("error"), FeedbackKind)
    if kind is None:
        raise UnusableReply("the reply names no error of the set")
    known = {*route.keys, *route.relations, *(topic.key for topic in offer.entities), *offer.relations, *AskedKind}
    about = short(reply.get("about")).strip()
    return Feedback(kind, about if about in known else "")


class LlmCommentor:
    """Asks; what cannot be used is commented by rules, and noted."""

    calls = 1

    def __init__(self, model: StepModel, rules: RuleCommentor) -> None:
        self.notes = StepNotes()
        self._model, self._rules = model, rules
        self._examples = shipped_examples(model.prompt(PROMPT))

    def comment(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp, judged: Acceptance) -> Feedback:
        """The model's feedback; where the entities have nothing in common there is nothing to ask."""
        if found.met == 0 and len(route.topics) > 1:
            return Feedback(FeedbackKind.EMPTY, route.keys[-1])
        inputs: dict[str, object] = {
            "question": inquiry.question,
            "scenario": inquiry.scenario or "none",
            "topics": listed([f"{topic.key} ({topic.type})" for topic in route.topics]),
            "relations": listed(route.relations),
            "module": route.module.value,
            "kind": route.kind.value,
            "missing": judged.reason,
            "examples": self._examples,
        }
        try:
            parse = partial(parse_feedback, route=route, offer=offer)
            return self._model.ask(PROMPT, inputs, parse, schema=SCHEMA).value
        except UNUSABLE as error:
            self.notes.said["by rules"] = str(error)
            return self._rules.comment(inquiry, offer, route, found, judged)
