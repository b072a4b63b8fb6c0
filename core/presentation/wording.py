"""An answer in words: its first line, its conditions as lines with marks, what is said of pages that disagree."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from itertools import combinations

from clausegraph.core.condition_trees import VERDICTS, deciding, open_part, settled
from clausegraph.core.language.lexicon import WordTable
from clausegraph.core.language.values import TELLING_KINDS, value_kind
from clausegraph.core.text import one_line
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnyOf,
    ConditionState,
    Contradiction,
    Evidence,
    JudgedCondition,
    JudgedLeaf,
    Not,
    PageKey,
    holds,
    leaves,
)

_TABLE = WordTable(__file__)

MARKS = {ConditionState.MET: "✓ met", ConditionState.UNMET: "✗ unmet", ConditionState.UNKNOWN: "? open"}

_YOU_BE = _TABLE.pattern("you_be")
_OPENS_LIST = re.compile(r"\s*(?:\b(?:either|both|all|each))?:$")
_YOU_HAVE_BEEN = _TABLE.pattern("you_have_been")
_CONTRACTED = (("you[’']re", "you are"), ("you[’']ve", "you have"), ("you[’']ll", "you will"))
_YOU_DO = re.compile(r"^you(?: or your \w+)?\s+(?P<verb>(?!(?!bring)[a-z]+ing\b)[a-z]+)\b(?!['’])")
_CLAUSE = _TABLE.pattern("clause")
_OPEN_END = re.compile(r"\b(?:if|unless|when|who|and|or)\s+(?:you|they|it|he|she)\s*:$", re.IGNORECASE)
_CASE = _TABLE.pattern("case")
_QUANTIFIED = _TABLE.pattern("quantified")
_LISTS = re.compile(r"\b(?:not|cannot|never|no|refuse|exempt|free)\b|n['’]t\b", re.IGNORECASE)
_MUST_BE = re.compile(r"\byou must (?:also |either )?be\b", re.IGNORECASE)
_MODALS = frozenset(["can", "cannot", "could", "may", "might", "must", "shall", "should", "will", "would", "do"])
_PAST = re.compile(r"(?:ed|lived|left|got|were|was|had|paid|bought|sold|made|came|went|gave|took|told|became|began)$")


def headline(alternative: Alternative) -> str:
    """The first line: "Yes.", "No, if any of these holds:", "£210, if all of these hold:"."""
    text = one_line(alternative.text)
    shown = decided(alternative)
    said = text.capitalize() if is_verdict(alternative) else text
    if shown is None or holds(alternative.condition) is not ConditionState.UNKNOWN:
        return f"{said}." if is_verdict(alternative) else said
    return f"{said}, {_under(shown)}:"


def decided(alternative: Alternative) -> JudgedCondition | None:
    """What of an answer's condition is shown below its first line: what decides, or what may bring it about.

    What is required beside what bars is left out: no page says "otherwise yes".
    """
    return _split(alternative)[0]


def condition_heading(alternative: Alternative) -> str:
    """What stands above the whole condition of an answer, settled or not: "No, if any of these holds:"."""
    text = one_line(alternative.text)
    said = text.capitalize() if is_verdict(alternative) else text
    return said if alternative.condition is None else f"{said}, {_under(alternative.condition)}:"


def _split(alternative: Alternative) -> tuple[JudgedCondition | None, JudgedCondition | None]:
    """What is shown first of a condition, and what somebody whom nothing of it bars has to meet besides."""
    tree = alternative.condition
    if tree is None:
        return None, None
    if alternative.text == "no" and isinstance(tree, AnyOf) and holds(tree) is ConditionState.UNKNOWN:
        *bars, last = tree.children
        if isinstance(last, Not) and bars:
            return settled(bars[0] if len(bars) == 1 else AnyOf(tuple(bars))), settled(last.child)
    return deciding(tree), None


def _under(tree: JudgedCondition) -> str:
    match tree:
        case All():
            return "if all of these hold"
        case AnyOf():
            return "if any of these holds"
        case Not(AnyOf()):
            return "if none of these holds"
        case Not(All()):
            return "unless all of these hold"
        case Not():
            return "unless this holds"
        case _:
            return "if this holds"


def is_verdict(alternative: Alternative) -> bool:
    """Whether an answer is a yes or no, or what a "no" becomes that nothing brings about."""
    return alternative.text in VERDICTS or bool(alternative.otherwise)


def opposite(alternative: Alternative) -> str:
    """What holds where the condition of a verdict does not: "yes" for a "no"; "" for other answers."""
    return alternative.otherwise or VERDICTS.get(alternative.text, "")


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a condition, indented ``depth`` times: a leaf with its mark, or what joins the lines below it."""

    depth: int
    text: str
    leaf: JudgedLeaf | None = None


