"""``clausegraph entities`` on two pages that name one office in two ways, for people and as JSON."""

from pathlib import Path
from typing import Any

import pytest

from tests.app.cli.conftest import Cli, clean_environment, cli, parsed
from tests.law.world import page_html

__all__ = ["clean_environment", "cli"]  # fixtures of the command line's tests

pytestmark = pytest.mark.usefixtures("stocked")

SHORT, LONG = "ors", "office for resident service"
OFFICE, HELP = "office of housing help", "housing help office"
PAGES = {
    "grant": [
        "The ORS must pay the heating grant.",
        "The Office of Housing Help must keep public records.",
        "The Office of Housing Help must pay the study loan.",
        "Tenants must contact the ORS.",
    ],
    "loan": [
        "The Office for Resident Services must pay the study loan.",
        "The Housing Help Office must pay the council rent.",
    ],
}


@pytest.fixture
def stocked(cli: Cli, tmp_path: Path) -> None:
    """The pages as the corpus ``default``."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for name, paragraphs in PAGES.items():
        (folder / f"{name}.html").write_text(page_html(f"The {name}", paragraphs), encoding="utf-8")
    assert cli("ingest", str(folder)).exit_code == 0


def review(cli: Cli, *words: str) -> Any:
    return parsed(cli("entities", "review", "--json", *words))


def test_review_accept_apply_undo(cli: Cli) -> None:
    found = review(cli, "--limit", "100")
    assert found["new"] == found["open"] == len(found["proposals"]) > 0
    (card,) = [card for card in found["proposals"] if card["variant"] == "order"]
    assert (card["name"]["key"], card["entity"]["key"]) == (HELP, OFFICE)
    assert "Housing Help Office" in card["name"]["written"] and card["entity"]["supports"] == 2
    assert "Housing Help Office" in card["name"]["example"]["quote"]
    assert review(cli)["new"] == 0
    number = str(card["id"])
    (done,) = parsed(cli("entities", "review", "--accept", number, "--by", "Ada", "--json"))
    assert (done["state"], done["decided_by"]) == ("accepted", "Ada")
    status = parsed(cli("entities", "list", "--json", "--state", "accepted"))
    assert status["decisions"][0]["in_force_since"] is None
    assert status["pending"] == [{"name": HELP, "before": HELP, "after": OFFICE}]
    assert "waits for the next publish" in cli("entities", "list").stdout
    assert number not in [str(one["id"]) for one in review(cli)["proposals"]]
    assert parsed(cli("entities", "apply", "--json"))["epoch"] == 2
    assert "since epoch 2" in cli("entities", "list").stdout
    assert "in force already" in cli("entities", "apply").stdout
    assert parsed(cli("entities", "undo", "Housing Help Office", "--json"))["now"] == "proposed"
    assert "stands now for" in cli("entities", "list").stdout
    assert "published epoch 3" in cli("entities", "apply").stdout
    assert number in [str(one["id"]) for one in review(cli)["proposals"]]
    assert parsed(cli("status", "--json"))["corpora"][0]["runs"][0]["kind"] == "entities"


def test_review_for_people(cli: Cli) -> None:
    text = cli("entities", "review", "--limit", "1")
    assert text.exit_code == 0 and "open proposals" in text.stdout and "--accept" in text.stdout
    every = review(cli)["proposals"]
    (kind, *_) = every[0]["name"]["types"]
    cards = review(cli, "--type", kind)["proposals"]
    assert cards == [card for card in every if kind in card["name"]["types"] + card["entity"]["types"]]
    ids = [str(card["id"]) for card in review(cli)["proposals"][:2]]
    done = cli("entities", "review", "--reject", ",".join(ids))
    assert ids and done.stdout.count("rejected") == len(ids) and "nothing changes" in done.stdout
    assert not set(ids) & {str(card["id"]) for card in review(cli)["proposals"]}


def test_merge_and_undo(cli: Cli) -> None:
    made = parsed(cli("entities", "merge", "the ORS", "Office for Resident Services", "--json"))
    assert (made["name"], made["entity"], made["state"]) == (SHORT, LONG, "accepted")
    assert "effective at the next publish" in cli("entities", "merge", SHORT, LONG).stdout
    assert "removed" in cli("entities", "undo", str(made["id"])).stdout
    assert parsed(cli("entities", "list", "--json"))["decisions"] == []
    assert "no decisions yet" in cli("entities", "list").stdout


def test_what_pages_define_is_listed_and_undone(cli: Cli, tmp_path: Path) -> None:
    page = page_html("Claims", ["Claims go to the Lethmoor Housing Council (LHC)."])
    (tmp_path / "pages" / "claims.html").write_text(page, encoding="utf-8")
    assert cli("ingest", str(tmp_path / "pages")).exit_code == 0
    (found,) = parsed(cli("entities", "list", "--json"))["defined"]
    assert found == {
        "name": "lhc", "entity": "lethmoor housing council", "pages": ["pages:claims.html"], "in_force_since": 2,
    }  # fmt: skip
    assert "defined by pages" in cli("entities", "list").stdout
    ranked = parsed(cli("entities", "merges", "--json"))
    assert [one["state"] for one in ranked["merges"]] == ["defined"] + ["proposed"] * ranked["proposed"]
    best, *others = ranked["merges"]
    assert best["written"] == ["LHC", "Lethmoor Housing Council"] and best["quote"].endswith("Housing Council (LHC).")
    assert others and all(best["score"] > one["score"] and one["quote"] for one in others)
    assert {one["id"] for one in others} == {None}, "nothing is stored"
    assert "defined by pages:claims.html" in " ".join(cli("entities", "merges", "--limit", "1").stdout.split())
    assert "as pages define it" in cli("entities", "undo", "LHC", "--by", "Ada").stdout
    status = parsed(cli("entities", "list", "--json"))
    assert status["defined"] == [] and status["decisions"][0]["decided_by"] == "Ada"
    assert "lhc" in [one["name"] for one in status["pending"]]
    assert "removed" in cli("entities", "undo", "LHC").stdout
    assert parsed(cli("entities", "list", "--json"))["pending"] == []


@pytest.mark.parametrize(
    ("code", "words", "message"),
    [
        (3, ["merge", "ORX", "ors"], "near it are: 'ors'"),
        (2, ["merge", "The ORS", "ors"], "same entity"),
        (3, ["undo", "ors"], "nothing was decided"),
        (3, ["review", "--accept", "7"], "no decision 7"),
        (2, ["review", "--accept", "seven"], "'seven' is not the id"),
        (2, ["review", "--accept", "1", "--reject", "1"], "named twice"),
        (3, ["review", "--type", "planet"], "no entity of type 'planet'"),
        (2, ["list", "--state", "open"], "no state 'open'"),
        (3, ["apply", "--corpus", "nope"], "'nope'"),
        (3, ["list", "--corpus", "nope"], "'nope'"),
    ],
)
def test_refused(cli: Cli, code: int, words: list[str], message: str) -> None:
    result = cli("entities", *words)
    assert result.exit_code == code and message in result.stderr, result.output
    assert message in parsed(cli("entities", *words, "--json"), code)["error"]["message"]


def test_other_model(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    assert parsed(cli("entities", "review", "--json"))["open"] > 0, "names are compared without a model"
    assert "hashing:64" in parsed(cli("entities", "apply", "--json"), 5)["error"]["message"]
