"""What the ledger holds of one epoch, to look things up in: pages and facts, no vectors.

A ``View`` opens the vector side with it; looking something up should start in a blink, so this reads the
tables alone.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Select, Table, and_, func, literal, or_, select, true, union_all

from clausegraph.app.services.records import (
    ListedElement,
    ShownFact,
    ShownRule,
    ShownStatement,
    chunk_record,
    fact_record,
    in_page_order,
    page_record,
    shown_rules,
    shown_statement,
    statement_words,
    support_record,
)
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError, StorageError
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.types import LITERAL, Fact, PageKey, PlacedRule, Reading, Support
from clausegraph.indexes.corpora import CorpusRow, find_epoch, find_run, get_corpus, get_published, why_no_run
from clausegraph.indexes.derive import statement_id
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.cells import RESTORE
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.schema import (
    IS_FACT,
    entity_tokens,
    members,
    page_versions,
    pages,
    rule_roles,
    rules,
    sources,
    supports,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.truth import load_reading, load_rules, title_key

_FACT_ID = re.compile(r"[0-9a-f]{32}")
_RUN_ID = re.compile(r"[0-9a-f]{12}")
F = TypeVar("F", bound=ShownFact)
PREFIX = 4  # characters of a fact id that are enough to look for it
_NAMED = 5  # candidates named in a message


@dataclass(frozen=True)
class Shelf:
    """The pages and the graph of a corpus at one epoch."""

    ledger: Ledger
    corpus: CorpusRow
    epoch: int
    graph: SqlGraph

    @property
    def at(self) -> dict[str, Any]:
        """The corpus and the epoch, as JSON values."""
        return {"corpus": self.corpus.name, "epoch": self.epoch}

    @property
    def of_epoch(self) -> tuple[Ledger, int, int]:
        """Where its rows are read from: the ledger, the corpus' id, and the epoch."""
        return self.ledger, self.corpus.id, self.epoch

    def visible(self, table: Table) -> ColumnElement[bool]:
        """Which rows of a table the epoch has; of supports those that are facts, and no names of entities."""
        stated = IS_FACT if table is supports else true()
        # by the index on until, every open row of the corpus would be read
        seen = (without_index(table.c.since) <= self.epoch, without_index(table.c.until) > self.epoch)
        return and_(table.c.corpus_id == self.corpus.id, *seen, stated)

    @cached_property
    def versions(self) -> dict[PageKey, tuple[int, str | None]]:
        """Every page of the epoch with its version's id and title."""
        query = version_rows(page_versions.c.id, page_versions.c.title).where(self.visible(members))
        with self.ledger.read() as connection:
            return {PageKey(row.name, row.uri): (row.id, row.title) for row in connection.execute(query)}

    def counts(self, table: Table, uris: Sequence[str] | None = None) -> dict[PageKey, int]:
        """How many statements or rules each page has, of some or all uris; pages without any are left out."""
        wanted = true() if uris is None else pages.c.uri.in_(uris)
        query = (
            select(sources.c.name, pages.c.uri, func.count())
            .join(pages, pages.c.id == table.c.page_id)
            .join(sources, sources.c.id == pages.c.source_id)
            .where(self.visible(table), wanted)
            .group_by(sources.c.name, pages.c.uri)
        )
        with self.ledger.read() as connection:
            return {PageKey(row[0], row[1]): int(row[2]) for row in connection.execute(query)}

    def entity_rows(self, keys: Sequence[str] | None = None) -> Select[Any]:
        """Each entity, or each of the keys, with the number of statements it is in and of rules that name it:
        ``name``, ``statements``, ``rules``."""
        stated = self.visible(supports)

        def wanted(column: ColumnElement[str]) -> ColumnElement[bool]:
            return true() if keys is None else column.in_(keys)

        named = select(rule_roles.c.page_id, rule_roles.c.rule_key, rule_roles.c.entity).distinct()
        named = named.where(self.visible(rule_roles), wanted(rule_roles.c.entity))
        roles = named.subquery()  # in two roles of a rule it is named once
        one, none = literal(1), literal(0)
        subject, object_ = supports.c.subject, supports.c.object
        ends = union_all(
            select(subject.label("name"), one.label("statements"), none.label("rules")).where(stated, wanted(subject)),
            select(object_, one, none).where(stated, wanted(object_), ~object_.startswith(LITERAL)),
            select(roles.c.entity, none, one),
        ).subquery()
        counts = (func.sum(ends.c[column]).label(column) for column in ("statements", "rules"))
        return select(ends.c.name, *counts).group_by(ends.c.name)

    def names_of(self, key: str) -> list[str]:
        """Other names that the epoch takes for an entity."""
        return [name for name, entity in self.graph.names().items() if entity == key]

    def reading(self, version: int) -> Reading:
        """Elements and chunks of a page version."""
        with self.ledger.read() as connection:
            return load_reading(connection, version)

    def read_once(self) -> Callable[[PageKey], Reading]:
        """What reads the pages that the graph names, each once.

        Raises:
            StorageError: the epoch does not have such a page.
        """
        listed = self.versions

        @cache
        def read(page: PageKey) -> Reading:
            if page not in listed:
                said = f"statements of epoch {self.epoch} stand on {str(page)!r}, which it does not have"
                raise StorageError(f"{self.ledger.place} is damaged: {said}; {RESTORE}")
            return self.reading(listed[page][0])

        return read

    def find_page(self, name: str) -> tuple[PageKey, Reading] | None:
        """The page whose uri, ``source:uri`` or title is ``name``."""
        query = version_rows(page_versions.c.id).where(self.visible(members))
        key = sources.c.name + ":" + pages.c.uri
        for called in (or_(pages.c.uri == name, key == name), page_versions.c.title_key == title_key(name)):
            with self.ledger.read() as connection:
                found = {PageKey(row.name, row.uri): row.id for row in connection.execute(query.where(called))}
            if found:
                page = _only(list(found), name)
                return page, self.reading(found[page])
        return None

    def page(self, name: str) -> tuple[PageKey, Reading]:
        """The page of that name, as of :meth:`find_page`."""
        found = self.find_page(name)
        if found is None:
            where = f"corpus {self.corpus.name!r} has no page {name[:200]!r} at epoch {self.epoch}"
            raise NotFoundError(f"{where}; `clausegraph pages` lists them")
        return found

    def find_fact(self, prefix: str) -> Fact | None:
        """The fact of that id, or the only one whose id begins so."""
        if len(prefix) < PREFIX or not set(prefix) <= set("0123456789abcdef"):
            return None
        query = (
            select(supports.c.fact_id)
            .distinct()
            .where(self.visible(supports), supports.c.fact_id.startswith(prefix))
            .order_by(supports.c.fact_id)
            .limit(_NAMED + 1)
        )
        with self.ledger.read() as connection:
            ids = list(connection.execute(query).scalars())
        if len(ids) > 1:
            raise InputError(
                f"{len(ids)} or more facts begin with {prefix!r}: {', '.join(ids[:_NAMED])}; give more of the id"
            )
        found = self.graph.facts(ids)
        if len(found) < len(ids):
            raise StorageError(f"{self.ledger.place} is damaged: fact {ids[0]} is in its index alone; {RESTORE}")
        return found[0] if found else None

    def facts_on(self, page: PageKey, reading: Reading) -> list[Support]:
        """Every statement of a page, in its order."""
        place = {element.anchor: number for number, element in enumerate(reading.elements)}
        found = self.graph.supports_on(page, list(place))
        return sorted(found, key=lambda one: min((place.get(s.anchor, 0), s.start) for s in one.statement.spans))

    def rules_of_chunks(self, chunks: Collection[tuple[PageKey, str]]) -> list[PlacedRule]:
        """The rules of some chunks of pages, by page."""
        of_chunks = rules.c.chunk_key.in_(sorted({key for _, key in chunks}))
        ids = select(pages.c.id).join(sources, sources.c.id == pages.c.source_id)
        ids = ids.where(
            sources.c.corpus_id == self.corpus.id, pages.c.uri.in_(sorted({page.uri for page, _ in chunks}))
        )
        found = load_rules(self.ledger, self.corpus.id, self.epoch, of_chunks, rules.c.page_id.in_(ids))
        return [one for one in found if (one.page, one.chunk_key) in chunks]

    def roles_among(self, keys: Sequence[str]) -> dict[str, set[str]]:
        """The roles that some entities have in rules; those without any are left out."""
        query = select(rule_roles.c.entity, rule_roles.c.role).distinct().where(self.visible(rule_roles))
        found: dict[str, set[str]] = {}
        for row in self.ledger.rows_of(query, rule_roles.c.entity, keys):
            found.setdefault(row.entity, set()).add(row.role)
        return found

    def some_rules_of(self, key: str, limit: int) -> list[PlacedRule]:
        """So many of the rules in which an entity has a role, whichever the ledger finds first."""
        query = select(rule_roles.c.page_id, rule_roles.c.rule_key).where(self.visible(rule_roles))
        found = self.ledger.rows(query.where(rule_roles.c.entity == key).limit(limit))
        places = (
            rules.c.page_id.in_([row.page_id for row in found]),
            rules.c.content_key.in_([row.rule_key for row in found]),
        )
        return load_rules(self.ledger, self.corpus.id, self.epoch, *places) if found else []

    def rules_on(self, page: PageKey, reading: Reading) -> list[PlacedRule]:
        """Every rule of a page, in its order."""
        return in_page_order(self.graph.rules_on(page), reading)

    def found_page(self, page: PageKey, reading: Reading) -> FoundPage:
        """The page with all that was read from it."""
        return FoundPage(page, reading, tuple(self.facts_on(page, reading)), tuple(self.rules_on(page, reading)))


