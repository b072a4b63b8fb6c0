"""The rules of a page that together with a statement say who may, must or need not.

"You can get the grant if …" and "You cannot get the grant if …" are one group: who is not excluded does not have the
grant yet. A list of what is refused or exempt ("We won't give a permit for:") is one rule, its items the conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from clausegraph.core.language.conditions import join, parse_conditions, quantifier
from clausegraph.core.language.lexicon import WordTable, word_set
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.types import Condition, Element, Leaf, Modality, Not, Reading, leaves
from clausegraph.query.read.question_context import QuestionContext, stated_condition
from clausegraph.query.read.questions import asked_for
from clausegraph.query.read.statements import Candidate, ReadStatement, statements_of
from clausegraph.query.read.word_match import content_terms, missing_terms

_TABLE = WordTable(__file__)

GRANTS = _TABLE.words("grants")
DUTY = (Modality.MUST, Modality.NEED_NOT, Modality.SHOULD)
_MOST_LISTED = 12
_GATES = _TABLE.pattern("gates")
_REFUSES = re.compile(r"\b(?:refuse|reject|turn down|withhold)\b", re.IGNORECASE)
_REASON = re.compile(r"\s+because\b[^.;:]*", re.IGNORECASE)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|do|does|did|can|will|must|\w+s|\w+ed)\s", re.IGNORECASE)
_WHO = _TABLE.pattern("who")
_HEDGED = re.compile(r"\b(?:may|might|could|should) be able to\b|\bmight\b", re.IGNORECASE)
_REQUIRES = _TABLE.pattern("requires")
_YOU = word_set("you we they he she anyone anybody someone everyone people person it")


@dataclass(frozen=True, slots=True)
class GroupRule:
    """A sentence of the group with the list that it introduces, and its condition; ``listed`` are things, not cases.

    ``positive``: whether it says that something may or must be, where its condition holds.
    """

    statement: ReadStatement
    positive: bool
    condition: Condition | None
    listed: bool = False

    @property
    def anchors(self) -> frozenset[str]:
        """Its element and those of its conditions."""
        own = self.statement.candidate.element.anchor
        return frozenset({own, *(leaf.anchor for leaf in leaves(self.condition))})


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """The rule of the statement that was found, and all rules of its group, that one first."""

    own: GroupRule
    rules: tuple[GroupRule, ...]

    @property
    def grants(self) -> list[GroupRule]:
        """The rules that say that something may or must be."""
        return [rule for rule in self.rules if rule.positive]

    @property
    def bars(self) -> list[GroupRule]:
        """The rules that say that something may not or need not be."""
        return [rule for rule in self.rules if not rule.positive]


def group_of(context: QuestionContext, statement: ReadStatement) -> RuleGroup:
    """The group of rules that a statement belongs to."""
    reading = context.pages(statement.candidate.page)
    first = introducing(context, statement)
    duty = asked_for(context.form) == "duty"
    thing = _apart(first.main, reading)
    others = [one for one in _sentences(context, first) if one.place != first.place]
    beside = [
        one for one in others if _is_beside(one, first, reading) and _is_of(one, first, thing, reading, asks_duty=duty)
    ]
    rules = [_rule_of(context, reading, one) for one in (first, *beside)]
    granting = [one for one in (first, *beside) if _is_granted(one)]
    for one in others if not duty and says_who(first.main) else ():
        if one not in beside and _requires(one, granting):  # what one has to be is itself a condition
            rule = _rule_of(context, reading, one)
            leaf = Leaf(one.candidate.element.anchor, one.start, one.end, one.text.rstrip(" ."))
            rules.append(replace(rule, condition=rule.condition or leaf))
    return RuleGroup(rules[0], tuple(rules))


def says_who(text: str) -> bool:
    """Whether a text says who gets or may have something, rather than what may be done with it."""
    return bool(_GATES.search(text))


def asks_of_topic(context: QuestionContext, statement: ReadStatement) -> bool:
    """Whether a question asks who gets what a page is about, and a statement of the page says it."""
    one, reading = introducing(context, statement), context.pages(statement.candidate.page)
    asks = asked_for(context.form) != "duty" and says_who(context.parts.asks)
    if not asks or one.modality in DUTY or not says_who(one.main) or (_is_granted(one) and _HEDGED.search(one.text)):
        return False
    return not _apart(context.parts.asks, reading) and not _apart(one.main, reading)


def introducing(context: QuestionContext, statement: ReadStatement) -> ReadStatement:
    """The sentence that introduces the list of an item; a statement of anything else itself."""
    reading = context.pages(statement.candidate.page)
    element = statement.candidate.element
    lead = reading.element(element.lead_in) if element.tag == "li" else None
    if lead is None or not lead.text.rstrip().endswith(":"):
        return statement
    return statements_of(replace(statement.candidate, element=lead), context.pages)[-1]


def _is_granted(one: ReadStatement) -> bool:
    """Whether a statement says that something may or must be: to refuse it is not."""
    return one.positive != bool(_REFUSES.search(one.main))


def _sentences(context: QuestionContext, first: ReadStatement) -> Iterator[ReadStatement]:
    page = first.candidate.page
    for element in context.pages(page).elements:
        if not element.is_heading and element.tag not in ("li", "tr") and element.text.strip():
            yield from statements_of(Candidate(page, element, 0.0, None), context.pages)


def _apart(text: str, reading: Reading) -> frozenset[str]:
    """The words of a text beside those of the page's title and of any grant."""
    words = frozenset(word for word in content_terms(text) if word.replace("’", "'") not in GRANTS)
    return missing_terms(words, reading.title or "")


