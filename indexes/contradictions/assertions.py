"""A rule as assertions that other rules may contradict: about what, with what force, when, with what value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import base_form, word_set
from clausegraph.core.language.modals import is_uncertain
from clausegraph.core.language.normalise import singular, tokens
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.quantities import Quantity, find_quantities
from clausegraph.core.types import (
    All,
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
)
from clausegraph.indexes.contradictions.topics import BOUNDS, FREE, Place, Roots, of_meaning, places, roots, topic, years
from clausegraph.indexes.contradictions.validity import Validity, leading_date, period_of, trailing_date

_READERS = word_set(  # whom a page speaks to as "you"
    "employee staff worker tenant applicant claimant customer member visitor resident user holder carer volunteer driver"
    " student parent patient passenger traveller apprentice borrower trader tenant people person everyone anyone"
)
_NEVER = frozenset((RuleKind.CONTACT, RuleKind.DEFINITION))
_CUT = re.compile(r"[,;]\s|\s(?:and|or|but)\s")
_NO_NEED = re.compile(r"\bno (?:[\w-]+ ){1,4}(?:is|are) (?:needed|required|necessary)\b", re.IGNORECASE)
_ADVERB = re.compile(r"\b(hour|week|month|year|annual|dai)ly?\b(?! \d)", re.IGNORECASE)
_PERIODS = {"annual": "year", "dai": "day"}
_FREE = re.compile(r"\b(?:free(?: of charge)?|no (?:charge|fee|cost))\b(?! to)", re.IGNORECASE)
_SINCE = re.compile(r"\bafter\s+$|\b(?:have|has|having|'ve)\s+(?:\w+\s+){1,5}for\s+$", re.IGNORECASE)
_LIVED = ("age", "duration")
_REACHED = re.compile(r"\b(?:reach|turn)\w*\s+(?:the\s+age\s+of\s+)?$", re.IGNORECASE)
_NARROWED = re.compile(r"\s(?:who|whose|aged|under|over|living|with|without|in|of|from|on|at|for)\s")
_TO_READER = re.compile(r"\b(?:you|your|us)\b", re.IGNORECASE)


class Force(Enum):
    """What a rule does to what it is about."""

    HOLDS = "holds"  # it is so, or it is allowed
    BINDS = "binds"  # it has to be so
    BARS = "bars"  # it is not so, or not allowed
    FREES = "frees"  # it need not be so


@dataclass(frozen=True, slots=True)
class Assertion:
    """One thing that a rule says: of a value, of a value of a condition (``of_condition``), or with none that it is so.

    ``words`` are those of its clause and conditions, ``asked`` those of the conditions alone, ``context`` those around
    it; ``actor`` is the person who is its ``subject``; ``verbs`` are those of its main clause, ``facts`` its other values.
    """

    placed: PlacedRule
    span: Span  # where it is said
    title: str
    updated: str | None
    words: Roots
    asked: Roots
    context: Roots
    topic: Roots
    actor: Roots
    subject: Roots
    verbs: Roots
    places: frozenset[Place]
    years: Roots
    to_reader: bool
    in_table: bool
    force: Force
    value: Quantity | None
    facts: frozenset[object]
    of_condition: bool
    validity: Validity

    @property
    def page(self) -> PageKey:
        return self.placed.page

    @property
    def anchor(self) -> str:
        return self.placed.rule.spans[0].anchor

    @property
    def date(self) -> str:
        """The latest that is known of it, for the order of what is found; "" where nothing is."""
        return max(self.validity.start or "", self.updated or "")

    @property
    def dimension(self) -> str:
        """What its value measures; "" without one. "At least 18" is an age."""
        if self.value is None:
            return ""
        is_age = self.value.kind == "number" and not self.value.unit
        return "age" if is_age else self.value.unit if self.value.kind == "number" else self.value.kind


def assertions_of(rules: Iterable[PlacedRule], readings: Mapping[PageKey, Reading]) -> Iterator[Assertion]:
    """The assertions of rules."""
    elements = {page: {element.anchor: element for element in one.elements} for page, one in readings.items()}
    for placed in rules:
        if placed.rule.kind not in _NEVER:
            yield from _Source(placed, readings[placed.page], elements[placed.page]).assertions()


@dataclass(frozen=True, slots=True)
class _Part:
    """A part of the rule's own words with at most the values that belong together."""

    text: str
    start: int


