"""A rule as assertions that other rules may contradict: about what, with what force, when, with what value."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from functools import lru_cache
from itertools import pairwise

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import MONTHS, NUMBERS, word_set
from clausegraph.core.language.modals import is_uncertain
from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.quantities import A_YEAR, Quantity, find_quantities
from clausegraph.core.language.references import points_back
from clausegraph.core.types import (
    AnyOf,
    Condition,
    Element,
    Leaf,
    Modality,
    Not,
    PageKey,
    PlacedRule,
    Reading,
    Rule,
    RuleKind,
    RuleLinkName,
    Span,
    leaves,
)
from clausegraph.indexes.contradictions.topics import BOUNDS, FREE, Roots, of_meaning, roots, topic
from clausegraph.indexes.contradictions.validity import Validity, leading_date, period_of, trailing_date

_CASE = word_set("if unless when whether while where who which example except page")
_ASKS = ("check if", "check whether", "check what", "check how", "find out", "see if", "see whether", "see how")
_CUT = re.compile(r"[,;]\s|\s(?:and|or|but)\s")
_REQUIRED = r"(?:needed|required|necessary|obliged|compulsory|mandatory)\b"
_FORCES = re.compile(
    r"(?P<HOLDS>^\s*no (?:more|less|fewer|later|earlier) than\b)|"
    rf"(?P<FREES>\bno (?:[\w-]+ ){{1,4}}(?:is|are) {_REQUIRED}|(?:not|n['’]t) {_REQUIRED}|\boptional\b)|"
    rf"(?P<BINDS>\b(?:is|are) {_REQUIRED})|"
    r"(?P<BARS>\b(?:is|are|be) (?:banned|prohibited|forbidden|barred|illegal|unlawful)\b)",
    re.IGNORECASE,
)
_DENIED = re.compile(r"\b(?:not|no|never|cannot|without)\b|n['’]t\b", re.IGNORECASE)
_ADVERB = re.compile(r"\b(?:(hour|week|month|year)ly|(annual|daily))\b", re.IGNORECASE)
_FREE = re.compile(
    r"\b(?:free(?: of charge)?|(?:no|without|any) (?:charge|fee|cost)|nothing to pay)\b(?! to)", re.IGNORECASE
)
_UNPAID = re.compile(
    r"(?:\bnot|n['’]t|\bnever|\bneed not) (?:be )?(?:have to |need to )?(?:pay|charged?)\b|\bno need to pay\b",
    re.IGNORECASE,
)
_SHARES = {"half": 50.0, "third": 100 / 3, "quarter": 25.0, "two thirds": 200 / 3, "three quarters": 75.0}
_SHARE = re.compile(rf"\b({'|'.join(reversed(_SHARES))})(?=[ -](?:of|off|the|price|your|their)\b)", re.IGNORECASE)
_NOT_ENDED = "".join(f"(?<!{word} )" for word in ("end", "ends", "out", "expire", "expires", "destroyed", "deleted"))
_AT_LEAST = {  # what stands before an age or a duration that is the least there is
    "age": re.compile(r"\b(?:reach|turn)\w*\s+(?:the\s+age\s+of\s+)?$", re.IGNORECASE),
    "number": re.compile(r"\b(?:must|need to|have to) be\s+$", re.IGNORECASE),
    "duration": re.compile(
        rf"{_NOT_ENDED}\bafter\s+$|\b(?:have|has|having|'ve)\s+(?:\w+\s+){{1,5}}for\s+$", re.IGNORECASE
    ),
}
_PERSONS = word_set("child children people person persons pupil pupils anyone anybody those kids")
_LATEST = ("no later than ", "not later than ", "up to ", "until ", "by ")  # so long before it, or longer
_DATE = re.compile(r"\d{1,2} \w+ (?:19|20)\d\d")
_PER = re.compile(r"\b(?:per|an?|each) (hour|day|night|week|month|year)\b", re.IGNORECASE)
_COUNTS = {"once": 1.0, "twice": 2.0} | {word: float(number) for word, number in NUMBERS.items()}
_OFTEN = re.compile(
    rf"\b(?:(?:(?P<count>once|twice|(?:\d+|{'|'.join(NUMBERS)}) times) (?:a|per|every|each)|every|each)"
    rf" (?:(?P<of>\d+|other|{'|'.join(NUMBERS)}) )?(?P<unit>{'|'.join(A_YEAR)})s?"
    rf"|(?P<adverb>{'|'.join(A_YEAR)}|dai)ly)\b",
    re.IGNORECASE,
)
_CLOCK = re.compile(
    r"(?:\b(?:(?P<least>from|after)|(?P<most>by|before|until|till)) )?"
    r"\b(?:(?P<hour>\d{1,2})(?:[.:](?P<minute>\d\d))?\s?(?P<half>am|pm)|(?P<name>noon|midday|midnight))\b",
    re.IGNORECASE,
)
_LISTED = 3  # values of one thing on one page that make a list
_TO = ("to", "-", "–", "and", "until", "till", "")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")


class Force(Enum):
    """What a rule does to what it is about."""

    HOLDS = "holds"  # it is so, or it is allowed
    BINDS = "binds"  # it has to be so
    BARS = "bars"  # it is not so, or not allowed
    FREES = "frees"  # it need not be so


_NEGATIVE = (Force.BARS, Force.FREES)


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing that a rule says: of a value, of a value of a condition (``of_condition``), or with none that it is so.

    ``text`` is its clause, ``words`` those of it and its conditions, ``asked`` those of the conditions alone,
    ``context`` those around it, ``facts`` its other values. Of a value that is barred it says that the rest holds.
    """

    page: PageKey
    rule: str  # its key; empty of a sentence that no rule has
    modality: Modality
    own: Span  # the first of the rule
    leaves: tuple[Span, ...]  # of its conditions
    span: Span  # where it is said
    updated: str | None
    text: str
    words: Roots
    asked: Roots
    context: Roots
    topic: Roots
    years: Roots
    months: Roots
    force: Force
    validity: Validity
    facts: frozenset[tuple[object, ...]] = frozenset()
    value: Quantity | None = None
    of_condition: bool = False
    header: Roots | None = None  # of the column that its value stands in
    is_listed: bool = False  # it is one of many values of one thing on its page

    @property
    def anchor(self) -> str:
        return self.own.anchor

    @property
    def date(self) -> str:
        """The latest that is known of it, for the order of what is found; "" where nothing is."""
        return max(self.validity.start or "", self.updated or "")

    @property
    def dimension(self) -> str:
        """What its value measures; "" without one. "At least 18" is an age."""
        value = self.value
        return "" if value is None else value.kind if value.kind != "number" else value.unit or "age"

    def of_value(self, value: Quantity | None, of: Iterable[Quantity], words: Roots) -> Iterator[Assertion]:
        """The same of a value beside those that it is one of; nothing where only that value is denied."""
        if value is not None and self.force in _NEGATIVE:
            value = _complement(value)
        if value is not None:
            facts = frozenset(_fact(one) for one in of if one.start != value.start or one.kind != value.kind)
            force = Force.HOLDS if self.force in _NEGATIVE else self.force
            kept = words if value.exact else words - BOUNDS
            yield replace(self, value=value, words=kept, facts=facts, force=force)


