"""Pick the source for a location by looking at what is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from clausegraph.core.errors import SourceError
from clausegraph.core.text import checked_name, is_text
from clausegraph.ingestion.sources.folder import FolderSource, is_address, is_address_file, kind_of, local
from clausegraph.ingestion.sources.records import (
    ConditionalQASource,
    PassagesSource,
    RecordsFolderSource,
    holds_passages,
)
from clausegraph.ingestion.sources.source import Source
from clausegraph.ingestion.sources.web.crawl import WebSource
from clausegraph.ingestion.sources.web.site import WebOptions

_RECORDS = "documents.json"
_SHOWN = 200  # characters of a location in a message


@dataclass(frozen=True, slots=True)
class SourceKind:
    """One kind of source: which locations are it, how one is opened (with the name it is given, if any), and what it
    is called where a location fits none: "a documents.json"."""

    fits: Callable[[str], bool]
    open: Callable[[str, str | None], Source]
    about: str


def _is_json(location: str) -> bool:
    return kind_of(local(location)) == "file" and local(location).suffix.lower() == ".json"


def _open_records(location: str, name: str | None) -> Source:
    path = local(location)
    if kind_of(path) == "folder":
        return RecordsFolderSource(path, _RECORDS, name)
    return ConditionalQASource(path, name)


# The first that fits is taken; a new kind of source is one more line here, above the last, which fits any path.
SOURCE_KINDS: list[SourceKind] = [
    SourceKind(
        lambda location: _is_json(location) and holds_passages(local(location)),
        lambda location, name: PassagesSource(local(location), name),
        "a file of passages",
    ),
    SourceKind(
        lambda location: _is_json(location) or kind_of(local(location) / _RECORDS) == "file",
        _open_records,
        "a documents.json",
    ),
    SourceKind(
        lambda location: kind_of(local(location)) != "nothing",
        lambda location, name: FolderSource(local(location), name),
        "a folder of files, one file",
    ),
]


def open_source(location: str, name: str | None = None, web: WebOptions = WebOptions()) -> Source:
    """Open a folder of files, one file, a ConditionalQA documents file, a file of passages, an address on the
    web, or a file of addresses; ``web`` says how such are fetched. Nothing is fetched yet."""
    if not is_text(location):
        raise SourceError(f"source {location[:_SHOWN]!a} has a path that is not valid UTF-8; rename it")
    named = None if name is None else _checked(name)
    on_web = SourceKind(
        lambda place: is_address(place) or is_address_file(place),
        lambda place, called: WebSource(place, called, web),
        "an address",
    )
    kind = next((kind for kind in (on_web, *SOURCE_KINDS) if location.strip() and kind.fits(location)), None)
    if kind is None:
        raise SourceError(_why_none(location))
    opened = kind.open(location, named)
    return opened if opened.name == _checked(opened.name) else kind.open(location, _checked(opened.name))


def _checked(name: str) -> str:
    return checked_name(name, "source", "give another with --source-name NAME")


def _why_none(location: str) -> str:
    shown = repr(location[:_SHOWN])
    fix = f"give {', '.join(kind.about for kind in reversed(SOURCE_KINDS))}, or an address"
    if "://" in location:
        return f"source {shown} is an address that is not fetched; give one of http or https"
    try:
        local(location).stat()
    except (FileNotFoundError, NotADirectoryError):
        return f"source {shown} does not exist; {fix}"
    except (OSError, ValueError) as error:  # not the one only: a NUL byte in it
        reason = getattr(error, "strerror", None) or error
        return f"source {shown} cannot be opened: {reason}; {fix}"
    return f"source {shown} is no source that ClauseGraph knows; {fix}"
