"""Watched questions: kept with their answers, asked again where a publish touches them, and how answers changed."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field

from clausegraph.app.services import Key, Record, Slice, numbered_slice
from clausegraph.app.services.answer_changes import (
    AnswerDifference,
    ChangedAnswer,
    answer_differences,
    changed_answer,
    packed_answer,
    stored_answer,
)
from clausegraph.app.services.answers import AnswerReply, shown_answer
from clausegraph.app.services.ask import answer
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.presentation.answer import present
from clausegraph.core.presentation.quoted_parts import LineKind
from clausegraph.core.text import one_line
from clausegraph.core.types import Answer
from clausegraph.indexes import watches as stored
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.watches import Watch, WatchChange

_WORDS = 200  # characters of an answer in a list


class ListedWatch(Record):
    """A watched question with its answer in a line."""

    id: int
    question: str
    scenario: str
    added_by: str
    created: float = Field(description="Seconds since 1970.")
    epoch: int = Field(description="Up to which its answer is known to hold.")
    status: str = Field(description="Of its answer; empty where that went with its epoch and is not asked anew yet.")
    words: str
    approved_by: str | None
    changed: int = Field(description="How often the answer has changed since it was approved, or at all.")


class WatchReply(ListedWatch):
    """A watched question with its whole answer, and how that changed, newest first."""

    answer: AnswerReply | None
    changes: list[ChangedAnswer]
    unlike_approved: list[AnswerDifference] = Field(description="In what it differs from the approved answer.")


def add(
    workspace: Workspace, corpus: str, question: str, scenario: str, by: str, found: Answer | None = None
) -> ListedWatch:
    """Watch a question; it is asked now, unless its answer of the published epoch is given.

    Errors as ``ask.answer``.
    """
    ledger = workspace.ledger_to_change()
    row = get_corpus(ledger, corpus)
    if found is None or found.epoch != row.published:
        found = answer(workspace, corpus, Inquiry(question, scenario))
    made = stored.add_watch(ledger, row, question, scenario, by, found.epoch, packed_answer(found))
    return _listed(made, [])


def watch_slice(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """The watched questions, oldest first."""
    row = get_corpus(workspace.ledger, corpus)
    changed = stored.list_changes(workspace.ledger, row.id)
    return numbered_slice(
        [_listed(one, changed) for one in stored.list_watches(workspace.ledger, row.id)], limit, after
    )


def show(workspace: Workspace, corpus: str, number: int) -> WatchReply:
    """One of them."""
    ledger = workspace.ledger
    row = get_corpus(ledger, corpus)
    watch, every = stored.get_watch(ledger, row, number), stored.list_changes(ledger, row.id)
    now, approved = stored_answer(watch, watch.answer), stored_answer(watch, watch.approved)
    unlike = answer_differences(approved, now) if now is not None and approved is not None else []
    return WatchReply(
        **dict(_listed(watch, every)), answer=None if now is None else shown_answer(now), unlike_approved=unlike,
        changes=[changed_answer(watch, one) for one in every if one.watch_id == number],
    )  # fmt: skip


def remove(workspace: Workspace, corpus: str, number: int) -> ListedWatch:
    """Watch a question no more; returns it as it was."""
    ledger = workspace.ledger_to_change()
    watch = stored.get_watch(ledger, get_corpus(ledger, corpus), number)
    stored.remove_watch(ledger, watch)
    return _listed(watch, [])


def approve(workspace: Workspace, corpus: str, number: int, by: str) -> ListedWatch:
    """Say that the present answer is right: what differs later differs from it."""
    ledger = workspace.ledger_to_change()
    row = get_corpus(ledger, corpus)
    watch = stored.get_watch(ledger, row, number)
    stored.update_watch(ledger, watch, {"approved": None, "approved_by": by, "approved_epoch": watch.epoch})
    return _listed(stored.get_watch(ledger, row, number), [])


def changed_answers(workspace: Workspace, corpus: str) -> list[ChangedAnswer]:
    """How watched answers changed, newest first, as far back as their epochs are retained."""
    row = get_corpus(workspace.ledger, corpus)
    watches = {one.id: one for one in stored.list_watches(workspace.ledger, row.id)}
    return [changed_answer(watches[one.watch_id], one) for one in stored.list_changes(workspace.ledger, row.id)]


def _listed(watch: Watch, changes: Sequence[WatchChange]) -> ListedWatch:
    now = stored_answer(watch, watch.answer)
    seen = (one for one in changes if one.watch_id == watch.id and one.epoch > watch.approved_epoch)
    lines = () if now is None else (one.text for one in present(now).headline if one.kind is not LineKind.CONDITION)
    words = one_line(" ".join(lines), _WORDS)
    return ListedWatch.of(
        watch, status="" if now is None else now.status.value, words=words, changed=sum(1 for _ in seen)
    )
