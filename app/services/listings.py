"""Lists that are read in parts: pages, facts, entities, elements and runs of one epoch, each from after a key on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, or_, select, union_all

from clausegraph.app.services.browse import Shelf, open_shelf, page_ids
from clausegraph.app.services.explore import entity_of, with_statements
from clausegraph.app.services.records import (
    Key,
    Slice,
    element_record,
)
from clausegraph.app.workspace import Workspace
from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import LITERAL, PageKey
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.schema import (
    fetches,
    page_versions,
    pages,
    runs,
    seen_at,
    sources,
    supports,
)
from clausegraph.indexes.runs import get_run, list_runs


def page_slice(workspace: Workspace, corpus: str, epoch: int, limit: int, after: Key | None = None) -> Slice:
    """Pages by source and uri, each with the number of its statements, its dates, when it was read, and what its
    address answered last.

    Raises:
        NotFoundError: no such corpus or epoch.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    listed = [
        (key, *version) for key, version in shelf.versions().items() if after is None or [key.source, key.uri] > after
    ]
    part = listed[:limit]
    stated = _statement_counts(shelf, [key for key, _, _ in part])
    read = _read_at(shelf, [version for _, version, _ in part])
    answered = _answered(shelf, [key for key, _, _ in part])
    items = [
        {
            "source": key.source,
            "uri": key.uri,
            "title": title or stated_on.title,
            "statements": stated.get(key, 0),
            "published": stated_on.published,
            "updated": stated_on.updated,
            "read": read.get(version),
            "answered": answered.get(key),
        }
        for key, version, title in part
        for stated_on in (shelf.reading(version),)
    ]
    return Slice(items, [part[-1][0].source, part[-1][0].uri] if len(listed) > limit else None)


def _answered(shelf: Shelf, keys: Sequence[PageKey]) -> dict[PageKey, dict[str, Any]]:
    """What the address of each page that is fetched answered last; of several, the one that the page is named after."""
    query = (
        select(sources.c.name, fetches.c.uri, fetches.c.outcome, fetches.c.status, fetches.c.failures)
        .join(sources, sources.c.id == fetches.c.source_id)
        .where(fetches.c.corpus_id == shelf.corpus.id, fetches.c.uri.in_([key.uri for key in keys]))
        .order_by(fetches.c.address == fetches.c.uri, fetches.c.address)
    )
    with shelf.ledger.read() as connection:
        return {
            PageKey(row.name, row.uri): {"outcome": row.outcome, "status": row.status, "failures": row.failures}
            for row in connection.execute(query)
        }


def _read_at(shelf: Shelf, versions: Sequence[int]) -> dict[int, float]:
    """When each page version was read, in seconds since 1970."""
    query = select(page_versions.c.id, page_versions.c.fetched).where(page_versions.c.id.in_(versions))
    with shelf.ledger.read() as connection:
        return {row.id: row.fetched for row in connection.execute(query)}


