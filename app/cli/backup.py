"""``audit``, ``backup``, ``restore``: whether readers get what the truth says, and copies to go back to."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, argument, command, option, shown_place
from clausegraph.core.text import counted

if TYPE_CHECKING:
    from clausegraph.app.services.backup import ListedSnapshot

_DIFFERENT = 1


@command("audit", acts=True)
def audit(
    session: Session,
    *,
    corpus: CorpusOption = None,
    every: Annotated[bool, option("Every corpus.", "--all")] = False,
    repair: Annotated[bool, option("Rebuild what differs from what it was made of.")] = False,
) -> None:
    """Compare what readers get with what it was made from: rows, words, vectors, stored bytes, Neo4j.

    Others may read and ingest meanwhile. The exit code is 1 while anything differs.
    """
    from clausegraph.app.services.audit import audit as audit_corpora

    workspace = session.workspace(corpus)
    names = [] if every else [workspace.settings.corpus]
    repaired = ", ".join(names) if repair else None
    with session.progress() as progress, session.deed(workspace.settings, repaired, workspace.settings.corpus):
        found = audit_corpora(workspace, names, progress, repair=repair)
    lines = list[str]()
    for one in found:
        count = counted(len(one.found), "difference") if one.found else "as the truth has it"
        lines += [f"corpus {one.corpus!r}, epoch {one.epoch}: {count}", *(f"  {each.text}" for each in one.found)]
        if repair and one.found:
            lines.append("rebuilt: all is as the truth has it" if not one.left else "what could be is rebuilt; left:")
            lines += [f"  {each.text}" for each in one.left]
        elif any(each.part != "bytes" for each in one.found):
            lines.append("`clausegraph audit --repair` rebuilds what can be")
    session.emit(found, *lines)
    if any(one.left for one in found):
        raise typer.Exit(_DIFFERENT)


_PLACE = argument("A folder, or a URL that fsspec knows (s3://…, gs://…, sftp://…).", "DIR|URL")


@command("backup make", acts=True)
def backup_make(
    session: Session,
    place: Annotated[str, _PLACE],
    keep: Annotated[int | None, option("Snapshots to keep; older ones go.", min=1, show_default="all")] = None,
) -> None:
    """Copy the home as it is at this moment, while others read and write it; only what is new is written.

    What is copied: ledger, vectors, kept answers, hashes of tokens, the log of deeds, the key of certificates. Keep the
    folder as private as the home.
    """
    from clausegraph.app.services.backup import back_up

    workspace = session.workspace()
    with session.deed(workspace.settings, shown_place(place)):
        made = back_up(workspace, place, keep)
    size = f"{_size(made.size)}, of which {_size(made.written)} new"
    removed = (f"removed: snapshot {name}" for name in made.removed)
    session.emit(made, f"snapshot {made.name} in {place}: {_corpora(made)}; {size}", *removed)


@command("backup list")
def backup_list(session: Session, place: Annotated[str, _PLACE]) -> None:
    """List the snapshots of a folder or URL, oldest first."""
    from clausegraph.app.services.backup import list_snapshots

    found = list_snapshots(place)
    rows = [(one.name, moment(one.created), _corpora(one), _size(one.size), _size(one.written)) for one in found]
    session.emit(found, table(("snapshot", "made", "corpora", "size", "new"), rows, f"no snapshots in {place}"))


@command("restore", acts=True)
def restore(
    session: Session,
    place: Annotated[str, _PLACE],
    snapshot: Annotated[str, argument("Its name.", "SNAPSHOT", show_default="the newest")] = "",
    database: Annotated[
        str, option("postgresql://USER@HOST/DATABASE to copy into.", show_default="a home of files")
    ] = "",
    forgotten: Annotated[list[Path] | None, option("Certificate of what must not come back.", metavar="FILE")] = None,
) -> None:
    """Make a new home of a snapshot, each byte checked; what was forgotten since is forgotten again.

    The home is that of --home or the setting, which must have no ledger yet.
    """
    from clausegraph.app.services.backup import restore as restore_snapshot

    settings = session.settings()
    with session.deed(settings, shown_place(place)):
        done = restore_snapshot(settings, place, snapshot, database, forgotten or ())
    again = f"; forgotten again: {counted(done.forgotten_pages, 'page')}" if done.forgotten_pages else ""
    session.emit(done, f"snapshot {done.name} is in {done.place}: {_corpora(done)}{again}")


def _corpora(one: ListedSnapshot) -> str:
    return ", ".join(f"{name} at epoch {epoch}" for name, epoch in one.corpora.items()) or "no corpora"


def _size(count: int) -> str:
    return f"{count / 1e6:.1f} MB"
