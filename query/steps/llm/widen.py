"""Which relations of a wide neighbourhood are kept, by a model: a call a hop, on the schema; after KERAG's plan."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.retrieve.wide import PREDICATES, Kept, Reached
from clausegraph.query.steps.llm.reply import UNUSABLE, chosen, labelled, listed, object_of, object_schema
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.protocol import StepNotes

PROMPT = "wide-relations"
SCHEMA = object_schema("relations", keep={"type": "array", "items": {"type": "string"}}, enough={"type": "boolean"})


def parse_kept(text: str, relations: tuple[str, ...]) -> tuple[Kept, int]:
    """Read the reply; what it names that is not of the list is counted and left out.

    Raises:
        UnusableReply: it does not say what to keep, or nothing of the list.
    """
    reply = object_of(text)
    keep, strange = chosen(reply.get("keep"), relations, str, "r")
    if not keep and not (reply.get("keep") == [] and reply.get("enough") is True):
        raise UnusableReply("the reply keeps no relation of the list")
    return Kept(tuple(keep[:PREDICATES]), enough=reply.get("enough") is True), strange


class LlmRelations:
    """Asks once for what it is shown, however often a question looks; what cannot be used is left to similarity."""

    calls = 3  # one a hop

    def __init__(self, model: StepModel) -> None:
        self.notes = StepNotes()
        self._model = model
        self._said: dict[Reached, Kept | None] = {}

    def kept(self, inquiry: Inquiry, reached: Reached) -> Kept | None:
        """What to keep of the relations of a hop; none where the model cannot say. A single one is not asked for."""
        if len(reached.relations) == 1:
            return Kept((reached.relations[0][0],))
        if reached not in self._said:
            self._said[reached] = self._asked(inquiry, reached)
        return self._said[reached]

    def _asked(self, inquiry: Inquiry, reached: Reached) -> Kept | None:
        relations = tuple(relation for relation, _ in reached.relations)
        inputs: Mapping[str, object] = {
            "question": inquiry.question,
            "scenario": inquiry.scenario or "none",
            "topics": listed(reached.topics),
            "relations": labelled([f"{relation} ({example})" for relation, example in reached.relations], "r"),
            "width": PREDICATES,
        }
        try:
            kept, strange = self._model.ask(
                PROMPT, inputs, partial(parse_kept, relations=relations), schema=SCHEMA
            ).value
        except UNUSABLE as error:
            self.notes.said[f"relations of hop {reached.hop}"] = f"by similarity: {error}"
            return None
        ignored = f", {strange} names that were not shown" if strange else ""
        said = f"{len(kept.relations)} of {len(relations)} kept{ignored}"
        self.notes.said[f"relations of hop {reached.hop}"] = said + (", enough" if kept.enough else "")
        return kept
