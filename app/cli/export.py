"""``clausegraph export``: an epoch as a file, or handed over to LlamaIndex."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.core.errors import InputError
from clausegraph.core.text import counted


class Form(StrEnum):
    """What a file can be."""

    JSONL = "jsonl"
    CSV = "csv"
    GRAPHML = "graphml"


class Receiver(StrEnum):
    """Whom an epoch can be handed over to."""

    LLAMAINDEX = "llamaindex"


def export(
    session: Session,
    *,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="DIR|URI", help="With --to: a new folder, or the address of an empty Neo4j.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write.", show_default="none")
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format",
            "-f",
            help="jsonl: everything; csv: statements; graphml: the graph.",
            show_default="what FILE ends with; jsonl for a bare name",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file where there is one.")] = False,
    to: Annotated[
        Receiver | None,
        typer.Option(
            "--to", help="llamaindex: stores that LlamaIndex opens with its own classes.", show_default="a file"
        ),
    ] = None,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Write the published or another retained epoch to a file, or hand it over to LlamaIndex.

    Either --output FILE, or --to llamaindex DIR|URI; a Neo4j gets user and password from the settings.
    """
    if to is None and (output is None or target is not None):
        raise InputError("give --output FILE, or --to llamaindex with a folder or the address of a Neo4j")
    if to is not None and target is None:
        raise InputError(f"say where to: `clausegraph export --to {to.value} DIR`, or the address of a Neo4j")
    if to is not None and (output is not None or form is not None or force):
        raise InputError(f"--to {to.value} takes no --output, --format or --force; its DIR or URI is all it needs")
    from clausegraph.app.services.export import export_file, form_of

    kind = None if output is None else form_of(output, form.value if form else None)
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    if output is not None and kind is not None:
        done = export_file(workspace, name, epoch, kind, output, replace=force)
    else:
        from clausegraph.app.services.export import export_llamaindex

        done = export_llamaindex(workspace, name, epoch, str(target))
    listed = ", ".join(counted(count, what) for what, count in done["counts"].items())
    session.emit(done, f"{done['output']} ({done['format']}): {listed}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "export")(export)