def assertions_of(rules: Iterable[PlacedRule], readings: Mapping[PageKey, Reading]) -> Iterator[Assertion]:
    """The assertions of rules, and of sentences of their pages that rule nothing."""
    made = list(_asserted(tuple(rules), readings))
    lists = _lists(made)
    return (replace(one, is_listed=True) if _listed_as(one) in lists else one for one in made)


def _asserted(rules: Sequence[PlacedRule], readings: Mapping[PageKey, Reading]) -> Iterator[Assertion]:
    elements = {page: {element.anchor: element for element in one.elements} for page, one in readings.items()}
    for placed in (*rules, *_plain(rules, readings)):
        source = _Source(placed, readings[placed.page], elements[placed.page])
        if placed.rule.kind not in (RuleKind.CONTACT, RuleKind.DEFINITION):
            yield from source.cells() if source.own.tag == "tr" else source.clauses()


def _listed_as(one: Assertion) -> tuple[object, ...] | None:
    if one.value is None:
        return None
    return one.page, one.words, one.dimension, one.of_condition, one.validity


def _lists(assertions: Iterable[Assertion]) -> set[object]:
    """Of what pages list values themselves: many of one thing on one page, or several in one element."""
    values: dict[object, dict[object, set[str]]] = defaultdict(lambda: defaultdict(set))
    for one in assertions:
        if one.value is not None:
            values[_listed_as(one)][one.value.low, one.value.high, one.value.period].add(one.anchor)
    return {
        place
        for place, found in values.items()
        if len(found) >= _LISTED or len({anchor for anchors in found.values() for anchor in anchors}) < len(found)
    }


