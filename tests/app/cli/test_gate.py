"""The gate and the schedule on the command line, as somebody uses them."""

from __future__ import annotations

import json
import os
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from clausegraph.app.services.gate import _has
from clausegraph.core.settings import PREFIX
from tests.app.cli.conftest import REPOSITORY, Cli, parsed
from tests.app.cli.test_quarantine import deeds

pytestmark = pytest.mark.unit
QUESTION = "How long do I have to ask for a review?"


def write(folder: Path, days: int) -> None:
    folder.mkdir(exist_ok=True)
    text = f"You have {days} days from the date on the decision letter to ask for a review."
    (folder / "review.html").write_text(f"<title>Reviews</title><h1>Reviews</h1><p>{text}</p>")
    (folder / "fee.html").write_text("<title>Fee</title><h1>Fee</h1><p>You must pay a fee of £11 a year.</p>")


@pytest.fixture
def pages(cli: Cli, tmp_path: Path) -> Path:
    """A folder that is ingested, with a gate of two questions beside it."""
    folder = tmp_path / "pages"
    write(folder, 30)
    assert cli("ingest", str(folder)).exit_code == 0
    lines = [{"question": QUESTION, "has": ["30 days"], "lacks": ["60 days"]}, {"question": "x y z?", "lacks": ["£11"]}]
    (tmp_path / "gate.jsonl").write_text("\n\n".join(map(json.dumps, lines)))
    return folder


def test_an_edit_that_breaks_an_answer_waits_for_a_person(cli: Cli, tmp_path: Path, pages: Path) -> None:
    assert cli("gate", "show").exit_code == 3
    assert (
        "asks 2 questions first, floor 90%" in cli("gate", "set", str(tmp_path / "gate.jsonl"), "--floor", "0.9").stdout
    )
    assert "epoch 1: 2 of 2 questions right" in cli("gate", "run").stdout
    write(pages, 60)
    ended = cli("ingest", str(pages))
    assert ended.exit_code == 7 and "held by the gate, in quarantine, nothing was published" in ended.stdout
    assert f"{QUESTION} Expected “30 days”, not “60 days”; got " in ended.stdout and "1 of 2 questions" in ended.stdout
    (held,) = parsed(cli("quarantine", "list", "--json"))
    assert "1 of 2 questions" in cli("quarantine", "list").stdout and held["pages_changed"] == ["review.html"]
    accepted = cli("quarantine", "accept", held["id"])
    assert accepted.exit_code == 0 and "published epoch 2, accepted by" in accepted.stdout
    assert "epoch 2 misses the floor of its gate: 1 of 2 questions right, floor 90%" in cli("status").stdout
    assert cli("gate", "run").exit_code == 6 and cli("gate", "run", "--epoch", "1").exit_code == 0
    removed = cli("pages", "remove", "fee.html")
    assert removed.exit_code == 7 and parsed(cli("status", "--json"))["corpora"][0]["pages"] == 2
    assert cli("gate", "set", str(tmp_path / "gate.jsonl"), "--missed", "flag").exit_code == 0
    told = cli("pages", "remove", "fee.html")
    assert told.exit_code == 0 and "gate: 1 of 2 questions right, floor 100%" in told.stdout
    assert cli("gate", "remove").exit_code == 0
    assert [action for action, _ in deeds(tmp_path / "home")] == [
        "gate set",
        "quarantine accept",
        "pages remove",
        "gate set",
        "pages remove",
        "gate remove",
    ]


