"""Looking at the graph: pages, facts, an entity, paths; on passages with recorded triples."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.app.cli.conftest import Cli, parsed
from tests.harness.cli import made_app


@pytest.fixture(scope="module")
def made_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the passages; never written to."""
    folder = tmp_path_factory.mktemp("passages")
    words = ["ingest", str(Path(__file__).with_name("passages.json")), "--home", str(folder / "home"), "--quiet"]
    result = CliRunner(env={"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}).invoke(made_app(), words)
    assert result.exit_code == 0, result.output
    return folder / "home"


@pytest.fixture
def passages(made_home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_HOME", str(made_home))


def stated(found: dict[str, Any]) -> list[str]:
    return [statement["words"] for fact in found["facts"] for statement in fact["statements"]]


@pytest.mark.usefixtures("passages")
class TestExplore:
    def test_pages_and_an_overview(self, cli: Cli) -> None:
        listed = parsed(cli("pages", "--json"))["pages"]
        assert [(page["title"], page["statements"]) for page in listed] == [
            ("Brimholt Works", 3), ("Orla Fenwick", 3), ("Saltrey", 3)
        ]  # fmt: skip
        found = parsed(cli("facts", "--json"))
        assert (found["entities"], found["facts"], found["statements"]) == (8, 8, 9)
        assert found["largest"][0] == {"entity": "brimholt work", "statements": 5, "rules": 0}
        assert {"relation": "trained at", "statements": 2} in found["relations"]
        assert "8 entities, 0 rules, 8 facts, 9 statements" in cli("facts").stdout

    def test_facts_of_an_entity_come_with_every_statement(self, cli: Cli) -> None:
        found = parsed(cli("facts", "orla fenwick", "--json"))
        assert found["facts"][0]["supports"] == 2, "what two pages state comes first"
        assert stated(found).count("Orla Fenwick trained at Brimholt Works") == 2
        assert len(found["facts"]) == 3 and not found["more"]
        assert "more than 1 fact; raise --limit" in cli("facts", "Orla Fenwick", "-n", "1").stdout
        assert "more than" not in cli("facts", "Orla Fenwick", "-n", "3").stdout

    @pytest.mark.parametrize(
        ("words", "said"),
        [
            (("passages:saltrey",), ["Saltrey is a port", "painter lives near mill", "port has lighthouse"]),
            (("--relation", "is a"), ["Brimholt Works is a studio", "Saltrey is a port"]),
            (("Saltrey", "-r", "is a"), ["Saltrey is a port"]),
            (("passages:saltrey", "-r", "has"), ["port has lighthouse"]),
            (("--about", "Saltrey is a port", "-r", "has"), ["port has lighthouse"]),
            (("--about", "saltrey is a port", "-n", "1"), ["Saltrey is a port"]),
            (("--about", "quite another thing"), []),
        ],
    )
    def test_facts_of_a_page_a_relation_or_near_a_text(self, cli: Cli, words: tuple[str, ...], said: list[str]) -> None:
        assert sorted(stated(parsed(cli("facts", *words, "--json")))) == said

    def test_an_entity_is_shown_whole(self, cli: Cli) -> None:
        found = parsed(cli("entity", "Brimholt Works", "--json"))
        assert found["written"] == {"Brimholt Works": 5}
        assert found["pages"] == ["passages:brimholt-works", "passages:orla-fenwick"]
        assert found["neighbours"][0] == {"entity": "orla fenwick", "facts": 2, "rules": 0}
        said = cli("entity", "Brimholt Works", "-n", "1").stdout
        assert "neighbours: orla fenwick (2), saltrey (1), studio (1)" in said
        assert "4 facts in all; raise --limit" in said
        own = parsed(cli("entity", "Saltrey", "--json"))["own_page"]
        assert (own["title"], own["by"], own["links"]) == ("Saltrey", "title", 0)
        assert "its page: Saltrey" in cli("entity", "Saltrey").stdout
        assert parsed(cli("entity", "port", "--json"))["own_page"] is None

    def test_a_merged_name_is_told(
        self, cli: Cli, made_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        shutil.copytree(made_home, tmp_path / "copy")
        monkeypatch.setenv("CLAUSEGRAPH_HOME", str(tmp_path / "copy"))
        assert cli("entities", "merge", "port", "Saltrey", "--quiet").exit_code == 0
        assert cli("entities", "apply", "--quiet").exit_code == 0
        found = parsed(cli("entity", "port", "--json"))
        assert (found["entity"], found["merged"]) == ("saltrey", ["port"])

    def test_a_path_is_walked_either_way(self, cli: Cli) -> None:
        found = parsed(cli("path", "lighthouse", "Orla Fenwick", "--json"))
        assert len(found["paths"]) == 2, "by trained at and by taught at"
        first, second = found["paths"]
        assert [step["statements"][0]["words"] for step in first] == [
            "port has lighthouse", "Saltrey is a port", "Brimholt Works located in Saltrey",
            "Orla Fenwick trained at Brimholt Works",
        ]  # fmt: skip
        assert [step["forward"] for step in first] == [False] * 4
        assert second[-1]["relation"] == "taught at", "fewer statements, so it comes later"
        assert "“Saltrey is a port.”" in cli("path", "lighthouse", "Orla Fenwick").stdout

    def test_no_path_is_an_answer_and_not_an_error(self, cli: Cli) -> None:
        result = cli("path", "mill", "Orla Fenwick")
        assert result.exit_code == 0
        assert "no path of up to 4 facts or rules between mill and orla fenwick" in result.stdout
        assert parsed(cli("path", "lighthouse", "Orla Fenwick", "--hops", "3", "--json"))["paths"] == []

    @pytest.mark.parametrize(
        ("words", "code", "message"),
        [
            (("facts", "Saltry"), 3, "no entity or page 'Saltry' in epoch 1"),
            (("entity", "Saltry"), 3, "near are: saltrey"),
            (("entity", "zzzz"), 3, "`clausegraph facts` shows the largest"),
            (
                ("facts", "-r", "trains at"),
                3,
                "no relation 'trains at' in epoch 1 of corpus 'default'; near are: trained",
            ),
            (("facts", "-r", "zzzz"), 3, "`clausegraph facts` shows the most frequent"),
            (("facts", "Saltrey", "--about", "ports"), 2, "give a NAME or --about TEXT, not both"),
            (("path", "port", "the port"), 2, "both ends are the entity 'port'"),
            (("path", "port", "nowhere"), 3, "no entity 'nowhere'"),
            (("pages", "--epoch", "7"), 3, "has no epoch 7"),
        ],
    )
    def test_what_is_not_there_is_told_with_what_is_near(
        self, cli: Cli, words: tuple[str, ...], code: int, message: str
    ) -> None:
        result = cli(*words)
        assert result.exit_code == code, result.output
        assert message in result.stderr


@pytest.mark.usefixtures("stocked")
def test_rules_that_speak_of_both_are_shown_where_nothing_joins_two_entities(cli: Cli) -> None:
    words = ("path", "Carer Payment", "Rent Supplement", "--hops", "1")
    found = parsed(cli(*words, "--json"))
    assert found["paths"] == []
    assert [(one["title"], one["section"]) for one in found["together"]] == [("Rent Supplement", "Who cannot claim")]
    assert "rules that speak of both" in cli(*words).stdout


@pytest.mark.usefixtures("stocked")
@pytest.mark.parametrize(
    ("ends", "routes"),
    [
        (("tenant", "landlord"), [["landlord"]] * 2),
        (("Carer Payment", "Rent Supplement"), [["independence allowance", "rent supplement"]]),
        (("student", "child"), [["child"]]),
    ],
)
def test_a_path_goes_along_rules_through_rare_entities_first(
    cli: Cli, ends: tuple[str, str], routes: list[list[str]]
) -> None:
    found = parsed(cli("path", *ends, "--json"))["paths"]
    walked = [[step["end"] for step in path if "end" in step] for path in found]
    assert [path for path in walked if path][: len(routes)] == routes
    assert "student (names) – child (names)" in cli("path", "student", "child").stdout


@pytest.mark.usefixtures("stocked")
def test_an_entity_shows_its_rules_by_kind(cli: Cli) -> None:
    found = parsed(cli("entity", "Winter Heating Grant", "--json"))
    kinds = {one["kind"]: (one["count"], len(one["rules"])) for one in found["rules"]}
    every = parsed(cli("rules", "Winter Heating Grant", "--json"))["every"]
    assert (kinds["deadline"], kinds["amount"][1]) == ((1, 1), 3)
    assert sum(count for count, _ in kinds.values()) == every
    near = next(one for one in found["neighbours"] if one["entity"] == "winter heating grant applicant")
    assert 0 < near["rules"] < every
    said = cli("entity", "office for resident services").stdout
    assert "\nduty (" in said and "type: organisation" in said
    assert f"{every} rules" in cli("pages", "show", "heating-grant.html").stdout


@pytest.mark.usefixtures("stocked")
def test_a_value_is_shown_as_the_page_writes_it(cli: Cli) -> None:
    facts = parsed(cli("facts", "Carer Payment", "--json"))["facts"]
    assert {"£165 a week"} <= {one["object"] for one in facts if one["literal"]}
    assert not any(one["object"].startswith("=") for one in facts)
    assert {one["literal"] for one in facts if one["subject"] != "carer payment"} <= {False}


@pytest.mark.usefixtures("stocked")
def test_steps_are_shown_in_their_order(cli: Cli) -> None:
    found = parsed(cli("facts", "appeal-a-decision.html", "--json"))["facts"]
    steps = [(one["step"], one["procedure"]) for fact in found for one in fact["statements"] if one["step"]]
    assert {step for step, _ in steps} == {"2"} and steps == sorted(steps)
    assert "(step 2 of: Challenge a decision)" in " ".join(cli("facts", "appeal-a-decision.html").stdout.split())