def _is_of(
    one: ReadStatement, first: ReadStatement, thing: frozenset[str], reading: Reading, *, asks_duty: bool
) -> bool:
    """Whether a statement says of the same thing what one may, or of the same what one must, as is asked."""
    duty, granted = one.modality in DUTY, _is_granted(one)
    if duty != (first.modality in DUTY) if asks_duty else duty and not granted:
        return False
    if granted and not duty and (one.modality is Modality.IS or _HEDGED.search(one.text)):
        return False  # "Have these ready:" grants nothing, nor "You may be able to get it"
    subject = split_proposition(one.main).subject
    if subject and not (set(subject.lower().split()) & _YOU) and _apart(subject, reading):
        return False
    theirs = _apart(one.main, reading)
    if missing_terms(theirs, " ".join(thing)):
        return False
    bars = says_who(one.main) and says_who(first.main) and _is_granted(first) and not granted
    return bars or not missing_terms(thing, " ".join(theirs))  # who may not get any may not get a skilled one


def _is_beside(one: ReadStatement, first: ReadStatement, reading: Reading) -> bool:
    """Whether both stand in one section, or in sections that only say for whom: "Who cannot get it"."""
    ours, theirs = first.candidate.element.headings, one.candidate.element.headings
    if theirs == ours or not theirs or not ours or theirs[:-1] != ours[:-1]:
        return theirs == ours
    return all(_WHO.search(headings[-1]) and not _apart(headings[-1], reading) for headings in (ours, theirs))


def _requires(one: ReadStatement, granting: list[ReadStatement]) -> bool:
    """Whether a statement of the section that grants something says what one has to be to get it."""
    above = [other.candidate.element.headings for other in granting]
    within = any(one.candidate.element.headings[: len(headings)] == headings for headings in above)
    return within and one.modality is Modality.MUST and _is_granted(one) and bool(_REQUIRES.search(one.main))


# --- the condition of a rule, with its list --------------------------------------------------------


def _rule_of(context: QuestionContext, reading: Reading, one: ReadStatement) -> GroupRule:
    element, positive = one.candidate.element, _is_granted(one)
    if not one.text.rstrip().endswith(":"):
        return GroupRule(
            one, positive, stated_condition(context.rules, one.candidate.page, element, one.start, one.end)
        )
    items = [e for e in reading.elements if e.lead_in == element.anchor and e.tag == "li" and e.parent is None]
    parsed = parse_conditions(element.text, element.anchor, one.start, one.end)
    if not items or len(items) > _MOST_LISTED:
        return GroupRule(one, positive, parsed.condition)
    made = [_item(reading, item, requires=positive) for item in items]
    if parsed.slot is not None:
        return GroupRule(one, positive, parsed.with_items(made, "all" if positive else "any"))
    operator, negated = quantifier(one.text)
    things = join(operator or ("all" if one.modality in DUTY and positive else "any"), made)
    return GroupRule(one, positive, Not(things) if negated else things, listed=operator is None)


def _item(reading: Reading, item: Element, *, requires: bool) -> Condition:
    """The condition that an item states: its words, what it excepts, and the list below it."""
    parsed = parse_conditions(item.text, item.anchor, temporal=False)
    nested = [other for other in reading.elements if other.parent == item.anchor and other.tag == "li"]
    below = [_item(reading, other, requires=requires) for other in nested]
    first, last = parsed.main
    if not item.text[first:last].strip():
        return Leaf(item.anchor, 0, len(item.text), item.text)
    reason = _REASON.match(item.text, last)  # "you left" of "you left because of illness" is another condition
    last = last if reason is None else reason.end()
    own = Leaf(item.anchor, first, last, item.text[first:last].strip(" :"))
    within = parsed.with_items(below) if below else parsed.condition
    if below and parsed.slot is None:
        operator = quantifier(item.text)[0]
        if operator == "any":  # "you get one of these benefits:"
            return join("any", below)
        if not all(_VERB.search(leaf.text) for tree in below for leaf in leaves(tree)):  # what else is counted
            return own
        within = join(operator or "all", below)
    if requires and isinstance(within, Not):  # "no degree, unless you train to be a nurse": either will do
        return join("any", [own, within.child])
    return own if within is None else join("all", [own, within])
