"""Whether a figure that somebody tells lies within the bound that a condition sets, where both are about one thing.

``core.language.quantities`` reads the values and ``comparing`` compares them; here is which belong together. An age
and a date of birth say the same, seen from a day; so do "since 2019" and a duration.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import content, normalise_text, stem
from clausegraph.core.language.quantities import Quantity, find_quantities, lies_within
from clausegraph.query.read.word_match import same_word

_YEAR = 365.25
_CUT = re.compile(r"[,;](?=\s)|\s(?:and|but|so|while)\s")
_BORN = re.compile(r"\bborn\b", re.IGNORECASE)
_BIRTHDAY = re.compile(
    r"\b(?:turn(?:ed|ing|s)?|aged?|i'?m|am|is|he's|she's|just|only|now)\s+(?:just\s+|only\s+|now\s+)?$", re.IGNORECASE
)
_MEASURE = re.compile(r"\s?(?:[kcm]?m|k?g|ft|k?w|mph|cc|l)\b", re.IGNORECASE)  # "it is 7 m" is no age
_SINCE = re.compile(r"\b(?:since|from)\s+(?:about\s+|around\s+)?$", re.IGNORECASE)
_THOUSANDS = re.compile(r"£?(\d{1,3}(?:\.\d+)?)\s?(?:k|grand)\b", re.IGNORECASE)
_YOU_ARE = re.compile(r"\b(?:you are|you're|you’re|they are|he is|she is|age|aged)\s+(?:\w+\s+){0,3}$", re.IGNORECASE)
_PEOPLE = {
    "child": r"sons?|daughters?|child|children|kids?|baby|boy|girl|toddler|step(?:son|daughter)|grand(?:son|daughter)",
    "partner": r"wife|husband|partner|spouse|fianc[eé]e?|boyfriend|girlfriend",
    "someone": r"mother|mum|mom|father|dad|parents?|uncle|aunt|brother|sister|friend|gran|grand(?:mother|father|ad)"
    r"|he|she|they",
    "teller": r"i|i'm|im|i've|me|my|you|you're|you've",
}
_PERSON = re.compile("|".join(rf"(?P<{name}>\b(?:{words})\b)" for name, words in _PEOPLE.items()), re.IGNORECASE)
_PRONOUN = re.compile(r"\b(?:he|she)\b", re.IGNORECASE)
_WHO = content("son daughter child children kid baby boy girl wife husband partner spouse mother father mum dad parent")
_SUMS = tuple(
    frozenset(map(stem, words.split()))
    for words in (
        "income earn earning salary wage profit turnover earns makes trading",
        "saving savings capital bank investment invested money",
        "price cost costs buy bought buying worth value purchase property house flat home priced paid pay",
        "debt debts owe owed owing arrears",
        "rent",
    )
)


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
    found = (
        told for start, end in sentence_spans(plain) or [(0, len(plain))] for told in _of_sentence(plain[start:end])
    )
    named = {match.lastgroup or "" for match in _PERSON.finditer(_PRONOUN.sub(" ", plain))} - {"teller"}
    meant = named.pop() if len(named) == 1 else ""
    return tuple(replace(told, perhaps=meant) if told.person == "someone" else told for told in found)


def _of_sentence(sentence: str) -> Iterator[UserFigure]:
    for value in find_quantities(sentence):
        before = sentence[: value.start]
        bare = value.kind == "number" and not value.unit and value.exact
        if bare and _BIRTHDAY.search(before) and not _MEASURE.match(sentence, value.end):
            value = replace(value, kind="age", unit="year")  # noqa: PLW2901
        named = [match.lastgroup or "" for match in _PERSON.finditer(before)]
        about = content(_clause(sentence, value.start, value.end))
        yield UserFigure(
            _as_told(value, before, sentence[value.start : value.end]),
            about,
            named[-1] if named else "",
            sentence[value.start : value.end],
        )


def _as_told(value: Quantity, before: str, text: str) -> Quantity:
    """A date of birth is a kind of its own; what somebody has done since a day, a duration that ends now."""
    if value.kind == "date" and value.unit == "date" and _BORN.search(before[-30:]):
        return replace(value, kind="born")
    if value.kind == "date" and value.unit == "date" and value.low is not None and _SINCE.search(before):
        return replace(value, kind="since", high=value.low + _vague(text))
    return value


def _vague(text: str) -> float:
    """Days after its first that a date may mean: "2019" is a year, "May 2019" a month."""
    if re.fullmatch(r"\d{4}", text.strip()):
        return 364.0
    return 0.0 if re.match(r"\d", text.strip()) else 30.0


def _clause(sentence: str, start: int, end: int) -> str:
    """What stands around a value between commas and "and", "but" or "so"."""
    cuts = [match.span() for match in _CUT.finditer(sentence)]
    left = max((b for _, b in cuts if b <= start), default=0)
    return sentence[left : min((a for a, _ in cuts if a >= end), default=len(sentence))]


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
    others = [word for word in content(people) - _UNITS - _WHO if not any(c.isdigit() for c in word)]
    return found is not None and found.holds and not others


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
    """A value as one of the bound's kind and period; None where it cannot be one."""
    if value.kind == "number" and not value.unit and limit.kind == "amount":
        value = replace(value, kind="amount", unit=limit.unit)  # "I earn 92k"
    if value.kind == limit.kind == "duration":
        return value
    if value.kind == limit.kind and value.unit == limit.unit:
        unsaid = value.kind == "amount" and "" in (value.period, limit.period)
        return replace(value, period=limit.period) if unsaid else value
    return None if today is None else _since_then(value, limit.kind, float(today.toordinal()))


