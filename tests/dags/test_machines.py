"""Workers on several machines, as far as homes of their own make them: one PostgreSQL, one model, one corpus."""

import re
import signal
import subprocess
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from tests.app.api.conftest import PAGES
from tests.app.api.serving import Serving
from tests.dags.team import CORPUS, Team, result
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with
from tests.harness.postgres import address_of, kill_server, new_address, run_sql, start_server
from tests.harness.wait import PATIENCE_S, until

pytestmark = [pytest.mark.integration, pytest.mark.long]

IN_FLIGHT = 2  # calls of a worker: what the model has replied to and nobody has kept is paid for again
EPOCHS = 4


@pytest.fixture
def fake() -> FakeModelServer:
    return fake_with(latency=(0.2, 0.2))


def lasting(worker: subprocess.Popen[str]) -> tuple[int, str]:
    _, error = worker.communicate(timeout=PATIENCE_S)
    return worker.returncode, error


def finish(team: Team, run: dict[str, Any]) -> dict[str, Any]:
    for step in ("embed", "publish"):
        team.step(step, run)
    made: dict[str, Any] = team.step("report", run)
    return made


def test_four_workers_ask_for_each_chunk_once(tmp_path: Path, fake: FakeModelServer) -> None:
    """Two of them are given the same batch, as by a scheduler that takes the first one for dead."""
    team = Team(tmp_path, fake, new_address())
    team.write(20)
    run = team.run("run", batch_chunks=8)
    batches = team.step("plan", run)
    given: list[tuple[int, ...]] = [(batches[0],), (batches[0],), (), ()]
    workers = [team.start("extract", run, *batch, machine=f"m{n}") for n, batch in enumerate(given)]
    twice, again, *rest = map(result, workers)
    assert sum(rest) + sum(one is not None for one in (twice, again)) == len(batches)
    counted = fake.counters()
    assert counted["ok"] == len(team.stored()) == 40 and counted["repeated_ok"] == 0
    assert finish(team, run)["chunks_extracted"] == 40
    assert team.dump() == team.plain_dump(tmp_path / "plain")
    assert not list(tmp_path.rglob("responses.db"))[1:]  # of the plain one alone


def test_a_worker_and_a_database_that_are_killed(tmp_path: Path, fake: FakeModelServer) -> None:
    """A worker costs what it had in flight. Without the database each step fails loudly or ends well, in mid-extraction
    and in mid-publish; done again it goes on."""
    server = start_server()
    team = Team(tmp_path, fake, address_of(server))
    team.write(24)
    run = team.run("run", batch_chunks=8)
    batches = team.step("plan", run)
    workers = [team.start("extract", run, batch, machine=f"m{n}") for n, batch in enumerate(batches[:3])]
    until(lambda: len(team.stored()) > 2, every=0.05)
    workers[0].kill()
    assert lasting(workers[0])[0] == -signal.SIGKILL
    retried = team.start("extract", run, batches[0], machine="m9")
    assert all(result(one) is not None for one in (*workers[1:], retried))
    counted, kept = fake.counters(), len(team.stored())
    assert counted["repeated_ok"] <= IN_FLIGHT
    workers = [team.start("extract", run, machine=f"m{n}") for n in range(2)]
    until(lambda: len(team.stored()) > kept + 2, every=0.05)
    kill_server(server)
    ended = [lasting(worker) for worker in workers]
    assert all(code for code, _ in ended) and all("StorageError" in error for _, error in ended), ended
    server.ensure_postgres_running()
    kept, asked = len(team.stored()), fake.counters()["ok"]
    team.step("extract", run)
    assert 0 < kept < 48 == len(team.stored())
    assert fake.counters()["ok"] - asked <= 48 - kept
    team.step("embed", run)
    publishing = team.start("publish", run)
    writes = "SELECT 1 FROM pg_locks WHERE relation = 'supports'::regclass AND mode = 'RowExclusiveLock'"
    until(lambda: run_sql(team.address, writes) or publishing.poll() is not None, every=0.002)
    kill_server(server)
    code, error = lasting(publishing)
    server.ensure_postgres_running()
    published = run_sql(team.address, "SELECT published FROM corpora")[0][0]
    rows = run_sql(team.address, "SELECT (SELECT count(*) FROM supports) + (SELECT count(*) FROM vector_data)")[0][0]
    assert (code == 0 or "StorageError" in error) and bool(rows) == bool(published)
    assert team.step("publish", run) == 1
    assert team.step("report", run)["chunks_extracted"] == 48
    assert team.dump() == team.plain_dump(tmp_path / "plain")


def test_two_servers_show_whole_epochs_while_pages_are_published(tmp_path: Path) -> None:
    address, ended = new_address(), threading.Event()
    team = Team(tmp_path, None, address)

    def publish(epoch: int) -> None:
        for name, body in PAGES.items():
            text = body.format(age=60 + epoch, money=100 + epoch)
            (team.pages / name).write_text(f"<html><body><main>{text}</main></body></html>", encoding="utf-8")
        run = team.run(f"run-{epoch}")
        team.step("plan", run)
        team.step("extract", run)
        assert finish(team, run)["epoch"] == epoch

    def read(server: Serving) -> Counter[int]:
        seen: Counter[int] = Counter()
        with server.client() as client:
            while not ended.is_set():
                answer = client.get(f"/v1/corpora/{CORPUS}/facts", params={"limit": 200}).raise_for_status().json()
                text = " ".join(str(one) for one in answer["items"])
                ages, sums = re.findall(r"over 6(\d)", text), re.findall(r"£10(\d)", text)
                said = {int(number) for number in (*ages, *sums)}
                assert said == {answer["epoch"]}, (answer["epoch"], said)
                seen[answer["epoch"]] += 1
        return seen

    publish(1)
    shared = {"database": address, "extractor": "rules"}
    with (
        Serving(tmp_path / "one", **shared) as one,
        Serving(tmp_path / "two", **shared) as two,
        ThreadPoolExecutor(4) as pool,
    ):
        reading = [pool.submit(read, server) for server in (one, one, two, two)]
        try:
            for epoch in range(2, EPOCHS + 1):
                publish(epoch)
        finally:
            ended.set()
        for seen in [one.result() for one in reading]:
            assert len(seen) > 1 and sum(seen.values()) > EPOCHS
        with two.client(one.token) as client:
            assert client.get("/v1/me").status_code == 200
        assert [server.end() for server in (one, two)] == [0, 0]
