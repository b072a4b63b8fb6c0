"""Looking at a graph: pages, facts and entities in parts, an entity as a whole, and what a text is about."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Sequence
from typing import Any

from pydantic import Field
from sqlalchemy import ColumnElement, Select, func, or_, select

from clausegraph.app.services import Key, Record, Slice, attributes, numbered_slice
from clausegraph.app.services.browse import Shelf, entity_of, no_entity, open_shelf, page_ids, with_statements
from clausegraph.app.services.ingest import opened_ontology
from clausegraph.app.services.records import ListedElement, ShownFact, roles_of, steps_in_order
from clausegraph.app.services.rules import EVERY_RULE, NEAR_ENOUGH, in_words, near_rules, place_of, rules_by_kind
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.language.normalise import tokens
from clausegraph.core.ontology import UNTYPED
from clausegraph.core.types import LITERAL, Fact, Mention, PageKey
from clausegraph.indexes.contradictions.stored import linked_pages
from clausegraph.indexes.graph.links import own_pages
from clausegraph.indexes.ledger.schema import fetches, page_versions, rules, sources, supports

_NAMED = 5  # candidates named in a message
_LARGEST = 10  # entities and relations of an overview
_EVERY_FACT = 1_000_000  # of an entity


class AnsweredPage(Record):
    """What the address of a page that is fetched answered when it was asked last."""

    outcome: str
    status: int | None
    failures: int = Field(description="How often in a row it had no page.")


class ListedPage(Record):
    """A page in a list."""

    source: str
    uri: str
    title: str
    statements: int
    rules: int
    published: str | None = Field(description="The day that the page states of itself, as `updated`.")
    updated: str | None
    read: float | None = Field(description="When this version was read, in seconds since 1970.")
    answered: AnsweredPage | None = Field(description="null for a page that is not fetched.")


class ListedEntity(Record):
    """An entity, how many statements it is in, and how many rules name it."""

    entity: str
    statements: int
    rules: int


def overview(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """How much graph there is, its most frequent relations, and the entities of which the most is stated and ruled."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    return workspace.of_epoch(("overview", shelf.corpus.id, shelf.epoch), lambda: _overview(shelf))


def _overview(shelf: Shelf) -> dict[str, Any]:
    """As :func:`overview`; reads every statement and role."""
    counts = shelf.graph.counts()
    relations = Counter(shelf.graph.relations()).most_common(_LARGEST)
    rows = shelf.entity_rows().order_by(func.count().desc(), "name").limit(_LARGEST)
    return shelf.at | {
        "entities": counts.entities,
        "facts": counts.facts,
        "statements": counts.supports,
        "rules": counts.rules,
        "relations": [{"relation": name, "statements": count} for name, count in relations],
        "largest": _entities(shelf, rows),
    }


def named_entities(shelf: Shelf, keys: Sequence[str]) -> dict[str, ListedEntity]:
    """Those of the entities that the epoch has, in the order given, by key."""
    found = {one.entity: one for one in _entities(shelf, shelf.entity_rows(keys))} if keys else {}
    return {key: found[key] for key in keys if key in found}


def _entities(shelf: Shelf, rows: Select[Any]) -> list[ListedEntity]:
    with shelf.ledger.read() as connection:
        found = connection.execute(rows).all()
    return [ListedEntity(entity=row.name, statements=int(row.statements), rules=int(row.rules)) for row in found]


def find_facts(
    workspace: Workspace,
    corpus: str,
    *,
    name: str | None = None,
    relation: str | None = None,
    about: str | None = None,
    limit: int = 50,
    epoch: int | None = None,
) -> dict[str, Any]:
    """Facts of an entity or a page, of a relation, or nearest in meaning to a text; each with its statements.

    Args:
        name: an entity's name, or a page's uri or title.
        relation: as the graph has it; narrows what ``name`` or ``about`` finds.
    """
    if name is not None and about is not None:
        raise InputError("give a NAME or --about TEXT, not both")
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    if relation is not None:
        _check_relation(shelf, relation)
    if about is not None:
        facts = facts_about(workspace, corpus, about, relation, limit + 1, shelf.epoch)
        of: dict[str, Any] = {"about": about}
        ranked = near_rules(workspace, shelf, about) if relation is None else {}
        rank = {place_of(placed): number for placed, number in ranked.items()}
        of["rules"] = in_words(shelf, ranked, limit, lambda placed: rank[place_of(placed)])
        if not facts:
            what = "fact" if relation is None else f"fact of relation {relation!r}"
            of["note"] = f"no {what} is near {about[:80]!r}; `clausegraph search` finds passages"
    elif name is not None:
        facts, of = _facts_of(shelf, name, relation, limit + 1)
    else:
        facts, of = shelf.graph.facts(_fact_ids(shelf, supports.c.relation == relation, limit + 1)), {}
    found = shelf.at | of | ({"relation": relation} if relation is not None else {})
    return found | {
        "more": len(facts) > limit,
        "facts": steps_in_order(with_statements(ShownFact, shelf, facts[:limit])),
    }


