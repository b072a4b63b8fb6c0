"""Plots of one run or several side by side, drawn from figures into PNG pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from io import BytesIO
from textwrap import fill
from typing import TYPE_CHECKING

from clausegraph.core.errors import InputError, require_extra
from clausegraph.eval.comparison import ConfidenceInterval

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LABEL = 12  # characters of a line below the axis: two groups are not nearer
Bars = Mapping[str, Mapping[str, ConfidenceInterval]]
"""Name for the legend → name on the axis → value from 0 to 1 with its interval."""


def plot_bars(bars: Bars, *, title: str, ylabel: str, inner: Bars | None = None) -> bytes:
    """Draw groups of bars with their intervals; ``inner`` values stand as dark parts within the same bars.

    A name on the axis that a run lacks stays empty there.

    Raises:
        InputError: there is nothing to draw.
    """
    names = list(dict.fromkeys(name for values in bars.values() for name in values))
    if not names:
        raise InputError(f"nothing to plot for {title!r}: the runs {list(bars)} have no figures")
    figure, axes = _figure(width=2.5 + (0.55 + 0.3 * len(bars)) * len(names))
    width = 0.8 / len(bars)
    for number, (run, values) in enumerate(bars.items()):
        at = [names.index(name) + (number - (len(bars) - 1) / 2) * width for name in values]
        axes.bar(at, _heights(values), width * 0.92, color=f"C{number}", alpha=0.45 if inner else 0.85, label=run)
        if inner:
            axes.bar(at, _heights(inner[run]), width * 0.92, color=f"C{number}")
        _whiskers(axes, at, values)
    axes.set_xticks(range(len(names)), [fill(name, _LABEL) for name in names])
    return _finish(figure, axes, title, ylabel)


def plot_recall_by_budget(recall: Mapping[str, Mapping[int, ConfidenceInterval]]) -> bytes:
    """Draw evidence recall by retriever and budget, with intervals.

    Raises:
        InputError: there is nothing to draw.
    """
    budgets = sorted({budget for values in recall.values() for budget in values})
    if not budgets:
        raise InputError(f"nothing to plot: none of the runs {list(recall)} has retrieval figures; record them first")
    figure, axes = _figure(width=7.4)
    for number, (name, values) in enumerate(recall.items()):
        # Side by side, or the intervals of one budget would cover each other.
        at = [budgets.index(budget) + (number - (len(recall) - 1) / 2) * 0.07 for budget in values]
        axes.plot(at, _heights(values), "o-", color=f"C{number}", label=name)
        _whiskers(axes, at, values, color=f"C{number}")
    axes.set_xticks(range(len(budgets)), [f"{budget:,}" for budget in budgets])
    axes.set_xlabel("context budget, tokens")
    return _finish(figure, axes, "Gold evidence within the budget", "evidence recall, percent")


def plot_confusion(counts: Mapping[str, Mapping[str, int]]) -> bytes:
    """Draw a table of counts, rows gold and columns predicted; a field is as dark as its share of its row.

    Raises:
        InputError: there is nothing to draw.
    """
    columns = list(next(iter(counts.values()), {}))
    if not columns:
        raise InputError("nothing to plot: there is no answer to count")
    figure, axes = _figure(width=6.4)
    shares = [[row[name] / max(1, sum(row.values())) for name in columns] for row in counts.values()]
    axes.imshow(shares, cmap="Blues", vmin=0, vmax=1, aspect="auto")
    for y, row in enumerate(counts.values()):
        for x, name in enumerate(columns):
            colour = "white" if shares[y][x] > 0.5 else "black"
            axes.text(x, y, str(row[name]), ha="center", va="center", color=colour, fontsize=12)
    axes.set_xticks(range(len(columns)), [name.replace(" ", "\n") for name in columns])
    axes.set_yticks(range(len(counts)), [f"{name} (n={sum(row.values())})" for name, row in counts.items()])
    axes.set_xlabel("predicted")
    axes.set_ylabel("gold")
    axes.set_title("Questions by gold and predicted answer")
    return _png(figure)


def _heights(values: Mapping[str, ConfidenceInterval] | Mapping[int, ConfidenceInterval]) -> list[float]:
    return [100 * interval.mean for interval in values.values()]


def _whiskers(
    axes: Axes,
    at: Sequence[float],
    values: Mapping[str, ConfidenceInterval] | Mapping[int, ConfidenceInterval],
    color: str = "black",
) -> None:
    below = [100 * (interval.mean - interval.low) for interval in values.values()]
    above = [100 * (interval.high - interval.mean) for interval in values.values()]
    axes.errorbar(at, _heights(values), yerr=[below, above], fmt="none", ecolor=color, elinewidth=1, capsize=3)


def _figure(width: float) -> tuple[Figure, Axes]:
    # Imported here: it is slow, and only who draws needs it. The Agg canvas is used directly, so no
    # display is needed and the caller's own choice of backend stays as it is.
    require_extra("eval", "drawing plots")
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, 4.2), layout="constrained")
    FigureCanvasAgg(figure)
    return figure, figure.add_subplot()


def _finish(figure: Figure, axes: Axes, title: str, ylabel: str) -> bytes:
    axes.set_ylim(0, 105)
    axes.set_ylabel(ylabel)
    axes.set_title(title)
    axes.grid(axis="y", alpha=0.3)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    figure.legend(loc="outside right upper", frameon=False)
    return _png(figure)


def _png(figure: Figure) -> bytes:
    buffer = BytesIO()
    # No program name inside: the same figures give the same bytes with the same library.
    figure.savefig(buffer, dpi=130, format="png", metadata={"Software": None})
    return buffer.getvalue()
