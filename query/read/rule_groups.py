"""The rules of a page that together with a statement say who may, must or need not.

"You can get the grant if …" and "You cannot get the grant if …" are one group: who is not excluded does not have the
grant yet. A list of what is refused or exempt ("We won't give a permit for:") is one rule, its items the conditions.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import join, parse_conditions, quantifier
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.types import All, Condition, Element, Leaf, Modality, Not, PageKey, Reading, leaves, mapped
from clausegraph.query.read.question_context import QuestionContext, stated_at, stated_condition
from clausegraph.query.read.questions import asked_for
from clausegraph.query.read.statements import Candidate, ReadStatement, statements_of
from clausegraph.query.read.word_match import content_terms, missing_terms

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
_GATES = re.compile(
    r"\b(?:get|have|claim|apply|qualif\w+|eligib\w+|entitled|receive|give|granted?|refuse|reject|accept\w*|take|obtain)\b",
    re.IGNORECASE,
)
_WHO = re.compile(
    r"^(?!how|what|when)(?=.*(?:\b(?:who|can|cannot|eligib\w*|qualif\w*|entitle\w*|exempt\w*|except\w*|not)\b|n['’]t\b))",
    re.I,
)
_TO_GET = re.compile(r"\bto (?:get|claim|qualify|apply|be eligible|receive)\b", re.IGNORECASE)
_PRONOUN = re.compile(r"^(?:this|that|it|these|they)\b", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:get|have|claim|apply|qualif\w+|eligib\w+|entitled|receive)\b(?!\s+to\b)", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:may|might|could|should) be able to\b|\bmight\b", re.IGNORECASE)
_REQUIRES = re.compile(
    r"\b(?:must|need to|have to)\s+(?:(?:also|already|still|each|all)\s+)*(?:be|have|get|meet|live|earn|hold|prove)\b",
    re.IGNORECASE,
)
_YOU = word_set("you we they he she anyone anybody someone everyone people person it")
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
    return one.positive != bool(_REFUSES.search(said_of(one)))


def rule_of(context: QuestionContext, reading: Reading, one: ReadStatement) -> GroupRule:
    """A statement with its condition, each with the reason that the page names for it."""
    rule = _rule_as_read(context, reading, one)
    made = mapped(rule.condition, lambda leaf: _with_reason(reading, leaf)) if rule.condition is not None else None
    return replace(rule, condition=made)


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
    lists += [{item.anchor} for item in items if item.text.rstrip().endswith(" and:")]  # its own words, too
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
    return _SINCE.sub("", one.main) if one.positive else one.main


@dataclass(frozen=True, slots=True)
class RuleGroup:
    """The rules that grant and those that bar, and why they may not be all."""

    own: GroupRule
    grants: tuple[GroupRule, ...]
    bars: tuple[GroupRule, ...]
    elsewhere: bool  # whether another section has a conditional rule on the same thing

    @property
    def rules(self) -> tuple[GroupRule, ...]:
        """Those that grant and those that bar."""
        return (*self.grants, *self.bars)


def group_of(context: QuestionContext, statement: ReadStatement) -> RuleGroup:
    """The group of rules that a statement belongs to."""
    page = statement.candidate.page
    reading = context.pages(page)
    first = introducing(context, statement)
    own = rule_of(context, reading, first)
    others = [one for one in _sentences(context, reading, page) if _place(one) != _place(first)]
    duty = asked_for(context.form) == "duty"
    thing = _apart(said_of(first), reading)
    gate = not duty and is_gate(first)
    same = [one for one in others if _is_of(one, first, thing, reading, asks_duty=duty)]
    beside = [one for one in same if _is_beside(one, first, reading)]
    granting = [one for one in (first, *beside) if is_granted(one)]
    required = [one for one in others if one not in beside and _requires(one, granting)] if gate else []
    rules = [own, *(rule_of(context, reading, one) for one in beside)]
    for one in required:  # what one has to be is itself a condition
        leaf = Leaf(one.candidate.element.anchor, one.start, one.end, one.text.rstrip(" ."))
        rule = rule_of(context, reading, one)
        rules.append(replace(rule, condition=rule.condition or leaf))
    bars = [rule for rule in rules if not rule.positive]
    barring = frozenset(leaf.anchor for rule in bars for leaf in leaves(rule.condition))
    return RuleGroup(
        own,
        tuple(_without(rule, barring) for rule in rules if rule.positive),
        tuple(bars),
        any(one not in (*beside, *required) and _is_conditional(one, duty=duty) for one in same),
    )


def is_gate(one: ReadStatement) -> bool:
    """Whether a statement says who gets or may have something, rather than what may be done with it."""
    return bool(_GATES.search(said_of(one)))


def asks_who(context: QuestionContext) -> bool:
    """Whether a question asks who gets or may have something."""
    return asked_for(context.form) != "duty" and bool(_ASKS_WHO.search(context.parts.asks))


def is_granting(word: str) -> bool:
    """Whether a word only says that something is granted or not: "eligible"."""
    return word.replace("’", "'") in GRANTS


def asks_of_topic(context: QuestionContext, one: ReadStatement) -> bool:
    """Whether a question asks who gets what a page is about, and a statement of the page says it."""
    one, reading = introducing(context, one), context.pages(one.candidate.page)
    asks = asked_for(context.form) != "duty" and bool(_GATES.search(context.parts.asks))
    if not asks or _apart(context.parts.asks, reading) or _apart(said_of(one), reading):
        return False
    duty = one.modality in DUTY and not _TO_GET.search(one.text)
    return is_gate(one) and not duty and not (is_granted(one) and _HEDGED.search(one.text))


def introducing(context: QuestionContext, statement: ReadStatement) -> ReadStatement:
    """The sentence that introduces the list of an item; a statement of anything else itself."""
    reading = context.pages(statement.candidate.page)
    element = statement.candidate.element
    lead = reading.element(element.lead_in) if element.tag == "li" else None
    if lead is None or not lead.text.rstrip().endswith(":"):
        return statement
    return statements_of(replace(statement.candidate, element=lead), context.pages)[-1]


def _sentences(context: QuestionContext, reading: Reading, page: PageKey) -> Iterator[ReadStatement]:
    for element in reading.elements:
        if not element.is_heading and element.tag not in ("li", "tr") and element.text.strip():
            yield from statements_of(Candidate(page, element, 0.0, None), context.pages)


def _place(one: ReadStatement) -> tuple[str, int]:
    return one.candidate.element.anchor, one.start


def _is_conditional(one: ReadStatement, *, duty: bool) -> bool:
    if _PRONOUN.match(one.text) or (one.modality in DUTY and not duty):
        return False
    return one.parsed.condition is not None or one.parsed.slot is not None


def _apart(text: str, reading: Reading) -> frozenset[str]:
    """The words of a text beside those of the page's title and of any grant."""
    words = frozenset(word for word in content_terms(text) if word.replace("’", "'") not in GRANTS)
    return missing_terms(words, reading.title or "")


