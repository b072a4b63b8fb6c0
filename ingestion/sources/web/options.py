"""What a source on the web is, and how far it goes."""

from __future__ import annotations

from dataclasses import dataclass, field

from clausegraph.core.types import WebMode
from clausegraph.ingestion.fetch import WebLimits
from clausegraph.ingestion.reading.limits import ReadingLimits


@dataclass(frozen=True, slots=True)
class WebOptions:
    """How an address is taken.

    ``mode`` auto: a sitemap or feed where the address looks like one, else one page. ``include`` and ``exclude`` are
    patterns of paths with ``*``, of a site section. ``addresses`` bounds what one run asks for.
    """

    mode: WebMode = "auto"
    depth: int = 10
    addresses: int = 2000
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    pdf: bool = False
    alike: int = 100  # addresses of a site that differ in numbers and values only: a calendar has them without end
    links: int = 300_000  # different ones that are seen, followed or not: they are kept in memory
    only: tuple[str, ...] = ()  # uris of pages to ask alone, beside the crawls
    browser: str = ""  # path of a Chromium that renders pages which only scripts fill
    limits: WebLimits = field(default_factory=WebLimits)
    reading: ReadingLimits = field(default_factory=ReadingLimits)  # of looking at one page
