"""Values of Neo4j's driver as plain ones that JSON can hold."""

from __future__ import annotations

import base64
import math
from typing import Any

from neo4j.graph import Node, Path, Relationship
from neo4j.spatial import Point
from neo4j.time import Date, DateTime, Duration, Time

from clausegraph.core.errors import StoreRefused


def plain(value: Any) -> Any:
    """The value without any type of the driver's.

    ::

        node           {"id", "labels": […], "properties": {…}}
        relationship   {"id", "type", "start", "end", "properties": {…}}, start and end being ids of nodes
        path           {"nodes": […], "relationships": […]}
        temporal       its ISO 8601 form
        point          {"srid", "coordinates": […]}
        bytes          base64
        NaN, infinity  "NaN", "Infinity", "-Infinity"

    Raises:
        StoreRefused: a type that this version does not know.
    """
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    if isinstance(value, list):
        return [plain(item) for item in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else _unbounded(value)
    if value is None or isinstance(value, (bool, int, str)):
        return value
    return _of_driver(value)


def _of_driver(value: Any) -> Any:
    if isinstance(value, (Node, Relationship, Path)):
        return _of_graph(value)
    if isinstance(value, Point):
        return {"srid": value.srid, "coordinates": list(value)}
    if isinstance(value, (Date, DateTime, Duration, Time)):
        return value.iso_format()
    if isinstance(value, (bytes, bytearray)):
        return base64.b64encode(value).decode("ascii")
    raise StoreRefused(f"Neo4j returned a {type(value).__name__}, which cannot be shown; return its parts")


def _unbounded(number: float) -> str:
    if math.isnan(number):
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def _of_graph(value: Node | Relationship | Path) -> dict[str, Any]:
    if isinstance(value, Node):
        return {"id": value.element_id, "labels": sorted(value.labels), "properties": _properties(value)}
    if isinstance(value, Relationship):
        start, end = (None if node is None else node.element_id for node in value.nodes)
        head = {"id": value.element_id, "type": value.type, "start": start, "end": end}
        return head | {"properties": _properties(value)}
    return {
        "nodes": [_of_graph(node) for node in value.nodes],
        "relationships": [_of_graph(relationship) for relationship in value.relationships],
    }


def _properties(holder: Node | Relationship) -> dict[str, Any]:
    return {name: plain(value) for name, value in sorted(holder.items())}
