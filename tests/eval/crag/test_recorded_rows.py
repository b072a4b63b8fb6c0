"""What HybGRAG compares with, answered once by a strong model by hand, again from its recorded replies.

Four of CRAG's example questions with their pages, four of those that the recorded responses of the API touch. The
cassettes have hashes and replies only; questions, pages and responses stay where they are.
"""

from __future__ import annotations

import bz2
import json
import os
from collections.abc import Sequence
from pathlib import Path

import pytest

from clausegraph.app.dev.crag_api.server import RecordedCalls, ReplayServer
from clausegraph.app.services import attribute_evaluation
from clausegraph.app.services.attribute_evaluation import measure_attributes
from clausegraph.app.services.crag_evaluation import CragTrial, measure_crag
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import load_settings
from clausegraph.eval.crag.figures import crag_figures
from clausegraph.query.crag.time.clock import parse_time

pytestmark = pytest.mark.integration
FOLDER = Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data")) / "crag"
RECORDED = Path(__file__).parent / "recorded"
LABELLED = Path(__file__).parents[3] / "examples" / "attribute_questions.jsonl"
WITH_PAGES, TOUCHED = (0, 3, 4, 9), (191, 1329, 624, 2613)
LLM = {"llm": "openai:by-hand", "llm_url": "http://127.0.0.1:9/v1", "llm_key": "none"}
AT = parse_time("2024-03-12T10:00-07:00")


def accuracies(tmp_path: Path, rows: Sequence[str], embedding: str) -> dict[str, float]:
    """Of the rows over the eight questions; none is answered wrongly and no call is missing."""
    if not (FOLDER / "crag_example.jsonl.bz2").is_file():
        pytest.skip(f"no questions at {FOLDER}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    pages = bz2.decompress((FOLDER / "crag_example.jsonl.bz2").read_bytes()).decode().splitlines()
    touched = [json.loads(line) for line in (FOLDER / "crag_questions_touching_slice.jsonl").read_text().splitlines()]
    lines = [pages[at] for at in WITH_PAGES] + [json.dumps(one) for one in touched if one["line"] in TOUCHED]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines) + "\n")
    with ReplayServer(RecordedCalls.read(FOLDER / "crag_mock_api_calls.jsonl")) as api:
        settings = load_settings(home=tmp_path / "home", embedding_model=embedding, crag_graph_url=api.url, **LLM)
        trial = CragTrial(rows=tuple(rows), seconds=0, at=AT, cassette=RECORDED / "rows.jsonl")
        with Workspace(settings) as workspace:
            found = measure_crag(workspace, tmp_path / "questions.jsonl", trial)
    figures = {name: crag_figures(records) for name, records in found.items()}
    assert {(one.questions, one.failed, one.unjudged, one.hallucination) for one in figures.values()} == {(8, 0, 0, 0)}
    return {name: one.accuracy for name, one in figures.items()}


@pytest.mark.long
def test_rows_are_answered_as_they_were(tmp_path: Path) -> None:
    known = {
        "own-only": 0.5,
        "graph-only": 0.25,
        "text-only": 0.25,
        "text-and-graph": 0.5,
        "react": 0.5,
        "corrective": 0.5,
    }
    assert accuracies(tmp_path, list(known), load_settings().embedding_model) == known


def test_attributes_are_predicted_as_they_were(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(attribute_evaluation, "ATTRIBUTE_SAMPLES", 1)
    settings = load_settings(home=tmp_path, embedding_model="hashing", **LLM)
    with Workspace(settings) as workspace:
        trial = CragTrial(at=AT, cassette=RECORDED / "attributes.jsonl")
        found = measure_attributes(workspace, LABELLED, 20, 13, trial)
    assert found.right["model"] == {"domain": 19, "kind": 18, "dynamism": 19, "dynamic": 20}
