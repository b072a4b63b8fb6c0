"""Mirroring a source into a corpus."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ModelError

if TYPE_CHECKING:
    from clausegraph.ingestion.pipeline import Options, Progress
    from clausegraph.ingestion.report import RunReport
    from clausegraph.ingestion.sources import Source


def run_ingest(
    workspace: Workspace, corpus: str, source: Source, options: Options, progress: Progress | None = None
) -> RunReport:
    """Mirror a source into a corpus; errors as ``ingestion.pipeline.ingest``."""
    from clausegraph.ingestion.pipeline import ingest

    settings = workspace.settings
    options = replace(options, keep_epochs=settings.keep_epochs, keep_days=settings.keep_days)
    with workspace.tools(source, progress) as tools:
        return ingest(tools, corpus, source, options)


def mirror_whole(workspace: Workspace, documents: Path, progress: Progress | None = None) -> None:
    """Mirror documents that are about to be measured: without a page of theirs another corpus would be.

    Raises:
        ModelError: a model did not extract every page; what it did extract is kept.
    """
    from clausegraph.ingestion.pipeline import Options
    from clausegraph.ingestion.sources import open_source

    report = run_ingest(workspace, workspace.settings.corpus, open_source(str(documents)), Options(), progress)
    if report.pages_failed:
        why = f"; first {report.failures[0].what}: {report.failures[0].reason}" if report.failures else ""
        raise ModelError(
            f"{len(report.pages_failed)} pages of {documents} have no extraction, so nothing was measured{why}; ask "
            "again, which goes on where this ended, or take another model or prompt"
        )
