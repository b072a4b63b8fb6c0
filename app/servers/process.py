"""Server processes of ours: remembered in a file of the server's folder, known by pid and start, stopped."""

from __future__ import annotations

import json
import socket
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil

from clausegraph.core.errors import InputError
from clausegraph.indexes.files import write_whole

RECORD = "server.json"  # in a server's folder: processes, addresses, what else must survive a restart
_started: list[subprocess.Popen[bytes]] = []  # by this process, until they have ended


def is_listening(port: int) -> bool:
    """Whether somebody listens on a port of 127.0.0.1."""
    with socket.socket() as one:
        one.settimeout(1.0)
        return one.connect_ex(("127.0.0.1", port)) == 0


def chosen_port(wanted: int, before: int | None) -> int:
    """The port that was asked for; else (0) the one that the server had before, or a free one.

    Raises:
        InputError: somebody listens on it.
    """
    if wanted and is_listening(wanted):
        raise InputError(f"port {wanted} of 127.0.0.1 is taken; give another one, or 0 for a free one")
    if wanted:
        return wanted
    if before and not is_listening(before):
        return before
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def load_record(folder: Path) -> dict[str, Any]:
    """What was remembered of the server of a folder; a damaged record counts as none."""
    try:
        found = json.loads((folder / RECORD).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def save_record(folder: Path, values: Mapping[str, Any], processes: Mapping[str, subprocess.Popen[bytes]]) -> None:
    """Remember a server that was started in ``folder``: its processes by name, and what else is to be kept of it."""
    _started.extend(one for one in processes.values() if one not in _started)
    known = {name: [one.pid, psutil.Process(one.pid).create_time()] for name, one in processes.items()}
    write_whole(folder / RECORD, json.dumps({**values, "processes": known}, indent=1).encode() + b"\n")


def running_processes(folder: Path) -> dict[str, psutil.Process]:
    """Those processes of the record that live; a reused pid was started at another time."""
    found = {}
    for name, (pid, created) in load_record(folder).get("processes", {}).items():
        with suppress(psutil.NoSuchProcess):
            process = psutil.Process(pid)
            if process.create_time() == created and process.status() != psutil.STATUS_ZOMBIE:
                found[name] = process
    return found


def stop_processes(folder: Path, patience: float) -> bool:
    """Ask the processes of a folder to end, and after ``patience`` seconds kill them with what they started; false when
    nothing ran."""
    found = list(running_processes(folder).values())
    whole = list(found)
    for process in found:
        with suppress(psutil.NoSuchProcess):
            whole += process.children(recursive=True)
    for process in found:
        with suppress(psutil.NoSuchProcess):
            process.terminate()
    psutil.wait_procs(found, timeout=patience)
    for process in whole:
        with suppress(psutil.NoSuchProcess):
            process.kill()
    psutil.wait_procs(whole, timeout=5.0)
    _started[:] = [process for process in _started if process.poll() is None]
    return bool(found)


def last_words(log: Path, telling: str = "") -> str:
    """The last three lines of a log, of those that ``telling`` marks where there are such."""
    lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
    marked = [line for line in lines if any(word in line for word in telling.split())]
    return " / ".join((marked or lines)[-3:])[:1000]
