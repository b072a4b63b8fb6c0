"""``clausegraph corpora``: list and drop."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from clausegraph.app.cli.epochs import fail_if_any_remains, what_remains
from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, command
from clausegraph.core.errors import InputError


def list_all(session: Session) -> None:
    """List the corpora."""
    workspace = session.workspace()
    from clausegraph.app.services.corpora import list_corpora

    found = list_corpora(workspace)
    rows = [[one["corpus"], one["published"], one["pages"], len(one["sources"])] for one in found]
    session.emit(found, table(("corpus", "epoch", "pages", "sources"), rows) if rows else "no corpora yet")


def drop(
    session: Session,
    *,
    name: Annotated[str, typer.Argument(help="The corpus.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a corpus with everything it has: pages, graph, vectors, history.

    The exit code is 4 where something of it remains; what, why and what to do is said.
    """
    workspace = session.workspace()
    from clausegraph.app.services import corpora

    corpora.check_corpus(workspace, name)
    if not yes:
        _confirm(session, name)
    done = corpora.drop(workspace, name)
    said = f"corpus {name!r} is gone" + (", but not all that it left:" if done["remains"] else "")
    session.emit(done, said, *session.lines(done["lagging"]), *what_remains(session, done))
    fail_if_any_remains(done)


def _confirm(session: Session, name: str) -> None:
    if session.json or not sys.stdin.isatty():
        raise InputError(f"dropping corpus {name!r} cannot be undone; add --yes to do it")
    if not typer.confirm(f"Remove corpus {name!r} with all its pages and history?", err=True):
        raise typer.Exit(1)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List or drop corpora.")
    command(group, "list")(list_all)
    command(group, "drop")(drop)
    app.add_typer(group, name="corpora")
