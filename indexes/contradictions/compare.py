"""Assertions that cannot both hold: another value, the opposite, or another threshold for the same thing.

Precision comes first: two assertions are of one thing where neither has a content word that the other does not have,
in its clause or around it, and what they have in common is more than what many rules have. What a page lists itself
(several values for one thing in one element, or three and more on one page) is a list and no contradiction.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import product, starmap

from clausegraph.core.language.lexicon import PREPOSITIONS, word_set
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.quantities import A_YEAR, Quantity, lies_within
from clausegraph.core.types import Modality, PageKey
from clausegraph.indexes.contradictions.assertions import Assertion, Force
from clausegraph.indexes.contradictions.topics import (
    CLAUSE,
    COMMON,
    LIGHT,
    PERSONS,
    PLAIN,
    USUAL,
    VERBS,
    Roots,
    read_clause,
    roots,
)
from clausegraph.indexes.contradictions.validity import takes_the_place
from clausegraph.indexes.graph.links import Replacement

_KINDS = VALUE, POLARITY, THRESHOLD = "value", "polarity", "threshold"
Pair = tuple[str, Assertion, Assertion]  # the kind, and two that cannot both hold
_OPPOSED = ({Force.HOLDS, Force.BARS}, {Force.BINDS, Force.BARS}, {Force.BINDS, Force.FREES})
_STRONG = 3  # words in common by which rules of pages about other things are about one
_CHEAPER = 1.25  # times that what is paid by the month may be more than what is paid by the year
_ROUNDED = 1.02  # times that what somebody gets by the month may be more
_CHARGED = word_set("cost costs charge charges charged fee fees price prices rent rental hire subscription")
_DONE = ("", "duration", "date")  # what is measured where another verb says another thing
_LIMITS = frozenset(("amount", "duration", "number"))  # of what is allowed or asked, and is not elsewhere
_NARROWS = PREPOSITIONS - {"as", "to"}
_CASES = frozenset(("before", "after", "during", "without", "outside"))
_TIMES = {"in": "during", "of": "after", "from": "after", "following": "after", "since": "after"}
_RAREST = 2  # words of an assertion by which it is looked up: one of two may be its own


@dataclass(frozen=True, slots=True)
class Conflict:
    """Two assertions that cannot both hold at one time, the newer one first; ``superseded``: they do not, since the
    newer takes the place of the older. ``kind`` is value, polarity or threshold."""

    kind: str
    newer: Assertion
    older: Assertion
    superseded: bool

    @property
    def date(self) -> str:
        """When the newer of them was said or begins to hold."""
        return max(self.newer.date, self.older.date)


def find_pairs(assertions: Iterable[Assertion], of: Iterable[Assertion] | None = None) -> Iterator[Pair]:
    """Every two assertions that cannot both hold; whether two cannot does not depend on what else is given."""
    alike: dict[object, list[Assertion]] = defaultdict(list)
    for assertion in assertions:
        alike[_key(assertion)].append(assertion)
    wanted = None if of is None else {_key(one) for one in of}
    groups = list(alike.values())
    for mine, theirs in _candidates(groups, [n for n, key in enumerate(alike) if wanted is None or key in wanted]):
        if (kind := _conflict(mine[0], theirs[0])) is None:
            continue
        is_one: dict[bool, bool] = {}  # by whether both are of one page, as nothing else of them differs
        for one, other in product(mine, theirs):
            on_one_page = one.page == other.page
            if on_one_page not in is_one:
                is_one[on_one_page] = is_about_one(one, other)
            if is_one[on_one_page] and not _of_other_cases(one, other):
                yield kind, one, other


def in_order(pairs: Iterable[Pair], replaced: Iterable[Replacement] = ()) -> list[Conflict]:
    """One of each two sentences, newest first; ``replaced`` are pages that others take the place of, whatever dates
    either of them has."""
    newer_than = frozenset((one.older, one.newer) for one in replaced)
    found: dict[object, Conflict] = {}
    for kind, one, other in sorted(pairs, key=lambda pair: _KINDS.index(pair[0])):
        found.setdefault(frozenset((_place(one), _place(other))), _ordered(kind, one, other, newer_than))
    return sorted(_next_only(found.values()), key=_order)


def _key(one: Assertion) -> tuple[object, ...]:
    """What is equal where one comparison does for several."""
    value = None if one.value is None else replace(one.value, start=0, end=0)
    about = (one.words, one.asked, one.context, one.topic, one.years, one.text, one.modality, not one.rule)
    return (*about, one.header, one.force, one.facts, one.of_condition, value)


def _candidates(groups: list[list[Assertion]], of: list[int]) -> Iterator[tuple[list[Assertion], list[Assertion]]]:
    """The pairs of which each has one of the rarest words of the other, and the kind of value."""
    having: dict[str, list[int]] = defaultdict(list)
    for number, (one, *_) in enumerate(groups):
        for key in keys_of(one):
            having[key].append(number)
    both = set(of)
    for number in of:
        one = groups[number][0]
        rarest = _rarest(one)
        for at in {at for key in sought_by(one) for at in having.get(key, ()) if at < number or at not in both}:
            pair = (groups[number], groups[at]) if number < at else (groups[at], groups[number])
            if _has(groups[at][0]).isdisjoint(rarest) or all(starmap(_of_other_cases, product(*pair))):
                continue
            if _may_oppose(one, groups[at][0]):
                yield pair


def _of_other_cases(one: Assertion, other: Assertion) -> bool:
    """Whether no pair is made of two assertions, however they differ: one is a value of a list, or they stand in two
    places of a page, which are mostly of two cases, as its headings say."""
    values = one.value is not None and other.value is not None
    is_threshold = values and (one.of_condition or other.of_condition)
    if (one.is_listed or other.is_listed) and not is_threshold:
        return True
    in_one_place = one.context == other.context and one.header is None
    return one.page == other.page and (is_threshold or one.anchor == other.anchor or not in_one_place)


def keys_of(one: Assertion) -> Iterator[str]:
    """What an assertion is found by, by those that may contradict it."""
    return (f"{_class(one)} {word}" for word in _rarest(one))


def sought_by(one: Assertion) -> Iterator[str]:
    """The keys of what may contradict an assertion."""
    opposed = [force.value for force in Force if {force, one.force} in _OPPOSED]
    return (f"{kind} {word}" for kind in ([_class(one)] if one.value else opposed) for word in _has(one))


def _class(one: Assertion) -> str:
    return f"{one.dimension} {sorted(map(str, one.facts))}" if one.value else one.force.value


def _rarest(one: Assertion) -> list[str]:
    """The words that fewest others have, as their length tells: which they are must not depend on others."""
    words = _weighty(one.words, one) or one.topic
    return sorted(words, key=lambda word: (word in USUAL, -len(word), word))[:_RAREST]


def _has(one: Assertion) -> Roots:
    return one.words | one.topic


def _may_oppose(one: Assertion, other: Assertion) -> bool:
    if one.value is None:
        return other.value is None and {one.force, other.force} in _OPPOSED
    return other.value is not None and (one.header == other.header or None in (one.header, other.header))


def _weighty(words: Roots, one: Assertion) -> Roots:
    return words - LIGHT.get(one.dimension, PLAIN)


def is_about_one(one: Assertion, other: Assertion) -> bool:
    """Whether two assertions are about one thing, in one case."""
    times = (one.years, other.years), (one.months, other.months)
    apart_in_time = any(a and b and not a & b for a, b in times)
    if apart_in_time or (one.force is other.force is Force.BINDS and {_bound(one), _bound(other)} == {"we", "you"}):
        return False
    mine, theirs = _weighty(one.words, one), _weighty(other.words, other)
    shared = (mine & theirs) - COMMON
    if one.value is None and len(shared) < (1 if one.rule and other.rule else _STRONG - 1):
        return False
    around = (one.context, other.context) if one.value is not None else (one.topic, other.topic)
    lack = mine - theirs - around[1], theirs - mine - around[0]
    if lack[0] or lack[1]:
        lack = lack[0] - _lone_actor(one, other), lack[1] - _lone_actor(other, one)
    near = (mine & around[1] | theirs & around[0]) - COMMON
    known = shared | near | (one.topic & other.topic) - COMMON if shared else shared
    is_rest = any(side.text.lstrip().startswith(",") for side in (one, other))  # not of what: ", up to £8 an item"
    unlike = is_rest and len(shared) < _STRONG - 1 and not one.topic & other.topic
    if unlike or ((lack[0] or lack[1]) and not _in_other_words(one, other, lack, known, mine & theirs)):
        return False
    if _at_other_times(one, other, mine & theirs):
        return False
    acts = VERBS | PLAIN  # "Taking a bike on the ferry" is about the bike
    apart = (
        one.topic - other.topic - other.words - other.context - acts,
        other.topic - one.topic - one.words - one.context - acts,
    )
    if apart[0] and apart[1]:
        enough = len(mine & theirs) >= _STRONG or not (lack[0] or lack[1])
        return len(shared) >= _STRONG - 1 and enough and one.header is None is other.header
    return bool(shared | near) or (one.words == other.words and bool((one.topic & other.topic) - COMMON))


def _bound(one: Assertion) -> str:
    return split_proposition(one.text).subject.lower()


def _in_other_words(one: Assertion, other: Assertion, lack: tuple[Roots, Roots], shared: Roots, both: Roots) -> bool:
    """Whether what each of two rules lacks of the other is wording: no condition, no word that narrows what they share
    ("season ticket"), and none that stands where the other one has another ("maths exam", "physics exam")."""
    rest = lack[0] | lack[1]
    if one.header is not None or other.header is not None:
        return False
    few = len(shared - PERSONS) < max(_STRONG - 1, len(rest)) and not (len(rest) == 1 and shared and len(both) >= 2)
    if rest & (one.asked | other.asked) or one.page == other.page or few:
        return False
    if _measured(one, other) & lack[0] or _measured(other, one) & lack[1]:
        return False
    clauses = read_clause(one.text), read_clause(other.text)
    of_verb = tuple((clause.verbs | VERBS) - clause.subject for clause in clauses)
    if one.dimension in _DONE and lack[0] & of_verb[0] and lack[1] & of_verb[1] and len(shared) <= _STRONG:
        return False
    places = [
        [place for place in clause.places if place.root in own] for clause, own in zip(clauses, lack, strict=True)
    ]
    for found, clause, verbs in zip(places, clauses, of_verb, strict=True):
        for place in found:
            narrows = place.root not in verbs and place.before.rstrip(CLAUSE) in _NARROWS
            narrows |= place.root in (VERBS & clause.subject) - COMMON  # "renewing a licence costs"
            qualifies = place.after in (place.beside & shared) - clause.relation or (
                place.beside & shared and place.root not in VERBS & verbs
            )
            if narrows or (qualifies and place.root not in clause.relation):
                return False
    mine, theirs = (
        [place for place in found if place.root not in clause.relation]
        for found, clause in zip(places, clauses, strict=True)
    )
    return not any(a.before == b.before not in ("", "#") or a.after == b.after != "" for a in mine for b in theirs)


def _measured(one: Assertion, other: Assertion) -> Roots:
    """What the value of one is of: the word right behind it ("a week's notice", but for "a week before")."""
    if one.value is None or one.value.start < 0 or other.value is None or other.value.relation:
        return frozenset()
    behind = one.text[one.value.end :].removeprefix("'").removeprefix("’").removeprefix("s").split()
    return roots(" ".join(word for word in behind[: 2 if behind[:1] == ["of"] else 1] if word != "off"))


def _at_other_times(one: Assertion, other: Assertion, shared: Roots) -> bool:
    """Whether what both name comes before in one and after or during it in the other."""
    mine, theirs = (
        {(place.root, place.before) for place in read_clause(side.text).places if place.root in shared}
        for side in (one, other)
    )
    for found, beside in ((mine, theirs), (theirs, mine)):
        for root, case in found:
            cases = {_TIMES.get(before, before).rstrip(CLAUSE) for at, before in beside if at == root}
            bare = case.rstrip(CLAUSE)
            apart = bare in _CASES and cases <= PREPOSITIONS | {""} and bare not in cases
            if apart and (case == bare or cases & _CASES):  # "before you can borrow" is for "you can borrow once"
                return True
    return False


def _lone_actor(one: Assertion, other: Assertion) -> Roots:
    """The person of a rule, where the other one names nobody who acts."""
    person, beside = read_clause(one.text).person, read_clause(other.text)
    acts = beside.person or person & other.words or beside.subject - one.words - one.context
    return frozenset() if acts else person


def _conflict(one: Assertion, other: Assertion) -> str | None:
    """The kind of a conflict between two assertions of one thing."""
    if one.value is None or other.value is None:
        barred, held = (one, other) if one.force in (Force.BARS, Force.FREES) else (other, one)
        limits = {fact[0] for fact in held.facts - barred.facts}
        asked = held.force is Force.BINDS or held.modality in (Modality.CAN, Modality.MAY)
        wholly = asked and barred.facts <= held.facts and limits <= _LIMITS
        return POLARITY if one.facts == other.facts or wholly else None
    if one.facts != other.facts:
        return None
    kind = THRESHOLD if one.of_condition or other.of_condition else VALUE
    return kind if _differs(one, other) else None


def _differs(one: Assertion, other: Assertion) -> bool:
    """Whether two values of one thing are surely not the same; a bound is compared with a bound of its side only, a
    single value with a bound where it lies outside, or is itself the most that there is."""
    a, b = one.value, other.value
    assert a is not None and b is not None
    counted = {value.relation == "before" for value in (a, b) if value.relation}
    if 0.0 in (a.high, b.high):
        a, b = replace(a, per="", period=""), replace(b, per="", period="")
    if len({a.per, b.per} - {""}) > 1 or len(counted) > 1:
        return False
    if a.period != b.period:
        return (
            a.exact and b.exact and _differ_by_period(a, b, not _CHARGED.isdisjoint(tokens(f"{one.text} {other.text}")))
        )
    a, b = replace(a, per=""), replace(b, per="")
    a, b = _least(a, b, one.force), _least(b, a, other.force)
    mine, theirs = (a.low, a.high), (b.low, b.high)
    if (a.exact, a.low is None, a.high is None) == (b.exact, b.low is None, b.high is None):
        return any(
            low is not None and high is not None and lies_within(_at(a, low), _at(b, high)) is False
            for low, high in zip(mine, theirs, strict=True)
        )
    if not (a.exact or b.exact):
        return False
    single, bound = (a, b) if a.exact else (b, a)
    if single.kind in ("duration", "date") and bound.low is None and bound.high is not None:
        bound = _at(bound, bound.high)
    return lies_within(_bare(single), _bare(bound)) is False


def _differ_by_period(a: Quantity, b: Quantity, charged: bool) -> bool:
    """Whether amounts for two periods are too far apart to be one: a year is often cheaper at once than by month."""
    if a.kind != "amount" or not {a.period, b.period} <= A_YEAR.keys() or a.low is None or b.low is None:
        return False
    yearly = sorted((a.low * A_YEAR[a.period], b.low * A_YEAR[b.period]))
    return yearly[0] * (_CHEAPER if charged else _ROUNDED) < yearly[1]


def _least(value: Quantity, other: Quantity, force: Force) -> Quantity:
    """The value beside another one: the least, where that much time has to be ("you must give a week's notice")."""
    bound = value.exact and value.kind == "duration" and force is Force.BINDS and other.high is None
    return replace(value, high=None) if bound else value


def _at(value: Quantity, end: float) -> Quantity:
    return replace(_bare(value), low=end, high=end, low_included=True, high_included=True)


def _bare(value: Quantity) -> Quantity:
    """The value without what it is counted from; a bound of people's ages as one."""
    of_age = value.kind == "number" and not value.unit
    kind, unit = ("age", "year") if of_age else (value.kind, value.unit)
    return replace(value, kind=kind, unit=unit, trigger="", relation="")


