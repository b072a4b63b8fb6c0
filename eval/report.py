"""A report as plain values: headlines, tables and wrong answers of a run, and the Markdown page made of it.

Whatever stands in a report is text: the Markdown writer escapes all of it.
"""

from __future__ import annotations

import html
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from clausegraph.eval.files import write_text
from clausegraph.eval.metrics import CONFIDENCE, RESAMPLES, SEED, mean_interval, paired_difference
from clausegraph.eval.provenance import Provenance, read_run

_MAKERS = {"conditionalqa": "clausegraph.eval.conditionalqa.report", "passages": "clausegraph.eval.passages"}
_MARKUP = re.compile(r"([\\`*_{}\[\]#|~!])")
RESAMPLED = (
    f"In brackets: {CONFIDENCE:.0%} bootstrap intervals, questions drawn with replacement {RESAMPLES:,} times "
    f"(seed {SEED}), two systems' values together; a star: the interval of a difference leaves out zero."
)
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
class Section:
    """A heading, a paragraph that says how to read it, and tables."""

    title: str
    note: str
    tables: tuple[Table, ...] = ()


@dataclass(frozen=True)
class Case:
    """A question without full marks: the gold answers, the predicted ones, and its figures."""

    id: str
    question: str
    gold: tuple[str, ...]
    predicted: tuple[str, ...]
    figures: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class Report:
    """All of a report."""

    title: str
    about: Table
    headline: tuple[Figure, ...]
    sections: tuple[Section, ...]
    cases: tuple[Case, ...]
    questions: int


def read_report(folder: Path) -> Report:
    """The report of ``run.json`` and the records; no model is used."""
    run = read_run(folder)
    made: Report = import_module(_MAKERS[run.benchmark]).make_report(folder, run)
    return made


def write_report(folder: Path) -> None:
    """Make ``report.md`` anew from ``run.json`` and the records; no model is used."""
    write_text(folder / "report.md", markdown_page(read_report(folder)))


def markdown_page(report: Report) -> str:
    """The report as Markdown."""
    rows = tuple((figure.label, figure.value, figure.interval) for figure in report.headline)
    parts = [f"# {_escaped(report.title)}", _table(Table(("figure", "value", "95% interval"), rows))]
    for section in report.sections:
        parts += [f"## {_escaped(section.title)}", _escaped(section.note)]
        parts += [_table(table) for table in section.tables if table.rows]
    if report.cases:
        wrong = ((one.id, one.question, "; ".join(one.gold), "; ".join(one.predicted)) for one in report.cases)
        parts += ["## Wrong answers", f"{len(report.cases)} of {report.questions} questions."]
        parts.append(_table(Table(("id", "question", "gold", "predicted"), tuple(wrong), words=True)))
    parts += ["## About this run", _table(report.about)]
    return "\n\n".join(part for part in parts if part) + "\n"


def _table(table: Table) -> str:
    rule = ["---", *["---:"] * (len(table.columns) - 1)]
    if table.words:
        rule[-1] = "---"
    rows: Sequence[Sequence[str]] = [[_escaped(cell) for cell in row] for row in (table.columns, *table.rows)]
    return "\n".join("| " + " | ".join(row) + " |" for row in (rows[0], rule, *rows[1:]))


def _escaped(text: str) -> str:
    """Text on one line that Markdown shows as it is."""
    return _MARKUP.sub(r"\\\1", html.escape(" ".join(text.split()), quote=False))


def percent_text(share: float) -> str:
    """A share from 0 to 1 in percent."""
    return f"{100 * share:.1f}"


def headline(label: str, values: Mapping[str, float]) -> Figure:
    """The mean of a value per question, with its interval."""
    found = mean_interval(values)
    return Figure(label, percent_text(found.mean), f"{percent_text(found.low)} to {percent_text(found.high)}")


def interval_table(first: str, columns: Mapping[str, Values]) -> Table:
    """The mean of each row in each column, with its interval."""

    def cell(values: Mapping[str, float]) -> str:
        found = mean_interval(values)
        return f"{100 * found.mean:.2f} [{percent_text(found.low)}, {percent_text(found.high)}]"

    names = next(iter(columns.values()))
    return Table((first, *columns), tuple((name, *(cell(one[name]) for one in columns.values())) for name in names))


def differences(columns: Mapping[str, Values], system: str) -> Table:
    """The row of a system minus each other, in each column."""

    def difference(values: Values, name: str) -> str:
        found = paired_difference(values[name], values[system])
        mark = " *" if found.excludes_zero else ""
        return f"{100 * found.mean:+.2f} [{100 * found.low:+.1f}, {100 * found.high:+.1f}]{mark}"

    others = [name for name in next(iter(columns.values())) if name != system]
    rows = ((f"{system} minus {name}", *(difference(one, name) for one in columns.values())) for name in others)
    return Table(("paired difference, points", *columns), tuple(rows))


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
