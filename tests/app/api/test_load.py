"""Fifty readers while pages are published: every response is of one epoch, whole, and none fails."""

from __future__ import annotations

import json
import re
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from tests.app.api.conftest import Stand, make_stand, publish
from tests.app.api.serving import Serving

pytestmark = [pytest.mark.integration, pytest.mark.long]

WHERE = "/v1/corpora/default"
QUESTION = {"question": "Can I get the Warm Home Grant if I am over 60?", "limit": 5}
READERS, PUBLISHES = 50, 10
_AGE = re.compile(r"\bover (\d+)")


def _age(epoch: int) -> int:
    """What the pages of an epoch say; the first two are the stand's."""
    return 60 if epoch == 1 else 63 + epoch


def _check(answer: httpx.Response, seen: set[int]) -> None:
    if answer.status_code == 503:
        assert answer.json()["error"] == "Busy", answer.text
        return
    assert answer.status_code == 200, answer.text
    value: dict[str, Any] = answer.json()
    said = {int(age) for age in _AGE.findall(json.dumps({**value, "question": ""}))}
    assert said <= {_age(value["epoch"])}, (value["epoch"], said)
    seen.add(value["epoch"])


def _read(server: Serving, number: int, ended: threading.Event) -> tuple[int, set[int]]:
    """Ask in turn until the end; returns how often, and the epochs that were seen."""
    seen: set[int] = set()
    count = 0
    with server.client() as client:
        calls = cycle(
            (
                lambda: client.post(f"{WHERE}/retrieve", json=QUESTION),
                lambda: client.get(f"{WHERE}/facts", params={"limit": 200}),
                lambda: client.get(f"{WHERE}/page/elements", params={"name": "grant.html"}),
                lambda: client.get(f"{WHERE}/neighbourhood", params={"entity": "warm home grant"}),
                lambda: client.post(f"{WHERE}/ask", json={"question": "Can I get the Warm Home Grant?"}),
            )
        )
        for _ in range(number % 5):
            next(calls)
        while not ended.is_set():
            _check(next(calls)(), seen)
            count += 1
    return count, seen


def test_fifty_readers_see_whole_epochs_while_pages_are_published(tmp_path: Path) -> None:
    stand: Stand = make_stand(tmp_path / "stand")
    home = shutil.copytree(stand.home, tmp_path / "home")
    ended = threading.Event()
    with Serving(home, serve_queue="100") as server, ThreadPoolExecutor(READERS) as pool:
        reading = [pool.submit(_read, server, number, ended) for number in range(READERS)]
        try:
            for epoch in range(3, 3 + PUBLISHES):
                publish(home, "default", tmp_path / "stand" / "default" / "pages", age=_age(epoch), money=100 + epoch)
                assert not [one for one in reading if one.done()], [one.exception() for one in reading if one.done()]
            used = psutil.Process(server.process.pid).memory_info().rss
        finally:
            ended.set()
        counts, seen = zip(*[one.result() for one in reading], strict=True)
        assert server.end() == 0
    assert "Traceback" not in server.errors
    assert sum(counts) > READERS and len(set().union(*seen)) > PUBLISHES / 2
    assert used < 700_000_000
