"""``clausegraph prompts``."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.harness.cli import made_app

MINE = """{#
purpose = "mine"
inputs = ["page", "examples"]
output = "o"
since = "1"
#}
=== user ===
{{ page }}{{ examples }}"""


@pytest.fixture(autouse=True)
def clean(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CLAUSEGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("CLAUSEGRAPH_PROMPTS", raising=False)
    monkeypatch.chdir(tmp_path)


def cli(*words: str) -> Result:
    return CliRunner().invoke(made_app(), ["prompts", *words])


def test_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.v3.jinja").write_text(MINE)
    monkeypatch.setenv("CLAUSEGRAPH_PROMPTS", str(tmp_path))
    found = {one["id"]: one for one in json.loads(cli("list", "--json").stdout)}
    assert found["mine.v3"]["origin"] == "yours" and found["rules.v2"]["origin"] == "shipped"
    assert found["mine.v3"]["digest"] in cli("list").stdout


def test_show() -> None:
    plain = cli("show", "triplets-v1").stdout
    assert "=== system ===" in plain
    assert json.loads(cli("show", "triplets-v1", "--json").stdout)["source"].strip() == plain.strip()
    missing = cli("show", "nope")
    assert missing.exit_code == 3 and "triplets-v1.v1" in missing.stderr


def test_render(tmp_path: Path) -> None:
    (tmp_path / "page.txt").write_text("1. a page")
    words = ["render", "rules.v2", "--input", "title=T", "--input", "ontology=role"]
    words += ["--input", "page=@page.txt", "-i", "examples=@@x"]
    messages = json.loads(cli(*words, "--json").stdout)["messages"]
    assert [one["role"] for one in messages] == ["system", "user"]
    assert "1. a page" in messages[1]["content"]
    assert "role" in messages[0]["content"] and "\n@x" in messages[0]["content"]
    assert "=== user ===" in cli(*words).stdout


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--input", "title"], "KEY=VALUE"),
        (["--input", "title=@nowhere.txt"], "nowhere.txt cannot be read"),
        (["--input", "colour=red"], "missing input 'title'"),
    ],
)
def test_render_errors(words: list[str], message: str) -> None:
    done = cli("render", "rules", *words)
    assert done.exit_code == 2 and message in done.stderr
    assert "Error" in cli("render", "rules", *words, "--json").stdout
