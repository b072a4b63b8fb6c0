"""What every graph store must answer. One suite; each test runs against each store."""

from collections.abc import Callable

import pytest

from clausegraph.core.hashing import fact_id
from clausegraph.core.types import AnyOf, Fact, Leaf, Mention, Modality, Not, PageKey, leaves
from clausegraph.indexes.graph.protocol import EntityHit, Graph, GraphCounts
from tests.contracts.graph.conftest import SAME_IN_NEO4J, Opener
from tests.contracts.graph.scripted import Town

pytestmark = pytest.mark.contract
At = Callable[[int], Graph]

HOSTILE = (
    "`) DETACH DELETE n //",
    "'; DROP TABLE supports; --",
    '"}) MATCH (n) DETACH DELETE n RETURN {a: "',
    "$corpus {{epoch}} %s",
    "naïve Ünïcode Ωμέγα",
    "漢字 \U00020000 😀",
    "back\\slash \\n `tick`",
    "CALL dbms.listConfig() YIELD name",
    "\\u0027 OR 1=1",
    "a" * 9000,
)


def texts(facts: list[Fact]) -> list[tuple[str, int, int]]:
    return [(fact.text, fact.supports, fact.hop) for fact in facts]


def test_facts_and_supports_of_an_epoch(town: Town, at: At) -> None:
    town.write("a", "grant | pays | =£200", "grant | needs | age | if over 65 | unless abroad")
    town.write("b", "grant | pays | =£200", "grant | not needs | age")
    graph = at(town.publish())
    pays, needs = fact_id("grant", "pays", "=£200"), fact_id("grant", "needs", "age")
    found = graph.facts([needs, "no such id", pays, needs])
    assert found == [
        Fact(needs, "grant", "needs", "age", supports=2, hop=0),
        Fact(pays, "grant", "pays", "=£200", supports=2, hop=0),
    ]
    supports = graph.supports([pays, needs])
    assert [(s.page.uri, s.statement.relation, s.statement.polarity) for s in supports] == sorted(
        ((s.page.uri, s.statement.relation, s.statement.polarity) for s in supports), key=lambda row: row[0]
    )
    conditional = next(s for s in supports if s.statement.condition)
    match conditional.statement.condition:
        case AnyOf((Leaf(text="over 65"), Not(Leaf(text="abroad")))):
            pass
        case other:
            pytest.fail(f"condition {other}")
    assert {leaf.anchor for leaf in leaves(conditional.statement.condition)} == {
        span.anchor for span in conditional.statement.spans
    }
    assert graph.all_supports() == graph.supports([pays, needs])
    assert graph.counts() == GraphCounts(entities=2, facts=2, supports=4)
    assert graph.relations() == {"needs": 2, "pays": 2}


def test_statements_keep_modality_and_the_words_of_their_page(town: Town, at: At) -> None:
    town.write("a", *(f"tenant | pays {modality} | rent | ~{modality} | ~has to pay | ~you" for modality in Modality))
    graph = at(town.publish())
    stated = {support.statement.modality: support.statement for support in graph.all_supports()}
    assert set(stated) == set(Modality)
    for modality, statement in stated.items():
        assert (statement.relation, statement.wording) == (f"pays {modality}", "has to pay")
        assert statement.subject == Mention("tenant", "tenant", written="you")


def test_statements_keep_which_step_they_are(town: Town, at: At) -> None:
    town.write("a", "Step 2: tenant | pays | =£20", "Step 1: tenant | fills in | form", "tenant | may appeal | fee")
    stated = [support.statement for support in at(town.publish()).all_supports()]
    assert {one.relation: one.step and one.step.number for one in stated} == {
        "fills in": (1,), "pays": (2,), "may appeal": None,
    }  # fmt: skip


