"""Runs whose embedding server fails: what was embedded is kept, and the next run goes on where this one stopped."""

import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.dev.json_server import JsonServer
from clausegraph.core.errors import ModelError, ModelRefused, ModelUnavailable, UnusableReply
from clausegraph.core.models import guard
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.settings import Settings
from clausegraph.indexes.dump import dump_lines
from clausegraph.indexes.ledger.schema import embeddings
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.views import open_view
from tests.harness.home import run
from tests.harness.wait import until

pytestmark = pytest.mark.integration
SAMPLE = Path(__file__).resolve().parents[2] / "examples" / "corpus"


class FakeEmbeddings:
    """A fake embedding server: vectors of hashed words, at most ``most`` texts a request, and after ``good`` of them a
    fault for each. It counts the texts that it embedded."""

    def __init__(self, most: int = 1000) -> None:
        self.most, self.good, self.fault = most, 1 << 30, "500"
        self.embedded: Counter[str] = Counter()
        self.held, self.release = threading.Event(), threading.Event()
        self._lock = threading.Lock()

    def answer(self, path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        texts = body["input"]
        if len(texts) > self.most:
            return 413, {"error": {"message": f"at most {self.most} texts"}}
        with self._lock:
            self.good -= 1
            is_good = self.good >= 0
            if is_good:
                self.embedded.update(texts)
        if not is_good:
            return self._failed(len(texts))
        return 200, _reply([vector.tolist() for vector in HashingEmbedder().embed_texts(texts)])

    def _failed(self, count: int) -> tuple[int, Any]:
        if self.fault == "hold":
            self.held.set()
            self.release.wait()
        if self.fault == "nulls":
            return 200, _reply([None] * count)
        return int(self.fault) if self.fault.isdecimal() else 503, {"error": {"message": "the fake has had enough"}}


def _reply(vectors: list[Any]) -> dict[str, Any]:
    data = [{"object": "embedding", "index": number, "embedding": one} for number, one in enumerate(vectors)]
    return {"object": "list", "model": "m", "data": data, "usage": {"prompt_tokens": 1, "total_tokens": 1}}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pages")
    for name in sorted(path.name for path in SAMPLE.glob("*.html"))[:2]:
        (made / name).write_bytes((SAMPLE / name).read_bytes())
    return made


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, folder: Path) -> list[str]:
    """What a run without a fault makes of the pages."""
    with JsonServer(FakeEmbeddings().answer) as server:
        settings = settings_for(tmp_path_factory.mktemp("undisturbed"), server.url)
        run(settings, folder)
        return dump(settings)


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BASE_S", 0.01)


@pytest.fixture
def fake() -> Iterator[tuple[FakeEmbeddings, str]]:
    made = FakeEmbeddings(most=16)
    with JsonServer(made.answer) as server:
        yield made, server.url
        made.release.set()


def settings_for(home: Path, url: str) -> Settings:
    return Settings(
        home=home, embedding_model="openai:fake-embed", embedding_url=url, llm_attempts=2, llm_concurrency=2
    )


def dump(settings: Settings) -> list[str]:
    with open_ledger(settings.home) as ledger, open_view(ledger, settings.corpus) as view:
        return dump_lines(view)


def stored(settings: Settings) -> int:
    """Embeddings in the ledger."""
    with open_ledger(settings.home) as ledger:
        return len(list(ledger.rows(embeddings.select())))


FAULTS = {
    "500": (ModelUnavailable, "answered 500: .*the fake has had enough"),
    "400": (ModelRefused, "answered 400: .*; it was sent one text of [0-9,]+ characters"),
    "401": (ModelRefused, "answered 401: .*set CLAUSEGRAPH_EMBEDDING_KEY"),
    "nulls": (UnusableReply, "was sent [0-9]+ texts and gave [0-9]+ nulls"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_server_that_fails_midway_is_paid_once(
    tmp_path: Path, folder: Path, fake: tuple[FakeEmbeddings, str], undisturbed: list[str], fault: str
) -> None:
    server, url = fake
    settings = settings_for(tmp_path / "home", url)
    server.good, server.fault = 3, fault
    kind, told = FAULTS[fault]
    with pytest.raises(ModelError, match=told) as failed:
        run(settings, folder)
    assert failed.type is kind
    kept = sum(server.embedded.values())
    assert stored(settings) == kept > 16
    server.good = 1 << 30
    report = run(settings, folder)
    assert (report.texts_reused, report.epoch) == (kept, 1) and report.texts_embedded > kept
    assert set(server.embedded.values()) == {1}
    assert dump(settings) == undisturbed


def test_a_killed_run_goes_on_with_what_it_had_embedded(
    tmp_path: Path, folder: Path, fake: tuple[FakeEmbeddings, str]
) -> None:
    server, url = fake
    settings = settings_for(tmp_path / "home", url)
    server.good, server.fault = 3, "hold"
    given = {"MODEL": settings.embedding_model, "URL": url}
    environment = os.environ | {f"CLAUSEGRAPH_EMBEDDING_{name}": value for name, value in given.items()}
    command = [sys.executable, "-m", "clausegraph", "ingest", str(folder), "--home", str(settings.home)]
    with subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        server.held.wait(300)
        until(lambda: stored(settings) == sum(server.embedded.values()))
        process.send_signal(signal.SIGKILL)
    kept = sum(server.embedded.values())
    server.good = 1 << 30
    server.release.set()
    report = run(settings, folder)
    assert (report.texts_reused, report.epoch) == (kept, 1) and report.killed
    assert set(server.embedded.values()) == {1}
