"""PageRank as a pure function: what it reaches, what it is indifferent to, and its shares."""

from dataclasses import replace

from clausegraph.core.types import Fact, PageKey
from clausegraph.query.retrieve.bank import Place
from clausegraph.query.retrieve.pagerank import Walk, build_network, walk_from


def place(name: str) -> Place:
    return PageKey("s", name), "c"


def fact(name: str, subject: str, target: str) -> Fact:
    return Fact(name, subject, "r", target)


CHAIN = [fact("f1", "ann", "mill"), fact("f2", "mill", "town"), fact("f3", "town", "river"), fact("f9", "bob", "cart")]
STATED = [("f1", place("p1")), ("f2", place("p2")), ("f3", place("p3")), ("f9", place("p9"))]
CLEAR = {"f1": 0.9, "f9": 0.1}  # with one seed, f9 says where nothing begins
ONE = Walk(facts=1, places=1)


def test_the_second_hop_is_found_and_the_unconnected_is_not() -> None:
    scores = walk_from(build_network(CHAIN, STATED), CLEAR, walk=ONE)
    assert sorted(scores, key=lambda key: -scores[key]) == [place("p1"), place("p2"), place("p3")]


def test_literals_are_no_bridge() -> None:
    facts = [fact("f1", "ann", "=1804"), fact("f2", "light", "=1804")]
    network = build_network(facts, [("f1", place("p1")), ("f2", place("p2"))])
    assert sorted(network.entities) == ["ann", "light"]
    assert place("p2") not in walk_from(network, {"f1": 0.9, "f2": 0.1}, walk=ONE)


def test_a_title_leads_to_its_page() -> None:
    facts = [fact("f1", "ann", "mill"), fact("f2", "bob", "mill"), fact("f3", "mill", "=old")]
    stated = [("f1", place("p1")), ("f2", place("p2")), ("f3", place("mill"))]
    without = walk_from(build_network(facts, stated), {"f1": 0.9, "f2": 0.1}, walk=ONE)
    titled = walk_from(build_network(facts, stated, [("mill", place("mill"))]), {"f1": 0.9, "f2": 0.1}, walk=ONE)
    assert titled[place("mill")] > without[place("mill")]
    assert walk_from(build_network(facts, stated, [("nobody", place("mill")), ("mill", place("px"))]), CLEAR)


def test_a_walk_crosses_like_names() -> None:
    facts = [fact("f1", "ann", "brimholt works"), fact("f4", "brimholt", "port"), *CHAIN[1:]]
    stated = [("f1", place("p1")), ("f4", place("p4")), *STATED[1:]]
    joined, apart = replace(ONE, alike=0.5), replace(ONE, alike=2.0)
    assert place("p4") in walk_from(build_network(facts, stated, walk=joined), CLEAR, walk=joined)
    assert place("p4") not in walk_from(build_network(facts, stated, walk=apart), CLEAR, walk=apart)
