"""A run in steps as a scheduler calls it: each function builds what it needs from the settings, then does one step.

Plain values in and out: a task needs nothing but its :class:`RunRequest` as JSON, and batch ids. Imports nothing heavy
before it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from clausegraph.core.settings import load_settings

if TYPE_CHECKING:
    from clausegraph.ingestion.pipeline import Options, Tools
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.steps import Pace


@dataclass(frozen=True, slots=True)
class RunRequest:
    """One run: its id, what it mirrors into which corpus, and how."""

    id: str
    corpus: str
    source: str
    source_name: str | None = None
    force: bool = False
    limit: int | None = None
    dry_run: bool = False
    batch_chunks: int = 100
    lease: float = 900.0
    web: Mapping[str, Any] = field(default_factory=dict)  # of an address: as ``WebOptions``, without its limits

    def as_dict(self) -> dict[str, Any]:
        """The run as JSON values: what every step takes."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Opened:
    tools: Tools
    source: Source
    options: Options
    pace: Pace


def plan(run: Mapping[str, Any]) -> list[int]:
    """Read what is new; ids of the batches to extract. Errors as ``ingestion.steps.plan_run``."""
    from clausegraph.ingestion.steps import plan_run

    wanted = RunRequest(**run)
    with _opened(wanted) as here:
        return plan_run(here.tools, wanted.corpus, here.source, wanted.id, here.options, here.pace)


def extract(run: Mapping[str, Any], batch: int) -> dict[str, int] | None:
    """Extract one batch; how many chunks were done, reused, failed. Errors as ``ingestion.steps.extract_batch``."""
    from clausegraph.ingestion.steps import extract_batch

    wanted = RunRequest(**run)
    with _opened(wanted) as here:
        return extract_batch(here.tools, wanted.corpus, wanted.id, batch, here.pace)


def extract_all(run: Mapping[str, Any]) -> int:
    """Extract batches until all of the run are done; how many were done here. For workers without a scheduler."""
    from clausegraph.ingestion.steps import extract_batches

    wanted = RunRequest(**run)
    with _opened(wanted) as here:
        return extract_batches(here.tools, wanted.corpus, wanted.id, here.pace)


def embed(run: Mapping[str, Any]) -> dict[str, int]:
    """Embed what is new; how many texts were embedded, reused. Errors as ``ingestion.steps.embed_run``."""
    from clausegraph.ingestion.steps import embed_run

    wanted = RunRequest(**run)
    with _opened(wanted) as here:
        return embed_run(here.tools, wanted.corpus, wanted.id, here.pace)


def publish(run: Mapping[str, Any]) -> int | None:
    """Publish; number of the epoch, or None when nothing changed. Errors as ``ingestion.steps.publish_run``."""
    from clausegraph.ingestion.steps import publish_run

    wanted = RunRequest(**run)
    with _opened(wanted) as here:
        return publish_run(here.tools, wanted.corpus, wanted.id, here.options, here.pace)


def report(run: Mapping[str, Any]) -> dict[str, Any]:
    """End the run; its report, with ``error`` where it failed. Errors as ``ingestion.steps.report_run``."""
    from clausegraph.ingestion.steps import report_run

    wanted = RunRequest(**run)
    with _opened(wanted) as here:
        return report_run(here.tools, wanted.corpus, here.source, wanted.id, here.options, here.pace)


@contextmanager
def _opened(run: RunRequest) -> Iterator[_Opened]:
    from clausegraph.app.observability import observe
    from clausegraph.app.wiring import web_options
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.telemetry.spans import stop_telemetry
    from clausegraph.ingestion.pipeline import Options
    from clausegraph.ingestion.sources import open_source
    from clausegraph.ingestion.steps import Pace

    settings = load_settings(corpus=run.corpus)
    observe(settings)
    try:
        source = open_source(run.source, run.source_name, web_options(settings, run.web))
        options = Options(
            dry_run=run.dry_run,
            force=run.force,
            limit=run.limit,
            keep_epochs=settings.keep_epochs,
            keep_days=settings.keep_days,
        )
        with Workspace(settings) as workspace, workspace.tools(source) as tools:
            yield _Opened(tools, source, options, Pace(run.batch_chunks, run.lease))
    finally:
        stop_telemetry()
