"""What a run did, in plain values: printed, stored with the run, and returned to the caller."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field

from clausegraph.core.extraction import Reject
from clausegraph.core.telemetry.spans import span


@dataclass(slots=True)
class RunReport:
    """Counts, rejects and seconds of one ingestion run. ``epoch`` is None when nothing was published."""

    run_id: str
    corpus: str
    source: str
    dry_run: bool = False
    epoch: int | None = None
    recovered: str | None = None
    pages_added: list[str] = field(default_factory=list)
    pages_changed: list[str] = field(default_factory=list)
    pages_removed: list[str] = field(default_factory=list)
    pages_kept: list[str] = field(default_factory=list)  # missing or unusable now, kept as they were
    pages_failed: list[str] = field(default_factory=list)  # a chunk has no extraction: they stay as they were
    pages_unchanged: int = 0
    pages_left: int = 0  # new or changed beyond the limit of the run: left for the next one
    chunks_extracted: int = 0
    chunks_reused: int = 0
    texts_embedded: int = 0
    texts_reused: int = 0
    rows: dict[str, dict[str, int]] = field(default_factory=dict)
    lagging: list[str] = field(default_factory=list)  # projections that miss something, and why
    rejects: list[Reject] = field(default_factory=list)
    failures: list[Reject] = field(default_factory=list)  # chunks no extraction could be made of, and why
    proposals: dict[str, dict[str, int]] = field(default_factory=dict)  # types and relations the guide lacks
    usage: dict[str, dict[str, float]] = field(default_factory=dict)  # by task: calls, tokens, money, seconds
    seconds: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Add the wall time of the block to ``seconds[stage]``; the block is a span too."""
        start = time.perf_counter()
        try:
            with span(f"ingest.{stage}", corpus=self.corpus, run=self.run_id, source=self.source):
                yield
        finally:
            self.seconds[stage] = self.seconds.get(stage, 0.0) + time.perf_counter() - start

    def fail(self, uri: str) -> None:
        """The page stays as it was: it is neither added nor changed."""
        for uris in (self.pages_added, self.pages_changed):
            if uri in uris:
                uris.remove(uri)
        self.pages_failed.append(uri)

    @property
    def changes_pages(self) -> bool:
        return bool(self.pages_added or self.pages_changed or self.pages_removed)

    def as_dict(self) -> dict[str, object]:
        """The report as JSON values."""
        return asdict(self)
