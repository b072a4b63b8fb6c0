"""Pages that are read for one question and kept nowhere: any source, each page by the reader of its format."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.document import SourceDocument
from clausegraph.core.types import Reading
from clausegraph.ingestion.reading.limits import ReadingLimits
from clausegraph.ingestion.reading.pages import page_reading
from clausegraph.ingestion.sources.detect import open_source
from clausegraph.ingestion.sources.source import Item, StoredDocument, Unlisted
from clausegraph.ingestion.sources.web import WebOptions


@dataclass(frozen=True, slots=True)
class ReadOnce:
    """Readings by uri, in the order of the sources, and what could not be read and why."""

    pages: tuple[tuple[str, Reading], ...]
    rejects: tuple[Reject, ...]


def read_once(locations: Iterable[str], web: WebOptions, limits: ReadingLimits) -> ReadOnce:
    """Read folders, files, addresses and files of addresses; addresses are fetched by the guarded client alone.

    Raises:
        SourceError: a location is nothing that is read, or none of them has a page with text.
    """
    pages: list[tuple[str, Reading]] = []
    rejects: list[Reject] = []
    with page_reading(limits) as read:
        for location in locations:
            for item in open_source(location, None, web).documents():
                document = _document(item)
                if document is None:
                    rejects += _rejected(item)
                    continue
                reading, said = read(document)
                rejects += said
                if reading.elements:
                    pages.append((document.uri, reading))
    if not pages:
        why = f": {rejects[0].reason} ({rejects[0].what})" if rejects else ""
        raise SourceError(f"there is no page to answer from{why}; give a folder, a file, or addresses of pages")
    return ReadOnce(tuple(pages), tuple(rejects))


def _document(item: Item) -> SourceDocument | None:
    if isinstance(item, StoredDocument):
        return item.document()
    return item if isinstance(item, SourceDocument) else None


def _rejected(item: Item) -> list[Reject]:
    if isinstance(item, Unlisted):
        return [Reject(item.prefix, item.reason)]
    return [item] if isinstance(item, Reject) else []
