"""What the graph answers is the same, item by item, whichever store it is read from."""

from pathlib import Path

import pytest

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import Literal
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.store import Ledger, ledger_id, open_ledger
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.sources import open_source

pytestmark = pytest.mark.integration

SAMPLE = Path(__file__).resolve().parents[3] / "examples" / "corpus"


def graph_of(ledger: Ledger, server: Neo4jServer) -> Neo4jGraph:
    corpus = get_corpus(ledger, "corpus")
    projection = Neo4jProjection(ledger, server)
    projection.catch_up(corpus.id)
    assert projection.verify(corpus.id) == []
    return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), corpus.published)


@pytest.mark.long  # the contract and the law have every read; test_commands.py has a question
@pytest.mark.parametrize("step", [4, 1])
def test_the_same_answers_to_everything_on_the_sample_corpus(server: Neo4jServer, tmp_path: Path, step: int) -> None:
    """Every read, for every entity, relation and page there is: so every retriever makes the same of it."""
    sample = open_ledger(tmp_path)
    ingest(Tools(sample, HashingEmbedder(64), RuleExtractor()), "corpus", open_source(str(SAMPLE)))
    other = graph_of(sample, server)
    corpus = get_corpus(sample, "corpus")
    mine = SqlGraph(sample, corpus.id, corpus.published)
    every = mine.all_supports()
    assert other.all_supports() == every
    assert other.counts() == mine.counts()
    assert other.all_rules() == mine.all_rules()
    for page in sorted({one.page for one in mine.all_rules()})[::step]:
        assert other.rules_on(page) == mine.rules_on(page) != []
    assert other.relations() == mine.relations()
    facts = mine.facts([support.fact_id for support in every])
    ids = [fact.id for fact in facts]
    assert other.facts(ids) == facts
    assert other.supports(ids) == mine.supports(ids)
    subjects = sorted({fact.subject for fact in facts})
    named = sorted({key for one in mine.all_rules() for key in one.entities})
    for key in named[:: 3 * step]:
        assert other.rules_of([key], 7) == mine.rules_of([key], 7) != []
    assert other.named(named) == mine.named(named)
    for key in subjects[:: 10 * step]:
        for hops, limit in ((1, 5), (2, 200)):
            assert other.neighbourhood([key], hops, limit) == mine.neighbourhood([key], hops, limit)
    assert other.neighbourhood(subjects[:600], 2, 50) == mine.neighbourhood(subjects[:600], 2, 50)
    values = [s.statement.object.value for s in every if isinstance(s.statement.object, Literal)]
    assert other.named([*subjects, *values], normalised=True) == mine.named([*subjects, *values], normalised=True)
    words = sorted({word for subject in subjects for word in subject.split()})
    for start in range(0, len(words), 40 * step):
        assert other.entities(words[start : start + 40], 50) == mine.entities(words[start : start + 40], 50)
    for support in every[:: 25 * step]:
        anchors = [span.anchor for span in support.statement.spans]
        assert other.supports_on(support.page, anchors) == mine.supports_on(support.page, anchors)
    sample.close()
