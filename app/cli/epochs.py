"""``clausegraph epochs``: list, roll back, vacuum."""

from __future__ import annotations

import uuid
from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.app.cli.status import moment


def list_all(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the retained epochs, newest first."""
    settings = session.settings(corpus)
    from clausegraph.app.wiring import opened_ledger
    from clausegraph.indexes.corpora import get_corpus
    from clausegraph.indexes.epochs import list_epochs

    with opened_ledger(settings) as ledger:
        row = get_corpus(ledger, settings.corpus)
        found: list[dict[str, Any]] = [
            {
                "epoch": epoch.number,
                "published": epoch.number == row.published,
                "created": epoch.created,
                "run": epoch.run_id,
                "model": epoch.model,
                "changes": epoch.summary,
            }
            for epoch in list_epochs(ledger, row.id)
        ]
    rows = [
        [e["epoch"], "published" if e["published"] else "", moment(e["created"]), e["run"], e["model"]] for e in found
    ]
    session.emit(found, table(("epoch", "", "created", "run", "model"), rows) if rows else "no epochs yet")


def _row(epoch: dict[str, Any]) -> list[object]:
    mark = "published" if epoch["published"] else ""
    return [epoch["epoch"], mark, moment(epoch["created"]), epoch["run"], epoch["model"]]


def rollback(
    session: Session, number: Annotated[int, typer.Argument(min=1, help="The epoch.")], corpus: CorpusOption = None
) -> None:
    """Let readers see an older epoch again (or the newest, after a rollback).

    The next ingest publishes from the newest state, not from this one.
    """
    settings = session.settings(corpus)
    from clausegraph.app.services.projecting import opened_projections
    from clausegraph.app.wiring import opened_ledger
    from clausegraph.indexes import epochs
    from clausegraph.indexes.corpora import get_corpus

    with opened_ledger(settings) as ledger, opened_projections(settings, ledger) as projections:
        row = get_corpus(ledger, settings.corpus)
        epochs.rollback(ledger, row, number)
        projections.published(row.id)
    lagging = projections.problems
    done = {"corpus": settings.corpus, "published": number, "newest": row.newest, "lagging": lagging}
    said = f"corpus {settings.corpus!r}: readers now see epoch {number} (newest is {row.newest})"
    session.emit(done, said, *lagging)


def vacuum(
    session: Session,
    *,
    corpus: CorpusOption = None,
    keep_epochs: Annotated[int | None, typer.Option(min=1, help="Newest epochs to keep.", show_default=False)] = None,
    keep_days: Annotated[float | None, typer.Option(min=0, help="Days to keep.", show_default=False)] = None,
) -> None:
    """Remove for good what only old epochs show, and merge vector segments."""
    settings = session.settings(corpus)
    from clausegraph.app.services.projecting import opened_projections
    from clausegraph.app.wiring import forget_replies, opened_ledger
    from clausegraph.indexes import vacuum as cleaning
    from clausegraph.indexes.corpora import get_corpus
    from clausegraph.indexes.ledger.leases import run_lease

    epochs = settings.keep_epochs if keep_epochs is None else keep_epochs
    days = settings.keep_days if keep_days is None else keep_days
    with opened_ledger(settings) as ledger, opened_projections(settings, ledger) as projections:
        row = get_corpus(ledger, settings.corpus)
        with run_lease(ledger, row.id, f"vacuum-{uuid.uuid4().hex[:12]}") as lease:
            report = cleaning.vacuum(ledger, row, lease, epochs, days)
            projections.vacuumed(row.id)
    replies = forget_replies(settings, days)
    removed = ", ".join(f"{count} {name}" for name, count in report.rows.items() if count) or "nothing"
    session.emit(
        report.as_dict() | {"replies": replies, "lagging": projections.problems},
        f"oldest epoch kept: {report.oldest_retained}; epochs removed: {report.epochs}",
        f"rows removed: {removed}; segments: {report.segments_before} before, {report.segments_after} after",
        *([f"replies of language models forgotten: {replies}"] if replies else []),
        *projections.problems,
    )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List epochs, roll back, vacuum.")
    command(group, "list")(list_all)
    command(group, "rollback")(rollback)
    command(group, "vacuum")(vacuum)
    app.add_typer(group, name="epochs")
