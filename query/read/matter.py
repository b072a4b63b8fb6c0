"""The matter of a question: every rule of a page that together with one of them says who may, must or need not.

"You can get the grant if …" and "You cannot get the grant if …" are one matter: who is not excluded does not have the
grant yet. A list of what is refused or exempt ("We won't give a permit for:") is one rule, its items the conditions.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from clausegraph.core.language.conditions import join, parse_conditions
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.language.slots import quantifier
from clausegraph.core.language.words import word_set
from clausegraph.core.types import All, Condition, Element, Leaf, Modality, Not, PageKey, Reading, leaves, mapped
from clausegraph.query.read.answers import Asked
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.conditions import stated_at, stated_condition
from clausegraph.query.read.cues import main_clause
from clausegraph.query.read.governing import is_positive
from clausegraph.query.read.meeting import telling, uncovered
from clausegraph.query.read.polarity import asked_for
from clausegraph.query.read.statements import ReadStatement, statements_of

_GRANTS = word_set(
    "cannot can't won't don't claim claims apply qualify eligible eligibility entitled receive give given have"
    " application accept accepted refuse refused reject rejected allowed permitted condition conditions requirement"
    " requirements meet following either both one used exempt usually"
)
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
_VERB = re.compile(r"\b(?:is|are|was|were|has|have|had|do|does|did|can|will|must|\w+s|\w+ed)\s", re.IGNORECASE)
_REASON = re.compile(r"\s+because\b[^.;:]*", re.IGNORECASE)
_ASKS_WHO = re.compile(r"\b(?:get|have|claim|apply|qualif\w+|eligib\w+|entitled|receive)\b(?!\s+to\b)", re.IGNORECASE)
_HEDGED = re.compile(r"\b(?:may|might|could|should) be able to\b|\bmight\b", re.IGNORECASE)
_SINCE = re.compile(r"\s(?:from|after|within|during|until|as soon as)\s.*", re.IGNORECASE)  # when, not what is granted
_REFUSES = re.compile(r"\b(?:refuse|reject|turn down|withhold)\b", re.IGNORECASE)
_REQUIRES = re.compile(
    r"\b(?:must|need to|have to)\s+(?:(?:also|already|still|each|all)\s+)*(?:be|have|get|meet|live|earn|hold|prove)\b",
    re.IGNORECASE,
)
_LIFTS = re.compile(r"\b(?:does|do)(?:\s+not|n['’]t)\s+(?:apply|need|have to|matter)\b", re.IGNORECASE)
_DUTY = (Modality.MUST, Modality.NEED_NOT, Modality.SHOULD)
_YOU = word_set("you we they he she anyone anybody someone everyone people person it")
_SPEAKS_OF = (("residence", re.compile(r"\blived?\b", re.IGNORECASE)), ("age", re.compile(r"\b(?:aged?|born|over)\b")))
_REQUIREMENT = word_set(
    "rule rules limit limits apply condition conditions requirement requirements one matter does not"
)
_ANY = word_set("since until same only still anyone anybody everyone everybody you your")
_LISTING = word_set("apply applies true statements circumstances situations least any more all these")
_CASE = re.compile(r"\b(?:if|when|provided that|as long as)\s+(.*):\s*$", re.IGNORECASE)
_MANY = 3  # words before a list that are a condition of their own
_MOST_LISTED = 12


@dataclass(frozen=True, slots=True)
class MatterRule:
    """A sentence of the matter with the list that it introduces, and its condition; ``listed`` are things, not cases.

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

    @property
    def is_whole(self) -> bool:
        """Whether its condition has what the sentence says before its list: "if you work at sea because:"."""
        case = _CASE.search(self.statement.text)
        if case is None or self.condition is None:
            return True
        said = " ".join(leaf.text for leaf in leaves(self.condition))
        words = uncovered(frozenset(word for word in telling(case[1]) if word not in _GRANTS), said)
        return len(words - _LISTING) < _MANY


@dataclass(frozen=True, slots=True)
class Matter:
    """The rules that grant and those that bar, what lifts a requirement, and why they may not be all."""

    own: MatterRule
    grants: tuple[MatterRule, ...]
    bars: tuple[MatterRule, ...]
    lifts: tuple[MatterRule, ...]
    elsewhere: tuple[str, ...]  # what other sections say of the same thing

    @property
    def rules(self) -> tuple[MatterRule, ...]:
        """Those that grant and those that bar."""
        return (*self.grants, *self.bars)