@SAME_IN_NEO4J
def test_supports_on_a_page(town: Town, at: At) -> None:
    town.write("a", "grant | pays | =£200", "grant | needs | age")
    town.write("b", "grant | pays | =£200")
    graph = at(town.publish())
    every = graph.all_supports()
    mine = [s for s in every if s.page.uri == "a.html" and s.statement.relation == "pays"]
    anchors = [span.anchor for span in mine[0].statement.spans]
    assert graph.supports_on(mine[0].page, anchors) == mine
    assert graph.supports_on(mine[0].page, ["p-none-1"]) == []
    many = [*anchors, *(f"p-none-{number}" for number in range(3000))]
    assert graph.supports_on(mine[0].page, many) == mine
    assert graph.supports_on(mine[0].page, []) == []
    assert graph.supports_on(PageKey("elsewhere", "a.html"), anchors) == []


@SAME_IN_NEO4J
def test_neighbourhood_order_limits_and_relations(town: Town, at: At) -> None:
    town.write("a", "hub | has | one", "hub | has | two", "two | leads to | far", "far | leads to | beyond")
    town.write("b", "hub | has | two", "one | is | =literal", "other | is | =literal", "hub | knows | hub")
    graph = at(town.publish())
    near = graph.neighbourhood(["hub"])
    assert near[0].text == "hub has two"
    assert near[0].supports == 2
    ones = [fact for fact in near if fact.supports == 1]
    assert [fact.id for fact in ones] == sorted(fact.id for fact in ones)
    assert {fact.text for fact in near} == {"hub has one", "hub has two", "hub knows hub"}
    assert all(fact.hop == 1 for fact in near)
    far = graph.neighbourhood(["hub"], hops=2)
    assert far[:3] == near
    assert {(fact.text, fact.hop) for fact in far[3:]} == {("one is literal", 2), ("two leads to far", 2)}
    assert graph.neighbourhood(["hub"], hops=2, limit=1) == near[:1]
    assert graph.neighbourhood(["hub"], hops=2, limit=4) == far[:4]
    assert graph.neighbourhood(["hub"], limit=0) == []
    assert graph.neighbourhood([]) == []
    assert graph.neighbourhood(["=literal"]) == []
    assert [fact.text for fact in graph.neighbourhood(["hub"], hops=2, relations=["knows"])] == ["hub knows hub"]
    assert graph.neighbourhood(["hub"], relations=[]) == []
    both = graph.neighbourhood(["two", "hub", "hub"], relations=["has", "leads to"])
    assert texts(both)[0] == ("hub has two", 2, 1)
    assert len(both) == 3


def test_a_walk_goes_on_only_from_what_was_kept(town: Town, at: At) -> None:
    town.write("a", "hub | has | a", "hub | has | b", "a | has | a2", "b | has | b2")
    graph = at(town.publish())
    kept = graph.neighbourhood(["hub"], hops=2, limit=2)
    assert all(fact.hop == 1 for fact in kept)
    assert len(graph.neighbourhood(["hub"], hops=2, limit=3)) == 3


@SAME_IN_NEO4J
def test_entities_by_tokens(town: Town, at: At) -> None:
    town.write("a", "winter fuel grant | pays | =£200", "grant | is for | winter", "Office of grants | gives | grant")
    town.write("b", "grant | is for | winter")
    graph = at(town.publish())
    assert graph.entities(["winter", "grant"]) == [
        EntityHit("winter fuel grant", 2, 3, 1),
        EntityHit("grant", 1, 1, 3),
        EntityHit("winter", 1, 1, 2),
    ]
    assert graph.entities(["winter", "grant"], limit=1) == [EntityHit("winter fuel grant", 2, 3, 1)]
    assert graph.entities(["gran"]) == []
    assert graph.entities([]) == []


def test_entities_are_cut_after_what_the_epoch_shows(town: Town, at: At) -> None:
    """Five hundred names that went away, and would come first, take no place."""
    town.write("a", *(f"x{number} grant | is | =gone" for number in range(500)))
    town.write("b", "grant of the city of Lethmoor | is | =here")
    town.publish()
    town.write("a", "something | is | =else")
    graph = at(town.publish())
    assert [hit.key for hit in graph.entities(["grant"])] == ["grant of the city of Lethmoor"]


