"""What is proposed, what never is, and that twenty thousand names are not too many."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from clausegraph.core.models.embedding import HashingEmbedder, Vectors
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.entities.decisions import decide, store_proposals
from clausegraph.indexes.entities.proposals import Profile, entity_profiles, propose, similar_pairs
from clausegraph.indexes.entities.variants import abbreviated, initials, may_be_same
from clausegraph.indexes.views import open_view
from tests.law.world import CORPUS, World

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("form 12", "form 13"),
        ("form hw2", "form hw3"),
        ("tax year 2019", "tax year 2020"),
        ("tax year", "tax year 2020"),
        ("band b", "band c"),
        ("schedule ii", "schedule iii"),
        ("first payment", "second payment"),
        ("january payment", "june payment"),
        ("weekly rent", "monthly rent"),
        ("resident", "non-resident"),
        ("employed worker", "unemployed worker"),
        ("paternity pay", "maternity pay"),
        ("employer contribution", "employee contribution"),
        ("spouse", "former spouse"),
    ],
)
def test_what_tells_apart(one: str, other: str) -> None:
    assert not may_be_same(one, other) and not may_be_same(other, one)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("heating grant", "winter-heating grant"),
        ("licence fee", "license fee"),
        ("form 12", "12 form"),
        ("housing organisation", "housing organization"),
        ("permit for", "permit"),
    ],
)
def test_what_does_not(one: str, other: str) -> None:
    assert may_be_same(one, other)


def test_initials() -> None:
    assert {"hmrc", "hrc"} <= set(initials("HM Revenue and Customs"))
    assert abbreviated("hmrc", ["HM Revenue and Customs"])
    assert abbreviated("dvla", ["the Driver and Vehicle Licensing Agency"])
    assert abbreviated("fbi", ["Federal Bureau of Investigation"])
    assert not abbreviated("h", ["House of Homes"]) and not abbreviated("tax", ["vehicle tax"])


def profile(key: str, supports: int = 1, kind: str = "organisation", surface: str = "") -> Profile:
    return Profile(key, supports, Counter({kind: supports}), Counter({surface or key: supports}))


def pairs(*profiles: Profile, of_type: str | None = None) -> list[tuple[str, str]]:
    named = {one.key: one for one in profiles}
    matrix = HashingEmbedder(256).embed_texts(sorted(named))
    return [
        (one.name, one.entity) for one in similar_pairs(named, dict(zip(sorted(named), matrix, strict=True)), of_type)
    ]


def test_the_name_stated_less_often_is_taken_for_the_other() -> None:
    assert pairs(profile("office of housing help", 5), profile("housing help office", 9)) == [
        ("office of housing help", "housing help office")
    ]


def test_types_must_meet_but_for_an_abbreviation_of_unknown_type() -> None:
    long = profile("office for resident service", 2, surface="Office for Resident Services")
    assert pairs(long, profile("ors", 4, "thing")) == [("office for resident service", "ors")]
    assert pairs(long, profile("ors", 4, "person")) == []
    assert pairs(profile("housing help office", 5), profile("office housing help", 9, "tax")) == []
    assert pairs(long, profile("ors"), of_type="tax") == []


def test_few_names_are_no_trouble() -> None:
    assert pairs() == [] and pairs(profile("a")) == [] and pairs(profile("ab"), profile("xy")) == []
    assert pairs(profile("税金"), profile("税")) == []


def vectors_of(names: list[str], dimension: int = 64) -> dict[str, Vectors]:
    return dict(zip(names, HashingEmbedder(dimension).embed_texts(names), strict=True))


def test_many_names_are_compared_in_blocks() -> None:
    """Every planted pair among 3,000 names of one type is found, across blocks; names that differ in a number never."""
    rng = np.random.default_rng(7)
    words = ["".join(rng.choice(list("abcdefghijklmnoprstuvw"), 7)) for _ in range(900)]
    names = sorted({" ".join(words[i] for i in rng.choice(900, 3, replace=False)) for _ in range(3000)})
    planted = {name + "s": name for name in names[::300]}
    numbered = [f"form hx{number}" for number in range(200)]
    every = {name: profile(name, 2) for name in [*names, *numbered]} | {name: profile(name) for name in planted}
    # the planted names mean almost the same, whatever the hashing embedder says
    vectors = vectors_of(sorted(every))
    vectors |= {name: vectors[original] for name, original in planted.items()}
    found = {one.name: one.entity for one in similar_pairs(every, vectors)}
    assert found.items() >= planted.items()
    assert not any(name.startswith("form") for name in found)


@pytest.fixture
def world() -> Iterator[World]:
    made = World()
    made.write(
        "a", ["The Office of Housing Help must pay the heating grant.", "The Office of Housing Help must reply."]
    )
    made.write("b", ["The Housing Help Office must keep records.", "The grant is £200 a year."])
    made.ingest()
    yield made
    made.close()


def test_propose_stores_name_embeddings_once_and_leaves_out_what_is_known(world: World) -> None:
    corpus = get_corpus(world.ledger, CORPUS)
    texts: list[str] = []

    class Counting(HashingEmbedder):
        def embed_texts(self, given):  # type: ignore[no-untyped-def]
            texts.extend(given)
            return super().embed_texts(given)

    embedder = Counting(16)
    (found,), profiles = propose(world.ledger, corpus.id, 1, embedder)
    assert (found.name, found.entity) == ("housing help office", "office of housing help")
    assert found.evidence["string"] >= 0.8 and not found.evidence["abbreviation"]
    assert profiles[found.entity].surfaces["The Office of Housing Help"] == 2
    assert set(texts) <= set(profiles)
    texts.clear()
    assert propose(world.ledger, corpus.id, 1, embedder)[0] == [found] and texts == []
    assert store_proposals(world.ledger, corpus.id, [found]) == 1
    assert propose(world.ledger, corpus.id, 1, embedder)[0] == []
    decide(world.ledger, corpus, [], [world.decisions()[0].id], "tester")
    assert propose(world.ledger, corpus.id, 1, embedder)[0] == []


def test_profiles_are_those_of_the_epoch(world: World) -> None:
    corpus = get_corpus(world.ledger, CORPUS)
    world.merge("housing help office", "office of housing help")
    world.apply()
    before, after = (entity_profiles(world.ledger, corpus.id, epoch) for epoch in (1, 2))
    assert "housing help office" in before and "housing help office" not in after
    assert "The Housing Help Office" in after["office of housing help"].surfaces
    with open_view(world.ledger, CORPUS) as view:
        assert len(after) == view.graph.counts().entities
    assert propose(world.ledger, corpus.id, 2, world.embedder)[0] == []
