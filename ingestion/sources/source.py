"""What a source of pages is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.document import SourceDocument


@dataclass(frozen=True, slots=True)
class Unlisted:
    """A part of a source that could not be listed: what it holds is not known, so its pages stay as they are.

    ``prefix`` begins the uris of its pages and ends with "/".
    """

    prefix: str
    reason: str


@dataclass(frozen=True, slots=True)
class Skipped:
    """How many files were passed over because they are no pages by their names, by ending; "" for all others."""

    counts: Mapping[str, int]


Item = SourceDocument | Reject | Unlisted | Skipped


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

    def documents(self) -> Iterator[Item]:
        """Yield pages in the order of their uris, and a reject for each thing that is no usable page.

        A page that is rejected, or below what is ``Unlisted``, stays in the corpus as it was. A source that has no
        page yields none; whether that is meant is for the caller to ask.

        Raises:
            SourceError: the source is missing or unreadable; a caller that had not yet changed anything then changes
                nothing.
        """
