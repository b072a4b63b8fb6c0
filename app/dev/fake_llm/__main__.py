"""The child process of ``FakeModelServer``: options come as the first line of stdin, the port goes to stdout.

It ends with the end of stdin, which is when its parent closes it or dies; Ctrl-C is the parent's business.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading

from clausegraph.app.dev.fake_llm.options import FakeOptions
from clausegraph.app.dev.fake_llm.serve import serve
from clausegraph.core.errors import InputError

_LOOK_EVERY = 1.0  # seconds between looks whether the parent is still there


def main() -> None:
    """Serve for a parent process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    given = json.loads(_line())
    threading.Thread(target=_leave_with_parent, args=(given["parent"],), daemon=True).start()
    try:
        serve(FakeOptions(**given["options"]), lambda port: _tell({"port": port}), signals=False)
    except InputError as error:
        _tell({"error": str(error)})
        sys.exit(InputError.exit_code)


def _line() -> bytes:
    """The first line of stdin, read without a buffer, so that the watching thread shares none."""
    line = b""
    while not line.endswith(b"\n"):
        read = os.read(0, 65536)
        if not read:
            sys.exit(0)
        line += read
    return line


def _tell(value: dict[str, object]) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


def _leave_with_parent(parent: int) -> None:
    """End the process, which keeps nothing, when stdin ends or the parent is another."""
    while os.getppid() == parent:
        ready, _, _ = select.select([0], [], [], _LOOK_EVERY)
        if ready and not os.read(0, 65536):
            break
    os._exit(0)


if __name__ == "__main__":
    main()
