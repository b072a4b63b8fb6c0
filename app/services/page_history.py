"""The history of a page, a rule or a statement: at which retained epochs it came, was changed and went."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from pydantic import Field
from sqlalchemy import Row, select

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, open_shelf, page_ids, version_rows
from clausegraph.app.services.changes import READ_AGAIN, changed_rules
from clausegraph.app.services.rule_changes import CHANGED, GONE, NEW, ChangedRule
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import PageKey
from clausegraph.indexes.corpora import EpochRow, list_epochs
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import members, on_pages, page_versions, pages, rules, sources, supports
from clausegraph.indexes.truth import load_rules

FIRST = "oldest"  # the page is in the oldest retained epoch already
_NAMED = 5  # candidates named in a message
_Place = tuple[PageKey, set[str]]  # a page, and the ids of the rules that are followed on it; none: all of them


class HistoryStep(Record):
    """An epoch at which a page, or what is followed on it, became another."""

    epoch: int
    published: float
    kind: str = Field(description="Of the page: oldest (kept from before), new, changed, read again or gone.")
    rules: list[ChangedRule]


class HistoryReply(Record):
    """What became of a page, rule or statement over the retained epochs, oldest first."""

    corpus: str
    page: str
    followed: list[str] = Field(description="The ids of a rule over time; empty where it is the whole page.")
    steps: list[HistoryStep]


def history(workspace: Workspace, corpus: str, name: str) -> HistoryReply:
    """The history of a page (its uri, `source:uri` or title), or of a rule or statement by its id or how that begins.

    A rule is followed through its changes, under whatever ids it had.

    Raises:
        NotFoundError: no retained epoch has it.
        InputError: the id begins several rules or statements.
    """
    kept = list_epochs(workspace.ledger, open_shelf(workspace.ledger, corpus).corpus.id)[::-1]
    shelves = [open_shelf(workspace.ledger, corpus, row.number) for row in kept]
    page, followed = _place(shelves, name)
    steps = list(_steps(shelves, kept, page))
    if followed:
        _follow(followed, [one for step in steps for one in step.rules])
        steps = [
            step.model_copy(update={"rules": mine})
            for step in steps
            if (mine := [one for one in step.rules if _ids(one) & followed]) or step.kind == FIRST
        ]
    return HistoryReply(corpus=shelves[0].corpus.name, page=str(page), followed=sorted(followed), steps=steps)


def _steps(shelves: Sequence[Shelf], kept: Sequence[EpochRow], page: PageKey) -> Iterator[HistoryStep]:
    rows = [_member(shelf, page) for shelf in shelves]
    if rows[0] is not None:
        yield HistoryStep(epoch=shelves[0].epoch, published=kept[0].created, kind=FIRST, rules=[])
    for (before, was), (after, row) in pairwise(zip(shelves, rows, strict=True)):
        changed = changed_rules(before, after, page)
        if row != was or changed:
            again = row is not None and was is not None and row.raw_hash == was.raw_hash
            kind = NEW if was is None else GONE if row is None else READ_AGAIN if again else CHANGED
            published = next(one.created for one in kept if one.number == after.epoch)
            yield HistoryStep(epoch=after.epoch, published=published, kind=kind, rules=changed)


def _member(shelf: Shelf, page: PageKey) -> Row[tuple[int, str]] | None:
    """The version of a page that an epoch has."""
    query = version_rows(page_versions.c.id, page_versions.c.raw_hash)
    found = query.where(shelf.visible(members), members.c.page_id.in_(page_ids(shelf.corpus.id, page)))
    return next(iter(shelf.ledger.rows(found)), None)


def _ids(changed: ChangedRule) -> set[str]:
    return {one.id for one in (changed.old, changed.new) if one is not None}


def _follow(followed: set[str], changed: Sequence[ChangedRule]) -> None:
    """Add the ids that the rules had before a change and after it."""
    while more := {identity for one in changed if _ids(one) & followed for identity in _ids(one)} - followed:
        followed |= more


def _place(shelves: Sequence[Shelf], name: str) -> _Place:
    """The page that is meant, and which of its rules."""
    begin = name.strip().lower()
    if len(begin) >= 4 and set(begin) <= set("0123456789abcdef"):
        for table in (rules, supports):
            named = select(table, sources.c.name.label("source"), pages.c.uri).select_from(on_pages(table))
            mine = table.c.corpus_id == shelves[0].corpus.id, table.c.content_key.startswith(begin)
            rows = [row for row in shelves[0].ledger.rows(named.where(*mine)) if _retained(shelves, row)]
            if places := sorted({(PageKey(row.source, row.uri), row.content_key) for row in rows}):
                if len(places) > 1:
                    listed = ", ".join(f"{key} on {page}" for page, key in places[:_NAMED])
                    raise InputError(f"{len(places)} begin with {begin!r}: {listed}; give more of the id, or the page")
                page, key = places[0]
                return page, {key} if table is rules else _rules_of(shelves, page, rows[0])
    for shelf in reversed(shelves):
        if found := shelf.find_page(name):
            return found[0], set()
    where = f"no retained epoch of corpus {shelves[0].corpus.name!r}"
    raise NotFoundError(
        f"{where} has a page, rule or statement {name[:200]!r}; "
        "`clausegraph pages` and `clausegraph show PAGE` list them"
    )


def _retained(shelves: Sequence[Shelf], row: Row[tuple[int, ...]]) -> bool:
    return any(row.since <= shelf.epoch < row.until for shelf in shelves)


def _rules_of(shelves: Sequence[Shelf], page: PageKey, row: Row[tuple[int, ...]]) -> set[str]:
    """The rules on the elements that state a statement."""
    statement = decode(supports.c.statement, row.content_key, row.statement, statement_from_text)
    anchors = {span.anchor for span in statement.spans}
    shelf = next(one for one in shelves if row.since <= one.epoch < row.until)
    placed = load_rules(shelf.ledger, shelf.corpus.id, shelf.epoch, rules.c.page_id == row.page_id)
    return {one.key for one in placed if any(span.anchor in anchors for span in one.rule.spans)}
