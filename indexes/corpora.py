"""Corpora with their sources, epochs and runs, as the ledger lists them.

A run that is killed leaves "running" behind. Whoever reads sees by the lease of its corpus that nobody is at work, and
says "killed"; the next run, which holds the corpus, records it. Of one that a server was asked for (``jobs.py``) its
process tells, and it is "interrupted".
"""

from __future__ import annotations

import shlex
import socket
import time
import unicodedata
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from sqlalchemy import Connection, Row, Select, case, func, select, tuple_, update

from clausegraph.core.errors import NotFoundError
from clausegraph.core.hashing import canonical_json
from clausegraph.core.text import LONGEST, checked_name
from clausegraph.indexes.ledger.cells import COUNTS, OBJECT, TEXTS, decode_json, record_of
from clausegraph.indexes.ledger.dialect import insert_new, insert_or_update
from clausegraph.indexes.ledger.leases import began_before, held_lease, is_held
from clausegraph.indexes.ledger.schema import FLIPPED, corpora, epochs, in_newest, members, pages, runs, sources
from clausegraph.indexes.ledger.store import Ledger

Summary = dict[str, dict[str, int]]


@dataclass(frozen=True, slots=True)
class CorpusRow:
    """A corpus as the ledger knows it; ``newest`` and ``published`` are epoch numbers, 0 before the first."""

    id: int
    name: str
    newest: int
    published: int
    settings: dict[str, str]


@dataclass(frozen=True, slots=True)
class SourceRow:
    """A named origin of pages within a corpus."""

    id: int
    name: str
    kind: str
    location: str


def check_corpus_name(name: str) -> str:
    """A name that a corpus may have, in the form in which it is stored; errors as ``checked_name``."""
    return checked_name(name, "corpus", f"take 1 to {LONGEST} visible characters without '/'")


def ensure_corpus(ledger: Ledger, name: str, settings: dict[str, str]) -> CorpusRow:
    """The corpus of that name, made with ``settings`` if it is new."""
    name = check_corpus_name(name)
    values = {"name": name, "settings": canonical_json(settings), "newest": 0, "published": 0, "created": time.time()}
    with ledger.write() as connection:
        connection.execute(insert_new(corpora), values)
        return _corpus(connection.execute(select(corpora).where(corpora.c.name == name)).one())


def get_corpus(ledger: Ledger, name: str, option: str = "--corpus ") -> CorpusRow:
    """The corpus of that name; ``option`` is how the command line is given one, empty for a plain argument."""
    name = unicodedata.normalize("NFC", name)
    every = {corpus.name: corpus for corpus in list_corpora(ledger)}
    if name not in every:
        afar = f"no corpus {name[:80]!r}; the list of corpora has those that you may see"
        raise NotFoundError(f"no corpus named {name!r} in {ledger.place}{_instead(name, [*every], option)}", afar=afar)
    return every[name]


def find_corpus(ledger: Ledger, name: str) -> CorpusRow | None:
    """The corpus of that name, if there is one."""
    name = unicodedata.normalize("NFC", name)
    return next((corpus for corpus in list_corpora(ledger) if corpus.name == name), None)


def _instead(name: str, names: list[str], option: str) -> str:
    """What may have been meant; how to make a corpus only where there is none, as a name may be misspelt."""
    if not names:
        return f", nor any other; `clausegraph ingest SOURCE --corpus {shlex.quote(name)}` makes it"
    known = f" (there {'is' if len(names) == 1 else 'are'}: {', '.join(names)}); "
    if near := get_close_matches(name, names, n=1):
        return f"{known}did you mean {near[0]!r}?"
    return f"{known}give {option}{shlex.quote(names[0]) if len(names) == 1 else 'NAME'}"


def list_corpora(ledger: Ledger) -> list[CorpusRow]:
    """Every corpus, by name."""
    return [_corpus(row) for row in ledger.rows(select(corpora).order_by(corpora.c.name))]


def _corpus(row: Row[Any]) -> CorpusRow:
    return record_of(CorpusRow, row, settings=decode_json(corpora.c.settings, row.id, row.settings, TEXTS))


def ensure_source(ledger: Ledger, corpus_id: int, name: str, kind: str, location: str) -> int:
    """Id of the source of that name; its location is kept up to date."""
    key, values = {"corpus_id": corpus_id, "name": name}, {"kind": kind, "location": location}
    with ledger.write() as connection:
        stored = insert_or_update(sources, list(key), key | values, values).returning(sources.c.id)
        return int(connection.execute(stored).scalar_one())


def list_sources(ledger: Ledger, corpus_id: int) -> list[SourceRow]:
    """The sources of a corpus, by name."""
    query = select(sources).where(sources.c.corpus_id == corpus_id).order_by(sources.c.name)
    return [record_of(SourceRow, row) for row in ledger.rows(query)]


