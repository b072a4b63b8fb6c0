"""The retrievers over a real view, through LlamaIndex's interface and as plain values."""

from __future__ import annotations

import pytest
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import QueryBundle

from clausegraph.core.errors import QuestionError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.query.rank.score import page_priors, rank
from clausegraph.query.rank.signals import DEFAULT_WEIGHTS
from clausegraph.query.retrieve.elements import rank_elements
from clausegraph.query.retrieve.facts import find_facts, link_entities
from clausegraph.query.retrieve.llama import (
    GraphRetriever,
    HybridRetriever,
    LexicalRetriever,
    ScenarioBundle,
    VectorRetriever,
)
from clausegraph.query.retrieve.question import Inquiry
from clausegraph.query.retrieve.signals import gather
from clausegraph.query.retrieve.single import fact_elements

QUESTION = "How old must I be to get the mooring grant?"


def test_the_right_page_comes_first_and_every_element_once(view: View, embedder: HashingEmbedder) -> None:
    ranked = rank_elements(view, embedder, QUESTION)
    places = [(item.page, item.element.anchor) for item in ranked]
    assert view.reading(ranked[0].page).title == "Harbour mooring grant"
    assert len(places) == len(set(places)) == sum(len(view.reading(page).elements) for page in view.page_keys())
    assert [item.score for item in ranked] == sorted((item.score for item in ranked), reverse=True)


def test_equal_views_give_equal_lists(ledger: Ledger, view: View, embedder: HashingEmbedder) -> None:
    first = rank_elements(view, embedder, QUESTION, "I am 20.")
    with open_view(ledger, "town") as again:
        assert rank_elements(again, embedder, QUESTION, "I am 20.") == first
    signals = gather(view, embedder, Inquiry(QUESTION, "I am 20."))
    readings = {page: view.reading(page) for page in page_priors(signals, DEFAULT_WEIGHTS)}
    assert rank(readings, signals) == first


@pytest.mark.parametrize("budget", [1, 20, 50, 1000])
def test_the_budget_holds(view: View, embedder: HashingEmbedder, budget: int) -> None:
    everything = rank_elements(view, embedder, QUESTION)
    taken = rank_elements(view, embedder, QUESTION, budget=budget)
    assert taken == everything[: len(taken)]
    assert sum(count_tokens(item.element.text) for item in taken) <= budget
    following = everything[: len(taken) + 1]
    assert taken == everything or sum(count_tokens(item.element.text) for item in following) > budget


def test_a_limit_holds(view: View, embedder: HashingEmbedder) -> None:
    assert len(rank_elements(view, embedder, QUESTION, limit=3)) == 3


def test_linked_entities_are_named_in_the_question(view: View) -> None:
    linked = link_entities(view, QUESTION)
    assert linked.get("mooring grant") == 1.0
    assert all(0.5 <= share <= 1 for share in linked.values())
    assert link_entities(view, "the of and you") == {}


def test_facts_are_scored_between_0_and_1_best_first(view: View, embedder: HashingEmbedder) -> None:
    facts = find_facts(view, embedder.embed_query(QUESTION), QUESTION)
    scores = [item.score for item in facts]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1
    assert scores[-1] == 0


def test_the_graph_brings_lead_ins_and_the_items_beside(view: View, embedder: HashingEmbedder) -> None:
    inquiry = Inquiry("Can I get the mooring grant if I live in Port Ashby?")
    texts = [item.element.text for item in fact_elements(view, embedder, inquiry, 50)]
    for text in ("You can get the mooring grant if you:", "are 21 or over", "live in Port Ashby"):
        assert text in texts


def retrievers(view: View, embedder: HashingEmbedder) -> dict[str, BaseRetriever]:
    return {
        "chunk": VectorRetriever(view, embedder, limit=3),
        "element": VectorRetriever(view, embedder, kind="element", limit=3),
        "lexical": LexicalRetriever(view, limit=3),
        "graph": GraphRetriever(view, embedder, limit=3),
        "hybrid": HybridRetriever(view, embedder, limit=3),
    }


@pytest.mark.parametrize("name", ["chunk", "element", "lexical", "graph", "hybrid"])
def test_llama_index_gets_scored_nodes(view: View, embedder: HashingEmbedder, name: str) -> None:
    retriever = retrievers(view, embedder)[name]
    found = retriever.retrieve(QueryBundle(QUESTION))
    assert 1 <= len(found) <= 3
    assert [node.node_id for node in retriever.retrieve(QUESTION)] == [node.node_id for node in found]
    for node in found:
        metadata = node.node.metadata
        assert node.node_id == f"{metadata['page']}#{metadata['anchor']}"
        assert metadata["title"] in ("Harbour mooring grant", "Allotment licence", "Night market stall")
        assert metadata["url"].startswith("https://town.example/")
        assert isinstance(metadata["headings"], list)
        if name in ("element", "graph", "hybrid"):
            assert metadata["html"].startswith(f"<{metadata['tag']}>")
            assert sum(metadata["parts"].values()) == pytest.approx(node.score)


@pytest.mark.parametrize("name", ["chunk", "element", "lexical", "graph", "hybrid"])
def test_every_retriever_refuses_an_empty_question(view: View, embedder: HashingEmbedder, name: str) -> None:
    with pytest.raises(QuestionError):
        retrievers(view, embedder)[name].retrieve(QueryBundle(" "))


def test_a_scenario_travels_in_the_bundle(view: View, embedder: HashingEmbedder) -> None:
    bundle = ScenarioBundle("What does it cost?", scenario="I want an allotment licence from the parks office.")
    nodes = HybridRetriever(view, embedder, budget=60).retrieve(bundle)
    ranked = rank_elements(view, embedder, bundle.query_str, bundle.scenario, budget=60)
    assert [node.node.metadata["anchor"] for node in nodes] == [item.element.anchor for item in ranked]
    assert nodes[0].node.metadata["title"] == "Allotment licence"


def test_an_unknown_kind_is_refused(view: View, embedder: HashingEmbedder) -> None:
    with pytest.raises(ValueError, match="fact"):
        VectorRetriever(view, embedder, kind="fact")
