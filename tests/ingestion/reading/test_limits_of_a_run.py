"""A page that takes too much is a counted reject: its last good version stays, the rest of the run goes on."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from tests.harness.cli import made_app
from tests.ingestion.reading.pages import large, slow

pytestmark = pytest.mark.integration

REASON = "reading it took more than 1 s of processor time (CLAUSEGRAPH_READING_SECONDS)"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    made.mkdir()
    for name in ("a", "b", "c"):
        (made / f"{name}.html").write_text(f"<main><h1>Page {name}</h1><p>You must pay £5.</p></main>")
    return made


def run(home: Path, *words: str) -> dict[str, Any]:
    settings = {"CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "CLAUSEGRAPH_READING_SECONDS": "1"}
    result = CliRunner(env=settings).invoke(made_app(), [*words, "--home", str(home), "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)  # type: ignore[no-any-return]


def test_its_last_good_version_stays(folder: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    run(home, "ingest", str(folder))
    (folder / "b.html").write_bytes(slow().raw)
    (folder / "c.html").write_bytes(large().raw)
    report = run(home, "ingest", str(folder))
    assert report["rejects"] == [{"what": "b.html", "reason": REASON}]
    assert (report["pages_kept"], report["pages_changed"], report["pages_failed"]) == (["b.html"], ["c.html"], [])
    assert report["pages_why"]["b.html"] == REASON
    assert run(home, "show", "b.html")["title"] == "Page b"
