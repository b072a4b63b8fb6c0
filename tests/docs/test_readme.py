"""The README's commands run, and print what the README says they print."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.app.cli.conftest import Cli, clean_environment, cli

__all__ = ["clean_environment", "cli"]  # the fixtures of the command line's own tests

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
MOST_LINES = 150
MODELS = pytest.mark.parametrize("model", ["hashing", pytest.param(None, marks=pytest.mark.long)])
"""The packaged model gives the README's output to the letter; the hashing one of the tests finds other passages."""


def block(name: str) -> str:
    """The text of the README's code block between two comments, ``<!-- name:begin -->`` and ``<!-- name:end -->``."""
    found = re.search(rf"<!-- {name}:begin -->\n```(?:text)?\n(.*?)```\n<!-- {name}:end -->", README, re.DOTALL)
    assert found is not None, name
    return found.group(1)


def run(command: list[str], model: str | None, monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command prints, but for lines of progress; with the packaged model where ``model`` is None."""
    if model is None:
        monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, cwd=ROOT, check=False, encoding="utf-8"
    )
    assert done.returncode == 0, done.stdout
    return re.sub(r"^\d+ s: .*\n", "", done.stdout, flags=re.MULTILINE)


@pytest.mark.parametrize("name", ["README.md", "CHANGELOG.md", "docs/figures.md"])
def test_what_people_read_first_is_short(name: str) -> None:
    assert len((ROOT / name).read_text(encoding="utf-8").splitlines()) <= MOST_LINES


def test_its_figures_stand_among_the_figures() -> None:
    section = README.partition("## How good it is")[2].partition("\n## ")[0]
    named = set(re.findall(r"\b\d+\.\d+\b", section))
    assert len(named) >= 10
    assert named <= set(re.findall(r"\b\d+\.\d+\b", (ROOT / "docs" / "figures.md").read_text(encoding="utf-8")))


@MODELS
def test_python_example(model: str | None, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", README, re.DOTALL)
    assert code is not None
    if model is None:
        monkeypatch.delenv("CLAUSEGRAPH_EMBEDDING_MODEL")
    monkeypatch.chdir(ROOT)
    exec(compile(code.group(1), "README.md", "exec"), {})
    found = capsys.readouterr().out.splitlines()
    wanted = block("python").splitlines()
    if model is None:
        assert found == wanted
    assert found[0] == wanted[0] and found[-1]  # it may be too unsure to assert anything


@MODELS
def test_demo(tmp_path: Path, model: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """The demo's output, but for seconds and the run's id; with hashing, up to the second question."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "clausegraph").write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m clausegraph "$@"\n')
    (folder / "clausegraph").chmod(0o755)
    printed = run(["sh", "examples/demo.sh", str(folder), str(tmp_path / "home")], model, monkeypatch)
    seconds = re.compile(r"^seconds: [\d.]+$", re.MULTILINE)
    report = re.compile(r"^report: `clausegraph show (?:\w{12}|RUN)`$", re.MULTILINE)
    found, wanted = (
        report.sub("report", seconds.sub("seconds", text)).split("\n\n$ ") for text in (printed, block("demo"))
    )
    assert len(found) == len(wanted) == 3
    if model is None:
        assert found == wanted
    assert found[:2] == wanted[:2]


def test_commands_for_pages_of_ones_own(cli: Cli, tmp_path: Path) -> None:
    section = README.partition("## Your own pages")[2]
    commands = re.search(r"```sh\n(.*?)```", section, re.DOTALL)
    assert commands is not None
    (tmp_path / "pages").symlink_to(ROOT / "examples" / "corpus")
    for line in commands.group(1).splitlines():
        name, *words = shlex.split(line, comments=True)
        done = cli(*words)
        assert (name, done.exit_code) == ("clausegraph", 0) and done.stdout, line


def test_every_command_that_it_names_is_there(cli: Cli) -> None:
    """``clausegraph A B --option`` in the text: its help is printed, and has the option."""
    named = set(re.findall(r"`clausegraph ((?:[a-z]+ ?)+)((?:--[a-z]+ ?)*)", README))
    assert len(named) >= 8
    for words, options in sorted(named):
        shown = cli(*words.split(), "--help", env={"COLUMNS": "120"})
        assert shown.exit_code == 0, words
        assert [option for option in options.split() if option not in shown.stdout] == []


def test_every_target_that_it_names_is_there() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    assert set(re.findall(r"\bmake ([a-z][a-z-]*)", README)) <= targets
