"""Think-on-Graph (Sun et al. 2024): a beam over triples that a model prunes; width 3, depth 3, then one answer.

Topic entities, at most ``WIDTH``, are chosen by the router's first prompt. Of each depth one call chooses relations and
one prunes the paths and says whether they suffice: at most 1 + 2 x 3 + 1 calls.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import LITERAL
from clausegraph.indexes.views import View
from clausegraph.query.engines.preset import TRIPLE_CHUNKS, Sources, preset
from clausegraph.query.engines.prompt import PromptContext, of_hits
from clausegraph.query.retrieve.bank import Place
from clausegraph.query.retrieve.graph import Hop, Offer, Path, in_words
from clausegraph.query.retrieve.nearest import chunks_at
from clausegraph.query.steps.llm import ask_choice
from clausegraph.query.steps.model import Schema, inputs_of
from clausegraph.query.steps.reply import chosen, labelled, object_of, object_schema

WIDTH, DEPTH = 3, 3
CHOICES = 40  # steps or paths that are listed at once
FACTS = 200  # around an entity
_TEXTS = {"type": "array", "items": {"type": "string"}}
RELATIONS_SCHEMA = object_schema("steps", chosen=_TEXTS)
PATHS_SCHEMA = object_schema("paths", chosen=_TEXTS, enough={"type": "boolean"})


@dataclass(frozen=True, slots=True)
class Pruned:
    """The choices that a reply keeps, and whether they are enough."""

    kept: tuple[str, ...]
    enough: bool


def _walked(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The triples of the paths that survive, and the chunks that state them."""
    beam: list[Path] = []
    reached = _topics(sources, inquiry)
    for _ in range(DEPTH):
        hops = _followed(sources, inquiry, reached)
        grown = [(*before, hop) for hop in hops for before in _leading(beam, hop)]
        if not grown:
            break
        paths = {in_words(path): path for path in [*beam, *grown]}
        said = _ask(sources, inquiry, "graph-paths", list(paths)[:CHOICES], PATHS_SCHEMA)
        beam = [paths[words] for words in said.kept] or grown[:WIDTH]
        if said.enough:
            break
        reached = list(dict.fromkeys(path[-1].end for path in beam if not path[-1].end.startswith(LITERAL)))
    return _context(sources.view, beam)


def parse_pruned(text: str, choices: Sequence[str]) -> Pruned:
    """Read a reply: labels of the list, at most ``WIDTH``."""
    reply = object_of(text)
    kept, _ = chosen(reply.get("chosen"), choices, str, "s")
    return Pruned(tuple(kept[:WIDTH]), reply.get("enough") is True)


def _ask(sources: Sources, inquiry: Inquiry, prompt: str, choices: Sequence[str], schema: Schema) -> Pruned:
    inputs = inputs_of(inquiry, choices=labelled(choices, "s"), width=WIDTH)
    return sources.model.ask(prompt, inputs, partial(parse_pruned, choices=choices), schema=schema).value


def _topics(sources: Sources, inquiry: Inquiry) -> list[str]:
    entities = Offer(sources.view, sources.embedder, inquiry).entities
    topics = ask_choice(sources.model, inquiry, entities).value.topics
    return [topic.key for topic in topics or entities[:WIDTH]]


def _followed(sources: Sources, inquiry: Inquiry, reached: Sequence[str]) -> list[Hop]:
    """The hops from the entities reached along the relations that the model chooses."""
    steps: dict[str, list[Hop]] = {}
    for key in reached[:WIDTH]:
        for fact in sources.view.graph.neighbourhood([key], hops=1, limit=FACTS):
            hop = Hop(fact, fact.subject == key)
            steps.setdefault(f"{key}, {fact.relation}", []).append(hop)
    if not steps:
        return []
    listed = list(steps)[:CHOICES]
    said = _ask(sources, inquiry, "graph-relations", listed, RELATIONS_SCHEMA)
    return [hop for words in (said.kept or listed[:WIDTH]) for hop in steps[words]]


def _leading(beam: Sequence[Path], hop: Hop) -> list[Path]:
    """The paths that end where a hop starts; the empty one at the beginning. None goes back to where it was."""
    before = [path for path in beam if path[-1].end == hop.start] or ([()] if not beam else [])
    return [path for path in before if hop.end not in {step.start for step in path}]


def _context(view: View, beam: Sequence[Path]) -> PromptContext:
    facts = {hop.fact.id: number for number, path in enumerate(beam) for hop in reversed(path)}
    places: dict[Place, float] = {}
    for support in view.graph.supports(sorted(facts)):
        place = (support.page, support.chunk_key)
        places[place] = max(-float(facts[support.fact_id]), places.get(place, -float(len(facts))))
    ordered = dict(sorted(places.items(), key=lambda item: (-item[1], item[0]))[:TRIPLE_CHUNKS])
    return of_hits(view.reading, chunks_at(view, ordered, "path"), [in_words(path) for path in beam])


think_on_graph = preset("think-on-graph", _walked)
