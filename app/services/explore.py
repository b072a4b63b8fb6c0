"""Looking at a graph: its pages, its facts by entity, page, relation or meaning, an entity as a whole, paths."""

from __future__ import annotations

import difflib
from collections import Counter
from typing import Any

from sqlalchemy import ColumnElement, func, select

from clausegraph.app.services.browse import Shelf, entity_of, no_entity, open_shelf, with_statements
from clausegraph.app.services.ingest import opened_ontology
from clausegraph.app.services.records import steps_in_order
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.ontology import UNTYPED
from clausegraph.core.types import LITERAL, Fact, Mention
from clausegraph.indexes.graph.links import own_pages
from clausegraph.indexes.ledger.schema import supports

_NAMED = 5  # candidates named in a message
_LARGEST = 10  # entities and relations of an overview
_EVERY_FACT = 1_000_000  # of an entity


def overview(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """How much graph there is, its most frequent relations but for those that say how pages are built, and the
    entities of which the most is stated.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    counts = shelf.graph.counts()
    relations = Counter(shelf.graph.relations()).most_common(_LARGEST)
    rows = shelf.entity_rows().order_by(func.count().desc(), "name").limit(_LARGEST)
    with shelf.ledger.read() as connection:
        largest = [{"entity": row[0], "statements": row[1]} for row in connection.execute(rows)]
    return shelf.at | {
        "entities": counts.entities,
        "facts": counts.facts,
        "statements": counts.supports,
        "relations": [{"relation": name, "statements": count} for name, count in relations],
        "largest": largest,
    }


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
        facts, of = _facts_about(workspace, corpus, about, relation, limit + 1, shelf.epoch), {"about": about}
    elif name is not None:
        facts, of = _facts_of(shelf, name, relation, limit + 1)
    else:
        facts, of = shelf.graph.facts(_fact_ids(shelf, supports.c.relation == relation, limit + 1)), {}
    found = shelf.at | of | ({"relation": relation} if relation is not None else {})
    return found | {"more": len(facts) > limit, "facts": steps_in_order(with_statements(shelf, facts[:limit]))}


def show_entity(workspace: Workspace, corpus: str, name: str, epoch: int | None = None) -> dict[str, Any]:
    """What the graph has of an entity: how pages write it, types, pages, statements, and what it is connected with."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key = entity_of(shelf, name)
    facts = shelf.graph.neighbourhood([key], hops=1, limit=_EVERY_FACT)
    stated = shelf.graph.supports([fact.id for fact in facts])
    sides = {
        fact.id: [end for end, at in (("subject", fact.subject), ("object", fact.object)) if at == key]
        for fact in facts
    }
    written = [
        node
        for one in stated
        for side in sides[one.fact_id]
        if isinstance(node := getattr(one.statement, side), Mention)
    ]
    types = Counter(node.type for node in written)  # what says nothing counts only where all say it
    main = min(types, key=lambda name: (name == UNTYPED, -types[name], name), default=UNTYPED)
    others = Counter(
        end for fact in facts for end in {fact.subject, fact.object} - {key} if not end.startswith(LITERAL)
    )
    return shelf.at | {
        "entity": key,
        "types": dict(types.most_common()),
        "about": opened_ontology(workspace.settings).about(main),
        "written": dict(Counter(node.surface for node in written).most_common()),
        "merged": sorted(shelf.names_of(key)),
        "own_page": _own_page(shelf, key),
        "pages": sorted({str(one.page) for one in stated}),
        "facts": steps_in_order(with_statements(shelf, facts, stated)),
        "neighbours": [{"entity": other, "facts": count} for other, count in others.most_common()],
    }


def _own_page(shelf: Shelf, key: str) -> dict[str, Any] | None:
    """The page about an entity, under any of its names, and why it is that."""
    readings = shelf.readings()
    found = own_pages(readings)
    own = next((found[name] for name in (key, *shelf.names_of(key)) if name in found), None)
    if own is None:
        return None
    return {"page": str(own.page), "title": readings[own.page].title, "by": own.by, "links": own.links}


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


def _facts_about(
    workspace: Workspace, corpus: str, text: str, relation: str | None, limit: int, epoch: int
) -> list[Fact]:
    """The facts nearest in meaning; of a relation, those of it among the nearest."""
    with workspace.view(corpus, epoch=epoch) as view:
        vector = workspace.embedder.embed_query(text)
        hits = view.search_facts(vector, limit if relation is None else max(limit * 20, 1000))
        facts = view.graph.facts([hit.ref for hit in hits])
    return [fact for fact in facts if relation in (None, fact.relation)][:limit]


def _check_relation(shelf: Shelf, relation: str) -> None:
    there = shelf.graph.relations()
    if relation in there:
        return
    near = difflib.get_close_matches(relation, there, n=_NAMED, cutoff=0.5)
    near += [name for name, _ in Counter(there).most_common() if relation in name and name not in near]
    hint = f"; near are: {', '.join(near[:_NAMED])}" if near else "; `clausegraph facts` shows the most frequent"
    raise NotFoundError(f"no relation {relation[:80]!r} in epoch {shelf.epoch} of corpus {shelf.corpus.name!r}{hint}")
