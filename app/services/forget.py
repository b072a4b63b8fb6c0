"""Forgetting pages: noted, published without, vacuumed, taken out of the rest, searched for, and certified.

What the pages alone have is noted in a private file of the home first and goes at the end, so that a command that was
stopped anywhere is finished by repeating it: it knows then what to look for.
"""

from __future__ import annotations

import json
import time
import uuid
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from sqlalchemy import select, update

from clausegraph.app.access.rules import AuditLog
from clausegraph.app.services import Record
from clausegraph.app.services.certificates import signed, written
from clausegraph.app.services.ingest import as_retained, run_tools
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, LedgerError, NotFoundError
from clausegraph.core.hashing import canonical_json
from clausegraph.indexes.corpora import CorpusRow, get_corpus, list_epochs, list_sources
from clausegraph.indexes.erase import Place, Quoted, begin, scrub
from clausegraph.indexes.files import file_errors, remove_path, write_whole
from clausegraph.indexes.forgotten import SHOWN, ForgottenRow, forgotten_key, let_in, list_forgotten, why_out
from clausegraph.indexes.ledger.leases import RunLease, run_lease
from clausegraph.indexes.ledger.schema import backups, fetches, forgotten, pages, sources
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.publish import take_back
from clausegraph.indexes.residue import Own, note_own, residue
from clausegraph.indexes.sweep import sweep
from clausegraph.indexes.vacuum import vacuum

_FOLDER = "forgetting"  # within the home: a file for each command that has begun, with the corpus and a key as its name
_LONGEST_REASON = 1000  # characters
_SHOWN = 5  # places of what was found
_NOT_SEARCHED = (
    "the memory of running servers and what people have copied; files of the servers of PostgreSQL and Neo4j; names "
    "of fewer than 8 characters within other texts; texts that other pages have too, and questions that people asked"
)


class ForgottenItem(Record):
    """A page or a source that stays out, by its key: a hash of its source's name, and of its uri."""

    key: str
    forgotten_by: str
    reason: str
    forgotten: float
    certificate: dict[str, Any] | None


