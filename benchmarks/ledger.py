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

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from benchmarks.costs import Workbench
from benchmarks.material import (
    EDITIONS,
    Check,
    Record,
    copies,
    edit_one,
    percentile,
    print_checks,
    print_table,
)
from clausegraph.core.hashing import canonical_json
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.vacuum import vacuum
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import CONDITIONALQA, SourceDocument

CORPUS = "history"
DIMENSION = 384  # as MiniLM's: bytes are then those of a real corpus
PUBLISHES = 100
SHARE = 0.01
KEEP_EPOCHS = 10
SHARE_OF_PAGE = 0.25


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes on disk: the database with its write-ahead log emptied into it, the segments, the log before that."""

    ledger: int
    segments: int
    log: int

    @property
    def total(self) -> int:
        return self.ledger + self.segments


class History:
    """Pages in memory and the ledger that follows them. ``publishes`` has (seconds, report) of every publish."""

    name = CORPUS
    kind = "memory"
    location = "memory"

    def __init__(self, records: Sequence[Record], home: Path, seed: int = 1) -> None:
        self.pages = {record["url"]: record for record in records}
        self.home = home
        self.embedder = HashingEmbedder(DIMENSION)
        self.ledger = open_ledger(home)
        self.publishes: list[tuple[float, RunReport]] = []
        self._draw = random.Random(seed)

    def documents(self) -> Iterator[SourceDocument]:
        """The pages as they are now: this object is a source."""
        for url, record in sorted(self.pages.items()):
            yield SourceDocument(url, canonical_json(record).encode(), CONDITIONALQA, record["title"], url)

    def change(self, share: float) -> int:
        """Edit one element on each of ``share`` of the pages (at least one); returns how many."""
        count = max(1, round(share * len(self.pages)))
        for url in self._draw.sample(sorted(self.pages), count):
            self.pages[url] = edit_one(self.pages[url], self._draw)
        return count

    def publish(self) -> None:
        """Mirror the pages into the ledger."""
        start = time.perf_counter()
        report = ingest(Tools(self.ledger, self.embedder, RuleExtractor()), CORPUS, self)
        self.publishes.append((time.perf_counter() - start, report))

    def vacuum(self, keep_epochs: int) -> None:
        """Vacuum the corpus."""
        corpus = get_corpus(self.ledger, CORPUS)
        with run_lease(self.ledger, corpus.id, "vacuum") as lease:
            vacuum(self.ledger, corpus, lease, keep_epochs, 0.0)

    def sizes(self) -> Sizes:
        """Bytes on disk now."""
        log = self.home / "ledger.db-wal"
        found = log.stat().st_size if log.exists() else 0
        self.ledger.close()  # the last connection empties the log into the database; a later call opens a new one
        files = [path for path in (self.home / "segments").rglob("*") if path.is_file()]
        left = log.stat().st_size if log.exists() else 0
        database = (self.home / "ledger.db").stat().st_size
        return Sizes(database + left, sum(path.stat().st_size for path in files), found)


def run(bench: Workbench) -> dict[str, Any]:
    """Measure ten editions of each page, and print."""
    result = measure(History(copies(bench.material.records, EDITIONS), bench.folder / "history"))
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
    history.vacuum(KEEP_EPOCHS)
    vacuum_s = time.perf_counter() - start
    sizes["vacuum"] = history.sizes()
    first, later = sizes["first"].total, sizes["all"].total
    shares = changed / len(history.pages)  # n x s, with the whole pages that were really changed
    kept = shares * min(1.0, KEEP_EPOCHS / publishes)
    bounds = {"all": first * (1 + shares * SHARE_OF_PAGE), "vacuum": first * (1 + kept * SHARE_OF_PAGE)}
    reports = history.publishes[1:]
    return {
        "pages": len(history.pages),
        "changed": changed // publishes,
        "sizes": sizes,
        "share_of_page": (later - first) / (first * shares),
        "first_s": history.publishes[0][0],
        "publish_s": [seconds for seconds, _ in reports],
        "stages": {name: median([r.seconds[name] for _, r in reports]) for name in reports[0][1].seconds},
        "vacuum_s": vacuum_s,
        "checks": [Check(f"MB after {name}", sizes[name].total / 1e6, bounds[name] / 1e6, "MB") for name in bounds],
    }
