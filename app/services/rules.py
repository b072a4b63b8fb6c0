"""What the pages rule about a topic: found by entity or page, narrowed by kind and by whom a rule names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, entity_of, no_entity, open_shelf, spelt_like
from clausegraph.app.services.records import ShownRule, in_page_order, roles_of, shown_rules
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.language.normalise import content, entity_key
from clausegraph.core.types import PageKey, PlacedRule, RoleName, RuleKind

EVERY_RULE = 1_000_000  # of an entity
_LOOKED_AT = 50  # entities that share words with a topic
_NAMED = 8  # entities named in a message
_SHOWN = 3  # rules of a kind, in the view of an entity


class RulesReply(Record):
    """The rules of a topic that were asked for."""

    corpus: str
    epoch: int
    topic: str
    entity: str | None = Field(description="That the topic was taken for; null where it is a page.")
    of_page: str | None
    taken: str = Field(description="Says which entity was taken, where the topic is none's name; else empty.")
    every: int = Field(description="How many rules the topic has.")
    kinds: dict[str, int] = Field(description="Of how many of them each kind is one.")
    found: int = Field(description="How many are of the kind and name whom was asked for.")
    more: bool
    note: str = Field(description="Where none fits: what there is instead; else empty.")
    rules: list[ShownRule]


class RulesOfKind(Record):
    """How many rules of an entity have a kind as their main one, and the first few."""

    kind: str
    count: int
    rules: list[ShownRule]


def find_rules(
    workspace: Workspace,
    corpus: str,
    topic: str,
    *,
    kind: str | None = None,
    role: str | None = None,
    limit: int = 50,
    epoch: int | None = None,
) -> RulesReply:
    """The rules of a topic: those about it first, by page and in its order, then those that name it otherwise.

    Args:
        topic: an entity by any name, near name or part of its name; else a page's title or uri.
        kind: one of ``RuleKind``; rules of which it is the main kind come first.
        role: a person or body that the rule must name, too: "tenant".

    Raises:
        InputError: there is no such kind.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    wanted = None if kind is None else kind_named(kind)
    of = _topic(shelf, topic)
    kinds = Counter(one.value for placed in of.rules for one in placed.rule.kinds)
    fitting = [placed for placed in of.rules if wanted is None or wanted in placed.rule.kinds]
    named = fitting if role is None else [placed for placed in fitting if _names(placed, role, of.entity)]

    def rank(placed: PlacedRule) -> tuple[bool, bool]:
        other_role = of.entity is not None and not is_about(placed, of.entity)
        return other_role, wanted not in (None, placed.rule.kind)

    note = ""
    if not fitting:
        note = f"no {wanted} among its rules; there are: {_listed(kinds)}"
    elif not named:
        others = Counter(name for placed in fitting for name in placed.entities if name != of.entity)
        note = f"none of these rules names {role!r}; they name: {', '.join(_most(others)) or 'nobody else'}"
    return RulesReply(
        **shelf.at,
        topic=topic,
        entity=of.entity,
        of_page=None if of.page is None else str(of.page),
        taken=of.taken,
        every=len(of.rules),
        kinds=dict(kinds.most_common()),
        found=len(named),
        more=len(named) > limit,
        note=note,
        rules=in_words(shelf, named, limit, rank),
    )


def entity_rules(workspace: Workspace, corpus: str, name: str, epoch: int | None = None) -> list[RulesOfKind]:
    """The rules of an entity by kind, the first few of each."""
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    key = entity_of(shelf, name)
    return rules_by_kind(shelf, key, shelf.graph.rules_of([key], EVERY_RULE))


def by_place(rules: Iterable[ShownRule]) -> list[list[list[ShownRule]]]:
    """Rules by page, and those of a page by section, in the order of the first of each."""
    pages: dict[str, dict[str, list[ShownRule]]] = {}
    for one in rules:
        pages.setdefault(one.page, {}).setdefault(one.section, []).append(one)
    return [list(sections.values()) for sections in pages.values()]


def kind_named(kind: str) -> RuleKind:
    """The kind of that name; its plural and a word of it will do.

    Raises:
        InputError: there is none.
    """
    said = entity_key(kind)
    found = [one for one in RuleKind if said == one or said in one.split()]
    if not found:
        raise InputError(f"no kind of rules {kind[:80]!r}; there are: {', '.join(RuleKind)}")
    return found[0]


def rules_by_kind(shelf: Shelf, entity: str, rules: Iterable[PlacedRule]) -> list[RulesOfKind]:
    """The rules of an entity by their main kind, the most frequent first."""
    by_kind: dict[RuleKind, list[PlacedRule]] = {}
    for placed in rules:
        by_kind.setdefault(placed.rule.kind, []).append(placed)
    return [
        RulesOfKind(
            kind=kind, count=len(placed), rules=in_words(shelf, placed, _SHOWN, lambda one: not is_about(one, entity))
        )
        for kind, placed in sorted(by_kind.items(), key=lambda item: (-len(item[1]), item[0]))
    ]


