"""What differs between the rules of a page and those it had before: which are new, gone or changed, and in what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.records import ShownRule
from clausegraph.core.language.normalise import common_share, content, normalise_text, tokens
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.language.rewording import (
    ALIKE,
    CONDITION,
    EXCEPTION,
    OPENING,
    condition_form,
    forces_of,
    insertion,
    leaf_key,
)
from clausegraph.core.language.wording import condition_words
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Literal, Modality, Not, Rule, RuleLinkName

NEW, GONE, CHANGED, REWORDED = "new", "gone", "changed", "reworded"
VALUE, DATE, MODALITY, NAMED = "value", "date", "modality", "named"
_OF = RuleLinkName.EXCEPTION_OF
_NEARER = 0.2  # as many more common words, where both stand under the same headings
Parts = dict[tuple[object, ...], str]  # what makes a part of a rule the same as another one: its words


class RuleDifference(Record):
    """One thing in which two versions of a rule differ."""

    what: str = Field(description="value, date, condition, exception, modality, named or words.")
    old: str = Field(description="What only the old one has, in words; empty where that is nothing.")
    new: str


class ChangedRule(Record):
    """A rule that is new, gone or changed, or reworded: it rules the same in other words."""

    kind: str
    page: str
    differences: list[RuleDifference]
    old: ShownRule | None
    new: ShownRule | None
    by_model: bool = Field(default=False, description="A language model says that it is only reworded.")


@dataclass(frozen=True)
class ComparedRule:
    """A rule of one of two versions of a page.

    ``own`` are the words of its first span, ``listed`` those of its list and lead-in elsewhere.
    """

    rule: Rule
    shown: ShownRule
    own: str
    listed: str

    @cached_property
    def parts(self) -> dict[str, Parts]:
        """What it rules, by aspect."""
        shown, rule = self.shown, self.rule
        values: Parts = {_value_key(one): one.value for one in rule.values}
        dates = {key: words for key, words in values.items() if key[1] == "date"}
        limits: Parts = {
            (name, day): f"{name} {day}"
            for name, day in (("from", rule.effective_from), ("until", rule.effective_to))
            if day is not None
        }
        conditions, exceptions = _leaves(rule.condition)
        denied = not rule.polarity and rule.modality not in (Modality.CANNOT, Modality.NEED_NOT)
        narrowed = "; ".join(one.words for one in shown.links if one.link == _OF)
        return {
            VALUE: {key: words for key, words in values.items() if key not in dates},
            DATE: dates | limits,
            CONDITION: conditions,
            EXCEPTION: exceptions | ({(_OF,): f"of: {narrowed}"} if narrowed else {}),
            MODALITY: {_modality_key(rule.modality, denied): f"{rule.modality}, denied" if denied else rule.modality},
            NAMED: {(role.entity.key,): role.entity.written or role.entity.surface for role in rule.roles},
        }

    @cached_property
    def forces(self) -> set[str]:
        """What its own words do: demand, allow, advise or deny."""
        return forces_of(self.own)

    @cached_property
    def words(self) -> frozenset[str]:
        """The stems that its own words are compared by."""
        return content(self.own)


def compare_rules(page: str, old: Sequence[ComparedRule], new: Sequence[ComparedRule]) -> Iterator[ChangedRule]:
    """The rules of a page that are not in both versions, in the order of the new one, those that are gone last."""
    pairs = _pairs(old, new)
    for number, now in enumerate(new):
        if number not in pairs:
            yield ChangedRule(kind=NEW, page=page, differences=[], old=None, new=now.shown)
            continue
        was = old[pairs[number]]
        differences = list(_differences(was, now))
        if differences or was.shown.words != now.shown.words:
            kind = CHANGED if differences else REWORDED
            yield ChangedRule(kind=kind, page=page, differences=differences, old=was.shown, new=now.shown)
    paired = set(pairs.values())
    for was in (one for number, one in enumerate(old) if number not in paired):
        yield ChangedRule(kind=GONE, page=page, differences=[], old=was.shown, new=None)


def _is_same(was: ComparedRule, now: ComparedRule) -> bool:
    return was.shown.words == now.shown.words and next(_differences(was, now), None) is None


def _differences(was: ComparedRule, now: ComparedRule) -> Iterator[RuleDifference]:
    told = False
    for what, before in was.parts.items():
        after = now.parts[what]
        old = {key: words for key, words in before.items() if key not in after}
        new = {key: words for key, words in after.items() if key not in before}
        if what == EXCEPTION and was.rule.polarity != now.rule.polarity:  # what is denied narrows what is granted
            old, new = ({key: words for key, words in side.items() if key != (_OF,)} for side in (old, new))
        if what == NAMED:  # a sentence in the passive names fewer, and "you" and "we" in other parts
            old = {key: words for key, words in old.items() if not content(words) <= now.words}
            new = {key: words for key, words in new.items() if not content(words) <= was.words}
            if not old or not new:
                continue
        if what == MODALITY and was.forces == now.forces:
            continue  # of a sentence that says two things the other was taken
        if old or new:
            told = True
            yield RuleDifference(what=what, old="; ".join(old.values()), new="; ".join(new.values()))
    if not told:
        yield from _untyped(was, now)


def _untyped(was: ComparedRule, now: ComparedRule) -> Iterator[RuleDifference]:
    """What differs though its leaves, values and roles do not: "and" for "or", a number that no value has."""
    if condition_form(was.rule.condition) != condition_form(now.rule.condition):
        old, new = (condition_words(one.rule.condition) for one in (was, now))
        yield RuleDifference(what=CONDITION, old=old, new=new)
    words = (tokens(f"{one.own} {one.listed}") for one in (was, now))
    numbers = [Counter(word for word in found if any(map(str.isdigit, word))) for found in words]
    if numbers[0] != numbers[1]:
        old, new = ("; ".join((side - other).elements()) for side, other in (numbers, reversed(numbers)))
        before = takewhile(lambda word: word not in numbers[0] - numbers[1], tokens(was.shown.words))
        yield RuleDifference(what=CONDITION if OPENING & set(before) else VALUE, old=old, new=new)
    else:
        texts = (f"{one.own} {one.listed}" for one in (was, now))
        found = insertion(*texts, joined=was.words != now.words)
        yield from () if found is None else [RuleDifference(what=found[0], old=found[1], new=found[2])]


def _value_key(value: Literal) -> tuple[object, ...]:
    """What a value says: "no more than 20 days" is "up to 20 days"; of a duration it is "20 days" and "within" too."""
    found = None if value.kind == "date" else next(find_quantities(value.value), None)
    if found is None:
        return ("value", value.kind, normalise_text(value.value).lower())
    low = None if found.kind == "duration" and found.exact else found.low
    return ("value", found.kind, low, found.high, found.unit, found.period, found.low_included, found.high_included)


def _modality_key(modality: Modality, denied: bool) -> tuple[object, ...]:
    """What a rule does: what may not be done cannot be done."""
    if denied and modality in (Modality.MAY, Modality.CAN):
        return (Modality.CANNOT, False)
    return (modality, denied)


def _pairs(old: Sequence[ComparedRule], new: Sequence[ComparedRule]) -> dict[int, int]:
    """By the number of a new rule that of the old one that it was: those that are the same, then the most alike."""
    ranked = sorted(
        (-alike, abs(i - j), i, j) for i, was in enumerate(old) for j, now in enumerate(new)
        if (alike := _alikeness(was, now))
    )  # fmt: skip
    pairs, taken = dict[int, int](), set[int]()
    for _, _, i, j in ranked:
        if j not in pairs and i not in taken:
            pairs[j] = i
            taken.add(i)
    return pairs


def _alikeness(was: ComparedRule, now: ComparedRule) -> float:
    """From 0, for what has too few common words, to 3 for the same rule."""
    if was.shown.anchor == now.shown.anchor and _is_same(was, now):
        return 3
    share = common_share(was.words, now.words)
    if share < ALIKE and was.own != now.own:
        within = was.words <= now.words or now.words <= was.words
        if not within or was.shown.section != now.shown.section or not was.words or not now.words:
            return 0
    nearer = (was.shown.section == now.shown.section) + (was.rule.kind is now.rule.kind)
    return share + _NEARER * nearer + (was.shown.anchor == now.shown.anchor)


def _leaves(condition: Condition | None) -> tuple[Parts, Parts]:
    """The leaves of a condition in words: those that have to hold, and those that must not."""
    found: tuple[Parts, Parts] = ({}, {})

    def walk(tree: Condition, denied: int) -> None:
        match tree:
            case Not(child):
                walk(child, 1 - denied)
            case All(children) | AnyOf(children):
                for child in children:
                    walk(child, denied)
            case Leaf():
                found[denied][leaf_key(tree),] = condition_words(tree)

    if condition is not None:
        walk(condition, 0)
    return found
