"""PageRank as a pure function: what it reaches, what it is indifferent to, and its shares."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from clausegraph.core.types import Fact, PageKey
from clausegraph.query.retrieve.bank import Place
from clausegraph.query.retrieve.pagerank import (
    Walk,
    build_network,
    excess,
    like_names,
    walk_from,
)

pytestmark = pytest.mark.unit


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


def test_the_order_of_the_sets_does_not_matter() -> None:
    rng = random.Random(7)
    facts = [fact(f"f{n}", f"e{rng.randrange(30)}", f"e{rng.randrange(30)}") for n in range(80)]
    stated = [(one.id, place(f"p{rng.randrange(20)}")) for one in facts]
    titled = [(f"e{n}", place(f"p{n}")) for n in range(20)]
    near = {place(f"p{n}"): n / 20 for n in range(20)}
    seeds = {one.id: rng.random() for one in facts}
    first = walk_from(build_network(facts, stated, titled), seeds, near)
    for _ in range(3):
        for rows in (facts, stated, titled):
            rng.shuffle(rows)  # type: ignore[arg-type]
        keys = rng.sample(sorted(seeds), len(seeds))
        again = walk_from(build_network(facts, stated, titled), {key: seeds[key] for key in keys}, near)
        assert again == first
    assert sum(first.values()) < 1


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


def test_like_names_are_joined_by_rare_words() -> None:
    names = ["brimholt works", "brimholt", "works of art", "town of art", *(f"x{n} town" for n in range(40))]
    pairs = {(names[one], names[other]): weight for one, other, weight in like_names(names, 0.6)}
    assert ("brimholt works", "brimholt") in pairs
    assert not any("town" in one and "town" in other for one, other in pairs)
    assert all(0.6 <= weight <= 1 for weight in pairs.values())
    assert like_names([], 0.5) == like_names(["a"], 0.5) == like_names(["a", "b"], 0.5) == []


def test_a_walk_crosses_like_names() -> None:
    facts = [fact("f1", "ann", "brimholt works"), fact("f4", "brimholt", "port"), *CHAIN[1:]]
    stated = [("f1", place("p1")), ("f4", place("p4")), *STATED[1:]]
    joined, apart = replace(ONE, alike=0.5), replace(ONE, alike=2.0)
    assert place("p4") in walk_from(build_network(facts, stated, walk=joined), CLEAR, walk=joined)
    assert place("p4") not in walk_from(build_network(facts, stated, walk=apart), CLEAR, walk=apart)


def test_places_have_their_share_of_the_restarts() -> None:
    network = build_network(CHAIN, STATED)
    near = {place("p9"): 0.8, place("p1"): 0.2}
    shares = [walk_from(network, CLEAR, near, replace(ONE, share=share))[place("p9")] for share in (0.1, 0.2, 0.4)]
    assert shares == sorted(shares)
    assert place("p9") not in walk_from(network, CLEAR, walk=ONE)


def test_one_kind_of_seed_is_enough_and_none_is_none() -> None:
    network = build_network(CHAIN, STATED, places=[place("alone")])
    assert place("p9") in walk_from(network, {}, {place("p9"): 0.5})
    assert set(walk_from(network, {}, {place("alone"): 0.5})) == {place("alone")}
    assert walk_from(network, {}) == {}
    assert walk_from(network, {"unknown": 1.0}, {place("unknown"): 1.0}) == {}
    assert walk_from(build_network([], []), {"f1": 1.0}) == {}


def test_parallel_supports_of_one_place_count_once() -> None:
    once, twice = build_network(CHAIN, STATED), build_network(CHAIN, [*STATED, *STATED])
    assert walk_from(once, CLEAR) == walk_from(twice, CLEAR)


@pytest.mark.parametrize(
    ("scores", "count", "expected"),
    [
        ({"a": 0.9, "b": 0.5, "c": 0.4}, 2, {"a": 0.5, "b": 0.1}),
        ({"a": 0.9, "b": 0.5}, 2, {"a": 0.9, "b": 0.5}),
        ({"a": -0.1, "b": -0.5}, 5, {"a": 0.4, "b": 0.0}),
        ({"b": 0.5, "a": 0.5, "c": 0.5}, 2, {"a": 1.0, "b": 1.0}),
        ({}, 3, {}),
    ],
)
def test_seeds_weigh_what_they_are_above_the_best_left_out(
    scores: dict[str, float], count: int, expected: dict[str, float]
) -> None:
    assert excess(scores, count) == pytest.approx(expected)
