"""Cypher of an analyst, run so that it can only read the database: no write, no procedure, no address fetched.

Three things hold it: the text is looked at (``cypher_tokens``: what a plan does not show), then the plan that EXPLAIN
makes of it (commands, and whatever changes the graph), and the server refuses to write in a transaction for reading.
Text and transaction are the same for EXPLAIN and for the run, so what was looked at is what runs.
"""

from __future__ import annotations

import base64
import json
import math
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import neo4j
from neo4j import exceptions as driver
from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from clausegraph.core.errors import QueryRefused, StoreRefused, StoreUnavailable
from clausegraph.core.types import PageKey
from clausegraph.indexes.graph.neo4j.cypher_tokens import PROCEDURES, checked_text
from clausegraph.indexes.graph.neo4j.server import Neo4jServer, first_line
from clausegraph.indexes.graph.protocol import Graph

ROWS = 1000
SECONDS = 30.0
SIZE = 8 * 2**20  # characters of all values, written as JSON; in memory they may take fifty times as many bytes

# Operators that read, by their names without what stands in parentheses. What is not among them is refused, also
# where a newer Neo4j has given a harmless one another name.
_SCANS = re.compile(r"\w+(Scan|Seek|SeekByRange)")  # of nodes, relationships, indexes
_READS = frozenset(
    """Anti AntiConditionalApply AntiSemiApply Apply Argument ArgumentTracker BidirectionalRepeat CacheProperties
    CartesianProduct ConditionalApply Distinct Eager EagerAggregation EmptyResult EmptyRow ExhaustiveLimit Expand Filter
    LeftOuterHashJoin LetAntiSemiApply LetSelectOrAntiSemiApply LetSelectOrSemiApply LetSemiApply Limit
    NodeCountFromCountStore NodeHashJoin NodeLeftOuterHashJoin NodeRightOuterHashJoin NonFuseable NonPipelined
    NullifyMetadata Optional OptionalExpand OrderedAggregation OrderedDistinct OrderedUnion PartialSort PartialTop
    PartitionedUnwind PathPropagatingBFS PreserveOrder ProcedureCall ProduceResults ProjectEndpoints Projection
    RelationshipCountFromCountStore RemoteBatchProperties Repeat RightOuterHashJoin RollUpApply SelectOrAntiSemiApply
    SelectOrSemiApply SemiApply ShortestPath Skip Sort StatefulShortestPath Top TriadicBuild TriadicFilter
    TriadicSelection Union Unwind ValueHashJoin VarLengthExpand""".split()  # noqa: SIM905
)
_PLACE = re.compile(r"\(line 1, column (\d+) \(offset: (\d+)\)\)")
_EXPLAIN = "EXPLAIN "
_LARGE = "the result is larger than {:g} MiB; ask for fewer rows or smaller values"