def matter_of(asked: Asked, statement: ReadStatement) -> Matter:
    """The matter that a statement belongs to."""
    page = statement.candidate.page
    reading = asked.pages(page)
    first = introducing(asked, statement)
    own = _rule(asked, reading, first)
    others = [one for one in _sentences(asked, reading, page) if _place(one) != _place(first)]
    duty = asked_for(asked.form) == "duty"
    thing = _apart(_main(first), reading)
    gate = not duty and is_gate(first)
    same = [one for one in others if _is_of(one, first, thing, reading, asks_duty=duty)]
    beside = [one for one in same if _is_beside(one, first, reading)]
    granting = [one for one in (first, *beside) if _positive(one)]
    required = [one for one in others if one not in beside and _requires(one, granting)] if gate else []
    rules = [own, *(_rule(asked, reading, one) for one in beside)]
    rules += [_as_condition(_rule(asked, reading, one)) for one in required]
    bars = [rule for rule in rules if not rule.positive]
    barring = frozenset(leaf.anchor for rule in bars for leaf in leaves(rule.condition))
    sections = {rule.element.headings for rule in rules}
    lifting = [one for one in others if gate and one not in beside and _lifts(one, sections)]
    return Matter(
        own,
        tuple(_without(rule, barring) for rule in rules if rule.positive),
        tuple(bars),
        tuple(rule for rule in (_rule(asked, reading, one) for one in lifting) if rule.condition is not None),
        tuple(one.text for one in same if one not in (*beside, *required) and _is_conditional(one, duty=duty)),
    )


def is_gate(one: ReadStatement) -> bool:
    """Whether a statement says who gets or may have something, rather than what may be done with it."""
    return bool(_GATES.search(_main(one)))


def asks_who(asked: Asked) -> bool:
    """Whether a question asks who gets or may have something."""
    return asked_for(asked.form) != "duty" and bool(_ASKS_WHO.search(asked.parts.asks))


def is_granting(word: str) -> bool:
    """Whether a word only says that something is granted or not: "eligible"."""
    return word.replace("’", "'") in _GRANTS


def of_another(asked: Asked, one: ReadStatement) -> str:
    """The word by which a statement is about another thing than is asked: "leave" where "maternity pay" is; "" if none.

    A word that only the page's title says for it is not said by it where the title has another thing, too. Who gets
    "disability benefits" is none of who gets "child benefit".
    """
    title = asked.pages(one.candidate.page).title or ""
    words, said = telling(asked.parts.asks), telling(_main(one))
    topic = telling(title)
    ours, theirs = words & topic, said & topic
    alien = uncovered(theirs, " ".join(words))
    if alien and uncovered(ours, " ".join(said)):
        return min(alien)
    if not (asks_who(asked) and is_gate(one)):
        return ""
    left = uncovered(_apart(_main(one), asked.pages(one.candidate.page)), asked.told)
    return min(left - _ANY, default="")


def asks_of_topic(asked: Asked, one: ReadStatement) -> bool:
    """Whether a question asks who gets what a page is about, and a statement of the page says it."""
    one, reading = introducing(asked, one), asked.pages(one.candidate.page)
    asks = asked_for(asked.form) != "duty" and bool(_GATES.search(asked.parts.asks))
    if not asks or _apart(asked.parts.asks, reading) or _apart(_main(one), reading):
        return False
    duty = one.modality in _DUTY and not _TO_GET.search(one.text)
    return is_gate(one) and not duty and not (_positive(one) and _HEDGED.search(one.text))


def introducing(asked: Asked, statement: ReadStatement) -> ReadStatement:
    """The sentence that introduces the list of an item; a statement of anything else itself."""
    reading = asked.pages(statement.candidate.page)
    element = statement.candidate.element
    lead = reading.element(element.lead_in) if element.tag == "li" else None
    if lead is None or not lead.text.rstrip().endswith(":"):
        return statement
    return statements_of(replace(statement.candidate, element=lead), asked.pages)[-1]


def _sentences(asked: Asked, reading: Reading, page: PageKey) -> Iterator[ReadStatement]:
    for element in reading.elements:
        if not element.is_heading and element.tag not in ("li", "tr") and element.text.strip():
            yield from statements_of(Candidate(page, element, 0.0, None), asked.pages)


def _place(one: ReadStatement) -> tuple[str, int]:
    return one.candidate.element.anchor, one.start


def _is_conditional(one: ReadStatement, *, duty: bool) -> bool:
    if _PRONOUN.match(one.text) or (one.modality in _DUTY and not duty):
        return False
    return one.parsed.condition is not None or one.parsed.slot is not None


def _positive(one: ReadStatement) -> bool:
    return is_positive(one) != bool(_REFUSES.search(_main(one)))


def _rule(asked: Asked, reading: Reading, one: ReadStatement) -> MatterRule:
    rule = _rule_as_read(asked, reading, one)
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


