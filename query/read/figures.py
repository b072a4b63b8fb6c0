"""Whether a figure that somebody tells lies within the bound that a condition sets, where both are about one thing.

``core.language.quantities`` reads the values and compares them; here is which belong together. An age
and a date of birth say the same, seen from a day; so do "since 2019" and a duration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.language.normalise import content, normalise_text
from clausegraph.core.language.quantities import Quantity, find_quantities, lies_within
from clausegraph.query.read.word_match import same_word

_TABLE = WordTable(__file__)

_YEAR = 365.25
_CUT = re.compile(r"[,;](?=\s)|\s(?:and|but|so|while)\s")
_BORN = re.compile(r"\bborn\b", re.IGNORECASE)
_BIRTHDAY = _TABLE.pattern("birthday")
_MEASURE = re.compile(r"\s?(?:[kcm]?m|k?g|ft|k?w|mph|cc|l)\b", re.IGNORECASE)  # "it is 7 m" is no age
_SINCE = re.compile(r"\b(?:since|from)\s+(?:about\s+|around\s+)?$", re.IGNORECASE)
_THOUSANDS = re.compile(r"£?(\d{1,3}(?:\.\d+)?)\s?(?:k|grand)\b", re.IGNORECASE)
_YOU_ARE = re.compile(r"\b(?:you are|you're|you’re|they are|he is|she is|age|aged)\s+(?:\w+\s+){0,3}$", re.IGNORECASE)
_PERSON = _TABLE.pattern("person")
_PRONOUN = re.compile(r"\b(?:he|she)\b", re.IGNORECASE)
_WHO = content("son daughter child children kid baby boy girl wife husband partner spouse mother father mum dad parent")
_SUMS = tuple(map(content, _TABLE.file["sums"]))
_UNITS = content("hours days weeks months years year old age aged pounds at least more less than over under each")


@dataclass(frozen=True, slots=True)
class UserFigure:
    """A value that somebody tells, with the content words of its clause and whom that speaks of."""

    value: Quantity
    about: frozenset[str]
    person: str
    text: str
    perhaps: str = ""  # the only other person whom the teller names, where the clause says "he" or "she"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The bound of a condition, and whether the value that is about the same lies within it."""

    holds: bool
    bound: Quantity
    figure: UserFigure


@lru_cache(maxsize=512)
def figures(text: str) -> tuple[UserFigure, ...]:
    """The values that somebody tells, in order."""
    plain = _THOUSANDS.sub(lambda match: f"£{float(match[1]) * 1000:.0f}", normalise_text(text))
    spans = sentence_spans(plain) or [(0, len(plain))]
    found = [one for start, end in spans for one in _of_sentence(plain[start:end])]
    named = {match.lastgroup or "" for match in _PERSON.finditer(_PRONOUN.sub(" ", plain))} - {"teller"}
    meant = named.pop() if len(named) == 1 else ""
    return tuple(replace(one, perhaps=meant) if one.person == "someone" else one for one in found)


def _of_sentence(sentence: str) -> Iterator[UserFigure]:
    for value in find_quantities(sentence):
        before, text = sentence[: value.start], sentence[value.start : value.end]
        named = [match.lastgroup or "" for match in _PERSON.finditer(before)]
        cuts = [match.span() for match in _CUT.finditer(sentence)]
        left = max((b for _, b in cuts if b <= value.start), default=0)
        clause = sentence[left : min((a for a, _ in cuts if a >= value.end), default=len(sentence))]
        read = _as_told(value, before, text, sentence[value.end :])
        yield UserFigure(read, content(clause), named[-1] if named else "", text)


def _as_told(value: Quantity, before: str, text: str, after: str) -> Quantity:
    """A bare number may be an age, a date a birthday; what is done since a day has lasted: a duration that ends now."""
    if value.kind == "number" and not value.unit and value.exact:
        is_age = _BIRTHDAY.search(before) and not _MEASURE.match(after)
        return replace(value, kind="age", unit="year") if is_age else value
    if value.kind != "date" or value.unit != "date" or value.low is None:
        return value
    if _BORN.search(before[-30:]):
        return replace(value, kind="born")
    if _SINCE.search(before):  # "2019" may be any day of the year, "May 2019" of the month
        days = 364.0 if text.strip().isdigit() else 0.0 if text.strip()[:1].isdigit() else 30.0
        return replace(value, kind="since", high=value.low + days)
    return value


@lru_cache(maxsize=4096)
def bounds_of(condition: str) -> tuple[Quantity, ...]:
    """The values that a condition bounds, in order; a bare number after "you are" is an age."""
    plain = normalise_text(condition)
    found = []
    for limit in find_quantities(plain):
        before = plain[: limit.start]
        if limit.kind == "number" and not limit.unit and _YOU_ARE.search(before):
            found.append(replace(limit, kind="age", unit="year"))
        elif limit.unit == "date" and _BORN.search(before):
            found.append(replace(limit, kind="born"))
        elif not limit.exact or limit.kind in ("number", "age"):
            found.append(limit)
    return tuple(found)


