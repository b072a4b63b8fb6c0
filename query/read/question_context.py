"""A question with its scenario, and the conditions of a clause as the scenario has them: met, unmet or open.

A condition is gathered from facts or from the sentence, and judged: by figures first, then by words and negation. Open
leaves are *decisive* only where at least four elements are open together; fewer are taken for granted, as people do.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import date

from clausegraph.core.condition_trees import settled
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import content
from clausegraph.core.types import (
    All,
    Alternative,
    Condition,
    ConditionState,
    Element,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    PageKey,
    Reading,
    Rule,
    Stated,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.figures import compare
from clausegraph.query.read.protocol import Pages, Rules
from clausegraph.query.read.questions import Parts, QuestionForm, parts
from clausegraph.query.read.statements import Candidate, is_of_now, is_time
from clausegraph.query.read.word_match import NEGATIVE, as_sentences, content_terms, coverage, pieces

_OR = re.compile(r"\bor\b", re.IGNORECASE)
_GETS = content("gets getting")  # who tells that they get something says neither
_FEWEST = 2  # content words of a condition that words can judge
_SURELY = 0.75  # share of them that a denial must have
_MANY_OPEN = 4  # open elements of one statement from which people do not take them for granted
_WHOLE = 0.6  # share of a sentence that makes a leaf of it the sentence
_MOST_ITEMS = 12  # a longer list under "if:" is an enumeration, not a condition anybody can be asked about
_MET, _UNMET, _UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN


@dataclass(frozen=True, slots=True)
class QuestionContext:
    """An inquiry being read: its form, and where to look things up."""

    form: QuestionForm
    inquiry: Inquiry
    rules: Rules

    @property
    def pages(self) -> Pages:
        return self.rules.reading

    @property
    def words(self) -> frozenset[str]:
        return content(self.inquiry.question)

    @property
    def user_text(self) -> str:
        """Everything the asker says: the scenario, and what the question adds to it."""
        return as_sentences(self.inquiry.scenario, self.inquiry.question)

    @property
    def parts(self) -> Parts:
        """What the question asks, for which case, and what it tells."""
        return parts(self.inquiry.question)

    @property
    def scenario_text(self) -> str:
        """What is told of the one who asks: the scenario, and what the question tells beside asking."""
        return as_sentences(self.inquiry.scenario, self.parts.scenario_text)

    @property
    def today(self) -> date:
        """The day from which ages count, whenever a page was written: that of the inquiry, else today."""
        return self.inquiry.as_of or date.today()


@dataclass(frozen=True, slots=True)
class AnswerCandidate:
    """An answer, its kind ("verdict", "value"), its features by name, and what is taken for granted."""

    alternative: Alternative
    kind: str
    features: dict[str, float]
    granted: tuple[str, ...] = ()


def judge(condition: str, user_text: str, today: date | None = None, enough: float = 0.6) -> ConditionState:
    """What somebody says of a condition: by a comparison of figures, else by one clause that has its words.

    Args:
        today: the day from which ages are seen.
        enough: share of the condition's words that the clause must have.
    """
    comparison = compare(condition, user_text, today)
    if comparison is not None:
        return _MET if comparison.holds else _UNMET
    needles = content(condition) - _GETS
    said = max(pieces(user_text), key=lambda piece: (len(needles & content(piece)), -len(piece)), default="")
    share = len(needles & content(said)) / len(needles) if needles else 0.0
    if share < enough or len(needles) < _FEWEST:
        return _UNKNOWN
    if bool(NEGATIVE.search(condition)) == bool(NEGATIVE.search(said)):
        return _MET
    return _UNKNOWN if share < _SURELY or _OR.search(condition) else _UNMET


def stated_condition(rules: Rules, page: PageKey, element: Element, start: int, end: int) -> Condition | None:
    """The condition under which the statement in ``[start, end)`` of ``element`` holds, else None.

    What was extracted comes first: of an item, that of the statement which its list of conditions belongs to. Without
    any that covers the span, the sentence, its list and its lead-in are parsed.
    """
    reading = rules.reading(page)
    lead = reading.element(element.lead_in)
    above = None
    if lead is not None and lead.text.strip():
        above = _sentence_condition(reading, lead, *sentence_spans(lead.text)[-1])
    of_things = lead is not None and element.tag == "li" and lead.text.rstrip().endswith(":") and above is None
    citing = []
    for stated in _stated_at(rules, page, element):
        tree, cited = stated.condition, {one.anchor for one in stated.spans}
        if tree is None or (of_things and element.lead_in in cited):  # a condition of another thing is none of its own
            continue
        if any(reading.element(leaf.anchor) is None for leaf in leaves(tree)):  # the page no longer has it
            continue
        if element.lead_in in cited and any(leaf.anchor == element.anchor for leaf in leaves(tree)):
            return tree
        words = stated.spans[:1] if isinstance(stated, Rule) else stated.spans  # the rest leads to those of a rule
        within = any(one.anchor == element.anchor and one.start < end and one.end > start for one in words)
        if within and not _is_the_answer(tree, element, start, end):
            citing.append(tree)
    if citing:  # the fullest of them; the first of equals
        return max(citing, key=lambda condition: len(list(leaves(condition))))
    own = _sentence_condition(reading, element, start, end)
    parts = tuple(part for part in (above, own) if part is not None)
    return None if not parts else parts[0] if len(parts) == 1 else All(parts)


def _is_the_answer(condition: Condition, element: Element, start: int, end: int) -> bool:
    """Whether a requirement is the sentence that answers: nothing is a condition of itself."""
    length = end - start
    inside = [leaf for leaf in leaves(condition) if leaf.anchor == element.anchor]
    return any(min(leaf.end, end) - max(leaf.start, start) > _WHOLE * length for leaf in inside)


def _sentence_condition(reading: Reading, element: Element, start: int, end: int) -> Condition | None:
    parsed = parse_conditions(element.text, element.anchor, start, end)
    if parsed.slot is None:
        return parsed.condition
    items = [e for e in reading.elements if e.lead_in == element.anchor and e.tag == "li" and e.parent is None]
    made = [Leaf(e.anchor, 0, len(e.text), e.text) for e in items]
    return parsed.with_items(made if len(items) <= _MOST_ITEMS else [])


def _stated_at(rules: Rules, page: PageKey, element: Element) -> list[Stated]:
    """The statements and rules at an element or at its lead-in."""
    anchors = [anchor for anchor in (element.anchor, element.lead_in) if anchor]
    statements = [one.statement for one in rules.supports_on(page, anchors)]
    return [*statements, *(one.rule for one in rules.rules_on(page, anchors))]


def judged_condition(context: QuestionContext, candidate: Candidate, first: int, last: int) -> JudgedCondition | None:
    """The condition under which a clause holds, as the one who asks has it; None without one."""
    reading, element = context.pages(candidate.page), candidate.element
    stated = stated_condition(context.rules, candidate.page, element, first, last)
    if stated is None:  # the bound that a sentence states without "if" ("lets people aged 18 to 30 …")
        sentence = element.text[first:last]
        if compare(sentence, context.user_text, context.today) is None:
            return None
        stated = Leaf(element.anchor, first, last, sentence)

    def judged(leaf: Leaf) -> JudgedLeaf:
        state = judge(leaf.text, context.user_text, context.today)
        return JudgedLeaf(leaf, state, source_of(candidate.page, reading, leaf), False)

    tree = mapped(stated, judged)
    return _of_cell(tree, element, context) if element.tag == "tr" else tree


def _of_cell(tree: JudgedCondition, element: Element, context: QuestionContext) -> JudgedCondition | None:
    """The condition of a cell without the name of its row, where that is asked for, or is a time that is now."""
    row = element.text.split(" | ")[0]
    asked_for = content_terms(row) and coverage(content_terms(row), context.user_text) == 1.0
    met = asked_for or (is_time(row) and is_of_now(row, context.form.sentence, context.today))
    whole = element.text
    return without(tree, lambda one: one.leaf.text in row if met else one.leaf.text == whole and one.state is _MET)


def without(tree: JudgedCondition | None, is_known: Callable[[JudgedLeaf], bool]) -> JudgedCondition | None:
    """A condition without those of its parts that need not be shown; None where none is left."""
    parts = tree.children if isinstance(tree, All) else () if tree is None else (tree,)
    kept = tuple(one for one in parts if not (isinstance(one, JudgedLeaf) and is_known(one)))
    return All(kept) if len(kept) > 1 else kept[0] if kept else None


def with_condition(
    context: QuestionContext,
    text: str,
    candidate: Candidate,
    span: tuple[int, int],
    score: float,
    tree: JudgedCondition | None,
) -> tuple[Alternative, tuple[str, ...]]:
    """An alternative with its evidence and condition, and the texts of what is open but taken for granted.

    The case of the section that is asked about is none: its heading stands above what is quoted.
    """
    tree = without(tree, lambda one: one.source.html.startswith("<h") and one.state is _MET)
    evidence = (evidence_of(candidate.page, context.pages(candidate.page), candidate.element, *span),)
    unknown = [one.leaf for one in leaves(settled(tree)) if one.state is _UNKNOWN] if tree is not None else []
    if tree is None or holds(tree) is not _UNKNOWN or len({leaf.anchor for leaf in unknown}) < _MANY_OPEN:
        return Alternative(text, tree, evidence, score), tuple(leaf.text for leaf in unknown)
    marked = mapped(tree, lambda one: replace(one, decisive=one.leaf in unknown))
    return Alternative(text, marked, evidence, score), ()


def conditioned(
    context: QuestionContext, text: str, candidate: Candidate, span: tuple[int, int], score: float
) -> tuple[Alternative, tuple[str, ...]]:
    """The same with the condition of the sentences that the span touches."""
    touched = [(s, e) for s, e in sentence_spans(candidate.element.text) if s < span[1] and e > span[0]]
    first, last = (touched[0][0], touched[-1][1]) if touched else span
    return with_condition(context, text, candidate, span, score, judged_condition(context, candidate, first, last))


def source_of(page: PageKey, reading: Reading, leaf: Leaf) -> Evidence:
    """Where a condition stands."""
    element = reading.element(leaf.anchor)
    assert element is not None, leaf.anchor  # stated_condition() has looked
    return evidence_of(page, reading, element, leaf.start, leaf.end)
