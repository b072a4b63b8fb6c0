"""``clausegraph epochs``: list, roll back, vacuum."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, Session, a_number, command
from clausegraph.app.cli.status import moment
from clausegraph.core.errors import LedgerError
from clausegraph.core.text import counted

_IN_WORDS = {
    "members": "page entry",
    "page_versions": "page version",
    "blobs": "stored file",
    "supports": "statement",
    "hidden_supports": "hidden statement",
    "entity_names": "entity name",
    "entity_tokens": "entity word",
    "decisions": "proposal",
    "runs": "run report",
    "model_calls": "model call",
    "budgets": "budget",
    "run_pages": "planned page",
    "run_steps": "step of a run",
    "work_batches": "batch of work",
}  # tables whose names are not the word for what one of their rows is


def list_all(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the retained epochs, newest first."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.history import list_epochs

    found = list_epochs(workspace, workspace.settings.corpus)
    rows = [
        [e["epoch"], "published" if e["published"] else "", moment(e["created"]), e["run"], e["model"]] for e in found
    ]
    session.emit(found, table(("epoch", "", "created", "run", "model"), rows) if rows else "no epochs yet")


def rollback(
    session: Session, number: Annotated[int, typer.Argument(min=1, help="The epoch.")], corpus: CorpusOption = None
) -> None:
    """Let readers see an older epoch again (or the newest, after a rollback).

    The next ingest publishes from the newest state, not from this one.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services import history as epochs

    done = epochs.rollback(workspace, workspace.settings.corpus, number)
    said = f"corpus {done['corpus']!r}: readers now see epoch {number} (newest is {done['newest']})"
    session.emit(done, said, *session.lines(done["lagging"]))


def vacuum(
    session: Session,
    *,
    corpus: CorpusOption = None,
    keep_epochs: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000_000, help="Newest epochs to keep.", show_default="the setting keep_epochs: 10"
        ),
    ] = None,
    keep_days: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=36_525,
            callback=a_number,
            help="Days to keep an epoch.",
            show_default="the setting keep_days: 30",
        ),
    ] = None,
) -> None:
    """Remove for good what only old epochs show, and merge vector segments.

    An epoch stays while it is one of the newest, or young, or what readers get, or held by one; so do all after it.
    Reports of runs that are older than --keep-days go too. The exit code is 4 where something that should be gone
    remains; what, why and what to do is said.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services.history import vacuum_corpus

    done = vacuum_corpus(workspace, workspace.settings.corpus, keep_epochs, keep_days)
    gone = {_IN_WORDS.get(name, name.removesuffix("s")): count for name, count in done["rows"].items() if count}
    removed = ", ".join(counted(count, what) for what, count in gone.items()) or "nothing"
    session.emit(
        done,
        f"epochs removed: {done['epochs']}, kept: {len(done['kept'])}",
        *(f"  epoch {number}: {_why(reasons, done)}" for number, reasons in done["kept"].items()),
        f"removed: {removed}; vector segments: {done['segments_before']} before, {done['segments_after']} after",
        *session.lines(_unpublished(done)),
        *([f"replies of language models forgotten: {done['replies']}"] if done["replies"] else []),
        *session.lines(done["lagging"]),
        *what_remains(session, done),
    )
    fail_if_any_remains(done)


def what_remains(session: Session, done: dict[str, Any]) -> list[Any]:
    """What should be gone and is not, and what finishes it."""
    again = ["run `clausegraph epochs vacuum` again then"] if done["remains"] else []
    return session.lines([*(f"NOT REMOVED: {what}" for what in done["remains"]), *again])


def fail_if_any_remains(done: dict[str, Any]) -> None:
    """End the command as failed where text is left that was to go, here or in a server that could not follow."""
    if done["remains"] or done["lagging"]:
        raise typer.Exit(LedgerError.exit_code)


def _unpublished(done: dict[str, Any]) -> list[str]:
    said = []
    if done["ready"]:
        said.append(f"kept: epoch {done['ready']} of a run that was killed; the next `clausegraph ingest` publishes it")
    if done["unpublished"]:
        what = counted(done["unpublished"], "page version")
        said.append(f"kept: {what} that no epoch shows, younger than {done['keep_days']:g} days (--keep-days 0)")
    return said


def _why(reasons: list[str], done: dict[str, Any]) -> str:
    """Why an epoch stays, and the option by which it would not."""
    words = {
        "published": "readers get it",
        "held": "a reader holds it",
        "future": "made in the future, says a clock that was set back (--keep-days 0)",
        "young": f"younger than {done['keep_days']:g} days (--keep-days 0)",
        "newest": f"one of the newest {done['keep_epochs']} (--keep-epochs 1)",
        "between": "an older one stays",
    }
    if done["keep_epochs"] == 1:
        words["newest"] = "the newest"
    return ", ".join(words[reason] for reason in reasons)


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="List epochs, roll back, vacuum.")
    command(group, "list")(list_all)
    command(group, "rollback")(rollback)
    command(group, "vacuum")(vacuum)
    app.add_typer(group, name="epochs")
