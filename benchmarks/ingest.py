"""``ingest``: all pages into a fresh home, in a fresh process, against the bare model on the same texts."""

from __future__ import annotations

import json
from typing import Any

from benchmarks.material import REPOSITORY
from benchmarks.process import run_process, worker_command
from benchmarks.show import Check, print_checks, print_table
from benchmarks.workbench import Workbench
from clausegraph.core.settings import Settings

PEAK_LIMIT_MB = 2000.0
GOAL_S = 90.0
_GROUPS = {
    "embedding": ("embedding",),
    "FAISS": ("faiss",),
    "graph and ledger": ("ledger",),
    "Python: read": ("read",),
    "Python: extract": ("extract",),
    "Python: project, list, rest": ("project", "other"),
}


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print; ``added`` is our ingest against the bare model's one call, both without loading.

    Processor time beside wall time, because other work on the machine stretches wall time only.
    """
    figures = bench.ingested
    seconds = shares(figures["seconds"])
    whole = sum(seconds.values())
    result: dict[str, Any] = {"ingest": figures, "groups": seconds}
    rows: list[tuple[object, ...]] = [("where", "seconds", "share")]
    rows += [(name, value, f"{value / whole:.0%}") for name, value in seconds.items()]
    rows.append(("ingest, model loaded", whole, "100%"))
    if bench.model == Settings.model_fields["embedding_model"].default:
        done = run_process(worker_command("embed", str(bench.texts)), REPOSITORY)
        bare = json.loads(done.output)
        result |= {"bare": bare, "added": whole / bare["seconds"], "added_cpu": figures["cpu"] / bare["cpu"]}
        rows.append(("baseline: bare model, same texts, one call", bare["seconds"], f"{bare['seconds'] / whole:.0%}"))
        rows.append(("ingest / baseline: wall, processor", f"{result['added']:.2f}", f"{result['added_cpu']:.2f}"))
        rows.append(("processor s: ingest, baseline", figures["cpu"], f"{bare['cpu']:.1f}"))
        rows.append(("peak MB: ingest, baseline", figures["peak_bytes"] / 1e6, f"{bare['peak_bytes'] / 1e6:,.1f}"))
    counts = ", ".join(f"{figures[name]:,} {name}" for name in ("pages", "chunks", "supports", "texts"))
    print_table(f"ingest: {counts}", rows)
    peak = figures["peak_bytes"] / 1e6
    checks = [
        Check("peak resident memory", peak, PEAK_LIMIT_MB, "MB"),
        Check("whole process with model loading", figures["process"], GOAL_S, "s", decides=False),
    ]
    print_checks(checks)
    return result | {"checks": [check.as_dict() for check in checks]}


def shares(seconds: dict[str, float]) -> dict[str, float]:
    """Seconds by group of labels; a label of no group is an error, not a loss."""
    left = dict(seconds)
    grouped = {name: sum(left.pop(label, 0.0) for label in labels) for name, labels in _GROUPS.items()}
    if left:
        raise ValueError(f"labels of no group: {sorted(left)}")
    return grouped
