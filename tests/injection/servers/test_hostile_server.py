"""Whatever a model's server does to one page, the run ends and keeps the others; the key is only in its request."""

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import zlib
from base64 import b64encode
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.harness.fake_llm import FakeModelServer, FakeOptions
from tests.harness.fake_llm.options import FAULTS
from tests.injection.servers.hostile import HOSTILE, register
from tests.injection.servers.hostile.vectors import VECTORS

pytestmark = pytest.mark.integration

REPOSITORY = Path(__file__).resolve().parents[3]
KEY = "sk-Secret/0123+456789=="
PAGES = ("first", "second", "third")
HIT = "second"  # the page whose requests are spoilt
MOST_MB = 500
ELSEWHERE = "404"  # what the fake counts when a redirect is followed
CHAT = [  # no stream is asked for
    *(name for name in FAULTS if name not in ("none", "slow_stream")),
    *(name for name in HOSTILE if name not in VECTORS),
]
ENDLESS = {"hang", "stall", "drip", "drip_headers", "drip_spaces", "endless_hints", "events_comments", "events_drip"}
SOME = [
    *("body_brackets", "usage_huge", "gzip_bomb", "endless_body", "drip", "redirect_307", "half_closed", "key_in_tool"),
]


@dataclass(frozen=True)
class World:
    """A fake server that wants the key, pages, and a folder for homes."""

    fake: FakeModelServer
    pages: Path
    homes: Path

    def job(self, name: str, provider: str) -> dict[str, Any]:
        """An ingest of the pages by this provider's client; vectors come from the server where they are spoilt."""
        environment = {
            "CLAUSEGRAPH_LLM": f"{provider}:fake-small", "CLAUSEGRAPH_LLM_URL": self.fake.url,
            "CLAUSEGRAPH_LLM_KEY": KEY, "CLAUSEGRAPH_LLM_ATTEMPTS": "1" if name in ENDLESS else "2",
            "CLAUSEGRAPH_LLM_TIMEOUT": "6" if name in ENDLESS else "100",
            "CLAUSEGRAPH_LLM_CONCURRENCY": "1", "CLAUSEGRAPH_LLM_BUDGET_TOKENS": "10000000",
            "CLAUSEGRAPH_EMBEDDING_MODEL": "hashing", "CLAUSEGRAPH_LOG_LEVEL": "info", "CLAUSEGRAPH_LOG_PROMPTS": "1",
        }  # fmt: skip
        if name in VECTORS:
            environment |= {"CLAUSEGRAPH_EMBEDDING_MODEL": f"{provider}:fake-embed"}
            environment |= {"CLAUSEGRAPH_EMBEDDING_URL": self.fake.url, "CLAUSEGRAPH_EMBEDDING_KEY": KEY}
        words = ["ingest", str(self.pages), "--json", "--home", tempfile.mkdtemp(dir=self.homes)]
        return {"name": name, "words": words, "environment": environment}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    pages = tmp_path_factory.mktemp("pages")
    for number, name in enumerate(PAGES):
        body = f"<h1>The {name} grant</h1><p>You can get the {name} grant if you are over {60 + number}.</p>"
        html = f"<html><head><title>The {name} grant</title></head><body><main>{body}</main></body></html>"
        (pages / f"{name}.html").write_text(html, encoding="utf-8")
    register()
    with FakeModelServer(FakeOptions(key=KEY), "tests.injection.servers.hostile") as fake:
        yield World(fake, pages, tmp_path_factory.mktemp("homes"))