def count_pages(ledger: Ledger, corpus_id: int) -> dict[int, int]:
    """How many pages each source has in the newest state, by its id; reads every one."""
    held = select(pages.c.source_id, func.count().label("held")).join(members, members.c.page_id == pages.c.id)
    query = held.where(members.c.corpus_id == corpus_id, in_newest(members)).group_by(pages.c.source_id)
    return {row.source_id: int(row.held) for row in ledger.rows(query)}


@dataclass(frozen=True, slots=True)
class EpochRow:
    """A published state: its number, the model of its vectors, its run, when it was flipped, what it changed."""

    number: int
    model: str
    run_id: str
    created: float
    summary: Summary


def list_epochs(ledger: Ledger, corpus_id: int) -> list[EpochRow]:
    """The retained epochs, newest first; a frozen one is not an epoch yet."""
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.state == FLIPPED)
    rows = ledger.rows(select(epochs).where(*mine).order_by(epochs.c.number.desc()))
    return [record_of(EpochRow, row, summary=decode_summary(row)) for row in rows]


def decode_summary(row: Row[Any]) -> Summary:
    """What an epoch changed: rows opened and closed, by table, and how many are ``held`` then."""
    return decode_json(epochs.c.summary, row.number, row.summary, COUNTS)


def find_summary(ledger: Ledger, corpus_id: int, number: int) -> Summary:
    """What an epoch changed; nothing where it is not retained."""
    mine = (epochs.c.corpus_id == corpus_id, epochs.c.number == number, epochs.c.state == FLIPPED)
    return next((decode_summary(row) for row in ledger.rows(select(epochs).where(*mine))), {})


def find_epoch(connection: Connection, corpus: CorpusRow, number: int) -> str:
    """The model of a retained epoch."""
    mine = (epochs.c.corpus_id == corpus.id, epochs.c.state == FLIPPED)
    rows = {row.number: row.model for row in connection.execute(select(epochs).where(*mine))}
    if number not in rows:
        there = f"{min(rows)} to {max(rows)}" if rows else "none: nothing was published yet"
        raise NotFoundError(f"corpus {corpus.name!r} has no epoch {number} (there are: {there})")
    return str(rows[number])


def rollback(ledger: Ledger, corpus: CorpusRow, number: int) -> None:
    """Let readers see epoch ``number`` again; history stays, and the next publish goes on from the newest."""
    with ledger.write() as connection:
        find_epoch(connection, corpus, number)
        connection.execute(update(corpora).where(corpora.c.id == corpus.id).values(published=number))


def get_published(connection: Connection, corpus: CorpusRow) -> int:
    """The epoch that readers get."""
    number = connection.execute(select(corpora.c.published).where(corpora.c.id == corpus.id)).scalar()
    if not number:  # no row: the corpus was dropped a moment ago
        raise NotFoundError(
            f"corpus {corpus.name!r} has no published epoch yet; run `clausegraph "
            f"ingest SOURCE --corpus {shlex.quote(corpus.name)}`"
        )
    return int(number)


RUNNING, DONE, FAILED, INTERRUPTED, KILLED = "running", "done", "failed", "interrupted", "killed"
QUEUED, CANCELLED = "queued", "cancelled"  # of those that a server was asked for
NOTHING_PUBLISHED = "nothing of it was published"
QUARANTINED = "quarantined"  # nothing of it is published before somebody accepts it
FORECAST = "forecast"  # the kind of a run that only says what it would do
REMOVAL, EVALUATION = "vacuum", "evaluation"  # the kinds that read no source
UNLEASED = (FORECAST, EVALUATION)  # only read the corpus, so that others may write to it meanwhile
DROPPED, SUPERSEDED = "dropped", "superseded"  # how a run ends that was: by a person, by a later run of its source


def start_run(ledger: Ledger, corpus_id: int, run_id: str, kind: str, source: str) -> list[str]:
    """Record that a run has begun; one of that id, whose first step is tried again, begins anew.

    Returns the other runs that never ended. This one holds the corpus, so they were killed, which is recorded too.
    """
    values = {"corpus_id": corpus_id, "kind": kind, "source": source, "started": time.time(), "status": RUNNING}
    anew = values | {"ended": None, "report": None}
    left = update(runs).where(runs.c.corpus_id == corpus_id, runs.c.status == RUNNING, runs.c.id != run_id)
    left = left.where(runs.c.kind.not_in(UNLEASED))
    died = case((runs.c.job.is_not(None), INTERRUPTED), else_=KILLED)
    with ledger.write() as connection:
        killed = list(connection.execute(left.values(status=died).returning(runs.c.id)).scalars())
        connection.execute(insert_or_update(runs, ["id"], {"id": run_id} | values, anew))
    return sorted(killed)


def resume_run(ledger: Ledger, run_id: str) -> None:
    """A run that had not come to its end goes on."""
    mine = (runs.c.id == run_id, runs.c.status != DONE)
    with ledger.write() as connection:
        connection.execute(update(runs).where(*mine).values(status=RUNNING, ended=None, report=None))


def end_run(ledger: Ledger, run_id: str, status: str, report: dict[str, object]) -> None:
    """Record how a run ended and its report."""
    values = {"ended": time.time(), "status": status, "report": canonical_json(report)}
    with ledger.write() as connection:
        connection.execute(update(runs).where(runs.c.id == run_id).values(**values))


