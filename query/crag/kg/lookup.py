"""A plan over a graph as the engine's look-up; where a plan cannot be made, the calls that rules build."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import replace

from clausegraph.core.errors import StoreUnavailable
from clausegraph.query.crag.kg.api.client import ApiSession
from clausegraph.query.crag.kg.api.graph import ApiGraph
from clausegraph.query.crag.kg.api.lookup import ApiAddress, RuleLookup
from clausegraph.query.crag.kg.plan import HOPS, PlanResult, SchemaPlan
from clausegraph.query.crag.kg.protocol import KnowledgeGraph
from clausegraph.query.crag.kg.references import kg_reference
from clausegraph.query.crag.types import Attributes, CragFeedback, CragQuestion, KgFound
from clausegraph.query.steps.llm.reply import UNUSABLE
from clausegraph.query.steps.model import StepModel


class PlannedLookup:
    """KERAG over the API of functions."""

    def __init__(self, api: ApiAddress, model: StepModel, hops: int = HOPS, *, filtered: bool = True) -> None:
        self._api, self._model, self._hops, self._filtered = api, model, hops, filtered

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts along the plan.

        Raises:
            StoreUnavailable: the API did not answer.
        """
        with self._api.session() as api:
            plan = SchemaPlan(self._model, ApiGraph(api), self._hops, filtered=self._filtered)
            try:
                planned = plan.run(question, feedback)
            except UNUSABLE as error:
                found = RuleLookup(self._api).lookup(question, attributes, feedback)
                return replace(found, calls=(f"no plan ({error})", *found.calls))
            if not planned.facts and api.failure:
                raise StoreUnavailable(api.failure)
            return found_by_plan(planned, ApiGraph.name, api)


class GraphLookup:
    """KERAG over any graph, which is opened for each look-up and closed after it."""

    def __init__(
        self,
        opened: Callable[[], AbstractContextManager[KnowledgeGraph]],
        model: StepModel,
        hops: int = HOPS,
        *,
        filtered: bool = True,
    ) -> None:
        self._opened, self._model, self._hops, self._filtered = opened, model, hops, filtered

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts along the plan; nothing where no plan can be made.

        Raises:
            StoreError: the graph did not answer.
        """
        with self._opened() as graph:
            plan = SchemaPlan(self._model, graph, self._hops, filtered=self._filtered)
            try:
                planned = plan.run(question, feedback)
            except UNUSABLE as error:
                return KgFound(calls=(f"no plan ({error})",))
            return found_by_plan(planned, graph.name)


def found_by_plan(planned: PlanResult, graph: str, api: ApiSession | None = None) -> KgFound:
    """The facts as references; the plan and the calls that it led to, in words."""
    calls, functions = (api.words, api.functions) if api is not None else ((), ())
    references = tuple(
        kg_reference(
            fact.text, graph, fact.source or fact.relation, [thing.name for thing in planned.entities], fact.evidence
        )
        for fact in planned.facts
    )
    entities = tuple(thing.name for thing in planned.entities)
    return KgFound(references, (*planned.said, *calls), entities, looked_into=functions or (graph,))
