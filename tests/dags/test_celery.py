"""Airflow with CeleryExecutor, Redis and two workers, each with homes of its own; one of them is killed half-way."""

import importlib.util
import secrets
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import psutil
import psycopg
import pytest
from sqlalchemy import make_url

from clausegraph.app.servers.airflow import RunningAirflow, start_airflow, stop_airflow
from clausegraph.app.servers.process import chosen_port
from tests.dags.team import Team
from tests.dags.test_scheduled import DAG, Api
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.harness.postgres import new_address, run_sql, shared_server
from tests.harness.wait import until

pytestmark = [
    pytest.mark.long,
    pytest.mark.integration,
    pytest.mark.skipif(importlib.util.find_spec("celery") is None, reason="the extra celery is not installed"),
    pytest.mark.skipif(shutil.which("redis-server") is None, reason="there is no redis-server"),
]

PAGES, MACHINES = 24, ("one", "two")
CHUNKS, IN_FLIGHT = 2 * PAGES, 2 * 2  # two tasks of a worker, two calls each


@pytest.fixture
def fake() -> FakeModelServer:
    return fake_with(latency=(0.8, 0.8))


@pytest.fixture
def redis(tmp_path: Path) -> Iterator[str]:
    """The address of a Redis on loopback, whose password no command line has."""
    port, password = chosen_port(0, None), secrets.token_hex(16)
    lines = ("bind 127.0.0.1", f"port {port}", f"requirepass {password}", 'save ""', f"dir {tmp_path}")
    with subprocess.Popen(["redis-server", "-"], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, text=True) as server:
        assert server.stdin is not None
        server.stdin.write("\n".join(lines))
        server.stdin.close()
        try:
            yield f"redis://:{password}@127.0.0.1:{port}/0"
        finally:
            server.kill()


@pytest.fixture
def team(tmp_path: Path, fake: FakeModelServer) -> Team:
    made = Team(tmp_path, fake, new_address(), batch_chunks=8, lease=60)
    made.write(PAGES)
    return made


@pytest.fixture
def airflow(team: Team, redis: str) -> Iterator[RunningAirflow]:
    name = f"airflow_{secrets.token_hex(4)}"
    with psycopg.connect(shared_server(), autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}")
    metadata = make_url(shared_server()).set(drivername="postgresql+psycopg", database=name)
    place = metadata.render_as_string(hide_password=False)
    options = {
        "CLAUSEGRAPH_CONFIG": str(team.config),
        "CLAUSEGRAPH_HOME": str(team.root / "scheduler"),
        "AIRFLOW__CORE__EXECUTOR": "CeleryExecutor",
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": place,
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN_ASYNC": place,
        "AIRFLOW__CELERY__BROKER_URL": redis,
        "AIRFLOW__CELERY__RESULT_BACKEND": f"db+{place}",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT": "20",
        "AIRFLOW__SCHEDULER__TASK_INSTANCE_HEARTBEAT_TIMEOUT_DETECTION_INTERVAL": "5",
        "AIRFLOW__DAG_PROCESSOR__MIN_FILE_PROCESS_INTERVAL": "3600",
        "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1",
    }
    folder = team.root / "airflow"
    try:
        yield start_airflow(folder, options=options)
    finally:
        stop_airflow(folder)


@pytest.fixture
def workers(airflow: RunningAirflow, team: Team) -> Iterator[list[psutil.Process]]:
    """Two workers of Celery, as of two machines: neither has a folder of the other or of the scheduler."""
    lines = [shlex.split(line)[1] for line in airflow.env_file.read_text(encoding="utf-8").splitlines()]
    shared = team.environment(**dict(line.split("=", 1) for line in lines))
    with ExitStack() as ended:
        made = []
        for name in MACHINES:
            home = team.root / name
            (home / "airflow").mkdir(parents=True)
            own = {"AIRFLOW_HOME": str(home / "airflow"), "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(home / "logs")}
            own["CLAUSEGRAPH_HOME"] = str(home / "home")
            words = [sys.executable, "-P", "-m", "airflow", "celery", "worker", "--concurrency", "2"]
            words += ["--skip-serve-logs", "--celery-hostname", f"{name}@%h"]
            with (home / "log").open("wb") as log:
                process = subprocess.Popen(words, env=shared | own, stdout=log, stderr=log)
            made.append(psutil.Process(process.pid))
            ended.callback(process.wait)
            ended.callback(kill, made[-1])
        yield made


def kill(process: psutil.Process) -> None:
    """A machine that goes: all of a worker's processes at once."""
    if process.is_running():
        for one in [process, *process.children(recursive=True)]:
            one.kill()


def test_a_worker_that_is_killed_is_replaced_by_the_other(
    airflow: RunningAirflow, workers: list[psutil.Process], team: Team, fake: FakeModelServer
) -> None:
    api, runs = Api(airflow), f"/dags/{DAG}/dagRuns"

    def at_work() -> list[psutil.Process]:
        rows = run_sql(team.address, "SELECT pid FROM work_batches WHERE state = 'claimed'")
        claimed = {int(str(row[0])) for row in rows}
        return [one for one in workers if claimed & {child.pid for child in one.children(recursive=True)}]

    until(lambda: bool(run_sql(team.address, "SELECT 1 FROM pg_tables WHERE tablename = 'work_batches'")), every=0.5)
    until(lambda: len(at_work()) == 2 and len(team.stored()) > 4, every=0.2)
    kill(workers[0])
    until(lambda: api.get(runs)["dag_runs"][0]["state"] in ("success", "failed"), every=1.0)
    (run,) = api.get(runs)["dag_runs"]
    tasks = api.get(f"{runs}/{run['dag_run_id']}/taskInstances")["task_instances"]
    told = [(task["task_id"], task["state"], task["try_number"]) for task in tasks]
    assert run["state"] == "success", told
    assert sum(attempts > 1 for task, _, attempts in told if task == "extract") in (1, 2), told
    counted = fake.counters()
    assert len(team.stored()) == CHUNKS
    assert counted["repeated_ok"] <= IN_FLIGHT and counted["ok"] <= CHUNKS + IN_FLIGHT
    assert api.get("/assets/events")["asset_events"][0]["extra"]["epoch"] == 1
    assert all(list((team.root / name / "logs").rglob("*task_id=extract*")) for name in MACHINES)
    fake.set(latency=(0.0, 0.0))
    assert team.dump() == team.plain_dump(team.root / "plain")
