"""What a source hands over: the raw bytes of a page with what the source itself knows about it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from clausegraph.core.extraction import Reject

HTML = "text/html"
CONDITIONALQA = "application/x-conditionalqa+json"

MAX_PAGE_BYTES = 20 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class SourceDocument:
    """One page as its source has it.

    ``uri`` is unique within the source and stable between runs. ``content_type`` is ``HTML`` or
    ``CONDITIONALQA``; for the latter ``raw`` is the canonical JSON of title, url and contents. ``title``
    and ``url`` are set only where the source states them, apart from the page itself.
    """

    uri: str
    raw: bytes
    content_type: str = HTML
    title: str | None = None
    url: str | None = None


class Source(Protocol):
    """A named origin of pages. A run mirrors it: a page it no longer yields leaves the corpus."""

    @property
    def name(self) -> str:
        """Short name of the source within its corpus."""

    @property
    def kind(self) -> str:
        """Which kind of source it is: ``folder`` or ``conditionalqa``."""

    @property
    def location(self) -> str:
        """Where it was opened from: an absolute path."""

    def documents(self) -> Iterator[SourceDocument | Reject]:
        """Yield pages in the order of their uris, and a reject for each thing that is no usable page.

        Raises:
            SourceError: the source is missing or unreadable, or it yielded no page at all (raised after
                its rejects); a caller that had not yet changed anything then changes nothing.
        """
