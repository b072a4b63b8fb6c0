"""How far a run is: the same figures for the terminal, the console, the API and Airflow's log."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass

from clausegraph.core.text import counted
from clausegraph.indexes.corpora import write_progress
from clausegraph.indexes.ledger.leases import heartbeat
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.ingestion.tools import Cancelled, Progress

LINES_S, STORED_S = 5.0, 0.7


@dataclass(frozen=True, slots=True)
class Figures:
    """How far a run is.

    ``done`` of ``total`` units of the phase, 0 where nobody knows how many there are; ``rate`` in units a second and
    ``seconds_left`` of the phase, None where that cannot be told; ``failed`` so far, of all phases; ``calls``,
    ``tokens`` and ``money`` of models; ``seconds`` since the run began.
    """

    phase: str = "begin"
    done: int = 0
    total: int = 0
    rate: float = 0.0
    seconds_left: float | None = None
    failed: int = 0
    calls: int = 0
    tokens: int = 0
    money: float = 0.0
    seconds: float = 0.0

    def words(self) -> str:
        """On one line: "extract 40 of 200, 3.2/s, 50 s left, 2 failed"."""
        return ", ".join([f"{self.phase} {self.done:,}" + (f" of {self.total:,}" if self.total else ""), *self.more()])

    def more(self) -> Iterator[str]:
        """What is told beside the phase and its units; nothing that is not there."""
        if self.rate:
            yield f"{self.rate:.3g}/s"
        if self.seconds_left:
            minutes = self.seconds_left / 60
            yield f"{self.seconds_left:.0f} s left" if minutes < 2 else f"{minutes:.0f} min left"
        if self.failed:
            yield f"{self.failed:,} failed"
        if self.calls:
            yield f"{counted(self.calls, 'call')}, {self.tokens:,} tokens"
        if self.money:
            yield f"{self.money:.4f} in money"


class Gauge:
    """The ``Progress`` of a run that is watched: makes figures of what it is told, and tells them at each unit."""

    def __init__(self, tell: Callable[[Figures], None] = lambda _: None) -> None:
        self._tell = tell
        self._used: Callable[[], tuple[int, int, float]] = lambda: (0, 0, 0.0)
        self._begun = self._since = time.monotonic()
        self._phase, self._first, self._done, self._total = "begin", 0, 0, 0
        self._failed: dict[str, int] = {}
        self._stop: type[KeyboardInterrupt] | None = None
        self.is_stored = False

    def count(self, used: Callable[[], tuple[int, int, float]]) -> None:
        """From now on calls, tokens and money are those that ``used`` says."""
        self._used = used

    def stop(self, how: type[KeyboardInterrupt]) -> None:
        """End the run at its next unit."""
        self._stop = how

    def __call__(self, phase: str, done: int, total: int, failed: int = 0) -> None:
        if self._stop is not None:
            raise self._stop
        if phase != self._phase:
            self._phase, self._since, self._first = phase, time.monotonic(), done
        self._done, self._total = done, total
        self._failed[phase] = failed
        self._tell(self.figures())

    def figures(self) -> Figures:
        """As they are at this moment."""
        now, made = time.monotonic(), self._done - self._first
        rate = made / (now - self._since) if made > 0 and now > self._since else 0.0
        left = (self._total - self._done) / rate if rate and self._total > self._done else None
        failed, used = sum(self._failed.values()), self._used()
        return Figures(self._phase, self._done, self._total, rate, left, failed, *used, now - self._begun)


@contextmanager
def stored(progress: Progress, ledger: Ledger, run_id: str) -> Iterator[None]:
    """Keep the figures of a run in the ledger while the block runs; it ends where somebody has cancelled it. A progress
    that makes no figures, or is stored already, is left alone."""
    if not isinstance(progress, Gauge) or progress.is_stored:
        yield
        return

    def store() -> None:
        if write_progress(ledger, run_id, asdict(progress.figures())):
            progress.stop(Cancelled)

    progress.is_stored = True
    with heartbeat(store, STORED_S):
        yield
    progress.is_stored = False


@contextmanager
def progress_lines(say: Callable[[str], None], every: float = LINES_S) -> Iterator[Gauge]:
    """Say every so many seconds how far the work is, whether it moved or not."""
    gauge = Gauge()

    def line() -> None:
        figures = gauge.figures()
        say(f"{figures.seconds:.0f} s: {figures.words()}")

    with heartbeat(line, every):
        yield gauge
