"""Writing an export: whole or not at all, and its errors in plain words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from clausegraph.core.errors import InputError
from clausegraph.indexes.views import View

Counts = dict[str, int]
Writer = Callable[[View, IO[bytes]], Counts]


def export_view(view: View, form: str, output: Path) -> Counts:
    """Write the view's epoch to ``output`` and return how much of what was written.

    Raises:
        InputError: the file cannot be written there; one that was there before is unchanged.
    """
    writer = _writer(form)
    with _replacing(output) as file:
        return writer(view, file)


def _writer(form: str) -> Writer:
    if form == "jsonl":
        from clausegraph.app.services.export.jsonl import write_jsonl

        return write_jsonl
    if form == "csv":
        from clausegraph.app.services.export.table import write_csv

        return write_csv
    from clausegraph.app.services.export.graphml import write_graphml

    return write_graphml


@contextmanager
def _replacing(output: Path) -> Iterator[IO[bytes]]:
    """A file beside ``output`` that takes its place at the end."""
    temporary: Path | None = None
    try:
        output.parent.mkdir(parents=True, exist_ok=True)
        if output.is_dir():
            raise InputError(f"output {output} is a folder; give a file name")
        handle, name = tempfile.mkstemp(dir=output.parent, prefix=f".{output.name[:50]}-")
        temporary = Path(name)
        with os.fdopen(handle, "wb") as file:
            yield file
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(output)
    except OSError as error:
        raise InputError(
            f"output {output} cannot be written ({error.strerror or error}); choose another place"
        ) from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def _umask() -> int:
    """mkstemp makes private files; an export gets the permissions of any other file."""
    mask = os.umask(0o022)
    os.umask(mask)
    return mask
