"""Asking watched questions again: which a publish touches, what their answers become, and who is told."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from clausegraph.app.engines import engine_options
from clausegraph.app.notify import addressees, report_changes
from clausegraph.app.services.answer_changes import (
    answer_differences,
    changed_answer,
    packed_answer,
    quoted_pages,
    stored_answer,
)
from clausegraph.app.services.ask import answer
from clausegraph.core.errors import BudgetExceeded, ClauseGraphError, ModelError
from clausegraph.core.extraction import Reject
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.serial import pack
from clausegraph.core.telemetry.logs import logger
from clausegraph.core.telemetry.redaction import error_fields
from clausegraph.core.text import one_line
from clausegraph.core.types import PageKey
from clausegraph.indexes.corpora import CorpusRow, get_corpus, list_epochs
from clausegraph.indexes.watches import Watch, changed_pages, get_watch, list_watches, update_watch
from clausegraph.query.retrieve.bank import CANDIDATES, make_retriever

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.ingestion.report import WatchReport
    from clausegraph.ingestion.tools import Progress

log = logger(__name__)


def ask_again(workspace: Workspace, corpus: str, progress: Progress | None = None) -> WatchReport:
    """After a run: ask the watched questions that what was published since touches, and report what changed.

    What cannot be asked or reported is told, not raised, and is due again.
    """
    row = get_corpus(workspace.ledger, corpus)
    return _asked(workspace, row, list_watches(workspace.ledger, row.id), _touching(workspace, row), progress)


def run(workspace: Workspace, corpus: str, number: int | None = None, progress: Progress | None = None) -> WatchReport:
    """Ask one or all of the watched questions now, whether something touches them or not."""
    row = get_corpus(workspace.ledger, corpus)
    ledger = workspace.ledger
    watches = list_watches(ledger, row.id) if number is None else [get_watch(ledger, row, number)]
    return _asked(workspace, row, watches, lambda _: True, progress)


def _asked(
    workspace: Workspace, row: CorpusRow, watches: Sequence[Watch], is_due: Callable[[Watch], bool],
    progress: Progress | None,
) -> WatchReport:  # fmt: skip
    from clausegraph.ingestion.report import WatchReport

    asked, changed, not_asked = list[int](), list[int](), list[Reject]()
    for number, watch in enumerate(watches, 1):
        try:
            if is_due(watch):
                changed += [watch.id] if _ask(workspace, row, watch) else []
                asked.append(watch.id)
            elif watch.epoch != row.published:  # what it rests on is the same there
                update_watch(workspace.ledger_to_change(), watch, {"epoch": row.published})
        except ClauseGraphError as error:
            log.warning("watch.not_asked", watch=watch.id, **error_fields(error))
            is_for_all = isinstance(error, ModelError) and not isinstance(error, BudgetExceeded)  # it does not answer
            left = watches[number - 1 :] if is_for_all else [watch]
            not_asked += [Reject(str(one.id), one_line(error)) for one in left]
            if is_for_all:
                break
        if progress is not None:
            progress("watched questions", number, len(watches))
    return WatchReport(asked, changed, not_asked, report_changes(workspace, row, changed_answer))


def _touching(workspace: Workspace, row: CorpusRow) -> Callable[[Watch], bool]:
    """Tells whether a page that differs since a watch's epoch is one its answer rests on, or its search finds."""
    ledger = workspace.ledger
    retained = {one.number for one in list_epochs(ledger, row.id)}
    differing = cache(lambda epoch: changed_pages(ledger, row.id, epoch, row.published))

    def is_touched(watch: Watch) -> bool:
        kept = stored_answer(watch, watch.answer)
        if kept is None or watch.epoch not in retained:
            return True
        touched = differing(watch.epoch)
        return bool(touched) and (
            not touched.keys().isdisjoint(quoted_pages(kept)) or _finds(workspace, row, watch, touched)
        )

    return is_touched


def _finds(workspace: Workspace, row: CorpusRow, watch: Watch, touched: Mapping[PageKey, set[str]]) -> bool:
    """Whether the passages that an engine would read have a new one of these pages; a reranker takes them from more."""
    settings = workspace.settings
    options = engine_options(settings, workspace.model if settings.llm else None)
    limit = CANDIDATES if settings.reranker else options.limit
    with workspace.view(row.name) as view:
        made = make_retriever(options.retriever, view, workspace.embedder)
        hits = made.retrieve(Inquiry(watch.question, watch.scenario), limit=limit)
    return any(
        hit.page in touched and not (touched[hit.page] and touched[hit.page].isdisjoint((hit.key, *hit.anchors)))
        for hit in hits
    )


def _ask(workspace: Workspace, row: CorpusRow, watch: Watch) -> bool:
    """Ask a question and keep its answer; returns whether that is another one."""
    found = answer(workspace, row.name, Inquiry(watch.question, watch.scenario))
    before, approved = stored_answer(watch, watch.answer), stored_answer(watch, watch.approved)
    differences = answer_differences(before, found) if before is not None else []
    values: dict[str, Any] = {"answer": packed_answer(found), "epoch": found.epoch}
    if approved is not None and not answer_differences(approved, found):
        values |= {"approved": None, "approved_epoch": found.epoch}
    elif differences and watch.approved_by and approved is None:
        values |= {"approved": watch.answer, "approved_epoch": watch.epoch}
    change = {
        "corpus_id": row.id,
        "change": pack([one.as_json() for one in differences]),
        "unsent": json.dumps(addressees(workspace.settings)),
    }
    is_ours = update_watch(workspace.ledger_to_change(), watch, values, change if differences else None)
    return is_ours and bool(differences)
