"""``clausegraph corpora``: list and drop."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, command
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.indexes.corpora import CorpusRow, SourceRow


def list_all(session: Session) -> None:
    """List the corpora."""
    settings = session.settings()
    from clausegraph.app.wiring import opened_ledger
    from clausegraph.indexes.corpora import list_corpora, list_sources

    with opened_ledger(settings) as ledger:
        found = [_described(row, list_sources(ledger, row.id)) for row in list_corpora(ledger)]
    rows = [[one["corpus"], one["published"], one["pages"], len(one["sources"])] for one in found]
    session.emit(found, table(("corpus", "epoch", "pages", "sources"), rows) if rows else "no corpora yet")


def _described(corpus: CorpusRow, sources: Sequence[SourceRow]) -> dict[str, Any]:
    return {
        "corpus": corpus.name,
        "published": corpus.published,
        "newest": corpus.newest,
        "pages": sum(source.pages for source in sources),
        "sources": [source.name for source in sources],
    }


def drop(
    session: Session,
    *,
    name: Annotated[str, typer.Argument(help="The corpus.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a corpus with everything it has: pages, graph, vectors, history."""
    settings = session.settings()
    from clausegraph.app.services.projecting import opened_projections
    from clausegraph.app.wiring import opened_ledger
    from clausegraph.indexes.corpora import get_corpus
    from clausegraph.indexes.drop import drop_corpus

    with opened_ledger(settings) as ledger, opened_projections(settings, ledger) as projections:
        corpus = get_corpus(ledger, name)
        if not yes:
            _confirm(session, name)
        drop_corpus(ledger, name)
        projections.dropped(corpus.id)
    lagging = projections.problems
    session.emit({"dropped": name, "lagging": lagging}, f"corpus {name!r} is gone", *lagging)


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