def _place(one: Assertion) -> tuple[object, ...]:
    return one.page, one.anchor, one.span


def _next_only(found: Iterable[Conflict]) -> Iterator[Conflict]:
    """Of what takes the place of an assertion, what does so first: not this year's rates for those of years ago."""
    first: dict[object, str] = {}
    found = list(found)
    for one in found:
        if one.superseded:
            start = one.newer.validity.start or one.newer.date
            first[_place(one.older)] = min(first.get(_place(one.older), start), start)
    for one in found:
        if not one.superseded or (one.newer.validity.start or one.newer.date) == first[_place(one.older)]:
            yield one


def _order(one: Conflict) -> tuple[object, ...]:
    newer, older = one.newer, one.older
    recent = tuple(-ord(letter) for letter in one.date) or (0,)
    return (one.superseded, recent, str(newer.page), newer.anchor, str(older.page), older.anchor)


def _ordered(kind: str, one: Assertion, other: Assertion, newer_than: frozenset[tuple[PageKey, PageKey]]) -> Conflict:
    for older, newer in ((one, other), (other, one)):
        if (older.page, newer.page) in newer_than:
            return Conflict(kind, newer, older, superseded=True)
    for older, newer in ((one, other), (other, one)):
        if takes_the_place(older.validity, newer.validity, older.updated, newer.updated):
            return Conflict(kind, newer, older, superseded=True)
    newer, older = sorted((one, other), key=lambda side: (side.date, str(side.page), side.anchor), reverse=True)
    return Conflict(kind, newer, older, superseded=False)
