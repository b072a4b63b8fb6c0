"""Calls that are bounded: late, failed, interrupted."""

from __future__ import annotations

import signal
import threading

import pytest

from clausegraph.core.errors import StoreRefused, StoreUnavailable
from clausegraph.indexes.graph.neo4j.server import run_within
from tests.harness.wait import PATIENCE_S

pytestmark = pytest.mark.unit


def test_results_errors_and_late_calls() -> None:
    def refuse() -> None:
        raise StoreRefused("no")

    go_on = threading.Event()
    assert run_within(PATIENCE_S, lambda: 1, "bounded", "late") == 1
    with pytest.raises(StoreRefused, match="no"):
        run_within(PATIENCE_S, refuse, "bounded", "late")
    with pytest.raises(StoreUnavailable, match="late"):
        run_within(0.01, go_on.wait, "bounded", "late")
    go_on.set()


def test_a_call_goes_on_when_its_caller_is_interrupted(request: pytest.FixtureRequest) -> None:
    """Nobody may close the connection under it: it must not be taken for ended."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    main, go_on = threading.main_thread().ident or 0, threading.Event()

    def work() -> None:
        threading.Timer(0.2, signal.pthread_kill, (main, signal.SIGINT)).start()
        go_on.wait(PATIENCE_S)

    with pytest.raises(KeyboardInterrupt):
        run_within(PATIENCE_S, work, "interrupted call", "late")
    (running,) = [thread for thread in threading.enumerate() if thread.name == "interrupted call"]
    assert running.is_alive()
    go_on.set()
    running.join(PATIENCE_S)
    assert not running.is_alive()
