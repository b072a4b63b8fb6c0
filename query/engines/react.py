"""ReAct (Yao et al. 2023) over the bank: thought, action, observation, in one chat; three actions, four turns.

As HybGRAG's baseline has it: search text, search the graph, or extract names of entities and relations. All that was
found in any turn is then read in one prompt.
"""

from __future__ import annotations

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.engines.preset import Sources, preset
from clausegraph.query.engines.prompt import PromptContext
from clausegraph.query.retrieve.bank import Hit
from clausegraph.query.retrieve.graph import Offer
from clausegraph.query.steps.model import inputs_of
from clausegraph.query.steps.reply import TURNS, Action, Turn, listed, take_turns

CHUNKS, TRIPLES = 3, 10  # that an action finds
NAMES = 15  # entities, and relations, that "extract" names


def _turns(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The pieces and triples that the turns found, each once; those of the question where they found nothing."""
    found: dict[tuple[object, str], Hit] = {}
    stated: list[str] = []

    def act(turn: Turn) -> str:
        observed, triples, hits = _taken(sources, turn)
        stated.extend(triples)
        for hit in hits:
            found.setdefault((hit.page, hit.key), hit)
        return observed

    take_turns(sources.model, "react", inputs_of(inquiry, turns=str(TURNS)), act)
    return sources.shown(list(found.values()) or sources.chunks(inquiry, CHUNKS), stated)


def _taken(sources: Sources, turn: Turn) -> tuple[str, list[str], list[Hit]]:
    """What the model is shown of an action, and the triples and pieces that it found."""
    looked_for = Inquiry(turn.query)
    if turn.action is Action.EXTRACT:
        offer = Offer(sources.view, sources.embedder, looked_for)
        names = listed([f"{topic.key} ({topic.type})" for topic in offer.entities[:NAMES]])
        return f"Entities: {names}\nRelations: {listed(offer.relations[:NAMES])}", [], []
    if turn.action is Action.GRAPH:
        triples, hits = sources.triples(looked_for, TRIPLES, CHUNKS)
    else:
        triples, hits = [], sources.chunks(looked_for, CHUNKS)
    shown = sources.shown(hits, triples)
    return shown.text or "nothing", list(shown.triples), hits


react = preset("react", _turns)