def show_entity(workspace: Workspace, corpus: str, name: str, epoch: int | None = None) -> dict[str, Any]:
    """What the graph has of an entity: how pages write it, types, pages, statements, rules, and what these connect."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key = entity_of(shelf, name)
    ruled = shelf.graph.rules_of([key], EVERY_RULE)
    facts = shelf.graph.neighbourhood([key], hops=1, limit=_EVERY_FACT)
    stated = shelf.graph.supports([fact.id for fact in facts])
    sides = {fact.id: [end for end in ("subject", "object") if getattr(fact, end) == key] for fact in facts}
    nodes = (getattr(one.statement, side) for one in stated for side in sides[one.fact_id])
    written = [node for node in nodes if isinstance(node, Mention) and not node.node]  # as a whole
    written += [role.entity for one in ruled for role, of in roles_of(one) if of == key]
    types = Counter(node.type for node in written)  # what says nothing counts only where all say it
    main = min(types, key=lambda name: (name == UNTYPED, -types[name], name), default=UNTYPED)
    ends = (end for fact in facts for end in {fact.subject, fact.object} - {key})
    others = Counter(end for end in ends if not end.startswith(LITERAL))
    beside = Counter(end for one in ruled for end in set(one.entities) - {key})
    return shelf.at | {
        "entity": key,
        "types": dict(types.most_common()),
        "about": opened_ontology(workspace.settings).about(main),
        "written": dict(Counter(node.surface for node in written).most_common()),
        "merged": sorted(shelf.names_of(key)),
        "own_page": _own_page(workspace, shelf, key),
        "pages": sorted({str(one.page) for one in stated} | {str(one.page) for one in ruled}),
        "rules": rules_by_kind(shelf, key, ruled),
        "facts": steps_in_order(with_statements(ShownFact, shelf, facts, stated)),
        "neighbours": [
            {"entity": other, "facts": others[other], "rules": beside[other]}
            for other, _ in (others + beside).most_common()
        ],
    }


def _own_page(workspace: Workspace, shelf: Shelf, key: str) -> dict[str, Any] | None:
    """The page about an entity, under any of its names, and why it is that."""
    at = ("own pages", shelf.corpus.id, shelf.epoch)
    found = workspace.of_epoch(at, lambda: own_pages(linked_pages(*shelf.of_epoch)))
    own = next((found[name] for name in (key, *shelf.names_of(key)) if name in found), None)
    if own is None:
        return None
    return {"page": str(own.page), "title": shelf.page(str(own.page))[1].title, "by": own.by, "links": own.links}


def _fact_ids(shelf: Shelf, condition: ColumnElement[bool], limit: int) -> list[str]:
    """The facts of which the most is stated first, then by id."""
    query = (
        select(supports.c.fact_id)
        .where(shelf.visible(supports), condition)
        .group_by(supports.c.fact_id)
        .order_by(func.count().desc(), supports.c.fact_id)
        .limit(limit)
    )
    with shelf.ledger.read() as connection:
        return list(connection.execute(query).scalars())


def _facts_of(shelf: Shelf, name: str, relation: str | None, limit: int) -> tuple[list[Fact], dict[str, Any]]:
    """Facts of an entity, else of a page."""
    relations = None if relation is None else [relation]
    key = shelf.graph.named([name], normalised=True).get(name)
    if key is not None:
        return shelf.graph.neighbourhood([key], hops=1, limit=limit, relations=relations), {"entity": key}
    page = shelf.find_page(name)
    if page is None:
        raise no_entity(shelf, name, "entity or page")
    ids = dict.fromkeys(one.fact_id for one in shelf.facts_on(*page) if relation in (None, one.statement.relation))
    return shelf.graph.facts(list(ids)[:limit]), {"page": str(page[0])}


def facts_about(
    workspace: Workspace, corpus: str, text: str, relation: str | None, limit: int, epoch: int
) -> list[Fact]:
    """The facts near enough in meaning, nearest first; of a relation, those of it among the nearest."""
    with workspace.view(corpus, epoch=epoch) as view:
        vector = workspace.embedder.embed_query(text)
        hits = view.search_facts(vector, limit if relation is None else max(limit * 20, 1000))
        facts = view.graph.facts([hit.ref for hit in hits if hit.score >= NEAR_ENOUGH])
    return [fact for fact in facts if relation in (None, fact.relation)][:limit]


def _check_relation(shelf: Shelf, relation: str) -> None:
    there = shelf.graph.relations()
    if relation in there:
        return
    near = difflib.get_close_matches(relation, there, n=_NAMED, cutoff=0.5)
    near += [name for name, _ in Counter(there).most_common() if relation in name and name not in near]
    hint = f"; near are: {', '.join(near[:_NAMED])}" if near else "; `clausegraph facts` shows the most frequent"
    raise NotFoundError(f"no relation {relation[:80]!r} in epoch {shelf.epoch} of corpus {shelf.corpus.name!r}{hint}")


def page_slice(workspace: Workspace, corpus: str, epoch: int, limit: int, after: Key | None = None) -> Slice:
    """Pages by source and uri, each with the number of its statements and rules, its dates, when it was read, and what
    its address answered last.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    listed = [
        (key, *version) for key, version in shelf.versions.items() if after is None or [key.source, key.uri] > after
    ]
    part = listed[:limit]
    uris = [key.uri for key, _, _ in part]
    stated, ruled = shelf.counts(supports, uris), shelf.counts(rules, uris)
    answered = _answered(shelf, [key for key, _, _ in part])
    wanted = select(page_versions.c.id, page_versions.c.fetched)
    wanted = wanted.where(page_versions.c.id.in_([version for _, version, _ in part]))
    with shelf.ledger.read() as connection:
        read = {row.id: row.fetched for row in connection.execute(wanted)}  # in seconds since 1970
    items = []
    for key, version, title in part:
        page = shelf.reading(version)
        counts = {"statements": stated.get(key, 0), "rules": ruled.get(key, 0)}
        known = {"read": read.get(version), "answered": answered.get(key)}
        items.append(ListedPage.of(key, page, title=title or page.title, **counts, **known))
    return Slice(items, [part[-1][0].source, part[-1][0].uri] if len(listed) > limit else None)


