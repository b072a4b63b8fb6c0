"""An address, a section of a site, a sitemap, a feed or a file of addresses as a source of pages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from clausegraph.core.errors import SourceError
from clausegraph.ingestion.fetch import WebClient, normalised
from clausegraph.ingestion.fetch.addresses import shown
from clausegraph.ingestion.reading.pages import PageLook
from clausegraph.ingestion.sources.files import kind_of, local
from clausegraph.ingestion.sources.shelf import DryShelf
from clausegraph.ingestion.sources.source import FetchShelf, Item
from clausegraph.ingestion.sources.web.crawl import Crawl
from clausegraph.ingestion.sources.web.options import WebOptions
from clausegraph.ingestion.tools import Progress, no_progress

_ADDRESS = re.compile(r"https?://", re.IGNORECASE)
_NAME = 100


def is_address(location: str) -> bool:
    """Whether a location is an address on the web."""
    return _ADDRESS.match(location.strip()) is not None


def is_address_file(location: str) -> bool:
    """Whether a location is a text file whose first line that is no remark is an address."""
    path = local(location)
    if path.suffix.lower() not in (".txt", ".urls", ".list") or kind_of(path) != "file":
        return False
    with path.open("rb") as file:
        lines = file.read(64 * 1024).decode("utf-8-sig", "replace").splitlines()
    first = next((line.strip() for line in lines if line.strip() and not line.strip().startswith("#")), "")
    return is_address(first)


class WebSource:
    """Pages that are fetched; a page's uri is the address at which it was first found.

    What comes is stored reply by reply (``FetchShelf``), so a run that is killed goes on where it was.
    """

    kind = "web"

    def __init__(self, location: str, name: str | None = None, options: WebOptions = WebOptions()) -> None:
        """Take an address, or the path of a file of addresses; nothing is fetched before :meth:`fetch`.

        Raises:
            SourceError: it is no address that can be fetched.
        """
        self._options = options
        self._file: Path | None = None if is_address(location) else local(location)
        if self._file is not None:
            self.location = str(self._file)
            self.name = name or self._file.stem
        else:
            address = normalised(location)
            if address is None:
                raise SourceError(f"{shown(location)!r} is no address of a page; give one like https://host/path")
            self.location = address
            self.name = name or _name_of(address)
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

    def settle(self) -> None:
        """What was fetched is taken in: the next run asks anew."""
        if self._taken is not None:
            self._taken()
            self._taken = None


def _name_of(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.netloc}{parts.path}".strip("/").replace("/", "_")[:_NAME]
