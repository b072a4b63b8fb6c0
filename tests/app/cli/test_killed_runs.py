"""A run that was killed: readers see that nobody is at work, without writing it; the next run records it."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from clausegraph.app.services.scheduling import RunRequest, step
from clausegraph.indexes.ledger.leases import is_held
from tests.app.cli.conftest import SAMPLE, Cli, parsed

WORKING = """
import sys
from pathlib import Path
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.run import new_run_id, running
from clausegraph.ingestion.tools import Tools
with open_ledger(Path(sys.argv[1])) as ledger:
    tools = Tools(ledger, HashingEmbedder(), RuleExtractor())
    with running(tools, get_corpus(ledger, "default"), new_run_id(), "corpus"):
        print("begun", flush=True)
        sys.stdin.read()
"""


@pytest.fixture
def working(stocked: Path) -> Iterator[subprocess.Popen[str]]:
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True}
    with subprocess.Popen([sys.executable, "-c", WORKING, str(stocked)], **pipes) as process:  # type: ignore[call-overload]
        assert process.stdout.readline() == "begun\n"
        yield process
        process.kill()


def changed(ledger: Path, sql: str, *values: object) -> None:
    with sqlite3.connect(ledger) as connection:
        connection.execute(sql, values)
    connection.close()


def newest_run(cli: Cli) -> dict[str, Any]:
    found: dict[str, Any] = parsed(cli("status", "--json"))["corpora"][0]["runs"][0]
    return found


@pytest.mark.integration
def test_a_killed_run(cli: Cli, working: subprocess.Popen[str], stocked: Path) -> None:
    run = newest_run(cli)
    assert run["status"] == "running" and f"(process {working.pid} on" in cli("status").stdout
    assert "no report: It is at work." in cli("show", run["id"]).stdout
    working.send_signal(signal.SIGKILL)
    working.wait()
    assert newest_run(cli)["status"] == "killed" and "holds it" not in cli("status").stdout
    shown = cli("show", run["id"]).stdout
    assert (
        f"run {run['id']} (ingest): killed" in shown
        and "nothing of it was published; what it had stored is kept" in shown
    )
    assert f"run {run['id']} was killed" in cli("doctor").stdout
    with sqlite3.connect(stocked / "ledger.db") as connection:  # readers have written nothing
        assert connection.execute("SELECT status FROM runs WHERE id = ?", (run["id"],)).fetchone() == ("running",)
    connection.close()
    done = cli("ingest", str(SAMPLE))
    assert f"an earlier run was killed: {run['id']}" in done.stdout
    runs = parsed(cli("status", "--json"))["corpora"][0]["runs"]
    assert [one["status"] for one in runs] == ["done", "killed", "done"]
    assert "was killed" not in cli("doctor").stdout and "was killed" not in cli("ingest", str(SAMPLE)).stdout


def test_a_run_in_steps_lives_by_its_lease(cli: Cli, stocked: Path) -> None:
    step("plan", RunRequest("stepped", "default", str(SAMPLE), force=True).as_dict())
    assert newest_run(cli)["status"] == "running" and "run stepped holds it (in steps, from" in cli("status").stdout
    changed(stocked / "ledger.db", "UPDATE run_leases SET expires = ?", time.time() - 1)
    assert newest_run(cli)["status"] == "killed" and "holds it" not in cli("status").stdout


def test_a_report_that_vacuum_removed(cli: Cli, stocked: Path) -> None:
    run = newest_run(cli)["id"]
    assert cli("show", run).exit_code == 0
    changed(stocked / "ledger.db", "UPDATE runs SET started = 1")
    assert cli("epochs", "vacuum").exit_code == 0
    result = cli("show", run)
    assert result.exit_code == 3
    assert "which published epoch 1, was removed by `clausegraph epochs vacuum`" in result.stderr
    assert "`clausegraph epochs vacuum` removes" in cli("show", "0123456789ab").stderr


def test_a_process_that_was_stopped_for_a_while_is_at_work() -> None:
    now = time.time()
    lease = {"host": os.uname().nodename, "pid": os.getpid(), "expires": now - 100, "acquired": now}
    assert is_held(SimpleNamespace(**lease), now)
    assert not is_held(SimpleNamespace(**lease | {"acquired": 1.0}), now)  # the id is another process's by now
    assert not is_held(SimpleNamespace(**lease | {"host": "elsewhere"}), now)
    assert not is_held(SimpleNamespace(**lease | {"expires": 0.0}), now)  # given back