@dataclass(slots=True)
class _Begun:
    """What a corpus is to forget: by key the source and the uri (none: the whole source); the pages' places; and what
    they alone have."""

    keys: dict[str, tuple[str, str | None]] = field(default_factory=dict)
    places: list[Place] = field(default_factory=list)
    own: Own = field(default_factory=Own)

    def joined(self, other: _Begun) -> _Begun:
        """Both."""
        places = sorted({*self.places, *other.places})
        return _Begun(self.keys | other.keys, places, self.own.joined(other.own))


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
        LedgerError: something of it is left, or somebody reads an old epoch; it stays out, and the same command again
            goes on.
    """
    source, uri, _ = find_place(workspace, corpus, name, source)
    key = forgotten_key(source, uri)
    row = {"key": key, "forgotten_by": by, "reason": _checked_reason(reason), "created": time.time()}
    made = _forget(workspace, corpus, {key: (source, uri)}, [row | {"certificate": ""}], folder)
    return made[key]


def forget_again(workspace: Workspace, corpus: str, rows: Iterable[ForgottenRow]) -> int:
    """Forget in a restored corpus what was forgotten before; each stays out as it did, under the certificate that it
    has. Returns the number of pages that went; errors as :func:`forget`."""
    ledger = workspace.ledger_to_change()
    found = get_corpus(ledger, corpus)
    listed = list(rows)
    there = _places(ledger, found.id)
    here: dict[str, tuple[str, str | None]] = {forgotten_key(*place): place for place in there}
    here |= {forgotten_key(source): (source, None) for source, _ in there}
    keys = {row.key: here[row.key] for row in listed if row.key in here}
    wanted = [{name: value for name, value in asdict(row).items() if name != "id"} for row in listed]
    _forget(workspace, corpus, keys, wanted, None)
    return len(there) - len(_places(ledger, found.id))


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
    places = {*_places(ledger, number), *(place for one in _noted(workspace, number).values() for place in one.places)}
    listed = {row.id: row.name for row in list_sources(ledger, number)}
    if name is None:
        mine = [place for place in places if place[0] == source]
        found: set[tuple[str, str | None]] = {(str(source), None)} if mine or source in listed.values() else set()
    else:
        led = ledger.rows(select(fetches).where(fetches.c.address == name, fetches.c.uri != ""))
        named = {(listed[row.source_id], row.uri) for row in led if row.source_id in listed}
        mine = [place for place in places if name in (place[1], ":".join(place)) or place in named]
        found = {(of, uri) for of, uri in mine if source in (None, of)}
    if len(found) > 1:
        names = ", ".join(sorted(place[0] for place in found))
        raise InputError(f"{len(found)} sources have the page {name!r}: {names}; add --source NAME")
    if not found:
        out = {row.key: row for row in list_forgotten(ledger, number)}
        keys = {forgotten_key(one, name) for one in (source, *listed.values()) if one} & out.keys()
        what = f"page {name[:80]!r}" if name is not None else f"source {str(source)[:80]!r}"
        told = f"it was {why_out(out[keys.pop()])}" if keys else "`clausegraph pages` lists pages with their sources"
        raise NotFoundError(f"corpus {corpus!r} has no {what}; {told}")
    return *found.pop(), len(mine)


def list_items(workspace: Workspace, corpus: str) -> list[ForgottenItem]:
    """What stays out of a corpus, oldest first; without a certificate what is not forgotten to its end."""
    return [_item(row) for row in list_forgotten(workspace.ledger, get_corpus(workspace.ledger, corpus).id)]


def allow(workspace: Workspace, corpus: str, begin_of_key: str) -> ForgottenItem:
    """Let what was forgotten come back with the next run; errors as ``let_in``."""
    ledger = workspace.ledger_to_change()
    return _item(let_in(ledger, get_corpus(ledger, corpus).id, begin_of_key))


def _item(row: ForgottenRow) -> ForgottenItem:
    certificate = json.loads(row.certificate) if row.certificate else None
    return ForgottenItem.of(row, forgotten=row.created, certificate=certificate)


def _checked_reason(reason: str) -> str:
    reason = " ".join(reason.split())
    if not 0 < len(reason) <= _LONGEST_REASON:
        raise InputError(f"say why, in 1 to {_LONGEST_REASON} characters; the reason is kept, so leave out what goes")
    return reason


def _places(ledger: Ledger, corpus_id: int) -> list[Place]:
    """Source and uri of every page that the ledger knows."""
    query = select(sources.c.name, pages.c.uri).join(pages, pages.c.source_id == sources.c.id)
    return [(row.name, row.uri) for row in ledger.rows(query.where(sources.c.corpus_id == corpus_id))]


# --- what is begun --------------------------------------------------------------------------------


def _noted(workspace: Workspace, corpus_id: int) -> dict[Path, _Begun]:
    """What commands that were stopped have noted of a corpus, by the file."""
    found, folder = {}, workspace.settings.home / _FOLDER
    with file_errors(folder):
        for path in sorted(folder.glob(f"{corpus_id}-*.json")):
            value = json.loads(path.read_bytes())
            keys = {key: tuple(one) for key, one in value["keys"].items()}
            found[path] = _Begun(keys, [tuple(place) for place in value["places"]], Own.from_json(value["own"]))
    return found


def _note(
    workspace: Workspace, corpus: CorpusRow, keys: Mapping[str, tuple[str, str | None]], again: set[str]
) -> tuple[_Begun, Collection[int]]:
    """What is to be forgotten with what was begun before, and the ids of the pages that are there. What a command has
    noted that was stopped before it had begun is not meant any more, unless its key is asked for ``again``."""
    ledger, begun = workspace.ledger_to_change(), _Begun(dict(keys))
    known = {row.key for row in list_forgotten(ledger, corpus.id) if not row.certificate} | again
    for path, one in _noted(workspace, corpus.id).items():
        if known.isdisjoint(one.keys):
            _raise_for([*remove_path(path)])
        else:
            begun = begun.joined(one)
    named = select(pages.c.id, sources.c.name, pages.c.uri).join(sources, sources.c.id == pages.c.source_id)
    wanted = set(begun.keys.values())
    there = {
        (one.name, one.uri): one.id
        for one in ledger.rows(named.where(sources.c.corpus_id == corpus.id))
        if not wanted.isdisjoint({(one.name, one.uri), (one.name, None)})
    }
    if there:
        begun = begun.joined(_Begun({}, [*there], note_own(ledger, corpus.id, there.values())))
    return begun, there.values()


def _lease(ledger: Ledger, corpus: CorpusRow) -> AbstractContextManager[RunLease]:
    return run_lease(ledger, corpus.id, f"forget-{uuid.uuid4().hex[:12]}")


def _forget(
    workspace: Workspace,
    corpus: str,
    keys: Mapping[str, tuple[str, str | None]],
    rows: list[dict[str, Any]],
    folder: Path | None,
) -> dict[str, dict[str, Any]]:
    """Go through all steps with these keys and with what was begun before; the signed certificates by key."""
    made: dict[str, dict[str, Any]] = {}
    ledger = workspace.ledger_to_change()
    with _lease(ledger, row := get_corpus(ledger, corpus)) as lease:
        begun, ids = _note(workspace, row, keys, {new["key"] for new in rows})
        quoted = Quoted(frozenset(begun.places), begun.own.names, begun.own.texts)
        for new in rows:
            if quoted.is_said_in(new["reason"]):
                raise InputError("the reason is kept, and it names or quotes what is to be forgotten; say it otherwise")
        if begun.keys:
            noted = {"keys": begun.keys, "places": begun.places, "own": begun.own.as_json()}
            path = workspace.settings.home / _FOLDER / f"{row.id}-{min(begun.keys)}.json"
            write_whole(path, json.dumps(noted).encode())
        dropped = [run for new in rows for run in begin(ledger, lease, new, quoted, ids)]
    if begun.keys:
        removed = _remove(workspace, row, begun, quoted) | ({"runs in quarantine": len(dropped)} if dropped else {})
        made = _certify(workspace, row, begun, removed, _search(workspace, row, begun), folder)
    for path in _noted(workspace, row.id):
        _raise_for([*remove_path(path)])
    return made


# --- the steps ------------------------------------------------------------------------------------


def _remove(workspace: Workspace, corpus: CorpusRow, begun: _Begun, quoted: Quoted) -> dict[str, Any]:
    """Publish without the pages, remove all older epochs, and take the pages out of the rest; what went, by place."""
    from clausegraph.ingestion.pipeline import remove_pages
    from clausegraph.ingestion.tools import Options

    ledger, settings = workspace.ledger_to_change(), workspace.settings
    ids = {row.name: row.id for row in ledger.rows(select(sources).where(sources.c.corpus_id == corpus.id))}
    uris: dict[int, list[str]] = {}
    for source, uri in begun.places:
        if source in ids:
            uris.setdefault(ids[source], []).append(uri)
    if list_epochs(ledger, corpus.id):
        with run_tools(workspace, None) as tools:
            remove_pages(tools, corpus.name, uris, as_retained(settings, Options(gated=False)))
    with workspace.projections() as projections:
        with _lease(ledger, corpus) as lease:
            take_back(ledger, lease, projections)
            done = vacuum(ledger, corpus, lease, 1, 0, promised=True, report_days=settings.keep_days)
            whole = [source for source, uri in begun.keys.values() if uri is None]
            rows = {} if done.remains else scrub(ledger, lease, quoted, whole)
            projections.vacuumed(corpus.id)
        remains = [*done.remains, *projections.problems] or [*_remove_files(workspace, corpus.name, quoted)]
        _raise_for(remains or sweep(ledger))
    return {"epochs": done.epochs, **{name: count for name, count in (done.rows | rows).items() if count}}


def _remove_files(workspace: Workspace, corpus: str, quoted: Quoted) -> Iterator[str]:
    """Blank targets in the audit log, and remove evaluations of the corpus that name or quote the pages."""
    AuditLog(workspace.settings.home).blank(quoted.is_said_in)
    for path in _evaluations(workspace, corpus):
        if any(quoted.is_said_in(one.read_text("utf-8", "replace")) for one in path.rglob("*") if one.is_file()):
            yield from remove_path(path)


def _evaluations(workspace: Workspace, corpus: str) -> list[Path]:
    """The folders of the runs that measured a corpus."""
    from clausegraph.app.services.evaluations import Evaluations

    folder = workspace.settings.evaluations
    listed = Evaluations(workspace.settings).listed(lambda name: name == corpus)
    return [] if folder is None else [folder / run.name for run in listed]


def _search(workspace: Workspace, corpus: CorpusRow, begun: _Begun) -> dict[str, int]:
    """Look for the pages in every table and file, and in Neo4j; how much was searched.

    Raises:
        LedgerError: something was found.
    """
    ledger, home = workspace.ledger_to_change(), workspace.settings.home
    folders = [home, *_evaluations(workspace, corpus.name)]
    with workspace.projections() as projections:
        one = projections.projection
        beside = () if one is None else one.contents(corpus.id)
        searched, found = residue(ledger, corpus.id, begun.own, folders, beside, skip=home / _FOLDER)
        found += [] if one is None else one.verify(corpus.id)
    _raise_for([f"it is still in {place}" for place in found])
    return searched


def _raise_for(left: list[str]) -> None:
    if left:
        more = f"; and {len(left) - _SHOWN} more" if len(left) > _SHOWN else ""
        raise LedgerError(
            f"not forgotten to the end: {'; '.join(left[:_SHOWN])}{more}. Readers do not get it, and it stays out; "
            "repeat the command then"
        )


def _certify(
    workspace: Workspace, corpus: CorpusRow, begun: _Begun, removed: dict[str, Any], searched: dict[str, int],
    folder: Path | None,
) -> dict[str, dict[str, Any]]:  # fmt: skip
    """Write the certificates of what has none yet; the ledger keeps them without the names of other pages."""
    ledger, own, made = workspace.ledger_to_change(), begun.own, dict[str, dict[str, Any]]()
    copies = ledger.rows(select(backups).where(backups.c.corpus_id == corpus.id).order_by(backups.c.id))
    body = {
        "corpus": corpus.name,
        "certified": _moment(time.time()),
        "removed": removed,
        "searched": searched,
        "searched for": {"names": len(own.names), "texts": len(own.texts), "values": len(own.parts),
                         "vectors": len(own.vectors)},
        "found": 0,
        "not searched": _NOT_SEARCHED,
        "stays, as other pages state it": own.stays,
        "out of reach": [f"backup of epoch {one.epoch}, made {_moment(one.created)} at {one.place}" for one in copies],
    }  # fmt: skip
    for row in list_forgotten(ledger, corpus.id):
        if row.key not in begun.keys:
            continue
        if row.certificate:  # of a restored corpus, or of a command that was stopped after that
            made[row.key] = json.loads(row.certificate)
            continue
        uri = begun.keys[row.key][1]
        mine = {"key": row.key, "forgotten": "a whole source" if uri is None else "a page", "reason": row.reason,
                "forgotten by": row.forgotten_by, "begun": _moment(row.created)}  # fmt: skip
        made[row.key] = signed(workspace.settings.home, body | mine | {"pages that state it": sorted(own.stated_by)})
        if folder is not None:
            file = folder / f"forgotten-{row.key[:SHOWN]}.json"
            write_whole(file, written(made[row.key]))
            made[row.key] |= {"file": str(file)}
        kept = canonical_json(made[row.key] | {"certificate": body | mine})
        with ledger.write() as connection:
            connection.execute(update(forgotten).where(forgotten.c.id == row.id).values(certificate=kept))
    return made


def _moment(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