def _plain(rules: Iterable[PlacedRule], readings: Mapping[PageKey, Reading]) -> Iterator[PlacedRule]:
    """Sentences that no rule has and that name no case, as rules with an empty key."""
    ruled: dict[tuple[PageKey, str], list[Span | Leaf]] = defaultdict(list)
    for placed in rules:
        stated: tuple[Span | Leaf, ...] = (*placed.rule.spans, *leaves(placed.rule.condition))
        for one in stated:
            ruled[placed.page, one.anchor].append(one)
    for page, reading in readings.items():
        for element in (one for one in reading.elements if one.tag in ("p", "li") and not one.lead_in):
            for start, end in sentence_spans(element.text):
                text = element.text[start:end]
                free = all(span.end <= start or end <= span.start for span in ruled[page, element.anchor])
                if not free or points_back(text) or not _CASE.isdisjoint(tokens(text)):
                    continue
                parts = split_proposition(text)
                if parts.relation and parts.subject:
                    spans = (Span(element.anchor, start, end),)
                    said = Rule((RuleKind.CONSEQUENCE,), spans, (), (), parts.polarity, parts.exact)
                    yield PlacedRule("", page, "", said, "", ())


_PlacedLeaf = tuple[Leaf, bool, bool, int]  # negated, one of several that will do, its start in the rule's words or -1


@dataclass(frozen=True, slots=True)
class _Source:
    """A rule with its page."""

    placed: PlacedRule
    reading: Reading
    elements: Mapping[str, Element]

    @property
    def own(self) -> Element:
        return self.elements[self.placed.rule.spans[0].anchor]

    def clauses(self) -> Iterator[Assertion]:
        """What the clauses between its values say, and what its conditions ask for."""
        rule, own, said = self.placed.rule, self.placed.rule.spans[0], Validity()
        text = self.own.text[own.start : own.end]
        force = _force(rule, text)
        excepts = any(link.name is RuleLinkName.EXCEPTION_OF for link in rule.links)
        if (
            force is None
            or (excepts and rule.kind is not RuleKind.EXCLUSION)
            or text.endswith("?")
            or text.lower().lstrip().startswith(_ASKS)
            or is_uncertain(text)
        ):
            return
        leaves: list[_PlacedLeaf] = []
        for leaf, negated, optional in _leaves(rule.condition):
            at = leaf.start - own.start if leaf.anchor == own.anchor and own.start <= leaf.start < own.end else -1
            if at >= 0:
                text = text[:at] + " " * len(leaf.text) + text[at + len(leaf.text) :]
            if (period := period_of(leaf.text)) is not None:
                said |= period
            else:
                leaves.append((leaf, negated, optional, at))
        text, opened = leading_date(text)
        kept, ended = trailing_date(text)
        text, ended = (kept, ended) if ended.known and kept else (text, Validity())
        start, end = next(
            ((a, b) for a, b in sentence_spans(self.own.text) if a <= own.start < b), (own.start, own.end)
        )
        said = said | opened | ended | leading_date(self.own.text[start:end])[1]
        said |= Validity(rule.effective_from, rule.effective_to)
        asked_at = {leaf.anchor for leaf, *_ in leaves} - {own.anchor}
        others = [(self.elements[span.anchor], span) for span in rule.spans[1:]]
        whole = [(one, span) for one, span in others if self._completes(one)]
        beside = " ".join(one.text[span.start : span.end] for one, span in whole if span.anchor not in asked_at)
        around = " ".join(one.text[span.start : span.end] for one, span in others if (one, span) not in whole)
        base = self._made(text, f"{self.own.text[start : own.start]} {around}", force, said)
        cuts = _cuts(text)
        for start, end in zip(cuts, [*cuts[1:], len(self.own.text)], strict=True):
            of_part = [one for one in leaves if one[3] < 0 or start <= one[3] < end or (not start and one[3] < end)]
            yield from _of_clause(base, f"{beside} {text[start:end]}", of_part)
        yield from _thresholds(base, f"{beside} {text}", leaves)

    def cells(self) -> Iterator[Assertion]:
        """The values of a row of a table, each under its header."""
        row, cells = self.own, self.own.text.split(" | ")
        headers = row.headers if len(row.headers) == len(cells) else ("",) * len(cells)
        period, start = period_of(cells[0]), 0
        label, opened = ("", Validity()) if period is not None else leading_date(cells[0])
        for header, cell in zip(headers, cells, strict=True):
            values = find_values(cell) if start else ()
            every = _PER.search(header)
            values = tuple(replace(one, period=one.period or (every[1].lower() if every else "")) for one in values)
            if len(values) == 1:
                span = Span(row.anchor, start, start + len(cell))
                made = self._made(f"{header} {label} {cell}", "", Force.HOLDS, period or opened)
                words = roots(f"{header} {label} {cell}")
                of = (*values, *(replace(one, start=-1) for one in find_values(label)))
                yield from replace(made, span=span, header=of_meaning(tokens(header))).of_value(values[0], of, words)
            start += len(cell) + len(" | ")

    def _made(self, text: str, around: str, force: Force, validity: Validity) -> Assertion:
        title = self.reading.title
        around = " ".join((title, self.reading.publisher or "", around, *self.own.headings))
        years = frozenset(_YEAR.findall(_DATE.sub("", f"{text} {around}")))
        months = _months(text)
        rule, page = self.placed.rule, self.placed.page
        asked = tuple(Span(leaf.anchor, leaf.start, leaf.end) for leaf in leaves(rule.condition))
        return Assertion(
            page, self.placed.key, rule.modality, rule.spans[0], asked, rule.spans[0], self.reading.updated, text,
            roots(text), frozenset(), roots(around), topic(title), years, months, force, validity,
        )  # fmt: skip

    def _completes(self, other: Element) -> bool:
        """Whether an element is of the list that the rule's own words introduce, or introduces them."""
        return other.anchor in (self.own.lead_in, self.own.parent) or self.own.anchor in (other.lead_in, other.parent)