def _since_then(value: Quantity, kind: str, now: float) -> Quantity | None:
    """An age as a date of birth, a date of birth as an age, a day since when as a duration."""
    if value.low is None or value.high is None:
        return None
    low, high = value.low, value.high
    match value.kind, kind:
        case "age", "born":
            return replace(value, kind=kind, unit="date", low=now - (low + 1) * _YEAR, high=now - high * _YEAR)
        case "born", "age":
            return replace(value, kind=kind, unit="year", low=_years(high, now), high=_years(low, now))
        case "since", "duration" if now >= low:
            return replace(value, kind=kind, unit="day", low=max(0.0, now - high), high=max(0.0, now - low))
    return None


def _years(born: float, now: float) -> float:
    """Whole years from one day to another, as ages are counted; days as ordinals."""
    first, last = date.fromordinal(max(1, int(born))), date.fromordinal(int(now))
    return float(last.year - first.year - ((last.month, last.day) < (first.month, first.day)))


def _same_subject(condition: str, limit: Quantity, known: list[UserFigure]) -> UserFigure | None:
    """The one value that the condition is about: by person for ages, by kind of sum for money, else by shared words."""
    words = frozenset(word for word in content(condition) - _UNITS if not any(c.isdigit() for c in word))
    if limit.kind in ("age", "born"):
        named = [match.lastgroup for match in _PERSON.finditer(condition[: limit.start])]
        wanted = named[-1] if named else "teller"
        known = [one for one in known if _same_person(one.person, wanted) or one.perhaps == wanted]
    elif limit.kind == "amount":
        known = [one for one in known if not words or _same_sum(words, one.about)]
    else:
        acts = words - _WHO  # whoever it is: what is done decides
        known = [one for one in known if any(same_word(word, other) for word in acts or words for other in one.about)]
    values = {(one.value.low, one.value.high) for one in known}
    if len(values) > 1:
        most = max(len(words & one.about) for one in known)
        known = [one for one in known if len(words & one.about) == most]
        values = {(one.value.low, one.value.high) for one in known}
    return known[0] if len(values) == 1 else None


def _same_person(person: str, wanted: str | None) -> bool:
    """Whether a value can be of the person a condition names; "you" is who asks, or whom the question is about."""
    if wanted in ("child", "partner"):
        return person == wanted
    return person not in ("child", "partner")


def _same_sum(condition: frozenset[str], about: frozenset[str]) -> bool:
    """Whether two sums are of one thing: of earnings, savings, a price, a debt, a rent, or named by one word."""
    ours, theirs = ({i for i, things in enumerate(_SUMS) if words & things} for words in (condition, about))
    return bool(ours & theirs) if ours and theirs else bool(condition & about)
