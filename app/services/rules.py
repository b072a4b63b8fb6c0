"""What the pages rule about a topic: by entity, page or words, narrowed by kind and by whom a rule names."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.browse import Shelf, no_entity, open_shelf, spelt_like
from clausegraph.app.services.records import ShownRule, in_page_order, roles_of, rule_words, shown_rules
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.language.normalise import content, entity_key
from clausegraph.core.types import Modality, PageKey, PlacedRule, RoleName, RuleKind
from clausegraph.indexes.lexical import StoredWords, search_words

EVERY_RULE = 1_000_000  # of an entity
_LOOKED_AT = 50  # entities, or chunks of pages, that share words with a topic
_ENOUGH = 0.75  # of the weight of a topic's words, which a rule found by words has, with its headings
ALL_WORDS = 1  # the last rank of rules that have all words of a topic
_REST = 4  # the rank of rules that have the words of the entity alone
_FEW = 3  # rules with all words; where there are fewer, the nearest in meaning are found, too
# Below it nothing is about a text. Sixty texts on the sample corpus, by MiniLM: for the 32 that have nothing to do with
# it the nearest fact has at most 0.37, for 24 of the others 0.46 and more; that of the 4 left (0.22 to 0.40) is not
# about the text either. Models whose cosines all lie higher (BGE) leave less out.
NEAR_ENOUGH = 0.4
_NAMED = 8  # entities named in a message
_VALUES = {RuleKind.AMOUNT: {"amount", "percent"}, RuleKind.DEADLINE: {"date", "duration"}}  # that have a kind's value
_SHOWN = 3  # rules of a kind, in the view of an entity


class RulesReply(Record):
    """The rules of a topic that were asked for."""

    corpus: str
    epoch: int
    topic: str
    entity: str | None = Field(description="That the topic was taken for; null where it is a page, or words.")
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
        topic: an entity by any name, near name or part of its name; a page's title or uri; else words of rules and of
            the headings they stand under, or what they mean.
        kind: one of ``RuleKind``; rules of which it is the main kind come first, those that only have a value of that
            kind or deny something come last.
        role: a person or body that the rule must name, too: "tenant".

    Raises:
        InputError: there is no such kind.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    wanted = None if kind is None else kind_named(kind)
    of = _topic(workspace, shelf, topic)
    kinds = Counter(one.value for placed in of.rules for one in placed.rule.kinds)
    fitting = [placed for placed in of.rules if wanted is None or _kind_rank(placed, wanted) is not None]
    named = fitting if role is None else list(_naming(shelf, fitting, role, of.entity))

    def rank(placed: PlacedRule) -> tuple[Any, ...]:
        other_role = of.entity is not None and not is_about(placed, of.entity)
        return other_role, of.rank.get(place_of(placed), 0), wanted and _kind_rank(placed, wanted)

    note = ""
    if not fitting:
        there = (f"{name} ({count})" for name, count in kinds.most_common())
        note = f"no {wanted} among its rules; there are: {', '.join(there)}"
    elif not named:
        others = Counter(name for placed in fitting for name in placed.entities if name != of.entity)
        most = ", ".join(name for name, _ in others.most_common(_NAMED))
        note = f"none of these rules names {role!r}; they name: {most or 'nobody else'}"
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
        found += shown_rules(first, read(page), shelf.graph.rules_on(page))
    return found


def is_about(placed: PlacedRule, entity: str) -> bool:
    """Whether a rule is one of that benefit, permit or scheme."""
    return any(role.name is RoleName.ABOUT and key == entity for role, key in roles_of(placed))


def _naming(shelf: Shelf, rules: Iterable[PlacedRule], who: str, but: str | None) -> Iterator[PlacedRule]:
    """The rules that name somebody beside an entity, by role or in their words: "applicant" is named by "study grant
    applicant", too."""
    wanted, read = entity_key(who), shelf.read_once()
    for placed in rules:
        others = (name for role, key in roles_of(placed) if key != but for name in (key, role.entity.key))
        if any(_within(wanted, name) for name in (*others, entity_key(rule_words(placed, read(placed.page))))):
            yield placed


def _within(words: str, others: str) -> bool:
    """Whether words follow each other in others."""
    return f" {words} " in f" {others} "


def place_of(placed: PlacedRule) -> tuple[PageKey, str]:
    """What no other rule of the epoch has."""
    return placed.page, placed.key


def _kind_rank(placed: PlacedRule, kind: RuleKind) -> int | None:
    """0 where it is the main kind of a rule, 1 where it is another one, 2 where its values or its denial say so."""
    rule = placed.rule
    if kind in rule.kinds:
        return int(kind is not rule.kind)
    values = {value.kind for value in rule.values}
    denied = kind in (RuleKind.EXCLUSION, RuleKind.PROHIBITION) and (
        rule.modality is Modality.CANNOT or not rule.polarity
    )
    return 2 if denied or values & _VALUES.get(kind, frozenset()) else None


@dataclass(frozen=True, slots=True)
class _Topic:
    """What a topic was taken for, and all its rules; ``rank`` of those found by words."""

    rules: list[PlacedRule]
    entity: str | None = None
    page: PageKey | None = None
    taken: str = ""
    rank: dict[tuple[PageKey, str], int] = field(default_factory=dict)


