"""What ``Corpus`` hands to LlamaIndex, and what it refuses."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.retrievers import BaseRetriever

import clausegraph
from clausegraph.core import errors

pytestmark = pytest.mark.unit
QUESTION = "Can I get the Winter Heating Grant?"

PUBLIC = """
All Alternative Answer AnswerStatus AnyOf BudgetExceeded ClauseGraphError Client ConditionState Corpus Embedder
EmbedderModel Evidence FloorMissed Inquiry InputError JudgedCondition JudgedLeaf Leaf LeaseHeldError LeaseLostError
LedgerError ModelCallError ModelError ModelMismatchError ModelRefused ModelUnavailable Not NotConnected NotFoundError
PageKey PromptError QueryRefused QuestionError Reject ReplyMissing RunReport ScenarioBundle SchemaError SegmentError
SettingsError SourceError Span StorageError StoreError StoreMismatch StoreRefused StoreUnavailable TraceStep
TripletExtractor UnusableReply View ViewExpired ViewPropertyGraphStore ViewQueryEngine ViewRetriever ViewVectorStore
Weights WorkspaceClosed __version__ ask ask_web main open_corpus retrievers
"""


@pytest.fixture
def corpus(stocked: Path) -> Any:
    with clausegraph.open_corpus(home=stocked) as opened:
        yield opened


def test_the_public_names_are_these() -> None:
    assert sorted(clausegraph.__all__) == sorted(PUBLIC.split())


def test_every_error_is_public() -> None:
    raised = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, Exception)}
    assert raised <= set(clausegraph.__all__)


def test_every_retriever_of_the_list_is_llama_indexs_kind(corpus: clausegraph.Corpus) -> None:
    assert len(clausegraph.retrievers()) > 1
    for name in clausegraph.retrievers():
        retriever = corpus.retriever(name, limit=2)
        assert isinstance(retriever, BaseRetriever) and isinstance(retriever, clausegraph.ViewRetriever)
        assert len(retriever.retrieve(QUESTION)) == 2


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"limit": -1}, "limit is -1; give a whole number from 1"),
        ({"budget": 0}, "budget is 0; give a whole number from 1"),
        ({"budget": "many"}, "budget is 'many'"),
        ({"weights": {"fact": 0.5}}, r"give clausegraph\.Weights"),
        ({"name": "bm25", "weights": clausegraph.Weights()}, "has no weights"),
        ({"name": "dense"}, "no retriever 'dense'; take one of hybrid, "),
    ],
)
def test_what_a_retriever_refuses(corpus: clausegraph.Corpus, given: dict[str, Any], problem: str) -> None:
    with pytest.raises(clausegraph.InputError, match=problem):
        corpus.retriever(**given)


def test_retrievers_and_engines_of_a_corpus(stocked: Path) -> None:
    with clausegraph.open_corpus(home=stocked) as corpus:
        assert corpus.retriever().retrieve(QUESTION) == corpus.retriever(budget=1300).retrieve(QUESTION)
        engine = corpus.query_engine()
        assert isinstance(engine, BaseQueryEngine)
        response = engine.query(clausegraph.ScenarioBundle(QUESTION, scenario="I am 70."))
        assert response.metadata is not None
        answer = response.metadata["answer"]
        assert answer.inquiry == clausegraph.Inquiry(QUESTION, "I am 70.")
        asked = corpus.ask(QUESTION, "I am 70.")
        assert asked.alternatives == answer.alternatives
