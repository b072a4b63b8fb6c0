"""``quarantine``: runs that a person must decide on, listed, looked at, accepted or dropped."""

from __future__ import annotations

from typing import Annotated

from clausegraph.app.cli.ingest import end_with, held_lines, held_words, report_lines
from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, argument, command, user

_Run = Annotated[str, argument("The run.")]
_MOST = 50  # pages that are listed


@command("quarantine list")
def quarantine_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the runs in quarantine, and why each was held."""
    from clausegraph.app.services.quarantine import list_held

    found = session.call(corpus, list_held)
    rows = [(one.id, moment(one.started), one.source, "; ".join(map(held_words, one.held))) for one in found]
    session.emit(found, table(("run", "started", "source", "why"), rows, "no run is in quarantine"))


@command("quarantine show")
def quarantine_show(session: Session, run: _Run, *, corpus: CorpusOption = None) -> None:
    """Show why a run was held, and which pages it would change."""
    from clausegraph.app.services.quarantine import show_held

    found = session.call(corpus, show_held, run)
    lines = [f"run {found.id} of {found.source}, started {moment(found.started)}, is in quarantine:"]
    lines += [line for one in found.held for line in held_lines(one)]
    pages = [(uri, would) for would in ("added", "changed", "removed") for uri in getattr(found, f"pages_{would}")]
    left = [f"… and {len(pages) - _MOST} more; --json has all"] if len(pages) > _MOST else []
    decide = f"`clausegraph quarantine accept {run}` publishes it, `clausegraph quarantine drop {run}` does not"
    session.emit(found, *lines, "", table(("page", "would be"), pages[:_MOST]), *left, decide)


@command("quarantine accept", stores=True, acts=True)
def quarantine_accept(session: Session, run: _Run, *, corpus: CorpusOption = None) -> None:
    """Publish what a run in quarantine had read; nothing is fetched again."""
    from clausegraph.app.services.quarantine import accept_held

    with session.progress() as progress:
        report = session.act(corpus, run, accept_held, run, f"{user()} (command line)", progress)
    session.emit(report.as_dict(), *report_lines(report))
    end_with(session, report)


@command("quarantine drop", acts=True)
def quarantine_drop(session: Session, run: _Run, *, corpus: CorpusOption = None) -> None:
    """Let nothing of a run in quarantine be published; the corpus stays as it is."""
    from clausegraph.app.services.quarantine import drop_held

    found = session.act(corpus, run, drop_held, run)
    session.emit(found, f"run {run} is dropped: nothing of it is published")
