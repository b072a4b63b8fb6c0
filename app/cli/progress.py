"""Progress bars on stderr for long work; nothing where nobody watches."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from clausegraph.app.cli.session import Session


@contextmanager
def progress_bars(session: Session) -> Iterator[Callable[[str, int, int], None] | None]:
    """Yield what a pipeline calls with (stage, done, total); None when there is no terminal to draw on."""
    if session.quiet or session.json or not sys.stderr.isatty():
        yield None
        return
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
