"""A page to its reading: small HTML here, all other in a process with limits on time and memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import PAGE_READERS, SourceDocument
from clausegraph.core.types import Reading
from clausegraph.indexes.truth import raw_hash_of
from clausegraph.ingestion.formats.formats import FORMATS
from clausegraph.ingestion.reading.facts import PageFacts, page_facts
from clausegraph.ingestion.reading.limits import ReadingLimits
from clausegraph.ingestion.reading.page import PageRead, read_page
from clausegraph.ingestion.reading.process import ReadingProcess

SMALL_PAGE = 64 * 1024
"""Bytes that no page known to us needs more than two seconds and 100 MB for (``python -m benchmarks --only pages``)."""

_LONG_TEXT = 256 * 1024  # bytes of a page whose extraction by rules is worth a rehearsal

PageReading = Callable[[SourceDocument], PageRead]


@contextmanager
def page_reading(limits: ReadingLimits, *, rules: bool = False) -> Iterator[PageReading]:
    """How a run reads its pages, one after the other; the process that reads the large ones ends with the block.

    Args:
        rules: whether the pages will be extracted by rules: what that takes counts as part of reading them.
    """
    with closing(ReadingProcess(limits)) as process:

        def read(document: SourceDocument) -> PageRead:
            size = len(document.raw)
            if size > limits.page_bytes:
                return _over(document, limits)
            if not _is_ours(document) or (size <= SMALL_PAGE and document.content_type not in FORMATS):
                return read_page(document)
            return process.read(document, rules=rules and size > _LONG_TEXT)

        yield read


class PageLook:
    """Looks at the pages of a crawl, one after the other; the process that looks at the large ones ends with it.

    Not to be shared by threads.
    """

    def __init__(self, limits: ReadingLimits) -> None:
        self._process = ReadingProcess(limits)
        self._last: tuple[tuple[str, str], PageFacts] | None = None  # a page is stored, then its links are followed

    def __call__(self, raw: bytes, address: str) -> PageFacts:
        """Where a page of HTML leads, what it calls itself, and its words."""
        key = (raw_hash_of(raw), address)
        if self._last is None or self._last[0] != key:
            found = page_facts(raw, address) if len(raw) <= SMALL_PAGE else self._process.facts(raw, address)
            self._last = (key, found)
        return self._last[1]

    def close(self) -> None:
        """End the process."""
        self._process.close()


def _is_ours(document: SourceDocument) -> bool:
    """Whether the reading process knows the page's format too: not one that a program of yours has added."""
    kind = document.media_type
    reader = FORMATS[kind].convert if kind in FORMATS else PAGE_READERS.get(kind)
    return reader is not None and reader.__module__.startswith("clausegraph.")


def _over(document: SourceDocument, limits: ReadingLimits) -> PageRead:
    size, most = len(document.raw) / 1e6, limits.page_bytes / 1e6
    reason = f"the page has {size:.1f} MB; the limit is {most:g} MB"
    return Reading(document.title or document.uri, document.url, ()), (Reject(document.uri, reason),)
