"""Writing an export to a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.output_files import check_output, replacing
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


def export_file(
    workspace: Workspace, corpus: str, epoch: int | None, form: str, output: Path, *, replace: bool = False
) -> dict[str, Any]:
    """Write an epoch to a file and say how much of what was written; ``replace``: also where there is one.

    Raises:
        NotFoundError: no such corpus or epoch.
        InputError: the file cannot be written there; one that was there before is unchanged.
    """
    home = workspace.settings.home
    check_output(output, home=home, replace=replace)  # before the epoch is opened, which may take a while
    writer = _writer(form)
    with (
        workspace.view(corpus, epoch, embed=False) as view,
        replacing(output, home=home, replace=replace) as file,
    ):
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
