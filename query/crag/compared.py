"""Other ways to gather references over the same pages and graph, which the engine is compared with (as HybGRAG does).

ReAct (Yao et al. 2023): thought, action, observation in one chat, four turns. Corrective RAG (Yan et al. 2024): pages
first; where a model finds them incorrect the graph takes their place, where ambiguous it is added.
"""

from __future__ import annotations

from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.query.crag.kg.plan import ENTITY_SCHEMA, parse_entities
from clausegraph.query.crag.shown import shown_attributes, shown_references, shown_time, shown_times
from clausegraph.query.crag.sources import CragSources
from clausegraph.query.crag.types import Attributes, CragQuestion, Reference
from clausegraph.query.engines.presets.gather import CORRECT_SCHEMA, Correctness, parse_correctness
from clausegraph.query.engines.presets.react import TURN_SCHEMA, Action, Turn, parse_turn
from clausegraph.query.steps.llm.reply import UNUSABLE, listed
from clausegraph.query.steps.model import StepModel

TURNS = 4
_OBSERVED = 5  # pieces of pages that an action shows


class ReactGatherer:
    """Actions: look into the pages, ask the graph, or say what the question is about."""

    name = "react"

    def __init__(self, model: StepModel) -> None:
        self._model = model

    def gather(self, question: CragQuestion, attributes: Attributes, sources: CragSources) -> tuple[str, ...]:
        """What was done, turn by turn; a reply that cannot be used ends the turns."""
        inputs: dict[str, object] = {
            "question": question.text,
            "now": shown_time(question.time),
            "turns": str(TURNS),
        }
        prompt, chat, done = "crag-react", tuple[Any, ...](), list[str]()
        for left in range(TURNS - 1, -1, -1):
            try:
                said = self._model.ask(prompt, inputs, parse_turn, schema=TURN_SCHEMA, before=chat)
            except UNUSABLE as error:
                done.append(f"no further turn: {error}")
                break
            turn = said.value
            done.append(f"{turn.action.value}: {turn.query}" if turn.query else turn.action.value)
            if turn.action is Action.ANSWER:
                break
            observed = self._observed(turn, question, attributes, sources)
            prompt, chat, inputs = "react-next", said.chat, {"observed": observed, "left": str(left)}
        return tuple(done)

    def _observed(self, turn: Turn, question: CragQuestion, attributes: Attributes, sources: CragSources) -> str:
        if turn.action is Action.EXTRACT:
            return self._extracted(turn, question, attributes)
        found: tuple[Reference, ...]
        found = sources.graph(turn.query) if turn.action is Action.GRAPH else sources.pages(turn.query)[:_OBSERVED]
        return shown_references(found)

    def _extracted(self, turn: Turn, question: CragQuestion, attributes: Attributes) -> str:
        inputs: dict[str, object] = {
            "question": question.text,
            "time": shown_time(question.time),
            "types": "any",
            "feedback": "",
        }
        about = f"{shown_attributes(attributes)}; {shown_times(question) or 'no time is named'}"
        try:
            named = self._model.ask(
                "crag-kg-entities", inputs, lambda text: parse_entities(text, ()), schema=ENTITY_SCHEMA
            ).value
        except UNUSABLE as error:
            return f"{about}; no entities ({error})"
        return f"entities: {listed([name for name, _ in named.names])}; {about}"


class CorrectiveGatherer:
    """One verdict on the pages."""

    name = "corrective"

    def __init__(self, model: StepModel) -> None:
        self._model = model

    def gather(self, question: CragQuestion, attributes: Attributes, sources: CragSources) -> tuple[str, ...]:
        """The verdict; a reply that cannot be used counts as ambiguous."""
        first = sources.pages(question.text)
        inputs: dict[str, object] = {
            "question": question.text,
            "scenario": f"asked on {shown_time(question.time)}",
            "context": shown_references(first),
        }
        verdict = Correctness.INCORRECT
        if first:
            try:
                verdict = self._model.ask("corrective", inputs, parse_correctness, schema=CORRECT_SCHEMA).value
            except UnusableReply:
                verdict = Correctness.AMBIGUOUS
        if verdict is Correctness.INCORRECT:
            sources.forget()
        if verdict is not Correctness.CORRECT:
            sources.graph(question.text)
        return (f"the pages are {verdict.value}",)
