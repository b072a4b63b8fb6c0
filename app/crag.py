"""The engine for open questions as the settings have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clausegraph.core.settings import Settings
    from clausegraph.query.crag.kg.plan import KnowledgeGraph
    from clausegraph.query.crag.kg.sparql import EndpointLimits
    from clausegraph.query.crag.types import (
        AttributePredictor,
        Calculator,
        CragOptions,
        CragParts,
        CragSwitches,
        KgLookup,
    )
    from clausegraph.query.steps.model import StepModel


def crag_options(settings: Settings, switches: CragSwitches | None = None) -> CragOptions:
    """Which modules are on, those of the settings or others, and the parts that this deployment has."""
    from clausegraph.query.crag.types import CragOptions

    switches = switches or crag_switches(settings)
    return CragOptions(switches, crag_parts(settings, switches))


def crag_switches(settings: Settings) -> CragSwitches:
    """The switches of the settings."""
    from clausegraph.query.crag.types import CragSwitches

    return CragSwitches(
        attributes=settings.crag_attributes,
        policy=settings.crag_policy,
        graph=settings.crag_graph,
        trust=settings.crag_trust,
        calculator=settings.crag_calculator,
        tables=settings.crag_tables,
        self_check=settings.crag_self_check,
        sub_problems=settings.crag_sub_problems,
        false_premise=settings.crag_false_premise,
        own_knowledge=settings.crag_own_knowledge,
        summarise=settings.crag_summarise,
        critic=settings.crag_critic,
        rounds=settings.crag_rounds,
        batch=settings.crag_batch,
        references=settings.crag_references,
        seconds=settings.crag_seconds,
    )


def crag_parts(settings: Settings, switches: CragSwitches) -> CragParts:
    """Makers of predictor, graph and calculator; what is not set up is left out."""
    from clausegraph.query.crag.types import CragParts

    return CragParts(predictor_maker(settings), _graph(settings, switches), _calculator(settings))


def predictor_maker(settings: Settings) -> Callable[[StepModel | None], AttributePredictor | None]:
    """Those that the settings name, or all that are at hand.

    Raises:
        InputError: the file of the classifiers, or of the examples, cannot be read.
        ModelMismatchError: they were trained on other embeddings.
        SettingsError: one is named and not set up.
    """
    from clausegraph.query.crag.attributes import AttributeRules, AttributesTogether, read_labels

    chosen = settings.crag_attributes
    known: list[AttributePredictor] = [AttributeRules()] if chosen in ("auto", "rules") else []
    if chosen in ("auto", "svm") and (svm := _classifiers(settings, needed=chosen == "svm")) is not None:
        known.append(svm)
    asks = chosen == "model" or (chosen == "auto" and settings.crag_attribute_model is None)
    examples = read_labels(settings.crag_attribute_examples.expanduser()) if settings.crag_attribute_examples else ()

    def make(model: StepModel | None) -> AttributePredictor | None:
        from clausegraph.query.crag.attributes import ModelAttributes

        if chosen == "off":
            return None
        more = [ModelAttributes(model, settings.crag_attribute_samples, examples)] if asks and model is not None else []
        return AttributesTogether([*known, *more])

    return make


def _classifiers(settings: Settings, *, needed: bool) -> AttributePredictor | None:
    from clausegraph.app.wiring import make_embedder
    from clausegraph.core.errors import SettingsError
    from clausegraph.query.crag.svm import AttributeSvm, read_attribute_model

    if settings.crag_attribute_model is None:
        if needed:
            raise SettingsError("CLAUSEGRAPH_CRAG_ATTRIBUTES=svm needs CLAUSEGRAPH_CRAG_ATTRIBUTE_MODEL; train one")
        return None
    return AttributeSvm(read_attribute_model(settings.crag_attribute_model.expanduser()), make_embedder(settings))


def _graph(settings: Settings, switches: CragSwitches) -> Callable[[StepModel | None], KgLookup | None]:
    """What the settings name: the API of functions, or an endpoint under a plan. Without one a corpus has its own.

    Raises:
        SettingsError: an address is none, or Neo4j cannot be used.
    """
    from clausegraph.query.crag.types import nobody

    if settings.crag_graph_kind != "neo4j" and settings.crag_graph_url is None:
        return nobody
    return partial(_lookup, settings, switches)


def _lookup(settings: Settings, switches: CragSwitches, model: StepModel | None) -> KgLookup | None:
    from clausegraph.query.crag.kg.api import ApiAddress, PlannedLookup, RuleLookup, ToolLookup
    from clausegraph.query.crag.kg.plan import GraphLookup
    from clausegraph.query.crag.kg.sparql import EndpointLimits

    chosen, limits = settings.crag_graph, EndpointLimits(settings.crag_graph_seconds)
    if chosen == "off":
        return None
    if settings.crag_graph_kind != "api":
        opened = partial(_endpoint, settings, limits)
        return GraphLookup(opened, model, switches.hops, filtered=switches.filtered) if model is not None else None
    api = ApiAddress(settings.crag_graph_url or "", limits)
    if model is None or chosen == "rules":
        return RuleLookup(api)
    if chosen == "tools":
        return ToolLookup(api, model)
    return PlannedLookup(api, model, switches.hops, filtered=switches.filtered)


@contextmanager
def _endpoint(settings: Settings, limits: EndpointLimits) -> Iterator[KnowledgeGraph]:
    if settings.crag_graph_kind == "neo4j":
        from clausegraph.app.neo4j import make_server
        from clausegraph.query.crag.kg.cypher import CypherGraph

        with make_server(settings) as server:
            yield CypherGraph(server, settings.crag_graph_name)
        return
    from clausegraph.query.crag.kg.sparql import Endpoint, SparqlGraph

    with Endpoint(settings.crag_graph_url or "", limits) as endpoint:
        yield SparqlGraph(endpoint)


def _calculator(settings: Settings) -> Callable[[StepModel | None], Calculator | None]:
    def make(model: StepModel | None) -> Calculator | None:
        from clausegraph.query.crag.calculator import ModelCalculator

        return ModelCalculator(model, settings.crag_calculator_samples) if model is not None else None

    return make
