"""What is measured beside each other: rows, which are sets of switches (``tables.toml``).

Each row of a list adds or removes one module. One with pages or a graph needs them to be given; all need a model.
"""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.query.crag.types import CragSwitches

_FILE = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))


@dataclass(frozen=True, slots=True)
class CragRow:
    """A row: its name, what it is after, and the switches that differ from the settings'."""

    name: str
    about: str
    switches: Mapping[str, Any] = field(default_factory=dict)

    def applied(self, switches: CragSwitches) -> CragSwitches:
        """The switches of the row."""
        return replace(switches, **self.switches)


def _rows() -> dict[str, CragRow]:
    made, before = dict[str, CragRow](), dict[str, Any]()
    for name, given in _FILE["rows"].items():
        on = {"bare": _FILE["bare"], "before": before}.get(given.pop("on", ""), {})
        before = {**on, **given.pop("switches", {})}
        made[name] = CragRow(name, **given, switches=before)
    return made


ROWS: Mapping[str, CragRow] = _rows()


def row_of(name: str) -> CragRow:
    """The row of that name; ``InputError`` where there is none."""
    if name not in ROWS:
        raise InputError(f"there is no row {name!r}; take one of {', '.join(ROWS)}")
    return ROWS[name]
