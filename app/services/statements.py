"""Statements that a curator hides: decided, taken back, listed with what each hides."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.browse import open_shelf
from clausegraph.app.services.records import AnchoredQuote, quoted, statement_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.types import PageKey
from clausegraph.indexes import hidden
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.derive import statement_id
from clausegraph.indexes.hidden import Effect, HiddenStatement
from clausegraph.indexes.ledger.store import Ledger


class HidingDecision(Record):
    """A statement that is hidden: where it stands, why it is wrong, and whether that is in force."""

    id: int
    anchor: str
    reason: str
    decided_by: str
    decided: float
    page: str
    words: str | None = Field(description="The statement; null where its page does not state it now.")
    state: Literal["hidden", "waits", "nothing to hide"]
    since: int | None = Field(description="The epoch since which it is hidden.")


class HideReply(HidingDecision):
    """The decision that hides a statement; `new` is false for one that was made before."""

    new: bool


class ReturningStatement(Record):
    """A statement that the next publish shows again."""

    page: str
    words: str


class HiddenStatements(Record):
    """The decisions that hide statements, and what the next publish shows again."""

    corpus: str
    published: int
    newest: int
    hidden: list[HidingDecision]
    returning: list[ReturningStatement]


def look_up(workspace: Workspace, corpus: str, statement: str) -> dict[str, Any]:
    """A statement with its page, in words, and with the sentences it was read from as the published epoch has them."""
    ledger = workspace.ledger
    statement = _of_fact(ledger, corpus, statement)
    page, found = hidden.look_up(ledger, get_corpus(ledger, corpus), statement)
    shelf = open_shelf(ledger, corpus)
    version = shelf.versions.get(page)
    said = [] if version is None else quoted(found.spans, shelf.reading(version[0]))
    quotes = [AnchoredQuote(anchor=element.anchor, quote=quote) for element, quote in said]
    return {"id": statement, "page": str(page), "words": statement_words(found), "quotes": quotes}


def hide(workspace: Workspace, corpus: str, statement: str, reason: str, by: str) -> HideReply:
    """Hide a statement from the next publish on; errors as ``indexes.hidden.hide``.

    Args:
        statement: its id, or how only that begins; or that of a fact which one statement alone states.
    """
    ledger = workspace.ledger_to_change()
    of_it = _of_fact(ledger, corpus, statement)
    made, is_new = hidden.hide(ledger, get_corpus(ledger, corpus), of_it, reason, by)
    listed = next(one for one in hidden_status(workspace, corpus).hidden if one.id == made.id)
    return HideReply(**dict(listed), new=is_new)


def _of_fact(ledger: Ledger, corpus: str, given: str) -> str:
    """The id of the only statement of a fact, where ``given`` is a fact's and no statement's; else ``given`` itself."""
    try:
        hidden.look_up(ledger, get_corpus(ledger, corpus), given)
    except NotFoundError:
        shelf = open_shelf(ledger, corpus)
        fact = shelf.find_fact(given.strip().lower())
        if fact is None:
            raise
    else:
        return given
    stated = {statement_id(one): one for one in shelf.graph.supports([fact.id])}
    if len(stated) == 1:
        return next(iter(stated))
    listed = "; ".join(
        f"{name[:8]} ({one.page}): {statement_words(one.statement)[:120]}" for name, one in stated.items()
    )
    raise InputError(f"{given[:80]!r} is a fact, which {len(stated)} statements state; give the id of one: {listed}")


def undo(workspace: Workspace, corpus: str, number: int) -> HidingDecision:
    """Take such a decision back; errors as ``indexes.hidden.unhide``. Returns it as it was."""
    ledger = workspace.ledger_to_change()
    row = get_corpus(ledger, corpus)
    with ledger.read() as connection:
        was, _ = hidden.effects(connection, row.id, hidden.list_hidden(ledger, row.id))
    gone = hidden.unhide(ledger, row, number)
    return _record(gone, was.get(gone.id))


def hidden_status(workspace: Workspace, name: str) -> HiddenStatements:
    """The decisions that hide statements, with what each hides in the newest epoch, and what waits to be shown again.

    Of each: ``state`` is "hidden" (since the epoch ``since``), "waits" (for the next publish) or "nothing to hide":
    its page does not state that now, and ``words`` are none then. ``returning`` are those that nothing hides any more.
    """
    ledger = workspace.ledger
    corpus = get_corpus(ledger, name)
    decided = hidden.list_hidden(ledger, corpus.id)
    with ledger.read() as connection:
        found, returning = hidden.effects(connection, corpus.id, decided)
    return HiddenStatements.of(
        corpus,
        corpus=corpus.name,
        hidden=[_record(one, found.get(one.id)) for one in decided],
        returning=[
            ReturningStatement(page=str(PageKey(one.source, one.uri)), words=statement_words(one.statement))
            for one in returning
        ],
    )


def _record(one: HiddenStatement, effect: Effect | None) -> HidingDecision:
    return HidingDecision.of(
        one,
        page=str(PageKey(one.source, one.uri)),
        words=effect and statement_words(effect.statement),
        state="nothing to hide" if effect is None else "waits" if effect.since is None else "hidden",
        since=effect and effect.since,
    )
