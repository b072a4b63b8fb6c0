"""The embedded graph: SQL over the supports, pinned at one epoch."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, or_, select, true

from clausegraph.core.language.normalise import entity_key
from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import LITERAL, Fact, PageKey, Support
from clausegraph.indexes.entities.names import names_at
from clausegraph.indexes.graph.protocol import (
    CANDIDATES,
    MAX_TOKENS,
    EntityHit,
    GraphCounts,
    SupportKey,
    in_order,
    rank_entities,
    resolve_names,
)
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.schema import entity_names, entity_tokens, pages, seen_at, sources, supports
from clausegraph.indexes.ledger.store import Reads
from clausegraph.indexes.truth import batches

_FEW_ANCHORS = 50


class SqlGraph:
    """The ``Graph``, which documents the methods, of one corpus at one epoch."""

    def __init__(self, ledger: Reads, corpus_id: int, epoch: int) -> None:
        self._ledger = ledger
        self._corpus_id = corpus_id
        self._epoch = epoch

    def entities(self, names: Sequence[str], limit: int = 20) -> list[EntityHit]:
        wanted = sorted(set(names))[:MAX_TOKENS]
        if not wanted:
            return []
        matched = func.count().label("matched")
        query = (
            select(entity_tokens.c.entity, matched)
            .where(entity_tokens.c.corpus_id == self._corpus_id, entity_tokens.c.token.in_(wanted))
            .group_by(entity_tokens.c.entity)
            .order_by(matched.desc(), func.length(entity_tokens.c.entity), entity_tokens.c.entity)
        )
        with self._ledger.read() as connection:
            rows = connection.execute(query)

            def candidates() -> Iterator[dict[str, int]]:
                while part := rows.fetchmany(CANDIDATES):
                    yield {row.entity: int(row.matched) for row in part}

            aliases, held = partial(self._aliases, connection), partial(self._support_counts, connection)
            return rank_entities(candidates(), aliases, held, limit)

    def named(self, names: Sequence[str], *, normalised: bool = False) -> dict[str, str]:
        keys = {name: entity_key(name) if normalised else name for name in names if not name.startswith(LITERAL)}
        with self._ledger.read() as connection:
            return resolve_names(keys, partial(self._aliases, connection), partial(self._support_counts, connection))

    def names(self) -> dict[str, str]:
        with self._ledger.read() as connection:
            found = names_at(connection, self._corpus_id, self._epoch)
        return {name: entity for name, (entity, _) in found.items()}

    def _aliases(self, connection: Connection, names: Sequence[str]) -> dict[str, str]:
        """Those of the names that the epoch takes for another entity."""
        found: dict[str, str] = {}
        for part in batches(names):
            query = select(entity_names.c.name, entity_names.c.entity).where(
                entity_names.c.corpus_id == self._corpus_id,
                entity_names.c.name.in_(part),
                seen_at(entity_names, self._epoch),
            )
            found |= {row.name: row.entity for row in connection.execute(query)}
        return found

    def _support_counts(self, connection: Connection, keys: Sequence[str]) -> dict[str, int]:
        counts: dict[str, int] = {}
        for column in (supports.c.subject, supports.c.object):
            for part in batches(keys):
                query = select(column, func.count()).where(self._visible(), column.in_(part)).group_by(column)
                for key, count in connection.execute(query):
                    counts[key] = counts.get(key, 0) + int(count)
        return counts

    def neighbourhood(
        self, keys: Sequence[str], hops: int = 1, limit: int = 200, relations: Sequence[str] | None = None
    ) -> list[Fact]:
        if limit < 1 or (relations is not None and not relations):
            return []
        of_kind = true() if relations is None else supports.c.relation.in_(list(relations))
        found: dict[str, Fact] = {}
        frontier, seen = [key for key in dict.fromkeys(keys) if not key.startswith(LITERAL)], set(keys)
        with self._ledger.read() as connection:
            for hop in range(1, hops + 1):
                touching: dict[str, Fact] = {}
                for part in batches(frontier):
                    near = self._touching(part)
                    rows = connection.execute(self._facts(and_(near, of_kind)).limit(limit + len(found)))
                    touching |= {row.fact_id: _fact(row, hop) for row in rows if row.fact_id not in found}
                best = sorted(touching.values(), key=lambda fact: (-fact.supports, fact.id))[: limit - len(found)]
                found |= {fact.id: fact for fact in best}
                ends = {end for fact in best for end in (fact.subject, fact.object) if not end.startswith(LITERAL)}
                frontier = sorted(ends - seen)
                seen |= ends
                if len(found) >= limit or not frontier:
                    break
        return list(found.values())

    def facts(self, ids: Sequence[str]) -> list[Fact]:
        found: dict[str, Fact] = {}
        with self._ledger.read() as connection:
            for part in batches(list(dict.fromkeys(ids))):
                rows = connection.execute(
                    self._facts(and_(supports.c.corpus_id == self._corpus_id, supports.c.fact_id.in_(part)))
                )
                found |= {row.fact_id: _fact(row, 0) for row in rows}
        return [found[identity] for identity in dict.fromkeys(ids) if identity in found]

    def supports(self, fact_ids: Sequence[str]) -> list[Support]:
        made: list[tuple[SupportKey, Support]] = []
        with self._ledger.read() as connection:
            for part in batches(list(dict.fromkeys(fact_ids))):
                made += self._load(connection, supports.c.fact_id.in_(part))
        return in_order(made)

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> list[Support]:
        wanted = set(anchors)
        if not wanted:
            return []
        named = (sources.c.corpus_id == self._corpus_id, sources.c.name == page.source, pages.c.uri == page.uri)
        with self._ledger.read() as connection:
            found = select(pages.c.id).join(sources, sources.c.id == pages.c.source_id).where(*named)
            page_id = connection.execute(found).scalar()
            condition = supports.c.page_id == page_id
            if len(wanted) <= _FEW_ANCHORS:  # of more, reading the whole page is quicker, and a query has its depth
                stated = or_(*(supports.c.statement.contains(anchor, autoescape=True) for anchor in sorted(wanted)))
                condition = and_(condition, stated)
            made = self._load(connection, condition)
        return [support for support in in_order(made) if any(s.anchor in wanted for s in support.statement.spans)]

    def counts(self) -> GraphCounts:
        with self._ledger.read() as connection:
            facts = select(func.count(supports.c.fact_id.distinct()), func.count()).where(self._visible())
            distinct, total = connection.execute(facts).one()
            ends = (
                select(supports.c.subject.label("name"))
                .where(self._visible())
                .union(select(supports.c.object).where(self._visible(), ~supports.c.object.startswith(LITERAL)))
            ).subquery()
            entities = connection.execute(select(func.count()).select_from(ends)).scalar_one()
        return GraphCounts(int(entities), int(distinct), int(total))

    def all_supports(self) -> list[Support]:
        with self._ledger.read() as connection:
            return in_order(self._load(connection, supports.c.id > 0))

    def relations(self) -> dict[str, int]:
        query = select(supports.c.relation, func.count()).where(self._visible()).group_by(supports.c.relation)
        with self._ledger.read() as connection:
            return {row[0]: int(row[1]) for row in connection.execute(query.order_by(supports.c.relation))}

    def _touching(self, keys: Sequence[str]) -> ColumnElement[bool]:
        """Each arm names the columns of its index: else a planner without statistics reads the whole corpus."""
        mine = supports.c.corpus_id == self._corpus_id
        return or_(and_(mine, supports.c.subject.in_(keys)), and_(mine, supports.c.object.in_(keys)))

    def _visible(self) -> ColumnElement[bool]:
        return and_(supports.c.corpus_id == self._corpus_id, self._interval())

    def _interval(self) -> ColumnElement[bool]:
        # by the index on until, every open support would be read
        return and_(without_index(supports.c.since) <= self._epoch, without_index(supports.c.until) > self._epoch)

    def _facts(self, condition: ColumnElement[bool]) -> Select[tuple[str, str, str, str, int]]:
        held = func.count().label("held")
        return (
            select(
                supports.c.fact_id,
                func.min(supports.c.subject).label("subject"),
                func.min(supports.c.relation).label("relation"),
                func.min(supports.c.object).label("object"),
                held,
            )
            .where(self._interval(), condition)
            .group_by(supports.c.fact_id)
            .order_by(held.desc(), supports.c.fact_id)
        )

    def _load(self, connection: Connection, condition: ColumnElement[bool]) -> list[tuple[SupportKey, Support]]:
        return supports_where(connection, and_(self._visible(), condition))


def supports_where(connection: Connection, condition: ColumnElement[bool]) -> list[tuple[SupportKey, Support]]:
    """The supports whose rows meet a condition, with their keys; in no order."""
    query = (
        select(supports, sources.c.name.label("source"), pages.c.uri)
        .join(pages, pages.c.id == supports.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .where(condition)
    )
    return [
        (
            (row.source, row.uri, row.chunk_key, row.content_key),
            Support(
                row.fact_id,
                PageKey(row.source, row.uri),
                row.chunk_key,
                decode(supports.c.statement, row.id, row.statement, statement_from_text),
                row.extractor,
            ),
        )
        for row in connection.execute(query)
    ]


def _fact(row: Row[Any], hop: int) -> Fact:
    return Fact(row.fact_id, row.subject, row.relation, row.object, supports=int(row.held), hop=hop)
