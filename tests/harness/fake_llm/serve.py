"""The process of the fake: a loopback socket and uvicorn, for the parent process that started it."""

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn

from clausegraph.app.process import listening_socket
from tests.harness.fake_llm.options import FakeOptions
from tests.harness.fake_llm.server import FakeApp

_BACKLOG = 2048
_KEEP_ALIVE = 75  # seconds; longer than the pause of any test between two calls


class _Server(uvicorn.Server):
    """uvicorn that writes its port when it answers, and takes no signals."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Take none."""
        yield

    async def startup(self, sockets: Any = None) -> None:
        """Begin to answer."""
        await super().startup(sockets)
        sys.stdout.write(f"{sockets[0].getsockname()[1]}\n")
        sys.stdout.flush()


def _is_defect(record: logging.LogRecord) -> bool:
    """Whether uvicorn reports a defect, not a reply that was cut on purpose or by the end of the server."""
    cause = record.exc_info[1] if record.exc_info else None
    return not isinstance(cause, asyncio.CancelledError) and "without completing" not in str(record.msg)


def main(protocol: Any = "auto") -> None:
    """Serve for a parent process, whose first line has the options; end, keeping nothing, when its input ends.

    ``protocol`` is uvicorn's for HTTP.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    options = json.loads(sys.stdin.buffer.readline() or sys.exit())

    def leave() -> None:
        sys.stdin.buffer.read()
        os._exit(0)

    threading.Thread(target=leave, daemon=True).start()
    app: Any = FakeApp(FakeOptions(**options))  # uvicorn's types allow no plain callable class
    config = uvicorn.Config(
        app, http=protocol, log_config=None, log_level="error", access_log=False, lifespan="off", server_header=False,
        timeout_keep_alive=_KEEP_ALIVE, timeout_graceful_shutdown=1,
    )  # fmt: skip
    logging.getLogger("uvicorn.error").addFilter(_is_defect)
    with listening_socket("127.0.0.1", 0, _BACKLOG) as bound:
        asyncio.run(_Server(config).serve(sockets=[bound]))
