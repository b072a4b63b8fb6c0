"""A process that is killed at its n-th system call that changes a file, be it by Python, SQLite or FAISS.

``writes.py`` counts what Python sees, and takes a transaction of SQLite for one write. Here each ``write``, ``rename``,
``unlink``, ``truncate`` and ``fsync`` counts (``syscalls.c``, preloaded), so that nothing is taken for granted. A
process that has imported everything is started once, and each piece of work is a child of it, so that a kill costs
milliseconds.
"""

import ctypes
import functools
import importlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest

from tests.harness.ending import at_session_end

_SOURCE = Path(__file__).with_suffix(".c")
_REPOSITORY = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True)
class Ended:
    """How a piece of work ended: killed or not, its error, and its calls so far, "name path", the last one not made."""

    killed: bool
    error: str
    calls: list[str]


class Nursery:
    """Runs functions in children of its own, each of which may be told to die."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def run(self, work: str, root: Path, at: int = 0, **arguments: Any) -> Ended:
        """Call a function in a new process that is killed at a call.

        Args:
            work: "module:function".
            root: the folder below which calls count.
            at: which call it is killed at, from 1; 0 for none.
            arguments: of the function; what JSON can say.
        """
        assert self._process.stdin is not None and self._process.stdout is not None
        job = {"work": work, "root": str(root.resolve()), "at": at, "arguments": arguments}
        self._process.stdin.write(json.dumps(job) + "\n")
        self._process.stdin.flush()
        return Ended(**json.loads(self._process.stdout.readline()))


@contextmanager
def nursery(*modules: str) -> Iterator[Nursery]:
    """A nursery that has these modules imported; the test is skipped where it cannot be."""
    command = [sys.executable, "-m", "tests.harness.syscalls", *modules]
    environment = os.environ | {"LD_PRELOAD": str(_library()), "PYTHONDONTWRITEBYTECODE": "1"}
    with subprocess.Popen(
        command, cwd=_REPOSITORY, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield Nursery(process)
        assert process.stdin is not None
        process.stdin.close()


@functools.cache
def _library() -> Path:
    compiler = shutil.which("cc")
    if sys.platform != "linux" or compiler is None:
        pytest.skip("system calls are counted on Linux, by a library that a C compiler (cc) makes")
    folder = Path(tempfile.mkdtemp(prefix="syscalls-"))
    at_session_end.callback(shutil.rmtree, folder, ignore_errors=True)
    made = folder / "syscalls.so"
    subprocess.run([compiler, "-shared", "-fPIC", "-O1", "-o", str(made), str(_SOURCE), "-ldl"], check=True)
    return made


# --- in the nursery -------------------------------------------------------------------------------


def _main(modules: list[str]) -> None:
    for module in modules:
        importlib.import_module(module)
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # what the work prints is no answer
    for line in sys.stdin:
        with tempfile.TemporaryFile("w+") as notes, tempfile.TemporaryFile("w+") as errors:
            status = _work(json.loads(line), notes, errors)
            ended = Ended(os.WIFSIGNALED(status), _read(errors), _read(notes).splitlines())
        answers.write(json.dumps({"killed": ended.killed, "error": ended.error, "calls": ended.calls}) + "\n")
        answers.flush()


def _work(job: dict[str, Any], notes: IO[str], errors: IO[str]) -> int:
    child = os.fork()
    if child:
        return os.waitpid(child, 0)[1]
    errors = os.fdopen(os.dup(errors.fileno()), "w")  # the parent's is closed on the way out
    sys.excepthook = functools.partial(traceback.print_exception, file=errors)
    module, name = job["work"].split(":")
    function = getattr(importlib.import_module(module), name)
    ctypes.CDLL(None).count_calls(job["root"].encode(), ctypes.c_long(job["at"]), notes.fileno())
    function(**job["arguments"])
    os._exit(0)


def _read(file: IO[str]) -> str:
    file.seek(0)
    return file.read()


if __name__ == "__main__":
    _main(sys.argv[1:])
