"""Cypher of an analyst, run so that it can only read the database: no write, no procedure, no address fetched."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from indexes.graph.neo4j import Neo4jServer

ROWS = 1000
SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class CypherResult:
    """The rows of a query: plain values (nodes and relationships as dicts), cut at the limit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool  # there were more rows than the limit


def run_cypher(
    server: Neo4jServer,
    query: str,
    parameters: Mapping[str, Any],
    *,
    limit: int = ROWS,
    timeout: float = SECONDS,
) -> CypherResult:
    """Run a query of somebody else's in read access mode, after its plan was looked at.

    Raises:
        QueryRefused: not valid Cypher, or its plan writes, loads or calls what is not listed; nothing was run.
        StoreError: too slow, too large; or as ``Neo4jServer``.
    """
    raise NotImplementedError
