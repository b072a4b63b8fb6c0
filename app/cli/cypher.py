"""``clausegraph cypher``: a query of an analyst's own against the graph in Neo4j; it can only read."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, a_number, command
from clausegraph.core.errors import InputError


def cypher(
    session: Session,
    *,
    query: Annotated[str, typer.Argument(help="One query that reads; - takes it from standard input.")],
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
    param: Annotated[
        list[str] | None,
        typer.Option("--param", "-p", help="name=value for $name, JSON or text; may be repeated.", show_default="none"),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=100_000, help="Rows at most.")] = 1000,
    timeout: Annotated[
        float, typer.Option("--timeout", min=0.1, max=3600, help="Seconds at most.", callback=a_number)
    ] = 30.0,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV that a spreadsheet can open.")] = False,
) -> None:
    """Query the graph in Neo4j; $corpus and $epoch are given. Nothing is written, loaded or called."""
    if as_csv and session.json:
        raise InputError("--csv and --json exclude each other; give one")
    workspace = session.workspace(corpus)
    from clausegraph.app.services.cypher import display, parameters, run_query, unpinned, write_csv

    text = sys.stdin.read() if query == "-" else query
    name, given = workspace.settings.corpus, parameters(param or ())
    found = run_query(workspace, name, text, given, epoch=epoch, limit=limit, timeout=timeout)
    if warning := unpinned(text):
        session.note(warning)
    if as_csv:
        write_csv(found, sys.stdout)
    else:
        rows = [[display(value) for value in row] for row in found.rows]
        session.emit(
            {"corpus": found.corpus, "epoch": found.epoch, "columns": found.columns, "is_cut": found.is_cut,
             "rows": [dict(zip(found.columns, row, strict=True)) for row in found.rows]},
            table(found.columns, rows) if rows else "no rows",
        )  # fmt: skip
    if found.is_cut:
        session.note(f"there are more than {limit} rows; --limit shows more")


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "cypher")(cypher)
