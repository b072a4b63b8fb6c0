"""Other names that pages define: in force without a curator, gone with the page, undone by people."""

import pytest
from sqlalchemy import event

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.language.definitions import find_definitions
from clausegraph.indexes.entities.decisions import Proposed, deny, settle, store_proposals
from clausegraph.indexes.entities.names import NameDefined, defined_pairs, open_definitions
from clausegraph.indexes.entities.proposals import propose
from clausegraph.indexes.views import open_view
from tests.law.world import CORPUS, World

SHORT, LONG, BOTH = "zte", "zonal tax exchange", "zonal tax exchange zte"
IN_FORCE = {SHORT: LONG, BOTH: LONG}
DEFINING = "Claims go to the Zonal Tax Exchange (ZTE)."
PAGES = {
    "a": [DEFINING, "The Zonal Tax Exchange must pay the heating grant."],
    "b": ["The ZTE must reply within 10 working days."],
}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Apply to the Disclosure and Barring Service (DBS) first.", [("Disclosure and Barring Service", "DBS")]),
        ("You must take compulsory basic training (CBT).", [("compulsory basic training", "CBT")]),
        ("Tell HM Revenue and Customs (HMRC) if you move.", [("HM Revenue and Customs", "HMRC")]),
        ("Two Higher National Diplomas (HNDs).", [("Higher National Diplomas", "HNDs")]),
        ("Ask for a DBS (Disclosure and Barring Service) check.", [("Disclosure and Barring Service", "DBS")]),
        ("A degree such as an MA (master of arts).", [("master of arts", "MA")]),
        ("Pay the fee (DBS) now.", []),
        ("Officer of the Order of the British Empire (OBE)", []),  # the name may begin before
        ("Order of the British Empire (OBE)", [("Order of the British Empire", "OBE")]),
        ("You need a licence (see Form B12).", []),
        ("The scheme (called Flexi) is closed.", []),
        ("Strength (ABV) is printed on it.", []),
        ("Get the grant (NOT the loan).", []),
    ],
)  # fmt: skip
def test_what_a_text_defines(text: str, found: list[tuple[str, str]]) -> None:
    assert [(one.name, one.alias) for one in find_definitions(text)] == found
    assert all(one.alias in text[one.start : one.end] for one in find_definitions(text))
    assert all(text[one.start : one.end].startswith((one.name, one.alias)) for one in find_definitions(text))


def defined(*pairs: tuple[str, str]) -> dict[str, str]:
    return defined_pairs([NameDefined(name, entity, "", 1) for name, entity in pairs], {}, frozenset())


def test_two_expansions_are_no_alias() -> None:
    assert defined(("lpa", "lasting power of attorney"), ("lpa", "local planning authority")) == {}
    ways = ("hmrc", "hm revenue customs"), ("hmrc", "hm revenue and customs"), ("hmrc", "hm revenue and customs")
    assert defined(*ways) == {"hmrc": "hm revenue and customs"}, "one name written in two ways"
    assert defined(("a", "b"), ("b", "a")) == {"a": "b"}, "no circle"


def names(world: World) -> dict[str, str]:
    with open_view(world.ledger, CORPUS) as view:
        return view.graph.names()


def test_a_definition_is_in_force_at_once_and_on_every_page(world: World) -> None:
    assert names(world) == IN_FORCE and world.decisions() == []
    with open_view(world.ledger, CORPUS) as view:
        facts = view.graph.neighbourhood([LONG])
        assert {support.page.uri for fact in facts for support in view.graph.supports([fact.id])} == {
            "a.html",
            "b.html",
        }
        assert not [fact for fact in facts if fact.relation == "is also called"], "a name is no fact"
    assert propose(world.ledger, world.row.id, 1)[0] == []
    world.assert_lawful()


