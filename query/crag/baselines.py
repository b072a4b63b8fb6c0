"""Other ways to gather references over the same pages and graph, which the engine is compared with (as HybGRAG does).

ReAct (Yao et al. 2023): thought, action, observation in one chat, four turns. Corrective RAG (Yan et al. 2024): pages
first; where a model finds them incorrect the graph takes their place, where ambiguous it is added.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from clausegraph.core.errors import UnusableReply
from clausegraph.query.crag.answer import asked, shown_attributes, shown_references, shown_time, shown_times
from clausegraph.query.crag.kg.plan import ENTITY_SCHEMA, parse_entities
from clausegraph.query.crag.types import Attributes, CragQuestion, Reference
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import (
    CORRECT_SCHEMA,
    TURNS,
    UNUSABLE,
    Action,
    Correctness,
    Turn,
    listed,
    parse_correctness,
    take_turns,
)

_OBSERVED = 5  # pieces of pages that an action shows

Found = tuple[Reference, ...]
Look = Callable[[str], Found]  # what pages, or a graph, have for some words


def gather(
    way: str, model: StepModel, question: CragQuestion, attributes: Attributes, pages: Look, graph: Look
) -> tuple[Found, list[str]]:
    """What "react" or "corrective" finds, each reference once, and in words what was done."""
    if way == "react":
        return _react(model, question, attributes, pages, graph)
    first = pages(question.text)
    verdict = _verdict(model, question, first) if first else Correctness.INCORRECT
    kept = () if verdict is Correctness.INCORRECT else first
    added = () if verdict is Correctness.CORRECT else graph(question.text)
    return _once(*kept, *added), [f"the pages are {verdict.value}"]


def _once(*references: Reference) -> Found:
    kept: dict[tuple[object, str], Reference] = {}
    for one in references:
        kept.setdefault((one.kind, one.text), one)
    return tuple(kept.values())


def _verdict(model: StepModel, question: CragQuestion, first: Found) -> Correctness:
    """A reply that cannot be used counts as ambiguous."""
    inputs: dict[str, object] = {
        "question": question.text,
        "scenario": f"asked on {shown_time(question.time)}",
        "context": shown_references(first),
    }
    try:
        return model.ask("corrective", inputs, parse_correctness, schema=CORRECT_SCHEMA).value
    except UnusableReply:
        return Correctness.AMBIGUOUS


def _react(
    model: StepModel, question: CragQuestion, attributes: Attributes, pages: Look, graph: Look
) -> tuple[Found, list[str]]:
    """Turn by turn."""
    found: list[Reference] = []

    def act(turn: Turn) -> str:
        if turn.action is Action.EXTRACT:
            return _extracted(model, question, attributes)
        looked = graph(turn.query) if turn.action is Action.GRAPH else pages(turn.query)
        found.extend(looked)
        return shown_references(looked if turn.action is Action.GRAPH else looked[:_OBSERVED])

    done = take_turns(model, "crag-react", asked(question, turns=str(TURNS)), act)
    return _once(*found), done


def _extracted(model: StepModel, question: CragQuestion, attributes: Attributes) -> str:
    """What the question is about: its entities, attributes and times."""
    about = f"{shown_attributes(attributes)}; {shown_times(question) or 'no time is named'}"
    inputs = {"question": question.text, "time": shown_time(question.time), "types": "any", "feedback": ""}
    try:
        named = model.ask("crag-kg-entities", inputs, partial(parse_entities, types=()), schema=ENTITY_SCHEMA).value
    except UNUSABLE as error:
        return f"{about}; no entities ({error})"
    return f"entities: {listed([name for name, _ in named.names])}; {about}"
