"""A page to its reading: small HTML here, all other in a process with limits on time and memory (``child.py``)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import IO, Any, cast

from clausegraph.core.extraction import Reject
from clausegraph.core.language.normalise import visible
from clausegraph.core.pages.read import PAGE_READERS, SourceDocument, nothing_read
from clausegraph.core.serial import reading_from_json
from clausegraph.indexes.truth import raw_hash_of
from clausegraph.ingestion.formats.formats import FORMATS
from clausegraph.ingestion.reading.facts import PageFacts, page_facts
from clausegraph.ingestion.reading.frames import FrameTooLong, read_frame, write_frame
from clausegraph.ingestion.reading.page import PageRead, ReadingLimits, read_page

SMALL_PAGE = 64 * 1024
"""Bytes that no page known to us needs more than two seconds and 100 MB for (``python -m benchmarks --only pages``)."""

_LONG_TEXT = 256 * 1024  # bytes of a page whose extraction by rules is worth a rehearsal

PageReading = Callable[[SourceDocument], PageRead]
# All that the reading process is told of this one's environment: it reads strangers' pages and needs no key
_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "LC_CTYPE", "TMPDIR", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_MEMORY = ("MemoryError", "memory allocation of", "bad_alloc")  # how Python, Rust and C++ end without memory


@contextmanager
def page_reading(limits: ReadingLimits, *, rules: bool = False) -> Iterator[PageReading]:
    """How a run reads its pages, one after the other; the process that reads the large ones ends with the block.
    ``rules``: the pages will be extracted by rules, and what that takes counts as part of reading them."""
    with closing(ReadingProcess(limits)) as process:

        def read(document: SourceDocument) -> PageRead:
            size = len(document.raw)
            if size > limits.page_bytes:
                most = limits.page_bytes / 1e6
                return nothing_read(document, f"the page has {size / 1e6:.1f} MB; the limit is {most:g} MB")
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


class ReadingProcess:
    """Reads pages in a process of its own, which is started for the first page and again after a page has ended it.

    Not to be shared by threads. Close it: no process is left.
    """

    def __init__(self, limits: ReadingLimits) -> None:
        self._limits = limits
        self._child: subprocess.Popen[bytes] | None = None
        self._said: IO[bytes] | None = None  # what the process writes to stderr
        self.took: tuple[float, int] | None = None
        """Processor seconds of the page that was read last, and most bytes the process held beyond its start."""

    def read(self, document: SourceDocument, *, rules: bool) -> PageRead:
        """The page's reading with its chunks; over a limit it has no elements, and one reject says why."""
        why, reply = self._answer(document, {"task": "read", "rules": rules})
        if why:
            return nothing_read(document, why)
        return reading_from_json(reply["reading"]), tuple(Reject(*reject) for reject in reply["rejects"])

    def facts(self, raw: bytes, address: str) -> PageFacts:
        """What a crawl needs of a page of HTML; over a limit none of it, and why."""
        why, reply = self._answer(SourceDocument(address, raw), {"task": "facts"})
        if why:
            return PageFacts(problem=why)
        found = reply["facts"]
        return PageFacts(tuple(found["links"]), found["canonical"], tuple(found["pieces"]), found["problem"])

    def close(self) -> None:
        """End the process, whatever it does."""
        child, self._child = self._child, None
        if child is None:
            return
        child.kill()
        with suppress(BrokenPipeError):  # it has ended in the middle of a request
            child.communicate()
        if self._said is not None:
            self._said.close()

    def _answer(self, document: SourceDocument, task: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        """Why there is no reply, or nothing, and the reply; a page is judged by itself alone."""
        fresh = self._child is None
        why, reply = self._ask(document, task)
        if why and not fresh and why != self._too_slow(document):
            # earlier pages may have left memory behind, or somebody has ended it
            why, reply = self._ask(document, task)
        self.took = None if why else (reply["seconds"], reply["bytes"])
        return why, reply

    def _ask(self, document: SourceDocument, task: dict[str, Any]) -> tuple[str, dict[str, Any]]:
        child = self._started()
        about = {"uri": document.uri, "title": document.title, "url": document.url}
        values = {
            "document": about | {"content_type": document.content_type},
            "seconds": self._seconds(document),
        } | task
        try:
            with suppress(BrokenPipeError):  # it has ended: its reply is none
                write_frame(cast(Any, child.stdin), values, document.raw)
            found = read_frame(cast(Any, child.stdout), self._limits.reply_bytes)
        except FrameTooLong:
            self.close()
            return f"its reading has more than {self._limits.reply_bytes / 1e6:g} MB; split the page", {}
        if found is None:
            return self._why_ended(child, document), {}
        reply, _ = found
        if reply["last"]:
            self.close()
        return (self._too_large if reply.get("over") else ""), reply

    def _started(self) -> subprocess.Popen[bytes]:
        if self._child is None:
            self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
            environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
            self._child = subprocess.Popen(  # noqa: S603 (no word of it comes from a page)
                [sys.executable, "-P", "-m", "clausegraph.ingestion.reading.child", str(self._limits.megabytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=environment
                | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path)), "TOKENIZERS_PARALLELISM": "false"},
            )
        return self._child

    def _why_ended(self, child: subprocess.Popen[bytes], document: SourceDocument) -> str:
        code = child.wait()
        said = self._what_it_said()
        self.close()
        if code == -signal.SIGXCPU:
            return self._too_slow(document)
        if any(words in said for words in _MEMORY):
            return self._too_large
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        last = visible(said.strip().rpartition("\n")[2])[:200]
        return f"the process that read it ended ({how}){f': {last}' if last else ''}"

    def _what_it_said(self) -> str:
        """The end of what it wrote to stderr."""
        if self._said is None:
            return ""
        self._said.seek(max(0, self._said.seek(0, os.SEEK_END) - 4000))
        return self._said.read().decode("utf-8", "replace")

    def _seconds(self, document: SourceDocument) -> float:
        """What this document may take: a format with many pages in a file takes a multiple of a page's time."""
        found = FORMATS.get(document.content_type)
        return self._limits.seconds * (found.patience if found else 1)

    def _too_slow(self, document: SourceDocument) -> str:
        seconds = self._seconds(document)
        return f"reading it took more than {seconds:g} s of processor time (CLAUSEGRAPH_READING_SECONDS)"

    @property
    def _too_large(self) -> str:
        return f"reading it took more than {self._limits.megabytes} MB of memory"
