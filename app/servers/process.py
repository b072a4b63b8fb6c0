"""Server processes of ours: remembered in a file, recognised by their command line, stopped, never guessed."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from pathlib import Path
from typing import Any

import psutil

from clausegraph.core.errors import InputError

RECORD = "server.json"  # in a server's folder: pid, addresses


def free_port() -> int:
    """A TCP port of 127.0.0.1 that nobody listens on now."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


def is_listening(port: int) -> bool:
    """Whether somebody listens on a port of 127.0.0.1."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex(("127.0.0.1", port)) == 0


def chosen_port(wanted: int, before: object) -> int:
    """The port that was asked for; else (0) the one that the server had before, or a free one.

    Raises:
        InputError: somebody listens on it.
    """
    if wanted and is_listening(wanted):
        raise InputError(f"port {wanted} of 127.0.0.1 is taken; give another one, or 0 for a free one")
    return wanted or (before if isinstance(before, int) and not is_listening(before) else free_port())


def write_private(path: Path, text: str) -> None:
    """A file that only its owner can read, from its first byte on, replaced as a whole."""
    temporary = path.with_name(path.name + ".new")
    temporary.unlink(missing_ok=True)
    handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    temporary.replace(path)


def save_record(folder: Path, values: dict[str, Any]) -> None:
    """Remember a server that was started in ``folder``."""
    write_private(folder / RECORD, json.dumps(values, indent=1) + "\n")


def load_record(folder: Path) -> dict[str, Any] | None:
    """What was remembered, or None; a damaged record counts as none."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return found if isinstance(found, dict) and isinstance(found.get("pid"), int) else None


def forget_record(folder: Path) -> None:
    """The server is gone."""
    (folder / RECORD).unlink(missing_ok=True)


def is_ours(pid: int, mark: str) -> bool:
    """Whether the process lives and has ``mark`` as a word of its command line; a reused pid has not."""
    try:
        return mark in psutil.Process(pid).cmdline()
    except (psutil.NoSuchProcess, psutil.AccessDenied):  # a zombie is no such process either
        return False


def end(pid: int, mark: str, patience: float) -> bool:
    """Ask a process of ours to end, and kill it when it has not after ``patience`` seconds; false: it was not there."""
    if not is_ours(pid, mark):
        return False
    for number, wait in ((signal.SIGTERM, patience), (signal.SIGKILL, 10.0)):
        try:
            os.kill(pid, number)
        except ProcessLookupError:
            return True
        deadline = time.monotonic() + wait
        while time.monotonic() < deadline:
            if not is_ours(pid, mark):
                return True
            time.sleep(0.05)
    return True