def _topic(workspace: Workspace, shelf: Shelf, topic: str) -> _Topic:
    key = shelf.graph.named([topic], normalised=True).get(topic)
    if key is not None and (found := _of_entity(shelf, key)):
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
    ranked = {} if (best := nearest_entity(shelf, topic)) else near_rules(workspace, shelf, topic)
    best = best or _best(shelf, words)
    whole = min(ranked.values(), default=_REST) <= ALL_WORDS
    if ranked and (best is None or whole):
        said = "these rules have its words" if whole else "these rules are near it"
        if best is not None:
            said += f", and then those of {best!r} follow"
            ranked = dict.fromkeys(shelf.graph.rules_of([best], EVERY_RULE), _REST) | ranked
        rank = {place_of(placed): number for placed, number in ranked.items()}
        return _Topic(list(ranked), taken=f"no entity is called {topic!r}; {said}", rank=rank)
    best = best or (_best(shelf, corrected) if corrected != words else None)
    if best is None:
        raise no_entity(shelf, topic, "entity, page or rule about")
    return _Topic(_of_entity(shelf, best), best, taken=f"{topic!r} was taken for {best!r}")


def nearest_entity(shelf: Shelf, text: str) -> str | None:
    """The entity with rules that is clearly nearest to a text, where its name has all words of it."""
    best = _best(shelf, entity_key(text).split())
    names = () if best is None else (best, *shelf.names_of(best))
    return best if any(content(text) <= content(name) for name in names) else None


def _of_entity(shelf: Shelf, key: str) -> list[PlacedRule]:
    """The rules in which an entity has a role, and those whose words name it besides, as an item of a list may."""
    rules = shelf.graph.rules_of([key], EVERY_RULE)
    there = set(map(place_of, rules))
    for name in (key, *shelf.names_of(key)):
        for placed, text, _ in _with_words(shelf, name):
            if place_of(placed) not in there and _within(name, entity_key(text)):
                there.add(place_of(placed))
                rules.append(placed)
    return rules


def near_rules(workspace: Workspace, shelf: Shelf, topic: str) -> dict[PlacedRule, int]:
    """Rules that say something of a topic, as of :func:`rules_with_words`; where few have its words, 3 those nearest in
    meaning."""
    ranked = rules_with_words(shelf, topic)
    if sum(rank <= ALL_WORDS for rank in ranked.values()) >= _FEW:
        return ranked
    with workspace.view(shelf.corpus.name, epoch=shelf.epoch) as view:
        hits = view.search("element", workspace.embedder.embed_query(topic), _NAMED)
    for hit in hits:
        if hit.score >= NEAR_ENOUGH and hit.page is not None:
            for placed in shelf.graph.rules_on(hit.page):
                if placed.rule.spans[0].anchor == hit.ref:
                    ranked.setdefault(placed, 3)
    return ranked


def rules_with_words(shelf: Shelf, topic: str) -> dict[PlacedRule, int]:
    """Rules that have the words of a topic: 0 where they have all, 1 with their headings, 2 where they have most."""
    wanted = content(topic)
    if not wanted:  # "how much do I get" names nothing
        return {}
    found = [
        (placed, wanted & content(text), wanted & content(above)) for placed, text, above in _with_words(shelf, topic)
    ]
    having = Counter(word for _, own, above in found for word in own | above)
    weight = {word: math.log(1 + (len(found) + 1) / (1 + having[word])) for word in wanted}
    ranked: dict[PlacedRule, int] = {}
    for placed, own, above in found:
        share = sum(weight[word] for word in own | above) / sum(weight.values())
        if own and share >= _ENOUGH:
            ranked[placed] = 0 if own == wanted else 1 if own | above == wanted else 2
    return ranked


def _with_words(shelf: Shelf, text: str) -> Iterator[tuple[PlacedRule, str, str]]:
    """The rules of the chunks that have words of a text, each with its own words and with its headings."""
    hits = search_words(StoredWords(shelf.ledger, shelf.corpus.id, shelf.epoch), text, _LOOKED_AT)
    read, best = shelf.read_once(), dict.fromkeys(hit.page for hit in hits)
    found = shelf.rules_of_chunks({(hit.page, hit.ref) for hit in hits})
    for placed in sorted(found, key=lambda one: list(best).index(one.page)):
        reading = read(placed.page)
        element = reading.element(placed.rule.spans[0].anchor)
        headings = element.headings if element is not None else ()
        yield placed, rule_words(placed, reading), " ".join((reading.title, *headings))


def _best(shelf: Shelf, words: Sequence[str]) -> str | None:
    """The entity with rules that is clearly nearest to these words; what rules are about goes before whom they name.

    First the one whose name has all the words, in their order, and is part of every other such name; then the longest
    name among the words, or what rules are about that shares more than half of them.
    """
    hits = [hit.key for hit in shelf.graph.entities(list(words), _LOOKED_AT)]
    ruled = shelf.roles_among(hits)
    said, other_names = " ".join(words), shelf.graph.names()
    names = {key: [key, *(name for name, of in other_names.items() if of == key)] for key in hits if key in ruled}
    about = [key for key in names if RoleName.ABOUT in ruled[key]]
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