def _rule_as_read(asked: Asked, reading: Reading, one: ReadStatement) -> MatterRule:
    element, positive = one.candidate.element, _positive(one)
    if not one.text.rstrip().endswith(":"):
        stated = stated_at(asked.rules, one.candidate.page, element)
        return MatterRule(one, positive, stated_condition(reading, element, one.start, one.end, stated))
    items = [e for e in reading.elements if e.lead_in == element.anchor and e.tag == "li" and e.parent is None]
    if not items or len(items) > _MOST_LISTED:
        return MatterRule(one, positive, one.parsed.condition)
    found = _stated(asked, reading, one, items)
    made = [_item(reading, item) for item in items]
    if found is not None or one.parsed.slot is not None:
        default = "all" if positive else "any"
        listed = one.parsed.slot is None and not positive
        return MatterRule(one, positive, found or one.parsed.with_items(made, default), listed)
    said, negated = quantifier(one.text)
    things = join(said or ("all" if one.modality in _DUTY and positive else "any"), made)
    return MatterRule(one, positive, Not(things) if negated else things, listed=True)


def _stated(asked: Asked, reading: Reading, one: ReadStatement, items: Sequence[Element]) -> Condition | None:
    """What was extracted of a list, where it has all of its items: the fullest, the first of equals."""
    lists = [{item.anchor, *(e.anchor for e in reading.elements if e.parent == item.anchor)} for item in items]
    element = one.candidate.element
    found = [
        stated.condition
        for stated in stated_at(asked.rules, one.candidate.page, items[0])
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


def _main(one: ReadStatement) -> str:
    text = main_clause(one)
    return _SINCE.sub("", text) if is_positive(one) else text


def _apart(text: str, reading: Reading) -> frozenset[str]:
    """The words of a text beside those of the page's title and of any grant."""
    words = frozenset(word for word in telling(text) if word.replace("’", "'") not in _GRANTS)
    return uncovered(words, reading.title or "")


def _is_of(
    one: ReadStatement, first: ReadStatement, thing: frozenset[str], reading: Reading, *, asks_duty: bool
) -> bool:
    """Whether a statement says of the same thing what one may, or of the same what one must, as is asked."""
    duty = one.modality in _DUTY
    if duty != (first.modality in _DUTY) if asks_duty else duty and not _positive(one):
        return False
    subject = split_proposition(_main(one)).subject
    if subject and not (set(subject.lower().split()) & _YOU) and _apart(subject, reading):
        return False
    theirs = _apart(_main(one), reading)
    if _positive(one) and not duty and (one.modality is Modality.IS or _HEDGED.search(one.text)):
        return False  # "Have these ready:" grants nothing, nor "You may be able to get it"
    if is_gate(one) and is_gate(first):
        if _positive(first) and not _positive(one):  # who may not get any may not get a skilled one
            return not uncovered(theirs, " ".join(thing))
        return theirs == thing
    return not uncovered(theirs, " ".join(thing)) and not uncovered(thing, " ".join(theirs))


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
    return within and one.modality is Modality.MUST and _positive(one) and bool(_REQUIRES.search(_main(one)))


def _without(rule: MatterRule, barring: frozenset[str]) -> MatterRule:
    """A rule that grants without what other rules bar, where its condition was extracted with theirs."""
    if not isinstance(rule.condition, All):
        return rule
    apart = barring - {rule.element.anchor}
    kept = [c for c in rule.condition.children if not (isinstance(c, Not) and {o.anchor for o in leaves(c)} <= apart)]
    return replace(rule, condition=join("all", kept) if kept else None)


def _as_condition(rule: MatterRule) -> MatterRule:
    """A rule that says what one has to be, as the condition that it is."""
    if rule.condition is not None:
        return rule
    one = rule.statement
    return replace(rule, condition=Leaf(rule.element.anchor, one.start, one.end, one.text.rstrip(" .")))


def _lifts(one: ReadStatement, sections: Collection[tuple[str, ...]]) -> bool:
    """Whether a statement of these sections lifts a requirement: "The residence rule does not apply to you if …"."""
    if one.candidate.element.headings not in sections:
        return False
    return not _positive(one) and bool(_LIFTS.search(one.text)) and one.parsed.condition is not None


def lifted_words(rule: MatterRule) -> frozenset[str]:
    """The words by which a rule names the requirement that it lifts: "The savings limit does not apply if …"."""
    return telling(_main(rule.statement)) - _REQUIREMENT


def names(words: frozenset[str], text: str) -> bool:
    """Whether words by which a requirement is named speak of one: "residence" of where one has lived."""
    spoken = frozenset(word for word, cue in _SPEAKS_OF if cue.search(text))
    return not uncovered(words - spoken, text)
