"""Statements that are hidden on a real ledger: when they go, what outlives what, and that they come back exactly."""

from pathlib import Path

import pytest
from sqlalchemy import select

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.extraction import Extraction, ExtractionInput
from clausegraph.indexes.derive import DEFINITIONS, statement_id
from clausegraph.indexes.hidden import Effect, Returning, effects, hide
from clausegraph.indexes.ledger.schema import hidden_statements, hidden_supports, supports
from clausegraph.indexes.views import open_view
from tests.app.cli.conftest import Cli, clean_environment, cli, parsed
from tests.harness.writes import killed_at
from tests.law.world import CORPUS, World, page_html

WRONG = "Students can get the Heating Grant if you are over 65."
PAGES = {
    "a": [WRONG, "The Zonal Tax Exchange (ZTE) is an office.", "Lodgers must pay the Roof Levy."],
    "b": ["Lodgers must pay the Study Levy.", WRONG],
}


def stated(world: World, page: str, words: str = "over 65") -> list[str]:
    """Ids of the statements of a page whose element has these words."""
    with open_view(world.ledger, CORPUS) as view:
        found = []
        for one in view.graph.all_supports():
            reading = view.reading(one.page)
            said = " ".join(reading.element(span.anchor).text for span in one.statement.spans)  # type: ignore[union-attr]
            if one.page.uri == f"{page}.html" and words in said:
                found.append(statement_id(one))
    return found


def effect(world: World) -> tuple[list[Effect | None], list[Returning]]:
    decided = world.hidden()
    with world.ledger.read() as connection:
        found, returning = effects(connection, world.row.id, decided)
    return [found.get(one.id) for one in decided], returning


def test_a_hidden_statement_goes_at_the_next_publish_and_comes_back_exactly(world: World) -> None:
    before = world.dump()
    (wrong,) = stated(world, "a")
    made, is_new = world.hide(wrong[:12])
    assert is_new and (made.uri, made.reason, made.decided_by) == ("a.html", "wrong", "tester")
    assert world.dump() == before and effect(world)[0][0].since is None  # type: ignore[union-attr]
    report = world.apply()
    assert (report.epoch, report.rows["supports"]) == (2, {"opened": 0, "closed": 1})
    assert stated(world, "a") == [] and len(stated(world, "b")) == 1  # the same words on another page stay
    assert effect(world)[0][0].since == 2  # type: ignore[union-attr]
    assert world.hide(wrong) == (made, False)  # again: the same decision
    world.assert_lawful()
    assert world.dump(1) == before
    assert world.unhide(made.id) == made
    assert [one.uri for one in effect(world)[1]] == ["a.html"]
    assert world.apply().epoch == 3
    assert world.dump() == before and effect(world) == ([], [])
    assert world.apply().epoch is None
    with pytest.raises(NotFoundError, match="statements list"):
        world.unhide(made.id)


class Reworked:
    """The same statements from another extractor: what an update of it comes to."""

    def __init__(self, world: World) -> None:
        self._inner = world.extractor

    @property
    def fingerprint(self) -> str:
        return f"{self._inner.fingerprint}+reworked"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        return self._inner.extract(chunk_input)


def test_the_decision_outlives_other_edits_another_extractor_and_the_page_itself(world: World) -> None:
    made, _ = world.hide(*stated(world, "a"))
    world.write("a", ["The office must reply within 10 working days.", *PAGES["a"], "Contact the office."])
    world.ingest()  # decided and edited in one publish
    assert stated(world, "a") == [] and stated(world, "a", "must pay")
    world.extractor = Reworked(world)  # type: ignore[assignment]
    world.ingest()
    assert stated(world, "a") == []
    world.write("a", ["Students can get the Heating Grant if you are over 66."])
    world.ingest()  # another statement: nobody has called it wrong
    assert len(stated(world, "a", "over 66")) == 1
    world.remove("a")
    world.ingest()
    assert effect(world) == ([None], []) and [one.id for one in world.hidden()] == [made.id]
    world.vacuum(1, 0)
    with world.ledger.read() as connection:
        assert connection.execute(select(hidden_supports)).all() == []
        assert "heating" not in str(connection.execute(select(hidden_statements)).all())
    world.write("a", PAGES["a"])
    world.ingest()
    assert stated(world, "a") == [] and stated(world, "a", "must pay")
    world.assert_lawful()


