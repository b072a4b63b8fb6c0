"""One run in the logs and the traces: its ids on everything inside, its figures at the end."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from clausegraph.core.errors import ClauseGraphError
from clausegraph.core.telemetry.logs import log_fields, logger
from clausegraph.core.telemetry.redaction import error_fields
from clausegraph.core.telemetry.spans import span
from clausegraph.ingestion.report import RunReport

_log = logger(__name__)


@contextmanager
def watched_run(report: RunReport) -> Iterator[None]:
    """The block is the run of the report: the span ``ingest``, and the events ``run.start`` and ``run.end``."""
    with log_fields(corpus=report.corpus, run=report.run_id):
        _log.info("run.start", source=report.source)
        with span("ingest", corpus=report.corpus, run=report.run_id, source=report.source) as run:
            try:
                yield
            except (ClauseGraphError, KeyboardInterrupt) as error:
                run.set(**_figures(report))
                _log.info("run.end", outcome="failed", **_figures(report), **error_fields(error))
                raise
            run.set(**_figures(report), **_used(report))
        _log.info("run.end", outcome="done", **_figures(report), **_used(report))


def _figures(report: RunReport) -> dict[str, int | float | None]:
    return {
        "epoch": report.epoch,
        "pages_added": len(report.pages_added),
        "pages_changed": len(report.pages_changed),
        "pages_removed": len(report.pages_removed),
        "pages_kept": len(report.pages_kept),
        "pages_failed": len(report.pages_failed),
        "pages_unchanged": report.pages_unchanged,
        "chunks_extracted": report.chunks_extracted,
        "chunks_reused": report.chunks_reused,
        "texts_embedded": report.texts_embedded,
        "texts_reused": report.texts_reused,
        "rejects": len(report.rejects),
    }


def _used(report: RunReport) -> dict[str, int | float]:
    """What the models of the run used, over all tasks; nothing where none was called."""
    totals: dict[str, int | float] = {}
    for used in report.usage.values():
        for name in ("calls", "prompt_tokens", "output_tokens", "money"):
            totals[name] = totals.get(name, 0) + used.get(name, 0)
    return totals
