"""A statement as something that another one may contradict: about what, which slot of it, with what value."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import Enum

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.quantities import Quantity, statement_quantity
from clausegraph.core.types import (
    Condition,
    Element,
    Leaf,
    Literal,
    Mention,
    Modality,
    Not,
    PageKey,
    Reading,
    Span,
    Statement,
    Support,
)
from clausegraph.core.types import leaves as leaves_of
from clausegraph.indexes.contradictions.conditions import (
    Requirement,
    Roots,
    Validity,
    leading_date,
    period_of,
    requirement,
    requirements,
    roots,
    topic,
    trailing_date,
    without_measures,
)

READER, PUBLISHER = frozenset({"<reader>"}), frozenset({"<publisher>"})
ITSELF = frozenset({"<topic>"})  # "the grant" on the page of the Winter Heating Grant, and that name anywhere
ROLE = "role"  # the type of those whom a page addresses
_COSTS = frozenset({"costs", "is", "comes to", "amounts to", "is set at", "is charged at"})
_READER = re.compile(r"(?:applicant for|person \w+ing(?: (?:with|about|for|to|out about))?) (.+)", re.IGNORECASE)
_PUBLISHER = re.compile(r"publisher of (.+)", re.IGNORECASE)
_SCOPE = re.compile(r"\s+(who|whose|if|when)\s+")
_BRACKET = re.compile(r"(.+?) \((.+)\)")
_NAME = re.compile(r"(?:[A-Z][\w’'-]+\s+){1,}[A-Z][\w’'-]+")


class Force(Enum):
    """What a statement does to its subject."""

    HOLDS = "holds"  # it is so, or it is allowed
    BINDS = "binds"  # it has to be so
    BARS = "bars"  # it is not so, or not allowed
    FREES = "frees"  # it need not be so


OPPOSED = frozenset(
    frozenset(pair) for pair in ((Force.HOLDS, Force.BARS), (Force.BINDS, Force.BARS), (Force.BINDS, Force.FREES))
)


@dataclass(frozen=True, slots=True)
class Assertion:
    """``slot`` is what must be equal to compare two assertions at all; of their topics one has to hold the other."""

    support: Support
    title: str
    updated: str | None
    slot: tuple[Roots, str, Roots]  # head of the subject, relation, object (without its value)
    topic: Roots
    named: bool  # the subject is a name of its own, whatever page it is on
    in_table: bool
    value: Quantity | None
    force: Force
    conditions: tuple[Requirement, ...]
    validity: Validity

    @property
    def page(self) -> PageKey:
        return self.support.page

    @property
    def anchor(self) -> str:
        return self.support.statement.spans[0].anchor

    @property
    def date(self) -> str:
        """The latest that is known of it, for the order of what is found; "" where nothing is."""
        return max(self.validity.start or "", self.updated or "")


def assertions_of(
    supports: Iterable[Support], readings: Mapping[PageKey, Reading], names: Mapping[str, str]
) -> Iterator[Assertion]:
    """The assertions among statements.

    Args:
        names: what the epoch takes some names for.
    """
    elements = {page: {element.anchor: element for element in one.elements} for page, one in readings.items()}
    for support in supports:
        statement = support.statement
        force = _force(statement)
        if force is not None and statement.spans:
            yield _assertion(support, readings[support.page], elements[support.page], names, force)


def _force(statement: Statement) -> Force | None:
    plain = Force.HOLDS if statement.polarity else Force.BARS
    return {
        Modality.CANNOT: Force.BARS,
        Modality.NEED_NOT: Force.FREES,
        Modality.MUST: Force.BINDS if statement.polarity else Force.FREES,
        Modality.SHOULD: None,  # advice binds nobody
    }.get(statement.modality, plain)


def _assertion(
    support: Support, reading: Reading, elements: Mapping[str, Element], names: Mapping[str, str], force: Force
) -> Assertion:
    statement = support.statement
    span = statement.spans[0]
    element = elements[span.anchor]
    in_table = element.tag == "tr"
    surface, said = leading_date(names.get(statement.subject.key, statement.subject.surface))
    said = said | _opening(element.text, span)
    head, about, scope = _subject(surface)
    if statement.subject.type == ROLE and about is None:
        head, about = READER, reading.title
    named = about is None and bool(_NAME.search(surface))
    subject_of = topic(about or reading.title)
    if named and _NAME.fullmatch(surface.removeprefix("the ").removeprefix("The ")):
        head, subject_of = ITSELF, head
    elif about is not None and head <= subject_of:
        head = ITSELF
    dates, conditions = _conditions(None if _is_the_default(statement) else statement.condition)
    if scope:
        conditions = (*conditions, requirement(scope))
    plain, ends = _undated(statement)
    value = _value(plain)
    by_case = in_table and statement.subject.type in ("topic", "section")  # a row told by its condition
    slot = (frozenset() if by_case else head, _relation(plain, value), _target(plain, value, names))
    validity = dates | Validity(statement.effective_from, statement.effective_to) | said | ends
    if value is not None and value.kind == "date":  # the date is what is said, not when it holds
        validity = dates | said
    return Assertion(
        support, reading.title, reading.updated, slot, subject_of, named, in_table, value, force,
        conditions, validity,
    )  # fmt: skip


def _opening(text: str, span: Span) -> Validity:
    """What the sentence that a span is in opens with: "From 1 April 2026, you cannot …"."""
    sentences = (text[start:end] for start, end in sentence_spans(text) if start <= span.start < end)
    return leading_date(next(sentences, ""))[1]


def _subject(surface: str) -> tuple[Roots, str | None, str]:
    """The head of a subject, the page or thing that it is of if it says so, and what narrows it ("who …")."""
    parts = _SCOPE.split(surface, maxsplit=1)
    whole, scope = parts[0], parts[-1] if len(parts) > 1 else ""
    for pattern, head in ((_READER, READER), (_PUBLISHER, PUBLISHER)):
        if found := pattern.fullmatch(whole):
            return head, found[1], scope
    if found := _BRACKET.fullmatch(whole):
        return roots(found[1]), found[2], scope
    return roots(whole), None, scope


def _is_the_default(statement: Statement) -> bool:
    """Whether its only condition is that what the sentence says behind it is not so: "£70, or £35 if you pay early"."""
    leaf = statement.condition.child if isinstance(statement.condition, Not) else None
    return isinstance(leaf, Leaf) and any(
        leaf.anchor == span.anchor and leaf.start >= span.end for span in statement.spans
    )


def _conditions(tree: Condition | None) -> tuple[Validity, tuple[Requirement, ...]]:
    """The dates among the leaves, and the requirements among them."""
    said, kept = Validity(), []
    for asked, leaf in zip(requirements(tree), leaves_of(tree), strict=True):
        period = period_of(leaf.text)
        said = said | (period or Validity())
        if period is None:
            kept.append(asked)
    return said, tuple(kept)


def _undated(statement: Statement) -> tuple[Statement, Validity]:
    """A statement whose object does not end with when it holds ("£56 a year from 1 April 2026"), and what that says."""
    node = statement.object
    text, said = trailing_date(node.value if isinstance(node, Literal) else node.surface)
    if not said.known or not text:
        return statement, Validity()
    literal = node if isinstance(node, Literal) else Literal("")
    kept = replace(node, surface=text) if isinstance(node, Mention) else replace(literal, value=text)
    return replace(statement, object=kept), said


def _value(statement: Statement) -> Quantity | None:
    """The value of the object, also where it was taken for a thing ("28 days of the decision")."""
    node = statement.object
    if isinstance(node, Mention) and node.surface[:1] in "£$€0123456789":
        statement = replace(statement, object=Literal(node.surface))
    return statement_quantity(statement)


def _relation(statement: Statement, value: Quantity | None) -> str:
    if value is not None and value.kind == "amount" and statement.relation in _COSTS:
        return "costs"
    return statement.relation.lower()


def _target(statement: Statement, value: Quantity | None, names: Mapping[str, str]) -> Roots:
    """The object without its value; of an entity its name without the page it is completed by."""
    node = statement.object
    if isinstance(node, Literal) or value is not None:
        said = roots(node.value if isinstance(node, Literal) else node.surface)
        if value is None:
            return said
        context = roots(f"{value.trigger} {value.period} {value.per} {value.unit}")
        return without_measures(said - context) | {f"<{value.kind}>"}
    head, _, scope = _subject(names.get(node.key, node.surface))
    return head | roots(scope)