def condition_lines(tree: JudgedCondition, depth: int = 0) -> Iterator[Line]:
    """The lines of what matters of a condition; its headline has said how the outermost ones are joined."""
    match settled(tree):
        case All(children) | AnyOf(children):
            for child in children:
                yield from _inner(child, depth)
        case Not(child) if isinstance(child, (All, AnyOf)):
            yield from condition_lines(child, depth)
        case Not(child):
            yield from _inner(child, depth)
        case shown:
            yield from _inner(shown, depth)


def _inner(tree: JudgedCondition, depth: int) -> Iterator[Line]:
    if isinstance(tree, JudgedLeaf):
        yield Line(depth, f"{MARKS[tree.state]}: {_asked_or_said(tree)}", tree)
        return
    state = holds(tree)
    mark = "" if state is ConditionState.UNKNOWN else f"{MARKS[state]}: "
    if isinstance(tree, Not):
        child = tree.child
        if isinstance(child, Not):
            yield from _inner(child.child, depth)
            return
        if isinstance(child, JudgedLeaf):
            unless = "an exception" if child.state is ConditionState.MET else "unless"
            yield Line(depth, f"{MARKS[child.state]}: {unless}: {_asked_or_said(child)}", child)
            return
        yield Line(depth, f"{mark}none of these:" if isinstance(child, AnyOf) else f"{mark}not all of these:")
        yield from condition_lines(child, depth + 1)
        return
    excepted = _excepted(tree)
    if excepted is not None:
        rule, exceptions = excepted
        yield Line(depth, f"{mark}{leaf_words(rule)}, but an exception is met:")
        for one in exceptions:
            yield Line(depth + 1, f"{MARKS[one.state]}: {leaf_words(one)}", one)
        return
    yield Line(depth, f"{mark}all of these:" if isinstance(tree, All) else f"{mark}any of these:")
    yield from condition_lines(tree, depth + 1)


def _excepted(tree: JudgedCondition) -> tuple[JudgedLeaf, list[JudgedLeaf]] | None:
    """Of "students, unless …" the rule, and its exceptions that are met; None where these are not what refutes it."""
    children = tree.children if isinstance(tree, All) else ()
    rule = [one for one in children if isinstance(one, JudgedLeaf) and one.state is not ConditionState.UNMET]
    lifted = [one.child for one in children if isinstance(one, Not)]
    met = [leaf for one in lifted if holds(one) is ConditionState.MET for leaf in leaves(deciding(one))]
    if len(rule) != 1 or len(lifted) + 1 != len(children) or not met:
        return None
    return rule[0], [leaf for leaf in met if leaf.state is ConditionState.MET]


def _asked_or_said(judged: JudgedLeaf) -> str:
    """What one would still have to know as a question, what is known in the words of the page."""
    return asked_of(judged) if judged.state is ConditionState.UNKNOWN else leaf_words(judged)


