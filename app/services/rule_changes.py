"""What differs between the rules of a page and those it had before: which are new, gone or changed, and in what."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import takewhile

from pydantic import Field

from clausegraph.app.services import Record
from clausegraph.app.services.page_edits import Edit
from clausegraph.app.services.records import ShownRule
from clausegraph.core.language.normalise import common_share, content, normalise_text, tokens
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.language.rewording import (
    ALIKE,
    CONDITION,
    DATE,
    EXCEPTION,
    MODALITY,
    OPENING,
    VALUE,
    WORDS,
    changed_figure,
    condition_form,
    edit_kind,
    figures,
    forces_of,
    insertion,
    leaf_key,
    same_figures,
    swapped,
)
from clausegraph.core.language.wording import condition_words
from clausegraph.core.types import All, AnyOf, Condition, Leaf, Literal, Modality, Not, Rule, RuleLinkName

NEW, GONE, CHANGED, REWRITTEN, REWORDED = "new", "gone", "changed", "rewritten", "reworded"
NAMED = "named"
_OF = RuleLinkName.EXCEPTION_OF
_NEARER = 0.2  # as many more common words, where both stand under the same headings
Parts = dict[tuple[object, ...], str]  # what makes a part of a rule the same as another one: its words


class RuleDifference(Record):
    """One thing in which two versions of a rule differ."""

    what: str = Field(description="value, date, condition, exception, modality, named or words.")
    old: str = Field(description="What only the old one has, in words; empty where that is nothing.")
    new: str


class ChangedRule(Record):
    """A rule that is new, gone or changed; reworded: it rules the same in other words; or rewritten.

    Of one that is rewritten the words differ and no figure does, nor any other thing that can be named: whether it
    rules the same, only who reads both can tell.
    """

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
        values: Parts = {
            _value_key(one): one.value for one in rule.values if one.kind != "duration" or figures(one.value)
        }  # none in "any calendar year"
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


def compare_rules(
    page: str, old: Sequence[ComparedRule], new: Sequence[ComparedRule], edits: Sequence[Edit] = ()
) -> list[ChangedRule]:
    """The rules of a page that are not in both versions, in the order of the new one, those that are gone last.

    Args:
        edits: the sentences that came in place of others, where the page has both versions.
    """
    pairs = _pairs(old, new)
    both = [(old[pairs[number]] if number in pairs else None, now) for number, now in enumerate(new)]
    gone = [(was, None) for number, was in enumerate(old) if number not in pairs.values()]
    alike, told, changed = [one for one in edits if one.alike], set[Edit](), list[ChangedRule | None]()
    for was, now in [*both, *gone]:
        edit = _edit_of(was, now, alike)
        if edit is None:
            changed.append(_change(page, was, now))
        elif was is None or now is None:
            if edit not in told:
                other = was or next((one for one, _ in gone if edit.holds(one.own, None)), None)
                changed.append(_of_one_version(page, other, now, edit))
            told.add(edit)
        elif edit.rewritten or _reads_otherwise(was, now):
            changed.append(_rewritten(page, was, now, edit))
            told.add(edit)
        else:
            changed.append(_change(page, was, now))
    return [one for one in changed if one is not None]


def _reads_otherwise(was: ComparedRule, now: ComparedRule) -> bool:
    """Whether only what it demands or allows reads otherwise, in other words."""
    other = was.words - now.words and now.words - was.words
    return bool(other) and {one.what for one in _differences(was, now)} == {MODALITY}


def _edit_of(was: ComparedRule | None, now: ComparedRule | None, edits: Sequence[Edit]) -> Edit | None:
    """The edit in which a rule lies; where its own words are the same, the one of what it stands under."""
    if was is None or now is None or was.own != now.own:
        said = [None if one is None else one.own for one in (was, now)]
        return next((one for one in edits if one.holds(*said)), None)
    differences = list(_differences(was, now))
    above = (one for one in edits if all(one.is_above(each.old, each.new, was.own) for each in differences))
    return next(above, None) if differences else None


def _change(page: str, was: ComparedRule | None, now: ComparedRule | None) -> ChangedRule | None:
    """What became of a rule, None where nothing did."""
    if was is not None and now is not None:
        differences = list(_differences(was, now))
        if not differences and was.shown.words == now.shown.words:
            return None
        if not differences and (words := swapped(was.own, now.own)):
            difference = RuleDifference(what=WORDS, old=words[0], new=words[1])
            return _changed(page, REWRITTEN, was, now, [difference])
        return _changed(page, CHANGED if differences else REWORDED, was, now, differences)
    return _changed(page, NEW if was is None else GONE, was, now)


def _of_one_version(page: str, was: ComparedRule | None, now: ComparedRule | None, edit: Edit) -> ChangedRule:
    """What became of sentences about the same of which only one version has a rule, or each a rule of its own."""
    anew = edit.rewritten and same_figures(edit.old, edit.new)
    what = WORDS if anew else edit_kind(edit.old, edit.new)
    difference = RuleDifference(what=what, old=edit.old, new=edit.new)
    return _changed(page, REWRITTEN if anew else CHANGED, was, now, [difference])


def _rewritten(page: str, was: ComparedRule, now: ComparedRule, edit: Edit) -> ChangedRule | None:
    """What became of a rule in other words.

    Of what is read of it only figures count, and conditions of which the other version says nothing: in other words
    the same condition looks like another one, and the same duty like none.
    """
    differences = list(_differences(was, now))
    if not differences:
        return _change(page, was, now)
    same = same_figures(edit.old, edit.new)
    kept = [
        one
        for one in differences
        if (one.what in (VALUE, DATE) and not same)
        or (one.what in (CONDITION, EXCEPTION) and was.own != now.own and edit.lacks(one.old, one.new))
    ]
    return _changed(page, CHANGED if kept else REWRITTEN, was, now, kept)


def _changed(
    page: str, kind: str, was: ComparedRule | None, now: ComparedRule | None, differences: Sequence[RuleDifference] = ()
) -> ChangedRule:
    shown = (None if one is None else one.shown for one in (was, now))
    return ChangedRule(page=page, kind=kind, differences=list(differences), old=next(shown), new=next(shown))


def _is_same(was: ComparedRule, now: ComparedRule) -> bool:
    return was.shown.words == now.shown.words and next(_differences(was, now), None) is None


def _differences(was: ComparedRule, now: ComparedRule) -> Iterator[RuleDifference]:
    told = False
    for what, before in was.parts.items():
        after = now.parts[what]
        old = {key: words for key, words in before.items() if key not in after}
        new = {key: words for key, words in after.items() if key not in before}
        if what == EXCEPTION and (was.own != now.own or was.rule.polarity != now.rule.polarity):
            # in other words it may be no exception, and what is denied narrows what is granted
            old, new = ({key: words for key, words in side.items() if key != (_OF,)} for side in (old, new))
        if what == NAMED:  # a sentence in the passive names fewer, and "you" and "we" in other parts
            old = {key: words for key, words in old.items() if not content(words) <= now.words}
            new = {key: words for key, words in new.items() if not content(words) <= was.words}
            if not old or not new:
                continue
        if what in (CONDITION, EXCEPTION):
            for kind, here, there in _changed_figures(old, new):
                told = True
                yield RuleDifference(what=kind, old=old.pop(here), new=new.pop(there))
        if what == MODALITY and was.forces == now.forces:
            continue  # of a sentence that says two things the other was taken
        if old or new:
            told = True
            yield RuleDifference(what=what, old="; ".join(old.values()), new="; ".join(new.values()))
    if not told:
        yield from _untyped(was, now)


def _changed_figures(old: Parts, new: Parts) -> list[tuple[str, tuple[object, ...], tuple[object, ...]]]:
    """Conditions of which only a figure differs: what it is, and the old and the new one."""
    left, found = dict(new), []
    for here, words in old.items():
        there = next(((what, key) for key, other in left.items() if (what := changed_figure(words, other))), None)
        if there is not None:
            del left[there[1]]
            found.append((there[0], here, there[1]))
    return found


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
        otherwise = CONDITION if OPENING & set(before) else VALUE
        yield RuleDifference(what=changed_figure(was.shown.words, now.shown.words) or otherwise, old=old, new=new)
    else:
        both = was.listed and now.listed  # else the heading of one was read with it
        texts = (f"{one.own} {one.listed}" if both else one.own for one in (was, now))
        found = insertion(*texts, joined=was.words != now.words)
        if found is not None:
            in_list = was.own == now.own and OPENING & set(tokens(was.own))
            what = CONDITION if found[0] == WORDS and in_list else found[0]
            yield RuleDifference(what=what, old=found[1], new=found[2])


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
