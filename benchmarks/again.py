"""``again``: a second ingest with nothing changed, and one after one element was edited; from the command line."""

from __future__ import annotations

import json
import random
from typing import Any

from benchmarks.edits import edit_one, editable
from benchmarks.show import Check, median, print_checks, print_table
from benchmarks.workbench import Workbench

GOAL_S = 3.0
REPEATS = 3
CHUNKS_LIMIT = 2  # an element is in one chunk, and may introduce the items of the next
_COUNTS = ("pages_unchanged", "chunks_extracted", "chunks_reused", "texts_embedded", "texts_reused")


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print."""
    assert bench.ingested
    unchanged = [_ingest(bench) for _ in range(REPEATS)]
    bench.write(one_edit(bench.material.records))
    edited = _ingest(bench)
    bench.write(bench.material.records)
    back = _ingest(bench)
    seconds = median([run["process"] for run in unchanged])
    runs = {"nothing changed": unchanged[0] | {"process": seconds}, "one element edited": edited, "edit undone": back}
    header = ("run", "process s", "pages", *(name.replace("_", " ") for name in _COUNTS))
    rows = [(name, run["process"], run["pages"], *(run[count] for count in _COUNTS)) for name, run in runs.items()]
    print_table(f"again: clausegraph ingest, median of {REPEATS} when nothing changed", [header, *rows])
    checks = [
        Check("nothing changed: pages read", max(run["pages"] for run in unchanged), 0, "pages"),
        Check("nothing changed: chunks extracted", max(run["chunks_extracted"] for run in unchanged), 0, "chunks"),
        Check("nothing changed: texts embedded", max(run["texts_embedded"] for run in unchanged), 0, "texts"),
        Check("nothing changed: epochs published", sum(run["epoch"] is not None for run in unchanged), 0, "epochs"),
        Check("one edit: chunks extracted", edited["chunks_extracted"], CHUNKS_LIMIT, "chunks"),
        Check("edit undone: chunks extracted", back["chunks_extracted"], 0, "chunks"),
        Check("edit undone: texts embedded", back["texts_embedded"], 0, "texts"),
        Check("nothing changed: whole process", seconds, GOAL_S, "s", decides=False),
    ]
    print_checks(checks)
    return {"runs": runs, "checks": [check.as_dict() for check in checks]}


def one_edit(records: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The pages with one element of the first editable page edited."""
    place = next(number for number, record in enumerate(records) if editable(record["contents"]))
    return [*records[:place], edit_one(records[place], random.Random(1)), *records[place + 1 :]]


def _ingest(bench: Workbench) -> dict[str, Any]:
    done = bench.clausegraph("ingest", str(bench.documents), "--json")
    report = json.loads(done.output)
    counts = {name: report[name] for name in _COUNTS}
    pages = len(report["pages_added"]) + len(report["pages_changed"])
    return {"process": done.seconds, "pages": pages, "epoch": report["epoch"], "stages": report["seconds"]} | counts
