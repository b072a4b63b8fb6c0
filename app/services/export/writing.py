"""Writing an export: whole or not at all, and its errors in plain words."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.indexes.views import View

Counts = dict[str, int]
Writer = Callable[[View, IO[bytes]], Counts]


FORMS = ("jsonl", "csv", "graphml")


def form_of(output: Path, form: str | None = None) -> str:
    """The form that a file gets: the one asked for, else the one its name ends with; JSON lines for a bare name.

    Raises:
        InputError: the file's name ends with another form than the one asked for, or with none that there is.
    """
    if str(output) == "-":
        raise InputError("an export is not written to standard output; give --output a file name instead of -")
    ending = output.suffix.lower().removeprefix(".")
    named = ending if ending in FORMS else None
    if form is not None and named is not None and form != named:
        raise InputError(
            f"output {output} ends with .{ending}, but --format is {form}; leave --format out or name the file .{form}"
        )
    if form is None and named is None and ending:
        endings = ", ".join(f".{known}" for known in FORMS)
        raise InputError(
            f"output {output} ends with .{ending}, which no export does: name it with {endings}, or give --format"
        )
    return form or named or FORMS[0]


def export_file(workspace: Workspace, corpus: str, epoch: int | None, form: str, output: Path) -> dict[str, Any]:
    """Write an epoch to a file and say how much of what was written.

    Raises:
        NotFoundError: no such corpus or epoch.
        InputError: the file cannot be written there; one that was there before is unchanged.
    """
    writer = _writer(form)
    with workspace.view(corpus, epoch, embed=False) as view, _replacing(output) as file:
        counts = writer(view, file)
        return {
            "corpus": view.corpus, "epoch": view.epoch, "format": form, "output": str(output), "counts": counts,
        }  # fmt: skip


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
        if not output.parent.is_dir():
            raise InputError(f"output {output} cannot be written: there is no folder {output.parent}; make it first")
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
