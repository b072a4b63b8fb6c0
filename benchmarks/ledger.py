"""``ledger``: what a hundred small publishes add to the disk, and what vacuum gives back.

The bound. A publish changes a share s of the pages, one element on each. It can add no more than those pages
took at first (everything about them stored again), so bytes after n publishes <= first x (1 + n s). Better: of a
changed page only the page version (raw bytes and reading), one chunk of many and the few texts that hold the
element are new. With c the share of a page's bytes that such a change may add,

    bytes after n publishes <= first x (1 + n s c)         c = SHARE_OF_PAGE

Vacuum that keeps k epochs leaves the newest state and the changes of k - 1 publishes, so its bound is the same
with n = k; what the changes before them took must have gone.
"""

from __future__ import annotations

import time
from typing import Any

from benchmarks.history import History, Sizes
from benchmarks.show import Check, median, percentile, print_checks, print_table
from benchmarks.workbench import Workbench

PUBLISHES = 100
SHARE = 0.01
KEEP_EPOCHS = 10
SHARE_OF_PAGE = 0.25


def run(bench: Workbench) -> dict[str, Any]:
    """Measure and print."""
    result = measure(bench.history)
    sizes: dict[str, Sizes] = result.pop("sizes")
    header = ("bytes after", "ledger", "segments", "both", "against first", "log before")
    first = sizes["first"]
    rows = [
        (name, size.ledger, size.segments, size.total, f"{size.total / first.total:.4f}", size.log)
        for name, size in sizes.items()
    ]
    print_table(f"ledger: {result['pages']:,} pages, {result['changed']} changed by each publish", [header, *rows])
    print(f"  a change added {result['share_of_page']:.3f} of its page's bytes (c; bound {SHARE_OF_PAGE})")
    stages = ", ".join(f"{name} {value:.2f}" for name, value in result["stages"].items())
    times = result["publish_s"]
    slow = f"p95 {percentile(times, 0.95):.2f} s, most {max(times):.2f} s (with a merge of segments)"
    print(f"  first publish {result['first_s']:.1f} s; then p50 {median(times):.2f} s, {slow}")
    print(f"  p50 of stages, s: {stages}; vacuum {result['vacuum_s']:.1f} s")
    checks: list[Check] = result.pop("checks")
    print_checks(checks)
    plain = {name: {"ledger": size.ledger, "segments": size.segments} for name, size in sizes.items()}
    return result | {"sizes": plain, "checks": [check.as_dict() for check in checks]}


def measure(history: History, publishes: int = PUBLISHES) -> dict[str, Any]:
    """Publish once, then ``publishes`` times with changes, then vacuum: sizes, seconds and checks."""
    history.publish()
    sizes = {"first": history.sizes()}
    changed = 0
    for _ in range(publishes):
        changed += history.change(SHARE)
        history.publish()
    sizes["all"] = history.sizes()
    start = time.perf_counter()
    history.vacuum(KEEP_EPOCHS, 0.0)
    vacuum_s = time.perf_counter() - start
    sizes["vacuum"] = history.sizes()
    first, later = sizes["first"].total, sizes["all"].total
    shares = changed / len(history.pages)  # n x s, with the whole pages that were really changed
    kept = shares * min(1.0, KEEP_EPOCHS / publishes)
    bounds = {"all": first * (1 + shares * SHARE_OF_PAGE), "vacuum": first * (1 + kept * SHARE_OF_PAGE)}
    checks = [Check(f"MB after {name}", sizes[name].total / 1e6, bounds[name] / 1e6, "MB") for name in bounds]
    later_reports = history.publishes[1:]
    stages = {name: median([r.seconds[name] for _, r in later_reports]) for name in later_reports[0][1].seconds}
    return {
        "pages": len(history.pages),
        "changed": changed // publishes,
        "sizes": sizes,
        "share_of_page": (later - first) / (first * shares),
        "first_s": history.publishes[0][0],
        "publish_s": [seconds for seconds, _ in later_reports],
        "stages": stages,
        "vacuum_s": vacuum_s,
        "checks": checks,
    }
