"""A rule of a group: the sentence that says that something may or must be, or may not, with the condition it has.

A list of what is refused or exempt ("We won't give a permit for:") is one rule, its items the conditions.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import join, parse_conditions, quantifier
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.types import Condition, Element, Leaf, Modality, Not, Reading, leaves, mapped
from clausegraph.query.read.conditions import stated_at, stated_condition
from clausegraph.query.read.hedges import main_clause
from clausegraph.query.read.judged_rules import is_positive
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.statements import ReadStatement

GRANTS = word_set(
    "cannot can't won't don't claim claims apply qualify eligible eligibility entitled receive give given have"
    " application accept accepted refuse refused reject rejected allowed permitted condition conditions requirement"
    " requirements meet following either both one used exempt usually"
)
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|do|does|did|can|will|must|\w+s|\w+ed)\s", re.IGNORECASE)
_REASON = re.compile(r"\s+because\b[^.;:]*", re.IGNORECASE)
_REFUSES = re.compile(r"\b(?:refuse|reject|turn down|withhold)\b", re.IGNORECASE)
_SINCE = re.compile(r"\s(?:from|after|within|during|until|as soon as)\s.*", re.IGNORECASE)  # when, not what is granted
_MOST_LISTED = 12
DUTY = (Modality.MUST, Modality.NEED_NOT, Modality.SHOULD)


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
    def element(self) -> Element:
        """Where it stands."""
        return self.statement.candidate.element

    @property
    def anchors(self) -> frozenset[str]:
        """Its element and those of its conditions."""
        return frozenset({self.element.anchor, *(leaf.anchor for leaf in leaves(self.condition))})


def is_granted(one: ReadStatement) -> bool:
    """Whether a statement says that something may or must be: to refuse it is not."""
    return is_positive(one) != bool(_REFUSES.search(said_of(one)))


def rule_of(context: QuestionContext, reading: Reading, one: ReadStatement) -> GroupRule:
    """A statement with its condition, each with the reason that the page names for it."""
    rule = _rule_as_read(context, reading, one)
    if rule.condition is None:
        return rule
    return replace(rule, condition=mapped(rule.condition, lambda leaf: _with_reason(reading, leaf)))


def _with_reason(reading: Reading, leaf: Leaf) -> Leaf:
    """A condition with the reason that it names: "you left" of "you left because of illness" is another one."""
    element = reading.element(leaf.anchor)
    reason = _REASON.match(element.text, leaf.end) if element is not None else None
    if reason is None:
        return leaf
    return replace(leaf, end=reason.end(), text=f"{leaf.text}{reason[0]}", meaning="")


def _rule_as_read(context: QuestionContext, reading: Reading, one: ReadStatement) -> GroupRule:
    element, positive = one.candidate.element, is_granted(one)
    if not one.text.rstrip().endswith(":"):
        stated = stated_at(context.rules, one.candidate.page, element)
        return GroupRule(one, positive, stated_condition(reading, element, one.start, one.end, stated))
    items = [e for e in reading.elements if e.lead_in == element.anchor and e.tag == "li" and e.parent is None]
    if not items or len(items) > _MOST_LISTED:
        return GroupRule(one, positive, one.parsed.condition)
    found = _stated(context, reading, one, items)
    made = [_item(reading, item) for item in items]
    if found is not None or one.parsed.slot is not None:
        default = "all" if positive else "any"
        listed = one.parsed.slot is None and not positive
        return GroupRule(one, positive, found or one.parsed.with_items(made, default), listed)
    said, negated = quantifier(one.text)
    things = join(said or ("all" if one.modality in DUTY and positive else "any"), made)
    return GroupRule(one, positive, Not(things) if negated else things, listed=True)


def _stated(
    context: QuestionContext, reading: Reading, one: ReadStatement, items: Sequence[Element]
) -> Condition | None:
    """What was extracted of a list, where it has all of its items: the fullest, the first of equals."""
    lists = [{item.anchor, *(e.anchor for e in reading.elements if e.parent == item.anchor)} for item in items]
    element = one.candidate.element
    found = [
        stated.condition
        for stated in stated_at(context.rules, one.candidate.page, items[0])
        if stated.condition is not None and any(span.anchor == element.anchor for span in stated.spans)
    ]
    both = [{item.anchor} for item in items if item.text.rstrip().endswith(" and:")]
    lists += both  # its own words are a condition, too
    whole = [tree for tree in found if all(anchors & {leaf.anchor for leaf in leaves(tree)} for anchors in lists)]
    return max(whole, key=lambda tree: len(list(leaves(tree))), default=None)


def _item(reading: Reading, item: Element) -> Condition:
    """The condition that an item states: its words, what it excepts, and the list below it."""
    spans = sentence_spans(item.text) or [(0, len(item.text))]
    start, end = spans[0][0], spans[-1][1]
    parsed = parse_conditions(item.text, item.anchor, start, end, temporal=False)
    below = [_item(reading, other) for other in reading.elements if other.parent == item.anchor and other.tag == "li"]
    first, last = parsed.main
    words = item.text[first:last]
    if not words.strip():
        return Leaf(item.anchor, start, end, item.text[start:end])
    own = Leaf(item.anchor, first, last, words.strip(" :"))
    said = parsed.with_items(below) if below else parsed.condition
    if below and parsed.slot is None:
        if quantifier(item.text)[0] == "any":  # "you get one of these benefits:"
            return join("any", below)
        if not all(_VERB.search(leaf.text) for tree in below for leaf in leaves(tree)):  # what else is counted
            return own
        said = join(quantifier(item.text)[0] or "all", below)
    return own if said is None else join("all", [own, said])


def said_of(one: ReadStatement) -> str:
    """What a statement says without its conditions, nor since when."""
    text = main_clause(one)
    return _SINCE.sub("", text) if is_positive(one) else text


def as_condition(rule: GroupRule) -> GroupRule:
    """A rule that says what one has to be, as the condition that it is."""
    if rule.condition is not None:
        return rule
    one = rule.statement
    return replace(rule, condition=Leaf(rule.element.anchor, one.start, one.end, one.text.rstrip(" .")))
