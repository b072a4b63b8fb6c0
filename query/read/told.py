"""What is told of a condition in other words than its own: another rate of it, none of a kind, where one lives."""

from __future__ import annotations

import re

from clausegraph.core.types import ConditionState
from clausegraph.query.read.meeting import telling, uncovered
from clausegraph.query.read.scenario import NEGATIVE, pieces

_DEGREES = "lower|lowest|middle|higher|highest|standard|enhanced|basic|additional|reduced|full"
_RATE = re.compile(
    rf"\b(?P<degrees>(?:{_DEGREES})(?:(?:,| or|, or) (?:the )?(?:{_DEGREES}))*) (?P<of>rate|band|level)s?\b",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"\b(?:get|gets|have|has|receive|receives|claim|claims|on|with) no (?:other )?(?P<one>\w+s)\b"
    r"|\b(?:not|never|don['’]?t|doesn['’]?t|isn['’]?t|without) (?:\w+ )?any (?:other )?(?P<two>\w+s)\b",
    re.IGNORECASE,
)
_HOME = re.compile(r"\b(?:home|residence) is (?:in|on) (?:the )?(?P<place>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*)*)")


def told_otherwise(condition: str, lead: str, told: str) -> ConditionState | None:
    """What is told of a condition in other words; None where nothing is.

    Args:
        lead: what introduces it: "you get one of these benefits:".
    """
    for found in (_of_rate(condition, told), _of_none(condition, lead, told), _of_home(condition, told)):
        if found is not None:
            return found
    return None


def _of_rate(condition: str, told: str) -> ConditionState | None:
    """Of "the allowance at the middle or higher rate" its lower rate is none."""
    wanted = _RATE.search(condition)
    if wanted is None:
        return None
    of = telling(condition[: wanted.start()] + condition[wanted.end() :])
    for piece in pieces(told):
        said = _RATE.search(piece)
        if said is None or said["of"].lower() != wanted["of"].lower() or uncovered(of, piece) or NEGATIVE.search(piece):
            continue
        within = _degrees(said["degrees"]) <= _degrees(wanted["degrees"])
        return ConditionState.MET if within else ConditionState.UNMET
    return None


def _degrees(text: str) -> frozenset[str]:
    return frozenset(re.findall(_DEGREES, text.lower()))


def _of_none(condition: str, lead: str, told: str) -> ConditionState | None:
    """Who gets no benefits gets none of "one of these benefits:"."""
    denied = _NONE.search(told)
    if denied is None or NEGATIVE.search(condition):
        return None
    kind = (denied["one"] or denied["two"]).lower()
    listed = lead.rstrip().endswith(":") and re.search(rf"\b{re.escape(kind)}\W*(?:\w+\W+){{0,2}}$", lead.lower())
    return ConditionState.UNMET if listed else None


def _of_home(condition: str, told: str) -> ConditionState | None:
    """Who lives in a place has his home there."""
    home = _HOME.search(condition)
    if home is None or NEGATIVE.search(condition):
        return None
    lives = re.search(rf"\b(?:live|lives|living) (?:\w+ )?(?:in|on) (?:the )?{re.escape(home['place'])}\b", told, re.I)
    return (
        ConditionState.MET if lives and not NEGATIVE.search(told[max(0, lives.start() - 12) : lives.start()]) else None
    )
