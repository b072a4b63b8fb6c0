"""What a source of pages is."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import SourceDocument
from clausegraph.ingestion.sources.shelf import FetchShelf
from clausegraph.ingestion.tools import Progress, no_progress


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


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """A page whose bytes are in the ledger already: nobody has to load those of one that is unchanged.

    The fields are those of ``SourceDocument``, with the hash of ``raw`` in its place.
    """

    uri: str
    raw_hash: str
    content_type: str
    url: str | None
    load: Callable[[], bytes]
    title: str | None = None

    def document(self) -> SourceDocument:
        """The page with its bytes."""
        return SourceDocument(self.uri, self.load(), self.content_type, self.title, self.url)


@dataclass(frozen=True, slots=True)
class Gone:
    """A page that the source had, and how it is known that it has it no more."""

    uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class SameAs:
    """Another address of a page: what is there is that page's content, as ``reason`` says."""

    address: str
    uri: str
    reason: str


@dataclass(frozen=True, slots=True)
class Fetched:
    """What fetching the source took: requests, pages that came anew, pages that had not changed, …"""

    counts: Mapping[str, int]


Page = SourceDocument | StoredDocument
Item = Page | Reject | Unlisted | Skipped | Gone | SameAs | Fetched


class Source(Protocol):
    """A named origin of pages. A run mirrors it: a page it no longer yields leaves the corpus."""

    @property
    def name(self) -> str:
        """Short name of the source within its corpus."""

    @property
    def kind(self) -> str:
        """Which kind of source it is: ``folder``, ``conditionalqa``, ``web``, …"""

    @property
    def location(self) -> str:
        """Where it was opened from: an absolute path, or an address."""

    def documents(self) -> Iterator[Item]:
        """Yield pages in the order of their uris, and a reject for each thing that is no usable page.

        Of two pages with one uri the first is used, and the report names the other. A page that is rejected, or below
        what is ``Unlisted``, stays in the corpus as it was. A source that has no page yields none; whether that is
        meant is for the caller to ask. One that is missing or unreadable raises ``SourceError``.
        """


@runtime_checkable
class FetchedSource(Source, Protocol):
    """A source whose pages come over a network: they are fetched within the run, and stored one by one.

    Its ``documents`` are fetched each, without a ledger.
    """

    def fetch(self, shelf: FetchShelf, progress: Progress = no_progress) -> Iterator[Item]:
        """Yield the pages, as ``Source.documents``; what failed is yielded as it was when it last succeeded."""

    def settle(self) -> None:
        """What was fetched is taken in: the next run asks anew."""
