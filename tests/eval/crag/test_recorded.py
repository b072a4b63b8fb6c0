"""A run with a strong model, answered by hand, over the recorded responses of the real API: replayed to the same score.

The cassette has hashes and replies only; questions and responses stay where they are, and the test skips without them.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from clausegraph.app import crag
from clausegraph.app.dev.crag_api.server import RecordedCalls, ReplayServer
from clausegraph.app.services import crag_evaluation
from clausegraph.app.services.crag_evaluation import CragTrial, measure_crag
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import load_settings
from clausegraph.eval.crag.figures import calls_by_step, crag_figures
from clausegraph.eval.crag.run import CragRecord
from clausegraph.query.crag.attributes.rules import AttributeRules
from clausegraph.query.crag.switches import CragSwitches
from clausegraph.query.crag.time.clock import parse_time

pytestmark = pytest.mark.integration
FOLDER = Path(os.environ.get("CLAUSEGRAPH_SHARED_DATA", Path(__file__).parents[4] / "shared" / "data")) / "crag"
CASSETTE = Path(__file__).parent / "plan.cassette.jsonl"


def replayed(tmp_path: Path, row: str, cassette: Path) -> list[CragRecord]:
    if not (FOLDER / "crag_mock_api_calls.jsonl").is_file():
        pytest.skip(f"no recorded calls at {FOLDER}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    with ReplayServer(RecordedCalls.read(FOLDER / "crag_mock_api_calls.jsonl")) as api:
        settings = load_settings(
            home=tmp_path, embedding_model="hashing", llm="openai:by-hand", llm_url="http://127.0.0.1:9/v1",
            llm_key="none", crag_graph_url=api.url,
        )  # fmt: skip
        trial = CragTrial(rows=(row,), seconds=0, at=parse_time("2024-03-12T10:00-07:00"), cassette=cassette)
        with Workspace(settings) as workspace:
            return measure_crag(workspace, FOLDER / "crag_questions_touching_slice.jsonl", trial)[row]


def test_functions_called_by_the_model_have_the_same_score(tmp_path: Path) -> None:
    records = replayed(tmp_path, "kerag-tools", CASSETTE.parent / "recorded" / "tools.jsonl")
    figures = crag_figures(records)
    assert (figures.questions, figures.failed, figures.score) == (14, 0, 0)
    verdicts = {one.id: one.verdict for one in records if one.verdict != "missing"}
    assert verdicts == {"191": "correct", "1702": "incorrect"}  # of the others no call was recorded
    assert calls_by_step(records) == pytest.approx({"crag-kg-tools": 1.0, "crag-answer": 2 / 14})


def test_the_recorded_run_has_the_same_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crag, "CALCULATOR_SAMPLES", 1)
    monkeypatch.setattr(crag, "_predictor_maker", lambda _: lambda _: AttributeRules())
    monkeypatch.setattr(crag_evaluation, "crag_switches", lambda: CragSwitches(graph="auto", rounds=2))
    records = replayed(tmp_path, "as-set", CASSETTE)
    figures = crag_figures(records)
    assert (figures.questions, figures.failed, figures.unjudged) == (14, 0, 0)
    assert [one.verdict for one in records[:4]] == ["correct"] * 4  # what the recording answers fully
    assert [one.id for one in records if one.verdict == "incorrect"] == ["1702"]  # the recording says another price
    assert round(figures.score, 4) == 0.2143
    assert sum(calls_by_step(records).values()) == pytest.approx(4.5)