def _answered(shelf: Shelf, keys: Sequence[PageKey]) -> dict[PageKey, AnsweredPage]:
    """What the address of each page that is fetched answered last; of several, the one that the page is named after."""
    query = (
        select(sources.c.name, fetches.c.uri, fetches.c.outcome, fetches.c.status, fetches.c.failures)
        .join(sources, sources.c.id == fetches.c.source_id)
        .where(fetches.c.corpus_id == shelf.corpus.id, fetches.c.uri.in_([key.uri for key in keys]))
        .order_by(fetches.c.address == fetches.c.uri, fetches.c.address)
    )
    with shelf.ledger.read() as connection:
        return {PageKey(row.name, row.uri): AnsweredPage.of(row) for row in connection.execute(query)}


def element_slice(
    workspace: Workspace, corpus: str, name: str, epoch: int, limit: int, after: Key | None = None
) -> Slice:
    """The elements of a page, in its order, with their anchors."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key, reading = shelf.page(name)
    part = numbered_slice(reading.elements, limit, after)
    return Slice([ListedElement.of(element, page=str(key)) for element in part.items], part.after)


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
    items = with_statements(ShownFact, shelf, shelf.graph.facts(ids[:limit]))
    return Slice(items, [ids[limit - 1]] if len(ids) > limit else None)


def entity_slice(
    workspace: Workspace,
    corpus: str,
    epoch: int | None,
    limit: int,
    after: Key | None = None,
    search: str | None = None,
) -> Slice:
    """Entities by key, each with how many statements and rules it is in; with ``search`` those that share words with
    it, those that share most first, which is no list that goes on."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    if search is not None:
        hits = [hit.key for hit in shelf.graph.entities(tokens(search), limit)]
        return Slice(list(named_entities(shelf, hits).values()), None)
    counted = shelf.entity_rows().subquery()
    query = select(counted).order_by(counted.c.name).limit(limit + 1)
    if after is not None:
        query = query.where(counted.c.name > str(after[0]))
    found = _entities(shelf, query)
    return Slice(found[:limit], [found[limit - 1].entity] if len(found) > limit else None)


def list_pages(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """Every page of an epoch with how many statements it makes, and rules it has."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    stated, ruled = shelf.counts(supports), shelf.counts(rules)
    listed = []
    for key, (version, title) in shelf.versions.items():
        counts = {"statements": stated.get(key, 0), "rules": ruled.get(key, 0)}
        listed.append(attributes(key, "source uri") | {"title": title or shelf.reading(version).title} | counts)
    return shelf.at | {"pages": listed}
