"""Epochs and runs of a corpus: listed, rolled back to, vacuumed, summed up."""

from __future__ import annotations

import uuid
from collections import Counter
from datetime import date, datetime, timedelta
from typing import Any

from clausegraph.app.models import forget_replies
from clausegraph.app.services import Key, Record, Slice, numbered_slice
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.indexes import corpora
from clausegraph.indexes.corpora import (
    CANCELLED,
    DONE,
    EVALUATION,
    FAILED,
    FORECAST,
    NOTHING_PUBLISHED,
    QUARANTINED,
    QUEUED,
    REMOVAL,
    RUNNING,
    get_corpus,
    get_run,
    list_corpora,
    list_runs,
)
from clausegraph.indexes.ledger.leases import run_lease
from clausegraph.indexes.publish import take_back
from clausegraph.indexes.sweep import sweep, with_room
from clausegraph.indexes.vacuum import NOTHING, VacuumReport, vacuum
from clausegraph.ingestion.progress import Figures
from clausegraph.ingestion.tools import Progress, no_progress


class ListedEpoch(Record):
    """A retained epoch; times are seconds since 1970."""

    epoch: int
    published: bool
    created: float
    run: str
    model: str
    changes: dict[str, dict[str, int]]


class ListedRun(Record):
    """A run, without its report."""

    id: str
    kind: str
    source: str
    started: float
    ended: float | None
    status: str


class SummedRun(ListedRun):
    """A run, and what its report says in short; None while it has none."""

    summary: dict[str, Any] | None


def list_epochs(workspace: Workspace, corpus: str) -> list[ListedEpoch]:
    """The retained epochs, newest first."""
    row = get_corpus(workspace.ledger, corpus)
    return [
        ListedEpoch.of(
            one, epoch=one.number, published=one.number == row.published, run=one.run_id, changes=one.summary
        )
        for one in corpora.list_epochs(workspace.ledger, row.id)
    ]


def epoch_on(workspace: Workspace, corpus: str, day: str) -> int:
    """The newest retained epoch that was published by the end of a day ("2026-01-31"), in this machine's time zone.

    Raises:
        InputError: it is no day of the calendar.
    """
    try:
        after = date.fromisoformat(day) + timedelta(days=1)
        ends = datetime(after.year, after.month, after.day).astimezone().timestamp()
    except (ValueError, OverflowError) as error:
        raise InputError(f"day {day[:40]!r} is not understood; write it as 2026-01-31") from error
    kept = corpora.list_epochs(workspace.ledger, get_corpus(workspace.ledger, corpus).id)
    found = next((row.number for row in kept if row.created < ends), None)
    if found is None:
        oldest = "there is none yet"
        if kept:
            made = datetime.fromtimestamp(kept[-1].created).astimezone().strftime("%Y-%m-%d")
            oldest = f"the oldest is epoch {kept[-1].number} of {made}"
        raise NotFoundError(f"corpus {corpus!r} keeps no epoch that was published by the end of {day}; {oldest}")
    return found


def rollback(workspace: Workspace, corpus: str, number: int) -> dict[str, Any]:
    """Let readers see epoch ``number`` again; ``lagging`` says where a projection could not follow."""
    with workspace.projections() as projections:
        row = get_corpus(workspace.ledger, corpus)
        corpora.rollback(workspace.ledger, row, number)
        projections.published(row.id)
        return {"corpus": corpus, "published": number, "newest": row.newest, "lagging": projections.problems}


def vacuum_corpus(
    workspace: Workspace, corpus: str, keep_epochs: int | None = None, keep_days: float | None = None,
    report_days: float | None = None, progress: Progress = no_progress, run_id: str | None = None,
) -> dict[str, Any]:  # fmt: skip
    """Remove for good what only old epochs show. Where there is no corpus at all, the home folder is cleaned.

    ``kept`` says why each of the other epochs stays, ``remains`` what should be gone and is not, why, and what to do,
    ``lagging`` where a projection could not follow. What a killed run had written of an epoch is taken back; ``ready``
    is an epoch that it had written to its end, which the next run publishes.

    Args:
        keep_epochs, keep_days: None for those of the settings.
        report_days: as of ``vacuum``.
        progress: told the step; what it raises ends the vacuum there, and the next one goes on.
        run_id: of the run that it is, if it is one.
    """
    count = workspace.settings.keep_epochs if keep_epochs is None else keep_epochs
    days = workspace.settings.keep_days if keep_days is None else keep_days
    ledger = workspace.ledger
    with workspace.projections() as projections:
        report, ready = NOTHING, None
        if list_corpora(ledger):
            row = get_corpus(ledger, corpus)

            def remove() -> tuple[int | None, VacuumReport]:
                with run_lease(ledger, row.id, run_id or f"vacuum-{uuid.uuid4().hex[:12]}") as lease:
                    progress("remove", 0, 0)
                    taken = take_back(ledger, lease, projections)
                    done = vacuum(ledger, row, lease, count, days, promised=True, report_days=report_days)
                    projections.vacuumed(row.id)
                    return taken, done

            ready, report = with_room(ledger, remove)
        progress("sweep", 0, 0)
        projections.dropped()
        made = report.as_dict() | {"ready": ready, "keep_epochs": count, "keep_days": days}
        made["replies"], remains = forget_replies(workspace.settings, days)
        made["remains"] = [*report.remains, *([remains] if remains else []), *sweep(ledger)]
        return made | {"lagging": projections.problems}


