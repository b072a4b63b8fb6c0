"""What is proposed, what never is, and that twenty thousand names are not too many."""

import random
from collections import Counter

import pytest

from clausegraph.indexes.entities.decisions import decide, store_proposals
from clausegraph.indexes.entities.proposals import Profile, entity_profiles, propose, same_names
from clausegraph.indexes.entities.variants import Variant, may_be_same, signature, variant
from clausegraph.indexes.views import open_view
from tests.harness.tables import rows
from tests.law.world import CORPUS, World

PAGES = {
    "a": ["The Office of Housing Help must pay the heating grant.", "The Office of Housing Help must keep records."],
    "b": ["The Housing Help Office must keep records.", "The heating grant is £200 a year."],
}


APART = """form 12/form 13, form hw2/form hw3, tax year 2019/tax year 2020, tax year/tax year 2020, band b/band c
    schedule ii/schedule iii, first payment/second payment, january payment/june payment, weekly rent/monthly rent
    resident/non-resident, employed worker/unemployed worker, paternity pay/maternity pay
    employer contribution/employee contribution, spouse/former spouse, leave and pay/leave or pay
    reclaiming after 2 year/reclaiming within 2 year"""
ALIKE = """heating grant/winter-heating grant, licence fee/license fee, form 12/12 form, permit for/permit
    housing organisation/housing organization"""


@pytest.mark.parametrize(("listed", "same"), [(APART, False), (ALIKE, True)])
def test_what_tells_apart(listed: str, same: bool) -> None:
    for pair in listed.replace("\n", ",").split(","):
        one, other = pair.strip().split("/")
        assert may_be_same(one, other) is may_be_same(other, one) is same, pair


@pytest.mark.parametrize(("one", "other", "how"), rows(__file__, "two names, and how one is a way to write the other"))
def test_one_name_in_two_ways(one: str, other: str, how: str) -> None:
    found = variant(one, other) if signature(one) == signature(other) != () else None
    assert found == (Variant(how) if how else None) == (variant(other, one) if found else None)


def profile(key: str, supports: int = 1, kind: str = "organisation", surface: str = "") -> Profile:
    return Profile(key, supports, Counter({kind: supports}), Counter({surface or key: supports}))


TAKEN = [("office of housing help", "housing help office")]
OFFICE, HELP = profile("office of housing help", 5), profile("housing help office", 9)


@pytest.mark.parametrize(
    ("profiles", "of_type", "found"),
    [
        ([OFFICE, HELP], None, TAKEN),  # the one stated less often
        ([OFFICE, HELP], "tax", []),
        ([OFFICE, profile("housing help office", 9, "tax")], None, []),  # types must meet where both are known
        ([OFFICE, profile("housing help office", 9, "thing")], None, TAKEN),
        ([profile("all grants"), profile("grants")], None, []),  # names of one word: most were wrong
        ([profile("person's help line", surface="person’s (help line)"), profile("persons help line")], None, []),
        ([profile("child help on own", surface="child help on their own"), profile("child help", 9)], None, []),
        ([profile("税金"), profile("税")], None, []),
        ([], None, []),
    ],
)  # fmt: skip
def test_which_names_are_proposed(profiles: list[Profile], of_type: str | None, found: list[tuple[str, str]]) -> None:
    made = same_names({one.key: one for one in profiles}, of_type)
    assert [(one.name, one.entity) for one in made] == found


def test_many_names_are_compared_by_what_they_share() -> None:
    """Every planted pair among 20,000 names is found; names that differ in a number never."""
    rng = random.Random(7)
    words = ["".join(rng.choices("abcdefghijklmnoprstuvw", k=7)) for _ in range(900)]
    names = sorted({" ".join(rng.sample(words, 3)) for _ in range(20_000)})
    planted = {f"all {name}": name for name in names[::300]}
    numbered = [f"form hx{number}" for number in range(200)]
    every = {name: profile(name, 2) for name in [*names, *numbered]} | {name: profile(name) for name in planted}
    found = {one.name: one.entity for one in same_names(every)}
    assert found.items() >= planted.items()
    assert not any(name.startswith("form") for name in found)


def test_what_was_proposed_or_decided_is_not_proposed_again(world: World) -> None:
    corpus = world.row
    (found,), profiles = propose(world.ledger, corpus.id, 1)
    assert (found.name, found.entity) == ("housing help office", "office of housing help")
    assert found.evidence["variant"] == "order"
    assert profiles[found.entity].surfaces["Office of Housing Help"] == 3  # in statements and rules
    assert store_proposals(world.ledger, corpus.id, [found]) == 1
    assert propose(world.ledger, corpus.id, 1)[0] == []
    decide(world.ledger, corpus, [], [world.decisions()[0].id], "tester")
    assert propose(world.ledger, corpus.id, 1)[0] == []


def test_profiles_are_those_of_the_epoch(world: World) -> None:
    corpus = world.row
    world.merge("housing help office", "office of housing help")
    world.apply()
    before, after = (entity_profiles(world.ledger, corpus.id, epoch) for epoch in (1, 2))
    for some in ({*list(after)[::2], "nobody"}, set(after), set()):
        wanted = {key: profile for key, profile in after.items() if key in some}
        assert entity_profiles(world.ledger, corpus.id, 2, some) == wanted
    assert "housing help office" in before and "housing help office" not in after
    assert "Housing Help Office" in after["office of housing help"].surfaces
    with open_view(world.ledger, CORPUS) as view:
        assert len(after) == view.graph.counts().entities
    assert propose(world.ledger, corpus.id, 2)[0] == []
