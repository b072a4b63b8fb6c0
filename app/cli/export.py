"""``clausegraph export``: an epoch as a file."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from app.cli.session import CorpusOption, EpochOption, Session, command


class Form(StrEnum):
    """What an export can be."""

    JSONL = "jsonl"
    CSV = "csv"
    GRAPHML = "graphml"


def export(
    session: Session,
    *,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")],
    form: Annotated[
        Form, typer.Option("--format", "-f", help="jsonl: everything; csv: statements; graphml: the graph.")
    ] = Form.JSONL,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Write the graph of the published or another retained epoch to a file."""
    settings = session.settings(corpus)
    from app.export.writing import export_view
    from app.wiring import reading

    with reading(settings, epoch, embed=False) as (view, _):
        counts = export_view(view, form.value, output)
        made = {
            "corpus": view.corpus,
            "epoch": view.epoch,
            "format": form.value,
            "output": str(output),
            "counts": counts,
        }
    listed = ", ".join(f"{count} {kind}" for kind, count in counts.items())
    session.emit(made | {"counts": counts}, f"{output}: {listed}")


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "export")(export)
