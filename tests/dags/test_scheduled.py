"""A scheduled run of the real thing: scheduler, dag-processor and api-server; a task killed half-way and retried."""

import importlib.util
import os
import signal
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from clausegraph.app.servers.airflow import RunningAirflow, find_airflow, start_airflow, stop_airflow
from tests.dags.team import CORPUS, Team
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.harness.wait import PATIENCE_S, until

pytestmark = [
    pytest.mark.long,  # what the tasks do is in test_dags.py, a killed task in test_steps.py
    pytest.mark.integration,
    pytest.mark.skipif(importlib.util.find_spec("airflow") is None, reason="Airflow is not installed"),
]

CHUNKS = 16
DAG = "ingest_policies"


@pytest.fixture(scope="module")
def fake() -> FakeModelServer:
    return fake_with(latency=(0.6, 0.6))


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory, fake: FakeModelServer) -> Team:
    made = Team(tmp_path_factory.mktemp("team"), fake, batch_chunks=8)
    made.write(CHUNKS // 2)
    return made


@pytest.fixture(scope="module")
def airflow(team: Team) -> Iterator[RunningAirflow]:
    options = {
        "CLAUSEGRAPH_CONFIG": str(team.config),
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",  # parsed once is enough, and cheaper
        "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
    }
    folder = team.root / "airflow"
    try:
        yield start_airflow(folder, options=options)
    finally:
        assert stop_airflow(folder)
        assert find_airflow(folder) is None and not stop_airflow(folder)


class Api:
    """Airflow's API with the generated password."""

    def __init__(self, airflow: RunningAirflow) -> None:
        login = {"username": airflow.user, "password": airflow.password_file.read_text(encoding="utf-8").strip()}
        answer = httpx.post(f"{airflow.url}/auth/token", json=login, timeout=PATIENCE_S)
        assert answer.status_code == 201, answer.text
        headers = {"Authorization": f"Bearer {answer.json()['access_token']}"}
        self._url, self._headers = f"{airflow.url}/api/v2", headers

    def get(self, path: str) -> Any:
        answer = httpx.get(self._url + path, headers=self._headers, timeout=PATIENCE_S)
        assert answer.status_code == 200, answer.text
        return answer.json()


def test_a_killed_task_of_a_scheduled_run_is_retried(
    airflow: RunningAirflow, team: Team, fake: FakeModelServer
) -> None:
    api = Api(airflow)
    until(lambda: len(team.stored()) >= 2 and bool(_workers(team)), every=0.2)
    victim = _workers(team)[0]
    stored, answered = team.stored(), fake.counters()["ok"]
    os.kill(victim, signal.SIGKILL)
    runs = f"/dags/{DAG}/dagRuns"
    until(lambda: api.get(runs)["dag_runs"][0]["state"] in ("success", "failed"), every=1.0)
    (run,) = api.get(runs)["dag_runs"]
    assert (run["state"], run["run_type"]) == ("success", "scheduled")
    tasks = api.get(f"{runs}/{run['dag_run_id']}/taskInstances")["task_instances"]
    assert Counter(task["task_id"] for task in tasks) == {
        "plan": 1, "extract": 2, "decided": 1, "embed": 1, "publish": 1, "report": 1,
    }  # fmt: skip
    assert {task["state"] for task in tasks if task["task_id"] != "decided"} == {"success"}
    assert sorted(task["try_number"] for task in tasks if task["task_id"] == "extract") == [1, 2]
    assert {task["pool"] for task in tasks if task["task_id"] == "extract"} == {"clausegraph_models"}

    in_flight = 2 * 2 * 2 + 2  # calls of two tasks at the kill: sent, or replied to and not stored yet
    assert len(team.stored()) == CHUNKS
    assert fake.counters()["ok"] - answered <= CHUNKS - len(stored) + in_flight
    assert fake.counters()["repeated_ok"] <= in_flight // 2
    events = api.get("/assets/events")["asset_events"]
    assert [event["extra"]["epoch"] for event in events] == [1] and events[0]["extra"]["corpus"] == CORPUS
    fake.set(latency=(0.0, 0.0))
    assert team.dump() == team.plain_dump(team.root / "plain")  # no fact twice, none lost


def test_nothing_is_open_to_others(airflow: RunningAirflow, team: Team) -> None:
    family = [psutil.Process(pid) for pid in airflow.pids.values()]
    family += [child for process in family for child in process.children(recursive=True)]
    listening, words = set(), ""
    for process in family:
        with suppress(psutil.NoSuchProcess):  # a task's process that has just ended
            words += " ".join(process.cmdline())
            sockets = process.net_connections("tcp")
            listening |= {one.laddr.ip for one in sockets if one.status == psutil.CONN_LISTEN}
    assert listening == {"127.0.0.1"}
    files = [airflow.folder, *airflow.folder.rglob("*")]
    assert not [path for path in files if path.exists() and path.stat().st_mode & 0o077 and not path.is_symlink()]
    assert httpx.get(f"{airflow.url}/api/v2/dags", timeout=PATIENCE_S).status_code == 401
    assert airflow.password not in words
    assert find_airflow(airflow.folder) == airflow and start_airflow(airflow.folder) == airflow  # it runs already


def _workers(team: Team) -> list[int]:
    """Processes that hold a batch, from the ledger."""
    path: Path = team.home / "ledger.db"
    if not path.exists():
        return []
    with closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as connection:
        return [row[0] for row in connection.execute("SELECT pid FROM work_batches WHERE state = 'claimed'")]
