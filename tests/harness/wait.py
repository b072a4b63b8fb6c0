"""Waiting for what another process or thread does: for an event, with a bound that no busy machine meets."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

PATIENCE_S = 300.0  # only a test that fails waits as long
_HANGS_S = 120.0  # of processor time, for work that takes some seconds, or hours if it is quadratic


def until(happened: Callable[[], object], *, every: float = 0.05) -> None:
    """Return once it has happened.

    Raises:
        TimeoutError: it did not, within ``PATIENCE_S``.
    """
    deadline = time.monotonic() + PATIENCE_S
    while not happened():
        if time.monotonic() > deadline:
            raise TimeoutError(f"{happened} did not happen within {PATIENCE_S:.0f} s")
        time.sleep(every)


@contextmanager
def no_hang() -> Iterator[None]:
    """A block of the main thread that would not end is stopped and fails; how long it takes decides nothing else.

    Raises:
        TimeoutError: it used minutes of processor time, however busy the machine is.
    """

    def stop(*_: object) -> None:
        raise TimeoutError(f"this goes on after {_HANGS_S:.0f} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, _HANGS_S)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