def leaf_words(judged: JudgedLeaf) -> str:
    """A condition in its page's words; an item without a verb after what introduces it."""
    text, lead = one_line(judged.leaf.text), one_line(judged.source.lead_in)
    if not lead.endswith(":") or (re.search(_CLAUSE, text) and not _OPEN_END.search(lead)):
        return text
    case = _CASE.search(lead)
    if case is not None:
        opens = re.sub(r"\b(you|they|it|are|have)\s+(?:either|both|all|each)$", r"\1", case[1] or "")
        return text if _QUANTIFIED.search(opens) or _CLAUSE.match(text) else f"{opens} {text}".strip()
    if _LISTS.search(lead):
        return text
    be = _MUST_BE.search(lead)
    return f"you are {text}" if be is not None else f"{_OPENS_LIST.sub('', lead)} {text}"


def _is_listed(judged: JudgedLeaf) -> bool:
    """Whether a condition is a thing of a list: "We won't give a permit for: a caravan"."""
    lead = one_line(judged.source.lead_in)
    return (
        lead.endswith(":")
        and not _CASE.search(lead)
        and bool(_LISTS.search(lead))
        and not _CLAUSE.search(judged.leaf.text)
    )


def asked_of(judged: JudgedLeaf) -> str:
    """What one would have to ask to know whether a condition holds."""
    if judged.question:
        return one_line(judged.question)
    words = leaf_words(judged)
    return f"Is it {words.strip(' .;,')}?" if _is_listed(judged) else question_of(words)


def open_questions(alternative: Alternative) -> list[str]:
    """What one would still have to know, as questions to the person; nothing once the answer is settled."""
    shown, required = _split(alternative)
    if shown is None or holds(alternative.condition) is not ConditionState.UNKNOWN:
        return []
    unknown = [leaf for leaf in (*leaves(shown), *leaves(required)) if leaf.state is ConditionState.UNKNOWN]
    return list(dict.fromkeys(asked_of(leaf) for leaf in unknown))


def question_of(condition: str) -> str:
    """A condition as a question: "you pay all of your own fees" is "Do you pay all of your own fees?"."""
    text = condition.strip(" .;,")
    for short, long in _CONTRACTED:
        text = re.sub(rf"^{short}\b", long, text)
    if re.match(r"you must\b", text, re.IGNORECASE):
        return f"Do you meet this: {text}?"
    be = _YOU_HAVE_BEEN.match(text) or _YOU_BE.match(text)
    if be:
        verb = be["be"].split()
        return f"{verb[0].capitalize()} {be['you'].strip()} {' '.join([*verb[1:], text[be.end() :]])}?"
    do = _YOU_DO.match(text)
    if do and not _PAST.search(do["verb"]) and do["verb"] not in _MODALS:
        return f"Do {text}?"
    if re.match(r"(?:have|are|get|live|pay|need|own|work)\b", text):  # "you get it if you … and have a tenancy"
        return f"Is this so: you {text}?" if re.search(r"\b(?:not|never)\b", text) else question_of(f"you {text}")
    return f"Is this so: {text}?"


def unless_words(alternative: Alternative) -> str:
    """The headline of a verdict with the one condition that is open in the sentence: "No, unless you pay all fees.".

    Of a "no" that several things may bring about, the one that is met but for an open exception. "" where a list says
    it better.
    """
    tree = alternative.condition
    if tree is None or not is_verdict(alternative) or holds(tree) is not ConditionState.UNKNOWN:
        return ""
    left = open_part(tree)
    if isinstance(left, AnyOf) and alternative.text == "no" and isinstance(tree, AnyOf):
        parts = (open_part(child) for child in tree.children if _is_met_but_for_an_exception(child))
        left = next((part for part in parts if part is not None), left)
    match left:
        case JudgedLeaf():
            said, leaf = "if", left
        case Not(JudgedLeaf() as leaf):
            said = "unless"
        case _:
            return ""
    words = leaf_words(leaf).strip(" .;,")
    if not _CLAUSE.match(words):
        return ""
    opening = words[0].lower() if words.startswith("You") else words[0]
    return f"{alternative.text.capitalize()}, {said} {opening}{words[1:]}."


