"""Lead-ins: the condition that a colon leaves open for the list below, and whether it wants all or any item."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.language.conjunctions import starts_predicate
from clausegraph.core.language.verbs import base_of_third_person

_QUANTIFIER = re.compile(
    r"""
    (?P<none>\b(?:none\s+of|neither)\b)
  | (?P<any>\b(?:any\s+(?:(?:one|two|three|\d+)\s+)?of
        |one(?:\s+or\s+(?:more|both))?\s+of|at\s+least\s+(?:one|1|two|2|three|3)\s+of
        |either(?:\s+of)?|1\s+of
        |any\s+(?:other\s+)?(?:following|these)|at\s+least\s+(?:one|1)|one\s+or\s+more|whichever)\b)
  | (?P<all>\b(?:all(?:\s+(?:of|the|these|three|four|3|4|5))?|both(?:\s+of)?|each\s+of|every\s+one\s+of
        |(?<!of\s)the\s+following(?:\s+(?:conditions|criteria)|(?=\s+(?:apply|are\s+true)\b)))\b)
    """,
    re.VERBOSE | re.IGNORECASE,
)
_OPENING = re.compile(
    r",?\s+(and|or)\s+(?=(?:you\s+|they\s+|it\s+|are\s+|you're\s+|have\s+)*"
    r"(?:either|both|any of|all of|all the|the following|one of|at least)\b[^,]*$)",
    re.IGNORECASE,
)
# How an item ends that holds a list of its own: "you have left the home dirty and:", "it lasts a year and is either:".
_JOINT = re.compile(
    r",?\s+(?P<joint>and|or)(?P<stub>(?:\s+(?:if|is|are|was|were|has|have|had|be|been|also|not|you|they|it|your\s\w+"
    r"|either|both|neither|(?:any|all|one|none|at least \w+)(?: of)?|the following|these|applies|apply))*)\s*:?\s*$",
    re.IGNORECASE,
)
# "above the limit after tax and:": what else is counted, in the list, is no condition.
_COUNTED_WITH = re.compile(
    r"\b(?:after|before|less|minus|plus|including|excluding|without|besides|apart from|as well as|on top of"
    r"|not counting)(?:\s[\w'’-]+){1,4}$",
    re.IGNORECASE,
)
_EXAMPLES = re.compile(r"\b(?:such as|for example|including|like)(?:\s+(?:an?|the))?\s*:?\s*$", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Slot:
    """A condition to be filled by list items: ``operator`` is all, any or, where the text does not say, None."""

    operator: str | None
    negated: bool = False
    joined: str = "all"


def quantifier(text: str) -> tuple[str | None, bool]:
    """The operator that a lead-in names ("any of these"), and whether it negates ("none of")."""
    found = list(_QUANTIFIER.finditer(text))
    if not found:
        return None, False
    kind = found[-1].lastgroup
    return ("any", True) if kind == "none" else (kind, False)


def lists_examples(text: str) -> bool:
    """Whether a lead-in's list gives examples: "things like:", "for example:"."""
    return bool(_EXAMPLES.search(text))


def split_slot(text: str, start: int, end: int, open_ended: bool) -> tuple[tuple[int, int] | None, Slot | None]:
    """Split the clause ``text[start:end]`` into its closed part and the slot its list fills.

    A clause that is not ``open_ended`` (no colon) is closed throughout.
    """
    if not open_ended:
        return (start, end), None
    clause = text[start:end]
    if _EXAMPLES.search(clause):
        return (start, end), None
    operator, negated = quantifier(clause[-90:])
    opening = _OPENING.search(clause)
    if opening and starts_predicate(clause[: opening.start()], "x x x"):
        operator, negated = quantifier(clause[opening.start() :])
        joined = "any" if opening[1].lower() == "or" else "all"
        return (start, start + opening.start()), Slot(operator, negated, joined)
    return None, Slot(operator, negated)


@dataclass(frozen=True, slots=True)
class OpenItem:
    """A list item that goes on in a list of its own: it states ``[start, end)`` itself, its list fills ``slot``.

    ``counts``: the list only names what else is counted, and states no condition: "after tax and:".
    """

    start: int
    end: int
    slot: Slot
    counts: bool = False


def split_item(text: str, start: int, end: int, items: Sequence[str]) -> OpenItem | None:
    """What an item states before the "and" or "or" that its own list goes on from; None where it only introduces it.

    Args:
        items: texts of its list.
    """
    found = _JOINT.search(text, start, end)
    if found is None:
        return None
    own = text[start : found.start()]
    if not (starts_predicate(own, "x x x") or any(map(base_of_third_person, own.lower().split()[1:]))):
        return None
    both = found["joint"].lower() == "and"
    operator, negated = quantifier(found["stub"])
    counts = both and not found["stub"].strip() and bool(_COUNTED_WITH.search(own)) and not any(map(_is_clause, items))
    joined = "all" if both else "any"
    return OpenItem(start, found.start(), Slot(operator, negated, joined), counts)


def _is_clause(text: str) -> bool:
    return starts_predicate(text, "x x x")