def test_watched_questions_are_a_gate(cli: Cli, pages: Path) -> None:
    assert cli("gate", "set", "--watched").exit_code == 2
    assert cli("watch", "add", QUESTION).exit_code == cli("watch", "approve", "1").exit_code == 0
    assert cli("gate", "set", "--watched").exit_code == cli("gate", "run").exit_code == 0
    write(pages, 60)
    assert "Expected value “30 days”, as approved; got" in cli("ingest", str(pages)).stdout
    assert cli("watch", "remove", "1").exit_code == 0
    assert "an approved answer, which is there no more" in cli("gate", "run").stdout


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("{", "line 2: Invalid JSON"),
        ('{"question": "a"}', "line 2: nothing is expected of 'a'"),
        ('{"question": " ", "has": ["b"]}', "line 2: question: "),
        ('{"question": "a", "verdict": "maybe"}', "line 2: verdict: "),
        ('{"question": "a", "has": ["b"], "hass": ["c"]}', "line 2: hass: "),
        ("", "has no question"),
    ],
)
def test_wrong_lines_are_named(cli: Cli, tmp_path: Path, line: str, why: str) -> None:
    (tmp_path / "gate.jsonl").write_text(f"\n{line}\n")
    ended = cli("gate", "set", str(tmp_path / "gate.jsonl"))
    assert ended.exit_code == 2 and why in ended.stderr


@pytest.mark.parametrize(
    ("text", "words", "is_there"),
    [
        ("within 30 days.", "30 days", True),
        ("within 130 days", "30 days", False),
        ("pay £2.50", "£2", False),
        ("pay £2.", "£2", True),
        ("pay 1,200", "200", False),
        ("In  a Care\nHome", "care home", True),
        ("a.b", "axb", False),
    ],
)
def test_words_are_found_whole(text: str, words: str, is_there: bool) -> None:
    assert _has(text, words) is is_there


@pytest.mark.parametrize("several", [pytest.param(False, marks=pytest.mark.long), True])
def test_what_cron_and_systemd_run_ingests(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, several: bool
) -> None:
    sources = [tmp_path / "a $b%c'd \"e"] + ([tmp_path / "other"] if several else [])
    for folder in sources:
        write(folder, 30)
        assert cli("ingest", str(folder)).exit_code == 0
        write(folder, 60)
    monkeypatch.setenv(f"{PREFIX}LLM_KEY", "sk-secret")
    made = parsed(cli("schedule", "--every", "*/15 6-20 * * 1-5", "--json"))
    assert "sk-secret" not in json.dumps(made) and any(f"{PREFIX}LLM_KEY" in line for line in made["about"])
    fields, line = made["cron"].split(" ", 5)[:5], made["cron"].split(" ", 5)[5].replace(r"\%", "%")
    assert fields == ["*/15", "6-20", "*", "*", "1-5"] and "%" not in made["cron"].replace(r"\%", "")
    for name, text in made["units"].items():
        (tmp_path / name).write_text(text)
    if shutil.which("systemd-analyze"):
        units = [str(tmp_path / name) for name in made["units"]]
        checked = subprocess.run(["systemd-analyze", "verify", *units], capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY / "src")}
    ran = subprocess.run(["/bin/sh", "-c", line], capture_output=True, text=True, check=False, env=environment, cwd="/")
    assert ran.returncode == 0, ran.stderr
    assert parsed(cli("status", "--json"))["corpora"][0]["newest"] == 2 * len(sources)
    argument = made["units"]["clausegraph-default.service"].rpartition("ExecStart=/bin/sh -c ")[2]
    unquoted = argument[1:-1].replace("$$", "$").replace("%%", "%").replace('\\"', '"').replace("\\\\", "\\")
    assert unquoted == line == made["command"] and len(shlex.split(line)) > 6
    assert cli("schedule", "--every", "0 3 * * 8").exit_code == 2


def test_a_site_is_scheduled_as_its_table_says(cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    config = tmp_path / "clausegraph.toml"
    table = 'source = "https://a.example/"\nmode = "site"\nexclude = ["*/x/*"]\npdf = true\nlimit = 5\n'
    config.write_text(f"[corpora.default]\n{table}")
    monkeypatch.setenv(f"{PREFIX}CONFIG", str(config))
    line = cli("schedule", "--cron").stdout.splitlines()[-1]
    assert (
        line.startswith(f"0 3 * * * {PREFIX}CONFIG={config} ") and "--as site --exclude '*/x/*' --pdf --limit 5" in line
    )