def _only(found: list[PageKey], name: str) -> PageKey:
    if len(found) > 1:
        names = ", ".join(str(key) for key in found[:_NAMED])
        raise InputError(f"{len(found)} pages answer to {name!r}: {names}; give SOURCE:URI")
    return found[0]


def open_shelf(ledger: Ledger, corpus_name: str, epoch: int | None = None) -> Shelf:
    """The published epoch of a corpus, or a retained older one."""
    corpus = get_corpus(ledger, corpus_name)
    with ledger.read() as connection:
        number = get_published(connection, corpus) if epoch is None else epoch
        find_epoch(connection, corpus, number)
    return Shelf(ledger, corpus, number, SqlGraph(ledger, corpus.id, number))


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page with what is stated on it, and its rules."""

    page: PageKey
    reading: Reading
    stated: tuple[Support, ...]
    rules: tuple[PlacedRule, ...]

    @property
    def shown_rules(self) -> list[ShownRule]:
        """Its rules in words."""
        return shown_rules(self.rules, self.reading, self.rules)

    @property
    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return page_record(self.page, self.reading) | {
            "elements": [ListedElement.of(one, page=str(self.page)) for one in self.reading.elements],
            "chunks": [chunk_record(self.page, chunk) for chunk in self.reading.chunks],
            "facts": [
                {"id": one.fact_id, "statement": statement_words(one.statement), "statement_id": statement_id(one)}
                for one in self.stated
            ],
            "rules": self.shown_rules,
        }


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with its statements, each with the page it is on."""

    fact: Fact
    supports: tuple[tuple[Support, Reading], ...]

    @property
    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return fact_record(self.fact) | {
            "supports": [support_record(support, reading) for support, reading in self.supports]
        }


