"""The graph as a person explores it: entities found by name, spelling or meaning, and what joins some of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, open_shelf, spelt_like, with_statements
from clausegraph.app.services.connections import PathRule, facts_around, find_paths
from clausegraph.app.services.explore import ListedEntity, facts_about, named_entities, overview
from clausegraph.app.services.records import NearFact, ShownRule, roles_of
from clausegraph.app.services.rules import in_words, is_about, near_rules
from clausegraph.app.workspace import Workspace
from clausegraph.core.language.normalise import content, entity_key, tokens
from clausegraph.core.ontology import UNTYPED
from clausegraph.core.types import LITERAL, Mention, PlacedRule, RuleKind, Support
from clausegraph.indexes.entities.proposals import Profile

ALL = "*"  # every relation, or every kind of rule, and nothing of the other
VALUE = "value"  # the type of what is no entity
_LOOKED_AT = 1000  # rules of the entities, of which those of a kind are taken
_EXAMPLES = 5  # facts and rules that say how pages write a name
_HOPS, _PATHS = 4, 5


class FoundEntity(Record):
    """An entity that a search found, and by what."""

    entity: str
    written: str = Field(description="As most pages write it.")
    statements: int
    rules: int
    by: Literal["name", "spelling", "meaning"]


class Explored(Record):
    """What is seen around entities, of a page, or between two entities."""

    corpus: str
    epoch: int
    around: list[str]
    facts: list[NearFact]
    rules: list[ShownRule]
    names: dict[str, str] = Field(description="How pages write each entity that is seen.")
    types: dict[str, str] = Field(description="What kind of thing it is.")
    relations: list[str] = Field(description="That the facts have before they are narrowed to one.")
    kinds: list[str] = Field(description="That the rules have before they are narrowed to one.")
    more: bool
    joined: list[str] = Field(description="The entities of the paths; empty where no path was asked for.")


def _add_names(
    found: dict[str, Profile], stated: Iterable[tuple[str, str, Support]], ruled: Iterable[PlacedRule]
) -> None:
    """Count how statements, each with its ends, and rules write entities, and what kinds of things these are."""
    for subject, object_, one in stated:
        for key, node in ((subject, one.statement.subject), (object_, one.statement.object)):
            if isinstance(node, Mention) and not key.startswith(LITERAL):
                found.setdefault(key, Profile(key)).add(node)
    for placed in ruled:
        for role, key in roles_of(placed):
            found.setdefault(key, Profile(key)).add(role.entity)


def _name(found: Mapping[str, Profile], key: str) -> str:
    """The most frequent name; one that is the entity's own goes before one made of it: "duty (Sales Tax)"."""
    names = found[key].surfaces if key in found else {key: 1}
    return min(names, key=lambda name: (entity_key(name) != key, "(" in name, -names[name], name))


def _type(found: Mapping[str, Profile], key: str) -> str:
    """The most frequent kind; what says nothing counts only where all say it."""
    types = found[key].types if key in found else {UNTYPED: 1}
    return min(types, key=lambda name: (name == UNTYPED, -types[name], name))


