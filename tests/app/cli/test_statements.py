"""What an answer rests on goes with the statement, and the page's words stay."""

from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, parsed

pytestmark = pytest.mark.usefixtures("stocked")

QUESTION = "Can I get the Winter Heating Grant?"
SCENARIO = (
    "I was born in 1950, have lived in Lethmoor all year and get Basic Support. I have not been in hospital or prison, "
    "have no work permit and do not live in a care home."
)
RULE = "born on or before 30 September 1961"


def test_no_answer_rests_on_a_hidden_statement(cli: Cli) -> None:
    words = ("ask", QUESTION, "--scenario", SCENARIO, "--json")
    before = parsed(cli(*words))
    assert RULE in str(before["alternatives"]) or before["status"] == "quoted"
    facts = parsed(cli("facts", "heating-grant.html", "--json"))["facts"]
    stated = [one for fact in facts for one in fact["statements"] if RULE in one["words"]]
    for one in stated:
        assert cli("statements", "hide", one["id"], "--reason", "it was read wrongly").exit_code == 0
    assert parsed(cli("entities", "apply", "--json"))["epoch"] == 2
    for engine in ("loop", "single-pass"):  # a reader reads pages: it would read the same there again
        after = parsed(cli(*words, "--engine", engine))
        assert RULE not in str(after["alternatives"]) and after["status"] == "quoted"
        assert after["quotes"]
    assert parsed(cli(*words, "--epoch", "1"))["alternatives"] == before["alternatives"]


def test_a_fact_is_hidden_by_its_only_statement_and_of_several_one_is_named(cli: Cli) -> None:
    facts = parsed(cli("facts", "heating-grant.html", "--json"))["facts"]
    one = next(fact for fact in facts if len(fact["statements"]) == 1)
    hidden = parsed(cli("statements", "hide", one["id"][:8], "--reason", "wrong", "--json"))
    assert hidden["words"] == one["statements"][0]["words"]
    every = [fact for page in parsed(cli("pages", "--json"))["pages"] for fact in parsed(
        cli("facts", page["uri"], "--json"))["facts"]]  # fmt: skip
    many = next(fact for fact in every if len(fact["statements"]) > 1)
    said = cli("statements", "hide", many["id"], "--reason", "wrong")
    assert said.exit_code == 2 and all(stated["id"][:8] in said.stderr for stated in many["statements"])


def test_hiding_one_side_of_a_contradiction_lets_the_other_be_answered(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "pages").mkdir()
    for title, money in (("Parking Permit", 30), ("Parking Permit charges", 40)):
        text = f"<title>{title}</title><main><h1>{title}</h1><p>A Parking Permit costs £{money} a year.</p></main>"
        (tmp_path / "pages" / f"{money}.html").write_text(text, "utf-8")
    cli("ingest", str(tmp_path / "pages"), "--quiet")
    asked = ("ask", "How much is a Parking Permit?", "--json")
    before = parsed(cli(*asked))
    assert (before["alternatives"], len(before["contradictions"])) == ([], 1)
    (fact,) = parsed(cli("show", "30.html", "--json"))["facts"]
    assert cli("statements", "hide", fact["statement_id"], "--reason", "of last year").exit_code == 0
    assert cli("entities", "apply").exit_code == 0
    after = parsed(cli(*asked))
    assert ([one["text"] for one in after["alternatives"]], after["contradictions"]) == (["£40 a year"], [])