def look_up(
    workspace: Workspace, corpus: str, name: str, epoch: int | None = None
) -> dict[str, Any] | FoundPage | FoundFact:
    """The run of that id, as the ledger has it; else the page of that uri or title, or the fact whose id begins so."""
    ledger = workspace.ledger
    corpus_id = get_corpus(ledger, corpus).id
    run = find_run(ledger, corpus_id, name)
    if run is not None:
        return run
    shelf = open_shelf(ledger, corpus, epoch)
    whole = _FACT_ID.fullmatch(name) is not None  # a page with a fact's id as its title must not hide the fact
    fact = shelf.find_fact(name) if whole else None
    if fact is None and (page := shelf.find_page(name)) is not None:
        return shelf.found_page(*page)
    fact = fact or shelf.find_fact(name)
    if fact is None:
        if _RUN_ID.fullmatch(name):
            raise NotFoundError(why_no_run(ledger, corpus_id, name))
        raise NotFoundError(
            f"no page, fact or run {name[:80]!r} in epoch {shelf.epoch} of corpus {corpus!r}; "
            "`clausegraph status` lists runs, `clausegraph export --output FILE` writes pages and facts"
        )
    return _found_fact(shelf, fact)


def look_up_fact(workspace: Workspace, corpus: str, prefix: str, epoch: int | None = None) -> dict[str, Any]:
    """The fact of that id, or the only one whose id begins so, with every statement of it."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    fact = shelf.find_fact(prefix)
    if fact is None:
        raise NotFoundError(f"no fact {prefix[:80]!r} in epoch {shelf.epoch} of corpus {corpus!r}")
    return _found_fact(shelf, fact).record


def _found_fact(shelf: Shelf, fact: Fact) -> FoundFact:
    read = shelf.read_once()
    return FoundFact(fact, tuple((one, read(one.page)) for one in shelf.graph.supports([fact.id])))


def version_rows(*columns: Any) -> Select[Any]:
    """These columns of page versions, with ``name`` of the source and ``uri``, by both."""
    return (
        select(sources.c.name, pages.c.uri, *columns)
        .join(pages, pages.c.id == members.c.page_id)
        .join(sources, sources.c.id == pages.c.source_id)
        .join(page_versions, page_versions.c.id == members.c.page_version_id)
        .order_by(sources.c.name, pages.c.uri)
    )


def page_ids(corpus_id: int, key: PageKey) -> Select[int]:
    """The id of a page's row."""
    named = (sources.c.corpus_id == corpus_id, sources.c.name == key.source, pages.c.uri == key.uri)
    return select(pages.c.id).join(sources, sources.c.id == pages.c.source_id).where(*named)