def _is_met_but_for_an_exception(tree: JudgedCondition) -> bool:
    """Whether some of a group is met, and all that is open of it lies under a "not"."""
    if not isinstance(tree, All) or holds(tree) is not ConditionState.UNKNOWN:
        return False
    met = any(holds(child) is ConditionState.MET for child in tree.children)
    return met and isinstance(open_part(tree), Not)


Sides = tuple[str, tuple[Evidence, ...]]
_OPEN = "The pages contradict each other; newest first:"
_NEITHER = "The pages contradict each other, so neither side is asserted; newest first:"


def disputed_sides(answer: Answer) -> Iterator[Sides]:
    """Both sides of what is open, newest first; then what is replaced, since when, and by what, as far as the answer
    does not show it anyway."""
    held = [one for one in answer.contradictions if not one.superseded]
    sides = dict.fromkeys(side for one in held for side in (one.newer, one.older))
    if sides:
        heading = _OPEN if answer.alternatives else _NEITHER
        yield heading, tuple(sorted(sides, key=lambda side: side.updated or "", reverse=True))
    shown = {_place(evidence) for one in answer.alternatives for evidence in one.evidence}
    for one in answer.contradictions:
        if one.superseded:
            yield from _replaced(one, shown, answer.inquiry.as_of or date.today())


def quotes_beside(answer: Answer) -> tuple[Evidence, ...]:
    """The quotes that are no side of a contradiction."""
    sides = {_place(side) for one in answer.contradictions for side in (one.newer, one.older)}
    return tuple(
        quote
        for quote in answer.quotes
        if not any(str(quote.page) == page and (said in quote.quote or quote.quote in said) for page, said in sides)
    )


def _replaced(one: Contradiction, shown: set[tuple[str, str]], today: date) -> Iterator[Sides]:
    to_come = one.since is not None and one.since > today.isoformat()
    when = "" if one.since is None else f" {'from' if to_come else 'since'} {one.since}"
    if _place(one.newer) in shown:
        yield f"This holds{when} in place of:", (one.older,)
    elif _place(one.older) in shown:
        yield f"This is replaced{when} by:", (one.newer,)
    else:
        yield f"Replaced{when}:", (one.older,)
        yield "by:", (one.newer,)


def _place(evidence: Evidence) -> tuple[str, str]:
    return str(evidence.page), evidence.quote


def pages_disagree(answer: Answer) -> bool:
    """Whether pages contradict each other in what was found, or two alternatives are two sides."""
    return any(not one.superseded for one in answer.contradictions) or alternatives_disagree(answer)


def alternatives_disagree(answer: Answer) -> bool:
    """Whether two verdicts, or two values of one kind, rest on other pages and neither waits for a condition.

    Alternatives on one page are its own cases; with open conditions both may be right; two names may both be meant.
    """
    settled = [a for a in answer.alternatives if a.evidence and not a.open_conditions and _kind(a)]
    return any(
        one_line(a.text).lower() != one_line(b.text).lower() and _kind(a) == _kind(b) and not (_pages(a) & _pages(b))
        for a, b in combinations(settled, 2)
    )


def says_both(answer: Answer) -> bool:
    """Whether one page says yes and no, and neither waits for a condition."""
    settled = (one for one in answer.alternatives if holds(one.condition) is not ConditionState.UNKNOWN)
    return {"yes", "no"} <= {one.text.lower() for one in settled} and not alternatives_disagree(answer)


def _kind(alternative: Alternative) -> str:
    """Whether an alternative is a verdict or a value, and of which kind; "" for all else."""
    kind = "verdict" if alternative.text.lower() in ("yes", "no") else value_kind(alternative.text) or ""
    return kind if kind in {"verdict", *TELLING_KINDS} else ""


def _pages(alternative: Alternative) -> set[PageKey]:
    return {evidence.page for evidence in alternative.evidence}
