"""One home with every hostile page, read by the real command line; no model, no network."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from tests.app.cli.conftest import Cli, clean_environment, cli
from tests.harness.cli import made_app
from tests.injection.documents.hostile import NAMES, TEXTS, page_of, pages

__all__ = ["Cli", "clean_environment", "cli"]  # the fixtures of the command line's own tests

HASHING = {"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}


@pytest.fixture(scope="session")
def hostile_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every hostile page under a plain name, hostile names with plain pages, and the two together."""
    folder = tmp_path_factory.mktemp("hostile") / "pages"
    folder.mkdir()
    for name, page in pages().items():
        (folder / f"{name}.html").write_bytes(page.encode("utf-8", "surrogatepass"))
    for number, name in enumerate(NAMES):
        text = list(TEXTS.values())[number]
        (folder / name).write_text(page_of(f"named {number}", text), encoding="utf-8")
    return folder


@pytest.fixture(scope="session")
def hostile_home(hostile_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the hostile pages as corpus ``default``; never written to."""
    home = tmp_path_factory.mktemp("home") / "home"
    words = ["ingest", str(hostile_folder), "--home", str(home), "--json"]
    result = CliRunner(env=HASHING).invoke(made_app(), words)
    assert result.exit_code == 0, result.output
    report = json.loads(result.stdout)
    assert len(report["pages_added"]) == len(pages()) + len(NAMES), report["rejects"]
    return home


@pytest.fixture
def home(hostile_home: Path, tmp_path: Path) -> Path:
    """A copy of the hostile home, as the home of the settings."""
    copy = tmp_path / "home"
    shutil.copytree(hostile_home, copy)
    return copy


@pytest.fixture
def shared(hostile_home: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The hostile home itself, for tests that only read."""
    monkeypatch.setenv("CLAUSEGRAPH_HOME", str(hostile_home))
    return hostile_home


def parsed(result: Result, code: int = 0) -> Any:
    """The one JSON document on stdout."""
    assert result.exit_code == code, result.output
    return json.loads(result.stdout)
