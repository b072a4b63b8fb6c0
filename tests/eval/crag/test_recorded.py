"""Runs that a strong model answered once, by hand, answered again from the recorded replies: the same scores.

The cassettes have hashes and replies only; questions, pages and responses of the API stay where they are, and the tests
skip without them.
"""

import bz2
import json
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app import engines
from clausegraph.app.dev.crag_api import RecordedCalls
from clausegraph.app.dev.json_server import JsonServer
from clausegraph.app.services import crag_evaluation
from clausegraph.app.services.crag_evaluation import CragTrial, measure_crag
from clausegraph.app.workspace import Workspace
from clausegraph.core.settings import load_settings
from clausegraph.eval.crag.run import CragRecord, calls_by_step, crag_figures
from clausegraph.query.crag.times import parse_time
from clausegraph.query.crag.types import Attributes, CragKind, CragQuestion, CragSwitches, Domain, Dynamism
from tests.harness.shared_data import SHARED

pytestmark = pytest.mark.integration
FOLDER = SHARED / "crag"
RECORDED = Path(__file__).parent / "recorded"
LLM = {"llm": "openai:by-hand", "llm_url": "http://127.0.0.1:9/v1", "llm_key": "none"}
AT = parse_time("2024-03-12T10:00-07:00")
TOLD = {
    **dict.fromkeys((191, 1456), (Domain.SPORTS, Dynamism.STATIC)),
    1329: (Domain.SPORTS, Dynamism.FAST),
    2562: (Domain.SPORTS, None),
    **dict.fromkeys((624, 1513, 1719, 2613), (Domain.MOVIE, None)),
    **dict.fromkeys((627, 424, 2187), (Domain.MUSIC, Dynamism.STATIC)),
    **dict.fromkeys((1702, 2636), (Domain.FINANCE, None)),
    373: (Domain.FINANCE, Dynamism.FAST),
}
WITH_PAGES, TOUCHED = (0, 3, 4, 9), (191, 1329, 624, 2613)


class ToldAttributes:
    """What the questions were said to be like when the replies were recorded."""

    def predict(self, question: CragQuestion) -> Attributes:
        domain, dynamism = TOLD[int(question.id)]
        return Attributes(domain, CragKind.COMPARISON if domain is Domain.MOVIE else None, dynamism)


def replayed(
    tmp_path: Path, questions: Path, cassette: Path, *rows: str, task: int = 2, **settings: Any
) -> dict[str, list[CragRecord]]:
    if not (FOLDER / "crag_mock_api_calls.jsonl").is_file():
        pytest.skip(f"no recorded calls at {FOLDER}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    with JsonServer(RecordedCalls.read(FOLDER / "crag_mock_api_calls.jsonl").answer) as api:
        given = {"home": tmp_path / "home", "crag_graph_url": api.url, **LLM, **settings}
        trial = CragTrial(task, rows, seconds=0, at=AT, cassette=cassette)
        with Workspace(load_settings(**given)) as workspace:
            return measure_crag(workspace, questions, trial)


@pytest.mark.long
def test_a_plan_has_the_same_score(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    questions, cassette = FOLDER / "crag_questions_touching_slice.jsonl", RECORDED.parent / "plan.cassette.jsonl"
    monkeypatch.setattr(engines, "CALCULATOR_SAMPLES", 1)
    monkeypatch.setattr(engines, "_predictor", lambda _: ToldAttributes())
    monkeypatch.setattr(crag_evaluation, "crag_switches", lambda: CragSwitches(graph="plan", rounds=2))
    (records,) = replayed(tmp_path, questions, cassette, "as-set", embedding_model="hashing").values()
    figures = crag_figures(records)
    assert (figures.questions, figures.failed, figures.unjudged) == (14, 0, 0)
    assert [one.verdict for one in records[:4]] == ["correct"] * 4  # what the recording answers fully
    assert [one.id for one in records if one.verdict == "incorrect"] == ["1702"]  # the recording says another price
    assert round(figures.score, 4) == 0.2143
    assert sum(calls_by_step(records).values()) == pytest.approx(4.5)


@pytest.mark.long
def test_rows_that_are_compared_are_answered_as_they_were(tmp_path: Path) -> None:
    known = {"own-only": 4, "graph-only": 2, "text-only": 2, "text-and-graph": 4}
    if not (FOLDER / "crag_example.jsonl.bz2").is_file():
        pytest.skip(f"no questions at {FOLDER}; set CLAUSEGRAPH_SHARED_DATA to its parent")
    pages = bz2.decompress((FOLDER / "crag_example.jsonl.bz2").read_bytes()).decode().splitlines()
    touched = [json.loads(line) for line in (FOLDER / "crag_questions_touching_slice.jsonl").read_text().splitlines()]
    lines = [pages[at] for at in WITH_PAGES] + [json.dumps(one) for one in touched if one["line"] in TOUCHED]
    (tmp_path / "questions.jsonl").write_text("\n".join(lines) + "\n")
    found = replayed(tmp_path, tmp_path / "questions.jsonl", RECORDED / "rows.jsonl", *known)
    figures = [crag_figures(records) for records in found.values()]
    assert {(one.questions, one.failed, one.unjudged, one.hallucination) for one in figures} == {(8, 0, 0, 0)}
    assert [8 * one.accuracy for one in figures] == list(known.values())
