"""Whole processes: how long they take, and how much memory this one ever held."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.material import REPOSITORY


@dataclass(frozen=True, slots=True)
class Finished:
    """A process that ended well: wall seconds from before its start, and what it printed."""

    seconds: float
    output: str


def run_process(command: Sequence[str], folder: Path, variables: dict[str, str] | None = None) -> Finished:
    """Run a command in ``folder`` without any ``CLAUSEGRAPH_*`` setting but ``variables``.

    Raises:
        RuntimeError: it failed; the message carries the end of its error output.
    """
    clean = {name: value for name, value in os.environ.items() if not name.upper().startswith("CLAUSEGRAPH_")}
    start = time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, env=clean | (variables or {}), capture_output=True, text=True, check=False
    )
    seconds = time.perf_counter() - start
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {done.returncode}: {done.stderr[-2000:]}")
    return Finished(seconds, done.stdout)


def clausegraph_command() -> list[str]:
    """The installed ``clausegraph`` beside this Python, else the module."""
    script = Path(sys.executable).with_name("clausegraph")
    return [str(script)] if script.exists() else [sys.executable, str(REPOSITORY / "clausegraph.py")]


def worker_command(*arguments: str) -> list[str]:
    """``benchmarks.worker`` in a fresh Python; to be run in the repository."""
    return [sys.executable, "-m", "benchmarks.worker", *arguments]


def peak_memory() -> int:
    """Most bytes that this process ever held resident.

    Linux's ``VmHWM`` and not ``ru_maxrss``, which a process inherits from the one that started it.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text(encoding="ascii", errors="replace").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