def _months(text: str) -> Roots:
    """The months that a text names, but for those of dates."""
    words = ["", *text.replace(".", " ").replace(",", " ").split(), ""]
    near = zip(words, words[1:], words[2:], strict=False)
    named = (one for one in near if one[1].istitle() and one[1].lower() in MONTHS)
    return frozenset(word for before, word, after in named if not f"{before}{after}".isdigit())


def _of_clause(base: Assertion, text: str, leaves: Iterable[_PlacedLeaf]) -> Iterator[Assertion]:
    """That a clause is so, and its values."""
    asked = frozenset(word for leaf, negated, *_ in leaves for word in _asked(leaf, negated))
    values = find_values(text)
    of = (*values, *(replace(value, start=-1) for leaf, *_ in leaves for value in find_values(leaf.text)))
    words = roots(text) | asked
    base = replace(base, text=text, words=words, asked=asked, facts=frozenset(map(_fact, of)))
    yield base
    if _UNPAID.search(text) if base.force in _NEGATIVE else _FREE.search(text):
        yield replace(base, words=words - FREE, value=Quantity("amount", 0.0, 0.0, "GBP"), force=Force.HOLDS)
    for value in values:
        yield from base.of_value(value, of, words)


def _thresholds(base: Assertion, text: str, leaves: Iterable[_PlacedLeaf]) -> Iterator[Assertion]:
    """The values that its conditions ask for."""
    for leaf, negated, optional, _ in leaves:
        values = find_values(leaf.text)
        if len(values) == 1 and not optional:
            asked, span = roots(leaf.text), Span(leaf.anchor, leaf.start, leaf.end)
            made = replace(base, text=text, span=span, asked=asked, of_condition=True)
            value = replace(_complement(values[0]) or values[0], start=-1) if negated else replace(values[0], start=-1)
            yield from made.of_value(value, find_values(text), roots(text) | asked)


def _force(rule: Rule, text: str) -> Force | None:
    if (found := _FORCES.search(text)) is not None:
        return Force[str(found.lastgroup)]
    return {
        Modality.CANNOT: Force.BARS,
        Modality.NEED_NOT: Force.FREES,
        Modality.MUST: Force.BINDS if rule.polarity else Force.FREES,
        Modality.SHOULD: None,  # advice binds nobody
    }.get(rule.modality, Force.HOLDS if rule.polarity and split_proposition(text).polarity else Force.BARS)


def _leaves(tree: Condition | None, negated: bool = False, optional: bool = False) -> Iterator[tuple[Leaf, bool, bool]]:
    """The leaves of a tree: whether the absence of each is asked for, and whether any of several will do."""
    match tree:
        case None:
            return
        case Leaf():
            yield tree, negated, optional
        case Not(child):
            yield from _leaves(child, not negated, optional)
        case _:
            for child in tree.children:
                yield from _leaves(child, negated, optional or isinstance(tree, AnyOf))


