"""The process of the fake: a loopback socket, uvicorn, and how both end; alone, or for a parent process."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from clausegraph.app.process import listening_socket
from clausegraph.core.errors import InputError
from tests.harness.fake_llm.options import FakeOptions
from tests.harness.fake_llm.server import FakeApp

HOST = "127.0.0.1"
_BACKLOG = 2048
_KEEP_ALIVE = 75  # seconds; longer than the pause of any test between two calls


class _Server(uvicorn.Server):
    """uvicorn that tells when it answers, and ends within a moment on Ctrl-C and SIGTERM where it takes signals."""

    announce: Callable[[], None]
    signals = False

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none by itself."""
        yield

    async def startup(self, sockets: Any = None) -> None:
        """Begin to answer."""
        for number in (signal.SIGINT, signal.SIGTERM) if self.signals else ():
            asyncio.get_running_loop().add_signal_handler(number, self._end)
        await super().startup(sockets)
        self.announce()

    def _end(self) -> None:
        self.should_exit = self.force_exit = True


def serve(
    options: FakeOptions, announce: Callable[[int], None], *, signals: bool, protocol: Any = "auto"
) -> dict[str, Any]:
    """Serve until Ctrl-C or SIGTERM (when ``signals``), else until the process ends; returns the counters.

    ``announce`` is called with the port once requests are answered; ``protocol`` is uvicorn's for HTTP.

    Raises:
        InputError: the port is taken.
    """
    app: Any = FakeApp(options)  # uvicorn's types allow no plain callable class
    config = uvicorn.Config(
        app, http=protocol, log_config=None, log_level="error", access_log=False, lifespan="off", server_header=False,
        timeout_keep_alive=_KEEP_ALIVE, timeout_graceful_shutdown=1,
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(_is_defect)
    server = _Server(config)
    with listening_socket(HOST, options.port, _BACKLOG) as bound:
        port = bound.getsockname()[1]
        server.signals, server.announce = signals, lambda: announce(port)
        asyncio.run(server.serve(sockets=[bound]))
    counters: dict[str, Any] = app.counters.snapshot()
    return counters


def _is_defect(record: logging.LogRecord) -> bool:
    """Whether uvicorn reports a defect, not a reply that was cut on purpose or by the end of the server."""
    cause = record.exc_info[1] if record.exc_info else None
    return not isinstance(cause, asyncio.CancelledError) and "without completing" not in str(record.msg)


def main(protocol: Any = "auto") -> None:
    """Serve for a parent process, whose first line has the options; end, keeping nothing, when its input ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    options = json.loads(sys.stdin.buffer.readline() or sys.exit())

    def leave() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    def tell(**value: object) -> None:
        sys.stdout.write(json.dumps(value) + "\n")
        sys.stdout.flush()

    threading.Thread(target=leave, daemon=True).start()
    try:
        serve(FakeOptions(**options), lambda port: tell(port=port), signals=False, protocol=protocol)
    except InputError as error:
        tell(error=str(error))
        sys.exit(InputError.exit_code)