def test_hidden_under_one_name_it_comes_back_under_the_other(world: World) -> None:
    before = world.dump()
    made, _ = world.hide(*stated(world, "b", "Study Levy"))
    merged = world.merge("study levy", "heating grant")
    world.apply()
    world.assert_lawful()
    world.unhide(made.id)
    with killed_at(5, world.root):
        world.apply()
    world.apply()
    world.assert_lawful()
    assert stated(world, "b", "Study Levy")
    world.undo(merged.id)
    world.apply()
    assert world.dump() == before


def test_what_cannot_be_hidden_is_told(world: World) -> None:
    corpus = world.row
    (wrong,) = stated(world, "a")
    with pytest.raises(InputError, match="say why"):
        hide(world.ledger, corpus, wrong, " \n", "tester")
    with pytest.raises(InputError, match="1000 characters"):
        hide(world.ledger, corpus, wrong, "x" * 1001, "tester")
    for nothing in ("ffff0000", "a", "%", "not hex"):
        with pytest.raises(NotFoundError, match="no statement"):
            world.hide(nothing)
    defined = world.ledger.value(select(supports.c.content_key).where(supports.c.extractor == DEFINITIONS))
    with pytest.raises(InputError, match=r"entities undo 'zte'"):
        world.hide(defined)
    assert world.hidden() == []


__all__ = ["clean_environment", "cli"]  # fixtures of the command line's tests


GRANT = "You can get the Heating Grant if you live in Lethmoor."


def test_hide_list_undo(cli: Cli, tmp_path: Path) -> None:
    folder = tmp_path / "pages"
    folder.mkdir()
    page = folder / "grant.html"
    page.write_text(page_html("Grant", [GRANT, "The office must reply within 10 working days."]), encoding="utf-8")
    assert cli("ingest", str(folder)).exit_code == 0
    assert "nothing is hidden" in cli("statements", "list").stdout
    facts = parsed(cli("facts", "grant.html", "--json"))["facts"]
    (fact,) = [one for one in facts if "Lethmoor" in one["statements"][0]["words"]]
    (wrong,) = fact["statements"]
    assert wrong["id"][:8] in cli("show", "grant.html").stdout and wrong["id"][:8] in cli("show", fact["id"]).stdout
    said = cli("statements", "hide", wrong["id"][:8], "--reason", "it ended in May", "--by", "Ada").stdout
    assert said.startswith("hidden by decision 1: ") and "entities apply" in said
    assert "Ada has hidden it before" in cli("statements", "hide", wrong["id"], "--reason", "once more").stdout
    assert "waits for the next publish" in cli("statements", "list").stdout
    assert "1 hidden, 0 shown again" in cli("entities", "apply").stdout
    (listed,) = parsed(cli("statements", "list", "--json"))["hidden"]
    assert (listed["reason"], listed["decided_by"], listed["state"], listed["since"]) == (
        "it ended in May",
        "Ada",
        "hidden",
        2,
    )
    assert listed["words"] == wrong["words"] and "since epoch 2" in cli("statements", "list").stdout
    for words in (("facts", "grant.html"), ("show", "grant.html"), ("export",)):
        found = cli(*words).stdout
        assert wrong["id"] not in str(found) and wrong["words"] not in str(found), words
    page.unlink()
    (folder / "other.html").write_text(page_html("Other", ["The fee is £5."]), encoding="utf-8")
    assert cli("ingest", str(folder)).exit_code == 0
    assert "nothing to hide now" in cli("statements", "list").stdout
    page.write_text(page_html("Grant", [GRANT]), encoding="utf-8")
    assert cli("ingest", str(folder)).exit_code == 0
    assert "since epoch 4" in cli("statements", "list").stdout
    assert cli("statements", "undo", "1").stdout.startswith("undone 1: ")
    assert "shown again at the next publish" in cli("statements", "list").stdout
    assert "0 hidden, 1 shown again" in cli("entities", "apply").stdout
    assert wrong["words"] in cli("show", "grant.html").stdout
    assert cli("statements", "undo", "1").exit_code == cli("statements", "hide", "ffff", "--reason", "x").exit_code != 0
