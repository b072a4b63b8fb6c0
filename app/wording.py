"""An answer in words: its first line, its conditions as lines with marks, what one would still have to know."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clausegraph.app.conditions import MARKS
from clausegraph.app.text import one_line
from clausegraph.core.types import (
    All,
    Alternative,
    AnyOf,
    ConditionState,
    JudgedCondition,
    JudgedLeaf,
    Not,
    holds,
    leaves,
)
from clausegraph.query.read.conditions import settled

_YOU_BE = re.compile(
    r"^(?P<you>you(?:r (?:\w+\s+){1,3}?)?|it|they|he|she|the \w+)\s*"
    r"(?P<be>are|were|have been|will be|is|was|can|must|will)\s+",
    re.IGNORECASE,
)
_YOU_HAVE_BEEN = re.compile(
    r"^(?P<you>you)\s+(?P<be>have|had)\s+(?=(?:never |already |not )?(?:been|\w+ed|had|got)\b)", re.IGNORECASE
)
_CONTRACTED = (("you[’']re", "you are"), ("you[’']ve", "you have"), ("you[’']ll", "you will"))
_YOU_DO = re.compile(r"^you(?: or your \w+)?\s+(?P<verb>[a-z]+)\b")
_PAST = re.compile(r"(?:ed|lived|left|got|were|was|had|paid|bought|sold|made|came|went|gave|took|told|became|began)$")


def headline(alternative: Alternative) -> str:
    """The first line: "Yes.", "No, if any of these holds:", "£210, if all of these hold:"."""
    text = one_line(alternative.text)
    said = text.capitalize() if text in ("yes", "no") else text
    tree = alternative.condition
    if tree is None or holds(tree) is not ConditionState.UNKNOWN:
        return f"{said}." if text in ("yes", "no") else said
    return f"{said}, {_under(settled(tree))}:"


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


def opposite(alternative: Alternative) -> str:
    """What holds where the condition of a yes or no does not: "yes" for a "no"; "" for other answers."""
    return {"yes": "no", "no": "yes"}.get(alternative.text, "")


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
            yield Line(depth, f"{MARKS[child.state]}: unless: {_asked_or_said(child)}", child)
            return
        yield Line(depth, f"{mark}none of these:" if isinstance(child, AnyOf) else f"{mark}not all of these:")
        yield from condition_lines(child, depth + 1)
        return
    yield Line(depth, f"{mark}all of these:" if isinstance(tree, All) else f"{mark}any of these:")
    yield from condition_lines(tree, depth + 1)


def _asked_or_said(judged: JudgedLeaf) -> str:
    """What one would still have to know as a question, what is known in the words of the page."""
    words = leaf_words(judged)
    return question_of(words) if judged.state is ConditionState.UNKNOWN else words


def leaf_words(judged: JudgedLeaf) -> str:
    """A condition in its page's words; an item without a verb after what introduces it."""
    text = one_line(judged.leaf.text)
    lead = one_line(judged.source.lead_in)
    bare = bool(lead) and not re.search(r"\b(?:you|your|is|are|was|were|has|have|the \w+ \w+s)\b", text)
    return f"{lead} {text}" if bare and lead.endswith(":") else text


def open_questions(alternative: Alternative) -> list[str]:
    """What one would still have to know, as questions to the person; nothing once the answer is settled."""
    tree = alternative.condition
    if tree is None or holds(tree) is not ConditionState.UNKNOWN:
        return []
    unknown = [leaf for leaf in leaves(settled(tree)) if leaf.state is ConditionState.UNKNOWN]
    return list(dict.fromkeys(question_of(leaf_words(leaf)) for leaf in unknown))


def question_of(condition: str) -> str:
    """A condition as a question: "you pay all of your own fees" is "Do you pay all of your own fees?"."""
    text = condition.strip(" .;,")
    for short, long in _CONTRACTED:
        text = re.sub(rf"^{short}\b", long, text)
    be = _YOU_HAVE_BEEN.match(text) or _YOU_BE.match(text)
    if be:
        verb = be["be"].split()
        return f"{verb[0].capitalize()} {be['you'].strip()} {' '.join([*verb[1:], text[be.end() :]])}?"
    do = _YOU_DO.match(text)
    if do and not _PAST.search(do["verb"]) and not text.startswith("you do "):
        return f"Do {text}?"
    return f"Is this so: {text}?"
