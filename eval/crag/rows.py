"""What is measured beside each other: named sets of switches. Each row of a list adds or removes one module.

A row with pages or a graph needs them to be given; one that asks a model needs one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.query.crag.types import CragSwitches

_BARE: Mapping[str, Any] = {
    "attributes": "off", "policy": {}, "tables": False, "graph": "off", "calculator": False, "self_check": False,
    "sub_problems": False, "false_premise": False, "own_knowledge": False, "summarise": False,
    "critic": False, "rounds": 1, "gather": "all",
}  # fmt: skip
_GATHERED: Mapping[str, Any] = {**_BARE, "tables": True, "graph": "auto", "sub_problems": True}
_KERAG: Mapping[str, Any] = {**_BARE, "pages": False, "graph": "plan", "sub_problems": True}


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


def _steps(prefix: str, about: str, *added: tuple[str, Mapping[str, Any]]) -> list[CragRow]:
    """Rows each of which adds to the one before."""
    rows, switches = [], dict(_BARE)
    for name, more in added:
        switches |= more
        rows.append(CragRow(f"{prefix}-{name}", about, dict(switches)))
    return rows


_ROWS = (
    CragRow("as-set", "the engine as the settings have it", asks=False),
    CragRow("own-only", "chain of thought of the model alone", {**_BARE, "pages": False, "own_knowledge": True}),
    CragRow("text-only", "pages, one round", {**_BARE, "tables": True}),
    CragRow("graph-only", "the graph, one round", {**_BARE, "graph": "auto", "pages": False}, asks=False),
    CragRow("text-and-graph", "both together, one round", {**_BARE, "tables": True, "graph": "auto"}, asks=False),
    CragRow("react", "ReAct over pages and graph, four turns", {**_GATHERED, "gather": "react"}),
    CragRow("corrective", "Corrective RAG: pages, judged, then the graph", {**_GATHERED, "gather": "corrective"}),
    *_steps(
        "electricsheep",
        "ElectricSheep's increments",
        ("baseline", {"grouped": False, "structured": False, "snippets": "off", "references": 20}),
        ("chunking", {"grouped": True}),
        ("prompts", {"structured": True, "snippets": "beside", "references": 30}),
        ("attributes", {"attributes": "auto", "policy": {"dynamic": "abstain"}}),
        ("tables", {"tables": True}),
        ("calculator", {"calculator": True}),
        ("reasoning", {"sub_problems": True, "summarise": True}),
        ("false-premise", {"false_premise": True}),
        ("own-knowledge", {"own_knowledge": True}),
        ("graph", {"graph": "auto"}),
    ),
    *_steps(
        "ustc",
        "USTC's three rows: the snippets of the search, 15 at most",
        ("plain", {"snippets": "only", "references": 15, "batch": 50}),
        ("self-check", {"self_check": True}),
        ("graph-first", {"graph": "auto", "trust": "kg-first"}),
    ),
    CragRow("kerag", "a plan on the schema, at most three hops", _KERAG),
    CragRow("kerag-without-multi-hop", "the plan, one hop", {**_KERAG, "hops": 1}),
    CragRow("kerag-without-filter", "the plan, nothing left out", {**_KERAG, "filtered": False}),
    CragRow("kerag-without-reasoning", "the plan, without sub-problems", {**_KERAG, "sub_problems": False}),
    CragRow("kerag-tools", "KERAG's baseline: the model calls functions", {**_BARE, "pages": False, "graph": "tools"}),
    CragRow("kerag-rules", "calls built by rules", {**_BARE, "pages": False, "graph": "rules"}, asks=False),
    CragRow("without-critic", "one round", {"critic": False, "rounds": 1}),
    CragRow("without-self-check", "without the question whether references suffice", {"self_check": False}),
    CragRow("without-calculator", "without computation", {"calculator": False}),
    CragRow("without-tables", "without tables of pages", {"tables": False}),
    CragRow("without-sub-problems", "without listing sub-problems", {"sub_problems": False}),
    CragRow("without-false-premise", "without looking for a false premise", {"false_premise": False}),
    CragRow("without-graph", "pages only", {"graph": "off"}),
)
ROWS: Mapping[str, CragRow] = {row.name: row for row in _ROWS}


def row_of(name: str) -> CragRow:
    """The row of that name.

    Raises:
        InputError: there is none.
    """
    if name not in ROWS:
        raise InputError(f"there is no row {name!r}; take one of {', '.join(ROWS)}")
    return ROWS[name]
