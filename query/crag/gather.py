"""Other ways to gather references over the same pages and graph, which the engine is compared with (as HybGRAG does).

ReAct (Yao et al. 2023): thought, action, observation in one chat, four turns. Corrective RAG (Yan et al. 2024): pages
first; where a model finds them incorrect the graph takes their place, where ambiguous it is added.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.query.crag.answer import asked, shown_attributes, shown_references, shown_time, shown_times
from clausegraph.query.crag.kg.plan import ENTITY_SCHEMA, parse_entities
from clausegraph.query.crag.types import Attributes, CragQuestion, Reference
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import (
    CORRECT_SCHEMA,
    TURN_SCHEMA,
    TURNS,
    UNUSABLE,
    Action,
    Correctness,
    Turn,
    listed,
    parse_correctness,
    parse_turn,
)

_OBSERVED = 5  # pieces of pages that an action shows

Found = tuple[Reference, ...]


class CragSources:
    """Pages and graph of a question; keeps what was found, each reference once.

    Args:
        pages: the pieces nearest to some words; none where there are no pages.
        graph: what the graph says to some words; none where there is no graph, or it failed.
    """

    def __init__(self, pages: Callable[[str], Found], graph: Callable[[str], Found]) -> None:
        self._pages, self._graph = pages, graph
        self.found: list[Reference] = []

    def pages(self, words: str) -> Found:
        """Look into the pages."""
        return self._kept(self._pages(words))

    def graph(self, words: str) -> Found:
        """Ask the graph."""
        return self._kept(self._graph(words))

    def _kept(self, found: Found) -> Found:
        known = {(one.kind, one.text) for one in self.found}
        self.found += [one for one in found if (one.kind, one.text) not in known]
        return found


def gather(
    way: str, model: StepModel, question: CragQuestion, attributes: Attributes, sources: CragSources
) -> tuple[str, ...]:
    """Look things up as "react" or "corrective" does; says in words what was done, the sources keep what was found."""
    if way == "react":
        return _react(model, question, attributes, sources)
    return _corrected(model, question, sources)


def _react(model: StepModel, question: CragQuestion, attributes: Attributes, sources: CragSources) -> tuple[str, ...]:
    """What was done, turn by turn; a reply that cannot be used ends the turns."""
    inputs = asked(question, turns=str(TURNS))
    prompt, chat, done = "crag-react", tuple[Any, ...](), list[str]()
    for left in range(TURNS - 1, -1, -1):
        try:
            said = model.ask(prompt, inputs, parse_turn, schema=TURN_SCHEMA, before=chat)
        except UNUSABLE as error:
            done.append(f"no further turn: {error}")
            break
        turn = said.value
        done.append(f"{turn.action.value}: {turn.query}" if turn.query else turn.action.value)
        if turn.action is Action.ANSWER:
            break
        observed = _observed(model, turn, question, attributes, sources)
        prompt, chat, inputs = "react-next", said.chat, {"observed": observed, "left": str(left)}
    return tuple(done)


def _observed(
    model: StepModel, turn: Turn, question: CragQuestion, attributes: Attributes, sources: CragSources
) -> str:
    """What the model is shown of an action: pages, the graph, or what the question is about."""
    if turn.action is Action.GRAPH:
        return shown_references(sources.graph(turn.query))
    if turn.action is Action.TEXT:
        return shown_references(sources.pages(turn.query)[:_OBSERVED])
    inputs: dict[str, object] = {
        "question": question.text,
        "time": shown_time(question.time),
        "types": "any",
        "feedback": "",
    }
    about = f"{shown_attributes(attributes)}; {shown_times(question) or 'no time is named'}"
    try:
        named = model.ask("crag-kg-entities", inputs, partial(parse_entities, types=()), schema=ENTITY_SCHEMA).value
    except UNUSABLE as error:
        return f"{about}; no entities ({error})"
    return f"entities: {listed([name for name, _ in named.names])}; {about}"


def _corrected(model: StepModel, question: CragQuestion, sources: CragSources) -> tuple[str, ...]:
    """The verdict on the pages; a reply that cannot be used counts as ambiguous."""
    first = sources.pages(question.text)
    inputs: dict[str, object] = {
        "question": question.text,
        "scenario": f"asked on {shown_time(question.time)}",
        "context": shown_references(first),
    }
    verdict = Correctness.INCORRECT
    if first:
        try:
            verdict = model.ask("corrective", inputs, parse_correctness, schema=CORRECT_SCHEMA).value
        except UnusableReply:
            verdict = Correctness.AMBIGUOUS
    if verdict is Correctness.INCORRECT:
        sources.found.clear()
    if verdict is not Correctness.CORRECT:
        sources.graph(question.text)
    return (f"the pages are {verdict.value}",)
