from pathlib import Path
from typing import Any

import pytest
from llama_index.core import PropertyGraphIndex
from llama_index.core.graph_stores.types import ChunkNode, EntityNode, Triplet
from llama_index.core.indices.property_graph import (
    LLMSynonymRetriever,
    PGRetriever,
    TextToCypherRetriever,
    VectorContextRetriever,
)
from llama_index.core.llms import MockLLM
from llama_index.core.vector_stores.types import VectorStoreQuery

from clausegraph.core.errors import InputError, ViewExpired
from clausegraph.indexes.views import View, open_view
from clausegraph.query.stores import property_graph
from clausegraph.query.stores.llamaindex import EmbedderModel
from clausegraph.query.stores.property_graph import ViewPropertyGraphStore
from clausegraph.query.stores.vector_store import ViewVectorStore
from tests.contracts.graph.scripted import Town
from tests.query.llamaindex.conftest import HOSTILE, Script


@pytest.fixture
def store(view: View) -> ViewPropertyGraphStore:
    return ViewPropertyGraphStore(view)


def said(triplets: list[Triplet]) -> set[tuple[str, str, str]]:
    return {(subject.id, relation.label, target.id) for subject, relation, target in triplets}


PAID = ("winter grant", "is paid to", "pensioner")
AMOUNT = ("winter grant", "amount", "=£40")
DENIED = ("winter grant", "is paid to", "student")
ASKS = ("pensioner", "may ask", "council")
LIKES = ("council", HOSTILE, "pensioner")


def test_nothing_asked_is_nothing(store: ViewPropertyGraphStore) -> None:
    assert store.get(ids=[]) == []
    assert store.get_triplets(ids=[]) == store.get_triplets(entity_names=[]) == []
    assert store.get_triplets(relation_names=[]) == store.get_rel_map([]) == []
    assert store.get_triplets(entity_names=["winter grant"], relation_names=[]) == []
    assert store.get_llama_nodes([]) == store.get(ids=["nobody"]) == store.get_triplets(ids=["nobody"]) == []


def test_nodes(store: ViewPropertyGraphStore, view: View) -> None:
    everything = store.get()
    chunks = [node for node in everything if isinstance(node, ChunkNode)]
    entities = [node for node in everything if isinstance(node, EntityNode)]
    assert [node.name for node in entities] == ["council", "pensioner", "student", "winter grant"]
    assert len(chunks) == 2 and all(node.properties["epoch"] == view.epoch for node in everything)
    again = store.get(ids=[chunks[1].id, "Winter Grants", "council", "winter grant"])  # in any spelling of the key
    assert [node.id for node in again] == [chunks[1].id, "winter grant", "council"]
    named = store.get(properties={"page": "pages:grants.html"})
    assert [node.id for node in named] == [chunks[0].id]
    assert named[0].properties["anchors"] and named[0].properties["title"] == "grants"
    (text,) = store.get_llama_nodes([chunks[0].id, "council", "pages:grants.html#nothing"])
    assert text.node_id == chunks[0].id and text.ref_doc_id == "pages:grants.html" and "£40" in text.get_content()


def test_triplets(store: ViewPropertyGraphStore) -> None:
    everything = {PAID, AMOUNT, DENIED, ASKS, LIKES}
    assert said(store.get_triplets()) == everything
    assert said(store.get_triplets(entity_names=["Winter grant"])) == {PAID, AMOUNT, DENIED}
    assert said(store.get_triplets(relation_names=["is paid to", "x"])) == {PAID, DENIED}
    assert said(store.get_triplets(entity_names=["council"], relation_names=["may ask"])) == {ASKS}
    assert said(store.get_triplets(entity_names=["council"], ids=["pensioner"])) == {ASKS, LIKES}
    assert said(store.get_triplets(relation_names=[HOSTILE])) == {LIKES}
    assert said(store.get_triplets(properties={"holds": False})) == {DENIED}
    (page,) = store.get(properties={"page": "pages:people.html"})
    assert said(store.get_triplets(ids=[page.id])) == {PAID, ASKS, LIKES}


def test_a_triplet_says_where_and_under_which_conditions(store: ViewPropertyGraphStore, view: View) -> None:
    (triplet,) = store.get_triplets(entity_names=["winter grant"], ids=["pensioner"])
    subject, relation, target = triplet
    assert (subject.label, target.label, relation.label) == ("entity", "entity", "is paid to")
    assert relation.properties["supports"] == 2 and relation.properties["holds"]
    assert [one["page"] for one in relation.properties["statements"]] == ["pages:grants.html", "pages:people.html"]
    assert relation.properties["conditions"] == ["(you live here or not in prison)"]
    assert relation.id == "is paid to [if (you live here or not in prison); or without condition]"
    fact = view.graph.facts([relation.properties["fact_id"]])[0]
    assert (fact.subject, fact.relation, fact.object) == PAID
    (source,) = store.get_llama_nodes([subject.properties["triplet_source_id"]])
    assert set(relation.properties["anchors"]) <= set(source.metadata["anchors"])
    assert store.get_triplets(properties={"holds": False})[0][1].id == "is paid to [not]"
    (amount,) = store.get_triplets(relation_names=["amount"])
    assert amount[2].label == "value" and amount[2].properties["value"] == "£40" and amount[1].id == "amount"


