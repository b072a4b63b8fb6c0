"""Mirroring a source into a corpus."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from clausegraph.app.workspace import Workspace

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
