"""The engine and its LlamaIndex form, over a real view of a small world."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from clausegraph.core.errors import QuestionError
from clausegraph.core.types import AnswerStatus
from clausegraph.indexes.views import View, open_view
from clausegraph.query.engine import AskEngine
from clausegraph.query.read.questions import QuestionKind
from clausegraph.query.retrieve.elements import rank_elements
from tests.law.world import CORPUS, World

pytestmark = pytest.mark.unit

QUESTION = "Can I get the winter grant?"


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    made = World(dimension=64)
    made.write("grant", ["You can get the winter grant if you are over 65 and live in Lethmoor.", "It is £200 a year."])
    made.write("fish", ["You must have a licence to fish in the river."])
    made.ingest()
    yield made
    made.close()


@pytest.fixture
def view(world: World) -> Iterator[View]:
    with open_view(world.ledger, CORPUS) as opened:
        yield opened


def test_answer_says_where_it_comes_from(world: World, view: View) -> None:
    answer = AskEngine(view, world.embedder).ask(QUESTION, "I am 40.")
    assert (answer.status, answer.corpus, answer.epoch) == (AnswerStatus.ANSWERED, CORPUS, 1)
    best = answer.alternatives[0]
    assert best.evidence[0].page.uri == "grant.html"
    reading = view.reading(best.evidence[0].page)
    text = next(e.text for e in reading.elements if e.anchor == best.evidence[0].span.anchor)
    assert best.evidence[0].quote in text
    assert [step.name for step in answer.trace] == ["retrieve", "read"]


def test_answers_are_repeatable(world: World, view: View) -> None:
    engine = AskEngine(view, world.embedder)
    first, second = engine.ask(QUESTION), engine.ask(QUESTION)
    assert first.alternatives == second.alternatives


def test_caller_may_tell_the_kind(world: World, view: View) -> None:
    answer = AskEngine(view, world.embedder).ask(QUESTION, kind=QuestionKind.SPAN)
    assert answer.alternatives[0].text.lower() not in ("yes", "no")


def test_empty_question(world: World, view: View) -> None:
    with pytest.raises(QuestionError, match="empty"):
        AskEngine(view, world.embedder).ask("  ")


def test_llamaindex_query_engine_gives_the_same_answer(world: World, view: View) -> None:
    from clausegraph.query.llama import ConditionalQueryEngine
    from clausegraph.query.retrieve.llama import ScenarioBundle

    plain = AskEngine(view, world.embedder).ask(QUESTION, "I am 40.")
    response = ConditionalQueryEngine(view, world.embedder).query(ScenarioBundle(QUESTION, scenario="I am 40."))
    assert str(response) == plain.alternatives[0].text
    assert response.metadata is not None
    assert response.metadata["answer"].alternatives == plain.alternatives
    assert {node.node.metadata["page"] for node in response.source_nodes} == {"pages:grant.html"}


def test_llamaindex_retriever_gives_the_same_list(world: World, view: View) -> None:
    from clausegraph.query.retrieve.llama import HybridRetriever

    ranked = rank_elements(view, world.embedder, QUESTION, budget=100)
    nodes = HybridRetriever(view, world.embedder, budget=100).retrieve(QUESTION)
    assert [node.node.node_id for node in nodes] == [f"{item.page}#{item.element.anchor}" for item in ranked]
