"""``clausegraph statements`` for people and as JSON: hidden, in no answer of any command, and shown again."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, clean_environment, cli, parsed
from tests.law.world import page_html

__all__ = ["clean_environment", "cli"]  # fixtures of the command line's tests

pytestmark = pytest.mark.unit

GRANT = "You can get the heating grant if you live in Lethmoor."


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
