"""What is measured beside each other: rows, which are named sets of switches, and published tables made of rows.

Each row of a list adds or removes one module. One with pages or a graph needs them to be given; one that asks a model
needs one.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from clausegraph.core.errors import InputError
from clausegraph.eval.crag.run import CragFigures
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
    """The row of that name."""
    if name not in ROWS:
        raise InputError(f"there is no row {name!r}; take one of {', '.join(ROWS)}")
    return ROWS[name]


# --- published tables -------------------------------------------------------------------------------

Published = tuple[float, float, float, float]  # accuracy, hallucination, missing, score, in percent


@dataclass(frozen=True, slots=True)
class CragTable:
    """Rows with the figures that the paper has for what they are after; none where it has no such row."""

    about: str
    rows: Mapping[str, Published | None]


def _sheep(accuracy: float, missing: float, hallucination: float, score: float) -> Published:
    return accuracy, hallucination, missing, score


TABLES: Mapping[str, CragTable] = {
    "baselines": CragTable(
        "HybGRAG's comparison (Claude 3 Sonnet, 1,335 questions)",
        {
            "own-only": (39.1, 40.5, 20.4, -1.4),
            "text-only": (50.3, 39.6, 10.1, 10.8),
            "graph-only": (53.0, 29.7, 17.2, 23.3),
            "text-and-graph": (58.2, 34.2, 7.6, 24.0),
            "react": (43.5, 40.8, 15.7, 2.8),
            "corrective": (46.7, 33.3, 19.9, 13.4),
            "as-set": (63.2, 29.6, 7.2, 33.6),
        },
    ),
    "electricsheep": CragTable(
        "ElectricSheep's increments (Llama 3 70B from the third row on)",
        {
            "electricsheep-baseline": _sheep(16.2, 0.0, 83.8, -67.6),
            "electricsheep-chunking": _sheep(23.7, 0.0, 76.3, -52.6),
            "electricsheep-prompts": _sheep(24.4, 50.8, 24.8, -0.3),
            "electricsheep-attributes": _sheep(19.9, 65.4, 14.7, 5.2),
            "electricsheep-tables": _sheep(21.3, 63.4, 15.2, 6.1),
            "electricsheep-calculator": _sheep(23.7, 59.7, 16.6, 7.2),
            "electricsheep-reasoning": _sheep(20.9, 67.3, 11.8, 9.1),
            "electricsheep-false-premise": _sheep(26.0, 60.5, 13.5, 12.5),
            "electricsheep-own-knowledge": _sheep(27.3, 59.3, 13.4, 13.9),
            "electricsheep-graph": _sheep(29.7, 56.3, 13.9, 15.8),
        },
    ),
    "ustc": CragTable(
        "USTC's rows (Llama 3 8B, task 2)",
        {
            "ustc-plain": (26.0, 29.0, 44.9, -3.0),
            "ustc-self-check": (22.2, 19.0, 58.8, 3.2),
            "ustc-graph-first": (39.5, 15.0, 45.5, 24.5),
        },
    ),
    "kerag": CragTable(
        "KERAG without its parts (578 questions; without fine-tuning, 45.3, is another model behind the same row)",
        {
            "kerag": (73.2, 20.2, 6.6, 52.9),
            "kerag-without-multi-hop": None,
            "kerag-without-filter": None,
            "kerag-without-reasoning": None,
        },
    ),
    "without": CragTable(
        "each module left out",
        {"as-set": None} | {name: None for name in ROWS if name.startswith("without-")},
    ),
}
_SCORES = {"kerag-without-multi-hop": 47.4, "kerag-without-filter": 49.0, "kerag-without-reasoning": 30.1}


def table_of(name: str) -> CragTable:
    """The table of that name."""
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
        shares = [one.accuracy, one.hallucination, one.missing, one.score]
        theirs = " / ".join(f"{value:g}" for value in published) if published else f"{_SCORES.get(name, '')}"
        cells = [name, str(one.questions), *(f"{100 * share:.1f}" for share in shares), theirs]
        lines.append(f"| {' | '.join([*cells, f'{one.calls:.1f}', f'{one.prompt_tokens:,.0f}'])} |")
    return "\n".join(lines)
