"""Work that must not run on the event loop: so many threads, so many waiting, and no more."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from clausegraph.app.api.problems import refusal

T = TypeVar("T")
_RETRY = "2"  # seconds


class Abandoned(Exception):
    """Nobody waits for the work any more: it ends at its next step."""


class Ticket:
    """Work in flight, as the work itself sees it."""

    def __init__(self) -> None:
        self._gone = threading.Event()

    def abandon(self) -> None:
        """Nobody waits for it any more."""
        self._gone.set()

    def check(self) -> None:
        """Called by the work between its steps.

        Raises:
            Abandoned: nobody waits for it any more.
        """
        if self._gone.is_set():
            raise Abandoned


class WorkPool:
    """Threads with a bounded queue.

    Args:
        name: of the work, for messages and metrics.
        workers: threads.
        queue: how much may wait for one.
    """

    def __init__(self, name: str, workers: int, queue: int) -> None:
        self.name = name
        self.capacity = workers + queue
        self._threads = ThreadPoolExecutor(workers, f"clausegraph-{name}")
        self._lock = threading.Lock()
        self._held = 0

    @property
    def held(self) -> int:
        """How much is running or waiting; what was abandoned counts until its thread is free."""
        return self._held

    def start(self, work: Callable[..., T], *values: Any) -> Future[T]:
        """Begin work, or let it wait for a thread; its logs carry the fields of whoever began it.

        Raises:
            Refusal: as much is waiting as may (503, with the seconds to wait).
        """
        with self._lock:
            if self._held >= self.capacity:
                said = f"{self._held} requests are in work or waiting, which is all this server takes; try again"
                raise refusal("Busy", 503, "Busy", said, Retry_After=_RETRY)
            self._held += 1
        try:
            future = self._threads.submit(copy_context().run, work, *values)
        except RuntimeError as error:  # the server ends
            self._release(None)
            raise refusal("Ending", 503, "The server is ending", "ask another one", Retry_After=_RETRY) from error
        future.add_done_callback(self._release)
        return future

    def _release(self, _: object) -> None:
        with self._lock:
            self._held -= 1

    async def run(self, work: Callable[..., T], *values: Any) -> T:
        """The result of short work; errors as of :meth:`start` and of the work."""
        return await asyncio.wrap_future(self.start(work, *values))

    def close(self) -> None:
        """Take no more, and wait for what runs."""
        self._threads.shutdown(wait=True, cancel_futures=True)
