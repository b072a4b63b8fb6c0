"""What ``Corpus`` hands to LlamaIndex, and what it refuses."""

from pathlib import Path
from typing import Any

import pytest
from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.retrievers import BaseRetriever

import clausegraph
from clausegraph.core import errors
from clausegraph.core.errors import ModelMismatchError, NotFoundError
from tests.app.cli.conftest import SAMPLE

QUESTION = "Can I get the Winter Heating Grant?"

PUBLIC = """
All Alternative Answer AnswerStatus AnyOf BudgetExceeded ClauseGraphError Client ConditionState Corpus Embedder
EmbedderModel Evidence FloorMissed Inquiry InputError JudgedCondition JudgedLeaf Leaf LeaseHeldError LeaseLostError
LedgerError ModelCallError ModelError ModelMismatchError ModelRefused ModelUnavailable Not NotConnected NotFoundError
PageKey PromptError QueryRefused QuestionError Reject ReplyMissing RunReport ScenarioBundle SchemaError SegmentError
SettingsError SourceError Span StillReadError StorageError StoreError StoreMismatch StoreRefused StoreUnavailable
TraceStep
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


def test_rules_of_a_topic(corpus: clausegraph.Corpus) -> None:
    every = corpus.rules("heating grant")
    assert len(every) > 10 and every[0]["title"] == "Winter Heating Grant"
    amounts = corpus.rules("heating grant", kind="amount")
    ranks = [
        0 if one["kinds"][0] == "amount" else 1 if "amount" in one["kinds"] else 2
        for one in amounts
        if {"amount", "percent"} & {*one["kinds"], *(value["kind"] for value in one["values"])}
    ]
    assert len(ranks) == len(amounts) and ranks == sorted(ranks) and 0 in ranks
    assert 0 < len(corpus.rules("private tenancy", role="landlord")) < len(corpus.rules("private tenancy"))
    with pytest.raises(NotFoundError, match="shows the largest"):
        corpus.rules("zebra")


def test_reads_what_it_just_ingested(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "a.html").write_text((SAMPLE / "heating-grant.html").read_text(encoding="utf-8"), encoding="utf-8")
    with clausegraph.open_corpus() as corpus:
        corpus.ingest(pages)
        assert len(corpus.view.page_keys()) == 1
        (pages / "b.html").write_text((SAMPLE / "study-grant.html").read_text(encoding="utf-8"), encoding="utf-8")
        corpus.ingest(pages)
        assert len(corpus.view.page_keys()) == 2
    with clausegraph.open_corpus(epoch=1) as corpus:
        assert len(corpus.view.page_keys()) == 1


def test_errors(stocked: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(NotFoundError, match="nope"):
        clausegraph.ask("Can I?", corpus="nope", home=stocked)
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    with pytest.raises(ModelMismatchError, match="hashing"):
        clausegraph.ask("Can I?", home=stocked)
