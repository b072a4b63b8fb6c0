from typing import Any

import pytest
from llama_index.core import VectorStoreIndex
from llama_index.core.schema import TextNode
from llama_index.core.vector_stores.types import (
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
)

from clausegraph.core.errors import InputError, ModelMismatchError
from clausegraph.indexes.views import View
from clausegraph.query.stores.llamaindex import EmbedderModel
from clausegraph.query.stores.vector_store import KINDS, ViewVectorStore
from tests.contracts.graph.scripted import Town
from tests.query.llamaindex.conftest import EMBEDDER


def ask(store: ViewVectorStore, text: str, k: int = 3, **more: Any) -> list[str]:
    vector = [float(value) for value in EMBEDDER.embed_query(text)]
    return store.query(VectorStoreQuery(query_embedding=vector, similarity_top_k=k, **more)).ids or []


def only(key: str, value: Any, operator: FilterOperator = FilterOperator.EQ) -> MetadataFilters:
    return MetadataFilters(filters=[MetadataFilter(key=key, value=value, operator=operator)])


@pytest.mark.parametrize("kind", KINDS)
def test_finds_what_the_view_finds(view: View, kind: str) -> None:
    store = ViewVectorStore(view, kind)
    vector = EMBEDDER.embed_query("pensioner may ask council")
    hits = view.search_facts(vector, 3) if kind == "fact" else view.search(kind, vector, 3)
    longer = VectorStoreQuery(query_embedding=[7 * float(value) for value in vector], similarity_top_k=3)
    result = store.query(longer)  # a vector of another length than 1 gives cosines all the same
    assert result.similarities == pytest.approx([hit.score for hit in hits], abs=2e-6)  # they have six digits
    assert result.ids == [f"{hit.page}#{hit.ref}" if hit.page else hit.ref for hit in hits]
    assert result.nodes is not None
    for node in result.nodes:
        assert {"page", "anchors", "chunk" if kind != "element" else "tag", "epoch"} <= set(node.metadata)
    assert {node.node_id for node in store.get_nodes()} >= set(result.ids)


def test_filters(town: Town, view: View) -> None:
    chunks, facts = ViewVectorStore(view), ViewVectorStore(view, "fact")
    grants, people = sorted(ask(chunks, "council"))
    assert ask(chunks, "council", filters=only("uri", "grants.html")) == [grants]
    assert ask(chunks, "council", filters=only("uri", "grants.html", FilterOperator.NE)) == [people]
    assert set(ask(chunks, "council", filters=only("source", ["pages", "x"], FilterOperator.IN))) == {grants, people}
    assert ask(chunks, "council", filters=only("source", ["pages"], FilterOperator.NIN)) == []
    assert (
        ask(chunks, "council", node_ids=[people]) == ask(chunks, "council", doc_ids=["pages:people.html"]) == [people]
    )
    assert ask(chunks, "council", node_ids=[people], doc_ids=["pages:grants.html"]) == []
    either = MetadataFilters(
        filters=[only("uri", "grants.html"), MetadataFilter(key="uri", value="people.html")],
        condition=FilterCondition.OR,
    )
    assert set(ask(chunks, "council", filters=either)) == {grants, people}
    either.condition = FilterCondition.NOT
    assert ask(chunks, "council", filters=either) == []
    assert set(ask(chunks, "council", filters=MetadataFilters(filters=[]))) == {grants, people}
    everywhere = set(ask(facts, "council", 9))
    from_grants = set(ask(facts, "council", 9, filters=only("page", "pages:grants.html")))
    from_people = set(ask(facts, "council", 9, filters=only("page", "pages:people.html")))
    assert from_grants | from_people == everywhere and len(from_grants & from_people) == 1
    assert len(ask(facts, "council", 1, filters=only("page", "pages:grants.html"))) == 1


def test_what_it_cannot_do_is_said(view: View) -> None:
    store = ViewVectorStore(view)
    with pytest.raises(InputError, match="chunk, element, fact"):
        ViewVectorStore(view, "page")
    with pytest.raises(InputError, match="filters are on page, source, uri"):
        ask(store, "council", filters=only("title", "grants"))
    with pytest.raises(InputError, match="known are"):
        ask(store, "council", filters=only("uri", "grants", FilterOperator.TEXT_MATCH))
    with pytest.raises(InputError, match="take a list"):
        ask(store, "council", filters=only("uri", "grants", FilterOperator.IN))
    with pytest.raises(InputError, match=r"Corpus\.retriever"):
        ask(store, "council", mode=VectorStoreQueryMode.HYBRID)
    with pytest.raises(InputError, match="EmbedderModel"):
        store.query(VectorStoreQuery(query_str="council"))
    with pytest.raises(ModelMismatchError, match="3 numbers"):
        store.query(VectorStoreQuery(query_embedding=[1.0, 0.0, 0.0]))


def test_every_write_is_refused(view: View) -> None:
    store = ViewVectorStore(view)
    writes: list[Any] = [
        lambda: store.add([TextNode(text="x")]),
        lambda: store.delete("pages:grants.html"),
        lambda: store.delete_nodes([]),
        store.clear,
        lambda: VectorStoreIndex.from_vector_store(store, embed_model=EmbedderModel(EMBEDDER)).insert_nodes(
            [TextNode(text="x")]
        ),
    ]
    for write in writes:
        with pytest.raises(InputError, match="clausegraph ingest SOURCE --corpus town"):
            write()
    with pytest.raises(InputError, match="clausegraph export --to llamaindex"):
        store.persist("x")
