"""What runs say: the pages of a dry run, a run in words, progress in a pipe."""

import shutil
import threading
from pathlib import Path

import pytest

from clausegraph.ingestion.progress import progress_lines
from tests.app.cli.conftest import SAMPLE, Cli, parsed
from tests.harness.wait import PATIENCE_S


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    made = tmp_path / "pages"
    made.mkdir()
    for name in ("heating-grant.html", "study-grant.html", "vehicle-tax.html"):
        shutil.copy(SAMPLE / name, made)
    return made


def edit(pages: Path) -> None:
    """Change one page, remove one, add one."""
    path = pages / "heating-grant.html"
    path.write_text(
        path.read_text("utf-8").replace("</h1>", "</h1><p>You must tell the Office at once.</p>", 1), "utf-8"
    )
    (pages / "study-grant.html").unlink()
    shutil.copy(SAMPLE / "work-permit.html", pages)


def test_a_dry_run_names_the_pages(cli: Cli, pages: Path) -> None:
    cli("ingest", str(pages))
    edit(pages)
    value = parsed(cli("ingest", str(pages), "--dry-run", "--json"))
    assert value["pages_changed"] == ["heating-grant.html"] and value["pages_why"]["work-permit.html"] == "new"
    assert value["forecast"]["pages"] == 2 and value["forecast"]["chunks"] > 2
    rows = cli("ingest", str(pages), "--dry-run").stdout.splitlines()
    told = {row.split()[0]: row.strip().split(maxsplit=2)[1:] for row in rows if ".html" in row}
    assert told == {
        "work-permit.html": ["added", "new"],
        "heating-grant.html": ["changed", "its bytes changed"],
        "study-grant.html": ["removed", "gone from the source"],
    }
    assert "2 changed" not in "".join(rows) and parsed(cli("status", "--json"))["corpora"][0]["published"] == 1


def test_a_run_in_words(cli: Cli, pages: Path) -> None:
    cli("ingest", str(pages))
    edit(pages)
    run = parsed(cli("ingest", str(pages), "--json"))
    text = cli("show", run["run_id"]).stdout
    assert f"run {run['run_id']} (ingest): done" in text and "published epoch 2" in text
    assert "its bytes changed" in text and "gone from the source" in text and "new or changed text" in text
    for chunk in run["chunks_why"]["heating-grant.html"]["new or changed text"]:
        assert chunk in text
    assert parsed(cli("show", run["run_id"], "--json"))["report"]["pages_why"] == run["pages_why"]


def test_a_run_whose_model_server_is_down_is_failed(cli: Cli, pages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    down = {"LLM": "mistral:m", "LLM_URL": "http://127.0.0.1:9", "LLM_KEY": "k", "LLM_ATTEMPTS": "1"}
    for name, value in down.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)
    result = cli("ingest", str(pages))
    assert result.exit_code == 5 and "failed: no page could be extracted" in result.stdout
    assert "unchanged\n" not in result.stdout and "127.0.0.1:9" in result.stdout
    corpus = parsed(cli("status", "--json"))["corpora"][0]
    assert corpus["published"] == 0 and corpus["runs"][0]["status"] == "failed"
    assert "failed" in cli("show", corpus["runs"][0]["id"]).stdout


def test_a_pipe_is_told_how_far_the_work_is() -> None:
    said: list[str] = []
    lines = threading.Semaphore(0)

    def say(text: str) -> None:
        said.append(text)
        lines.release()

    with progress_lines(say, every=0.01) as step:
        assert lines.acquire(timeout=PATIENCE_S)
        step("extract", 3, 8)
        said.clear()
        while not said or "extract" not in said[-1]:
            assert lines.acquire(timeout=PATIENCE_S)
    assert said[-1].endswith("s: extract 3 of 8")
