"""A report as plain values, and the two pages made of it: HTML that needs nothing else, and Markdown.

Whatever stands in a report is text: the HTML template escapes all of it, the Markdown writer too, and the HTML page
forbids scripts and every address but pictures inside it.
"""

from __future__ import annotations

import base64
import html
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from clausegraph.eval.json_files import write_bytes, write_text

_FOLDER = Path(__file__).parent
_MARKUP = re.compile(r"([\\`*_{}\[\]#|~!])")


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

    def count(self, kind: str) -> int:
        """How many cases are of a kind."""
        return sum(kind in case.kinds for case in self.cases)

    @property
    def plots(self) -> tuple[Plot, ...]:
        return tuple(plot for section in self.sections for plot in section.plots)


def write_pages(folder: Path, report: Report) -> None:
    """Write ``report.html``, and ``report.md`` with its pictures beside it.

    Raises:
        InputError: they cannot be written there.
    """
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
