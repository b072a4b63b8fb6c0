"""A call that may hang, bounded: it runs in a thread of its own, which ends with its connection."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from clausegraph.core.errors import StoreUnavailable

T = TypeVar("T")


def within(seconds: float, work: Callable[[], T], name: str, late: str) -> T:
    """The result of ``work``, which runs in a thread of this name.

    Raises:
        StoreUnavailable: with the text ``late``, when it has not ended after ``seconds``; the thread goes on.
    """
    done: list[T] = []
    failed: list[BaseException] = []
    ended = threading.Event()

    def run() -> None:
        try:
            done.append(work())
        except BaseException as error:  # noqa: BLE001 - raised again by the caller's thread
            failed.append(error)
        finally:
            ended.set()

    thread = threading.Thread(target=run, name=name, daemon=True)
    thread.start()
    # Not join: interrupted, it calls a thread ended that still runs (Python 3.11), and its connection would be closed
    if ended.wait(seconds):
        thread.join()
    if failed:
        raise failed[0]
    if not done:
        raise StoreUnavailable(late)
    return done[0]