def in_words(
    shelf: Shelf, rules: Iterable[PlacedRule], limit: int, rank: Callable[[PlacedRule], Any] = lambda _: 0
) -> list[ShownRule]:
    """The first rules in words, by rank, page, and place on it; of the pages no more is read than is shown."""

    def order(placed: PlacedRule) -> tuple[Any, PageKey]:
        return rank(placed), placed.page

    found: list[ShownRule] = []
    read = shelf.read_once()
    for (_, page), group in groupby(sorted(rules, key=order), key=order):
        if len(found) >= limit:
            break
        first = in_page_order(group, read(page))[: limit - len(found)]
        linked = shelf.graph.rules_on(page) if any(one.rule.links for one in first) else ()
        found += shown_rules(first, read(page), linked)
    return found


def is_about(placed: PlacedRule, entity: str) -> bool:
    """Whether a rule is one of that benefit, permit or scheme."""
    return any(role.name is RoleName.ABOUT and key == entity for role, key in roles_of(placed))


def _names(placed: PlacedRule, who: str, but: str | None) -> bool:
    """Whether a rule names somebody beside an entity: "applicant" is named by "study grant applicant", too."""
    wanted = entity_key(who)
    return any(
        key != but and (_within(wanted, key) or _within(wanted, role.entity.key)) for role, key in roles_of(placed)
    )


def _within(words: str, others: str) -> bool:
    """Whether words follow each other in others."""
    return f" {words} " in f" {others} "


@dataclass(frozen=True, slots=True)
class _Topic:
    """What a topic was taken for, and all its rules."""

    rules: list[PlacedRule]
    entity: str | None = None
    page: PageKey | None = None
    taken: str = ""


def _topic(shelf: Shelf, topic: str) -> _Topic:
    key = shelf.graph.named([topic], normalised=True).get(topic)
    if key is not None and (found := shelf.graph.rules_of([key], EVERY_RULE)):
        return _Topic(found, key)
    page = shelf.find_page(topic)
    if page is not None and (found := shelf.graph.rules_on(page[0])):
        return _Topic(found, page=page[0])
    if key is not None or page is not None:
        what = f"entity {key!r}" if page is None else f"page {str(page[0])!r}"
        said = "`clausegraph facts` lists what is stated of it"
        raise NotFoundError(f"{what} has no rules in epoch {shelf.epoch} of corpus {shelf.corpus.name!r}; {said}")
    words = entity_key(topic).split()
    near = {word: found[:1] or [word] for word, found in spelt_like(shelf, words).items()}
    corrected = [near[word][0] for word in words]
    best = _best(shelf, words) or (_best(shelf, corrected) if corrected != words else None)
    if best is None:
        raise no_entity(shelf, topic, "entity or page with rules")
    return _Topic(shelf.graph.rules_of([best], EVERY_RULE), best, taken=f"{topic!r} was taken for {best!r}")


def _best(shelf: Shelf, words: Sequence[str]) -> str | None:
    """The entity with rules that is clearly nearest to these words; what rules are about goes before whom they name.

    First the one whose name has all the words, in their order, and is part of every other such name; then the longest
    name among the words, or what rules are about that shares more than half of them.
    """
    hits = [hit.key for hit in shelf.graph.entities(list(words), _LOOKED_AT)]
    rules = shelf.graph.rules_of(hits, EVERY_RULE)
    ruled = {key for placed in rules for key in placed.entities}
    said, other_names = " ".join(words), shelf.graph.names()
    names = {key: [key, *(name for name, of in other_names.items() if of == key)] for key in hits if key in ruled}
    about = [key for key in names if any(is_about(placed, key) for placed in rules)]
    for keys in (about, [key for key in names if key not in about]):
        larger = [key for key in keys if any(_within(said, name) for name in names[key])]
        smallest = [key for key in larger if all(_within(key, other) for other in larger)]
        if larger:
            return smallest[0] if smallest else None
    meant = content(said)
    shared = {key: max(len(meant & content(name)) for name in names[key]) for key in about}
    majority = {key: count for key, count in shared.items() if 2 * count > len(meant)}
    smaller = {key: max((len(name.split()) for name in names[key] if _within(name, said)), default=0) for key in names}
    return _only_best({key: smaller[key] for key in about}) or _only_best(majority) or _only_best(smaller)


def _only_best(scores: dict[str, int]) -> str | None:
    """The key with the highest score above zero, where no other has it."""
    most = max(scores.values(), default=0)
    best = [key for key, score in scores.items() if score == most and most]
    return best[0] if len(best) == 1 else None


def _listed(kinds: Counter[str]) -> str:
    return ", ".join(f"{kind} ({count})" for kind, count in kinds.most_common())


def _most(names: Counter[str]) -> list[str]:
    return [name for name, _ in names.most_common(_NAMED)]