def test_relation_map(store: ViewPropertyGraphStore) -> None:
    council = store.get(ids=["council"])
    assert said(store.get_rel_map(council, depth=1)) == {ASKS, LIKES}
    assert said(store.get_rel_map(council)) == {ASKS, LIKES, PAID}
    assert said(store.get_rel_map(council, ignore_rels=[HOSTILE, "SOURCE"])) == {ASKS, PAID}
    assert len(store.get_rel_map(council, limit=1)) == 1
    assert store.get_rel_map(council, depth=0) == store.get_rel_map(council, limit=0) == []
    assert said(store.get_rel_map(store.get(properties={"title": "people"}))) == {PAID, ASKS, LIKES}
    with pytest.raises(InputError, match="1 or 2"):
        store.get_rel_map(council, depth=3)


def test_schema(store: ViewPropertyGraphStore, monkeypatch: pytest.MonkeyPatch) -> None:
    assert store.get_schema()["relations"] == {"is paid to": 3, "amount": 1, HOSTILE: 1, "may ask": 1}
    monkeypatch.setattr(property_graph, "SCHEMA_RELATIONS", 1)
    assert store.get_schema(refresh=True)["more_relations"] == 3
    assert store.get_schema_str().splitlines() == [
        "4 entities, 5 facts.",
        'Relations, with how often they are stated: "is paid to" (3) and 3 rarer ones',
    ]


def test_every_write_is_refused(store: ViewPropertyGraphStore, tmp_path: Path) -> None:
    writes: list[Any] = [
        lambda: store.upsert_nodes([]),
        lambda: store.upsert_relations([]),
        lambda: store.upsert_llama_nodes([]),
        lambda: store.delete(ids=[]),
        lambda: store.delete_llama_nodes(["x"]),
    ]
    for write in writes:
        with pytest.raises(InputError, match="clausegraph ingest SOURCE --corpus town"):
            write()
    with pytest.raises(InputError, match="clausegraph export --to llamaindex"):
        store.persist(str(tmp_path / "x"))
    with pytest.raises(InputError, match="vector_store="):
        store.vector_query(VectorStoreQuery(query_embedding=[1.0] * 8))


def test_cypher_is_refused_on_the_ledgers_graph(store: ViewPropertyGraphStore) -> None:
    with pytest.raises(InputError, match="CLAUSEGRAPH_GRAPH=neo4j"):
        store.structured_query("RETURN $corpus, $epoch")
    with pytest.raises(ValueError, match="does not support cypher"):
        TextToCypherRetriever(store, llm=MockLLM())


def test_llama_indexs_retrievers(store: ViewPropertyGraphStore, view: View, embed_model: EmbedderModel) -> None:
    facts = ViewVectorStore(view, "fact")
    index = PropertyGraphIndex.from_existing(
        property_graph_store=store, vector_store=facts, llm=Script(says="Winter Grant^Nobody"), embed_model=embed_model
    )
    synonyms = LLMSynonymRetriever(store, llm=Script(says="winter grants^nobody"), include_text=False)
    assert {node.text for node in synonyms.retrieve("grant?")} == {
        "winter grant -> is paid to [if (you live here or not in prison); or without condition] -> pensioner",
        "winter grant -> is paid to [not] -> student",
        "winter grant -> amount -> =£40",
    }
    near = VectorContextRetriever(store, vector_store=facts, embed_model=embed_model, similarity_top_k=1)
    found = near.retrieve("people people pensioner may ask council")  # under title and heading
    (asks,) = [node for node in found if "pensioner -> may ask -> council" in node.text]
    assert asks.score == pytest.approx(1.0) and "pensioner | may ask | council" in asks.text  # the chunk, below it
    by_chunk = VectorContextRetriever(
        store, vector_store=ViewVectorStore(view), embed_model=embed_model, similarity_top_k=1, include_text=False
    )
    assert by_chunk.retrieve("pensioner may ask council")
    for use_async in (True, False):
        both = index.as_retriever(use_async=use_async)
        assert isinstance(both, PGRetriever) and len(both.sub_retrievers) == 2
        assert any("amount -> =£40" in node.text for node in both.retrieve("What is the amount?"))
    answer = index.as_query_engine(llm=MockLLM()).query("What is the amount?")
    assert "£40" in str(answer) and answer.source_nodes


def test_a_view_that_has_ended_is_no_empty_graph(town: Town) -> None:
    view = open_view(town.ledger, town.corpus)
    store = ViewPropertyGraphStore(view)
    council = store.get(ids=["council"])
    view.close()
    reads: list[Any] = [
        store.get,
        lambda: store.get(ids=["nobody"]),
        lambda: store.get_triplets(entity_names=["nobody"]),
        lambda: store.get_rel_map(council),
        lambda: store.get_llama_nodes(["x#y"]),
        store.get_schema,
    ]
    for read in reads:
        with pytest.raises(ViewExpired):
            read()
