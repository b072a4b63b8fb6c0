"""What is proposed, what never is, and that twenty thousand names are not too many."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from clausegraph.core.language.definitions import initials
from clausegraph.indexes.entities.decisions import decide, store_proposals
from clausegraph.indexes.entities.proposals import Profile, entity_profiles, propose, same_names
from clausegraph.indexes.entities.variants import Variant, may_be_same, signature, variant
from clausegraph.indexes.views import open_view
from tests.law.world import CORPUS, World

pytestmark = pytest.mark.unit
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


def test_initials() -> None:
    assert {"hmrc", "hrc"} <= set(initials("HM Revenue and Customs"))
    assert "dvla" in initials("the Driver and Vehicle Licensing Agency")
    assert "fbi" in initials("Federal Bureau of Investigation") and "tax" not in initials("vehicle tax")


@pytest.mark.parametrize(
    ("one", "other", "how"),
    [
        ("department for work and pension", "department for work and pension dwp", Variant.ACRONYM),
        ("smp statutory maternity pay", "statutory maternity pay smp", None),  # not behind its words
        ("change of circumstance", "change in circumstance", Variant.WORDING),
        ("one-off tax-free payment", "one-off tax free payment", Variant.WORDING),
        ("housing organisation", "housing organization", Variant.WORDING),
        ("licence fee", "license fee", Variant.WORDING),
        ("all immigration adviser", "immigration adviser", Variant.WORDING),
        ("local authority about", "local authority", Variant.WORDING),
        ("adoption process", "process to adopt", Variant.ORDER),
        ("office of housing help", "housing help office", Variant.ORDER),
        ("land and property", "property and land", Variant.ORDER),
        ("child adoption", "child for adoption", None),  # the head is another
        ("payment to employer", "payment from employer", None),
        ("before order", "after order", None),
        ("work permit", "permit work", None),  # no linking word tells which is the head
        ("paid leave or unpaid leave", "unpaid leave or paid leave", Variant.ORDER),
    ],
)
def test_one_name_in_two_ways(one: str, other: str, how: Variant | None) -> None:
    found = variant(one, other) if signature(one) == signature(other) else None
    assert found is how and (variant(other, one) if found else None) is how


@pytest.mark.parametrize(
    "pair",
    ["small ship regulation/large ship regulation", "copy of certificate/certified copy of certificate",
     "overseas citizenship/overseas territory citizenship", "case to tribunal/claim to tribunal",
     "applicant/application", "adopter/adopted"],
)  # fmt: skip
def test_another_content_word_makes_another_name(pair: str) -> None:
    one, other = map(signature, pair.split("/"))
    assert one != other


def test_a_name_with_a_pronoun_is_no_name() -> None:
    assert signature("interest you") == signature("which you") == signature("you") == ()


def profile(key: str, supports: int = 1, kind: str = "organisation", surface: str = "") -> Profile:
    return Profile(key, supports, Counter({kind: supports}), Counter({surface or key: supports}))


def pairs(*profiles: Profile, of_type: str | None = None) -> list[tuple[str, str]]:
    return [(one.name, one.entity) for one in same_names({one.key: one for one in profiles}, of_type)]


def test_the_name_stated_less_often_is_taken_for_the_other() -> None:
    assert pairs(profile("office of housing help", 5), profile("housing help office", 9)) == [
        ("office of housing help", "housing help office")
    ]


def test_types_must_meet_where_both_are_known() -> None:
    long = profile("office for resident service", 2, surface="Office for Resident Services")
    assert pairs(long, profile("ors", 4, "thing", "ORS")) == [("office for resident service", "ors")]
    assert pairs(long, profile("ors", 4, "person", "ORS")) == []
    assert pairs(long, profile("ors", 4, surface="ors")) == [], "nobody writes it as an abbreviation"
    assert pairs(profile("housing help office", 5), profile("office of housing help", 9, "tax")) == []
    assert pairs(long, profile("ors", surface="ORS"), of_type="tax") == []


def test_a_definition_on_a_page_is_the_surest() -> None:
    short, long = (
        profile("ors", surface="ORS"),
        profile("office for resident service", surface="Office for Resident Services"),
    )
    defined = profile("office for resident service ors", surface="the Office for Resident Services (ORS)")
    (plain,) = same_names({one.key: one for one in (short, long)})
    found = {(one.name, one.entity): one.score for one in same_names({one.key: one for one in (short, long, defined)})}
    assert found[plain.name, plain.entity] > plain.score


def test_an_abbreviation_is_of_a_capitalised_name() -> None:
    short = profile("cfo", surface="CFO")
    assert pairs(short, profile("court fund office", surface="Court Funds Office")) == [("cfo", "court fund office")]
    assert pairs(short, profile("child from oversea", surface="child from overseas")) == []
    assert (
        pairs(profile("acas", surface="Acas"), profile("agency child adoption", surface="agency (Child adoption)"))
        == []
    )


def test_what_is_cut_off_behind_a_genitive_is_no_name() -> None:
    cut = profile("person's housing help", surface="person’s (Housing help)")
    assert pairs(cut, profile("persons housing help", surface="persons housing help")) == []
    assert pairs(profile("child on own", surface="child on their own"), profile("child", 9, surface="child")) == []


def test_few_names_are_no_trouble() -> None:
    assert pairs() == [] and pairs(profile("a")) == [] and pairs(profile("ab"), profile("xy")) == []
    assert pairs(profile("税金"), profile("税")) == []


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
    assert profiles[found.entity].surfaces["Office of Housing Help"] == 2
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
