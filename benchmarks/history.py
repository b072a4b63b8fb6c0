"""A corpus in memory that changes and is published again and again, with the hashing embedder."""

from __future__ import annotations

import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.edits import edit_one
from benchmarks.material import Record
from clausegraph.core.hashing import canonical_json
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.ledger.store import open_ledger
from clausegraph.indexes.vacuum import VacuumReport, vacuum
from clausegraph.indexes.vectors.segments import listed_segments
from clausegraph.ingestion.extract.rules.extractor import RuleExtractor
from clausegraph.ingestion.pipeline import Tools, ingest
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import CONDITIONALQA, SourceDocument

CORPUS = "history"
DIMENSION = 384  # as MiniLM's: bytes and search times are then those of a real corpus


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
    """Pages and the ledger that follows them. ``publishes`` has (seconds, report) of every publish."""

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

    def change(self, share: float = 0.01) -> int:
        """Edit one element on each of ``share`` of the pages (at least one); returns how many."""
        count = max(1, round(share * len(self.pages)))
        for url in self._draw.sample(sorted(self.pages), count):
            self.pages[url] = edit_one(self.pages[url], self._draw)
        return count

    def publish(self) -> RunReport:
        """Mirror the pages into the ledger."""
        start = time.perf_counter()
        report = ingest(Tools(self.ledger, self.embedder, RuleExtractor()), CORPUS, self)
        self.publishes.append((time.perf_counter() - start, report))
        return report

    def vacuum(self, keep_epochs: int, keep_days: float) -> VacuumReport:
        """Vacuum the corpus."""
        corpus = get_corpus(self.ledger, CORPUS)
        with run_lease(self.ledger, corpus.id, "vacuum") as lease:
            return vacuum(self.ledger, corpus, lease, keep_epochs, keep_days)

    def segments(self, kind: str) -> int:
        """Number of vector segments of a kind."""
        return len(listed_segments(self.ledger, get_corpus(self.ledger, CORPUS).id, kind=kind))

    def sizes(self) -> Sizes:
        """Bytes on disk now."""
        log = self.home / "ledger.db-wal"
        found = log.stat().st_size if log.exists() else 0
        self.ledger.close()  # the last connection empties the log into the database; a later call opens a new one
        files = [path for path in (self.home / "segments").rglob("*") if path.is_file()]
        left = log.stat().st_size if log.exists() else 0
        database = (self.home / "ledger.db").stat().st_size
        return Sizes(database + left, sum(path.stat().st_size for path in files), found)
