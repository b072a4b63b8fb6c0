"""A report as plain values, and the pages made of it: HTML that needs nothing else, Markdown, and pictures of figures.

Whatever stands in a report is text: the HTML template escapes all of it, the Markdown writer too, and the HTML page
forbids scripts and every address but pictures inside it.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from io import BytesIO
from pathlib import Path
from textwrap import fill

from clausegraph.core.errors import InputError, require_extra
from clausegraph.eval.files import write_bytes, write_text
from clausegraph.eval.metrics import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    ConfidenceInterval,
    mean_interval,
    paired_difference,
)
from clausegraph.eval.provenance import Provenance, read_run

_MAKERS = {"conditionalqa": "clausegraph.eval.conditionalqa.report", "passages": "clausegraph.eval.passages"}
_FOLDER = Path(__file__).parent
_MARKUP = re.compile(r"([\\`*_{}\[\]#|~!])")
_LABEL = 12  # characters of a line below the axis of a picture: two groups are not nearer
RESAMPLED = (
    f"In brackets: {CONFIDENCE:.0%} bootstrap intervals, questions drawn with replacement {RESAMPLES:,} times "
    f"(seed {SEED}), two systems' values together; a star: the interval of a difference leaves out zero."
)
Bars = Mapping[str, Mapping[str, ConfidenceInterval]]
"""Name for the legend → name on the axis → value from 0 to 1 with its interval."""
Values = Mapping[str, Mapping[str, float]]
"""Name of a row → question → value from 0 to 1."""


@dataclass(frozen=True)
class Figure:
    """A headline: what it is, its value, and how sure it is."""

    label: str
    value: str
    interval: str


@dataclass(frozen=True)
class Table:
    """Cells as text; the first column names the row, the others are figures, or words in the last one."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    words: bool = False


@dataclass(frozen=True)
class Plot:
    """A PNG picture: the stem of its file's name, and what it shows for who cannot see it."""

    name: str
    alt: str
    png: bytes

    @property
    def data_url(self) -> str:
        return f"data:image/png;base64,{base64.b64encode(self.png).decode()}"


@dataclass(frozen=True)
class Section:
    """A heading, a paragraph that says how to read it, tables and plots."""

    title: str
    note: str
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()


@dataclass(frozen=True)
class Item:
    """One answer, or one passage: its text, conditions (text, whether the other side has it too), and quotes."""

    text: str
    conditions: tuple[tuple[str, bool], ...] = ()
    quotes: tuple[tuple[str, str], ...] = ()  # page, words


@dataclass(frozen=True)
class Side:
    """Gold or predicted; ``nothing`` is what stands there without items."""

    title: str
    items: tuple[Item, ...]
    nothing: str = ""