@dataclass(frozen=True, slots=True)
class CypherResult:
    """The rows of a query: plain values (see ``values.plain``), cut at the limit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    is_cut: bool  # there were more rows than the limit


class Pinned(Protocol):
    """What the guard needs of a view: the epoch it holds, and to see whether it still holds it."""

    @property
    def corpus(self) -> str: ...

    @property
    def epoch(self) -> int: ...

    @property
    def graph(self) -> Graph: ...

    def page_keys(self) -> tuple[PageKey, ...]: ...


def run_cypher(
    server: Neo4jServer,
    query: str,
    parameters: Mapping[str, Any],
    *,
    limit: int = ROWS,
    timeout: float = SECONDS,
    size: int = SIZE,
) -> CypherResult:
    """Run one statement of somebody else's in read access mode, after its text and its plan were looked at.

    It gives ``limit`` rows, of which no more than one further is fetched, within ``timeout`` seconds, on the server and
    here, and ``size`` characters of all values, as JSON. These are counted as the rows come: one row alone is bounded
    by the server's memory and ``timeout``.

    Raises:
        QueryRefused: not valid Cypher, or its text or plan writes, loads or calls what is not listed, and nothing was
            run; or it failed by itself, as a division by zero does.
        StoreUnavailable, StoreRefused: it took too long, or is too large; or as ``Neo4jServer``.
    """
    text, values = checked_text(query), dict(parameters)
    until = time.monotonic() + timeout

    def work(transaction: neo4j.Transaction) -> CypherResult:
        with _errors(timeout):
            _check_plan(_explained(transaction, text, values))
            result = transaction.run(_as_query(text), values)
            rows: list[tuple[Any, ...]] = []
            left = size
            for record in result:
                if time.monotonic() > until:
                    raise StoreUnavailable(_slow(timeout))
                if len(rows) == limit:
                    return CypherResult(tuple(result.keys()), tuple(rows), is_cut=True)
                rows.append(tuple(plain(value) for value in record.values()))
                left -= len(json.dumps(rows[-1], ensure_ascii=False))
                if left < 0:
                    raise StoreRefused(_LARGE.format(size / 2**20))
            return CypherResult(tuple(result.keys()), tuple(rows), is_cut=False)

    return server.explore(work, rows=limit + 1, seconds=timeout)


def run_pinned(
    view: Pinned,
    server: Neo4jServer,
    query: str,
    parameters: Mapping[str, Any],
    *,
    limit: int = ROWS,
    timeout: float = SECONDS,
) -> CypherResult:
    """As ``run_cypher``, with ``$corpus`` and ``$epoch`` of a view whose graph is read from this server; errors are
    those of reading it, too."""
    pinned = {"corpus": view.corpus, "epoch": view.epoch}
    result = run_cypher(server, query, dict(parameters) | pinned, limit=limit, timeout=timeout)
    view.page_keys()  # raises when the view has ended: a vacuumed epoch must not look like an empty one
    view.graph.facts([""])  # looks at the corpus node, after the rows were read
    return result


def _as_query(text: str) -> Any:
    return text  # the driver takes literals only, to keep texts like this one out; it has passed the guard


def _explained(transaction: neo4j.Transaction, text: str, values: dict[str, Any]) -> neo4j.ResultSummary:
    """The plan of the text, not run. Places in messages are those of the query itself."""
    try:
        return transaction.run(_as_query(_EXPLAIN + text), values).consume()
    except driver.ClientError as error:
        if not _is_of_query(error):
            raise
        line = _PLACE.sub(lambda place: f"(line 1, column {int(place[1]) - len(_EXPLAIN)})", first_line(error))
        raise QueryRefused(f"Neo4j says: {line}") from error
    except (OverflowError, ValueError, TypeError) as error:  # the driver's, of what cannot be sent
        raise QueryRefused(f"a parameter cannot be sent to Neo4j: {error}") from error


def _check_plan(summary: neo4j.ResultSummary) -> None:
    if summary.plan is None:
        raise QueryRefused("Neo4j made no plan of this query, so it was not run")
    for operator, details in _operators(summary.plan):
        if operator == "ProcedureCall":
            name = details.partition("(")[0].strip()
            if name not in PROCEDURES:
                raise QueryRefused(f"CALL {name} is refused: of procedures only {', '.join(sorted(PROCEDURES))}")
        elif operator not in _READS and not _SCANS.fullmatch(operator):
            raise QueryRefused(f"the query is refused: its plan has {operator}, which does more than read the graph")
    if summary.query_type != "r":
        raise QueryRefused(f"the query is refused: Neo4j says that it does more than read (type {summary.query_type})")


def _operators(plan: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """(name, details) of each operator; ``Expand(All)@neo4j`` is ``Expand``."""
    waiting = [plan]
    while waiting:
        operator = waiting.pop()
        yield re.split(r"[(@]", operator["operatorType"])[0], str(operator.get("args", {}).get("Details", ""))
        waiting.extend(operator.get("children", ()))


@contextmanager
def _errors(timeout: float) -> Iterator[None]:
    """What is the query's own fault, told in Neo4j's words; the rest is translated by ``Neo4jServer``."""
    try:
        yield
    except driver.Neo4jError as error:
        if "TimedOut" in str(error.code):
            raise StoreUnavailable(_slow(timeout)) from error
        if _is_of_query(error):
            raise QueryRefused(f"Neo4j says: {first_line(error)}") from error
        raise


def _slow(timeout: float) -> str:
    return f"the query took longer than {timeout:g} s; ask for less, or allow more"


def _is_of_query(error: driver.Neo4jError) -> bool:
    return str(error.code).startswith(("Neo.ClientError.Statement.", "Neo.ClientError.Procedure."))


def plain(value: Any) -> Any:  # noqa: PLR0911 - one line a type
    """The value without any type of the driver's.

    ::

        node           {"id", "labels": […], "properties": {…}}
        relationship   {"id", "type", "start", "end", "properties": {…}}, start and end being ids of nodes
        path           {"nodes": […], "relationships": […]}
        temporal       its ISO 8601 form
        point          {"srid", "coordinates": […]}
        bytes          base64
        NaN, infinity  "NaN", "Infinity", "-Infinity"
    """
    match value:
        case None | bool() | int() | str():
            return value
        case dict():
            return {name: plain(item) for name, item in value.items()}
        case Point():
            return {"srid": value.srid, "coordinates": list(value)}
        case list():
            return [plain(item) for item in value]
        case float():
            return value if math.isfinite(value) else json.dumps(value)
        case Node():
            head = {"id": value.element_id, "labels": sorted(value.labels)}
            return head | {"properties": plain(dict(sorted(value.items())))}
        case Relationship():
            start, end = (None if node is None else node.element_id for node in value.nodes)
            ends = {"id": value.element_id, "type": value.type, "start": start, "end": end}
            return ends | {"properties": plain(dict(sorted(value.items())))}
        case Path():
            return {"nodes": [*map(plain, value.nodes)], "relationships": [*map(plain, value.relationships)]}
        case Date() | DateTime() | Duration() | Time():
            return value.iso_format()
        case bytes() | bytearray():
            return base64.b64encode(value).decode("ascii")
    raise StoreRefused(f"Neo4j returned a {type(value).__name__}, which cannot be shown; return its parts")
