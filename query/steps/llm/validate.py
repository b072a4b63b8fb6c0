"""Validation by a model: one call with what was found and how. After the validator of HybGRAG (Lee et al. 2024)."""

from __future__ import annotations

from collections.abc import Sequence

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import Pages
from clausegraph.query.retrieve.topics import Offer
from clausegraph.query.steps.llm.reply import UNUSABLE, object_of, object_schema, short
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import Acceptance, Lack, LookedUp, Route, StepNotes
from clausegraph.query.steps.validate import RuleValidator

SHOWN = 30  # hits: about a quarter of what a reader with a model is given
PATHS = 10
SCHEMA = object_schema("validate", missing={"type": "string"}, enough={"type": "boolean"})


def parse_judgement(text: str) -> Acceptance:
    """Read the reply.

    Raises:
        UnusableReply: it does not say whether it is enough.
    """
    reply = object_of(text)
    enough = reply.get("enough")
    if not isinstance(enough, bool):
        raise UnusableReply("the reply does not say whether it is enough")
    missing = short(reply.get("missing"))
    if enough:
        return Acceptance(True, "a model says that it is enough")
    return Acceptance(False, missing or "a model says that it is not enough", Lack.SAID, missing)


class LlmValidator:
    """Asks, unless nothing was found; what cannot be used is judged by rules, and noted."""

    calls = 1
    last = True

    def __init__(self, model: StepModel, pages: Pages, *, with_paths: bool = True) -> None:
        self.notes = StepNotes()
        self._model, self._pages, self._with_paths = model, pages, with_paths
        self._rules = RuleValidator(pages)

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """The model's judgement."""
        by_rules = self._rules.validate(inquiry, offer, route, found)
        if by_rules.lack is Lack.NOTHING_FOUND:
            return by_rules
        inputs: dict[str, object] = {
            "question": inquiry.question,
            "scenario": inquiry.scenario or "none",
            "paths": "\n".join(found.paths[:PATHS]) if self._with_paths else "",
            "found": shown(found.hits[:SHOWN], self._pages),
        }
        pages = tuple(dict.fromkeys(str(hit.page) for hit in found.hits[:SHOWN]))
        try:
            return self._model.ask("validate", inputs, parse_judgement, schema=SCHEMA, pages=pages).value
        except UNUSABLE as error:
            self.notes.said["by rules"] = str(error)
            return by_rules


def shown(hits: Sequence[Hit], pages: Pages) -> str:
    """The hits, a line each, behind their page and headings."""
    return "\n".join(" > ".join((pages(hit.page).title, *hit.headings)) + f": {hit.text}" for hit in hits)