def _statement_counts(shelf: Shelf, keys: Sequence[PageKey]) -> dict[PageKey, int]:
    query = (
        select(sources.c.name, pages.c.uri, func.count())
        .join(pages, pages.c.id == supports.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .where(_visible(shelf), pages.c.uri.in_([key.uri for key in keys]))
        .group_by(sources.c.name, pages.c.uri)
    )
    with shelf.ledger.read() as connection:
        return {PageKey(row[0], row[1]): int(row[2]) for row in connection.execute(query)}


def element_slice(
    workspace: Workspace, corpus: str, name: str, epoch: int, limit: int, after: Key | None = None
) -> Slice:
    """The elements of a page, in its order, with their anchors.

    Raises:
        NotFoundError: no such page, corpus or epoch.
        InputError: several pages answer to the name.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key, reading = shelf.page(name)
    begin = 0 if after is None else int(after[0]) + 1
    part = reading.elements[begin : begin + limit]
    more = begin + limit < len(reading.elements)
    return Slice([element_record(key, element) for element in part], [begin + limit - 1] if more else None)


def fact_slice(
    workspace: Workspace,
    corpus: str,
    epoch: int,
    limit: int,
    after: Key | None = None,
    *,
    entity: str | None = None,
    relation: str | None = None,
    page: str | None = None,
) -> Slice:
    """Facts by id, each with its statements; of an entity, a relation, a page, or what is common to them.

    Raises:
        NotFoundError: no such corpus, epoch, entity or page.
        InputError: several pages answer to the name.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    wanted: list[ColumnElement[bool]] = [_visible(shelf)]
    if after is not None:
        wanted.append(supports.c.fact_id > str(after[0]))
    if entity is not None:
        key = entity_of(shelf, entity)
        wanted.append(or_(supports.c.subject == key, supports.c.object == key))
    if relation is not None:
        wanted.append(supports.c.relation == relation)
    if page is not None:
        wanted.append(supports.c.page_id.in_(page_ids(shelf.corpus.id, shelf.page(page)[0])))
    query = (
        select(supports.c.fact_id)
        .where(*wanted)
        .group_by(supports.c.fact_id)
        .order_by(supports.c.fact_id)
        .limit(limit + 1)
    )
    with shelf.ledger.read() as connection:
        ids = list(connection.execute(query).scalars())
    items = with_statements(shelf, shelf.graph.facts(ids[:limit]))
    return Slice(items, [ids[limit - 1]] if len(ids) > limit else None)


def entity_slice(workspace: Workspace, corpus: str, epoch: int, limit: int, after: Key | None = None) -> Slice:
    """Entities by key, each with the number of statements it is in.

    Raises:
        NotFoundError: no such corpus or epoch.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    ends = union_all(
        select(supports.c.subject.label("name")).where(_visible(shelf)),
        select(supports.c.object).where(_visible(shelf), ~supports.c.object.startswith(LITERAL)),
    ).subquery()
    query = select(ends.c.name, func.count()).group_by(ends.c.name).order_by(ends.c.name).limit(limit + 1)
    if after is not None:
        query = query.where(ends.c.name > str(after[0]))
    with shelf.ledger.read() as connection:
        rows = [(str(row[0]), int(row[1])) for row in connection.execute(query)]
    items = [{"entity": name, "statements": count} for name, count in rows[:limit]]
    return Slice(items, [rows[limit - 1][0]] if len(rows) > limit else None)


def search_entities(workspace: Workspace, corpus: str, epoch: int, text: str, limit: int) -> Slice:
    """Entities that share words with a text, those that share most first.

    Raises:
        NotFoundError: no such corpus or epoch.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    hits = shelf.graph.entities(tokens(text), limit)
    return Slice([{"entity": hit.key, "statements": hit.supports} for hit in hits], None)


def run_slice(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs as of :func:`reported_run_slice`, without their reports."""
    found = reported_run_slice(workspace, corpus, limit, after)
    return Slice([without_report(run) for run in found.items], found.after)


def without_report(run: dict[str, Any]) -> dict[str, Any]:
    """A run's record but for its report."""
    return {key: value for key, value in run.items() if key != runs.c.report.name}


def reported_run_slice(workspace: Workspace, corpus: str, limit: int, after: Key | None = None) -> Slice:
    """Runs, newest first, with their reports.

    Raises:
        NotFoundError: no such corpus.
    """
    ledger = workspace.ledger
    before = None if after is None else (float(after[0]), str(after[1]))
    found = list_runs(ledger, get_corpus(ledger, corpus).id, limit + 1, before)
    items = found[:limit]
    return Slice(items, [items[-1]["started"], items[-1]["id"]] if len(found) > limit else None)


def reject_slice(workspace: Workspace, corpus: str, run: str, limit: int, after: Key | None = None) -> Slice:
    """What a run did not use and what failed in it, each with its reason.

    Raises:
        NotFoundError: no such corpus or run.
    """
    ledger = workspace.ledger
    report: Any = get_run(ledger, get_corpus(ledger, corpus).id, run)["report"] or {}
    every = [
        {"outcome": outcome} | one
        for outcome, key in (("failed", "failures"), ("rejected", "rejects"))
        for one in report.get(key, ())
    ]
    begin = 0 if after is None else int(after[0]) + 1
    more = begin + limit < len(every)
    return Slice(every[begin : begin + limit], [begin + limit - 1] if more else None)


def _visible(shelf: Shelf) -> ColumnElement[bool]:
    return and_(supports.c.corpus_id == shelf.corpus.id, seen_at(supports, shelf.epoch))


def list_pages(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """Every page of an epoch with how many statements it makes.

    Raises:
        NotFoundError: no such corpus or epoch, or nothing published yet.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    query = (
        select(sources.c.name, pages.c.uri, func.count())
        .join(pages, pages.c.id == supports.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .where(_visible(shelf))
        .group_by(sources.c.name, pages.c.uri)
    )
    with shelf.ledger.read() as connection:
        stated = {(row[0], row[1]): int(row[2]) for row in connection.execute(query)}
    listed = [
        {
            "source": key.source,
            "uri": key.uri,
            "title": title or shelf.reading(version).title,
            "statements": stated.get((key.source, key.uri), 0),
        }
        for key, (version, title) in shelf.versions().items()
    ]
    return shelf.at | {"pages": listed}
