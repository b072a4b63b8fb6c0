"""Pages that are read for one question and kept nowhere: any source, each page by the reader of its format."""

from __future__ import annotations

import math
import os
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, nullcontext
from dataclasses import dataclass
from queue import SimpleQueue

from clausegraph.core.errors import SourceError
from clausegraph.core.extraction import Reject
from clausegraph.core.pages.read import SourceDocument, nothing_read
from clausegraph.core.types import Reading
from clausegraph.ingestion.reading.page import PageRead, ReadingLimits
from clausegraph.ingestion.reading.process import SMALL_PAGE, PageReading, page_reading
from clausegraph.ingestion.sources.source import Item, StoredDocument, Unlisted

_AT_ONCE = min(4, os.cpu_count() or 1)  # large pages, each in a process of its own
_HERE = threading.Lock()  # small pages are read in this process, one at a time


@dataclass(frozen=True, slots=True)
class ReadOnce:
    """Readings by uri, in the order of the sources, and what could not be read and why."""

    pages: tuple[tuple[str, Reading], ...]
    rejects: tuple[Reject, ...]


class PageReaders:
    """Reads the pages of a question, some at once; questions on several threads may share it."""

    def __init__(self, readers: Iterable[PageReading]) -> None:
        self._free = SimpleQueue[PageReading]()
        for one in readers:
            self._free.put(one)

    def read(
        self, items: Iterable[Item], *, until: float = math.inf, told: Callable[[], None] = lambda: None
    ) -> ReadOnce:
        """Read what a source yields; a page that is not begun by ``until`` (``time.monotonic()``) is a reject. ``told``
        is called before each item; what it raises ends the reading."""
        pages: list[tuple[str, Reading]] = []
        rejects: list[Reject] = []
        waiting: deque[tuple[str, Future[PageRead]]] = deque()

        def take() -> None:
            uri, page = waiting.popleft()
            reading, said = page.result()
            rejects.extend(said)
            if reading.elements:
                pages.append((uri, reading))

        pool = ThreadPoolExecutor(_AT_ONCE, "reading")
        try:
            for item in items:
                told()
                match item:
                    case Reject():
                        rejects.append(item)
                    case Unlisted(prefix, reason):
                        rejects.append(Reject(prefix, reason))
                    case SourceDocument() | StoredDocument():
                        document = item if isinstance(item, SourceDocument) else item.document()
                        waiting.append((document.uri, pool.submit(self._read, document, until)))
                if len(waiting) > 2 * _AT_ONCE:
                    take()
            while waiting:
                told()
                take()
        finally:
            pool.shutdown(cancel_futures=True)
        return ReadOnce(tuple(pages), tuple(rejects))

    def _read(self, document: SourceDocument, until: float) -> PageRead:
        if time.monotonic() >= until:
            return nothing_read(document, "there was no time left to read it")
        reader = self._free.get()
        try:
            with _HERE if len(document.raw) <= SMALL_PAGE else nullcontext():
                return reader(document)
        finally:
            self._free.put(reader)


@contextmanager
def page_readers(limits: ReadingLimits) -> Iterator[PageReaders]:
    """Readers of pages; their processes begin with the first large page and end with the block."""
    with ExitStack() as stack:
        yield PageReaders([stack.enter_context(page_reading(limits)) for _ in range(_AT_ONCE)])


def no_page(read: ReadOnce) -> SourceError:
    """The error of a question without a page that has text, with why the first one has none."""
    why = f": {read.rejects[0].reason} ({read.rejects[0].what})" if read.rejects else ""
    return SourceError(f"there is no page to answer from{why}; give pages that have text")
