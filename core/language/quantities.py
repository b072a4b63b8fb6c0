"""Values that can be compared: "up to £600 a year", "18 or over", "within 30 days of the decision" as numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clausegraph.core.language import lexicon
from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.language.normalise import entity_key, singular
from clausegraph.core.language.values import Atom, atoms

_TABLE = WordTable(__file__)

_NEAR_BOUND = 48  # characters before a value that can bound it
_BOUND = _TABLE.pattern("bound")
_BOUNDS_AGE = lexicon.word_set("over under above below")
_BOUNDS_DAY = {"after": "more than", "since": "at least", "from": "at least"}  # of a duration these are no bound
_SAYS_AGE = _TABLE.pattern("says_age")
_SAYS_ABOUT = re.compile(r"\b(?:about|around|approximately|roughly|nearly|almost|an\s+average\s+of)\s+$", re.IGNORECASE)
_SO_FAR = re.compile(r"\b(?:the|these)\s+(?P<which>last|past|previous|preceding|next|coming)\s+$", re.IGNORECASE)
_SUFFIX = _TABLE.pattern("suffix")
_LESS = lexicon.word_set("less under below fewer younger shorter earlier lower maximum")
_AGE_SUFFIX = lexicon.word_set("over older under younger")
_PERIOD = _TABLE.pattern("period")
_ADVERBS = {"daily": "day", "annually": "year"}  # of the others the stem is the time
_TRIGGER = _TABLE.pattern("trigger")
_CUT = re.compile(r"\s+(?:if|unless|when|whichever|but|and\s+you|or\s+(?:if|\d)|in\s+order|to\s+(?:get|claim))\b.*$")
_LONGEST_TRIGGER = 12  # words
_OPENS_RANGE = re.compile(r"\bbetween\s+(?:the\s+ages?\s+of\s+)?$", re.IGNORECASE)
_BETWEEN = frozenset({"-", "–", "—", "to", "and", "or", "up to"})
_NOUN_AFTER = re.compile(r"\s+(?:or\s+more\s+|or\s+fewer\s+)?(?P<noun>[a-z]{3,})\b")
_NO_NOUNS = _TABLE.words("no_nouns").union(
    lexicon.PREPOSITIONS, lexicon.DETERMINERS, lexicon.AUXILIARIES, lexicon.RELATIVES, lexicon.THIRD_PERSON
)
_NOT_COUNTED = lexicon.VERB_FORMS | _NO_NOUNS
_NEAR = 160  # characters on either side of a value that are looked at
_YOUNGEST = 10  # "over 18" is an age, "over 5" is not surely one
A_YEAR = {"day": 365.0, "week": 52.0, "fortnight": 26.0, "month": 12.0, "quarter": 4.0, "year": 1.0, "tax year": 1.0}
_WHOLE_MONTHS = frozenset({"month", "quarter", "year", "tax year"})
_DAYS = {  # shortest and longest that one of a unit is, in days
    "hour": (1 / 24, 1 / 24),
    "day": (1.0, 1.0),
    "working day": (1.0, 2.0),
    "month": (28.0, 31.0),
}
_OF_YEARS = (365.0 / 12, 366.0 / 12)  # the same of a month, from a year on
_ABOUT_SHARE = 0.1  # how far "about £500" may be from it, as a share
_WEEKS_OF_YEAR = 0.01  # and a year's amount from 52 of a week's
Ends = tuple[tuple[float, float] | None, tuple[float, float] | None]


@dataclass(frozen=True, slots=True)
class _WordsAround:
    """What stands before or after a value: ``bound`` is "at least", "more than", "at most", "less than" or "".

    ``trigger`` before it is "now" ("in the last 12 months"); ``of_age``: the bound is a word that bounds an age too
    ("over 18"); ``bound_end`` is where, after it, the noun that it counts may begin.
    """

    bound: str = ""
    about: bool = False
    of_age: bool = False
    says_age: bool = False
    bound_end: int = 0
    period: str = ""
    per: str = ""
    relation: str = ""
    trigger: str = ""


def _before_value(text: str, kind: str = "") -> _WordsAround:
    """What the end of a text says of the value after it."""
    near = f"{text[-_NEAR_BOUND:].rstrip()} "
    about = _SAYS_ABOUT.search(near)
    if about:
        near = near[: about.start()] + " "
    if _SO_FAR.search(near):
        return _WordsAround(about=bool(about), trigger="now")
    found, last = _BOUND.search(near), near.lower().split()[-1:]
    bound = (found.lastgroup or "").replace("_", " ") if found else ""
    if kind == "date" and last:
        bound = _BOUNDS_DAY.get(last[0], bound)
    return _WordsAround(bound, bool(about), not _BOUNDS_AGE.isdisjoint(last), bool(_SAYS_AGE.search(near)))


def _after_value(text: str, kind: str) -> _WordsAround:
    """What the beginning of a text says of the value before it."""
    bound, at, of_age = "", 0, False
    suffix = _SUFFIX.match(text)
    if suffix:
        word = (suffix["word"] or suffix["limit"] or "").lower()
        bound, at, of_age = ("at most" if word in _LESS else "at least"), suffix.end(), word in _AGE_SUFFIX
    noun = _NOUN_AFTER.match(text, at) if kind == "number" else None
    position = noun.end() if noun and noun["noun"] not in _NO_NOUNS else at
    period, per = "", ""
    while (found := _PERIOD.match(text, position)) is not None and position < _NEAR_BOUND:
        adverb = (found["adverb"] or "").lower()
        if found["time"] or adverb:
            time = found["time"] or _ADVERBS.get(adverb, adverb.removesuffix("ly"))
            period = " ".join(time.lower().split())
        else:
            per = (found["per"] or found["head"].split()[-1]).lower()
        position = found.end()
    relation, trigger = _trigger(text[position:])
    return _WordsAround(bound, False, of_age, False, at, period, per, relation, trigger)


def _trigger(text: str) -> tuple[str, str]:
    """How and from what it is counted."""
    if text.lower().lstrip().startswith(("ago", "earlier")):
        return "before", "now"
    match = _TRIGGER.match(text)
    if match is None:
        return "", ""
    what = _CUT.sub("", match["what"]).strip()
    how = {"following": "after", "from": "after", "since": "after"}.get(match["how"].lower(), match["how"].lower())
    return (how, what) if what and len(what.split()) <= _LONGEST_TRIGGER else ("", "")


@dataclass(frozen=True, slots=True)
class Quantity:
    """An interval of values; both ends are the same for a plain one, an open end is None.

    ``period`` is the time an amount is for ("week" in "£20 a week"), ``per`` who or what else ("child").
    ``trigger`` is what a duration is counted from, in the text's words, ``relation`` how ("after", "before", "of");
    "now" for "ago" and "in the last". ``about``: the text says that it is only near. ``start`` and ``end`` are where
    it stands in the text it was read from.
    """

    kind: str  # amount, percent, age, date, duration, number
    low: float | None
    high: float | None
    unit: str = ""
    low_included: bool = True
    high_included: bool = True
    period: str = ""
    per: str = ""
    relation: str = ""
    trigger: str = ""
    about: bool = False
    start: int = 0
    end: int = 0

    @property
    def exact(self) -> bool:
        """Whether it is one value and no bound or range."""
        return self.low is not None and self.low == self.high


def find_quantities(text: str) -> Iterator[Quantity]:
    """The values that a text states, from left to right; a range is one."""
    found = list(atoms(text))
    i = 0
    while i < len(found):
        first, last = found[i], found[i]
        ranged = i + 1 < len(found) and _is_range(text, first, found[i + 1])
        if ranged:
            i += 1
            last = found[i]
        elif i + 1 < len(found) and _continues(text, first, found[i + 1]):  # "2 years and 6 months"
            i += 1
            last = found[i]
            first = replace(first, low=first.low + last.low, high=first.high + last.high, end=last.end)
            last = first
        i += 1
        quantity = _quantity(text, first, last, ranged)
        if quantity is not None:
            yield quantity


def _before(text: str, atom: Atom) -> str:
    return text[max(0, atom.start - _NEAR) : atom.start]


def _is_range(text: str, first: Atom, second: Atom) -> bool:
    """Whether what stands between two values makes them the ends of a range: "16 to 24", "between 5 and 10 years"."""
    between = text[first.end : second.start]
    if " ".join(between.split()) not in _BETWEEN:
        return False
    if between.lower().split() in (["and"], ["up", "to"]) and not _OPENS_RANGE.search(_before(text, first)):
        return False
    compatible = first.unit == second.unit and first.kind == second.kind
    bare = first.kind == "number" and not first.unit  # "5 to 10 years", "16 to 24 years old"
    return compatible or bare or second.kind == "number"


def _continues(text: str, first: Atom, second: Atom) -> bool:
    joined = text[first.end : second.start].strip() in ("and", "")
    return joined and first.kind == second.kind == "duration" and first.unit == second.unit and first.low > second.low


def _quantity(text: str, first: Atom, last: Atom, ranged: bool) -> Quantity | None:
    """The quantity of one atom, or of the two ends of a range, with the words around it."""
    shape = last if first.kind == "number" and last.kind != "number" else first
    scale = shape.scale if ranged and first.kind == "number" and last.kind != "number" else 1.0
    before = _before_value(_before(text, first), shape.kind)
    after = _after_value(text[last.end : last.end + _NEAR], shape.kind)
    kind, unit = shape.kind, shape.unit
    if kind == "number":
        noun = _NOUN_AFTER.match(text[last.end + after.bound_end : last.end + _NEAR])
        word = noun["noun"] if noun else ""
        counts_many = word != singular(word) and word not in _NOT_COUNTED  # surely a plural: "50 employees"
        by_company = before.of_age and first.low >= _YOUNGEST and not ranged
        if after.of_age or before.says_age or (by_company and not counts_many):
            kind, unit = "age", "year"
        else:
            unit = singular(word) if word not in _NO_NOUNS else ""
            if not unit and first.spelled:
                return None
    low: float | None = first.low * scale
    high: float | None = last.high
    low_included = high_included = True
    bound = after.bound or ("" if ranged else before.bound)
    if bound in ("at least", "more than"):
        high, low_included = None, bound == "at least"
    elif bound in ("at most", "less than"):
        low, high_included = None, bound == "at most"
    relation, trigger = (after.relation, after.trigger) if kind in ("duration", "date") else ("", "")
    return Quantity(
        kind, low, high, unit, low_included, high_included, after.period, after.per, relation,
        before.trigger or trigger, before.about, first.start, last.end,
    )  # fmt: skip


def lies_within(value: Quantity, bound: Quantity) -> bool | None:
    """Whether a value ("I have worked there 3 weeks") meets a bound ("at least 1 month").

    False where it surely does not, None where that cannot be said: they are of different things, counted from
    different events, or the value's interval reaches over an end of the bound's.
    """
    value = _numbered_as(value, bound)
    if value.kind != bound.kind or value.per not in ("", bound.per):
        return None
    if value.trigger and bound.trigger and entity_key(value.trigger) != entity_key(bound.trigger):
        return None
    if value.kind == "duration":
        if value.period != bound.period:
            return None
        ends, limits = _in_days(value, bound), _in_days(bound, value)
    else:
        if value.unit != bound.unit:
            return None
        factor = _factor(value.period, bound.period)
        if factor is None:
            return None
        ends, limits = _ends(value, *factor), _ends(bound)
    return _inside(ends, limits, bound)


def _numbered_as(value: Quantity, bound: Quantity) -> Quantity:
    """A bare number as the age it is compared with: "I am 17"."""
    bare = value.kind == "number" and not value.unit and bound.kind == "age"
    return replace(value, kind="age", unit="year") if bare else value


def _factor(period: str, wanted: str) -> tuple[float, float] | None:
    """What an amount of one period is to be multiplied with for another, and how far that may be off."""
    if period == wanted:
        return 1.0, 0.0
    if period not in A_YEAR or wanted not in A_YEAR:
        return None
    exact = {period, wanted} <= _WHOLE_MONTHS
    return A_YEAR[period] / A_YEAR[wanted], 0.0 if exact else _WEEKS_OF_YEAR


def _ends(quantity: Quantity, factor: float = 1.0, off: float = 0.0) -> Ends:
    off += _ABOUT_SHARE if quantity.about else 0.0

    def end(value: float | None) -> tuple[float, float] | None:
        return None if value is None else (value * factor * (1 - off), value * factor * (1 + off))

    return end(quantity.low), end(quantity.high)


def _in_days(quantity: Quantity, beside: Quantity) -> Ends:
    """Both ends in days; where both are of one unit, in that."""
    if quantity.unit == beside.unit:
        return _ends(quantity)

    def end(value: float | None) -> tuple[float, float] | None:
        if value is None:
            return None
        shortest, longest = _OF_YEARS if quantity.unit == "month" and value >= 12 else _DAYS[quantity.unit]
        return value * shortest, value * longest

    return end(quantity.low), end(quantity.high)


def _inside(value: Ends, bound: Ends, limits: Quantity) -> bool | None:
    """Whether an interval lies in another: surely, surely not, or neither."""
    (low, high), (least, most) = value, bound
    beyond = least is not None and high is not None and _below(high[1], least[0], limits.low_included)
    beyond = beyond or (most is not None and low is not None and _below(most[1], low[0], limits.high_included))
    if beyond:
        return False
    enough = least is None or (low is not None and not _below(low[0], least[1], limits.low_included))
    within = most is None or (high is not None and not _below(most[0], high[1], limits.high_included))
    return True if enough and within else None


def _below(one: float, other: float, included: bool) -> bool:
    """Whether a value stays under an end that belongs to the interval, or reaches at most one that does not."""
    return one < other if included else one <= other