@dataclass(frozen=True, slots=True)
class _Source:
    """A rule with its page."""

    placed: PlacedRule
    reading: Reading
    elements: Mapping[str, Element]

    def assertions(self) -> Iterator[Assertion]:
        rule, own = self.placed.rule, self.placed.rule.spans[0]
        element = self.elements[own.anchor]
        if element.tag == "tr":
            yield from self._cells(element)
            return
        text = element.text[own.start : own.end]
        force = _force(rule, text)
        excepts = rule.kind is not RuleKind.EXCLUSION and any(
            link.name is RuleLinkName.EXCEPTION_OF for link in rule.links
        )
        if force is None or excepts or text.endswith("?") or is_uncertain(text):
            return
        said, leaves = Validity(), []
        for leaf, negated, optional in _leaves(rule.condition):
            period = period_of(leaf.text)
            said |= period or Validity()
            inside = leaf.anchor == own.anchor and own.start <= leaf.start < own.end
            if inside:
                at = leaf.start - own.start
                text = text[:at] + " " * len(leaf.text) + text[at + len(leaf.text) :]
            if period is None:
                leaves.append((leaf, negated, optional, leaf.start - own.start if inside else -1))
        text, dated = _undated(text)
        opening = (element.text[a:b] for a, b in sentence_spans(element.text) if a <= own.start < b)
        said = said | dated | leading_date(next(opening, ""))[1] | Validity(rule.effective_from, rule.effective_to)
        around = " ".join(self._text(span) for span in rule.spans[1:] if not self._completes(span))
        asked_at = {leaf.anchor for leaf, *_ in leaves} - {own.anchor}
        whole = [span for span in rule.spans[1:] if self._completes(span) and span.anchor not in asked_at]
        beside = " ".join(map(self._text, whole))
        clause = split_proposition(text)
        subject = _NARROWED.split(clause.subject)[0]
        head = singular(subject.lower().split(" ")[-1])
        base = self._made(
            text, f"{around} {' '.join(element.headings)}", force, validity=said,
            actor=roots(head) if head in _READERS else frozenset(),
        )  # fmt: skip
        base = replace(base, subject=roots(subject), verbs=roots(f"{clause.relation} {' '.join(_acts(text))}"))
        parts = _parts(text)
        for number, part in enumerate(parts):
            end = parts[number + 1].start if number + 1 < len(parts) else len(element.text)
            of_part = [one for one in leaves if one[3] < 0 or part.start <= one[3] < end or (not number and one[3] < end)]
            yield from self._of_part(base, f"{beside} {part.text}", of_part)
        yield from self._thresholds(base, f"{beside} {text}", leaves)

    def _of_part(self, base: Assertion, text: str, leaves: list[tuple[Leaf, bool, bool, int]]) -> Iterator[Assertion]:
        """That a part of its words is so, and its values."""
        asked = frozenset(word for leaf, negated, _, _ in leaves for word in _asked(leaf, negated))
        of_leaves = [value for leaf, *_ in leaves for value in _values(leaf.text)]
        values = list(_values(text))
        words = roots(text) | asked
        facts = frozenset(map(_fact, (*values, *of_leaves)))
        base = replace(base, words=words, asked=asked, facts=facts, places=frozenset(places(text)))
        yield base
        if _FREE.search(text) and base.force in (Force.HOLDS, Force.BINDS):
            nothing = Quantity("amount", 0.0, 0.0, "GBP")
            yield replace(base, words=words - FREE, value=nothing)
        for value in values:
            others = frozenset(_fact(one) for one in (*values, *of_leaves) if one is not value)
            positive = _positive(value, base.force)
            if positive is not None:
                said = words if positive.exact else words - BOUNDS
                yield replace(base, words=said, value=positive, facts=others, force=_POSITIVE.get(base.force, base.force))

    def _thresholds(self, base: Assertion, text: str, leaves: list[tuple[Leaf, bool, bool, int]]) -> Iterator[Assertion]:
        """The values that its conditions ask for."""
        facts = frozenset(map(_fact, _values(text)))
        for leaf, negated, optional, _ in leaves:
            values = list(_values(leaf.text))
            if len(values) != 1 or optional:
                continue
            force = _NEGATIVE.get(base.force, base.force) if negated else base.force
            value = _positive(values[0], base.force) if not negated else _complement(values[0])
            if value is None:
                continue
            asked = roots(leaf.text)
            yield replace(
                base, span=Span(leaf.anchor, leaf.start, leaf.end), words=roots(text) | asked, asked=asked, value=value,
                facts=facts, of_condition=True, places=frozenset(places(text)), force=_POSITIVE.get(base.force, base.force),
            )  # fmt: skip

    def _cells(self, row: Element) -> Iterator[Assertion]:
        """The values of a row of a table, each under its headers."""
        cells = row.text.split(" | ")
        headers = row.headers if len(row.headers) == len(cells) else ("",) * len(cells)
        label, period = leading_date(cells[0])
        said = period_of(cells[0]) or period
        start = len(cells[0])
        for header, cell in zip(headers[1:], cells[1:], strict=True):
            at, start = start + len(" | "), start + len(" | ") + len(cell)
            values = list(_values(cell))
            if len(values) != 1:
                continue
            words = of_meaning(tokens(header)) | (roots(label) if period_of(cells[0]) is None else frozenset())
            made = self._made(f"{header} {label} {cell}", " ".join(row.headings), Force.HOLDS, validity=said)
            facts = frozenset(map(_fact, _values(label))) if period_of(cells[0]) is None else frozenset()
            span = Span(row.anchor, at, at + len(cell))
            yield replace(made, span=span, words=words | roots(cell), value=values[0], facts=facts, in_table=True)

    def _made(
        self, text: str, around: str, force: Force, validity: Validity, actor: Roots = frozenset()
    ) -> Assertion:
        rule, title = self.placed.rule, self.reading.title
        undated = re.sub(r"\d{1,2} \w+ (?:19|20)\d\d", "", f"{text} {title} {around}")
        return Assertion(
            self.placed, rule.spans[0], title, self.reading.updated, roots(text), frozenset(), roots(f"{title} {around}"),
            topic(title), actor, frozenset(), frozenset(), frozenset(), years(undated), bool(_TO_READER.search(text)) or rule.modality is Modality.MUST, False,
            force, None, frozenset(), False, validity,
        )  # fmt: skip

    def _text(self, span: Span) -> str:
        element = self.elements.get(span.anchor)
        return element.text[span.start : span.end] if element else ""

    def _completes(self, span: Span) -> bool:
        """Whether a span is of the list that the rule's own words introduce, or introduces them."""
        own, other = self.elements[self.placed.rule.spans[0].anchor], self.elements.get(span.anchor)
        return other is not None and (
            other.anchor in (own.lead_in, own.parent) or own.anchor in (other.lead_in, other.parent)
        )


