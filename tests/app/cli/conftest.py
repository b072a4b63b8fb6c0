"""The command line against the sample corpus, with the hashing embedder: no model, no network."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.harness.cli import made_app

REPOSITORY = Path(__file__).resolve().parents[3]
SAMPLE = REPOSITORY / "examples" / "corpus"

Cli = Callable[..., Result]


@pytest.fixture(autouse=True)
def clean_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings come from the test alone, and nothing is written outside its folder."""
    for name in list(os.environ):
        if name.startswith("CLAUSEGRAPH_"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CLAUSEGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUSEGRAPH_EMBEDDING_MODEL", "hashing")
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def cli() -> Cli:
    """Run the command line in this process: ``cli("status", "--json")``."""
    runner = CliRunner()

    def run(*words: str, **options: Any) -> Result:
        return runner.invoke(made_app(), list(words), **options)

    return run


@pytest.fixture(scope="session")
def stocked_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the sample corpus as ``default``; never written to."""
    home = tmp_path_factory.mktemp("stocked") / "home"
    environment = {"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}
    result = CliRunner(env=environment).invoke(made_app(), ["ingest", str(SAMPLE), "--home", str(home), "--quiet"])
    assert result.exit_code == 0, result.output
    return home


@pytest.fixture
def stocked(stocked_home: Path, tmp_path: Path) -> Path:
    """A copy of the stocked home, as the home of the settings."""
    home = tmp_path / "home"
    shutil.copytree(stocked_home, home)
    return home


def parsed(result: Result, code: int = 0) -> Any:
    """The one JSON document on stdout."""
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)
