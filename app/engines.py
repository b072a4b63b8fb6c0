"""Engines made from Settings: the reader with a language model, and the engine for open questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from clausegraph.app.models import check_price, make_server
from clausegraph.core.settings import Settings

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.guard import GuardedLLM
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.core.settings import Settings
    from clausegraph.eval.conditionalqa.dataset import Question
    from clausegraph.indexes.views import View
    from clausegraph.query.crag.kg.plan import KnowledgeGraph
    from clausegraph.query.crag.types import AttributePredictor, Calculator, CragOptions, CragSwitches, KgLookup
    from clausegraph.query.engines.bank import Engine, EngineOptions
    from clausegraph.query.read.model.labelled import Examples, LabelledQuestion
    from clausegraph.query.read.model.reader import ReadOptions
    from clausegraph.query.steps.model import StepModel

_NEO4J, _SPARQL = "neo4j", "sparql:"  # in place of, or before, the address of ``crag_graph_url``
ATTRIBUTE_SAMPLES = 3  # calls by which a model says what an open question is like
CALCULATOR_SAMPLES = 5  # calls by which it writes the expression of one
CRAG_SECONDS = 120.0  # after which an open question is answered with "i don't know"


def make_engine(
    view: View,
    embedder: Embedder,
    settings: Settings,
    llm: GuardedLLM | None = None,
    *,
    reranker: Reranker | None = None,
    measured: Sequence[Question] = (),
    **changes: Any,
) -> Engine:
    """The engine of the settings on a view; with a language model, that one reads.

    Args:
        reranker: for what a language model reads; the extractive reader's probability is fitted to the retriever's own
            order.
        measured: questions with known answers that it will be asked: nothing of them may help.
        changes: ``engine``, or single ``EngineOptions``, by name.

    Raises:
        InputError: there is no such engine, step or reader; guide or examples of the settings cannot be read,
            or the guide was learned from a measured question.
        SettingsError: a step asks a language model, and there is none; or its price is not known.
    """
    from clausegraph.query.engines.bank import make_engine as make

    options = engine_options(settings, llm, measured=measured)
    if llm is not None:
        options = replace(options, reranker=reranker)
    chosen = {"engine": settings.engine} | changes
    if chosen["engine"] == "crag":
        options = replace(options, crag=crag_options(settings))
    return make(view, embedder, options, **chosen)


def engine_options(
    settings: Settings, llm: GuardedLLM | None = None, *, measured: Sequence[Question] = ()
) -> EngineOptions:
    """What engines work with, as the settings say. The budget of a run is that of a question too.

    Raises:
        InputError: guide or examples cannot be read, or the guide was learned from a measured question.
        SettingsError: a limit on money is set, and the model has no price.
    """
    from clausegraph.query.engines.bank import EngineOptions
    from clausegraph.query.steps.model import QuestionLimits

    options = EngineOptions(question=QuestionLimits(tokens=settings.llm_budget_tokens, money=settings.llm_budget_money))
    if llm is None:
        return options
    from clausegraph.core.prompts import library
    from clausegraph.query.read.model.reader import HITS, ModelReader
    from clausegraph.query.steps.model import ModelSteps

    check_price(settings, settings.llm)
    steps = ModelSteps(llm, library(settings.prompts))
    return replace(
        options,
        limit=max(options.limit, HITS),
        reader=partial(ModelReader, options=read_options(settings, measured=measured)),
        model=steps,
    )


def labelled(question: Question) -> LabelledQuestion:
    """A question of a ConditionalQA file as the reader with a model takes it."""
    from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion

    answers = tuple(LabelledAnswer(answer.text, tuple(answer.conditions)) for answer in question.answers)
    return LabelledQuestion(
        question.id, question.url, question.question, question.scenario, answers, tuple(question.evidences)
    )


def read_options(settings: Settings, *, measured: Sequence[Question] = ()) -> ReadOptions:
    """How a model is asked to read.

    Args:
        measured: questions of a benchmark that are about to be asked: nothing of them may help, their guide is that of
            the benchmark unless the settings name one, and they are told no date.

    Raises:
        InputError: the guide or the examples cannot be read, or the guide was learned from one of ``measured``.
    """
    from clausegraph.query.read.model.guide import benchmark_guide, read_guide
    from clausegraph.query.read.model.reader import ReadOptions

    own = read_guide(settings.reader_guide.expanduser()) if settings.reader_guide else None
    guide = own or (benchmark_guide() if measured else None)
    options = ReadOptions(guide=guide, examples=_examples(settings), dated=not measured)
    return options.measured_on([labelled(question) for question in measured])


def _examples(settings: Settings) -> Examples | None:
    if settings.reader_examples is None:
        return None
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.query.read.model.labelled import Examples

    return Examples(map(labelled, load_questions(settings.reader_examples.expanduser())))


def crag_options(settings: Settings, switches: CragSwitches | None = None) -> CragOptions:
    """Which modules are on, those of the settings or others, and the parts that this deployment has."""
    from clausegraph.query.crag.types import CragOptions

    switches = switches or crag_switches()
    return CragOptions(switches, _predictor, _graph(settings, switches), _calculator)


def crag_switches() -> CragSwitches:
    """The switches of a question that somebody asks."""
    from clausegraph.query.crag.types import CragSwitches

    return CragSwitches(graph="auto", seconds=CRAG_SECONDS)


def _predictor(model: StepModel | None) -> AttributePredictor | None:
    """A language model, where there is one."""
    from clausegraph.query.crag.attributes import ModelAttributes

    return ModelAttributes(model, ATTRIBUTE_SAMPLES) if model is not None else None


def _graph(settings: Settings, switches: CragSwitches) -> Callable[[StepModel | None], KgLookup | None]:
    """What the settings name: the API of functions, or an endpoint under a plan. Without one a corpus has its own."""
    from clausegraph.query.crag.types import nobody

    if settings.crag_graph_url is None:
        return nobody
    return partial(_lookup, settings, switches)


def _lookup(settings: Settings, switches: CragSwitches, model: StepModel | None) -> KgLookup | None:
    from clausegraph.query.crag.kg.api_graph import ApiLookup
    from clausegraph.query.crag.kg.plan import GraphLookup

    address = settings.crag_graph_url or ""
    if switches.graph == "off" or model is None:
        return None
    if address == _NEO4J or address.startswith(_SPARQL):
        return GraphLookup(partial(_endpoint, settings), model, switches.hops, filtered=switches.filtered)
    return ApiLookup(address, model, switches.hops, filtered=switches.filtered)


@contextmanager
def _endpoint(settings: Settings) -> Iterator[KnowledgeGraph]:
    from clausegraph.query.crag.kg.endpoint import Endpoint
    from clausegraph.query.crag.kg.graphs import CypherGraph, SparqlGraph

    if settings.crag_graph_url == _NEO4J:
        with make_server(settings) as server:
            yield CypherGraph(server)
        return
    with Endpoint((settings.crag_graph_url or "").removeprefix(_SPARQL)) as endpoint:
        yield SparqlGraph(endpoint)


def _calculator(model: StepModel | None) -> Calculator | None:
    from clausegraph.query.crag.calculator import ModelCalculator

    return ModelCalculator(model, CALCULATOR_SAMPLES) if model is not None else None
