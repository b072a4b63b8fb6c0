"""An analyst's Cypher against the Neo4j of the settings: corpus and epoch from the ledger, rows as plain values."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import IO, Any

from clausegraph.app.models import graphs_of
from clausegraph.app.services.export import safe_cell
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, SettingsError, require_extra
from clausegraph.core.text import one_line
from clausegraph.indexes.views import open_view

_OURS = {"corpus": "--corpus", "epoch": "--epoch"}  # parameters that are always there


@dataclass(frozen=True, slots=True)
class Found:
    """The rows of a query at an epoch; ``is_cut`` when there were more than the limit."""

    corpus: str
    epoch: int
    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool


def run_query(
    workspace: Workspace,
    corpus: str,
    query: str,
    given: Mapping[str, Any],
    *,
    epoch: int | None,
    limit: int,
    timeout: float,
) -> Found:
    """Run a query with ``$corpus`` and ``$epoch`` besides the parameters given.

    Raises:
        QueryRefused, StoreError: as ``run_pinned``; StoreMismatch also where the database lacks the epoch.
        SettingsError: no password, or the driver is not installed.
    """
    require_extra("neo4j", "Neo4j", error=SettingsError)
    from clausegraph.indexes.graph.neo4j.cypher import run_pinned

    server = workspace.neo4j
    with open_view(workspace.ledger, corpus, epoch, graph_at=graphs_of(server)) as view:
        result = run_pinned(view, server, query, given, limit=limit, timeout=timeout)
        return Found(view.corpus, view.epoch, result.columns, result.rows, result.is_cut)


def unpinned(query: str) -> str:
    """What a query shows besides the epoch, as it uses neither ``$corpus`` nor ``$epoch``; else nothing."""
    if "$epoch" not in query:
        return "the query does not use $epoch: closed rows and those of other epochs are among what it sees"
    if "$corpus" not in query:
        return "the query does not use $corpus: other corpora of the database are among what it sees"
    return ""


def parameters(words: Sequence[str]) -> dict[str, Any]:
    """``name=value`` by name; a value is JSON where it can be read as such, else text.

    Raises:
        InputError: no name, or one of ours.
    """
    given: dict[str, Any] = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals or not re.fullmatch(r"[A-Za-z_]\w*", name):
            raise InputError(f"--param is name=value, not {word!r}")
        if name in _OURS:
            raise InputError(f"${name} is given by {_OURS[name]}, not by --param")
        given[name] = _value(value)
    return given


def _value(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        return text


def display(value: Any) -> object:
    """A value as a cell of a table: texts on one line, what has parts as JSON."""
    if isinstance(value, str):
        return one_line(value)
    return value if _is_number(value) else _written(value)


def write_csv(found: Found, file: IO[str]) -> None:
    """The rows with a header; no cell is one that a spreadsheet takes for a formula."""
    rows = csv.writer(file)
    rows.writerow([safe_cell(name) for name in found.columns])
    for row in found.rows:
        rows.writerow([value if _is_number(value) else safe_cell(_written(value)) for value in row])


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _written(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
