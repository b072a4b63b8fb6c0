"""A collector on the loopback interface that takes OTLP over HTTP, and a clean slate for logs and redaction."""

import logging
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue
from typer.testing import CliRunner

from clausegraph.core import secrets
from clausegraph.core.telemetry import redaction
from clausegraph.core.telemetry.logs import ROOT
from clausegraph.core.telemetry.spans import stop_telemetry
from tests.app.cli.conftest import REPOSITORY
from tests.harness.cli import made_app
from tests.harness.wait import PATIENCE_S

ENDPOINT = "OTEL_EXPORTER_OTLP_ENDPOINT"
Run = Callable[..., subprocess.CompletedProcess[str]]


@dataclass(frozen=True)
class Received:
    """A span as the collector got it."""

    name: str
    id: bytes
    parent: bytes
    trace: bytes
    attributes: dict[str, object]
    failed: bool
    status: str
    events: int


@dataclass
class Collector:
    """What has arrived so far."""

    url: str
    bodies: list[bytes] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)

    @property
    def spans(self) -> list[Received]:
        found = []
        for body in self.bodies:
            for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
                for scope in resource.scope_spans:
                    for each in scope.spans:
                        values = {pair.key: _plain(pair.value) for pair in each.attributes}
                        status = (each.status.code == 2, each.status.message)
                        ids = (each.span_id, each.parent_span_id, each.trace_id)
                        found.append(Received(each.name, *ids, values, *status, len(each.events)))
        return found

    @property
    def resource(self) -> dict[str, object]:
        request = ExportTraceServiceRequest.FromString(self.bodies[0])
        return {pair.key: _plain(pair.value) for pair in request.resource_spans[0].resource.attributes}

    def one(self, name: str) -> Received:
        (found,) = [each for each in self.spans if each.name == name]
        return found

    def tree(self) -> dict[str, str | None]:
        """Name of the parent by name of the span."""
        names = {each.id: each.name for each in self.spans}
        return {each.name: names.get(each.parent) for each in self.spans}


def _plain(value: AnyValue) -> object:
    kind = value.WhichOneof("value")
    if kind == "array_value":
        return [_plain(each) for each in value.array_value.values]
    return getattr(value, kind) if kind else None


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    """One that the environment names."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.paths.append(self.path)
            received.bodies.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """No access log."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        received = Collector(f"http://127.0.0.1:{server.server_address[1]}")
        threading.Thread(target=server.serve_forever, daemon=True).start()
        monkeypatch.setenv(ENDPOINT, received.url)
        yield received
        server.shutdown()


@pytest.fixture(autouse=True)
def clean_slate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No settings but the test's, and nothing left behind in the process."""
    for name in list(os.environ):
        if name.startswith(("CLAUSEGRAPH_", "OTEL_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("CLAUSEGRAPH_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CLAUSEGRAPH_EMBEDDING_MODEL", "hashing")
    monkeypatch.chdir(tmp_path)
    root, ours = logging.getLogger(), logging.getLogger(ROOT)
    before = (list(root.handlers), ours.level, set(secrets._known))
    yield
    stop_telemetry()
    root.handlers[:] = before[0]
    ours.setLevel(before[1])
    secrets._known.clear()
    secrets._known.update(before[2])
    redaction.allow_content(False)


@pytest.fixture
def run() -> Run:
    """The command in this process: ``run("ask", "Can I?", CLAUSEGRAPH_TELEMETRY="otlp")``."""

    def invoked(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        done = CliRunner(env=variables).invoke(made_app(), list(words))
        return subprocess.CompletedProcess(words, done.exit_code, done.stdout, done.stderr)

    return invoked


@pytest.fixture
def run_process(tmp_path: Path) -> Run:
    """The same in a process of its own."""

    def started(*words: str, **variables: str) -> subprocess.CompletedProcess[str]:
        environment = os.environ | {"PYTHONIOENCODING": "utf-8"} | variables
        command = [sys.executable, str(REPOSITORY / "clausegraph.py"), *words]
        pipes = {"capture_output": True, "encoding": "utf-8", "timeout": PATIENCE_S}
        return subprocess.run(command, check=False, env=environment, cwd=tmp_path, **pipes)  # type: ignore[call-overload,no-any-return]

    return started
