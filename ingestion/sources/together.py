"""A ConditionalQA documents file with the files of its folder, as one source."""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from pathlib import Path

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import SourceDocument
from clausegraph.ingestion.sources.conditionalqa import ConditionalQASource
from clausegraph.ingestion.sources.folder import FolderSource
from clausegraph.ingestion.sources.source import Item


class RecordsFolderSource:
    """The pages of a folder's documents file and of the other files below it.

    A page of the documents file has its url as uri, one of a file its path: they do not meet. Where they do, the file
    is a reject. It is named and located as the documents file alone: a folder in which other files turn up stays the
    same source.
    """

    kind = ConditionalQASource.kind

    def __init__(self, folder: Path, records: str, name: str | None = None) -> None:
        """Open ``folder`` with the documents file ``records`` in it.

        Raises:
            SourceError: one of them is not there.
        """
        self._records = ConditionalQASource(folder / records, name or folder.name)
        self._files = FolderSource(folder, name, except_for=frozenset({records}))
        self.name = self._records.name
        self.location = self._records.location

    def documents(self) -> Iterator[Item]:
        """Yield the pages of both in the order of their uris; see ``Source.documents``."""
        before = None
        for item in heapq.merge(self._records.documents(), self._files.documents(), key=_place):
            if not isinstance(item, SourceDocument):
                yield item
            elif item.uri == before:
                yield Reject(item.uri, "a page of the documents file beside it has the same uri; that one is used")
            else:
                before = item.uri
                yield item


def _place(item: Item) -> str:
    match item:
        case SourceDocument():
            return item.uri
        case Reject(what):
            return what
        case _:
            return ""  # yielded before the files
