"""An epoch handed over to a Neo4j of its own, opened again by LlamaIndex's own store."""

import gc
import json
import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from llama_index.core.indices.property_graph import LLMSynonymRetriever, VectorContextRetriever
from llama_index.graph_stores.neo4j import Neo4jPropertyGraphStore
from pydantic import SecretStr

from clausegraph.app.services.export import hand_over
from clausegraph.app.services.llamaindex import entity_id, identifier
from clausegraph.core.errors import InputError, SettingsError, StoreRefused, StoreUnavailable
from clausegraph.core.settings import Settings
from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from clausegraph.indexes.views import View, open_view
from clausegraph.query.stores.llamaindex import EmbedderModel
from tests.contracts.graph.scripted import Town
from tests.harness.neo4j import emptied, shared_address, shared_address_with_apoc
from tests.query.llamaindex.conftest import HOSTILE, Script

# the stock store calls pydantic's old methods, and never closes its second driver, which it has not used
pytestmark = [
    pytest.mark.filterwarnings("ignore::pydantic.PydanticDeprecatedSince20"),
    pytest.mark.filterwarnings("ignore:unclosed:ResourceWarning"),
]


@pytest.fixture(autouse=True)
def collected() -> Iterator[None]:
    """Drivers that were not closed go while their warning is expected."""
    yield
    gc.collect()


@pytest.fixture
def with_apoc() -> Address:
    address = shared_address_with_apoc()
    emptied(address)
    return address


def settings_for(address: Address) -> Settings:
    return Settings(neo4j_user=address.user, neo4j_password=SecretStr(address.password))


@given(st.text(max_size=60), st.text(max_size=60))
def test_identifiers(one: str, other: str) -> None:
    made = [identifier(one), identifier(other), identifier(one, denied=True), identifier(other, denied=True)]
    assert all(re.fullmatch("[a-z][a-z0-9_]*", name) for name in made)
    assert len(set(made)) == (2 if one == other else 4)


def test_addresses_that_are_refused(view: View) -> None:
    settings = Settings(neo4j_password=SecretStr("x"))
    for uri in ("bolt://neo4j:secret@127.0.0.1:1", "bolt://neo4j@127.0.0.1:1", "neo4j://:secret@127.0.0.1"):
        with pytest.raises(InputError, match="CLAUSEGRAPH_NEO4J_PASSWORD") as caught:
            hand_over(view, uri, settings)
        assert "secret" not in str(caught.value)
    for uri in ("http://127.0.0.1:7474", "bolt://", "bolt://127.0.0.1:7687/other", "bolt://[x"):
        with pytest.raises(InputError, match=r"bolt://127\.0\.0\.1:7687"):
            hand_over(view, uri, settings)
    with pytest.raises(SettingsError, match="CLAUSEGRAPH_NEO4J_PASSWORD"):
        hand_over(view, "bolt://127.0.0.1:1", Settings(neo4j_password=None))


