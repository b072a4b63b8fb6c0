"""Progress of long work on stderr: bars on a terminal, else a plain line every few seconds."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clausegraph.app.cli.session import Session

EVERY_S = 5.0

Step = Callable[[str, int, int], None]  # stage, done, total


@contextmanager
def progress_bars(session: Session) -> Iterator[Step | None]:
    """Yield what a pipeline calls with (stage, done, total); None where nothing but the result was asked for."""
    if session.quiet or session.json:
        yield None
        return
    with _bars() if sys.stderr.isatty() else progress_lines(session.note) as step:
        yield step


@contextmanager
def progress_lines(say: Callable[[str], None], every: float = EVERY_S) -> Iterator[Step]:
    """Say every so many seconds how far the work is, whether it moved or not."""
    from clausegraph.indexes.ledger.leases import beating

    latest = "starting"
    start = time.monotonic()

    def step(stage: str, done: int, total: int) -> None:
        nonlocal latest
        latest = f"{stage} {done}" if done == total else f"{stage} {done} of {total}"

    with beating(lambda: say(f"{time.monotonic() - start:.0f} s: {latest}"), every):
        yield step


@contextmanager
def _bars() -> Iterator[Step]:
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    from clausegraph.app.cli.output import console

    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    stages: dict[str, TaskID] = {}
    with Progress(*columns, console=console(sys.stderr), transient=True) as bars:

        def step(stage: str, done: int, total: int) -> None:
            if stage not in stages:
                stages[stage] = bars.add_task(stage, total=total)
            bars.update(stages[stage], completed=done, total=total)

        yield step
