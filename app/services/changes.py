"""What differs between two epochs, and between two versions of a page."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from difflib import SequenceMatcher
from typing import Any, TypeVar

from sqlalchemy import Row, Table, and_, not_

from clausegraph.app.services.browse import Shelf, open_shelf, page_ids, version_rows
from clausegraph.app.services.records import quotes, statement_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import NotFoundError
from clausegraph.core.types import Element, PageKey, Reading, Support
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


def _versions(there: Shelf, not_there: Shelf) -> dict[PageKey, Row[Any]]:
    """The page versions of one epoch that another has not."""
    columns = page_versions.c.id, page_versions.c.title, page_versions.c.raw_hash
    query = version_rows(*columns).where(_only_in(members, there, not_there))
    with there.ledger.read() as connection:
        return {PageKey(row.name, row.uri): row for row in connection.execute(query)}


def _only_in(table: Table, there: Shelf, not_there: Shelf) -> Any:
    return and_(there.visible(table), not_(not_there.visible(table)))


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


def _statements(before: Shelf, after: Shelf, page: PageKey | None = None) -> Iterator[dict[str, Any]]:
    """By page: what is said in other words of the same subject and relation is one change."""
    left, came = _stated(before, after, page), _stated(after, before, page)
    common = Counter(key for key, _ in left) & Counter(key for key, _ in came)
    old, new = _unshared(left, common), _unshared(came, common)
    tell_old, tell_new = _teller(before), _teller(after)
    for key in sorted(old.keys() | new.keys(), key=lambda one: (one.source, one.uri)):
        for was, now in _pairs(old.get(key, []), new.get(key, [])):
            kind = NEW if was is None else GONE if now is None else CHANGED
            yield {"kind": kind, "page": str(key), "old": was and tell_old(was), "new": now and tell_new(now)}


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


def _unshared(stated: Iterable[tuple[K, Support]], common: Counter[K]) -> dict[PageKey, list[Support]]:
    """What is not in both, by page: a page that was read again has new rows for what it said before."""
    left, by_page = Counter(common), dict[PageKey, list[Support]]()
    for key, support in stated:
        if left[key] > 0:
            left[key] -= 1
        else:
            by_page.setdefault(support.page, []).append(support)
    return by_page


def page_versions_of(workspace: Workspace, corpus: str, uri: str, source: str | None = None) -> list[dict[str, Any]]:
    """Each version of the page of that uri with the retained epochs that have it, newest first.

    A version is new where the page's bytes, title or address changed, or how pages are read.
    """
    shelf = open_shelf(workspace.ledger, corpus)
    columns = [page_versions.c[name] for name in ("id", "raw_hash", "fetched", "content_type", "title", "url")]
    named = [pages.c.uri == uri] + ([sources.c.name == source] if source is not None else [])
    found: dict[tuple[str, int], dict[str, Any]] = {}
    with shelf.ledger.read() as connection:
        for epoch in reversed(list_epochs(shelf.ledger, shelf.corpus.id)):
            held = members.c.corpus_id == shelf.corpus.id, seen_at(members, epoch.number)
            for row in connection.execute(version_rows(*columns).where(*held, *named)):
                values = {"source": row.name, "uri": uri, "version": row.id, "title": row.title, "url": row.url}
                more = {"read": row.fetched, "content_type": row.content_type, "bytes": row.raw_hash, "epochs": []}
                found.setdefault((row.name, row.id), values | more)["epochs"].append(epoch.number)
    if not found:
        raise NotFoundError(f"no retained epoch of corpus {shelf.corpus.name!r} has a page {uri[:200]!r}")
    return sorted(found.values(), key=lambda one: (-one["epochs"][-1], one["source"]))


SAME = "same"
_ALIKE = 0.5  # share of common characters from which on an element was changed, not replaced


def compare_versions(
    workspace: Workspace,
    corpus: str,
    uri: str,
    source: str | None = None,
    old: int | None = None,
    new: int | None = None,
) -> dict[str, Any]:
    """What differs between two versions of a page, each taken at the newest retained epoch that has it.

    Args:
        old, new: ids as ``page_versions_of`` has them; none for the newest two.

    Returns:
        ``versions`` (newest first), ``old`` and ``new`` (one of them each, none where there is but one version),
        ``elements`` (kind, old, new: as they stand) and ``statements`` (kind, old, new; see ``changes``).
    """
    versions = page_versions_of(workspace, corpus, uri, source)
    key = PageKey(versions[0]["source"], uri)
    versions = [one for one in versions if one["source"] == key.source]
    newest = versions[0]
    title = (
        newest["title"] or open_shelf(workspace.ledger, corpus, newest["epochs"][0]).reading(newest["version"]).title
    )
    found: dict[str, Any] = {"corpus": corpus, "page": str(key), "title": title, "versions": versions}
    if len(versions) < 2 and old is None and new is None:
        return found | {"old": None, "new": None, "elements": [], "statements": []}
    after = _version_of(versions, new) if new is not None else versions[0]
    before = _version_of(versions, old) if old is not None else next((v for v in versions if v is not after), after)
    then, now = (open_shelf(workspace.ledger, corpus, one["epochs"][0]) for one in (before, after))
    return found | {
        "old": before,
        "new": after,
        "elements": list(_elements(then.reading(before["version"]), now.reading(after["version"]))),
        "statements": list(_statements(then, now, key)),
    }


def _version_of(versions: Sequence[dict[str, Any]], wanted: int) -> dict[str, Any]:
    found = next((one for one in versions if one["version"] == wanted), None)
    if found is None:
        there = ", ".join(str(one["version"]) for one in versions)
        raise NotFoundError(f"the page has no version {wanted} in a retained epoch (there are: {there})")
    return found


def _elements(before: Reading, after: Reading) -> Iterator[dict[str, Any]]:
    """The elements of both in their order: alike ones beside each other."""
    old, new = before.elements, after.elements
    before_words, after_words = ([(one.tag, one.text) for one in elements] for elements in (old, new))
    matcher = SequenceMatcher(None, before_words, after_words, autojunk=False)
    for kind, i, j, k, m in matcher.get_opcodes():
        if kind == "equal":
            yield from (_row(SAME, left, right) for left, right in zip(old[i:j], new[k:m], strict=True))
        else:
            yield from _paired(old[i:j], list(new[k:m]))


def _paired(old: Sequence[Element], new: list[Element]) -> Iterator[dict[str, Any]]:
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


def _row(kind: str, old: Element | None, new: Element | None) -> dict[str, Any]:
    sides = {"old": old, "new": new}
    return {"kind": kind} | {
        name: None if one is None else {"tag": one.tag, "anchor": one.anchor, "text": one.text}
        for name, one in sides.items()
    }
