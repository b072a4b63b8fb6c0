"""The embedded graph: SQL over the supports, pinned at one epoch."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from sqlalchemy import ColumnElement, Row, Select, Subquery, and_, func, or_, select, true

from clausegraph.core.serial import statement_from_text
from clausegraph.core.types import LITERAL, Fact, PageKey, PlacedRule, Support
from clausegraph.indexes.entities.names import names_at
from clausegraph.indexes.graph.protocol import CANDIDATES, GraphCounts, StoredGraph, SupportKey, entity_ends, in_order
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.schema import (
    IS_FACT,
    entity_names,
    entity_tokens,
    on_pages,
    pages,
    rule_roles,
    rules,
    seen_at,
    sources,
    supports,
)
from clausegraph.indexes.ledger.store import Reads, batches
from clausegraph.indexes.truth import load_rules, load_rules_of

_FEW_ANCHORS = 50
RuleId = tuple[int, str]  # the number of a page and the key of a rule on it


class SqlGraph(StoredGraph):
    """The ``Graph``, which documents the methods, of one corpus at one epoch."""

    def __init__(self, ledger: Reads, corpus_id: int, epoch: int) -> None:
        self._ledger = ledger
        self._corpus_id = corpus_id
        self._epoch = epoch

    def _candidates(self, tokens: Sequence[str]) -> Iterator[dict[str, int]]:
        matched = func.count().label("matched")
        query = (
            select(entity_tokens.c.entity, matched)
            .where(entity_tokens.c.corpus_id == self._corpus_id, entity_tokens.c.token.in_(tokens))
            .group_by(entity_tokens.c.entity)
            .order_by(matched.desc(), func.length(entity_tokens.c.entity), entity_tokens.c.entity)
        )
        for part in batches(self._ledger.rows(query), CANDIDATES):
            yield {row.entity: int(row.matched) for row in part}

    def names(self) -> dict[str, str]:
        with self._ledger.read() as connection:
            found = names_at(connection, self._corpus_id, self._epoch)
        return {name: entity for name, (entity, _) in found.items()}

    def _aliases(self, names: Sequence[str]) -> dict[str, str]:
        """Those of the names that the epoch takes for another entity."""
        shown = (entity_names.c.corpus_id == self._corpus_id, seen_at(entity_names, self._epoch))
        query = select(entity_names.c.name, entity_names.c.entity).where(*shown)
        return {row.name: row.entity for row in self._ledger.rows_of(query, entity_names.c.name, names)}

    def held(self, keys: Sequence[str]) -> dict[str, int]:
        counts: Counter[str] = Counter()
        for column in (supports.c.subject, supports.c.object):
            query = select(column.label("key"), func.count().label("held")).where(self._visible()).group_by(column)
            for row in self._ledger.rows_of(query, column, keys):
                counts[row.key] += row.held
        ruled = select(rule_roles.c.entity, func.count().label("held")).where(*self._ruled())
        for row in self._ledger.rows_of(ruled.group_by(rule_roles.c.entity), rule_roles.c.entity, keys):
            counts[row.entity] += row.held
        return dict(counts)

    def neighbourhood(
        self, keys: Sequence[str], hops: int = 1, limit: int = 200, relations: Sequence[str] | None = None
    ) -> list[Fact]:
        if limit < 1 or (relations is not None and not relations):
            return []
        of_kind = true() if relations is None else supports.c.relation.in_(list(relations))
        found: dict[str, Fact] = {}
        frontier, seen = [key for key in dict.fromkeys(keys) if not key.startswith(LITERAL)], set(keys)
        for hop in range(1, hops + 1):
            touching: dict[str, Fact] = {}
            for part in batches(frontier):
                rows = self._ledger.rows(self._facts(self._touching(part), of_kind).limit(limit + len(found)))
                touching |= {row.fact_id: _fact(row, hop) for row in rows if row.fact_id not in found}
            best = sorted(touching.values(), key=lambda fact: (-fact.supports, fact.id))[: limit - len(found)]
            found |= {fact.id: fact for fact in best}
            ends = set(entity_ends(best))
            frontier = sorted(ends - seen)
            seen |= ends
            if len(found) >= limit or not frontier:
                break
        return list(found.values())

    def _facts_of(self, ids: Sequence[str]) -> Iterator[Fact]:
        query = self._facts(supports.c.corpus_id == self._corpus_id)
        return (_fact(row, 0) for row in self._ledger.rows_of(query, supports.c.fact_id, ids))

    def supports(self, fact_ids: Sequence[str]) -> list[Support]:
        query = supports_query().where(self._visible())
        return in_order(map(read_support, self._ledger.rows_of(query, supports.c.fact_id, fact_ids)))

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> list[Support]:
        wanted = set(anchors)
        if not wanted:
            return []
        named = (sources.c.corpus_id == self._corpus_id, sources.c.name == page.source, pages.c.uri == page.uri)
        found = select(pages.c.id).join(sources, sources.c.id == pages.c.source_id).where(*named)
        query = supports_query().where(self._visible(), supports.c.page_id == self._ledger.value(found))
        if len(wanted) <= _FEW_ANCHORS:  # of more, reading the whole page is quicker, and a query has its depth
            query = query.where(
                or_(*(supports.c.statement.contains(anchor, autoescape=True) for anchor in sorted(wanted)))
            )
        made = in_order(map(read_support, self._ledger.rows(query)))
        return [support for support in made if any(span.anchor in wanted for span in support.statement.spans)]

    def rules_of(self, entities: Sequence[str], limit: int = 200) -> list[PlacedRule]:
        return load_rules_of(self._ledger, self._corpus_id, self._epoch, entities, limit)

    def names_in_rules_of(self, entities: Sequence[str], limit: int) -> dict[RuleId, list[str]]:
        """So many of the rules in which one of the entities has a role, by page, each with all entities that it names;
        no rule is read for that."""
        found: dict[RuleId, list[str]] = {}
        for part in batches(entities):
            these = select(rule_roles.c.page_id, rule_roles.c.rule_key).distinct().where(*self._ruled())
            these = these.where(rule_roles.c.entity.in_(part)).order_by(*these.selected_columns).limit(limit)
            found |= self._named_by(these.subquery())
        return {rule: found[rule] for rule in sorted(found)[:limit]}

    def _named_by(self, wanted: Subquery) -> dict[RuleId, list[str]]:
        """The entities that each of the rules names, each once."""
        all_of = and_(rule_roles.c.page_id == wanted.c.page_id, rule_roles.c.rule_key == wanted.c.rule_key)
        query = select(rule_roles.c.page_id, rule_roles.c.rule_key, rule_roles.c.entity).distinct()
        found: dict[RuleId, list[str]] = {}
        for row in self._ledger.rows(query.join(wanted, all_of).where(seen_at(rule_roles, self._epoch))):
            found.setdefault((row.page_id, row.rule_key), []).append(row.entity)
        return found

    def rule(self, wanted: RuleId) -> PlacedRule:
        """A rule of the epoch."""
        page, key = wanted
        found = load_rules(
            self._ledger, self._corpus_id, self._epoch, rules.c.page_id == page, rules.c.content_key == key
        )
        return found[0]

    def rules_on(self, page: PageKey) -> list[PlacedRule]:
        return load_rules(
            self._ledger, self._corpus_id, self._epoch, sources.c.name == page.source, pages.c.uri == page.uri
        )

    def all_rules(self) -> list[PlacedRule]:
        return load_rules(self._ledger, self._corpus_id, self._epoch)

    def counts(self) -> GraphCounts:
        totals = select(func.count(supports.c.fact_id.distinct())).where(self._visible())
        ends = (
            select(supports.c.subject.label("name"))
            .where(self._visible())
            .union(
                select(supports.c.object).where(self._visible(), ~supports.c.object.startswith(LITERAL)),
                select(rule_roles.c.entity).where(*self._ruled()),
            )
        ).subquery()
        every = select(func.count()).select_from(supports).where(self._visible())
        ruled = (rules.c.corpus_id == self._corpus_id, seen_at(rules, self._epoch))
        counted = (select(func.count()).select_from(ends), totals, every, select(func.count()).where(*ruled))
        found = (self._ledger.value(query) for query in counted)
        return GraphCounts(*map(int, found))

    def all_supports(self) -> list[Support]:
        query = supports_query().where(self._visible(), supports.c.id > 0)
        return in_order(map(read_support, self._ledger.rows(query)))

    def relations(self) -> dict[str, int]:
        name = supports.c.relation
        query = select(name, func.count().label("held")).where(self._visible()).group_by(name).order_by(name)
        return {row.relation: int(row.held) for row in self._ledger.rows(query)}

    def _touching(self, keys: Sequence[str]) -> ColumnElement[bool]:
        """Each arm names the columns of its index: else a planner without statistics reads the whole corpus."""
        mine = supports.c.corpus_id == self._corpus_id
        return or_(and_(mine, supports.c.subject.in_(keys)), and_(mine, supports.c.object.in_(keys)))

    def _visible(self) -> ColumnElement[bool]:
        return and_(supports.c.corpus_id == self._corpus_id, self._interval())

    def _ruled(self) -> tuple[ColumnElement[bool], ...]:
        seen = (without_index(rule_roles.c.since) <= self._epoch, without_index(rule_roles.c.until) > self._epoch)
        return rule_roles.c.corpus_id == self._corpus_id, *seen

    def _interval(self) -> ColumnElement[bool]:
        # by the index on until, every open support would be read
        seen = and_(without_index(supports.c.since) <= self._epoch, without_index(supports.c.until) > self._epoch)
        return and_(seen, IS_FACT)

    def _facts(self, *conditions: ColumnElement[bool]) -> Select[Any]:
        held = func.count().label("held")
        named = (func.min(supports.c[name]).label(name) for name in ("subject", "relation", "object"))
        return (
            select(supports.c.fact_id, *named, held)
            .where(self._interval(), *conditions)
            .group_by(supports.c.fact_id)
            .order_by(held.desc(), supports.c.fact_id)
        )


def supports_query() -> Select[Any]:
    """Supports with the names of their pages, for :func:`read_support`."""
    return select(supports, sources.c.name.label("source"), pages.c.uri).select_from(on_pages(supports))


def read_support(row: Row[Any]) -> tuple[SupportKey, Support]:
    """A support of the ledger, and its key."""
    statement = decode(supports.c.statement, row.id, row.statement, statement_from_text)
    made = Support(row.fact_id, PageKey(row.source, row.uri), row.chunk_key, statement, row.extractor)
    return (row.source, row.uri, row.chunk_key, row.content_key), made


def _fact(row: Row[Any], hop: int) -> Fact:
    return Fact(row.fact_id, row.subject, row.relation, row.object, supports=int(row.held), hop=hop)