def test_it_goes_with_its_page_and_comes_back(world: World) -> None:
    before = world.dump()
    world.write("a", ["The Zonal Tax Exchange must pay the heating grant."])
    world.ingest()
    assert names(world) == {}
    world.assert_lawful()
    world.write("a", [DEFINING, "The Zonal Tax Exchange must pay the heating grant."])
    world.ingest()
    assert world.dump() == before
    world.remove("a")
    world.ingest()
    assert names(world) == {}
    world.assert_lawful()


def test_another_expansion_on_another_page_ends_it(world: World) -> None:
    world.write("c", ["Ask the Zebra Transport Executive (ZTE)."])
    world.ingest()
    assert SHORT not in names(world) and names(world)[BOTH] == LONG, "with its long form it is no riddle"
    world.assert_lawful()
    world.remove("c")
    world.ingest()
    assert names(world) == IN_FORCE
    world.assert_lawful()


@pytest.mark.parametrize("phrase", ["ZTE", "Zonal Tax Exchange (ZTE)"])
def test_people_undo_it_and_take_that_back(world: World, phrase: str) -> None:
    """By the name, or by its whole phrase."""
    before = world.dump()
    made, now = world.undo(phrase)
    assert (made.name, made.entity, made.state, made.decided_by, now) == (SHORT, LONG, "rejected", "tester", "rejected")
    assert world.dump() == before
    world.apply()
    assert names(world) == {}
    world.assert_lawful()
    assert world.undo(phrase)[1] == "removed" and world.decisions() == []
    world.apply()
    assert world.dump() == before
    with pytest.raises(NotFoundError, match="nothing was decided"):
        world.undo("heating grant")


@pytest.mark.parametrize("proposed", [False, True])
def test_denied_it_stays_so_however_often(world: World, proposed: bool) -> None:
    corpus = world.row
    if proposed:
        store_proposals(world.ledger, corpus.id, [Proposed(SHORT, LONG, 0.9, {"origin": "review"})])
    before = world.dump()
    made = deny(world.ledger, corpus, "ZTE", "tester")
    assert (made.name, made.entity, made.state) == (SHORT, LONG, "rejected")
    assert deny(world.ledger, corpus, "ZTE", "somebody else") == made
    world.apply()
    assert names(world) == {}
    assert deny(world.ledger, corpus, "ZTE", "somebody else") == made
    assert settle(world.ledger, corpus, made.id, "proposed", "tester")[1] == ("proposed" if proposed else "removed")
    world.apply()
    assert world.dump() == before
    with pytest.raises(NotFoundError, match="nothing was decided"):
        deny(world.ledger, corpus, "heating grant", "tester")


def test_a_phrase_undoes_its_own_definition_alone(world: World) -> None:
    world.merge(SHORT, "heating grant")
    assert world.undo("Zonal Tax Exchange (ZTE)")[0].entity == LONG
    world.apply()
    assert names(world) == {SHORT: "heating grant"}, "what was decided about the short form stays"
    world.assert_lawful()


def test_a_decision_about_the_name_wins(world: World) -> None:
    world.merge(SHORT, "heating grant")
    world.apply()
    assert names(world) == {SHORT: "heating grant", BOTH: LONG}
    world.assert_lawful()
    world.undo(SHORT)
    world.apply()
    assert names(world) == IN_FORCE
    world.merge(LONG, SHORT)  # the other way round: the page's definition would be a circle
    world.apply()
    assert names(world) == {LONG: SHORT, BOTH: SHORT}
    world.assert_lawful()
    with pytest.raises(InputError, match="same entity"):
        world.merge(SHORT, SHORT)


def test_definitions_are_found_by_their_index(world: World) -> None:
    """Not by reading all that is stated: a corpus of a million statements has some thousand definitions."""
    with world.ledger.read() as connection:
        asked: list[str] = []
        event.listen(connection, "before_cursor_execute", lambda *given: asked.append(given[2]))
        open_definitions(connection, world.row.id)
        plan = connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {asked[-1]}", (1,))
        assert any("supports_definitions" in row[3] for row in plan)
