"""Files that a user has named to be written: checked before the work begins, written whole or not at all.

A file is written beside its place under another name and then renamed: whoever is killed leaves the old one. Nothing is
written through a link or into a device, and nothing inside the home folder, where the ledger is.
"""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from clausegraph.core.errors import InputError


def check_output(output: Path, *, home: Path | None, replace: bool) -> None:
    """Whether a file can be written there, as far as one can tell before.

    Args:
        home: the folder that no output goes into.
        replace: a file that is there may be replaced.
    """
    with _in_words(output):
        if not output.parent.is_dir():
            raise InputError(f"output {output} cannot be written: there is no folder {output.parent}; make it first")
        _check_outside(output, output.parent, home)
        with suppress(FileNotFoundError):
            mode = output.lstat().st_mode
            if not stat.S_ISREG(mode):
                raise InputError(f"output {output} is {_kind(mode)}; name a file")
            if not replace:
                raise InputError(f"output {output} is there already; add --force to replace it, or name another")


def check_output_folder(folder: Path, *, home: Path | None, replace: bool) -> None:
    """Whether files can be written into a folder, which may be new; arguments and errors as of :func:`check_output`."""
    with _in_words(folder):
        known = next(place for place in (folder.absolute(), *folder.absolute().parents) if place.exists())
        _check_outside(folder, known, home)
        if not known.is_dir():
            raise InputError(f"output {folder} cannot be made: {known} is no folder; name another")
        if not replace and known == folder.absolute() and any(folder.iterdir()):
            raise InputError(
                f"output {folder} is there and not empty; add --force to replace its files, or name another"
            )


@contextmanager
def replacing(output: Path, *, home: Path | None = None, replace: bool = True) -> Iterator[IO[bytes]]:
    """A file beside ``output`` that takes its place at the end of the block; errors as of :func:`check_output`."""
    temporary: Path | None = None
    check_output(output, home=home, replace=replace)
    with _in_words(output):
        try:
            handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name[:50]}-")
            temporary = Path(name)
            with os.fdopen(handle, "wb") as file:
                yield file
                file.flush()
                os.fsync(handle)
            check_output(output, home=home, replace=replace)  # writing may have taken an hour
            temporary.chmod(0o666 & ~_umask())
            temporary.replace(output)
        finally:
            if temporary is not None:
                temporary.unlink(missing_ok=True)


def _check_outside(output: Path, place: Path, home: Path | None) -> None:
    """Compared by what the folders are, not by their names: there are links, mounts and other spellings."""
    if home is None or not home.exists():
        return
    inside = place.resolve()
    if any(folder.samefile(home) for folder in (inside, *inside.parents)):
        raise InputError(f"output {output} lies in the home folder {home}, beside the ledger; name a place outside it")


def _kind(mode: int) -> str:
    if stat.S_ISDIR(mode):
        return "a folder"
    return "a symbolic link, which is not followed" if stat.S_ISLNK(mode) else "a device, pipe or socket, not a file"


def _umask() -> int:
    """mkstemp makes private files; an output gets the permissions of any other file."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


@contextmanager
def _in_words(output: Path) -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise InputError(
            f"output {output} cannot be written ({error.strerror or error}); choose another place"
        ) from error
