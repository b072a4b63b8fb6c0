"""What is measured beside each other: rows (sets of switches), and published tables made of them (``tables.toml``).

Each row of a list adds or removes one module. One with pages or a graph needs them to be given; one that asks a model
needs one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.eval.crag.run import CragFigures
from clausegraph.query.crag.types import CragSwitches

_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class CragRow:
    """A row: its name, what it is after, and the switches that differ from the settings'."""

    name: str
    about: str
    switches: Mapping[str, Any] = field(default_factory=dict)
    asks: bool = True  # whether it is nothing without a model

    def applied(self, switches: CragSwitches) -> CragSwitches:
        """The switches of the row."""
        return replace(switches, **self.switches)


@dataclass(frozen=True, slots=True)
class CragTable:
    """Rows with the figures that the paper has for what they are after; none where it has no such row."""

    about: str
    rows: Mapping[str, Sequence[float]]


def _rows() -> dict[str, CragRow]:
    made, before = dict[str, CragRow](), dict[str, Any]()
    for name, given in _FILE["rows"].items():
        on = {"bare": _FILE["bare"], "before": before}.get(given.pop("on", ""), {})
        before = {**on, **given.pop("switches", {})}
        made[name] = CragRow(name, **given, switches=before)
    return made


ROWS: Mapping[str, CragRow] = _rows()
TABLES: Mapping[str, CragTable] = {name: CragTable(**given) for name, given in _FILE["tables"].items()}


def row_of(name: str) -> CragRow:
    """The row of that name; ``InputError`` where there is none."""
    if name not in ROWS:
        raise InputError(f"there is no row {name!r}; take one of {', '.join(ROWS)}")
    return ROWS[name]


def table_of(name: str) -> CragTable:
    """The table of that name; ``InputError`` where there is none."""
    if name not in TABLES:
        raise InputError(f"there is no table {name!r}; take one of {', '.join(TABLES)}")
    return TABLES[name]


def as_markdown(table: CragTable, found: Mapping[str, CragFigures]) -> str:
    """The table; published accuracy, hallucination, missing and score behind ours."""
    lines = [
        f"{table.about}; published figures are of other models, prompts and pages.",
        "",
        "| row | questions | accuracy | hallucination | missing | score | published | calls | prompt tokens |",
        "|---|---:|---:|---:|---:|---:|---|---:|---:|",
    ]
    for name, published in table.rows.items():
        one = found[name]
        shares = [f"{100 * share:.1f}" for share in (one.accuracy, one.hallucination, one.missing, one.score)]
        theirs = " / ".join(f"{value:g}" for value in published)
        cells = [name, str(one.questions), *shares, theirs, f"{one.calls:.1f}", f"{one.prompt_tokens:,.0f}"]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)
