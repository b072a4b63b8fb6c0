"""Forgetting pages: kept out, noted, published without, vacuumed, taken out of the rest, searched for, and certified.

What the pages alone have is noted in a private file of the home before they are removed, and goes at the end, so that a
command that was stopped anywhere is finished by repeating it: it knows then what to look for.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from dataclasses import asdict
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter
from sqlalchemy import select, update

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.services import Record
from clausegraph.app.services.certificates import signed, written
from clausegraph.app.services.history import vacuum_corpus
from clausegraph.app.services.ingest import as_retained, run_tools
from clausegraph.app.services.uploads import forget_files
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, LedgerError, NotFoundError, StillReadError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.backup import BackupFolder
from clausegraph.indexes.corpora import CorpusRow, get_corpus, list_epochs, list_sources
from clausegraph.indexes.erase import Quoted, begin, drop_sources, scrub
from clausegraph.indexes.files import file_errors, remove_path, write_whole
from clausegraph.indexes.forgotten import SHOWN, ForgottenRow, forgotten_key, let_in, list_forgotten, why_out
from clausegraph.indexes.ledger.leases import RunLease, run_lease
from clausegraph.indexes.ledger.schema import backups, fetches, forgotten, pages, sources
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.residue import Note, note_pages, residue
from clausegraph.indexes.sweep import sweep

_FOLDER = "forgetting"  # within the home: a file for each corpus of which something is not forgotten to the end
_LONGEST_REASON = 1000  # characters
_SHOWN = 5  # places of what was found
_NOT_SEARCHED = (
    "the memory of running servers and what people have copied; files of the servers of PostgreSQL and Neo4j; names "
    "of fewer than 8 characters within other texts; texts that other pages have too, and questions that people asked"
)
_NOTE = TypeAdapter(Note)


class ForgottenItem(Record):
    """A page or a source that stays out, by its key: a hash of its source's name, and of its uri."""

    key: str
    forgotten_by: str
    reason: str
    forgotten: float
    certificate: dict[str, Any] | None


