"""What differs between two epochs, and between two versions of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from types import MappingProxyType
from typing import Any

from pydantic import Field
from sqlalchemy import Row, Table, and_, not_

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, open_shelf, page_ids, version_rows
from clausegraph.app.services.page_edits import page_edits
from clausegraph.app.services.records import in_page_order, shown_rules
from clausegraph.app.services.rule_changes import (
    CHANGED,
    GONE,
    NEW,
    REWORDED,
    ChangedRule,
    ComparedRule,
    compare_rules,
)
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Element, PageKey, PlacedRule, Reading
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.ledger.schema import members, page_versions, pages, rules, seen_at, sources
from clausegraph.indexes.truth import load_rules

READ_AGAIN, MOVED, SAME = "read again", "moved", "same"
_Moves = Mapping[PageKey, PageKey]  # a page that moved: where it is now
Judge = Callable[[Workspace, list[ChangedRule]], tuple[list[ChangedRule], dict[str, Any]]]
_ALIKE = 0.5  # share of common characters from which on an element was changed, not replaced


class ChangedPage(Record):
    """A page that is new, gone, moved, changed or read again."""

    kind: str
    source: str
    uri: str
    title: str
    url: str | None
    moved_from: str | None = Field(
        description="SOURCE:URI of a moved page before; its rules are compared as one page's."
    )


class ChangesReply(Record):
    """What differs between two epochs."""

    corpus: str
    since: int
    until: int
    published: float = Field(description="When epoch `until` was published.")
    pages: list[ChangedPage]
    rules: list[ChangedRule]
    reworded: int = Field(description="Rules in other words that rule the same.")
    asked: dict[str, Any] | None = Field(default=None, description="What asking a language model took.")


class ListedVersion(Record):
    """A version of a page, with the retained epochs that have it."""

    source: str
    uri: str
    version: int
    title: str | None
    url: str | None
    read: float
    content_type: str
    bytes: str
    epochs: list[int]


class ElementThen(Record):
    """An element as one of two versions has it."""

    tag: str
    anchor: str
    text: str


class ComparedElement(Record):
    """An element that is the same, new, gone or changed."""

    kind: str
    old: ElementThen | None
    new: ElementThen | None


class ComparisonReply(Record):
    """Two versions of a page beside each other."""

    corpus: str
    page: str
    title: str
    versions: list[ListedVersion]
    old: ListedVersion | None
    new: ListedVersion | None
    elements: list[ComparedElement]
    rules: list[ChangedRule]


def changes(
    workspace: Workspace, corpus: str, since: int | None = None, until: int | None = None, *, reworded: bool = False,
    judge: Judge | None = None,
) -> ChangesReply:  # fmt: skip
    """What whoever read epoch ``since`` finds different at epoch ``until``.

    A page is "read again" where its bytes are the same and only how it is read is not; it has moved
    where a page that is gone had its title and most of its elements.

    Args:
        since: None for the retained epoch before ``until``.
        until: None for the published one.
        reworded: rules that are only in other words are listed, too.
        judge: says which others are so, as ``judge_rewordings``; its errors.
    """
    after = open_shelf(workspace.ledger, corpus, until)
    before = open_shelf(workspace.ledger, corpus, _before(after) if since is None else since)
    pages, moves = _pages(before, after)
    rules = changed_rules(before, after, moves=moves)
    rules, asked = judge(workspace, rules) if judge else (rules, None)
    kept = [one for one in rules if reworded or one.kind != REWORDED]
    published = next(row.created for row in list_epochs(after.ledger, after.corpus.id) if row.number == after.epoch)
    return ChangesReply(
        corpus=after.corpus.name, since=before.epoch, until=after.epoch, published=published, pages=pages, rules=kept,
        reworded=sum(one.kind == REWORDED for one in rules), **({"asked": asked} if asked else {}),
    )  # fmt: skip


def _before(shelf: Shelf) -> int:
    numbers = [row.number for row in list_epochs(shelf.ledger, shelf.corpus.id) if row.number < shelf.epoch]
    if not numbers:
        raise NotFoundError(
            f"corpus {shelf.corpus.name!r} has no retained epoch before {shelf.epoch}; `clausegraph epochs list` shows "
            "those there are"
        )
    return max(numbers)


def _versions(there: Shelf, not_there: Shelf) -> dict[PageKey, Row[Any]]:
    """The page versions of one epoch that another has not."""
    columns = page_versions.c.id, page_versions.c.title, page_versions.c.raw_hash
    query = version_rows(*columns).where(_only_in(members, there, not_there))
    with there.ledger.read() as connection:
        return {PageKey(row.name, row.uri): row for row in connection.execute(query)}


def _only_in(table: Table, there: Shelf, not_there: Shelf) -> Any:
    return and_(there.visible(table), not_(not_there.visible(table)))


def _pages(before: Shelf, after: Shelf) -> tuple[list[ChangedPage], _Moves]:
    old, new = _versions(before, after), _versions(after, before)
    gone = {key: before.reading(old[key].id) for key in sorted(old.keys() - new.keys())}
    came = {key: after.reading(new[key].id) for key in sorted(new.keys() - old.keys())}
    moves = _moves(gone, came)
    sources = {now: was for was, now in moves.items()}
    found = []
    for key in sorted(old.keys() | new.keys()):
        left, to = old.get(key), new.get(key)
        if key in moves or (left is not None and to is not None and left.id == to.id):
            continue  # only its extractor is another
        same = left is not None and to is not None and left.raw_hash == to.raw_hash
        kind = GONE if to is None else CHANGED if left is not None else MOVED if key in sources else NEW
        row, reading = (left, gone[key]) if to is None else (to, came.get(key) or after.reading(to.id))
        assert row is not None
        was = str(sources[key]) if key in sources else None
        kind = READ_AGAIN if same else kind
        found.append(ChangedPage.of(key, reading, kind=kind, title=row.title or reading.title, moved_from=was))
    return found, moves


def _moves(gone: Mapping[PageKey, Reading], came: Mapping[PageKey, Reading]) -> _Moves:
    """Each page that is gone with the new one of its title that has most of its elements."""
    moves: dict[PageKey, PageKey] = {}
    for key, reading in gone.items():
        then = Counter(one.text for one in reading.elements)
        alike = [
            (
                sum((then & Counter(one.text for one in now.elements)).values()) / max(then.total(), len(now.elements)),
                to,
            )
            for to, now in came.items()
            if now.title == reading.title and now.elements and to not in moves.values()
        ]
        share, to = max(alike, default=(0.0, key))
        if share >= _ALIKE:
            moves[key] = to
    return moves


def changed_rules(
    before: Shelf, after: Shelf, page: PageKey | None = None, moves: _Moves = MappingProxyType({})
) -> list[ChangedRule]:
    """The rules that differ between two epochs, by page; of one page alone, or of all."""
    old, new = _compared(before, after, page, moves), _compared(after, before, page, {})
    was = {now: then for then, now in moves.items()}
    then, now = before.versions, after.versions
    found = []
    for key in sorted(old.keys() | new.keys()):
        left, to = then.get(was.get(key, key)), now.get(key)
        edits = page_edits(before.reading(left[0]), after.reading(to[0])) if left and to else []
        found += compare_rules(str(key), old.get(key, ()), new.get(key, ()), edits)
    return found


def _compared(there: Shelf, not_there: Shelf, page: PageKey | None, moves: _Moves) -> dict[PageKey, list[ComparedRule]]:
    """The rules of one epoch whose rows another has not, by page and in its order."""
    found = load_rules(there.ledger, there.corpus.id, there.epoch, _differing(rules, there, not_there, page))
    read = there.read_once()
    return {
        moves.get(key, key): list(_in_words(there, in_page_order(group, read(key)), read(key)))
        for key, group in groupby(found, key=lambda one: one.page)
    }


def _in_words(shelf: Shelf, ordered: Sequence[PlacedRule], reading: Reading) -> Iterator[ComparedRule]:
    linked = shelf.graph.rules_on(ordered[0].page) if any(one.rule.links for one in ordered) else ()
    texts = {element.anchor: element.text for element in reading.elements}
    for placed, shown in zip(ordered, shown_rules(ordered, reading, linked), strict=True):
        own, (spans, _) = placed.rule.spans[0], placed.rule.in_order(reading.elements)
        listed = " ".join(texts[one.anchor][one.start : one.end] for one in spans if one.anchor != own.anchor)
        yield ComparedRule(placed.rule, shown, texts.get(own.anchor, "")[own.start : own.end], listed)


def _differing(table: Table, there: Shelf, not_there: Shelf, page: PageKey | None) -> Any:
    """Which rows of a table one epoch has and another has not, of one page or of all."""
    wanted = _only_in(table, there, not_there)
    return wanted if page is None else and_(wanted, table.c.page_id.in_(page_ids(there.corpus.id, page)))


def page_versions_of(workspace: Workspace, corpus: str, uri: str, source: str | None = None) -> list[ListedVersion]:
    """Each version of the page of that uri with the retained epochs that have it, newest first.

    A version is new where the page's bytes, title or address changed, or how pages are read.
    """
    shelf = open_shelf(workspace.ledger, corpus)
    columns = [page_versions.c[name] for name in ("id", "raw_hash", "fetched", "content_type", "title", "url")]
    named = [pages.c.uri == uri] + ([sources.c.name == source] if source is not None else [])
    found: dict[tuple[str, int], tuple[Row[Any], list[int]]] = {}
    with shelf.ledger.read() as connection:
        for epoch in reversed(list_epochs(shelf.ledger, shelf.corpus.id)):
            held = members.c.corpus_id == shelf.corpus.id, seen_at(members, epoch.number)
            for row in connection.execute(version_rows(*columns).where(*held, *named)):
                found.setdefault((row.name, row.id), (row, []))[1].append(epoch.number)
    if not found:
        raise NotFoundError(f"no retained epoch of corpus {shelf.corpus.name!r} has a page {uri[:200]!r}")
    versions = [
        ListedVersion.of(row, source=row.name, version=row.id, read=row.fetched, bytes=row.raw_hash, epochs=epochs)
        for row, epochs in found.values()
    ]
    return sorted(versions, key=lambda one: (-one.epochs[-1], one.source))


def compare_versions(
    workspace: Workspace,
    corpus: str,
    uri: str,
    source: str | None = None,
    old: int | None = None,
    new: int | None = None,
) -> ComparisonReply:
    """What differs between two versions of a page, each taken at the newest retained epoch that has it.

    Args:
        old, new: ids as ``page_versions_of`` has them; none for the newest two.
    """
    versions = page_versions_of(workspace, corpus, uri, source)
    newest = versions[0]
    key = PageKey(newest.source, uri)
    versions = [one for one in versions if one.source == key.source]
    shelves = {one.version: open_shelf(workspace.ledger, corpus, one.epochs[0]) for one in versions}
    title = newest.title or shelves[newest.version].reading(newest.version).title
    before, after, elements = None, None, list[ComparedElement]()
    rules = list[ChangedRule]()
    if len(versions) > 1 or old is not None or new is not None:
        after = _version_of(versions, new) if new is not None else newest
        before = _version_of(versions, old) if old is not None else next((v for v in versions if v is not after), after)
        then, now = shelves[before.version], shelves[after.version]
        elements = list(_elements(then.reading(before.version), now.reading(after.version)))
        rules = changed_rules(then, now, key)
    return ComparisonReply(
        corpus=corpus, page=str(key), title=title, versions=versions, old=before, new=after, elements=elements,
        rules=rules,
    )  # fmt: skip


def _version_of(versions: Sequence[ListedVersion], wanted: int) -> ListedVersion:
    found = next((one for one in versions if one.version == wanted), None)
    if found is None:
        there = ", ".join(str(one.version) for one in versions)
        raise NotFoundError(f"the page has no version {wanted} in a retained epoch (there are: {there})")
    return found


def _elements(before: Reading, after: Reading) -> Iterator[ComparedElement]:
    """The elements of both in their order: alike ones beside each other."""
    old, new = before.elements, after.elements
    before_words, after_words = ([(one.tag, one.text) for one in elements] for elements in (old, new))
    matcher = SequenceMatcher(None, before_words, after_words, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            yield from (_row(SAME, left, right) for left, right in zip(old[i:j], new[k:m], strict=True))
        else:
            yield from _paired(old[i:j], list(new[k:m]))


def _paired(old: Sequence[Element], new: list[Element]) -> Iterator[ComparedElement]:
    """Each old element with the first new one that it became; what comes before that one is new."""
    for left in old:
        at = next((n for n, right in enumerate(new) if _became(left, right)), None)
        if at is None:
            yield _row(GONE, left, None)
            continue
        yield from (_row(NEW, None, right) for right in new[:at])
        yield _row(CHANGED, left, new[at])
        del new[: at + 1]
    yield from (_row(NEW, None, right) for right in new)


def _became(left: Element, right: Element) -> bool:
    return left.tag == right.tag and SequenceMatcher(None, left.text, right.text).ratio() >= _ALIKE


def _row(kind: str, old: Element | None, new: Element | None) -> ComparedElement:
    then, now = (None if one is None else ElementThen.of(one) for one in (old, new))
    return ComparedElement(kind=kind, old=then, new=now)
