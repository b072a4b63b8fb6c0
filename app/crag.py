"""The engine for open questions as the settings have it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clausegraph.core.settings import Settings
    from clausegraph.query.crag.kg.http import EndpointLimits
    from clausegraph.query.crag.kg.protocol import KnowledgeGraph
    from clausegraph.query.crag.parts import CragOptions, CragParts
    from clausegraph.query.crag.switches import CragSwitches
    from clausegraph.query.crag.types import AttributePredictor, Calculator, KgLookup
    from clausegraph.query.steps.model import StepModel


NEO4J, SPARQL = "neo4j", "sparql:"  # in place of, or before, the address of ``crag_graph_url``
ATTRIBUTE_SAMPLES = 3  # calls by which a model says what an open question is like
CALCULATOR_SAMPLES = 5  # calls by which it writes the expression of one
SECONDS = 120.0  # after which an open question is answered with "i don't know"


def crag_options(settings: Settings, switches: CragSwitches | None = None) -> CragOptions:
    """Which modules are on, those of the settings or others, and the parts that this deployment has."""
    from clausegraph.query.crag.parts import CragOptions

    switches = switches or crag_switches()
    return CragOptions(switches, crag_parts(settings, switches))


def crag_switches() -> CragSwitches:
    """The switches of a question that somebody asks."""
    from clausegraph.query.crag.switches import CragSwitches

    return CragSwitches(graph="auto", seconds=SECONDS)


def crag_parts(settings: Settings, switches: CragSwitches) -> CragParts:
    """Makers of predictor, graph and calculator; what is not set up is left out."""
    from clausegraph.query.crag.parts import CragParts

    return CragParts(_predictor_maker(settings), _graph(settings, switches), _calculator(settings))


def _predictor_maker(settings: Settings) -> Callable[[StepModel | None], AttributePredictor | None]:
    """Rules, and the classifiers of the settings; without these a language model, where there is one.

    Raises:
        InputError: the file of the classifiers cannot be read.
        ModelMismatchError: they were trained on other embeddings.
    """
    from clausegraph.query.crag.attributes.rules import AttributeRules
    from clausegraph.query.crag.attributes.together import AttributesTogether

    known: list[AttributePredictor] = [AttributeRules()]
    if settings.crag_attribute_model is not None:
        from clausegraph.app.wiring import make_embedder
        from clausegraph.query.crag.attributes.svm import AttributeSvm, read_attribute_model

        classifiers = read_attribute_model(settings.crag_attribute_model.expanduser())
        known.append(AttributeSvm(classifiers, make_embedder(settings)))

    def make(model: StepModel | None) -> AttributePredictor | None:
        from clausegraph.query.crag.attributes.model import ModelAttributes

        asks = model is not None and settings.crag_attribute_model is None
        return AttributesTogether([*known, *([ModelAttributes(model, ATTRIBUTE_SAMPLES)] if asks and model else [])])

    return make


def _graph(settings: Settings, switches: CragSwitches) -> Callable[[StepModel | None], KgLookup | None]:
    """What the settings name: the API of functions, or an endpoint under a plan. Without one a corpus has its own.

    Raises:
        SettingsError: an address is none, or Neo4j cannot be used.
    """
    from clausegraph.query.crag.parts import nobody

    if settings.crag_graph_url is None:
        return nobody
    return partial(_lookup, settings, switches)


def _lookup(settings: Settings, switches: CragSwitches, model: StepModel | None) -> KgLookup | None:
    from clausegraph.query.crag.kg.api.lookup import ApiAddress, RuleLookup
    from clausegraph.query.crag.kg.api.tools import ToolLookup
    from clausegraph.query.crag.kg.http import EndpointLimits
    from clausegraph.query.crag.kg.lookup import GraphLookup, PlannedLookup

    chosen, limits, address = switches.graph, EndpointLimits(), settings.crag_graph_url or ""
    if chosen == "off":
        return None
    if address == NEO4J or address.startswith(SPARQL):
        opened = partial(_endpoint, settings, limits)
        return GraphLookup(opened, model, switches.hops, filtered=switches.filtered) if model is not None else None
    api = ApiAddress(address, limits)
    if model is None or chosen == "rules":
        return RuleLookup(api)
    if chosen == "tools":
        return ToolLookup(api, model)
    return PlannedLookup(api, model, switches.hops, filtered=switches.filtered)


@contextmanager
def _endpoint(settings: Settings, limits: EndpointLimits) -> Iterator[KnowledgeGraph]:
    if settings.crag_graph_url == NEO4J:
        from clausegraph.app.neo4j import make_server
        from clausegraph.query.crag.kg.cypher import CypherGraph

        with make_server(settings) as server:
            yield CypherGraph(server, "name")
        return
    from clausegraph.query.crag.kg.http import Endpoint
    from clausegraph.query.crag.kg.sparql import SparqlGraph

    with Endpoint((settings.crag_graph_url or "").removeprefix(SPARQL), limits) as endpoint:
        yield SparqlGraph(endpoint)


def _calculator(settings: Settings) -> Callable[[StepModel | None], Calculator | None]:
    def make(model: StepModel | None) -> Calculator | None:
        from clausegraph.query.crag.calculate.model import ModelCalculator

        return ModelCalculator(model, CALCULATOR_SAMPLES) if model is not None else None

    return make
