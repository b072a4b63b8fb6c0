"""What a run did, in plain values: printed, stored with the run, and returned to the caller."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pydantic import TypeAdapter

from clausegraph.core.extraction import Reject
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import runs
from clausegraph.ingestion.results import (
    Changes,
    ChunksExtracted,
    ChunksFound,
    Failed,
    Killed,
    PagesFailed,
    Published,
    Recovered,
    Result,
    TextsEmbedded,
    Timed,
    Used,
)


@dataclass(frozen=True, slots=True)
class RunReport:
    """Counts, rejects and seconds of one run. ``epoch`` is None when nothing was published; ``error`` says why the
    run failed, and is empty where it did not."""

    run_id: str
    corpus: str
    source: str
    dry_run: bool = False
    error: str = ""
    epoch: int | None = None
    recovered: str | None = None
    killed: list[str] = field(default_factory=list)  # earlier runs that never came to their end
    pages_added: list[str] = field(default_factory=list)
    pages_changed: list[str] = field(default_factory=list)
    pages_removed: list[str] = field(default_factory=list)
    pages_kept: list[str] = field(default_factory=list)  # missing or unusable now, kept as they were
    pages_failed: list[str] = field(default_factory=list)  # a chunk has no extraction: they stay as they were
    pages_unchanged: int = 0
    pages_left: int = 0  # new or changed beyond the limit of the run: left for the next one
    pages_why: dict[str, str] = field(default_factory=dict)  # why each of these pages; of those left in a dry run only
    chunks_extracted: int = 0
    chunks_reused: int = 0
    chunks_why: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # changed page → reason → chunk keys
    texts_embedded: int = 0
    texts_reused: int = 0
    rows: dict[str, dict[str, int]] = field(default_factory=dict)
    lagging: list[str] = field(default_factory=list)  # projections that miss something, and why
    rejects: list[Reject] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)  # files that are no pages by their names, by ending
    pages_same: dict[str, str] = field(default_factory=dict)  # other addresses of pages: whose, and how it is known
    fetched: dict[str, int] = field(default_factory=dict)  # of a source that is fetched: requests, pages anew, …
    failures: list[Reject] = field(default_factory=list)  # chunks no extraction could be made of, and why
    proposals: dict[str, dict[str, int]] = field(default_factory=dict)  # types and relations the guide lacks
    usage: dict[str, dict[str, float]] = field(default_factory=dict)  # by task: calls, tokens, money, seconds
    seconds: dict[str, float] = field(default_factory=dict)

    def as_dict(self) -> dict[str, object]:
        """The report as JSON values; ``error`` is in it only where the run failed."""
        values = asdict(self)
        return values if self.error else {name: value for name, value in values.items() if name != "error"}


def report_from(values: Mapping[str, Any]) -> RunReport:
    """The report that ``RunReport.as_dict`` gave, also one that an earlier version stored.

    Raises:
        StorageError: it is something else, as where the ledger was damaged.
    """
    known = {field.name for field in fields(RunReport)}
    kept = {name: value for name, value in values.items() if name in known}
    return decode(runs.c.report, values.get("run_id"), kept, TypeAdapter(RunReport).validate_python)


def fold(run_id: str, corpus: str, source: str, results: Iterable[Result], *, dry_run: bool = False) -> RunReport:
    """The report of a run from what its steps returned, in their order."""
    report = RunReport(run_id, corpus, source, dry_run)
    for result in results:
        report = _with(report, result)
    if report.pages_failed and not (report.error or report.pages_added or report.pages_changed):
        first = report.failures[0]
        error = f"no page could be extracted: {len(report.pages_failed)} failed, first {first.what}: {first.reason}"
        return replace(report, error=error)
    return report


def _with(report: RunReport, result: Result) -> RunReport:
    change: dict[str, Any]
    match result:
        case Changes():
            change = _pages(report, result)
        case Recovered(what):
            change = {"recovered": what}
        case Killed(runs):
            change = {"killed": list(runs)}
        case ChunksFound(reused, why):
            listed = {uri: {reason: list(keys) for reason, keys in by.items()} for uri, by in why.items()}
            change = {"chunks_reused": report.chunks_reused + reused, "chunks_why": listed}
        case ChunksExtracted():
            change = _chunks(report, result)
        case PagesFailed(failures):
            change = _failures(report, list(failures))
        case TextsEmbedded(embedded, reused):
            change = {"texts_embedded": report.texts_embedded + embedded, "texts_reused": report.texts_reused + reused}
        case Published(epoch, rows, lagging):
            counts = {table: dict(by) for table, by in rows.items()}
            change = {"epoch": epoch, "rows": counts, "lagging": list(lagging)}
        case Timed(stage, seconds):
            change = {"seconds": report.seconds | {stage: report.seconds.get(stage, 0.0) + seconds}}
        case Used(usage):
            change = {"usage": {task: dict(used) for task, used in usage.items()}}
        case Failed(error):
            change = {"error": error}
    return replace(report, **change)


def _pages(report: RunReport, changes: Changes) -> dict[str, Any]:
    untold = () if report.dry_run else frozenset(changes.left)  # they may be very many
    return {
        "pages_added": list(changes.added),
        "pages_changed": list(changes.changed),
        "pages_removed": list(changes.removed),
        "pages_kept": list(changes.kept),
        "pages_unchanged": changes.unchanged,
        "pages_left": len(changes.left),
        "pages_why": {uri: why for uri, why in changes.why.items() if uri not in untold},
        "rejects": [*report.rejects, *changes.rejects],
        "skipped": dict(changes.skipped),
        "pages_same": dict(changes.same),
        "fetched": dict(changes.fetched),
    }


def _chunks(report: RunReport, extracted: ChunksExtracted) -> dict[str, Any]:
    proposals = {key: _summed(report.proposals.get(key, {}), counts) for key, counts in extracted.proposals.items()}
    return {
        "chunks_extracted": report.chunks_extracted + extracted.count,
        "rejects": [*report.rejects, *extracted.rejects],
        "proposals": report.proposals | proposals,
    }


def _failures(report: RunReport, failures: list[Reject]) -> dict[str, Any]:
    """A page that failed stays as it was: it is neither added nor changed."""
    failed = dict.fromkeys(failure.what for failure in failures)
    return {
        "failures": failures,
        "pages_failed": list(failed),
        "pages_added": [uri for uri in report.pages_added if uri not in failed],
        "pages_changed": [uri for uri in report.pages_changed if uri not in failed],
    }


def _summed(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    """Counts together, most frequent first."""
    both = Counter(one) + Counter(other)
    return dict(sorted(both.items(), key=lambda row: (-row[1], row[0])))
