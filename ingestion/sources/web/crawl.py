"""An address, a section of a site, a sitemap, a feed or a file of addresses as a source, and one crawl of it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from urllib.parse import urlsplit

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.indexes.fetches import FetchRow
from clausegraph.ingestion.fetch import WebClient, WebReply, followed, normalised
from clausegraph.ingestion.fetch.addresses import shape_of, shown
from clausegraph.ingestion.reading.process import PageLook
from clausegraph.ingestion.rendering.process import PageRenderer
from clausegraph.ingestion.sources.folder import is_address, local, read_regular
from clausegraph.ingestion.sources.shelf import DryShelf, FetchShelf
from clausegraph.ingestion.sources.source import Fetched, Gone, Item, SameAs, Skipped, StoredDocument
from clausegraph.ingestion.sources.web.lists import (
    LIST_BYTES,
    LIST_TYPES,
    ListedAddress,
    Listing,
    read_address_file,
    read_list,
)
from clausegraph.ingestion.sources.web.outcome import UNLINKED, UNLISTED, Outcome, last_good, outcome_of
from clausegraph.ingestion.sources.web.site import SiteSection, SiteWalk, WebOptions
from clausegraph.ingestion.sources.web.visits import ASKED_BEFORE, Visits
from clausegraph.ingestion.tools import Progress, no_progress

_LISTS = re.compile(r"(?:\.(?:xml|rss|atom|rdf)(?:\.gz)?$)|(?:^|/)(?:feed|rss|atom|sitemap)s?/?$", re.IGNORECASE)
_NAME = 100  # characters of a name that is made of an address
_PREVIEWED = 5  # addresses of a site that a preview asks
_FILE_BYTES = 5 * 1024 * 1024
_COUNTED = ("received", "not modified", "moved", "gone", "failed", "refused", "rendered", ASKED_BEFORE)


class WebSource:
    """Pages that are fetched; a page's uri is the address at which it was first found.

    What comes is stored reply by reply (``FetchShelf``), so a run that is killed goes on where it was.
    """

    kind = "web"

    def __init__(self, location: str, name: str | None = None, options: WebOptions = WebOptions()) -> None:
        """Take an address, or the path of a file of addresses; nothing is fetched before :meth:`fetch`."""
        self._options = options
        self._file: Path | None = None if is_address(location) else local(location)
        if self._file is not None:
            self.location = str(self._file)
            self.name = name or self._file.stem
        else:
            address = normalised(location)
            if address is None:
                raise SourceError(f"{shown(location)!r} is no address of a page; give one like https://host/path")
            parts = urlsplit(address)
            self.location = address
            self.name = name or f"{parts.netloc}{parts.path}".strip("/").replace("/", "_")[:_NAME]
        self._taken: Callable[[], None] | None = None

    def documents(self) -> Iterator[Item]:
        """Yield the pages, with nothing known of them; see ``Source.documents``."""
        with DryShelf() as shelf:
            yield from self.fetch(shelf)

    def fetch(self, shelf: FetchShelf, progress: Progress = no_progress) -> Iterator[Item]:
        """Yield the pages in the order of their uris; see ``FetchedSource.fetch``."""
        with closing(PageLook(self._options.reading)) as look:
            crawl = Crawl(self.location, self._file, shelf, look, self._options)
            with WebClient(self._options.limits) as client:
                crawl.run(client, progress)
            found = crawl.outcome()
        self._taken = lambda: shelf.end(*crawl.to_keep(found))
        yield from crawl.items(found)

    def preview(self) -> Listing:
        """The addresses that a fetch would ask, by a few requests; ``SourceError`` as of a fetch."""
        options = replace(self._options, addresses=_PREVIEWED)
        with DryShelf() as shelf, closing(PageLook(options.reading)) as look, WebClient(options.limits) as client:
            return Crawl(self.location, self._file, shelf, look, options).preview(client, self._options.addresses)

    def settle(self) -> None:
        """What was fetched is taken in: the next run asks anew."""
        if self._taken is not None:
            self._taken()
            self._taken = None


class Crawl:
    """One crawl of a source: what to ask, and what comes of it."""

    def __init__(
        self, location: str, file: Path | None, shelf: FetchShelf, look: PageLook, options: WebOptions
    ) -> None:
        self._location = location
        self._file = file
        self._shelf = shelf
        self._look = look
        self._options = options
        self._rejects: dict[str, str] = {}
        self._skipped: dict[str, int] = {}
        self._passed: dict[str, str] = {}
        self._passed_shapes: set[str] = set()
        self._whole = True  # whether everything that belongs to the source was asked
        self._linked = False  # whether pages are found by links, and a dead link is nobody's page
        self._requests = 0
        self._elsewhere = 0
        self._sought = 0  # addresses asked only because nothing leads to them any more
        self._lost: set[str] = set()  # those that answered as if nothing were amiss, with what they lead to

    def run(self, client: WebClient, progress: Progress) -> None:
        """Ask what there is to ask."""
        self._begin(client, progress)
        if self._options.only:
            self._alone()
        elif self._file is not None:
            self._listed(self._from_file(self._file))
        elif self._options.mode == "site":
            self._site()
        else:
            found = self._from_list(client, self._options.addresses)
            self._listed(found or Listing({self._location: ListedAddress(self._location)}, kind="page"))
        self._seek()
        self._requests = client.requests

    def preview(self, client: WebClient, most: int) -> Listing:
        """What a list holds, at most so many; of a site what its first pages link to; else the page, if it is there."""
        self._begin(client, no_progress)
        found = None if self._options.mode == "site" else self._from_list(client, most)
        if found is not None:
            return found
        kind = "site" if self._options.mode == "site" else "page"
        asked = {self._location: None}
        if kind == "site":
            walk = SiteWalk(self._visits, self._location, self._options, self._links)
            walk.walk()
            asked = walk.found
        else:
            self._visits.reach(self._location, lambda address: "")
        self._visits.cut = ""  # it was meant to end there
        return Listing({one: ListedAddress(one) for one in asked}, self._problems(), kind=kind)

    def _begin(self, client: WebClient, progress: Progress) -> None:
        options = self._options
        self._visits = Visits(
            client,
            self._shelf,
            self._look,
            options.addresses,
            pdf=options.pdf,
            browser=self._browser(client),
            progress=progress,
        )

    def _browser(self, client: WebClient) -> PageRenderer | None:
        """What renders pages, of which every request is one of the client's."""
        if not self._options.browser:
            return None
        limits = self._options.limits
        return PageRenderer(
            self._options.browser,
            lambda address: followed(lambda at: client.fetch(at, ()), address),
            seconds=limits.render_seconds,
            most=limits.body_bytes,
        )

    def _alone(self) -> None:
        """Ask where these pages are now; nothing is gone because nobody asked for it."""
        self._whole = False
        at = {row.uri: address for address, row in self._visits.rows.items() if row.raw_hash}
        for uri in self._options.only:
            self._visits.reach(at.get(uri, uri), lambda address: "")

    def _site(self) -> None:
        self._linked = True
        walk = SiteWalk(self._visits, self._location, self._options, self._links)
        walk.walk()
        self._skipped, self._passed = dict(walk.skipped), walk.passed
        self._passed_shapes = {shape_of(address) for address in walk.passed}

    def _seek(self) -> None:
        """Ask every address with a page that nothing leads to any more: it may say where the page has moved.

        It has moved where it leads to a page that was named; what fails stays, since nobody said what became of it.
        """
        section = SiteSection(self._location, self._options) if self._linked else None
        visits, named = self._visits, set(self._visits.touched)
        left = [address for address, row in visits.rows.items() if row.uri and row.raw_hash and address not in named]
        for address in sorted(left):
            if visits.cut or not self._unreached(address):
                continue
            before = set(visits.touched)
            visits.reach(address, section.why_not if section else lambda target: "")
            self._sought += 1
            end = self._end(address)
            if end.address not in named and end.outcome not in ("failed", "gone"):
                self._lost |= {address, *(one for one in visits.touched if one not in before)}

    def _end(self, address: str) -> FetchRow:
        """Where an address leads, as far as it was followed."""
        row, seen = self._visits.rows[address], {address}
        while row.outcome == "moved" and row.target in self._visits.rows and row.target not in seen:
            if row.address in self._visits.problems:
                break
            seen.add(row.target)
            row = self._visits.rows[row.target]
        return row

    def _from_file(self, path: Path) -> Listing:
        raw = read_regular(path, _FILE_BYTES)
        if isinstance(raw, str):
            raise SourceError(f"source {path} cannot be used: {raw}")
        found, wrong = read_address_file(raw.decode("utf-8-sig", "replace"))
        self._rejects |= {shown(line): "it is no address of a page" for line in wrong}
        return Listing({address: ListedAddress(address) for address in found}, kind="file")

    def _from_list(self, client: WebClient, most: int) -> Listing | None:
        mode = self._options.mode
        if mode == "page" or (mode == "auto" and not _LISTS.search(urlsplit(self._location).path)):
            return None

        def fetch(address: str) -> WebReply:
            return followed(lambda at: client.fetch(at, LIST_TYPES, most=LIST_BYTES), address)

        found = read_list(self._location, fetch, most)
        if found is None and mode == "auto" and (others := self._other_pages()):
            raise SourceError(
                f"{self._location} is no list of addresses today, and this source has {others} pages that it named; "
                "nothing was changed. If it is one page from now on, give it another --name"
            )
        if found is None and mode != "auto":
            raise SourceError(f"{self._location} is no {mode}: it has no list of addresses in the form of one")
        if found is not None and found.problems and not found.entries:
            raise SourceError(f"{self._location} cannot be read: {next(iter(found.problems.values()))}")
        if found is not None and found.elsewhere and not found.entries:
            raise SourceError(
                f"{self._location} lists only addresses of other sites ({found.elsewhere}), of which it has no say; "
                "give the list at the site itself, or a file of addresses"
            )
        return found

    def _listed(self, listing: Listing) -> None:
        self._rejects |= listing.problems
        self._elsewhere = listing.elsewhere
        self._whole = not listing.problems and listing.kind != "feed"
        if listing.kind == "page" and (others := self._other_pages()):
            self._whole = False
            self._rejects[self._location] = (
                f"it is taken as one page; the {others} other pages of this source stay as they are, and are not asked "
                "(`--as site` follows links, as an earlier run may have done)"
            )
        for entry in listing.entries.values():
            row = self._visits.rows.get(entry.address)
            is_known = row is not None and bool(row.uri) and bool(entry.stated) and row.stated == entry.stated
            if listing.kind != "feed" or not is_known:
                self._visits.reach(entry.address, lambda address: "", entry.stated)

    def _other_pages(self) -> int:
        """How many pages the source has beside the one at its own address."""
        rows = self._visits.rows
        own = rows[self._location].uri if self._location in rows else ""
        return len({row.uri for row in rows.values() if row.uri not in ("", own)})

    def outcome(self) -> Outcome:
        """The pages that follow.

        A first page that leads almost nowhere any more is more often a wall or a fault than a site that was emptied.
        """
        had = [address for address, row in self._visits.rows.items() if row.uri and row.raw_hash]
        lost = [address for address in had if address in self._lost]
        if self._linked and self._whole and len(lost) > max(1, len(had) // 2):
            self._whole = False
            self._rejects[self._location] = (
                f"links lead to only {len(had) - len(lost)} of the {len(had)} addresses that had pages; the others "
                "stay as they are (`clausegraph pages remove` removes them)"
            )
        reached = [address for address in self._visits.touched if address not in self._lost]
        return outcome_of(
            self._visits.rows, reached, self._unreached, lambda row: self._look(self._load(row), row.address).pieces
        )

    def to_keep(self, found: Outcome) -> tuple[list[FetchRow], list[str]]:
        """The rows as the next crawl is to find them, and addresses to forget; of pages asked alone theirs only."""
        if not self._options.only:
            return found.kept, found.dropped
        touched = self._visits.touched
        return [row for row in found.kept if row.address in touched], [one for one in found.dropped if one in touched]

    def _unreached(self, address: str) -> str:
        """Why a page that was not asked is gone; empty where that is not known."""
        if self._visits.cut or not self._whole or address in self._passed or shape_of(address) in self._passed_shapes:
            return ""
        return UNLINKED if self._linked else UNLISTED

    def items(self, found: Outcome) -> Iterator[Item]:
        """The pages in the order of their uris, then what else is to be told."""
        rows = self._visits.rows
        for uri, address in sorted(found.pages.items()):
            row = rows[address]
            yield StoredDocument(uri, row.raw_hash, row.content_type, address, lambda row=row: self._load(row))  # type: ignore[misc]
        for uri, why in sorted(found.gone.items()):
            if uri not in found.same:
                yield Gone(uri, why)
        for address, (uri, why) in sorted(found.same.items()):
            yield SameAs(address, uri, why)
        yield from (Reject(what, why) for what, why in sorted(self._problems().items()))
        if self._skipped:
            yield Skipped(dict(sorted(self._skipped.items())))
        yield Fetched(self._counts())

    def _problems(self) -> dict[str, str]:
        """What went wrong, by address; a dead link is only counted, what was asked for by name is told."""
        rows = self._visits.rows
        found = dict(self._rejects)
        if self._visits.cut:
            found[self._location] = f"{self._visits.cut}; pages that it did not come to stay as they are"
        dropped = self._lost if self._whole and not self._visits.cut else set()  # of these nothing stays
        for address in self._visits.touched:
            if address in dropped:
                continue
            row = rows[address]
            if row.outcome in ("failed", "refused"):
                found[address] = row.reason + last_good(row)
            elif row.outcome == "gone" and not row.uri and (not self._linked or address == self._location):
                found[address] = row.reason
        for address, why in self._visits.problems.items():
            if address not in dropped:
                found[address] = why + last_good(rows[address])
        return found

    def _counts(self) -> dict[str, int]:
        seen = self._visits.counts
        counts = {"requests": self._requests} | {name: seen[name] for name in _COUNTED if seen[name]}
        if self._elsewhere:
            counts["on other sites"] = self._elsewhere
        if self._sought:
            counts["asked once more before they are called gone"] = self._sought
        for reason in sorted(set(self._passed.values())):
            counts[f"not asked: {reason}"] = sum(one == reason for one in self._passed.values())
        return counts

    def _load(self, row: FetchRow) -> bytes:
        return self._shelf.load(row.raw_hash)

    def _links(self, row: FetchRow) -> Sequence[str]:
        found = self._look(self._load(row), row.address)
        if found.problem:
            self._whole = False
            self._rejects[row.address] = f"not all of its links are known: {found.problem}; no page is taken for gone"
        return found.links