@dataclass(frozen=True)
class Case:
    """One question with an error. ``folded`` has texts to open: what they are, and their paragraphs."""

    id: str
    question: str
    kinds: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]
    sides: tuple[Side, ...]
    folded: tuple[tuple[str, tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Report:
    """All of a report. ``kinds`` are those the cases have, in order, each with its meaning."""

    title: str
    about: Table
    headline: tuple[Figure, ...]
    sections: tuple[Section, ...]
    cases: tuple[Case, ...] = ()
    kinds: tuple[tuple[str, str], ...] = ()
    questions: int = 0

    @property
    def plots(self) -> tuple[Plot, ...]:
        return tuple(plot for section in self.sections for plot in section.plots)

    def count(self, kind: str) -> int:
        """How many cases are of a kind."""
        return sum(kind in case.kinds for case in self.cases)


def read_report(folder: Path) -> Report:
    """The report of ``run.json`` and the records; no model is used."""
    run = read_run(folder)
    made: Report = import_module(_MAKERS[run.benchmark]).make_report(folder, run)
    return made


def write_report(folder: Path) -> None:
    """Make ``report.html``, ``report.md`` and its pictures anew from ``run.json`` and the records; no model is used."""
    report = read_report(folder)
    for plot in report.plots:
        write_bytes(folder / f"{plot.name}.png", plot.png)
    write_text(folder / "report.html", html_page(report))
    write_text(folder / "report.md", markdown_page(report))


def html_page(report: Report) -> str:
    """One page with style and pictures inside; no script."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    environment = Environment(
        loader=FileSystemLoader(_FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    numbers = {kind: number for number, (kind, _) in enumerate(report.kinds, 1)}
    return environment.get_template("report.html.jinja").render(report=report, numbers=numbers)


def markdown_page(report: Report) -> str:
    """The same without what was predicted and quoted: of each error its question and kinds."""
    parts = [f"# {_escaped(report.title)}"]
    if report.headline:
        rows = tuple((figure.label, figure.value, figure.interval) for figure in report.headline)
        parts.append(_table(Table(("figure", "value", "95% interval"), rows)))
    for section in report.sections:
        parts += [f"## {_escaped(section.title)}", _escaped(section.note)]
        parts += [_table(table) for table in section.tables if table.rows]
        parts += [f"![{_escaped(plot.alt)}]({plot.name}.png)" for plot in section.plots]
    if report.cases:
        rows = tuple((case.id, case.question, ", ".join(case.kinds)) for case in report.cases)
        note = f"{len(rows)} of {report.questions} questions; report.html has their answers, conditions and quotes."
        parts += ["## Errors", note, _table(Table(("id", "question", "kinds of error"), rows, words=True))]
    parts += ["## About this run", _table(report.about)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(table: Table) -> str:
    # Written out here because DataFrame.to_markdown needs one more package, tabulate.
    rule = ["---", *["---:"] * (len(table.columns) - 1)]
    if table.words:
        rule[-1] = "---"
    rows: Sequence[Sequence[str]] = [[_escaped(cell) for cell in row] for row in (table.columns, *table.rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:]))


def _escaped(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))


# --- figures in words and pictures ------------------------------------------------------------------


def percent_text(share: float) -> str:
    """A share from 0 to 1 in percent."""
    return f"{100 * share:.1f}"


def interval_text(interval: ConfidenceInterval) -> str:
    """A share and its interval in percent."""
    return f"{100 * interval.mean:.2f} [{percent_text(interval.low)}, {percent_text(interval.high)}]"


def difference_text(interval: ConfidenceInterval) -> str:
    """A difference and its interval in percentage points, signed; a star where the interval leaves out zero."""
    mark = " *" if interval.excludes_zero else ""
    return f"{100 * interval.mean:+.2f} [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]{mark}"


def headline(label: str, values: Mapping[str, float]) -> Figure:
    """The mean of a value per question, with its interval."""
    found = mean_interval(values)
    return Figure(label, percent_text(found.mean), f"{percent_text(found.low)} to {percent_text(found.high)}")


def interval_table(first: str, columns: Mapping[str, Values], **texts: Mapping[str, str]) -> Table:
    """The mean of each row in each column, with its interval; ``texts`` are columns of text in front."""
    cells = {head.replace("_", " "): column for head, column in texts.items()}
    cells |= {head: {name: interval_text(mean_interval(one)) for name, one in v.items()} for head, v in columns.items()}
    rows = next(iter(columns.values()))
    return Table((first, *cells), tuple((name, *(column[name] for column in cells.values())) for name in rows))


def differences(columns: Mapping[str, Values], pairs: Mapping[str, tuple[str, str]]) -> Table:
    """The second row of each pair minus the first, in each column, by what the pair is called."""
    rows = tuple(
        (name, *(difference_text(paired_difference(values[a], values[b])) for values in columns.values()))
        for name, (a, b) in pairs.items()
    )
    return Table(("paired difference, points", *columns), rows)


def against_all(system: str, others: Iterable[str]) -> dict[str, tuple[str, str]]:
    """The pairs of a system and each other."""
    return {f"{system} minus {name}": (name, system) for name in others if name != system}


def about(run: Provenance) -> Table:
    """What made the figures: program, corpus, files, settings."""
    program, corpus = run.program, run.corpus
    state = {None: "", True: ", with uncommitted changes", False: ""}[program.dirty]
    rows = [
        ("ClauseGraph", program.version),
        ("commit", (program.commit or "unknown") + state),
        ("date", f"{run.date} (UTC), {run.seconds:,.0f} seconds"),
    ]
    if corpus:
        rows += [
            ("corpus", f"{corpus.name}, epoch {corpus.epoch}, {corpus.pages:,} pages"),
            ("embedding model", corpus.model),
            ("extractors", ", ".join(corpus.extractors) or "none: no page states a fact"),
            ("SHA-256 of the canonical dump", corpus.dump_sha256),
        ]
    rows += [(f"file: {file.role}", f"{file.name}, {file.size:,} bytes, SHA-256 {file.sha256}") for file in run.files]
    rows += [(f"setting: {name}", str(value)) for name, value in run.settings.items() if value is not None]
    return Table(("what", "value"), tuple(rows), words=True)


def plot_bars(bars: Bars, *, title: str, ylabel: str, inner: Bars | None = None) -> bytes:
    """Draw groups of bars with their intervals; ``inner`` values stand as dark parts within the same bars.

    A name on the axis that a run lacks stays empty there. The same figures give the same bytes with the same library.
    """
    names = list(dict.fromkeys(name for values in bars.values() for name in values))
    if not names:
        raise InputError(f"nothing to plot for {title!r}: the runs {list(bars)} have no figures")
    require_extra("eval", "drawing plots")
    # Imported here: it is slow. The Agg canvas is used directly, so no display is needed and the caller's own choice
    # of backend stays as it is.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure as Picture

    picture = Picture(figsize=(2.5 + (0.55 + 0.3 * len(bars)) * len(names), 4.2), layout="constrained")
    FigureCanvasAgg(picture)
    axes = picture.add_subplot()
    width = 0.8 / len(bars)
    for number, (run, values) in enumerate(bars.items()):
        at = [names.index(name) + (number - (len(bars) - 1) / 2) * width for name in values]
        found = list(values.values())
        heights = [100 * one.mean for one in found]
        axes.bar(at, heights, width * 0.92, color=f"C{number}", alpha=0.45 if inner else 0.85, label=run)
        if inner:
            axes.bar(at, [100 * one.mean for one in inner[run].values()], width * 0.92, color=f"C{number}")
        ends = [[100 * (one.mean - one.low) for one in found], [100 * (one.high - one.mean) for one in found]]
        axes.errorbar(at, heights, yerr=ends, fmt="none", ecolor="black", elinewidth=1, capsize=3)
    axes.set_xticks(range(len(names)), [fill(name, _LABEL) for name in names])
    axes.set_ylim(0, 105)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    picture.legend(loc="outside right upper", frameon=False)
    buffer = BytesIO()
    picture.savefig(buffer, dpi=130, format="png", metadata={"Software": None})  # no program's name inside
    return buffer.getvalue()
