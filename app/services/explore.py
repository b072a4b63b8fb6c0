"""Looking at a graph: its pages, its facts by entity, page, relation or meaning, an entity as a whole, paths."""

from __future__ import annotations

import difflib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import ColumnElement, and_, func, select, union_all

from clausegraph.app.services.browse import Shelf, open_shelf
from clausegraph.app.services.ingest import opened_ontology
from clausegraph.app.services.records import (
    fact_record,
    object_text,
    quotes,
    statement_words,
    step_record,
    steps_in_order,
)
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.wording import condition_words
from clausegraph.core.ontology import UNTYPED
from clausegraph.core.text import one_line
from clausegraph.core.types import LITERAL, Fact, Mention, Reading, Support
from clausegraph.indexes.derive import statement_id
from clausegraph.indexes.graph.links import own_pages
from clausegraph.indexes.ledger.schema import entity_tokens, seen_at, supports

_NAMED = 5  # candidates named in a message
_LARGEST = 10  # entities and relations of an overview
_EVERY_FACT = 1_000_000  # of an entity


def overview(workspace: Workspace, corpus: str, epoch: int | None = None) -> dict[str, Any]:
    """How much graph there is, its most frequent relations but for those that say how pages are built, and the
    entities of which the most is stated.

    Raises:
        NotFoundError: as ``list_pages``.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    counts = shelf.graph.counts()
    relations = Counter(shelf.graph.relations()).most_common(_LARGEST)
    return shelf.at | {
        "entities": counts.entities,
        "facts": counts.facts,
        "statements": counts.supports,
        "relations": [{"relation": name, "statements": count} for name, count in relations],
        "largest": [{"entity": name, "statements": count} for name, count in _largest(shelf)],
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

    Raises:
        NotFoundError: nothing is called so; the message says what is near.
        InputError: both ``name`` and ``about``, or several pages answer to the name.
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
    """What the graph has of an entity: how pages write it, types, pages, statements, and what it is connected with.

    Raises:
        NotFoundError: no entity of that name; the message names the nearest.
    """
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
    others = Counter(
        end for fact in facts for end in {fact.subject, fact.object} - {key} if not end.startswith(LITERAL)
    )
    return shelf.at | {
        "entity": key,
        "types": dict(Counter(node.type for node in written).most_common()),
        "about": opened_ontology(workspace.settings).about(_main_type(written)),
        "written": dict(Counter(node.surface for node in written).most_common()),
        "merged": sorted(name for name, entity in shelf.graph.names().items() if entity == key),
        "own_page": _own_page(shelf, key),
        "pages": sorted({str(one.page) for one in stated}),
        "facts": steps_in_order(with_statements(shelf, facts, stated)),
        "neighbours": [{"entity": other, "facts": count} for other, count in others.most_common()],
    }


def _main_type(written: Sequence[Mention]) -> str:
    """The type that most mentions have; what says nothing counts only where all say it."""
    counted = Counter(node.type for node in written)
    return min(counted, key=lambda name: (name == UNTYPED, -counted[name], name), default=UNTYPED)


def _own_page(shelf: Shelf, key: str) -> dict[str, Any] | None:
    """The page about an entity, under any of its names, and why it is that."""
    readings = {page: shelf.reading(version) for page, (version, _) in shelf.versions().items()}
    found = own_pages(readings)
    names = [key, *(name for name, entity in shelf.graph.names().items() if entity == key)]
    own = next((found[name] for name in names if name in found), None)
    if own is None:
        return None
    return {"page": str(own.page), "title": readings[own.page].title, "by": own.by, "links": own.links}


def _visible(shelf: Shelf) -> ColumnElement[bool]:
    return and_(supports.c.corpus_id == shelf.corpus.id, seen_at(supports, shelf.epoch))


def _fact_ids(shelf: Shelf, condition: ColumnElement[bool], limit: int) -> list[str]:
    """The facts of which the most is stated first, then by id."""
    query = (
        select(supports.c.fact_id)
        .where(_visible(shelf), condition)
        .group_by(supports.c.fact_id)
        .order_by(func.count().desc(), supports.c.fact_id)
        .limit(limit)
    )
    with shelf.ledger.read() as connection:
        return list(connection.execute(query).scalars())


def _largest(shelf: Shelf) -> list[tuple[str, int]]:
    ends = union_all(
        select(supports.c.subject.label("name")).where(_visible(shelf)),
        select(supports.c.object).where(_visible(shelf), ~supports.c.object.startswith(LITERAL)),
    ).subquery()
    query = select(ends.c.name, func.count()).group_by(ends.c.name).order_by(func.count().desc(), ends.c.name)
    with shelf.ledger.read() as connection:
        return [(str(row[0]), int(row[1])) for row in connection.execute(query.limit(_LARGEST))]


def _facts_of(shelf: Shelf, name: str, relation: str | None, limit: int) -> tuple[list[Fact], dict[str, Any]]:
    """Facts of an entity, else of a page."""
    relations = None if relation is None else [relation]
    key = shelf.graph.named([name], normalised=True).get(name)
    if key is not None:
        return shelf.graph.neighbourhood([key], hops=1, limit=limit, relations=relations), {"entity": key}
    page = shelf.find_page(name)
    if page is None:
        raise _no_entity(shelf, name, "entity or page")
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


def entity_of(shelf: Shelf, name: str) -> str:
    """The key of the entity of that name.

    Raises:
        NotFoundError: there is none; the message names the nearest.
    """
    found = shelf.graph.named([name], normalised=True).get(name)
    if found is None:
        raise _no_entity(shelf, name, "entity")
    return found


def _no_entity(shelf: Shelf, name: str, what: str) -> NotFoundError:
    hits = shelf.graph.entities(tokens(name), _NAMED) or shelf.graph.entities(_spelt_like(shelf, name), _NAMED)
    near = [hit.key for hit in hits]
    hint = f"; near are: {', '.join(near)}" if near else "; `clausegraph facts` shows the largest"
    return NotFoundError(f"no {what} {name[:80]!r} in epoch {shelf.epoch} of corpus {shelf.corpus.name!r}{hint}")


def _spelt_like(shelf: Shelf, name: str) -> list[str]:
    """Words of entities that are spelt like those of the name."""
    query = select(entity_tokens.c.token).distinct().where(entity_tokens.c.corpus_id == shelf.corpus.id)
    with shelf.ledger.read() as connection:
        there = sorted(connection.execute(query).scalars())
    return [near for word in tokens(name) for near in difflib.get_close_matches(word, there, n=2, cutoff=0.75)]


def _check_relation(shelf: Shelf, relation: str) -> None:
    there = shelf.graph.relations()
    if relation in there:
        return
    near = difflib.get_close_matches(relation, there, n=_NAMED, cutoff=0.5)
    near += [name for name, _ in Counter(there).most_common() if relation in name and name not in near]
    hint = f"; near are: {', '.join(near[:_NAMED])}" if near else "; `clausegraph facts` shows the most frequent"
    raise NotFoundError(f"no relation {relation[:80]!r} in epoch {shelf.epoch} of corpus {shelf.corpus.name!r}{hint}")


def with_statements(
    shelf: Shelf, facts: Sequence[Fact], stated: Iterable[Support] | None = None
) -> list[dict[str, Any]]:
    """Records of facts, each with its statements in words and where they stand."""
    read = shelf.read_once()
    by_fact: dict[str, list[dict[str, Any]]] = {}
    for one in shelf.graph.supports([fact.id for fact in facts]) if stated is None else stated:
        by_fact.setdefault(one.fact_id, []).append(_statement_record(one, read(one.page)))
    return [fact_record(fact) | {"statements": by_fact.get(fact.id, [])} for fact in facts]


def _statement_record(support: Support, reading: Reading) -> dict[str, Any]:
    statement = support.statement
    return {
        "id": statement_id(support),
        "words": statement_words(statement),
        "subject": statement.subject.surface,
        "object": object_text(statement),
        "modality": statement.modality.value,
        "polarity": statement.polarity,
        "condition": one_line(condition_words(statement.condition)),
        "page": str(support.page),
        "title": reading.title,
        "updated": reading.updated,
        "effective_from": statement.effective_from,
        "effective_to": statement.effective_to,
        **step_record(statement.step),
        "quotes": [quote for _, quote in quotes(support, reading)],
    }
