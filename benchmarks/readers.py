"""``readers``: how long reads take, and how long the write lock is held, while a large publish is written.

Every page is published once; then ten editions of each are published as the next epoch, while other processes open a
view, search and close it, and one asks for the write lock all the time.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.edits import copies
from benchmarks.history import CORPUS, DIMENSION, History
from benchmarks.material import REPOSITORY, Record
from benchmarks.show import Check, median, percentile, print_checks, print_table
from benchmarks.workbench import EDITIONS, Workbench

READERS = 2
READ_S, LOCK_S = 1.0, 0.25  # goals: p99 of a read, longest hold


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print."""
    result = measure(bench.material.records, bench.folder / "readers")
    rows = [
        (name, part["reads"], part["read_p50"], part["read_p99"], part["read_most"], part["lock_most"])
        for name, part in result["parts"].items()
    ]
    header = ("while", "reads", "p50 s", "p99 s", "most s", "lock held, most s")
    title = f"readers: {READERS} of them beside a publish of {result['pages']:,} pages, {result['rows']:,} rows"
    print_table(title, [header, *rows])
    whole = result["parts"]["all of the run"]
    checks = [
        Check("p99 of a read", whole["read_p99"], READ_S, "s", decides=False),
        Check("longest hold of the write lock", whole["lock_most"], LOCK_S, "s", decides=False),
    ]
    print_checks(checks)
    return result | {"checks": [check.as_dict() for check in checks]}


def measure(records: list[Record], home: Path, editions: int = EDITIONS, readers: int = READERS) -> dict[str, Any]:
    """Figures of the whole run, and of its last part, in which the rows of the epoch are written."""
    history = History(records, home)
    history.publish()
    beside = [_started("read", home, CORPUS, DIMENSION) for _ in range(readers)] + [_started("lock", home)]
    try:
        history.pages = {record["url"]: record for record in copies(records, editions)}
        begun = time.monotonic()
        report = history.publish()
        ended = time.monotonic()
        outputs = [json.loads(process.communicate("end\n")[0]) for process in beside]
    finally:
        for process in beside:
            process.kill()
            process.wait()
        history.ledger.close()
    reads, holds = [span for spans in outputs[:-1] for span in spans], outputs[-1]
    published = ended - report.seconds["publish"]
    return {
        "pages": len(report.pages_added),
        "rows": sum(counts["opened"] for counts in report.rows.values()),
        "seconds": report.seconds,
        "parts": {
            "all of the run": _figures(reads, holds, begun, ended),
            "its publish": _figures(reads, holds, published, ended),
        },
    }


def _started(*words: object) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "benchmarks.bystander", *map(str, words)]
    return subprocess.Popen(command, cwd=REPOSITORY, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _figures(reads: list[Any], holds: list[Any], since: float, until: float) -> dict[str, float]:
    """Of what began between two moments."""
    took = [seconds for begun, seconds in reads if since <= begun <= until] or [0.0]
    held = [seconds for begun, seconds in holds if since <= begun <= until]
    return {
        "reads": len(took),
        "read_p50": median(took),
        "read_p99": percentile(took, 0.99),
        "read_most": max(took),
        "lock_most": max(held, default=0.0),
    }
