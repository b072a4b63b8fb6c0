"""What the command line prints: results on stdout, everything else, such as progress of long work, on stderr.

Text from documents goes through ``app.text.clean`` and into Rich ``Text`` objects, so that neither the
terminal nor Rich's markup takes it for a command.
"""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from typing import IO, TYPE_CHECKING, Any

from clausegraph.app.services import json_value
from clausegraph.core.text import clean, clean_json, one_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.table import Table

    from clausegraph.ingestion.progress import Figures, Gauge

_PIPE_WIDTH = 200  # columns when no terminal says how many there are


def console(file: IO[str] | None = None) -> Console:
    """A console without markup, emoji codes or guesses at what to highlight."""
    from rich.console import Console

    class Piped(Console):
        """Leaves a closed pipe to the command, which ends the same way whatever it prints."""

        def on_broken_pipe(self) -> None:
            raise  # noqa: PLE0704 - Rich calls this while it handles the error

    stream = file or sys.stdout
    width = None if stream.isatty() else _PIPE_WIDTH
    return Piped(file=stream, markup=False, emoji=False, highlight=False, width=width)


def show(*items: RenderableType) -> None:
    """Print renderables on stdout; strings are cleaned."""
    out = console()
    for item in items:
        out.print(clean(item) if isinstance(item, str) else item, soft_wrap=isinstance(item, str))


def note(text: str) -> None:
    """A line on stderr."""
    console(sys.stderr).print(clean(text), soft_wrap=True)


def show_json(value: Any, indent: int | None = 1) -> None:
    """One JSON document on stdout; on one line without ``indent``."""
    sys.stdout.write(clean_json(json.dumps(value, ensure_ascii=False, indent=indent, default=json_value)) + "\n")


def table(columns: Sequence[str], rows: Iterable[Sequence[object]], empty: str = "") -> Table | str:
    """A plain table of cleaned cells; numbers to the right. Where there is no row, ``empty`` if it says something.

    It has a head where a column has a name.
    """
    from rich.table import Table
    from rich.text import Text

    listed = [list(row) for row in rows]
    if empty and not listed:
        return empty
    made = Table(box=None, pad_edge=False, header_style="bold", show_header=any(columns))
    for number, name in enumerate(columns):
        numeric = bool(listed) and all(isinstance(row[number], (int, float)) for row in listed)
        made.add_column(name, justify="right" if numeric else "left", overflow="fold")
    for row in listed:
        made.add_row(*(Text(clean("" if cell is None else cell)) for cell in row))
    return made


def figures(head: str, rows: Mapping[Any, Any]) -> Table | str:
    """A table of figures, a row for each name; its columns are the keys of the first mapping, or fields of a record."""
    listed = {name: row if isinstance(row, Mapping) else asdict(row) for name, row in rows.items()}
    columns = list(next(iter(listed.values()), ()))
    named = (column.replace("_", " ") for column in columns)
    return table((head, *named), [(name, *(figure(row[one]) for one in columns)) for name, row in listed.items()])


def figure(value: float) -> str:
    """A number as people read it; a dash for NaN."""
    return "-" if math.isnan(value) else f"{value:,}" if isinstance(value, int) else f"{value:,.3f}"


def step_words(step: str | None, procedure: str | None) -> str:
    """Which step it is, behind the words of a statement; empty where it is none."""
    return f" (step {step} of: {one_line(procedure, 80)})" if step else ""


def moment(seconds: float | None) -> str:
    """A time as people read it, local."""
    return "" if seconds is None else time.strftime("%Y-%m-%d %H:%M", time.localtime(seconds))


@contextmanager
def bars() -> Iterator[Gauge]:
    """A bar for each stage, gone at the end."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TaskID, TextColumn, TimeElapsedColumn

    from clausegraph.ingestion.progress import Gauge

    name, more = (TextColumn(f"{{task.{field}}}", markup=False) for field in ("description", "fields[more]"))
    phases: dict[str, TaskID] = {}
    with Progress(
        name, BarColumn(), MofNCompleteColumn(), TimeElapsedColumn(), more, console=console(sys.stderr), transient=True
    ) as bars:

        def tell(now: Figures) -> None:
            if now.phase not in phases:
                phases[now.phase] = bars.add_task(now.phase, total=None, more="")
            bars.update(phases[now.phase], completed=now.done, total=now.total or None, more=", ".join(now.more()))

        yield Gauge(tell)