def _is_of(
    one: ReadStatement, first: ReadStatement, thing: frozenset[str], reading: Reading, *, asks_duty: bool
) -> bool:
    """Whether a statement says of the same thing what one may, or of the same what one must, as is asked."""
    duty = one.modality in DUTY
    if duty != (first.modality in DUTY) if asks_duty else duty and not is_granted(one):
        return False
    subject = split_proposition(said_of(one)).subject
    if subject and not (set(subject.lower().split()) & _YOU) and _apart(subject, reading):
        return False
    theirs = _apart(said_of(one), reading)
    if is_granted(one) and not duty and (one.modality is Modality.IS or _HEDGED.search(one.text)):
        return False  # "Have these ready:" grants nothing, nor "You may be able to get it"
    if is_gate(one) and is_gate(first):
        if is_granted(first) and not is_granted(one):  # who may not get any may not get a skilled one
            return not missing_terms(theirs, " ".join(thing))
        return theirs == thing
    return not missing_terms(theirs, " ".join(thing)) and not missing_terms(thing, " ".join(theirs))


def _is_beside(one: ReadStatement, first: ReadStatement, reading: Reading) -> bool:
    """Whether both stand in one section, or in sections that only say for whom: "Who cannot get it"."""
    ours, theirs = first.candidate.element.headings, one.candidate.element.headings
    if theirs == ours:
        return True
    if not theirs or not ours or theirs[:-1] != ours[:-1]:
        return False
    return all(_WHO.search(headings[-1]) and not _apart(headings[-1], reading) for headings in (ours, theirs))


def _requires(one: ReadStatement, granting: Sequence[ReadStatement]) -> bool:
    """Whether a statement of the section that grants something says what one has to be to get it."""
    headings = one.candidate.element.headings
    within = any(
        headings[: len(other.candidate.element.headings)] == other.candidate.element.headings for other in granting
    )
    return within and one.modality is Modality.MUST and is_granted(one) and bool(_REQUIRES.search(said_of(one)))


def _without(rule: GroupRule, barring: frozenset[str]) -> GroupRule:
    """A rule that grants without what other rules bar, where its condition was extracted with theirs."""
    if not isinstance(rule.condition, All):
        return rule
    apart = barring - {rule.element.anchor}
    kept = [c for c in rule.condition.children if not (isinstance(c, Not) and {o.anchor for o in leaves(c)} <= apart)]
    return replace(rule, condition=join("all", kept) if kept else None)
