"""Lists that are read in parts: pages, facts, entities, elements and runs of one epoch, each from after a key on."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqlalchemy import ColumnElement, or_, select

from clausegraph.app.render import attributes
from clausegraph.app.services import Key, Slice
from clausegraph.app.services.browse import Shelf, entity_of, open_shelf, page_ids, with_statements
from clausegraph.app.services.records import element_record
from clausegraph.app.workspace import Workspace
from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import PageKey
from clausegraph.indexes.ledger.schema import fetches, page_versions, sources, supports


def page_slice(workspace: Workspace, corpus: str, epoch: int, limit: int, after: Key | None = None) -> Slice:
    """Pages by source and uri, each with the number of its statements, its dates, when it was read, and what its
    address answered last.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    listed = [
        (key, *version) for key, version in shelf.versions().items() if after is None or [key.source, key.uri] > after
    ]
    part = listed[:limit]
    stated = shelf.statement_counts([key.uri for key, _, _ in part])
    answered = _answered(shelf, [key for key, _, _ in part])
    columns = page_versions.c.id, page_versions.c.fetched
    with shelf.ledger.read() as connection:
        wanted = select(*columns).where(page_versions.c.id.in_([version for _, version, _ in part]))
        read = {row.id: row.fetched for row in connection.execute(wanted)}  # in seconds since 1970
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


def element_slice(
    workspace: Workspace, corpus: str, name: str, epoch: int, limit: int, after: Key | None = None
) -> Slice:
    """The elements of a page, in its order, with their anchors."""
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
    """Facts by id, each with its statements; of an entity, a relation, a page, or what is common to them."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    wanted: list[ColumnElement[bool]] = [shelf.visible(supports)]
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


def entity_slice(
    workspace: Workspace, corpus: str, epoch: int, limit: int, after: Key | None = None, search: str | None = None
) -> Slice:
    """Entities by key, each with the number of statements it is in; with ``search`` those that share words with it,
    those that share most first, which is no list that goes on."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    if search is not None:
        hits = shelf.graph.entities(tokens(search), limit)
        return Slice([{"entity": hit.key, "statements": hit.supports} for hit in hits], None)
    counted = shelf.entity_rows().subquery()
    query = select(counted).order_by(counted.c.name).limit(limit + 1)
    if after is not None:
        query = query.where(counted.c.name > str(after[0]))
    with shelf.ledger.read() as connection:
        rows = [(str(row[0]), int(row[1])) for row in connection.execute(query)]
    items = [{"entity": name, "statements": count} for name, count in rows[:limit]]
    return Slice(items, [rows[limit - 1][0]] if len(rows) > limit else None)


def list_pages(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """Every page of an epoch with how many statements it makes."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    stated = shelf.statement_counts()
    listed = [
        attributes(key, "source uri")
        | {"title": title or shelf.reading(version).title, "statements": stated.get(key, 0)}
        for key, (version, title) in shelf.versions().items()
    ]
    return shelf.at | {"pages": listed}
