"""Plots of one run or several side by side, drawn from records into PNG files."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.core.errors import InputError
from clausegraph.eval.records import QuestionRecord
from clausegraph.eval.report import answer_table, retrieval_table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Runs = Mapping[str, Sequence[QuestionRecord]]

_GROUP_LABELS = {
    "total": "all",
    "yesno": "yes/no",
    "extractive": "extractive",
    "conditional": "conditional",
    "not_answerable": "not\nanswerable",
}


def plot_f1_by_kind(runs: Runs, path: Path) -> None:
    """Draw F1 (bars) and F1 with conditions (dark part of the same bar) by question group.

    ``runs`` maps a name for the legend to the records of that run; groups nobody has are left out.

    Raises:
        InputError: no run has a record, or the file cannot be written.
    """
    tables = {name: answer_table(records) for name, records in _some(runs).items()}
    groups = [g for g in _GROUP_LABELS if any(table["questions"][g] > 0 for table in tables.values())]
    figure, axes = _figure(width=2.5 + 1.1 * len(groups))
    width = 0.8 / len(tables)
    for number, (name, table) in enumerate(tables.items()):
        places = [i + (number - (len(tables) - 1) / 2) * width for i in range(len(groups))]
        f1 = [100 * float(table["f1"][group]) for group in groups]
        strict = [100 * float(table["f1_with_conditions"][group]) for group in groups]
        bars = axes.bar(places, f1, width * 0.92, color=f"C{number}", alpha=0.45, label=name)
        axes.bar(places, strict, width * 0.92, color=f"C{number}")
        axes.bar_label(bars, fmt="%.0f", padding=2, fontsize=8)
    counts = next(iter(tables.values()))["questions"]
    axes.set_xticks(range(len(groups)), [f"{_GROUP_LABELS[g]}\n(n={counts[g]})" for g in groups])
    axes.set_ylabel("F1, percent (solid: with conditions)")
    axes.set_title("Answers by kind of question")
    _finish(figure, axes, path)


def plot_recall_by_budget(runs: Runs, path: Path) -> None:
    """Draw evidence recall (solid) and the share of questions with all evidence (dashed) by budget.

    Raises:
        InputError: no run has retrieval figures, or the file cannot be written.
    """
    tables = {name: retrieval_table(records) for name, records in _some(runs).items()}
    tables = {name: table.dropna() for name, table in tables.items() if not table.dropna().empty}
    if not tables:
        raise InputError(f"{path.name}: none of the runs {list(runs)} has retrieval figures; record them first")
    figure, axes = _figure(width=6.4)
    for number, (name, table) in enumerate(tables.items()):
        budgets = [int(budget) for budget in table.index]
        axes.plot(budgets, 100 * table["recall"], "o-", color=f"C{number}", label=name)
        axes.plot(budgets, 100 * table["complete"], "o--", color=f"C{number}", markerfacecolor="white")
    ticks = sorted({int(budget) for table in tables.values() for budget in table.index})
    axes.set_xticks(ticks, [f"{tick:,}" for tick in ticks])
    axes.set_xlabel("context budget, tokens")
    axes.set_ylabel("percent (dashed: all evidence there)")
    axes.set_title("Gold evidence within the budget")
    _finish(figure, axes, path)


def _some(runs: Runs) -> Runs:
    filled = {name: records for name, records in runs.items() if records}
    if not filled:
        raise InputError(f"nothing to plot: the runs {list(runs)} have no records; run the evaluation first")
    return filled


def _figure(width: float) -> tuple[Figure, Axes]:
    # Imported here: it is slow, and only who draws needs it. The Agg canvas is used directly, so no
    # display is needed and the caller's own choice of backend stays as it is.
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _finish(figure: Figure, axes: Axes, path: Path) -> None:
    axes.set_ylim(0, 105)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        figure.savefig(path, dpi=150, format="png")
    except OSError as error:
        raise InputError(f"{path}: cannot be written ({error}); choose another place") from error