@SAME_IN_NEO4J
def test_entities_beyond_the_candidates(town: Town, at: At) -> None:
    town.write("a", *(f"grant {number:03}{'😀é漢z'[number % 4]} | is | =x" for number in range(600)))
    graph = at(town.publish())
    hits = graph.entities(["grant"], limit=500)
    assert len(hits) == 400
    assert [hit.key for hit in hits] == sorted(hit.key for hit in hits)


def test_entities_by_name(town: Town, at: At) -> None:
    town.write("a", "grant | pays | =£200", "age limit | is | =65")
    graph = at(town.publish())
    asked = ["grant", "The Grants", "age limit", "£200", "=£200", "nowhere"]
    assert graph.named(asked) == {"grant": "grant", "age limit": "age limit"}
    assert graph.named(asked, normalised=True) == {
        "grant": "grant", "The Grants": "grant", "age limit": "age limit",
    }  # fmt: skip
    assert graph.named([]) == {}


def test_names_taken_for_another(town: Town, at: At) -> None:
    town.write("a", "grant | pays | =£200", "heating grant | needs | age")
    first = town.publish()
    second = town.take("heating grant", "grant")
    third = town.untake("heating grant")
    assert at(first).names() == {}
    graph = at(second)
    assert graph.names() == {"heating grant": "grant"}
    assert graph.named(["heating grant", "grant"]) == {"heating grant": "grant", "grant": "grant"}
    assert {fact.text for fact in graph.neighbourhood(["grant"])} == {"grant pays £200", "grant needs age"}
    assert graph.entities(["heating"]) == [EntityHit("grant", 1, 2, 2)]
    assert at(third).names() == {}
    assert at(third).named(["heating grant"]) == {"heating grant": "heating grant"}


def test_rules_of_entities_and_pages(town: Town, at: At) -> None:
    town.write(
        "a",
        "In each case:",
        "rule | eligibility, amount | about grant | actor applicant | =£200 | if over 65 | unless abroad",
        "However rule | exclusion | about grant | actor prisoner | object tax",
    )
    town.write("b", "rule | duty | about heating grant | actor applicant | authority Office")
    first = town.publish()
    graph = at(first)
    every = graph.all_rules()
    assert [(one.page, one.key) for one in every] == sorted((one.page, one.key) for one in every)
    by_kind = {one.rule.kind: one for one in every}
    excluded, entitled, duty = (by_kind[kind] for kind in ("exclusion", "eligibility", "duty"))  # type: ignore[index]
    assert graph.rules_on(duty.page) == [duty]
    assert graph.rules_on(excluded.page) == [one for one in every if one.page.uri == "a.html"]
    assert graph.rules_on(PageKey("elsewhere", "a.html")) == []
    assert graph.rules_of(["grant"]) == graph.rules_on(excluded.page)
    assert graph.rules_of(["prisoner", "heating grant"]) == [excluded, duty]
    assert graph.rules_of(["grant", "applicant"], limit=1) == every[:1]
    assert graph.rules_of([]) == graph.rules_of(["tax"]) == graph.rules_of(["grant"], limit=0) == []
    assert (entitled.entities, excluded.entities) == (("grant", "applicant"), ("grant", "prisoner"))
    assert [link.name for link in excluded.rule.links] == ["exception of"]
    assert [value.value for value in entitled.rule.values] == ["£200"] and isinstance(entitled.rule.condition, AnyOf)
    assert graph.counts() == GraphCounts(entities=5, facts=0, supports=0, rules=3)
    assert graph.entities(["grant", "applicant"])[:2] == [EntityHit("applicant", 1, 1, 2), EntityHit("grant", 1, 1, 2)]
    assert graph.named(["Office", "tax", "heating grant"]) == {"Office": "Office", "heating grant": "heating grant"}


