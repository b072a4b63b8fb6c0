"""What differs between two epochs: pages and statements that are new, gone or changed, by the ledger's intervals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import Select, Table, and_, not_, select

from clausegraph.app.services.browse import Shelf, open_shelf
from clausegraph.app.services.records import quotes, statement_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import PageKey, Support
from clausegraph.indexes.corpora import list_epochs
from clausegraph.indexes.graph.sql import supports_where
from clausegraph.indexes.ledger.schema import members, page_versions, pages, seen_at, sources, supports

NEW, GONE, CHANGED, READ_AGAIN = "new", "gone", "changed", "read again"
K = TypeVar("K")


def changes(workspace: Workspace, corpus: str, since: int | None = None, until: int | None = None) -> dict[str, Any]:
    """What whoever read epoch ``since`` finds different at epoch ``until``.

    A statement has changed where its page still says something of the same subject and relation: another value, or
    another condition. A page is "read again" where its bytes are the same and only how it is read is not.

    Args:
        since: None for the retained epoch before ``until``.
        until: None for the published one.

    Returns:
        ``pages`` (kind, source, uri, title) and ``statements`` (kind, page, ``old`` and ``new``, each with its fact, in
        words, with its sentences), by page.

    Raises:
        NotFoundError: no such corpus or epoch, or none before it.
    """
    after = open_shelf(workspace.ledger, corpus, until)
    before = open_shelf(workspace.ledger, corpus, _before(after) if since is None else since)
    return {
        "corpus": after.corpus.name,
        "since": before.epoch,
        "until": after.epoch,
        "pages": list(_pages(before, after)),
        "statements": list(_statements(before, after)),
    }


def _before(shelf: Shelf) -> int:
    numbers = [row.number for row in list_epochs(shelf.ledger, shelf.corpus.id) if row.number < shelf.epoch]
    if not numbers:
        raise NotFoundError(
            f"corpus {shelf.corpus.name!r} has no retained epoch before {shelf.epoch}; `clausegraph epochs list` shows "
            "those there are"
        )
    return max(numbers)


@dataclass(frozen=True, slots=True)
class _Version:
    id: int
    title: str | None
    raw_hash: str


def _versions(there: Shelf, not_there: Shelf) -> dict[PageKey, _Version]:
    """The page versions of one epoch that another has not."""
    query = (
        select(sources.c.name, pages.c.uri, page_versions.c.id, page_versions.c.title, page_versions.c.raw_hash)
        .join(pages, pages.c.id == members.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .join(page_versions, page_versions.c.id == members.c.page_version_id)
        .where(_only_in(members, there, not_there))
        .order_by(sources.c.name, pages.c.uri)
    )
    with there.ledger.read() as connection:
        rows = connection.execute(query).all()
    return {PageKey(row.name, row.uri): _Version(row.id, row.title, row.raw_hash) for row in rows}


def _only_in(table: Table, there: Shelf, not_there: Shelf) -> Any:
    mine = table.c.corpus_id == there.corpus.id
    return and_(mine, seen_at(table, there.epoch), not_(seen_at(table, not_there.epoch)))


def _pages(before: Shelf, after: Shelf) -> Iterator[dict[str, Any]]:
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
        yield {"kind": kind, "source": key.source, "uri": key.uri, "title": title}


def page_statements(before: Shelf, after: Shelf, page: PageKey) -> Iterator[dict[str, Any]]:
    """Statements of one page that are new, gone or changed between two epochs, as :func:`changes` has them."""
    return _statements(before, after, page)


def _statements(before: Shelf, after: Shelf, page: PageKey | None = None) -> Iterator[dict[str, Any]]:
    """By page: what is said in other words of the same subject and relation is one change."""
    left, came = _stated(before, after, page), _stated(after, before, page)
    common = Counter(key for key, _ in left) & Counter(key for key, _ in came)
    old, new = _grouped(_without(left, common)), _grouped(_without(came, common))
    tell_old, tell_new = _teller(before), _teller(after)
    for key in sorted(old.keys() | new.keys(), key=lambda one: (one.source, one.uri)):
        for was, now in _pairs(old.get(key, []), new.get(key, [])):
            kind = NEW if was is None else GONE if now is None else CHANGED
            yield {"kind": kind, "page": str(key), "old": was and tell_old(was), "new": now and tell_new(now)}


def _pairs(old: list[Support], new: list[Support]) -> Iterator[tuple[Support | None, Support | None]]:
    """Old and new statements of a page that belong together: of one fact, else of one subject and relation."""
    for key in (lambda one: one.fact_id, _about):
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


def _teller(shelf: Shelf) -> Callable[[Support], dict[str, Any]]:
    """Statements of an epoch as records; each page is read once."""
    read = shelf.read_once()

    def tell(support: Support) -> dict[str, Any]:
        said = [{"anchor": element.anchor, "quote": quote} for element, quote in quotes(support, read(support.page))]
        return {"fact": support.fact_id, "words": statement_words(support.statement), "quotes": said}

    return tell


def _stated(there: Shelf, not_there: Shelf, page: PageKey | None) -> list[tuple[tuple[str, str, str, str], Support]]:
    """The statements of one epoch whose rows another has not, with what makes two rows say the same at one place.

    Args:
        page: only what is stated on it.
    """
    wanted = _only_in(supports, there, not_there)
    if page is not None:
        wanted = and_(wanted, supports.c.page_id.in_(page_ids(there.corpus.id, page)))
    with there.ledger.read() as connection:
        found = supports_where(connection, wanted)
    return [
        ((source, uri, support.fact_id, content), support)
        for (source, uri, _, content), support in sorted(found, key=lambda one: one[0])
    ]


def page_ids(corpus_id: int, key: PageKey) -> Select[int]:
    """The id of a page's row."""
    named = (sources.c.corpus_id == corpus_id, sources.c.name == key.source, pages.c.uri == key.uri)
    return select(pages.c.id).join(sources, sources.c.id == pages.c.source_id).where(*named)


def _without(stated: Iterable[tuple[K, Support]], common: Counter[K]) -> Iterator[Support]:
    """What is not in both: a page that was read again has new rows for what it said before."""
    left = Counter(common)
    for key, support in stated:
        if left[key] > 0:
            left[key] -= 1
        else:
            yield support


def _grouped(found: Iterable[Support]) -> dict[PageKey, list[Support]]:
    by_page: dict[PageKey, list[Support]] = {}
    for one in found:
        by_page.setdefault(one.page, []).append(one)
    return by_page


def _about(support: Support) -> tuple[str, str]:
    return support.statement.subject.key, support.statement.relation
