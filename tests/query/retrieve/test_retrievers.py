"""The bank of retrievers over a real view, as plain values and through LlamaIndex's interface."""

import pytest
from llama_index.core.schema import QueryBundle

from clausegraph.core.errors import InputError, QuestionError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.views import View, open_view
from clausegraph.query.retrieve.bank import RETRIEVERS, make_retriever
from clausegraph.query.retrieve.score import Weights
from clausegraph.query.stores.llamaindex import ViewRetriever

QUESTION = "How old must I be to get the mooring grant?"
ASKED = Inquiry(QUESTION, "I am 20.")
EVERYTHING = 1000  # more than the view has
NAMES = pytest.mark.parametrize("name", RETRIEVERS.names)


@NAMES
def test_equal_views_give_equal_lists_of_one_level(
    ledger: Ledger, view: View, embedder: HashingEmbedder, name: str
) -> None:
    first = make_retriever(name, view, embedder).retrieve(ASKED, limit=10)
    with open_view(ledger, "town") as again:
        assert make_retriever(name, again, embedder).retrieve(ASKED, limit=10) == first
    assert {hit.level for hit in first} == {RETRIEVERS[name].level}
    assert len({(hit.page, hit.key) for hit in first}) == len(first) > 0
    assert [hit.score for hit in first] == sorted((hit.score for hit in first), reverse=True)
    for hit in first:
        texts = {element.anchor: element.text for element in view.reading(hit.page).elements}
        assert all(texts[anchor] in hit.text for anchor in hit.anchors)
        assert sum(hit.parts.values()) == pytest.approx(hit.score)


@NAMES
@pytest.mark.parametrize("budget", [1, 20, 50, 1000])
def test_the_budget_holds(view: View, embedder: HashingEmbedder, name: str, budget: int) -> None:
    retriever = make_retriever(name, view, embedder)
    everything = retriever.retrieve(Inquiry(QUESTION), limit=EVERYTHING)
    taken = retriever.retrieve(Inquiry(QUESTION), budget=budget)
    assert taken == everything[: len(taken)]
    assert sum(count_tokens(hit.text) for hit in taken) <= budget
    following = everything[: len(taken) + 1]
    assert taken == everything or sum(count_tokens(hit.text) for hit in following) > budget


@NAMES
@pytest.mark.parametrize(
    ("wrong", "problem"), [({}, "neither"), ({"limit": -1}, "limit is -1"), ({"limit": 5, "budget": 0}, "budget is 0")]
)
def test_no_cut_is_refused(
    view: View, embedder: HashingEmbedder, name: str, wrong: dict[str, int], problem: str
) -> None:
    with pytest.raises(InputError, match=problem):
        make_retriever(name, view, embedder).retrieve(ASKED, **wrong)


def test_weights_are_those_of_the_hybrid(view: View, embedder: HashingEmbedder) -> None:
    other = make_retriever("hybrid", view, embedder, weights=Weights(fact=5.0)).retrieve(ASKED, limit=5)
    assert other != make_retriever("hybrid", view, embedder).retrieve(ASKED, limit=5)
    with pytest.raises(InputError, match="has no weights"):
        make_retriever("bm25", view, embedder, weights=Weights())


def test_facts_bring_lead_ins_and_the_items_beside(view: View, embedder: HashingEmbedder) -> None:
    inquiry = Inquiry("Can I get the mooring grant if I live in Port Ashby?")
    texts = [hit.text for hit in make_retriever("facts", view, embedder).retrieve(inquiry, limit=50)]
    for text in ("You can get the mooring grant if you:", "are 21 or over", "live in Port Ashby"):
        assert text in texts


@NAMES
def test_llama_index_gets_scored_nodes(view: View, embedder: HashingEmbedder, name: str) -> None:
    plain = make_retriever(name, view, embedder)
    retriever = ViewRetriever(view, plain, limit=3)
    found = retriever.retrieve(QueryBundle(QUESTION))
    assert [node.node_id for node in retriever.retrieve(QUESTION)] == [node.node_id for node in found]
    for hit, node in zip(plain.retrieve(Inquiry(QUESTION), limit=3), found, strict=True):
        metadata = node.node.metadata
        assert node.node_id == f"{hit.page}#{hit.key}" == f"{metadata['page']}#{metadata['anchor']}"
        assert (node.text, node.score, metadata["level"]) == (hit.text, hit.score, hit.level)
        assert metadata["title"] in ("Harbour mooring grant", "Allotment licence", "Night market stall")
        assert metadata["url"].startswith("https://town.example/")
        assert metadata["parts"] == hit.parts and metadata["anchors"] == list(hit.anchors)
        if hit.level == "element":
            assert metadata["html"].startswith(f"<{metadata['tag']}>")
    with pytest.raises(QuestionError):
        retriever.retrieve(QueryBundle(" "))