class Child:
    """The process that does the jobs."""

    def __init__(self, folder: Path) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSEGRAPH_")}
        paths = os.pathsep.join([str(REPOSITORY / "src"), *filter(None, [environment.get("PYTHONPATH")])])
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("child.py"))],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder,
            env=environment | {"PYTHONPATH": paths},
        )  # fmt: skip

    def do(self, job: dict[str, Any]) -> dict[str, Any]:
        """The result of a job."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        line = self._process.stdout.readline()
        assert line, f"the process died of {job['name']}"
        return dict(json.loads(line))

    def close(self) -> None:
        """End it."""
        self._process.communicate()


@pytest.fixture(scope="module")
def child(world: World) -> Iterator[Child]:
    made = Child(world.homes)
    yield made
    made.close()


@pytest.mark.parametrize("name", SOME)
def test_a_reply_fails_its_page_and_no_other(world: World, child: Child, name: str) -> None:
    provider = "openai" if SOME.index(name) % 2 else "mistral"
    check(world, child, name, provider)


@pytest.mark.long
@pytest.mark.parametrize("provider", ["mistral", "openai"])
@pytest.mark.parametrize("name", CHAT)
def test_every_mode(world: World, child: Child, name: str, provider: str) -> None:
    check(world, child, name, provider)


def check(world: World, child: Child, name: str, provider: str) -> None:
    """A run with the second page spoilt, then one that is not."""
    world.fake.set(fault=name, fault_match=f"the {HIT} grant")
    world.fake.reset()
    job = world.job(name, provider)
    spoilt = child.do(job)
    counted = world.fake.counters()
    assert counted["failed"].get(name), "the mode was played"
    assert name == ELSEWHERE or ELSEWHERE not in counted["failed"], "a redirect was followed"
    report = quiet_end(spoilt)
    assert {f"{page}.html" for page in PAGES if page != HIT} <= set(report["pages_added"])
    failed = report["pages_failed"]
    assert failed in ([], [f"{HIT}.html"]) and spoilt["exit_code"] == (5 if failed else 0)
    assert all(failure["reason"] and len(failure["reason"]) < 1000 for failure in report["failures"])
    assert len(json.dumps(report)) < 100_000, "a reply filled the report"
    home = Path(job["words"][-1])
    has_no_key(home, spoilt)
    assert statuses(home) == ["done"]

    world.fake.set(fault="none", fault_match="")
    again = child.do(job)
    assert again["exit_code"] == 0
    assert quiet_end(again)["pages_added"] == failed
    assert again["peak_mb"] < MOST_MB


@pytest.mark.long
@pytest.mark.parametrize("provider", ["mistral", "openai"])
@pytest.mark.parametrize("name", VECTORS)
def test_vectors(world: World, child: Child, name: str, provider: str) -> None:
    check_vectors(world, child, name, provider)


@pytest.mark.parametrize(("name", "provider"), [("vectors_nan", "mistral")])
def test_some_vectors(world: World, child: Child, name: str, provider: str) -> None:
    check_vectors(world, child, name, provider)


def check_vectors(world: World, child: Child, name: str, provider: str) -> None:
    """No epoch without its vectors; what the model was paid for is kept."""
    world.fake.set(fault="none", fault_match="")
    job = world.job(name, provider)
    world.fake.set(fault=name, fault_match="grant | ")
    world.fake.reset()
    spoilt = child.do(job)
    home = Path(job["words"][-1])
    has_no_key(home, spoilt)
    if spoilt["exit_code"] == 0:  # odd, but vectors
        assert statuses(home) == ["done"]
        return
    assert spoilt["exit_code"] == 5 and not spoilt["raised"], spoilt
    assert statuses(home) == ["failed"]
    world.fake.set(fault="none", fault_match="")
    report = quiet_end(child.do(job))
    assert report["chunks_extracted"] == 0 and len(report["pages_added"]) == len(PAGES)


def test_a_traceback_has_no_key(world: World, child: Child) -> None:
    """Of an error that was asked for in full, where the server sends the key back."""
    world.fake.set(fault="key_in_error", fault_match=f"the {HIT} grant")
    job = world.job("key_in_error", "mistral")
    result = child.do(job | {"environment": job["environment"] | {"CLAUSEGRAPH_DEBUG": "1"}})
    assert result["exit_code"] == 5
    has_no_key(Path(job["words"][-1]), result)


@pytest.mark.long  # in a process that does job after job it is above
def test_the_command_itself(world: World) -> None:
    """As a user starts it, with the file of the working directory and a server that sends the key back."""
    world.fake.set(fault="key_in_error", fault_match=f"the {HIT} grant")
    job = world.job("key_in_error", "mistral")
    environment = {name: value for name, value in os.environ.items() if not name.startswith("CLAUSEGRAPH_")}
    done = subprocess.run(
        [sys.executable, str(REPOSITORY / "clausegraph.py"), *job["words"]],
        env=environment | job["environment"] | {"CLAUSEGRAPH_DEBUG": "1"}, cwd=world.homes, capture_output=True,
        text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 5 and "Traceback" not in done.stderr
    has_no_key(Path(job["words"][-1]), {"stdout": done.stdout, "stderr": done.stderr})


# --- what holds of every run ------------------------------------------------------------------------


def quiet_end(result: dict[str, Any]) -> dict[str, Any]:
    """The report of a run that ended as runs do."""
    assert not result["raised"] and "Traceback" not in result["stdout"] + result["stderr"], result["raised"]
    assert result["exit_code"] in (0, 5) and '"error"' not in result["stdout"], result
    assert result["peak_mb"] < MOST_MB
    return dict(json.loads(result["stdout"]))


def statuses(home: Path) -> list[str]:
    """How the runs of a home ended."""
    with sqlite3.connect(home / "ledger.db") as connection:
        found = [str(row[0]) for row in connection.execute("SELECT status FROM runs")]
    connection.close()
    return found


def has_no_key(home: Path, result: dict[str, Any]) -> None:
    """The key is in no byte of the home, of what was printed, nor in what those hold packed, whatever its form."""
    texts = [result["stdout"].encode(), result["stderr"].encode()]
    texts += [path.read_bytes() for path in home.rglob("*") if path.is_file()]
    for name in ("ledger.db", "responses.db"):
        texts += _stored(home / name)
    whole = b"\n".join(texts).lower()
    assert not [form for form in _forms() if form.lower() in whole]


def _forms() -> list[bytes]:
    escaped = ["".join(f"\\u{ord(c):04x}" for c in KEY), "".join(f"%{ord(c):02X}" for c in KEY)]
    escaped += ["".join(f"&#{ord(c)};" for c in KEY), "\u200b".join(KEY), KEY.encode().hex(), json.dumps(KEY)[1:-1]]
    coded = [b64encode(b"\0" * before + KEY.encode())[4:-4] for before in range(3)]
    return [KEY.encode(), *(form.encode() for form in escaped), *coded]


def _stored(path: Path) -> list[bytes]:
    """Every value of a database that is no number, unpacked."""
    if not path.exists():
        return []
    found: list[bytes] = []
    with sqlite3.connect(path) as connection:
        tables = [row[0] for row in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for row in connection.execute(f'SELECT * FROM "{table}"'):
                found += [value.encode() for value in row if isinstance(value, str)]
                found += [_unpacked(value) for value in row if isinstance(value, bytes)]
    connection.close()
    return found


def _unpacked(value: bytes) -> bytes:
    try:
        return zlib.decompress(value)
    except zlib.error:
        return value


def test_there_are_modes_enough() -> None:
    assert len(HOSTILE) >= 85 and not set(SOME) - set(CHAT)
    assert all(mode.about for mode in HOSTILE.values())