_POSITIVE = {Force.BARS: Force.HOLDS, Force.FREES: Force.HOLDS}
_NEGATIVE = {Force.BARS: Force.HOLDS, Force.FREES: Force.HOLDS}


def _force(rule: Rule, text: str) -> Force | None:
    said = split_proposition(text)
    if _NO_NEED.search(text):
        return Force.FREES
    plain = Force.HOLDS if rule.polarity and said.polarity else Force.BARS
    return {
        Modality.CANNOT: Force.BARS,
        Modality.NEED_NOT: Force.FREES,
        Modality.MUST: Force.BINDS if rule.polarity else Force.FREES,
        Modality.SHOULD: None,  # advice binds nobody
    }.get(rule.modality, plain)


def _acts(text: str) -> Iterator[str]:
    """The participles and gerunds of a text."""
    yield from (word for word in tokens(text) if word.endswith(("ed", "ing")) and base_form(word))


def _leaves(
    tree: Condition | None, negated: bool = False, optional: bool = False
) -> Iterator[tuple[Leaf, bool, bool]]:
    """The leaves of a tree: whether the absence of each is asked for, and whether any of several will do."""
    match tree:
        case None:
            return
        case Leaf():
            yield tree, negated, optional
        case Not(child):
            yield from _leaves(child, not negated, optional)
        case All(children) | AnyOf(children):
            for child in children:
                yield from _leaves(child, negated, optional or isinstance(tree, AnyOf))


def _asked(leaf: Leaf, negated: bool) -> Iterator[str]:
    """The words of a condition; those of one whose absence is asked for are others."""
    denied = negated != bool(re.search(r"\b(?:not|no|never|cannot|without)\b|n['’]t\b", leaf.text, re.IGNORECASE))
    yield from (f"not {word}" if denied else word for word in roots(leaf.text))


def _undated(text: str) -> tuple[str, Validity]:
    """A clause without the date that it begins or ends with, and when it holds by that."""
    text, opened = leading_date(text)
    kept, ended = trailing_date(text)
    return (kept, opened | ended) if ended.known and kept else (text, opened)


def _parts(text: str) -> list[_Part]:
    """A clause cut between its values."""
    values = list(_values(text))
    cuts = [0]
    for one, other in zip(values, values[1:], strict=False):
        found = [match.start() for match in _CUT.finditer(text, one.end, other.start)]
        cuts += found[-1:]
    return [_Part(text[a:b], a) for a, b in zip(cuts, [*cuts[1:], len(text)], strict=True)]


def _values(text: str) -> Iterator[Quantity]:
    """The values of a text; "reduced by 25%" is no bound, "once you reach 65" is one."""
    adverb = _ADVERB.search(text)
    period = "" if adverb is None else _PERIODS.get(adverb[1].lower(), adverb[1].lower())
    smallest, largest = "minimum" in text.lower(), "maximum" in text.lower()
    for value in find_quantities(text):
        before = text[: value.start]
        if value.kind in ("amount", "percent") and before.lower().endswith(" by ") and value.high is not None:
            value = replace(value, low=value.high, high_included=True)
        elif value.exact and (_REACHED if value.kind == "age" else _SINCE).search(before) and value.kind in _LIVED:
            value = replace(value, high=None)
        elif value.exact and smallest is not largest:
            value = replace(value, **{"high" if smallest else "low": None})
        if value.kind == "amount" and not value.period:
            value = replace(value, period=period)
        yield value


def _positive(value: Quantity, force: Force) -> Quantity | None:
    """What is allowed where a value is, or the rest is barred; none where only one value is denied."""
    return _complement(value) if force in _POSITIVE else value


def _complement(value: Quantity) -> Quantity | None:
    """All below what is above, and the other way round."""
    if (value.low is None) == (value.high is None):
        return None
    return replace(
        value, low=value.high, high=value.low, low_included=not value.high_included, high_included=not value.low_included
    )


def _fact(value: Quantity) -> tuple[object, ...]:
    return (value.kind, value.low, value.high, value.unit, value.period)
