"""Names, ego-graphs, and the retrievers that walk from them."""

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.retrieve.graph import Offer, ego_of, in_words, named_in

GRANT, LICENCE = "harbour mooring grant", "allotment licence"


def test_names_are_whole_and_the_longest(view: View) -> None:
    assert [topic.key for topic in named_in(view, "What does an Allotment licence cost?")] == [LICENCE]
    assert named_in(view, "What does it cost?") == ()
    assert named_in(view, "") == ()


def test_what_is_offered_is_in_the_corpus_named_first(view: View, embedder: HashingEmbedder) -> None:
    offer = Offer(view, embedder, Inquiry("What does the allotment licence cost?", "I own a boat."))
    assert offer.entities[0].key == LICENCE
    held = set(view.graph.named([topic.key for topic in offer.entities]).values())
    assert held == {topic.key for topic in offer.entities}
    assert set(offer.relations) <= set(view.graph.relations())


def test_an_ego_graph_has_its_facts_by_distance_and_paths_in_words(view: View) -> None:
    near, far = ego_of(view, [LICENCE], radius=1), ego_of(view, [LICENCE])
    assert {fact.id for fact in near.facts} <= {fact.id for fact in far.facts}
    assert {fact.hop for fact in near.facts} == {1}
    assert all(path[0].start == LICENCE for path in far.paths)
    assert any("→" in in_words(path) for path in far.paths)
    assert {view.reading(page).title for page, _ in near.places} == {"Allotment licence"}


def test_along_a_relation_only_its_facts_are_found(view: View) -> None:
    relations = {fact.relation for fact in ego_of(view, [LICENCE], radius=1).facts}
    for relation in relations:
        assert {fact.relation for fact in ego_of(view, [LICENCE], [relation]).facts} == {relation}


def test_what_is_found_is_about_the_name(view: View, embedder: HashingEmbedder) -> None:
    inquiry = Inquiry("What does the allotment licence cost?", "I own a boat in the harbour and want a mooring.")
    hits = make_retriever("graph", view, embedder).retrieve(inquiry, limit=5)
    assert hits and view.reading(hits[0].page).title == "Allotment licence"
    assert hits == make_retriever("graph", view, embedder).retrieve(inquiry, limit=5)
    assert {hit.level for hit in hits} == {"element"}
