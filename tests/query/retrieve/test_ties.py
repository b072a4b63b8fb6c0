"""Equal scores at a cut are chosen by what was found, not by where it lies: an epoch is searched as its clean build."""

import json
import shutil
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from pydantic import SecretStr
from typer.testing import CliRunner

from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.query.retrieve.bank import RETRIEVERS, make_retriever
from tests.harness.cli import made_app
from tests.harness.home import run
from tests.harness.postgres import new_address

pytestmark = pytest.mark.integration
QUESTION = "Can I get the grant if I am over 60?"
PAGE = """<html><head><title>Warmth grant</title></head><body><main><h1>Warmth grant</h1>
<p>You can get the grant if you are over 60.</p><h2>How much</h2><p>The grant is £200 a year.</p>
<h2>Where</h2><p>Ask the office in {} street about it.</p></main></body></html>"""
NAMES = [f"{letter}.html" for letter in "abcdefghijkl"]  # more than a search looks at beyond its limit
STORES = {"files": lambda: None, "postgres": lambda: SecretStr(new_address())}


def built(home: Path, folder: Path, names: Iterable[Iterable[str]], database: SecretStr | None) -> Settings:
    """A corpus of pages that are all but the same, which has exactly these in one epoch after the other."""
    settings = Settings(home=home, database=database, embedding_model="hashing", extractor="rules")
    for epoch in names:
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        for name in epoch:
            (folder / name).write_text(PAGE.format(10 * name), encoding="utf-8")
        run(settings, folder, hold_share=1.0)
    return settings


def searched(settings: Settings, limit: int) -> dict[str, Any]:
    """What every retriever finds first."""
    found = {}
    with Workspace(settings) as workspace, workspace.view() as view:
        for name in RETRIEVERS.names:
            hits = make_retriever(name, view, workspace.embedder).retrieve(Inquiry(QUESTION), limit=limit)
            found[name] = [(hit.page.uri, hit.key, round(hit.score, 5)) for hit in hits]
    return found


@pytest.mark.parametrize("store", STORES)
def test_of_equal_pages_the_same_comes_first(tmp_path: Path, store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    both = (["a.html"], ["a.html", "b.html"]), (["b.html"], ["a.html", "b.html"]), (["a.html", "b.html"],)
    make: Callable[[], SecretStr | None] = STORES[store]
    for number, epochs in enumerate(both):
        settings = built(tmp_path / f"home{number}", tmp_path / "pages", epochs, make())
        if settings.database:
            monkeypatch.setenv("CLAUSEGRAPH_DATABASE", settings.database.get_secret_value())
        command = ["search", QUESTION, "-r", "vector-chunks", "--limit", "1", "--json", "--home", str(settings.home)]
        shown = CliRunner().invoke(made_app(), command, env={"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing"})
        assert shown.exit_code == 0, shown.stderr
        assert [hit["page"] for hit in json.loads(shown.stdout)["hits"]] == ["pages:a.html"]


@pytest.mark.parametrize("store", ["files", pytest.param("postgres", marks=pytest.mark.long)])
def test_an_epoch_is_searched_as_its_clean_build(tmp_path: Path, store: str) -> None:
    make: Callable[[], SecretStr | None] = STORES[store]
    grown = (NAMES[6:], NAMES[3:], NAMES[:2] + NAMES[4:], NAMES)
    made = built(tmp_path / "grown", tmp_path / "pages", grown, make())
    clean = built(tmp_path / "clean", tmp_path / "pages", [NAMES], None)
    for limit in (1, 3, 30):
        assert searched(made, limit) == searched(clean, limit)
    assert [uri for uri, *_ in searched(made, 3)["vector-chunks"]] == NAMES[:3]
