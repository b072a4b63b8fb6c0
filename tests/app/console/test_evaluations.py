"""Runs that ``eval`` wrote are looked at: figures, wrong answers, two side by side; by whom they are for."""

import json
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from clausegraph.app.services.evaluation import describe_run, score_predictions
from clausegraph.core.settings import Settings
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.run import write_evaluation
from clausegraph.eval.provenance import write_run
from tests.app.console.conftest import looking

HOSTILE = "<script>hit=1</script>"
QUESTIONS = tuple(
    Question(
        f"q{number}", "https://a.example", "", f"May I {HOSTILE} {number}?", False, (ConditionalAnswer("yes"),), ()
    )
    for number in range(25)
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over the same questions: one right in none, one in all; and a folder that is no run."""
    made = tmp_path_factory.mktemp("evaluations")
    (made / "notes").mkdir()
    for name, said in (("bad", "no"), ("good", "yes")):
        path = made / f"{name}.json"
        path.write_text(json.dumps([{"id": one.id, "answers": [[said, []]]} for one in QUESTIONS]))
        (made / name).mkdir()
        write_evaluation(made / name, score_predictions(QUESTIONS, path), QUESTIONS)
        write_run(made / name, describe_run("conditionalqa", {"predictions": path}, time.perf_counter(), None))
    return made


def test_runs_are_looked_at_compared_and_kept_from_tokens_that_are_bound(settings: Settings, folder: Path) -> None:
    here = settings.model_copy(update={"evaluations": folder})

    async def look(client: httpx.AsyncClient) -> None:
        assert {one["name"] for one in (await _json(client, "/v1/evaluations"))["items"]} == {"bad", "good"}
        report = (await _json(client, "/v1/evaluations/bad"))["report"]
        assert report["questions"] == 25 and report["headline"][0]["value"] == "0.0"
        first = await _json(client, "/v1/evaluations/bad/cases?limit=20")
        rest = await _json(client, f"/v1/evaluations/bad/cases?limit=20&cursor={first['next']}")
        assert len(first["items"]) == 20 and len(rest["items"]) == 5 and rest["next"] is None
        assert ">bad</a>" in (await client.get("/c/default/evaluations")).text
        shown = (await client.get("/c/default/evaluation?name=bad&with=good")).text
        assert "+100.0" in shown and "differs" in shown and HOSTILE not in shown and "May I &lt;script&gt;" in shown
        assert "More of them" in shown
        assert "There are none" in (await client.get("/c/default/evaluation?name=good")).text
        for lost in ("../bad", "notes", "none"):
            assert (await client.get("/c/default/evaluation", params={"name": lost})).status_code == 404, lost

    async def look_bound(client: httpx.AsyncClient) -> None:
        assert (await client.get("/v1/evaluations")).json() == {"items": []}
        assert (await client.get("/v1/evaluations/bad")).status_code == 404

    async def look_without(client: httpx.AsyncClient) -> None:
        assert "An administrator measures an engine here" in (await client.get("/c/default/evaluations")).text

    looking(here, look)
    looking(here, look_bound, corpora=("default",))
    looking(settings, look_without)


async def _json(client: httpx.AsyncClient, path: str) -> dict[str, Any]:
    answer = await client.get(path)
    assert answer.status_code == 200, (path, answer.text)
    found: dict[str, Any] = answer.json()
    return found
