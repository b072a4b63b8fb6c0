"""A run that dies, or whose disk fails, at its n-th write.

Writes are counted below our own code, so that a test names no function of ours: commits of SQLAlchemy, files opened
for writing, renamed or removed (Python's audit events), and transactions of Neo4j's driver. A process that was killed
writes nothing more, so every later write fails as well, and its process id belongs to nobody.

Only the thread that runs the block is counted, and the threads that wait for Neo4j on its behalf: a heartbeat beats
when it likes.
"""

import functools
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Any

import neo4j
import pytest
from sqlalchemy import Connection, Engine, event

_CHANGES = ("INSERT", "UPDATE", "DELETE", "REPLACE", "CREATE", "DROP", "ALTER")
COMMIT, NEO4J = "commit", "neo4j"
FILES = ("open", "os.rename", "os.remove", "os.link", "os.truncate")  # events of Python's audit hooks
KINDS = (COMMIT, NEO4J, *FILES)
_FOR_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC


class Killed(BaseException):
    """Stands for kill -9: nothing of ours catches it."""


class Writes:
    """The writes of a block so far by kind, and what happens at one of them."""

    def __init__(self, at: int | str, kinds: Collection[str], stop: Callable[[], BaseException], lasting: bool) -> None:
        self.seen: list[str] = []
        self.stopped = False
        self._at, self._kinds, self._stop, self._lasting = at, kinds, stop, lasting
        self._thread = threading.get_ident()

    def write(self, kind: str) -> None:
        """Called before each write; raises where it may not happen any more."""
        dead = self.stopped and self._lasting
        if kind not in self._kinds:
            return
        if kind != NEO4J and threading.get_ident() != self._thread:
            if dead:
                raise sqlite3.OperationalError("disk I/O error: the process of this thread is dead")
            return
        self.seen.append(kind)
        if dead or (not self.stopped and self._at in (kind, len(self.seen))):
            self.stopped = True
            raise self._stop()


_counting: list[tuple[Writes, str]] = []  # at most one: what the hooks report to, and the folder whose files count


@contextmanager
def killed_at(write: int | str, root: Path) -> Iterator[Writes]:
    """Run the block as a process of its own that is killed at a write: the n-th from 1, or the first of a kind.

    Files count below ``root``. Where the block makes fewer writes, nothing happens.
    """
    with subprocess.Popen(["sleep", "infinity"]) as process, pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "getpid", lambda: process.pid)
        try:
            with failing_at(write, root, Killed) as writes, suppress(Killed):
                yield writes
        finally:
            process.kill()


@contextmanager
def failing_at(
    write: int | str,
    root: Path,
    error: Callable[[], BaseException],
    *,
    kinds: Collection[str] = KINDS,
    lasting: bool = True,
) -> Iterator[Writes]:
    """A write of the block, among those of these kinds, raises an error; if that is ``lasting``, so do all later ones.

    Args:
        write: the n-th from 1, or the first of a kind; as ``killed_at``.
    """
    writes = Writes(write, kinds, error, lasting)
    _listen_to_files()
    _counting.append((writes, str(root)))
    for name, listener in _LISTENERS:
        event.listen(Engine, name, listener)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(neo4j.Session, "execute_write", _counted_by(neo4j.Session.execute_write))
        try:
            yield writes
        finally:
            for name, listener in _LISTENERS:
                event.remove(Engine, name, listener)
            _counting.clear()


def kill_this_process_at(write: int | str, root: Path) -> None:
    """End this process by SIGKILL at a write, as ``killed_at``: for a process that a test started."""

    def die() -> BaseException:
        os.kill(os.getpid(), signal.SIGKILL)
        return Killed()

    _until_the_end.enter_context(failing_at(write, root, die))


_until_the_end = ExitStack()


def _statement(connection: Connection, _cursor: Any, statement: str, *_: Any) -> None:
    if statement.lstrip().upper().startswith(_CHANGES):
        connection.info["changed"] = True


def _commit(connection: Connection) -> None:
    if connection.info.pop("changed", False):
        _report(COMMIT)


def _rollback(connection: Connection) -> None:
    connection.info.pop("changed", None)


_LISTENERS = (("before_cursor_execute", _statement), ("commit", _commit), ("rollback", _rollback))


def _counted_by(execute_write: Callable[..., Any]) -> Callable[..., Any]:
    """Neo4j's transaction is counted when its statements have run, and before it is committed."""

    def counted(session: neo4j.Session, work: Callable[..., Any], *arguments: Any, **named: Any) -> Any:
        @functools.wraps(work)  # with the time limit that it carries
        def and_count(*inner: Any, **more: Any) -> Any:
            result = work(*inner, **more)
            _report(NEO4J)
            return result

        return execute_write(session, and_count, *arguments, **named)

    return counted


def _report(kind: str) -> None:
    for writes, _ in _counting:
        writes.write(kind)


@functools.cache
def _listen_to_files() -> None:
    """Audit hooks stay for the life of the process; this one does nothing while nobody counts."""

    def hook(name: str, values: tuple[Any, ...]) -> None:
        if _counting and name in FILES:
            writes, root = _counting[0]
            if str(values[0]).startswith(root) and (name != "open" or _for_writing(*values[1:3])):
                writes.write(name)

    sys.addaudithook(hook)


def _for_writing(mode: str | None, flags: int) -> bool:
    return bool(flags & _FOR_WRITING) if mode is None else any(letter in mode for letter in "wax+")
