"""The conditions of an answer for a scenario: gathered from facts or from the sentence, judged, and weighed.

Every leaf of the governing statement is shown, as met, unmet or unknown. Unknown ones are *decisive* only where at
least four elements are open together. Fewer are taken for granted when people ask, as most are on ConditionalQA.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date

from clausegraph.core.condition_trees import grouped, settled
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.types import (
    All,
    Condition,
    ConditionState,
    Element,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    PageKey,
    Passage,
    PassageKind,
    Reading,
    Stated,
    fold,
    holds,
    leaves,
)
from clausegraph.query.read.protocol import Rules
from clausegraph.query.read.scenario import judge

_MANY_OPEN = 4  # open elements of one statement from which people do not take them for granted
_WHOLE = 0.6  # share of a sentence that makes a leaf of it the sentence
_MOST_ITEMS = 12  # a longer list under "if:" is an enumeration, not a condition anybody can be asked about


def stated_condition(
    reading: Reading, element: Element, start: int, end: int, found: Sequence[Stated] = ()
) -> Condition | None:
    """The condition under which the statement in ``[start, end)`` of ``element`` holds, else None.

    What was extracted comes first; without any that covers the span, the sentence, its list and its lead-in are parsed.
    """
    if _is_thing(reading, element):  # one thing of many: the conditions of the others are none of its own
        found = [stated for stated in found if not any(s.anchor == element.lead_in for s in stated.spans)]
    for stated in found:  # an item of a list of conditions: the statement that the list belongs to
        condition = stated.condition
        cites = any(s.anchor == element.lead_in for s in stated.spans)
        if cites and condition is not None and any(leaf.anchor == element.anchor for leaf in leaves(condition)):
            return condition
    citing = [
        stated.condition
        for stated in found
        if stated.condition is not None
        and not _is_gathered(stated)  # all that a section requires is no condition of one of its sentences
        and any(s.anchor == element.anchor and s.start < end and s.end > start for s in stated.spans)
        and not _is_the_answer(stated.condition, element, start, end)
    ]
    if citing:  # the fullest of them; the first of equals
        return max(citing, key=lambda condition: len(list(leaves(condition))))
    own = _sentence_condition(reading, element, start, end)
    lead = reading.element(element.lead_in)
    above = _lead_condition(reading, lead) if lead is not None else None
    parts = tuple(part for part in (above, own) if part is not None)
    return None if not parts else parts[0] if len(parts) == 1 else All(parts)


def _is_thing(reading: Reading, element: Element) -> bool:
    """Whether an item is of a list of things, not of conditions: "You cannot sell:"."""
    lead = reading.element(element.lead_in) if element.tag == "li" else None
    return lead is not None and lead.text.rstrip().endswith(":") and _lead_condition(reading, lead) is None


def _is_the_answer(condition: Condition, element: Element, start: int, end: int) -> bool:
    """Whether a requirement is the sentence that answers: nothing is a condition of itself."""
    length = end - start
    inside = [leaf for leaf in leaves(condition) if leaf.anchor == element.anchor]
    return any(min(leaf.end, end) - max(leaf.start, start) > _WHOLE * length for leaf in inside)


def _sentence_condition(reading: Reading, element: Element, start: int, end: int) -> Condition | None:
    parsed = parse_conditions(element.text, element.anchor, start, end)
    return parsed.with_items(_items(reading, element)) if parsed.slot is not None else parsed.condition


def _lead_condition(reading: Reading, lead: Element) -> Condition | None:
    spans = sentence_spans(lead.text)
    return _sentence_condition(reading, lead, *spans[-1]) if spans else None


def _items(reading: Reading, lead: Element) -> list[Condition]:
    items = [e for e in reading.elements if e.lead_in == lead.anchor and e.tag == "li" and e.parent is None]
    return [Leaf(e.anchor, 0, len(e.text), e.text) for e in items] if len(items) <= _MOST_ITEMS else []


def judged(
    condition: Condition, sources: Mapping[Leaf, Evidence], user_text: str, today: date | None = None
) -> JudgedCondition:
    """The whole tree, each leaf judged by what the asker has ``told``.

    Args:
        sources: the evidence of each leaf.
        today: the day from which ages are seen.
    """
    found = {leaf: judge(leaf.text, user_text, today) for leaf in leaves(condition)}
    made: JudgedCondition = fold(
        condition, lambda leaf: JudgedLeaf(leaf, found[leaf].state, sources[leaf], False), grouped
    )
    return made


def with_decisive(tree: JudgedCondition) -> JudgedCondition:
    """The tree with its open leaves marked as decisive, where at least ``_MANY_OPEN`` elements are open together."""
    unknown = [one.leaf for one in leaves(settled(tree)) if one.state is ConditionState.UNKNOWN]
    if holds(tree) is not ConditionState.UNKNOWN or len({leaf.anchor for leaf in unknown}) < _MANY_OPEN:
        return tree
    marked: JudgedCondition = fold(tree, lambda one: replace(one, decisive=one.leaf in unknown), grouped)
    return marked


def stated_at(rules: Rules, page: PageKey, element: Element) -> list[Stated]:
    """The statements and passages at an element or at its lead-in."""
    anchors = [anchor for anchor in (element.anchor, element.lead_in) if anchor]
    statements = [one.statement for one in rules.supports_on(page, anchors)]
    return [*statements, *(one.passage for one in rules.passages_on(page, anchors))]


def _is_gathered(stated: Stated) -> bool:
    return isinstance(stated, Passage) and stated.kind is PassageKind.REQUIREMENTS