def entity_of(shelf: Shelf, name: str) -> str:
    """The key of the entity of that name."""
    found = shelf.graph.named([name], normalised=True).get(name)
    if found is None:
        raise no_entity(shelf, name, "entity")
    return found


def no_entity(shelf: Shelf, name: str, what: str) -> NotFoundError:
    """The error that there is no entity of that name, with the nearest ones: by common words, else by spelling."""
    words = entity_key(name).split()
    spelt = (near for found in spelt_like(shelf, words).values() for near in found)
    hits = shelf.graph.entities(words, _NAMED) or shelf.graph.entities(list(spelt), _NAMED)
    near = [hit.key for hit in hits]
    hint = f"; near are: {', '.join(near)}" if near else "; `clausegraph facts` shows the largest"
    return NotFoundError(f"no {what} {name[:80]!r} in epoch {shelf.epoch} of corpus {shelf.corpus.name!r}{hint}")


def spelt_like(shelf: Shelf, words: Sequence[str]) -> dict[str, list[str]]:
    """Words of entities that are spelt like each of these, the nearest first."""
    query = select(entity_tokens.c.token).distinct().where(entity_tokens.c.corpus_id == shelf.corpus.id)
    with shelf.ledger.read() as connection:
        there = sorted(connection.execute(query).scalars())
    return {word: difflib.get_close_matches(word, there, n=2, cutoff=0.75) for word in words}


def with_statements(
    kind: type[F], shelf: Shelf, facts: Sequence[Fact], stated: Iterable[Support] | None = None
) -> list[F]:
    """Facts, each with its statements in words and where they stand."""
    read = shelf.read_once()
    by_fact: dict[str, list[ShownStatement]] = {}
    for one in shelf.graph.supports([fact.id for fact in facts]) if stated is None else stated:
        by_fact.setdefault(one.fact_id, []).append(shown_statement(one, read(one.page)))
    return [kind.of(fact, **fact_record(fact), statements=by_fact.get(fact.id, [])) for fact in facts]