def write_progress(ledger: Ledger, run_id: str, figures: dict[str, Any]) -> str | None:
    """Store how far a run is; returns who has cancelled it, if somebody has."""
    values = update(runs).where(runs.c.id == run_id).values(progress=canonical_json(figures))
    with ledger.write() as connection:
        found: str | None = connection.execute(values.returning(runs.c.cancelled_by)).scalar()
    return found


def add_to_report(ledger: Ledger, corpus_id: int, run_id: str, **values: object) -> None:
    """Put values into the report of a run that has one still."""
    found = find_run(ledger, corpus_id, run_id)
    report: Any = found and found["report"]
    if report:
        with ledger.write() as connection:
            text = canonical_json(report | values)
            connection.execute(update(runs).where(runs.c.id == run_id).values(report=text))


def find_run(ledger: Ledger, corpus_id: int, run_id: str) -> dict[str, object] | None:
    """One run with its report, if the corpus has it; ``epoch`` is the one that it has published."""
    found = next(iter(_runs(ledger, corpus_id, select(runs).where(runs.c.id == run_id))), None)
    if found is not None:
        of_run = (epochs.c.corpus_id == corpus_id, epochs.c.run_id == run_id, epochs.c.state == FLIPPED)
        report: Any = found["report"] or {}
        found["epoch"] = ledger.value(select(epochs.c.number).where(*of_run)) or report.get("epoch")
    return found


def get_run(ledger: Ledger, corpus_id: int, run_id: str) -> dict[str, object]:
    """One run with its report."""
    found = find_run(ledger, corpus_id, run_id)
    if found is None:
        raise NotFoundError(why_no_run(ledger, corpus_id, run_id))
    return found


def why_no_run(ledger: Ledger, corpus_id: int, run_id: str) -> str:
    """What to say of a run that the corpus does not have: vacuum removed it, where an epoch still names it."""
    made = select(epochs.c.number).where(epochs.c.corpus_id == corpus_id, epochs.c.run_id == run_id)
    number = ledger.value(made)
    if number is None:
        return (
            f"no run {run_id[:80]!r} in this corpus; `clausegraph status` lists the last ones, and "
            "`clausegraph epochs vacuum` removes the reports of old ones"
        )
    return (
        f"the report of run {run_id!r}, which published epoch {number}, was removed by `clausegraph epochs vacuum`: "
        "it was older than the setting keep_days"
    )


def list_runs(
    ledger: Ledger, corpus_id: int, limit: int, before: tuple[float, str] | None = None
) -> list[dict[str, object]]:
    """Runs, newest first; from after the one that started then and has that id."""
    query = select(runs) if before is None else select(runs).where(tuple_(runs.c.started, runs.c.id) < before)
    return _runs(ledger, corpus_id, query.order_by(runs.c.started.desc(), runs.c.id.desc()).limit(limit))


def killed_runs(ledger: Ledger, corpus_id: int) -> list[str]:
    """The runs that were killed, and that no later run has recorded as such, oldest first."""
    left = _runs(ledger, corpus_id, select(runs).where(runs.c.status == RUNNING).order_by(runs.c.started))
    return [str(run["id"]) for run in left if run["status"] == KILLED]


def current_holder(ledger: Ledger, corpus_id: int) -> Row[Any] | None:
    """The lease of the run that is at work on a corpus."""
    with ledger.read() as connection:
        lease = held_lease(connection, corpus_id)
        return lease if lease is not None and is_held(lease, ledger.database.now(connection)) else None


def _is_at_work(run: dict[str, Any], lease: Row[Any] | None, now: float) -> bool:
    """Whether the process of a run lives, by its lease; of a job of this host it is known, also without one."""
    if (job := run["job"]) and job["host"] == socket.gethostname():
        return began_before(job["pid"], job["asked"])
    held = lease is not None and lease.run_id == run["id"] and is_held(lease, now)
    return held or (job is not None and (run["status"] == QUEUED or run["kind"] in UNLEASED))


def _runs(ledger: Ledger, corpus_id: int, query: Select[Any]) -> list[dict[str, object]]:
    """The runs of a query with their reports; one that has not ended and is not at work was killed."""
    with ledger.read() as connection:
        lease = held_lease(connection, corpus_id)
        now = ledger.database.now(connection)
        rows = connection.execute(query.where(runs.c.corpus_id == corpus_id)).all()
    made = []
    for row in rows:
        values = {name: value for name, value in row._mapping.items() if name != "corpus_id"}
        for column in (runs.c.report, runs.c.job, runs.c.progress):
            text = values[column.name]
            values[column.name] = decode_json(column, row.id, text, OBJECT) if text else None
        if row.status in (QUEUED, RUNNING) and not _is_at_work(values, lease, now):
            values["status"] = INTERRUPTED if row.job else KILLED
        elif row.status == QUEUED and row.cancelled_by:
            values["status"] = CANCELLED
        made.append(values)
    return made