@pytest.mark.long  # the same nodes and texts are in the folder of test_folder.py
@pytest.mark.integration
def test_stock_store_opens_it(with_apoc: Address, town: Town, embed_model: EmbedderModel) -> None:
    long = "a very long name " * 300
    town.write(
        "odd", f"{long} | `}}) DETACH DELETE n // | =`x", "is | MENTIONS | `y`", "is | SOURCE | =1", '"q" | is | ="v"'
    )
    town.publish()
    with open_view(town.ledger, town.corpus) as view:
        counts = hand_over(view, with_apoc.uri, settings_for(with_apoc))
    assert counts == {"chunk": 7, "entity": 8, "value": 4, "fact": 9}
    with Neo4jPropertyGraphStore(with_apoc.user, with_apoc.password, with_apoc.uri) as store:  # reads the schema, too
        assert "is_paid_to" in store.get_schema_str()
        for relation in store.structured_schema["rel_props"]:
            assert re.fullmatch("[A-Za-z_][A-Za-z0-9_]*", relation)
        (stray,) = store.structured_query(
            "MATCH (n) WHERE n.id IS NULL OR labels(n) = ['__Node__'] RETURN count(n) AS n"
        )
        apart = "MATCH (a)-[r]->(b) WHERE r.fact_id IS NOT NULL AND NOT (a:__Entity__ AND b:__Entity__) RETURN r"
        assert stray == {"n": 0} and store.structured_query(apart) == []
        (quoted,) = store.get(properties={"key": '"q"'})
        assert len(store.get_rel_map([quoted], depth=1)) == 1
        grant = store.get(ids=["Winter grant"])
        found = {(relation.label, target.name) for _, relation, target in store.get_rel_map(grant, depth=1)}
        assert found == {("is_paid_to", "Pensioner"), ("not_is_paid_to", "Student"), ("amount", "=£40")}
        (paid,) = [r for _, r, _ in store.get_triplets(entity_names=["Pensioner"], relation_names=["is_paid_to"])]
        assert paid.properties["relation"] == "is paid to" and paid.properties["supports"] == 2
        assert paid.properties["conditions"] == ["(you live here or not in prison)"]
        assert [json.loads(one)["page"] for one in paid.properties["statements"]] == paid.properties["pages"]
        likes = store.get_triplets(relation_names=[identifier(HOSTILE)])
        assert {relation.properties["relation"] for _, relation, _ in likes} == {HOSTILE}
        (odd,) = [node for node in store.get() if node.properties.get("key", "").startswith("a very long")]
        assert odd.properties["key"] == long.strip() and odd.id == entity_id(long.strip())
        (text,) = store.get_llama_nodes([paid.properties["chunk"]])
        assert text.metadata["page"] == "pages:grants.html" and "£40" in text.get_content()
        mentions = store.structured_query(
            "MATCH (c:Chunk)-[:MENTIONS]->(:__Entity__ {id: 'Pensioner'}) RETURN count(c) AS chunks"
        )
        assert mentions == [{"chunks": 2}]
        synonyms = LLMSynonymRetriever(store, llm=Script(says="winter grant"), include_properties=True)
        assert any("not in prison" in node.text for node in synonyms.retrieve("Who gets it?"))
        store.structured_query("CALL db.awaitIndexes(30)")
        # the index keeps a byte a number, by which the nearest (1.00) and the third (.93) may change places
        near = VectorContextRetriever(store, embed_model=embed_model, similarity_top_k=3, include_text=True)
        texts = [node.text for node in near.retrieve("grants grants winter grant amount £40")]
        assert any(
            "Winter grant -> amount -> =£40" in text and "winter grant | amount | =£40" in text for text in texts
        ), texts


@pytest.mark.integration
def test_databases_that_are_refused(view: View) -> None:
    address = shared_address()
    emptied(address)
    settings = settings_for(address)
    with Neo4jServer(address) as server:
        server.write("CREATE (:Mine)")
        with pytest.raises(StoreRefused, match=r"not empty .it has Mine nodes.*CLAUSEGRAPH_NEO4J_DATABASE"):
            hand_over(view, address.uri, settings)
        server.write("MATCH (n) SET n:Ledger")
        with pytest.raises(StoreRefused, match="holds the projection of a ledger"):
            hand_over(view, address.uri, settings)
        assert server.read("MATCH (n) RETURN count(n) AS nodes") == [{"nodes": 1}]
    emptied(address)
    with pytest.raises(StoreUnavailable, match="no Neo4j answers"):
        hand_over(view, "bolt://127.0.0.1:1", settings)
    with pytest.raises(StoreRefused, match="refuses user"):
        hand_over(view, address.uri, settings.model_copy(update={"neo4j_password": SecretStr("wrong")}))


@pytest.mark.integration
def test_a_failure_on_the_way_says_what_to_do(with_apoc: Address, view: View, monkeypatch: pytest.MonkeyPatch) -> None:

    def fails(store: Neo4jPropertyGraphStore, *_: object) -> None:
        store.structured_query("CALL apoc.nothing()")

    monkeypatch.setattr(Neo4jPropertyGraphStore, "upsert_relations", fails)
    with pytest.raises(Exception, match="not complete: empty the database"):
        hand_over(view, with_apoc.uri, settings_for(with_apoc))
