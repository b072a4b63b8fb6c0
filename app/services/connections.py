"""What joins entities: the facts around them, paths between them along facts and rules, and pages of both."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, entity_of, no_entity, open_shelf, with_statements
from clausegraph.app.services.records import NearFact, ShownFact, ShownRule, fact_record, roles_of, rule_words
from clausegraph.app.services.rules import ALL_WORDS, in_words, nearest_entity, place_of, rules_with_words
from clausegraph.app.workspace import Workspace
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.wording import condition_words
from clausegraph.core.text import one_line
from clausegraph.core.types import LITERAL, Fact, PlacedRule, Support
from clausegraph.query.retrieve.graph import FoundPaths, Hop, RuleHop, shortest_paths


class NeighbourhoodReply(Record):
    """The facts around entities, and the entities among them."""

    corpus: str
    epoch: int
    around: list[str]
    more: bool
    entities: list[str]
    facts: list[NearFact]


class PathFact(ShownFact):
    """A fact of a path, and whether the path goes from its subject to its object."""

    forward: bool


class PathRule(ShownRule):
    """A rule of a path: the two entities of it that the path joins, and what they are to it."""

    start: str
    start_role: str
    end: str
    end_role: str


class DrawnStatement(Record):
    """What a drawing says of a statement."""

    modality: str
    polarity: bool
    condition: str


class DrawnFact(Record):
    """A fact as a drawing needs it."""

    id: str
    subject: str
    relation: str
    object: str
    literal: bool
    statements: list[DrawnStatement]


def neighbourhood(
    workspace: Workspace,
    corpus: str,
    names: Sequence[str],
    *,
    hops: int = 1,
    limit: int = 200,
    relations: Sequence[str] | None = None,
    page: str | None = None,
    epoch: int | None = None,
) -> NeighbourhoodReply:
    """The facts around entities, nearest and most stated first, with their statements, and the entities among them.

    Args:
        hops: 1 or 2.
        limit: facts at most; ``more`` says whether there are others.
        page: only what this page states, in its order; without names all that it states.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    keys, found, stated = facts_around(shelf, names, hops, limit + 1, relations, page)
    facts = found[:limit]
    ends = {end for fact in facts for end in (fact.subject, fact.object) if not end.startswith(LITERAL)}
    return NeighbourhoodReply(
        **shelf.at,
        around=keys,
        more=len(found) > limit,
        entities=sorted(ends.union(keys)),
        facts=with_statements(NearFact, shelf, facts, stated),
    )


def outline(
    workspace: Workspace, corpus: str, names: Sequence[str], *, limit: int,
    relations: Sequence[str] | None = None, page: str | None = None, epoch: int | None = None,
) -> tuple[int, list[DrawnFact], bool]:  # fmt: skip
    """The epoch, the same facts one step around as a drawing needs them, and whether there are more: each with the
    modality, polarity and condition of its statements in place of their words; errors as of ``neighbourhood``."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    _, found, stated = facts_around(shelf, names, 1, limit + 1, relations, page)
    facts = found[:limit]
    told: dict[str, list[DrawnStatement]] = {}
    for one in shelf.graph.supports([fact.id for fact in facts]) if stated is None else stated:
        said = DrawnStatement.of(one.statement, condition=one_line(condition_words(one.statement.condition)))
        told.setdefault(one.fact_id, []).append(said)
    drawn = [DrawnFact(**fact_record(fact), statements=told.get(fact.id, [])) for fact in facts]
    return shelf.epoch, drawn, len(found) > limit


def facts_around(
    shelf: Shelf, names: Sequence[str], hops: int, limit: int, relations: Sequence[str] | None, page: str | None
) -> tuple[list[str], list[Fact], list[Support] | None]:
    """The keys of entities, the facts around them, and what of these the page states (None: no page was named)."""
    keys = list(dict.fromkeys(entity_of(shelf, name) for name in names))
    if page is None:
        return keys, shelf.graph.neighbourhood(keys, hops=hops, limit=limit, relations=relations), None
    stated = shelf.facts_on(*shelf.page(page))
    facts = shelf.graph.facts([one.fact_id for one in stated])
    wanted = [
        fact
        for fact in facts
        if (relations is None or fact.relation in relations) and (not keys or {fact.subject, fact.object} & set(keys))
    ][:limit]
    ids = {fact.id for fact in wanted}
    return keys, wanted, [one for one in stated if one.fact_id in ids]


_SHOWN = 5  # rules that say something of both ends of a path


def find_paths(
    workspace: Workspace, corpus: str, start: str, goal: str, *, hops: int, limit: int, epoch: int | None = None
) -> dict[str, Any]:
    """The shortest chains of facts and rules between two entities, each fact with its statements, and
    ``together``: other rules that have the words of both, with their headings.

    Raises:
        InputError: as ``shortest_paths``.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    named = shelf.graph.named([start, goal], normalised=True)
    first, last = (named.get(name) or nearest_entity(shelf, name) for name in (start, goal))
    found = FoundPaths((), False)
    if first is not None and last is not None:
        found = shortest_paths(shelf.graph, first, last, hops=hops, limit=limit)
    hops_of = [hop for path in found.paths for hop in path]
    rules = {hop.rule: shelf.graph.rule(hop.rule) for hop in hops_of if isinstance(hop, RuleHop)}
    there = set(map(place_of, rules.values()))
    ranked = rules_with_words(shelf, f"{start} {goal}").items()
    both = [placed for placed, rank in ranked if rank <= ALL_WORDS and place_of(placed) not in there]
    read = shelf.read_once()

    def unnamed(placed: PlacedRule) -> int:
        words = entity_key(rule_words(placed, read(placed.page)))
        return sum(entity_key(name) not in words for name in (start, goal))

    if not both and None in (first, last):
        raise no_entity(shelf, start if first is None else goal, "entity")
    facts = {hop.fact.id: hop.fact for hop in hops_of if isinstance(hop, Hop)}
    records = {record.id: dict(record) for record in with_statements(ShownFact, shelf, list(facts.values()))}
    shown = {(one.page, one.id): dict(one) for one in in_words(shelf, rules.values(), limit=len(rules))}

    def step(hop: Hop | RuleHop) -> PathFact | PathRule:
        if isinstance(hop, Hop):
            return PathFact(**records[hop.fact.id], forward=hop.forward)
        placed = rules[hop.rule]
        named = {key: role.name for role, key in reversed(list(roles_of(placed)))}  # the first of its roles
        ends = {"start": hop.start, "start_role": named[hop.start], "end": hop.end, "end_role": named[hop.end]}
        return PathRule(**shown[str(placed.page), placed.key] | ends)

    return shelf.at | {
        "from": first or start,
        "to": last or goal,
        "hops": hops,
        "cut": found.cut,
        "paths": [[step(hop) for hop in path] for path in found.paths],
        "together": in_words(shelf, both, _SHOWN, unnamed),
    }
