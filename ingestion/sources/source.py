"""What a source of pages is."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.document import SourceDocument


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
