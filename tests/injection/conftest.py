"""One home with every hostile page, read by the real command line; no model, no network."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from app.cli.main import make_app
from tests.injection.hostile import NAMES, TEXTS, page_of, pages

Cli = Callable[..., Result]
HASHING = {"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"}


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
        return runner.invoke(make_app(), list(words), **options)

    return run


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
    result = CliRunner(env=HASHING).invoke(make_app(), words)
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
