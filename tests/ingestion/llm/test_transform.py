"""The extractor in pipelines and property graphs of LlamaIndex's own."""

import json
from collections.abc import Iterator

import pytest
from llama_index.core import PropertyGraphIndex
from llama_index.core.graph_stores.types import KG_NODES_KEY, KG_RELATIONS_KEY
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import Document, TextNode
from llama_index.llms.mistralai import MistralAI

from clausegraph import TripletExtractor
from clausegraph.core.errors import UnusableReply
from tests.harness.fake_llm import FakeModelServer

pytestmark = pytest.mark.integration
TITLE = "Bus Grant"
TEXT = "You can get the Bus Grant if you are over 60.\nOffice A pays the Bus Grant every month."


@pytest.fixture
def llm(fake: FakeModelServer) -> Iterator[MistralAI]:
    made = MistralAI(model="mistral-small-latest", endpoint=fake.url, api_key="k")
    with made._client:
        yield made


def test_a_pipeline_gets_entities_and_relations_with_their_conditions(llm: MistralAI) -> None:
    pipeline = IngestionPipeline(transformations=[TripletExtractor(llm=llm)], disable_cache=True)
    (node,) = pipeline.run(documents=[Document(text=TEXT, metadata={"title": TITLE})])
    relations = node.metadata[KG_RELATIONS_KEY]
    assert node.metadata[KG_NODES_KEY]
    conditional = [r for r in relations if r.properties["condition"]]
    assert "over 60" in conditional[0].properties["condition"]
    assert "leaf" in json.loads(conditional[0].properties["condition_tree"])
    assert conditional[0].properties["quotes"] == ["You can get the Bus Grant if you are over 60."]
    assert "rules.v2@" in conditional[0].properties["extractor"]


@pytest.mark.parametrize("use_async", [True, False])
def test_a_property_graph_index_takes_it_as_its_extractor(llm: MistralAI, use_async: bool) -> None:
    index = PropertyGraphIndex(
        nodes=[TextNode(text=TEXT, metadata={"title": TITLE})],
        kg_extractors=[TripletExtractor(llm=llm)],
        embed_kg_nodes=False,
        llm=llm,
        use_async=use_async,
    )
    triplets = index.property_graph_store.get_triplets(entity_names=["applicant for Bus Grant"])
    assert [relation.label for _, relation, _ in triplets] == ["may get"]


def test_equal_nodes_are_asked_once_and_neighbours_share_a_call(llm: MistralAI, fake: FakeModelServer) -> None:
    nodes = [TextNode(text=TEXT, metadata={"title": TITLE}), TextNode(text=TEXT, metadata={"title": TITLE})]
    TripletExtractor(llm=llm)(nodes)
    assert fake.counters()["requests"] == 1
    assert all(node.metadata[KG_RELATIONS_KEY] for node in nodes)


def test_failed_nodes_raise_or_are_listed(llm: MistralAI, fake: FakeModelServer) -> None:
    fake.set(fault="garbage")
    try:
        with pytest.raises(UnusableReply, match="1 of 1 nodes failed"):
            TripletExtractor(llm=llm)([TextNode(text="Office B pays the Rail Grant.")])
        lenient = TripletExtractor(llm=llm, skip_failed=True)
        (node,) = lenient([TextNode(text="Office C pays the Rail Grant.")])
        assert node.metadata[KG_RELATIONS_KEY] == []
        assert lenient.failures[0].what == node.node_id
    finally:
        fake.set(fault="none")
