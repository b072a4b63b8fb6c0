"""The run's side of a browser that renders one page: it alone fetches, and it ends the browser in time."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

import psutil

from clausegraph.core.errors import SettingsError, require_extra
from clausegraph.ingestion.fetch import WebReply
from clausegraph.ingestion.reading.frames import FrameTooLong, read_frame, write_frame

_ENVIRONMENT = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "LD_LIBRARY_PATH")  # strangers' scripts need no key
_PATIENCE = 0.7  # of the time: then what a page shows is taken although it asks for more
_MOST_ASKED = 100  # scripts, data and the like that one page may ask for


@dataclass(frozen=True, slots=True)
class Rendered:
    """The page's HTML once its scripts have run, or why there is none."""

    html: bytes = b""
    problem: str = ""


class PageRenderer:
    """Renders one page after the other, each in a browser of its own; for one thread."""

    def __init__(self, executable: str, ask: Callable[[str], WebReply], *, seconds: float, most: int) -> None:
        """Take the path of a Chromium, and what fetches for it: whatever is at an address, redirects followed. A page
        may take ``seconds`` from the browser's start on; ``most`` bytes are of it, and of all that it asks for."""
        if not Path(executable).is_file():
            raise SettingsError(f"CLAUSEGRAPH_WEB_BROWSER is to be the path of a Chromium: {executable!r} is no file")
        require_extra("browser", "driving a browser", error=SettingsError)
        self._executable = executable
        self._ask = ask
        self._seconds = seconds
        self._most = most

    def render(self, address: str, raw: bytes) -> Rendered:
        """What a browser makes of a page; whatever goes wrong there is told, and nothing of it stays behind."""
        words = [sys.executable, "-P", "-m", "clausegraph.ingestion.rendering.child", self._executable]
        environment = {name: os.environ[name] for name in _ENVIRONMENT if name in os.environ}
        with subprocess.Popen(  # noqa: S603 (no word of it comes from a page)
            words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
            env=environment | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
        ) as child:  # fmt: skip
            late = threading.Event()

            def end_late() -> None:
                late.set()
                _end(child.pid)

            watch = threading.Timer(self._seconds, end_late)
            watch.start()
            try:
                return self._served(child, address, raw)
            except FrameTooLong:
                return Rendered(problem=f"its rendered form has more than {self._most / 1e6:g} MB")
            except (EOFError, BrokenPipeError):
                why = f"rendering it took more than {self._seconds:g} seconds" if late.is_set() else "the browser ended"
                return Rendered(problem=why)
            finally:
                watch.cancel()
                _end(child.pid)

    def _served(self, child: subprocess.Popen[bytes], address: str, raw: bytes) -> Rendered:
        """Answer what the page asks for until it is rendered."""
        to, back = cast(BinaryIO, child.stdin), cast(BinaryIO, child.stdout)
        write_frame(to, {"address": address, "patience": self._seconds * _PATIENCE}, raw)
        asked, left = 0, self._most
        while True:
            found = read_frame(back, self._most)
            if found is None:
                raise EOFError
            values, body = found
            if "ask" not in values:
                return Rendered(body, str(values["problem"]))
            asked += 1
            reply = self._ask(str(values["ask"])) if asked <= _MOST_ASKED and left > 0 else None
            has = reply is not None and reply.outcome == "page"
            left -= len(reply.body) if reply is not None else 0
            write_frame(to, {"type": reply.content_type if has and reply else ""}, reply.body if has and reply else b"")


def _end(pid: int) -> None:
    """End a process, then all that it has started, the browser's own included.

    The process goes first: it would report the end of its browser as a fault of the page.
    """
    with suppress(psutil.NoSuchProcess):
        first = psutil.Process(pid)
        started = first.children(recursive=True)
        for process in (first, *started):
            with suppress(psutil.NoSuchProcess):
                process.kill()
        psutil.wait_procs(started, timeout=5)
