"""What a scenario says about a condition: met, unmet or nothing. Words, negation, and plain comparisons."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language.normalise import normalise_text
from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.types import ConditionState
from clausegraph.query.read.statements import content

_UNDER_TWENTY = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
)
_NUMBER_WORDS = {word: number for number, word in enumerate(_UNDER_TWENTY.split())} | {
    "thirty": 30,
    "forty": 40,
    "fifty": 50,
    "sixty": 60,
    "seventy": 70,
    "eighty": 80,
    "ninety": 90,
}
_UNITS = {"day": 1.0, "week": 7.0, "month": 30.4, "year": 365.25}
_WORDED = "|".join(sorted(_NUMBER_WORDS, key=len, reverse=True))
_NUM = rf"(?:\d[\d,]*(?:\.\d+)?|{_WORDED}|an?)"
_UNIT = r"(?:day|week|month|year)"
_QUANTITY = re.compile(
    rf"""
    (?P<money>[£$€]\s?(?P<amount>\d[\d,]*(?:\.\d+)?)\s?(?P<scale>k\b|m\b|million)?)
  | (?P<age>
        \b(?P<years>\d{{1,3}}|{_WORDED})[\s-]*(?:years?[\s-]*old|yrs?\ old)\b
      | \b(?:i\ am|i'm|he\ is|she\ is|aged?|who\ is|is|turned|turning|and\ am)\s+(?P<bare>\d{{2}})
        (?=[\s,.;)]*(?:$|[.,;)]|and\b|years?[\s-]old))
      | \baged?\s+(?:of\s+)?(?P<aged>\d{{1,3}})\b)
  | \b(?P<span>(?P<count>{_NUM})(?:[\s-]+(?:and\ a\ half|calendar|working|full))?[\s-]+(?P<unit>{_UNIT})s?)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_MORE = (
    r"(?:more\ than|over|above|at\ least|exceeds?|not\ less\ than|a\ minimum\ of|minimum\ of|older\ than"
    r"|greater\ than|from)"
)
_LESS = (
    r"(?:less\ than|under|below|up\ to|no\ more\ than|not\ more\ than|at\ most|a\ maximum\ of|maximum\ of|within"
    r"|younger\ than|fewer\ than)"
)
_FIGURE = rf"[£$€]?\s?\d[\d,.]*|{_NUM}"
_OF_UNIT = rf"[\s-]+{_UNIT}s?(?:\s+old)?"
_BOUND = re.compile(
    rf"""
    \b(?P<less>{_LESS})\s+(?:the\ age\ of\s+)?(?P<lv>{_FIGURE})(?P<lu>{_OF_UNIT})?
  | \b(?P<more>{_MORE})\s+(?:the\ age\ of\s+)?(?P<mv>{_FIGURE})(?P<mu>{_OF_UNIT})?
  | (?P<bv>[£$€]?\s?\d[\d,.]*)(?P<bu>\s+{_UNIT}s?(?:\s+old)?)?\s+(?:or|and)\s+
    (?P<dir>over|more|older|above|under|less|younger|fewer|below)\b
    """,
    re.IGNORECASE | re.VERBOSE,
)
_NEGATIVE = re.compile(r"\b(?:not|never|no|none|without|neither|cannot|nor|no longer)\b|n't\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number with its dimension: money in its currency, age in years, duration in days."""

    kind: str
    value: float


@dataclass(frozen=True, slots=True)
class Comparison:
    """A plain bound against the only figure of its kind in the scenario."""

    holds: bool
    bound: float
    figure: float


def _number(text: str) -> float | None:
    bare = text.strip(" £$€,.").replace(",", "").lower()
    if bare in ("a", "an"):
        return 1.0
    if bare in _NUMBER_WORDS:
        return float(_NUMBER_WORDS[bare])
    return float(bare) if re.fullmatch(r"\d+(?:\.\d+)?", bare) else None


def quantities(text: str) -> list[Quantity]:
    """Money, ages and durations of a scenario, in order."""
    found: list[Quantity] = []
    for match in _QUANTITY.finditer(normalise_text(text)):
        if match["money"]:
            value, kind = _number(match["amount"]), "money"
            scale = {"k": 1e3, "m": 1e6, "million": 1e6}.get((match["scale"] or "").lower(), 1.0)
        elif match["age"]:
            value, kind, scale = _number(match["years"] or match["bare"] or match["aged"]), "age", 1.0
        else:
            value, kind, scale = _number(match["count"]), "duration", _UNITS[match["unit"].lower()]
        if value is not None:
            found.append(Quantity(kind, value * scale))
    return found


def bounds(text: str) -> list[tuple[Quantity, bool]]:
    """Bounds of a statement with whether the figure must be at least that ("over") or below it ("under")."""
    found: list[tuple[Quantity, bool]] = []
    for match in _BOUND.finditer(normalise_text(text)):
        raw = match["lv"] or match["mv"] or match["bv"] or ""
        unit = (match["lu"] or match["mu"] or match["bu"] or "").lower()
        above = bool(match["more"]) or (match["dir"] or "").lower() in ("over", "more", "older", "above")
        value = _number(raw)
        if value is None:
            continue
        found.append((_dimension(raw, unit, value), above))
    return [(quantity, above) for quantity, above in found if quantity.kind]


def _dimension(raw: str, unit: str, value: float) -> Quantity:
    if re.search(r"[£$€]", raw):
        return Quantity("money", value)
    if "old" in unit:
        return Quantity("age", value)
    if unit:
        return Quantity("duration", value * _UNITS[re.sub(r"[^a-z]", "", unit).rstrip("s")])
    return Quantity("age" if 10 <= value <= 100 else "", value)


def compare(statement: str, scenario: str) -> Comparison | None:
    """Compare the only bound of a statement with the only figure of its kind in the scenario, else None."""
    limits = bounds(statement)
    if len(limits) != 1:
        return None
    limit, above = limits[0]
    figures = {quantity.value for quantity in quantities(scenario) if quantity.kind == limit.kind}
    if len(figures) != 1:
        return None
    figure = figures.pop()
    return Comparison(figure >= limit.value if above else figure <= limit.value, limit.value, figure)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The state of a condition for a scenario, the share of its words that occur there, and why."""

    state: ConditionState
    overlap: float
    reason: str


def judge(condition: str, scenario: str, enough: float = 0.6) -> Judgement:
    """Judge a condition by one sentence of the scenario: a comparison first, then shared words and negation."""
    needles = content(condition)
    comparison = compare(condition, scenario)
    text = normalise_text(scenario)
    sentences = [text[start:end] for start, end in sentence_spans(text)]
    best = max(sentences, key=lambda s: len(needles & content(s)), default="")
    share = len(needles & content(best)) / len(needles) if needles else 0.0
    if comparison is not None:
        state = ConditionState.MET if comparison.holds else ConditionState.UNMET
        return Judgement(state, share, f"{comparison.figure:g} against {comparison.bound:g}")
    if share < enough:
        return Judgement(ConditionState.UNKNOWN, share, "not mentioned")
    same = bool(_NEGATIVE.search(condition)) == bool(_NEGATIVE.search(best))
    return Judgement(
        ConditionState.MET if same else ConditionState.UNMET, share, "said" if same else "said with the other sign"
    )