def compare(condition: str, user_text: str, today: date | None = None) -> Comparison | None:
    """Compare the bound of a condition with the one value told that is about the same.

    None where there is none, or where a condition has two bounds that come out differently.

    Args:
        today: from where ages are dates of birth; without it they are not compared.
    """
    made = [_compared(condition, limit, user_text, today) for limit in bounds_of(condition)]
    found = [one for one in made if one is not None]
    return found[0] if found and all(one.holds == found[0].holds for one in found) else None


def is_one_of(people: str, user_text: str, today: date | None = None) -> bool:
    """Whether somebody of whom a figure is told is one of these people: "children under 13"."""
    found = compare(people, user_text, today)
    return found is not None and found.holds and not _named(people) - _WHO


def _named(condition: str) -> frozenset[str]:
    """The words of a condition beside its figures and their units."""
    return frozenset(word for word in content(condition) - _UNITS if not any(map(str.isdigit, word)))


def _compared(condition: str, limit: Quantity, user_text: str, today: date | None) -> Comparison | None:
    seen = ((one, _seen_as(one.value, limit, today)) for one in figures(user_text))
    known = [replace(one, value=value) for one, value in seen if value is not None]
    one = _same_subject(condition, limit, known)
    if one is None:
        return None
    if limit.kind == "age" and one.value.exact and not limit.low_included and one.value.low == limit.low:
        return None  # "over 18" is said of those who are 18, too
    inside = lies_within(one.value, limit)
    if inside is None or (limit.exact and not inside):
        return None  # "aged between 22 and State Pension age": a plain value is no bound
    return Comparison(inside, limit, one)


def _seen_as(value: Quantity, limit: Quantity, today: date | None) -> Quantity | None:
    """A value as one of the bound's kind and period: an age as a date of birth, a day since when as a duration; None
    where it cannot be one."""
    if value.kind == "number" and not value.unit and limit.kind == "amount":
        value = replace(value, kind="amount", unit=limit.unit)  # "I earn 92k"
    if value.kind == limit.kind and (value.unit == limit.unit or value.kind == "duration"):
        unsaid = value.kind == "amount" and "" in (value.period, limit.period)
        return replace(value, period=limit.period) if unsaid else value
    if today is None or value.low is None or value.high is None:
        return None
    low, high, now = value.low, value.high, float(today.toordinal())
    match value.kind, limit.kind:
        case "age", "born":
            return replace(value, kind="born", unit="date", low=now - (low + 1) * _YEAR, high=now - high * _YEAR)
        case "born", "age":
            return replace(value, kind="age", unit="year", low=_years(high, today), high=_years(low, today))
        case "since", "duration" if now >= low:
            return replace(value, kind="duration", unit="day", low=max(0.0, now - high), high=now - low)
    return None


def _years(born: float, today: date) -> float:
    """Whole years from a day, an ordinal, to today, as ages are counted."""
    first = date.fromordinal(max(1, int(born)))
    return float(today.year - first.year - ((today.month, today.day) < (first.month, first.day)))


def _same_subject(condition: str, limit: Quantity, known: list[UserFigure]) -> UserFigure | None:
    """The one value that the condition is about: by person for ages, by kind of sum for money, else by shared words."""
    words = _named(condition)
    if limit.kind in ("age", "born"):
        named = [match.lastgroup for match in _PERSON.finditer(condition[: limit.start])]
        wanted = named[-1] if named else "teller"
        known = [one for one in known if _same_person(one.person, wanted) or one.perhaps == wanted]
    elif limit.kind == "amount":
        known = [one for one in known if not words or _same_sum(words, one.about)]
    else:
        acts = words - _WHO or words  # whoever it is: what is done decides
        known = [one for one in known if any(same_word(word, other) for word in acts for other in one.about)]
    if len({(one.value.low, one.value.high) for one in known}) > 1:
        most = max(len(words & one.about) for one in known)
        known = [one for one in known if len(words & one.about) == most]
    return known[0] if len({(one.value.low, one.value.high) for one in known}) == 1 else None


def _same_person(person: str, wanted: str | None) -> bool:
    """Whether a value can be of the person a condition names; "you" is who asks, or whom the question is about."""
    return person == wanted if wanted in ("child", "partner") else person not in ("child", "partner")


def _same_sum(condition: frozenset[str], about: frozenset[str]) -> bool:
    """Whether two sums are of one thing: of earnings, savings, a price, a debt, a rent, or named by one word."""
    ours, theirs = ({i for i, things in enumerate(_SUMS) if words & things} for words in (condition, about))
    return bool(ours & theirs) if ours and theirs else bool(condition & about)
