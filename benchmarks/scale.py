"""``scale``: searching a view whose vectors lie in many segments, against the same vectors in one."""

from __future__ import annotations

import random
import time
from typing import Any

from benchmarks.history import CORPUS, History
from benchmarks.show import median, print_table
from benchmarks.workbench import Workbench
from clausegraph.indexes.vacuum import MANY_SEGMENTS
from clausegraph.indexes.views import open_view

QUERIES = 100
LIMITS = {"chunk": 150, "element": 500, "fact": 100}  # what the hybrid ranking asks for
_ALL = 10**9


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print."""
    result = measure(bench.history)
    rows = [
        (kind, entry["vectors"], entry["segments"], entry["many_ms"], entry["one_ms"], f"{entry['ratio']:.2f}",
         entry["many_open_ms"], entry["one_open_ms"])
        for kind, entry in result.items()
    ]  # fmt: skip
    header = ("kind", "vectors", "segments", "ms a search", "ms with one", "ratio", "ms to open", "ms to open one")
    print_table("scale: p50 of a search in a view, many segments against one", [header, *rows])
    return {"kinds": result, "checks": []}


def measure(history: History, queries: int = QUERIES) -> dict[str, dict[str, float]]:
    """Publish changes until there are as many segments as there ever are; search; merge; search the same again."""
    while not history.publishes or history.segments("chunk") < MANY_SEGMENTS:
        if history.publishes:
            history.change()
        history.publish()
    segments = {kind: history.segments(kind) for kind in LIMITS}
    many = search_times(history, queries)
    history.vacuum(_ALL, 0.0)  # removes nothing, merges all
    one = search_times(history, queries)
    return {
        kind: {
            "vectors": many[kind]["vectors"],
            "segments": segments[kind],
            "many_ms": many[kind]["search"],
            "one_ms": one[kind]["search"],
            "ratio": many[kind]["search"] / one[kind]["search"],
            "many_open_ms": many[kind]["open"],
            "one_open_ms": one[kind]["open"],
        }
        for kind in LIMITS
    }


def search_times(history: History, queries: int) -> dict[str, dict[str, float]]:
    """By kind: p50 milliseconds of a search, of the first one (which opens the segments), and the vectors seen."""
    draw = random.Random(1)
    contents = [text for url in sorted(history.pages) for text in history.pages[url]["contents"]]
    asked = [history.embedder.embed_query(text) for text in draw.sample(contents, min(queries, len(contents)))]
    times: dict[str, dict[str, float]] = {}
    with open_view(history.ledger, CORPUS) as view:
        for kind, limit in LIMITS.items():
            spent = []
            for vector in [asked[0], *asked]:
                start = time.perf_counter()
                view.search(kind, vector, limit)
                spent.append((time.perf_counter() - start) * 1000)
            count = len(view.search(kind, asked[0], _ALL))
            times[kind] = {"search": median(spent[1:]), "open": spent[0], "vectors": count}
    return times
