"""The process of the fake: a loopback socket, uvicorn, and how both end; alone, or for a parent process."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from clausegraph.app.dev.fake_llm.options import FakeOptions
from clausegraph.app.dev.fake_llm.server import FakeApp
from clausegraph.app.process import listening_socket
from clausegraph.core.errors import InputError

HOST = "127.0.0.1"
_BACKLOG = 2048
_KEEP_ALIVE = 75  # seconds; longer than the pause of any test between two calls
_LOOK_EVERY = 1.0  # seconds between looks whether the parent is still there


class _Wired(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """uvicorn's protocol, which shows the application its connection: faults of tests write past HTTP."""

    def connection_made(self, transport: Any) -> None:
        """Take the connection."""
        super().connection_made(transport)
        app = self.config.loaded_app

        async def wired(scope: dict[str, Any], receive: Any, send: Any) -> None:
            await app({**scope, "connection": self}, receive, send)

        self.app = wired


class _Server(uvicorn.Server):
    """uvicorn, with the signals left to ``serve``."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield


def serve(options: FakeOptions, announce: Callable[[int], None], *, signals: bool) -> dict[str, Any]:
    """Serve until Ctrl-C or SIGTERM (when ``signals``), else until the process ends; returns the counters.

    ``announce`` is called with the port once requests are answered.

    Raises:
        InputError: the port is taken.
    """
    app: Any = FakeApp(options)  # uvicorn's types allow no plain callable class
    bound = listening_socket(HOST, options.port, _BACKLOG)
    config = uvicorn.Config(
        app,
        http=_Wired,
        log_config=None,
        log_level="error",
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=1,
    )
    logging.getLogger("uvicorn.error").addFilter(_is_defect)
    server = _Server(config)
    with bound, _stopping(server) if signals else _nothing():
        asyncio.run(_run(server, bound, announce))
    counters: dict[str, Any] = app.counters.snapshot()
    return counters


def _is_defect(record: logging.LogRecord) -> bool:
    """Whether uvicorn reports a defect, not a reply that was cut on purpose or by the end of the server."""
    cause = record.exc_info[1] if record.exc_info else None
    return not isinstance(cause, asyncio.CancelledError) and "without completing" not in str(record.msg)


async def _run(server: uvicorn.Server, bound: socket.socket, announce: Callable[[int], None]) -> None:
    serving = asyncio.create_task(server.serve(sockets=[bound]))
    while not server.started and not serving.done():
        await asyncio.sleep(0.005)
    if server.started:
        announce(bound.getsockname()[1])
    await serving


@contextmanager
def _stopping(server: uvicorn.Server) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the server within a moment, whatever is in flight."""

    def stop(*_: object) -> None:
        server.should_exit = server.force_exit = True

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _nothing() -> Iterator[None]:
    yield


def main() -> None:
    """Serve for a parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = json.loads(_line())
    threading.Thread(target=_leave_with_parent, args=(given["parent"],), daemon=True).start()
    try:
        serve(FakeOptions(**given["options"]), lambda port: _tell({"port": port}), signals=False)
    except InputError as error:
        _tell({"error": str(error)})
        sys.exit(InputError.exit_code)


def _line() -> bytes:
    """The first line of stdin, read without a buffer, so that the watching thread shares none."""
    line = b""
    while not line.endswith(b"\n"):
        read = os.read(0, 65536)
        if not read:
            sys.exit(0)
        line += read
    return line


def _tell(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _leave_with_parent(parent: int) -> None:
    """End the process, which keeps nothing, when stdin ends or the parent is another."""
    while os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], _LOOK_EVERY)
        if ready and not os.read(0, 65536):
            break
    os._exit(0)
