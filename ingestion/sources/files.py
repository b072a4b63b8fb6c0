"""Looking at a path and reading a file, whatever is there: pathlib's questions raise where the path itself is odd."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Literal

Kind = Literal["file", "folder", "other", "nothing"]


def local(path: str | Path) -> Path:
    """The absolute path; a "~" of an unknown user stays one."""
    try:
        return Path(path).expanduser().absolute()
    except RuntimeError:
        return Path(path).absolute()


def kind_of(path: Path) -> Kind:
    """What is there, links followed; nothing too where a path is too long, goes in circles or may not be entered."""
    try:
        mode = path.stat().st_mode
    except (OSError, ValueError):  # the latter of a NUL byte
        return "nothing"
    return "file" if stat.S_ISREG(mode) else "folder" if stat.S_ISDIR(mode) else "other"


def read_regular(path: Path, limit: int) -> bytes | str:
    """The bytes of a file, or the reason not to take them.

    A pipe, socket or device is never opened, nor waited for; a file of more than ``limit`` bytes is not read, and one
    that changes meanwhile is not taken: it might be half of one page and half of another.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return "not a regular file"
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)  # it may be a pipe by now
        with os.fdopen(descriptor, "rb") as file:
            before = os.fstat(descriptor)
            if not stat.S_ISREG(before.st_mode):
                return "not a regular file"
            if before.st_size > limit:
                return f"the file has {before.st_size / 1e6:.0f} MB; the limit is {limit / 1e6:.0f} MB"
            raw = file.read(limit + 1)
            after = os.fstat(descriptor)
    except OSError as error:
        return f"the file cannot be read: {error.strerror or error}"
    if len(raw) != before.st_size or (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return "the file changed while it was read; the next run reads it"
    return raw