def test_rules_of_an_epoch_under_its_names(town: Town, at: At) -> None:
    town.write("a", "rule | eligibility | about grant", "rule | exclusion | about grant | actor prisoner")
    town.write("b", "rule | duty | about heating grant", "heating grant | pays | =£200")
    first = town.publish()
    merged = town.take("heating grant", "grant")
    town.write("a", "rule | eligibility | about grant")
    closed = town.publish()
    parted = town.untake("heating grant")
    shown = {
        epoch: sorted((one.rule.kind.value, *one.entities) for one in at(epoch).rules_of(["grant"]))
        for epoch in (first, merged, closed, parted)
    }
    assert shown == {
        first: [("eligibility", "grant"), ("exclusion", "grant", "prisoner")],
        merged: [("duty", "grant"), ("eligibility", "grant"), ("exclusion", "grant", "prisoner")],
        closed: [("duty", "grant"), ("eligibility", "grant")],
        parted: [("eligibility", "grant")],
    }
    assert at(merged).rules_of(["heating grant"]) == []
    assert at(merged).named(["heating grant"]) == {"heating grant": "grant"}
    assert at(merged).entities(["heating"]) == [EntityHit("grant", 1, 2, 4)]
    counts = [at(epoch).counts() for epoch in (first, merged, closed, parted)]
    assert [(one.entities, one.rules) for one in counts] == [(3, 3), (2, 3), (1, 2), (2, 2)]


def test_every_epoch_stays_what_it_was(town: Town, at: At) -> None:
    town.write("a", "grant | pays | =£200")
    town.write("b", "grant | pays | =£200")
    first = town.publish()
    town.write("a", "grant | pays | =£300")
    second = town.publish()
    town.write("a", "grant | pays | =£200")
    town.remove("b")
    third = town.publish()
    amounts = {epoch: texts(at(epoch).neighbourhood(["grant"])) for epoch in (first, second, third)}
    assert amounts == {
        first: [("grant pays £200", 2, 1)],
        second: sorted(amounts[second]),
        third: [("grant pays £200", 1, 1)],
    }
    assert {text for text, *_ in amounts[second]} == {"grant pays £200", "grant pays £300"}
    assert [at(epoch).counts().supports for epoch in (first, second, third)] == [2, 2, 1]


def test_corpora_side_by_side(town: Town, opened: Opener) -> None:
    town.write("a", "grant | pays | =£200")
    epoch = town.publish()
    one = town.id
    town.corpus = "village"
    town.write("a", "grant | pays | =£200", "grant | pays | =£90")
    town.publish()
    first, second = opened(town.ledger, one, "town", epoch), opened(town.ledger, town.id, "village", 1)
    assert first.counts() == GraphCounts(1, 1, 1)
    assert second.counts() == GraphCounts(1, 2, 2)
    assert first.facts([fact_id("grant", "pays", "=£90")]) == []
    assert len(second.neighbourhood(["grant"])) == 2
    assert first.supports([fact_id("grant", "pays", "=£200")]) == first.all_supports()


def test_hostile_names_are_names(town: Town, at: At) -> None:
    names = [" ".join(name.split()) for name in HOSTILE]
    for number, name in enumerate(names):
        town.write(f"page {number}", f"{name} | {name[:60]} | {name}", f"{name} | is | ={name.lower()}")
    graph = at(town.publish())
    assert graph.named(names) == {name: name for name in names}
    assert graph.counts() == GraphCounts(len(names), 2 * len(names), 2 * len(names))
    for name in names:
        assert {fact.relation for fact in graph.neighbourhood([name], hops=2)} == {name[:60], "is"}
    assert graph.relations() == {"is": len(names)} | {name[:60]: 1 for name in names}
    assert sorted(s.statement.subject.key for s in graph.all_supports()) == sorted([*names, *names])


def test_an_empty_question_gets_nothing(town: Town, at: At) -> None:
    town.write("a", "grant | pays | =£200")
    graph = at(town.publish())
    assert graph.facts([]) == []
    assert graph.supports([]) == []
