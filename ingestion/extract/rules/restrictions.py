"""Restrictions without a subordinator: requirements ("You must be 18 or over") and bounds ("up to 6 years").

Which of these are conditions of an answer was learned from ConditionalQA's training questions: elements stating a
requirement or a bound are conditions about twice as often as an average element, what a form must include almost never.
"""

from __future__ import annotations

import re

from clausegraph.core.language.conditions import lists_examples
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.propositions import Proposition
from clausegraph.core.types import Modality

# Bounds of a sentence and of a list item, as far as they raised the odds of being a condition in training.
_BOUND = re.compile(
    r"\b(?:at least|at most|(?:more|less|fewer) than|up to|minimum|maximum|aged?|\d+ (?:\w+ )?years?)\b|[%£]",
    re.IGNORECASE,
)
_ITEM_BOUND = re.compile(
    r"\b(?:at least|at most|(?:more|less|fewer) than|under|over"
    r"|or (?:more|less|over|under|older|younger)|only|aged?|each|per|every"
    r"|was|were|been|\d+ (?:\w+ )?(?:years?|hours?))\b|[%£]",
    re.IGNORECASE,
)
# What a duty to inform is about is rarely what an answer depends on.
_INFORMS = phrases(
    "include|includes|tell|written|statement|information|records?|keep|details|send|give|provide|check|report|show"
    "|evidence|documents?|contact|say|explain|write|ask|call|read|fill|(?:will|'ll)(?: also| usually)? need"
)
_ASKS_FOR_NEEDS = re.compile(r"\bneeds?:\s*$", re.IGNORECASE)
# Verbs of a state ("must be", "must have"), as against duties to act ("must send").
_STATES = word_set("be been have get getting meet live own satisfy hold pass apply pay either both")
# What to write, say or hand over: in training 12 of the 145 items of such lists are conditions.
_INVENTORY = word_set("include provide contain show enter state fill take bring add tell send email")
# Whom to tell, where to turn, what to use: when that applies decides no answer ("If you move, tell us").
_INSTRUCTIONS = word_set("contact call phone email talk speak tell ask use download fill follow include provide")
_SUM = re.compile(
    r"\b(?:at least|at most|more than|less than|up to|over|under|above|below|between|exceeds?)\s+£\s?\d", re.IGNORECASE
)
_POSSIBLE = re.compile(r"\b(?:may|might)\b")  # "you may need to": a duty on some condition; not the month
_NEED = phrases("need|needs|should|have to|has to|required")
_MUST = phrases("must")
_PURPOSE = phrases("qualify|eligible|entitled|apply|to (?:get|claim|use|join|register|be)")
_LISTS_CASES = re.compile(  # "students who:", "You can only claim because of:", "For an offer to be valid:"
    r"\b(?:who|whose|that|which)(?:\s+(?:is|are|has|have|was|were|either|both|must))*\s*:\s*$"
    r"|\bonly\b.*\b(?:because of|due to|for|in|during|based on|reasons|circumstances|cases|situations)\s*:\s*$"
    r"|\b(?:any|one) of the following (?:reasons|circumstances|cases|situations|conditions)\s*:\s*$"
    r"|^\s*for\s+[^,.:]+:\s*$",
    re.IGNORECASE,
)
_OPEN_DUTY = re.compile(  # "Employees must:": what stands below must hold, whoever it is about
    r"\b(?:must|need to|has to|have to)(?:\s+(?:all|either|both|also|be|been|have))*\s*:\s*$", re.IGNORECASE
)
_POINTS_BACK = re.compile(
    r"(?:this|these|they|it)\b|(?:you|they) (?:must|can|cannot|should|need to)(?: only)? do (?:this|so|it)\b",
    re.IGNORECASE,
)
_OFFICIAL = phrases(
    "employers?|agency|agencies|courts?|tribunal|HMRC|DVLA|DVSA|councils?|authority|authorities|office|government"
    "|college|university|ships?|vessels?"
)
_YOU = phrases("you")


def _is_duty(proposition: Proposition) -> bool:
    return proposition.modality is Modality.MUST and proposition.polarity


def _duty(proposition: Proposition, *adverbs: str) -> str:
    """The verb of a relation after "must", which one of the adverbs may stand before; "" without."""
    must, verb, following = [*proposition.relation.split()[:3], "", "", ""][:3]
    return "" if must != "must" else following if verb in adverbs else verb


def _must_be(proposition: Proposition) -> bool:
    return _duty(proposition, "already", "usually", "normally", "also") in _STATES


def instructs(proposition: Proposition) -> bool:
    """Whether a clause instructs the reader whom to tell, where to turn or what to use."""
    return _is_duty(proposition) and proposition.subject.lower() == "you" and _duty(proposition) in _INSTRUCTIONS


def is_bounded_item(text: str) -> bool:
    """Whether a list item narrows what it names: by a limit ("over 2 metres") or by what happened before."""
    return bool(_ITEM_BOUND.search(text))


def informs(text: str) -> bool:
    """Whether a lead-in asks for information or documents: its items are no conditions."""
    return bool(_INFORMS.search(text) or _ASKS_FOR_NEEDS.search(text))


def lists_requirements(proposition: Proposition, text: str) -> bool:
    """Whether the list of a duty says what must hold: "To qualify you must:", "students who:"."""
    if lists_examples(text):
        return False
    if _LISTS_CASES.search(text):
        return True
    if not proposition.polarity or informs(text):
        return False
    if _OPEN_DUTY.search(text):
        return True
    return proposition.modality is Modality.MUST and (_must_be(proposition) or _PURPOSE.search(text) is not None)


def lists_duties(proposition: Proposition, text: str) -> bool:
    """Whether each item below a lead-in is a duty that an answer may depend on."""
    if not _is_duty(proposition) or _duty(proposition, "also") in _INVENTORY:
        return False
    return proposition.subject.lower() == "you" or not informs(text)


def lists_bounds(proposition: Proposition, text: str) -> bool:
    """Whether the bounded items below a lead-in narrow what holds for the reader."""
    another = proposition.modality is Modality.MAY and proposition.subject.lower() != "you"
    return not another and not informs(text)


def lists_prohibitions(proposition: Proposition) -> bool:
    """Whether each item below a lead-in is forbidden to the reader: "You cannot claim for:"."""
    return proposition.modality is Modality.CANNOT and proposition.subject.lower() == "you"


def restricts(proposition: Proposition, text: str) -> bool:
    """Whether a sentence without subordinator restricts: "must", "cannot", "may need to", a bounded sum.

    An instruction does not, nor what only points to the sentence before it ("You must do this within a month"), nor the
    duty of an employer or an office: it is kept or not, whoever asks.
    """
    modality = proposition.modality
    instruction = proposition.subject == "you" and not _YOU.search(text)
    official = modality is Modality.MUST and _OFFICIAL.search(proposition.subject) is not None
    if instruction or official or _POINTS_BACK.match(text):
        return False
    must = _is_duty(proposition) and (_must_be(proposition) or _MUST.search(text))
    total = modality is Modality.IS and _SUM.search(text)
    possible = modality is Modality.MAY and _POSSIBLE.search(text) and _NEED.search(text)
    if must or modality is Modality.CANNOT or total or possible:
        return True
    permitted = modality is Modality.MAY or (modality is Modality.MUST and _NEED.search(text))
    return bool(permitted and proposition.polarity and _BOUND.search(text))
