"""A section of a site: the pages that links lead to, from its first page on, breadth first."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath
from urllib.parse import urlsplit

from clausegraph.core.pages.read import HTML
from clausegraph.core.types import WebMode
from clausegraph.indexes.fetches import FetchRow
from clausegraph.ingestion.fetch import WebLimits
from clausegraph.ingestion.fetch.addresses import shape_of
from clausegraph.ingestion.reading.page import ReadingLimits
from clausegraph.ingestion.sources.web.visits import Visits

_MOST_REPEATED = 3  # times that a path may go through a folder of one name
# What a name says is no page; whatever has another name is asked, and its type decides.
_FILES = frozenset(
    [
        *(".7z", ".bz2", ".gz", ".rar", ".tar", ".zip", ".exe", ".css", ".js", ".json", ".xml", ".rss", ".ics"),
        *(".doc", ".docx", ".odt", ".rtf", ".epub", ".xls", ".xlsx", ".ods", ".csv", ".ppt", ".pptx", ".odp"),
        *(".bmp", ".gif", ".ico", ".jpeg", ".jpg", ".png", ".svg", ".tif", ".tiff", ".webp", ".woff", ".woff2"),
        *(".avi", ".mov", ".mp3", ".mp4", ".ogg", ".wav", ".webm"),
    ]
)
OUTSIDE = "it is outside the section"


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


class SiteSection:
    """Which addresses belong to the section of a site that begins at an address."""

    def __init__(self, start: str, options: WebOptions) -> None:
        parts = urlsplit(start)
        self._place = parts.netloc
        name = parts.path.rpartition("/")[2]
        # "/docs" is a folder as "/docs/" is; "/docs/index.html" lies in one
        self._folder = parts.path[: len(parts.path) - len(name)] if "." in name or not name else f"{parts.path}/"
        self._start = start
        self._options = options

    def why_not(self, address: str) -> str:
        """Why an address is not asked; empty where it is."""
        if address == self._start:
            return ""
        parts = urlsplit(address)
        if parts.netloc != self._place:
            return "it is on another site"
        if not parts.path.startswith(self._folder):
            return OUTSIDE
        path = parts.path + (f"?{parts.query}" if parts.query else "")
        if self._options.include and not _fits(path, self._options.include):
            return "it is not included"
        return "it is excluded" if _fits(path, self._options.exclude) else ""

    def ending(self, address: str) -> str:
        """The ending of a file that is no page; empty of what may be one."""
        ending = PurePosixPath(urlsplit(address).path).suffix.lower()
        if ending == ".pdf":
            return "" if self._options.pdf else ending
        return ending if ending in _FILES else ""


def _fits(path: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(path, pattern if pattern.startswith(("/", "*")) else f"*{pattern}") for pattern in patterns)


class SiteWalk:
    """Walks a section; what it passed over is counted, so that nothing there is taken for gone."""

    def __init__(
        self, visits: Visits, start: str, options: WebOptions, links: Callable[[FetchRow], Sequence[str]]
    ) -> None:
        """Walk the section that begins at ``start``; ``links`` are those of a page."""
        self._visits = visits
        self._section = SiteSection(start, options)
        self._start = start
        self._options = options
        self._links = links
        self._shapes: Counter[str] = Counter()
        self.skipped: Counter[str] = Counter()  # files that are no pages, by ending
        self.found = {start: None}  # in their order: those that are asked, as far as there is room
        self.passed: dict[str, str] = {}  # addresses that were not asked: why

    def walk(self) -> None:
        """Ask every address of the section that a link leads to."""
        waiting = deque([(self._start, 0)])
        seen = {self._start}
        while waiting and not self._visits.cut:
            address, depth = waiting.popleft()
            row = self._visits.reach(address, self._section.why_not)
            if row is None or not row.content_type.startswith(HTML) or (row.address != address and row.address in seen):
                continue
            seen.add(row.address)
            for link in self._links(row):
                if link not in seen and self._takes(link, depth + 1):
                    waiting.append((link, depth + 1))
                    self.found[link] = None
                seen.add(link)
            if len(seen) > self._options.links:
                self._visits.cut = f"the crawl ended when it had seen {self._options.links} different links"

    def _takes(self, link: str, depth: int) -> bool:
        if self._section.why_not(link):
            return False
        if ending := self._section.ending(link):
            self.skipped[ending] += 1
            return False
        problem = f"it is {depth} links away" if depth > self._options.depth else self._trap(link)
        if problem:
            self.passed[link] = problem
        return not problem

    def _trap(self, link: str) -> str:
        folders = Counter(PurePosixPath(urlsplit(link).path).parts)
        if max(folders.values(), default=0) > _MOST_REPEATED:
            return "its path repeats itself"
        shape = shape_of(link)
        if "?" not in shape and shape.count("#") < 2:
            return ""
        self._shapes[shape] += 1
        most = self._options.alike
        return f"there are more than {most} like {shape}" if self._shapes[shape] > most else ""
