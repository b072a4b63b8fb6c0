"""The reading process: reads the pages it is sent, one after the other, under limits that the system enforces.

Over its processor time it is killed by the system; out of memory it says so and ends. It ends when the run that
started it does, however that ends. ``process.py`` starts it as a module, with its megabytes; a request has its seconds.
"""

from __future__ import annotations

import math
import os
import queue
import resource
import select
import signal
import sys
import threading
from dataclasses import asdict
from pathlib import Path
from typing import Any, BinaryIO

from clausegraph.core.pages.read import CONDITIONALQA, SourceDocument
from clausegraph.core.serial import reading_to_json
from clausegraph.ingestion.reading.facts import page_facts
from clausegraph.ingestion.reading.frames import read_frame, write_frame
from clausegraph.ingestion.reading.page import read_page, rehearse_rules

Request = tuple[dict[str, Any], bytes]

_FULL = 0.8  # of the memory: what failed to get more may have been caught by a library, and the page half read
_WORN = 0.2  # of the memory: what is left over from earlier pages must not count against the next one
_WARM_UP = (
    SourceDocument(
        "warm.html", b"<html><body><main><h1>Rent</h1><p>You can get it if you rent.</p></main></body></html>"
    ),
    SourceDocument("warm", b'{"title": "Rent", "url": "", "contents": ["<p>You must pay.</p>"]}', CONDITIONALQA),
)


def main(megabytes: int) -> None:
    """Serve the requests on stdin until it is closed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the run's to act on
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what a library prints is no reply
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    requests = _watched(sys.stdin.buffer)
    for document in _WARM_UP:
        rehearse_rules(read_page(document)[0])
    limit = megabytes * 1_000_000
    _limit_memory(limit)
    before = _peak()
    while (request := requests.get()) is not None:
        _limit_time(request[0]["seconds"])
        start = _processor_seconds()
        try:
            reply = _reply(*request)
            used = _peak() - before
            if used > _FULL * limit:
                raise MemoryError
            took = {"seconds": _processor_seconds() - start, "bytes": used}
            write_frame(replies, reply | took | {"last": used > _WORN * limit})
        except MemoryError:
            write_frame(replies, {"over": "memory", "last": True})
            return
        if used > _WORN * limit:
            return


def _reply(values: dict[str, Any], raw: bytes) -> dict[str, Any]:
    if values["task"] == "facts":
        return {"facts": asdict(page_facts(raw, values["document"]["uri"]))}
    reading, rejects = read_page(SourceDocument(raw=raw, **values["document"]))
    if values["rules"]:
        rehearse_rules(reading)
    return {"reading": reading_to_json(reading), "rejects": [[reject.what, reject.reason] for reject in rejects]}


def _watched(requests: BinaryIO) -> queue.SimpleQueue[Request | None]:
    """The requests as they come, read by a thread that ends the process when there will be no more."""
    found: queue.SimpleQueue[Request | None] = queue.SimpleQueue()
    parent = os.getppid()

    def watch() -> None:
        while True:
            ready, _, _ = select.select([requests], [], [], 1.0)
            request = read_frame(requests) if ready else None
            # the end of the pipe may be held open by another process that the run forked
            if (ready and request is None) or os.getppid() != parent:
                os._exit(0)  # also in the middle of a page
            if request is not None:
                found.put(request)

    threading.Thread(target=watch, daemon=True).start()
    return found


def _limit_time(seconds: float) -> None:
    """Let the system end this process when it has used so much more processor time."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    resource.setrlimit(resource.RLIMIT_CPU, (math.ceil(_processor_seconds() + seconds), hard))


def _limit_memory(limit: int) -> None:
    """Let the system refuse what goes beyond the memory there is now; nothing where it does not count that."""
    counted = Path("/proc/self/statm")
    if counted.exists():
        data = int(counted.read_text(encoding="ascii").split()[5]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_DATA, (data + limit, data + limit))


def _peak() -> int:
    """Most memory that this process ever held, in bytes; 0 where the system does not say.

    Not ``ru_maxrss``, which a process inherits from the one that started it.
    """
    status = Path("/proc/self/status")
    lines = status.read_text(encoding="ascii", errors="replace").splitlines() if status.exists() else []
    return next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0)


def _processor_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_SELF)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    main(int(sys.argv[1]))