def forget(
    workspace: Workspace, corpus: str, name: str | None, source: str | None, reason: str, by: str,
    folder: Path | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Remove a page, or with ``name`` None all of a source, from every place, search for it, and keep it out.

    Args:
        name, source: as of :func:`find_place`.
        folder: where the certificate is written; None for nowhere.

    Returns:
        The signed certificate, and ``file`` where it was written.

    Raises:
        NotFoundError: the corpus has none.
        InputError: the reason is none, is too long, or names it; or several sources have the page.
        StillReadError: somebody reads an old epoch.
        LedgerError: something of it is left. After either of these it stays out, and the same command again goes on.
    """
    source, uri, _ = find_place(workspace, corpus, name, source)
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= _LONGEST_REASON:
        raise InputError(f"say why, in 1 to {_LONGEST_REASON} characters; the reason is kept, so leave out what goes")
    key = forgotten_key(source, uri)
    row = {"key": key, "forgotten_by": by, "reason": reason, "created": time.time(), "certificate": ""}
    made = _forget(workspace, corpus, [row], folder)[key]
    ledger = workspace.ledger
    corpus_row = get_corpus(ledger, corpus)
    noted = next(one for one in list_forgotten(ledger, corpus_row.id) if one.key == key)
    for copies in _backup_folders(ledger, corpus_row.id):
        copies.note(corpus_row.name, noted)
    return made


def _backup_folders(ledger: Ledger, corpus_id: int) -> Iterator[BackupFolder]:
    """The folders on this machine with a backup of the corpus."""
    places = {row.place for row in ledger.rows(select(backups.c.place).where(backups.c.corpus_id == corpus_id))}
    return (BackupFolder(place) for place in sorted(places) if Path(place).is_dir())


def forget_again(workspace: Workspace, corpus: str, rows: Iterable[ForgottenRow]) -> int:
    """Forget in a restored corpus what was forgotten before; each stays out as it did, under the certificate that it
    has. Returns the number of pages that went; errors as :func:`forget`."""
    ledger = workspace.ledger_to_change()
    number = get_corpus(ledger, corpus).id
    before = len(_pages(ledger, number))
    wanted = [{name: value for name, value in asdict(row).items() if name != "id"} for row in rows]
    _forget(workspace, corpus, wanted, None)
    return before - len(_pages(ledger, number))


def find_place(
    workspace: Workspace, corpus: str, name: str | None, source: str | None = None
) -> tuple[str, str | None, int]:
    """Source and uri of the page of a uri, of ``source:uri`` or an address, or, with ``name`` None, a whole source; and
    how many pages that are. Also what no epoch shows any more, and what is not forgotten to the end.

    Raises:
        NotFoundError: the corpus has none.
        InputError: several sources have it.
    """
    ledger = workspace.ledger
    number = get_corpus(ledger, corpus).id
    noted, listed = _noted(workspace, number), {row.id: row.name for row in list_sources(ledger, number)}
    places = noted.places | _pages(ledger, number).keys()
    if name is None and source in {*noted.sources, *listed.values()}:
        return str(source), None, sum(1 for place in places if place[0] == source)
    led = ledger.rows(select(fetches).where(fetches.c.address == name, fetches.c.uri != ""))
    named = {(listed[row.source_id], row.uri) for row in led if row.source_id in listed}
    found = [
        place for place in places
        if source in (None, place[0]) and (name in (place[1], ":".join(place)) or place in named)
    ]  # fmt: skip
    if len(found) > 1:
        names = ", ".join(sorted(place[0] for place in found))
        raise InputError(f"{len(found)} sources have the page {name!r}: {names}; add --source NAME")
    if not found:
        out = {row.key: row for row in list_forgotten(ledger, number)}
        keys = {forgotten_key(one, name) for one in (source, *listed.values()) if one} & out.keys()
        what = f"page {name[:80]!r}" if name is not None else f"source {str(source)[:80]!r}"
        told = f"it was {why_out(out[keys.pop()])}" if keys else "`clausegraph pages` lists pages with their sources"
        raise NotFoundError(f"corpus {corpus!r} has no {what}; {told}")
    return *found[0], 1


def list_items(workspace: Workspace, corpus: str) -> list[ForgottenItem]:
    """What stays out of a corpus, oldest first; without a certificate what is not forgotten to its end."""
    return [_item(row) for row in list_forgotten(workspace.ledger, get_corpus(workspace.ledger, corpus).id)]


def allow(workspace: Workspace, corpus: str, begin_of_key: str) -> ForgottenItem:
    """Let what was forgotten come back with the next run; errors as ``let_in``."""
    ledger = workspace.ledger_to_change()
    row = get_corpus(ledger, corpus)
    allowed = let_in(ledger, row.id, begin_of_key)
    for copies in _backup_folders(ledger, row.id):
        copies.let_in(row.name, allowed.key)
    return _item(allowed)


def _item(row: ForgottenRow) -> ForgottenItem:
    certificate = json.loads(row.certificate) if row.certificate else None
    return ForgottenItem.of(row, forgotten=row.created, certificate=certificate)


# --- the steps ------------------------------------------------------------------------------------


def _forget(
    workspace: Workspace, corpus: str, rows: list[dict[str, Any]], folder: Path | None
) -> dict[str, dict[str, Any]]:
    """Go through all steps with these rows and with what was begun before; the signed certificates by key."""
    ledger = workspace.ledger_to_change()
    row = get_corpus(ledger, corpus)
    path = _path(workspace, row.id)
    with _lease(ledger, row) as lease:
        keys = {one["key"] for one in rows} | {one.key for one in list_forgotten(ledger, row.id)}
        there = _pages(ledger, row.id).items()
        ids = [one for (source, uri), one in there if keys & {forgotten_key(source, uri), forgotten_key(source)}]
        note = _noted(workspace, row.id).joined(note_pages(ledger, row.id, ids))
        note.sources |= {one.name for one in list_sources(ledger, row.id) if forgotten_key(one.name) in keys}
        quoted = Quoted(note.names | set(map(":".join, note.places)), note.texts)
        if any(quoted.is_in(one["reason"]) for one in rows):
            raise InputError("the reason is kept, and it names or quotes what is to be forgotten; say it otherwise")
        held = begin(ledger, lease, rows, quoted, note.places)
        if not note.keys:
            return {}
        write_whole(path, _NOTE.dump_json(note))
    removed = _remove(workspace, row, note, quoted) | ({"runs in quarantine": held} if held else {})
    made = _certify(workspace, row, note, removed, _search(workspace, row, note), folder)
    _raise_for([*remove_path(path.parent)])
    return made


def _path(workspace: Workspace, corpus_id: int) -> Path:
    return workspace.settings.home / _FOLDER / str(corpus_id) / "note.json"


def _noted(workspace: Workspace, corpus_id: int) -> Note:
    """What a command that was stopped has noted of a corpus."""
    path = _path(workspace, corpus_id)
    with file_errors(path):
        return _NOTE.validate_json(path.read_bytes()) if path.exists() else Note()


def _pages(ledger: Ledger, corpus_id: int) -> dict[tuple[str, str], int]:
    """The ids of all pages that the ledger knows, by source and uri."""
    query = select(sources.c.name, pages.c.uri, pages.c.id).join(pages, pages.c.source_id == sources.c.id)
    return {(row.name, row.uri): row.id for row in ledger.rows(query.where(sources.c.corpus_id == corpus_id))}


def _lease(ledger: Ledger, corpus: CorpusRow) -> AbstractContextManager[RunLease]:
    return run_lease(ledger, corpus.id, f"forget-{uuid.uuid4().hex[:12]}")


def _remove(workspace: Workspace, corpus: CorpusRow, note: Note, quoted: Quoted) -> dict[str, Any]:
    """Publish without the pages, take them out of the rest, and remove all older epochs; what went, by place."""
    from clausegraph.ingestion.pipeline import remove_pages
    from clausegraph.ingestion.tools import Options

    ledger, settings = workspace.ledger_to_change(), workspace.settings
    listed = list_sources(ledger, corpus.id)
    uris = {row.id: [uri for source, uri in sorted(note.places) if source == row.name] for row in listed}
    if list_epochs(ledger, corpus.id):
        with run_tools(workspace, None) as tools:
            remove_pages(tools, corpus.name, uris, as_retained(settings, Options(gated=False)))
    with _lease(ledger, corpus) as lease:
        rows = scrub(ledger, lease, quoted, note.places, note.sources)
    AuditLog(settings.home, workspace.shared).blank(quoted.is_in)
    remains = [left for source, uri in note.places for left in forget_files(workspace, corpus, source, [uri])]
    remains += [left for source in note.sources for left in forget_files(workspace, corpus, source, None)]
    for path in _evaluations(workspace, corpus.name):
        if any(quoted.is_in(one.read_text("utf-8", "replace")) for one in path.rglob("*") if one.is_file()):
            remains += remove_path(path)
    done = vacuum_corpus(workspace, corpus.name, 1, 0.0, settings.keep_days)
    is_held = any("held" in reasons for reasons in done["kept"].values())
    _raise_for([*done["remains"], *done["lagging"], *remains], StillReadError if is_held else LedgerError)
    if note.sources:
        with _lease(ledger, corpus) as lease:
            drop_sources(ledger, lease, note.sources)
        _raise_for(sweep(ledger))
    return {"epochs": done["epochs"], **{name: count for name, count in (done["rows"] | rows).items() if count}}


def _evaluations(workspace: Workspace, corpus: str) -> list[Path]:
    """The folders of the runs that measured a corpus."""
    from clausegraph.app.services.evaluations import Evaluations

    listed = Evaluations(workspace.settings).listed(lambda name: name == corpus)
    return [workspace.settings.evaluations_folder / run.name for run in listed]


def _search(workspace: Workspace, corpus: CorpusRow, note: Note) -> dict[str, int]:
    """Look for the pages in every table and file, and in Neo4j; how much was searched.

    Raises:
        LedgerError: something was found.
    """
    ledger, path = workspace.ledger_to_change(), _path(workspace, corpus.id)
    folders = [workspace.settings.home, *_evaluations(workspace, corpus.name)]
    with workspace.projections() as projections:
        one = projections.projection
        beside = () if one is None else one.contents(corpus.id)
        searched, found = residue(ledger, corpus.id, note, folders, beside, skip=path.parent)
        found += [] if one is None else one.verify(corpus.id)
    _raise_for([f"it is still in {place}" for place in found])
    return searched


def _raise_for(left: list[str], error: type[LedgerError] = LedgerError) -> None:
    if left:
        more = f"; and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        raise error(
            f"not forgotten to the end: {'; '.join(left[:_SHOWN])}{more}. Readers do not get it, and it stays out; "
            "repeat the command then"
        )


def _certify(
    workspace: Workspace, corpus: CorpusRow, note: Note, removed: dict[str, Any], searched: dict[str, int],
    folder: Path | None,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Write the certificates of what has none yet; the ledger keeps them without the names of other pages."""
    ledger, made = workspace.ledger_to_change(), dict[str, dict[str, Any]]()
    copies = ledger.rows(select(backups).where(backups.c.corpus_id == corpus.id).order_by(backups.c.id))
    for row in list_forgotten(ledger, corpus.id):
        if row.certificate:  # of a restored corpus, or of a command that was stopped after that
            made[row.key] = json.loads(row.certificate)
        elif row.key in note.keys:
            body = {
                "corpus": corpus.name,
                "key": row.key,
                "forgotten": note.keys[row.key],
                "reason": row.reason,
                "forgotten by": row.forgotten_by,
                "begun": _moment(row.created),
                "certified": _moment(time.time()),
                "removed": removed,
                "searched": searched,
                "searched for": {name: len(getattr(note, name)) for name in ("names", "texts", "values", "vectors")},
                "found": 0,
                "not searched": _NOT_SEARCHED,
                "stays, as other pages state it": note.stays,
                "out of reach": [
                    f"backup of epoch {one.epoch}, made {_moment(one.created)} at {one.place}" for one in copies
                ],
            }
            certificate = signed(workspace.settings.home, body | {"pages that state it": sorted(note.stated_by)})
            kept = canonical_json(certificate | {"certificate": body})
            file = None if folder is None else folder / f"forgotten-{row.key[:SHOWN]}.json"
            if file is not None:
                write_whole(file, written(certificate))
            with ledger.write() as connection:
                connection.execute(update(forgotten).where(forgotten.c.id == row.id).values(certificate=kept))
            made[row.key] = certificate | ({} if file is None else {"file": str(file)})
    return made


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