def _asked(leaf: Leaf, negated: bool) -> Iterator[str]:
    """The words of a condition; those of one whose absence is asked for are others."""
    denied = negated != bool(_DENIED.search(leaf.text))
    yield from (f"not {word}" if denied else word for word in roots(leaf.text))


def _cuts(text: str) -> list[int]:
    """Where the clauses of a text begin, of which each has its own value."""
    values = find_values(text)
    joints = ([found.start() for found in _CUT.finditer(text, a.end, b.start)] for a, b in pairwise(values))
    return [0, *(found[-1] for found in joints if found)]


@lru_cache(maxsize=4096)
def find_values(text: str) -> tuple[Quantity, ...]:
    """The values of a text; "reduced by 25%" is no bound, "once you reach 65" and "the minimum is £5" are. Where it
    has no others: how often in a year."""
    values, often = list(find_quantities(text)), _OFTEN.search(text)
    if often is not None and all(often.start() <= value.start < often.end() for value in values):
        return (_how_often(often),)
    values += (
        Quantity("percent", share, share, "%", start=found.start(), end=found.end())
        for found in _SHARE.finditer(text)
        for share in [_SHARES[found[1].lower()]]
    )
    return (*(_bounded(value, text) for value in values), *_times_of_day(text))


def _how_often(found: re.Match[str]) -> Quantity:
    """How often in a year: "every two weeks", "twice a month", "weekly"."""
    count, every, unit, adverb = ((word or "").lower() for word in found.groups())
    times, units = (
        _COUNTS.get(word) or float(word or 1) for word in (count.removesuffix(" times"), every.replace("other", "2"))
    )
    rate = times * A_YEAR[unit or adverb.replace("dai", "day")] / units
    return Quantity("frequency", rate, rate, start=found.start(), end=found.end())


def _times_of_day(text: str) -> tuple[Quantity, ...]:
    """The times of day of a text; "9am to 5pm" is one."""
    times = tuple(map(_time_of_day, _CLOCK.finditer(text)))
    if len(times) == 2 and text[times[0].end : times[1].start].strip() in _TO:
        (first, last) = times
        return (replace(first, low=first.low or first.high, high=last.high or last.low, end=last.end),)
    return times


def _time_of_day(found: re.Match[str]) -> Quantity:
    """A time of day in hours; "by 10.30am" is the latest."""
    name = (found["name"] or "").lower()
    hour = int(found["hour"] or 12) % 12 + int(found["minute"] or 0) / 60
    hour += 12 * ((found["half"] or name).lower() in ("pm", "noon", "midday"))
    low, high = (None if found["most"] else hour), (None if found["least"] else hour)
    return Quantity("time", low, high, start=found.start(), end=found.end())


def _bounded(value: Quantity, text: str) -> Quantity:
    before = text[: value.start].lower().split()[-2:]
    if value.kind == "number" and before[1:] in (["under"], ["over"]) and before[0] in _PERSONS:
        value = replace(value, kind="age", unit="year")
    lower, adverb, since = text.lower(), _ADVERB.search(text), _AT_LEAST.get(value.kind)
    if value.kind == "amount" and not value.period and adverb is not None:
        value = replace(value, period=(adverb[1] or {"annual": "year", "daily": "day"}[adverb[2].lower()]).lower())
    if value.kind in ("amount", "percent") and lower[: value.start].endswith(" by ") and value.high is not None:
        return replace(value, low=value.high, high_included=True)
    if value.kind == "duration" and value.relation == "before" and lower[: value.start].endswith(_LATEST):
        return replace(value, low=value.high or value.low, high=None)
    least = "minimum" in lower or bool(since and since.search(text[: value.start]))
    if not value.exact or least == ("maximum" in lower):
        return value
    return replace(value, high=None) if least else replace(value, low=None)


def _complement(value: Quantity) -> Quantity | None:
    """All below what is above, and the other way round; none of a single value."""
    if (value.low is None) == (value.high is None):
        return None
    included = not value.high_included, not value.low_included
    return replace(value, low=value.high, high=value.low, low_included=included[0], high_included=included[1])


def _fact(value: Quantity) -> tuple[object, ...]:
    return (value.kind, value.low, value.high, value.unit if value.kind != "number" else "", value.period)