_PAGES = ("added", "changed", "removed", "failed")


def run_summaries(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs, newest first, each with ``summary`` in place of its report."""
    found = reported_run_slice(workspace, corpus, limit, after)
    return Slice([SummedRun(**run, summary=run_summary(run)) for run in found.items], found.after)


def run_words(run: dict[str, Any]) -> str:
    """What became of a run so far, in a sentence; above all, whether something of it was published."""
    status, progress, error = run["status"], run["progress"], (run["report"] or {}).get("error", "")
    at = f", at {Figures(**progress).words()}" if progress else ""
    published = NOTHING_PUBLISHED if run["epoch"] is None else f"epoch {run['epoch']} was published"
    if status == QUEUED:
        return "It waits until the corpus is free."
    if status == RUNNING:
        asked = f"; {run['cancelled_by']} has cancelled it, so it ends at its next step" if run["cancelled_by"] else ""
        return f"It is at work{at}{asked}."
    if status == QUARANTINED:
        return f"It is in quarantine: {NOTHING_PUBLISHED}, until somebody decides."
    if status == DONE:
        return _done_words(run, published)
    why = f" by {run['cancelled_by']}" if status == CANCELLED else f": {error}" if error not in ("", status) else ""
    ended = f"It failed{why}" if status == FAILED else f"It was {status}{why}{at}"
    if run["kind"] in (REMOVAL, EVALUATION):
        return f"{ended}; the next one {'goes on from there' if run['kind'] == REMOVAL else 'begins anew'}."
    kept = "; what it had stored is kept, and the next run goes on with it" if run["epoch"] is None else ""
    return f"{ended}; {published}{kept}."


def _done_words(run: dict[str, Any], published: str) -> str:
    if run["kind"] == FORECAST:
        return "It only says what a run would do: nothing was written."
    if said := (run["report"] or {}).get("said"):
        return str(said)
    return "Nothing had changed." if run["epoch"] is None else f"{published[0].upper()}{published[1:]}."


def run_summary(run: dict[str, Any]) -> dict[str, Any] | None:
    """The pages, tokens and cost of a run's record, and the reasons of its rejects, most frequent first.

    None while it has no report.
    """
    report: Any = run["report"]
    if not report:
        return None
    used = list(report.get("usage", {}).values())
    reasons = Counter(str(one["reason"]) for key in ("failures", "rejects") for one in report.get(key, ()))
    return {
        "pages": {name: len(report.get(f"pages_{name}", ())) for name in _PAGES},
        "tokens": int(sum(one["prompt_tokens"] + one["output_tokens"] for one in used)),
        "cost": float(sum(one["money"] for one in used)),
        "reasons": reasons.most_common(),
        "epoch": report.get("epoch"),
        "held": report.get("held", []),
        "gate": report.get("gate"),
        "error": report.get("error", ""),
    }


def run_slice(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs as of :func:`reported_run_slice`, without their reports."""
    found = reported_run_slice(workspace, corpus, limit, after)
    return Slice([ListedRun(**run) for run in found.items], found.after)


def reported_run_slice(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs, newest first, with their reports."""
    ledger = workspace.ledger
    before = None if after is None else (float(after[0]), str(after[1]))
    found = list_runs(ledger, get_corpus(ledger, corpus).id, limit + 1, before)
    items = found[:limit]
    return Slice(items, [items[-1]["started"], items[-1]["id"]] if len(found) > limit else None)


def reject_slice(workspace: Workspace, corpus: str, run: str, limit: int, after: Key | None = None) -> Slice:
    """What a run did not use and what failed in it, each with its reason."""
    ledger = workspace.ledger
    report: Any = get_run(ledger, get_corpus(ledger, corpus).id, run)["report"] or {}
    every = [
        {"outcome": outcome} | one
        for outcome, key in (("failed", "failures"), ("rejected", "rejects"))
        for one in report.get(key, ())
    ]
    return numbered_slice(every, limit, after)
