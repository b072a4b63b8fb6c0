"""The hybrid retriever's ranked list is the same, item by item, whichever store the graph is read from."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Literal
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.store import Ledger, ledger_id, open_ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources import open_source
from clausegraph.query.retrieve.bank import make_retriever

pytestmark = pytest.mark.integration

REPOSITORY = Path(__file__).resolve().parents[3]
SHARED = Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", REPOSITORY.parent / "shared" / "data")) / "conditionalqa"
EMBEDDER = HashingEmbedder(64)


def built(home: Path, source: Path) -> Ledger:
    ledger = open_ledger(home)
    ingest(Tools(ledger, EMBEDDER, RuleExtractor()), "corpus", open_source(str(source)))
    return ledger


def graph_of(ledger: Ledger, server: Neo4jServer) -> Neo4jGraph:
    corpus = get_corpus(ledger, "corpus")
    projection = Neo4jProjection(ledger, server)
    projection.catch_up(corpus.id)
    assert projection.verify(corpus.id) == []
    return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), corpus.published)


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ledger]:
    ledger = built(tmp_path_factory.mktemp("sample"), REPOSITORY / "examples" / "corpus")
    yield ledger
    ledger.close()


def ranked(view: View, graph: Graph, question: dict[str, Any]) -> list[Any]:
    """What the retrievers that ask the graph make of a question."""
    view.graph = graph  # type: ignore[assignment]
    inquiry = Inquiry(question["question"], question["scenario"])
    return [make_retriever(name, view, EMBEDDER).retrieve(inquiry, budget=1300) for name in ("hybrid", "facts")]


def compare(ledger: Ledger, server: Neo4jServer, questions: list[dict[str, Any]]) -> None:
    neo4j_graph = graph_of(ledger, server)
    with open_view(ledger, "corpus") as view:
        sql_graph = view.graph
        for question in questions:
            wanted = ranked(view, sql_graph, question)
            assert wanted[0], question
            assert ranked(view, neo4j_graph, question) == wanted, question["question"]


@pytest.mark.parametrize("nth", [12, pytest.param(1, marks=pytest.mark.long)])
def test_the_same_lists_on_the_sample_corpus(sample: Ledger, server: Neo4jServer, nth: int) -> None:
    questions = json.loads((REPOSITORY / "examples" / "questions.json").read_text(encoding="utf-8"))
    compare(sample, server, questions[::nth])


def test_the_same_answers_to_everything_on_the_sample_corpus(sample: Ledger, server: Neo4jServer) -> None:
    """Every read, for every entity, relation and page there is."""
    other = graph_of(sample, server)
    corpus = get_corpus(sample, "corpus")
    mine = SqlGraph(sample, corpus.id, corpus.published)
    every = mine.all_supports()
    assert other.all_supports() == every
    assert other.counts() == mine.counts()
    assert other.relations() == mine.relations()
    facts = mine.facts([support.fact_id for support in every])
    ids = [fact.id for fact in facts]
    assert other.facts(ids) == facts
    assert other.supports(ids) == mine.supports(ids)
    subjects = sorted({fact.subject for fact in facts})
    for key in subjects[::10]:
        for hops, limit in ((1, 5), (2, 200)):
            assert other.neighbourhood([key], hops, limit) == mine.neighbourhood([key], hops, limit)
    assert other.neighbourhood(subjects[:600], 2, 50) == mine.neighbourhood(subjects[:600], 2, 50)
    values = [s.statement.object.value for s in every if isinstance(s.statement.object, Literal)]
    assert other.named([*subjects, *values], normalised=True) == mine.named([*subjects, *values], normalised=True)
    words = sorted({word for subject in subjects for word in subject.split()})
    for start in range(0, len(words), 40):
        assert other.entities(words[start : start + 40], 50) == mine.entities(words[start : start + 40], 50)
    for support in every[::25]:
        anchors = [span.anchor for span in support.statement.spans]
        assert other.supports_on(support.page, anchors) == mine.supports_on(support.page, anchors)


@pytest.mark.long
def test_the_same_lists_on_conditionalqa(server: Neo4jServer, tmp_path: Path) -> None:
    if not (SHARED / "documents.json").exists():
        pytest.skip(f"no ConditionalQA data at {SHARED}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    with built(tmp_path / "home", SHARED / "documents.json") as ledger:
        questions = json.loads((SHARED / "dev.json").read_text(encoding="utf-8"))
        assert len(questions) == 143
        compare(ledger, server, questions)