def find_entities(
    workspace: Workspace, corpus: str, text: str, *, limit: int, epoch: int | None = None
) -> list[FoundEntity]:
    """Entities for a text: those whose names share words with it, else are spelt like it; then those that what is near
    it in meaning is about."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    words = [word for word in tokens(text) if content(word)] or tokens(text)  # "in" says nothing of an entity
    by: dict[str, Literal["name", "spelling", "meaning"]] = {}
    by |= {hit.key: "name" for hit in shelf.graph.entities(words, limit)}
    if not by:
        near = [other for found in spelt_like(shelf, words).values() for other in found]
        by |= {hit.key: "spelling" for hit in shelf.graph.entities(near, limit)}
    about = [key for placed in near_rules(workspace, shelf, text) for key in placed.entities if is_about(placed, key)]
    about += [fact.subject for fact in facts_about(workspace, corpus, text, None, limit, shelf.epoch)]
    meant = [key for key, _ in Counter(about).most_common() if key not in by]
    by |= dict.fromkeys(meant[: max(0, limit - len(by))], "meaning")
    counted, written = named_entities(shelf, list(by)), _written(shelf, list(by))
    return [FoundEntity.of(one, written=written[key], by=by[key]) for key, one in counted.items()]


def largest(workspace: Workspace, corpus: str, epoch: int | None = None) -> list[tuple[ListedEntity, str]]:
    """The entities of which the most is stated and ruled, each with how pages write it."""
    found: list[ListedEntity] = overview(workspace, corpus, epoch)["largest"]
    written = _written(open_shelf(workspace.ledger, corpus, epoch), [one.entity for one in found])
    return [(one, written[one.entity]) for one in found]


def _written(shelf: Shelf, keys: Sequence[str]) -> dict[str, str]:
    """How pages write some entities, by a few of their statements and rules."""
    names: dict[str, Profile] = {}
    for key in keys:
        facts = {fact.id: fact for fact in shelf.graph.neighbourhood([key], hops=1, limit=_EXAMPLES)}
        ends = (
            (facts[one.fact_id].subject, facts[one.fact_id].object, one) for one in shelf.graph.supports(list(facts))
        )
        _add_names(names, ends, shelf.some_rules_of(key, _EXAMPLES))
    return {key: _name(names, key) for key in keys}


def explore(
    workspace: Workspace, corpus: str, names: Sequence[str], *, limit: int, relation: str = "", kind: str = "",
    type_: str = "", page: str | None = None, epoch: int | None = None,
) -> Explored:  # fmt: skip
    """The facts and rules around entities, or of a page, at most ``limit`` of each.

    Args:
        relation: of the facts; ``*`` is each of them. With a relation and no kind there are no rules.
        kind: of the rules, as ``relation``.
        type_: what an entity at the other end must be; ``value`` for amounts and dates.

    Raises:
        NotFoundError: there is no such entity, page or epoch.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    keys, facts, stated = facts_around(shelf, names, 1, _LOOKED_AT, None, page)
    stated = shelf.graph.supports([fact.id for fact in facts]) if stated is None else stated
    ruled = shelf.graph.rules_of(keys, _LOOKED_AT) if page is None else shelf.graph.rules_on(shelf.page(page)[0])
    if page is not None and keys:
        ruled = [placed for placed in ruled if set(keys) & set(placed.entities)]
    ends = {fact.id: (fact.subject, fact.object) for fact in facts}
    seen: dict[str, Profile] = {}
    _add_names(seen, ((*ends[one.fact_id], one) for one in stated), ruled)

    def fits(key: str) -> bool:
        kind_of = VALUE if key.startswith(LITERAL) else _type(seen, key)
        return not type_ or (key not in keys and kind_of == type_)

    shown = [fact for fact in facts if relation in ("", ALL, fact.relation) and any(map(fits, ends[fact.id]))]
    fitting = [
        placed
        for placed in ruled
        if kind in ("", ALL) or kind in placed.rule.kinds
        if any(map(fits, placed.entities)) or not type_
    ]
    shown = [] if kind and not relation else shown
    fitting = [] if relation and not kind else fitting
    listed = {fact.id for fact in shown[:limit]}
    near = with_statements(NearFact, shelf, shown[:limit], [one for one in stated if one.fact_id in listed])
    every = {key for pair in ends.values() for key in pair} | {key for placed in ruled for key in placed.entities}
    every = {key for key in every if not key.startswith(LITERAL)}.union(keys)
    return Explored(
        **shelf.at,
        around=keys,
        facts=near,
        rules=in_words(shelf, fitting, limit, lambda placed: not any(is_about(placed, key) for key in keys)),
        names={key: _name(seen, key) for key in sorted(every)},
        types={key: _type(seen, key) for key in sorted(every)},
        relations=sorted({fact.relation for fact in facts}),
        kinds=[one.value for one in RuleKind if any(one in placed.rule.kinds for placed in ruled)],
        more=max(len(shown), len(fitting)) > limit or max(len(facts), len(ruled)) >= _LOOKED_AT,
        joined=[],
    )


def explore_path(workspace: Workspace, corpus: str, start: str, goal: str, epoch: int | None = None) -> Explored:
    """The facts and rules of the shortest paths between two entities; where there is none, the rules that have the
    words of both; errors as of ``find_paths``."""
    found = find_paths(workspace, corpus, start, goal, hops=_HOPS, limit=_PATHS, epoch=epoch)
    hops = [hop for path in found["paths"] for hop in path]
    rules = {(one.page, one.id): one for one in hops if isinstance(one, PathRule)}
    facts = {one.id: one for one in hops if not isinstance(one, PathRule)}
    ends = {found["from"], found["to"]}
    joined = ends.union(*({one.start, one.end} for one in rules.values()))
    joined |= {end for one in facts.values() for end in (one.subject, one.object)}
    shelf = open_shelf(workspace.ledger, corpus, found["epoch"])
    ruled = [ShownRule.of(one) for one in rules.values()] or found["together"]
    written = {role.entity: role.written for one in ruled for role in one.roles} | _written(shelf, sorted(joined))
    return Explored(
        **shelf.at,
        around=[found["from"], found["to"]],
        facts=[NearFact.of(one, hop=1) for one in facts.values()],
        rules=ruled,
        names=dict(sorted(written.items())),
        types={},
        relations=[],
        kinds=[],
        more=found["cut"],
        joined=sorted(joined) if hops else [],
    )
