"""What differs between two epochs, and between two versions of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeVar

from sqlalchemy import Row, Table, and_, not_

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, open_shelf, page_ids, version_rows
from clausegraph.app.services.records import AnchoredQuote, anchored, quotes, statement_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Element, PageKey, Reading, Support
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.graph.sql import read_support, supports_query
from clausegraph.indexes.ledger.schema import members, page_versions, pages, seen_at, sources, supports

NEW, GONE, CHANGED, READ_AGAIN = "new", "gone", "changed", "read again"
SAME = "same"
K = TypeVar("K")
_ALIKE = 0.5  # share of common characters from which on an element was changed, not replaced


class SaidThen(Record):
    """A statement as one of two epochs has it."""

    fact: str
    words: str
    quotes: list[AnchoredQuote]


class ChangedStatement(Record):
    """A statement that is new, gone or changed."""

    kind: str
    page: str
    old: SaidThen | None
    new: SaidThen | None


class ChangedPage(Record):
    """A page that is new, gone, changed or read again."""

    kind: str
    source: str
    uri: str
    title: str


class ChangesReply(Record):
    """What differs between two epochs."""

    corpus: str
    since: int
    until: int
    pages: list[ChangedPage]
    statements: list[ChangedStatement]


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
    statements: list[ChangedStatement]


def changes(workspace: Workspace, corpus: str, since: int | None = None, until: int | None = None) -> ChangesReply:
    """What whoever read epoch ``since`` finds different at epoch ``until``.

    A statement has changed where its page still says something of the same subject and relation: another value, or
    another condition. A page is "read again" where its bytes are the same and only how it is read is not.

    Args:
        since: None for the retained epoch before ``until``.
        until: None for the published one.
    """
    after = open_shelf(workspace.ledger, corpus, until)
    before = open_shelf(workspace.ledger, corpus, _before(after) if since is None else since)
    pages, statements = list(_pages(before, after)), list(_statements(before, after))
    name = after.corpus.name
    return ChangesReply(corpus=name, since=before.epoch, until=after.epoch, pages=pages, statements=statements)


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


def _pages(before: Shelf, after: Shelf) -> Iterator[ChangedPage]:
    old, new = _versions(before, after), _versions(after, before)
    for key in sorted(old.keys() | new.keys(), key=lambda one: (one.source, one.uri)):
        left, came = old.get(key), new.get(key)
        if left is not None and came is not None and left.id == came.id:
            continue  # only its extractor is another
        same = left is not None and came is not None and left.raw_hash == came.raw_hash
        shown, shelf = (came, after) if came is not None else (left, before)
        assert shown is not None
        title = shown.title or shelf.reading(shown.id).title
        kind = NEW if left is None else GONE if came is None else READ_AGAIN if same else CHANGED
        yield ChangedPage.of(key, kind=kind, title=title)


def _statements(before: Shelf, after: Shelf, page: PageKey | None = None) -> Iterator[ChangedStatement]:
    """By page: what is said in other words of the same subject and relation is one change."""
    left, came = _stated(before, after, page), _stated(after, before, page)
    common = Counter(key for key, _ in left) & Counter(key for key, _ in came)
    old, new = _unshared(left, common), _unshared(came, common)
    tell_old, tell_new = _teller(before), _teller(after)
    for key in sorted(old.keys() | new.keys(), key=lambda one: (one.source, one.uri)):
        for was, now in _pairs(old.get(key, []), new.get(key, [])):
            kind = NEW if was is None else GONE if now is None else CHANGED
            said = {"old": was and tell_old(was), "new": now and tell_new(now)}
            yield ChangedStatement.of(kind=kind, page=str(key), **said)


def _pairs(old: list[Support], new: list[Support]) -> Iterator[tuple[Support | None, Support | None]]:
    """Old and new statements of a page that belong together: of one fact, else of one subject and relation."""
    for key in (lambda one: one.fact_id, lambda one: (one.statement.subject.key, one.statement.relation)):
        waiting = list(new)
        unpaired = []
        for was in old:
            now = next((one for one in waiting if key(one) == key(was)), None)
            if now is None:
                unpaired.append(was)
            else:
                waiting.remove(now)
                yield was, now
        old, new = unpaired, waiting
    yield from ((was, None) for was in old)
    yield from ((None, now) for now in new)


def _teller(shelf: Shelf) -> Callable[[Support], SaidThen]:
    """What tells of statements of an epoch; each page is read once."""
    read = shelf.read_once()

    def tell(support: Support) -> SaidThen:
        said = anchored(quotes(support, read(support.page)))
        return SaidThen(fact=support.fact_id, words=statement_words(support.statement), quotes=said)

    return tell


def _stated(there: Shelf, not_there: Shelf, page: PageKey | None) -> list[tuple[tuple[str, str, str, str], Support]]:
    """The statements of one epoch whose rows another has not, with what makes two rows say the same at one place.

    Args:
        page: only what is stated on it.
    """
    wanted = _only_in(supports, there, not_there)
    if page is not None:
        wanted = and_(wanted, supports.c.page_id.in_(page_ids(there.corpus.id, page)))
    found = map(read_support, there.ledger.rows(supports_query().where(wanted)))
    return [
        ((source, uri, support.fact_id, content), support)
        for (source, uri, _, content), support in sorted(found, key=lambda one: one[0])
    ]


def _unshared(stated: Iterable[tuple[K, Support]], common: Counter[K]) -> dict[PageKey, list[Support]]:
    """What is not in both, by page: a page that was read again has new rows for what it said before."""
    left, by_page = Counter(common), dict[PageKey, list[Support]]()
    for key, support in stated:
        if left[key] > 0:
            left[key] -= 1
        else:
            by_page.setdefault(support.page, []).append(support)
    return by_page


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
    before, after, elements, statements = None, None, list[ComparedElement](), list[ChangedStatement]()
    if len(versions) > 1 or old is not None or new is not None:
        after = _version_of(versions, new) if new is not None else newest
        before = _version_of(versions, old) if old is not None else next((v for v in versions if v is not after), after)
        then, now = shelves[before.version], shelves[after.version]
        elements = list(_elements(then.reading(before.version), now.reading(after.version)))
        statements = list(_statements(then, now, key))
    return ComparisonReply(
        corpus=corpus, page=str(key), title=title, versions=versions, old=before, new=after, elements=elements,
        statements=statements,
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
