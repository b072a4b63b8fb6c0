"""A server killed while it answers: the ledger is as it was, tokens hold, and the next question is answered alike."""

import shutil
import signal
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests.app.api.conftest import QUESTION, Stand, started_again
from tests.app.api.serving import Serving
from tests.harness.wait import until

pytestmark = pytest.mark.integration

WHERE = "/v1/corpora/default"
KEPT = ("epochs", "runs", "decisions", "pages", "facts")
ASKING = 3


def look(client: httpx.Client) -> dict[str, Any]:
    """What a reader sees that no question may change, and the answer to one."""
    found = {name: client.get(f"{WHERE}/{name}").raise_for_status().json() for name in KEPT}
    return found | {"answer": client.post(f"{WHERE}/ask", json=QUESTION).raise_for_status().json()}


def check_killed_after(home: Path, stand: Stand, count: int) -> None:
    """Ask from several clients without a pause, kill the server once ``count`` are answered, and start it again."""
    token = stand.tokens["reader", False]
    answered: list[Any] = []
    kept: list[str] = []

    with Serving(home) as server, server.client(token) as client:
        before = look(client)

        def ask() -> None:
            while True:
                got = client.post(f"{WHERE}/ask", json=QUESTION).raise_for_status()
                answered.append(got.json())
                kept.append(got.headers["content-location"])

        with ThreadPoolExecutor(ASKING) as at_work:
            calls = [at_work.submit(ask) for _ in range(ASKING)]
            until(lambda: len(answered) >= count)
            server.end(signal.SIGKILL)
            for call in calls:
                assert isinstance(call.exception(), httpx.TransportError)  # it was in work, and got no half answer
    assert all(one == before["answer"] for one in answered)
    with started_again(home, token) as client:
        assert look(client) == before
        assert all(client.get(where).raise_for_status().json() == before["answer"] for where in kept)
    ledgers = [one for one in home.rglob("*") if one.is_file() and one.read_bytes()[:15] == b"SQLite format 3"]
    assert ledgers
    for ledger in ledgers:
        with closing(sqlite3.connect(ledger)) as opened:
            assert opened.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_killed_while_it_answers_it_answers_the_same_again(stand: Stand, tmp_path: Path) -> None:
    check_killed_after(Path(shutil.copytree(stand.home, tmp_path / "home")), stand, 2)


@pytest.mark.long
@pytest.mark.parametrize("count", (0, 1, 5, 20, 60))
def test_killed_whenever_it_answers_the_same_again(stand: Stand, tmp_path: Path, count: int) -> None:
    check_killed_after(Path(shutil.copytree(stand.home, tmp_path / "home")), stand, count)
