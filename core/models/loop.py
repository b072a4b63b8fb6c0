"""One event loop per process, in a daemon thread: model clients live on it and on no other.

A client's connections belong to the loop that opened them; a second ``asyncio.run`` with the same client fails. So
every path, sync or async, runs its calls here. A forked child starts a loop of its own.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import queue
import threading
import weakref
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, ParamSpec, TypeVar

T = TypeVar("T")
P = ParamSpec("P")
_END_S = 1.0  # how long the loop, and each worker, may take to end with the process


class ModelLoop:
    """The loop, its thread, and one worker thread per name for what must not run on it (databases)."""

    def __init__(self) -> None:
        self.pid = os.getpid()
        self.loop = asyncio.new_event_loop()
        self._workers: dict[str, _Worker] = {}
        self._thread = threading.Thread(target=self._run, name="clausegraph-models", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        asyncio.set_event_loop(self.loop)
        self.loop.run_forever()

    def is_here(self) -> bool:
        """Whether the caller runs on the loop's thread."""
        return threading.get_ident() == self._thread.ident

    def worker(self, name: str) -> _Worker:
        """The single worker thread of that name; called on the loop."""
        if name not in self._workers:
            self._workers[name] = _Worker(name)
        return self._workers[name]

    def stop(self) -> None:
        """Cancel what still runs and end the thread; at the end of the process."""
        if self.loop.is_closed():
            return
        drained = asyncio.run_coroutine_threadsafe(_drain(), self.loop)
        drained.add_done_callback(lambda _: self.loop.call_soon_threadsafe(self.loop.stop))
        self._thread.join(_END_S)
        if not self._thread.is_alive():
            for worker in self._workers.values():
                worker.stop()
            self.loop.close()


class _Worker:
    """A daemon thread for blocking functions, in order; an executor's would refuse work at the end of the process."""

    def __init__(self, name: str) -> None:
        self._jobs: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._run, name=f"clausegraph-{name}", daemon=True)
        self._thread.start()

    def submit(self, function: Callable[[], T]) -> Future[T]:
        """Run the function in the thread."""
        future: Future[T] = Future()
        self._jobs.put((future, function))
        return future

    def stop(self) -> None:
        """Finish what was submitted, but not for long."""
        self._jobs.put(None)
        self._thread.join(_END_S)

    def _run(self) -> None:
        while (job := self._jobs.get()) is not None:
            future, function = job
            try:
                future.set_result(function())
            except Exception as error:  # noqa: BLE001 - raised again where the result is awaited
                future.set_exception(error)


async def _drain() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


_lock = threading.Lock()
_current: ModelLoop | None = None
_abandoned: list[ModelLoop] = []  # of parents: to finalise one would touch the parent's file descriptors


def model_loop() -> ModelLoop:
    """This process's loop, started on first use."""
    global _current  # noqa: PLW0603 - one process, one loop
    with _lock:
        if _current is None:
            _current = ModelLoop()
        return _current


def _after_fork() -> None:
    global _current, _lock  # noqa: PLW0603 - as above
    _lock = threading.Lock()
    if _current is not None:
        _abandoned.append(_current)
        _current = None


def _at_exit() -> None:
    if _current is not None:
        _current.stop()


os.register_at_fork(after_in_child=_after_fork)
atexit.register(_at_exit)


def start(work: Coroutine[Any, Any, T]) -> Future[T]:
    """Run ``work`` on the model loop; whoever waits for the future may cancel it from any thread."""
    home = model_loop()
    if home.is_here():
        work.close()
        raise RuntimeError("a sync model call was made on the model loop; await the async form of the method instead")
    return asyncio.run_coroutine_threadsafe(work, home.loop)


def run_sync(work: Coroutine[Any, Any, T]) -> T:
    """Run ``work`` on the model loop and wait for it; an interrupt of the caller cancels it. Raises as ``start``."""
    future = start(work)
    try:
        return future.result()
    except BaseException:
        future.cancel()
        raise


def close_when_dropped(owner: object, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    """Close connections on the loop when ``owner`` is no more: not everybody who makes a model closes it."""
    weakref.finalize(owner, _close_dropped, model_loop(), close).atexit = False


def _close_dropped(home: ModelLoop, close: Callable[[], Coroutine[Any, Any, None]]) -> None:
    if home.pid == os.getpid() and not home.loop.is_closed():
        home.loop.call_soon_threadsafe(lambda: home.loop.create_task(close()))


async def in_worker(name: str, function: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
    """Run a blocking function in the worker thread of that name; it is finished even if the caller is cancelled."""
    done = model_loop().worker(name).submit(lambda: function(*args, **kwargs))
    return await asyncio.shield(asyncio.wrap_future(done))
