"""Pick the source for a location by looking at what is there."""

from __future__ import annotations

from pathlib import Path

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.sources.conditionalqa import ConditionalQASource
from clausegraph.ingestion.sources.folder import FolderSource
from clausegraph.ingestion.sources.passages import PassagesSource, holds_passages
from clausegraph.ingestion.sources.source import Source


def open_source(location: str, name: str | None = None) -> Source:
    """Open a folder of HTML files, one HTML file, a ConditionalQA documents file, or a file of passages.

    Raises:
        SourceError: nothing is there, or it is no source that ClauseGraph knows.
    """
    if "://" in location:
        raise SourceError(f"source {location} is an address; download the pages and give their folder")
    path = Path(location).expanduser()
    if not location.strip() or not path.exists():
        raise SourceError(f"source {location!r} does not exist; give a folder of HTML files or a documents.json")
    if path.is_dir():
        records = path / "documents.json"
        return ConditionalQASource(records, name or path.name) if records.is_file() else FolderSource(path, name)
    if path.suffix.lower() == ".json":
        return PassagesSource(path, name) if holds_passages(path) else ConditionalQASource(path, name)
    return FolderSource(path, name)
