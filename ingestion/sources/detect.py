"""Pick the source for a location by looking at what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.sources.conditionalqa import ConditionalQASource
from clausegraph.ingestion.sources.folder import FolderSource
from clausegraph.ingestion.sources.passages import PassagesSource, holds_passages
from clausegraph.ingestion.sources.source import Source

_RECORDS = "documents.json"


@dataclass(frozen=True, slots=True)
class SourceKind:
    """One kind of source: which locations are it, and how one is opened (with the name it is given, if any)."""

    fits: Callable[[str], bool]
    open: Callable[[str, str | None], Source]


def _local(location: str) -> Path:
    return Path(location).expanduser()


def _is_json(location: str) -> bool:
    return _local(location).is_file() and _local(location).suffix.lower() == ".json"


def _open_records(location: str, name: str | None) -> Source:
    path = _local(location)
    return ConditionalQASource(path / _RECORDS, name or path.name) if path.is_dir() else ConditionalQASource(path, name)


# The first that fits is taken; a new kind of source is one more line here.
SOURCE_KINDS: list[SourceKind] = [
    SourceKind(
        lambda location: _is_json(location) and holds_passages(_local(location)),
        lambda location, name: PassagesSource(_local(location), name),
    ),
    SourceKind(lambda location: _is_json(location) or (_local(location) / _RECORDS).is_file(), _open_records),
    SourceKind(
        lambda location: _local(location).exists(),
        lambda location, name: FolderSource(_local(location), name),
    ),
]


def open_source(location: str, name: str | None = None) -> Source:
    """Open a folder of HTML files, one HTML file, a ConditionalQA documents file, or a file of passages.

    Raises:
        SourceError: nothing is there, or it is no source that ClauseGraph knows.
    """
    kind = next((kind for kind in SOURCE_KINDS if location.strip() and kind.fits(location)), None)
    if kind is not None:
        return kind.open(location, name)
    if "://" in location:
        raise SourceError(f"source {location} is an address; download the pages and give their folder")
    raise SourceError(f"source {location!r} does not exist; give a folder of HTML files or a documents.json")
