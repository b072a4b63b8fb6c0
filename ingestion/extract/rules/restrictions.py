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
_MORE = r"at least|at most|(?:more|less|fewer) than|aged?"
_BOUND = re.compile(rf"\b(?:{_MORE}|up to|minimum|maximum|\d+ (?:\w+ )?years?)\b|[%£]", re.IGNORECASE)
_ITEM_BOUND = re.compile(
    rf"\b(?:{_MORE}|under|over|or (?:more|less|over|under|older|younger)|only|each|per|every|was|were|been"
    r"|\d+ (?:\w+ )?(?:years?|hours?))\b|[%£]",
    re.IGNORECASE,
)
_INFORMS = re.compile(  # what a duty to inform is about is rarely what an answer depends on
    r"\b(?:includes?|tell|written|statement|information|records?|keep|details|send|give|provide|check|report|show"
    r"|evidence|documents?|contact|say|explain|write|ask|call|read|fill|(?:will|'ll)(?: also| usually)? need)\b"
    r"|\bneeds?:\s*$",
    re.IGNORECASE,
)
# Verbs of a state ("must be", "must have"), as against duties to act ("must send").
_STATES = word_set("be been have get getting meet live own satisfy hold pass apply pay either both")
# What to write, say or hand over: in training 12 of the 145 items of such lists are conditions.
_INVENTORY = word_set("include provide contain show enter state fill take bring add tell send email")
# Whom to tell, where to turn, what to use: when that applies decides no answer ("If you move, tell us").
_INSTRUCTIONS = word_set("contact call phone email talk speak tell ask use download fill follow include provide")
_POSSIBLE = re.compile(r"\b(?:may|might)\b")  # "you may need to": a duty on some condition; not the month
_NEED = phrases("need|needs|should|have to|has to|required")
_MUST = phrases("must")
_PURPOSE = phrases("qualify|eligible|entitled|apply|to (?:get|claim|use|join|register|be)")
_LISTS_CASES = re.compile(  # "students who:", "You can only claim because of:", "Employees must:"
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
_OFFICIAL = phrases("employers?|agency|agencies|courts?|HMRC|councils?|authority|office|government|college|university")


def _duty(proposition: Proposition, *adverbs: str) -> str:
    """The verb of a relation after "must", which one of the adverbs may stand before; "" without."""
    must, verb, following = [*proposition.relation.split()[:3], "", "", ""][:3]
    return "" if must != "must" else following if verb in adverbs else verb


def _must_be(proposition: Proposition) -> bool:
    return _duty(proposition, "already", "usually", "normally", "also") in _STATES


def _of_the_reader(proposition: Proposition) -> bool:
    return proposition.subject.lower() == "you"


def instructs(proposition: Proposition) -> bool:
    """Whether a clause instructs the reader whom to tell, where to turn or what to use."""
    duty = proposition.modality is Modality.MUST and proposition.polarity
    return duty and _of_the_reader(proposition) and _duty(proposition) in _INSTRUCTIONS


def lists_requirements(proposition: Proposition, text: str) -> bool:
    """Whether the list of a duty says what must hold: "To qualify you must:", "students who:"."""
    if lists_examples(text):
        return False
    if _LISTS_CASES.search(text):
        return True
    if not proposition.polarity or _INFORMS.search(text):
        return False
    needed = _must_be(proposition) or _PURPOSE.search(text) is not None
    return _OPEN_DUTY.search(text) is not None or (proposition.modality is Modality.MUST and needed)


def lists_duties(proposition: Proposition, text: str) -> bool:
    """Whether each item below a lead-in is a duty that an answer may depend on."""
    duty = proposition.modality is Modality.MUST and proposition.polarity
    if not duty or _duty(proposition, "also") in _INVENTORY:
        return False
    return _of_the_reader(proposition) or not _INFORMS.search(text)


def lists_bounds(proposition: Proposition, text: str, item: str) -> bool:
    """Whether an item below a lead-in narrows what holds for the reader: by a limit, or by what happened before."""
    another = proposition.modality is Modality.MAY and not _of_the_reader(proposition)
    return not another and not _INFORMS.search(text) and _ITEM_BOUND.search(item) is not None


def lists_prohibitions(proposition: Proposition) -> bool:
    """Whether each item below a lead-in is forbidden to the reader: "You cannot claim for:"."""
    return proposition.modality is Modality.CANNOT and _of_the_reader(proposition)


def restricts(proposition: Proposition, text: str) -> bool:
    """Whether a sentence without subordinator restricts: "must", "cannot", "may need to", a bounded sum.

    An instruction does not, nor what only points to the sentence before it ("You must do this within a month"), nor the
    duty of an employer or an office: it is kept or not, whoever asks.
    """
    modality = proposition.modality
    instruction = proposition.subject == "you" and not re.search(r"\byou\b", text, re.IGNORECASE)
    official = modality is Modality.MUST and _OFFICIAL.search(proposition.subject) is not None
    if instruction or official or _POINTS_BACK.match(text):
        return False
    must = modality is Modality.MUST and proposition.polarity and (_must_be(proposition) or _MUST.search(text))
    possible = modality is Modality.MAY and _POSSIBLE.search(text) and _NEED.search(text)
    if must or modality is Modality.CANNOT or possible:
        return True
    permitted = modality is Modality.MAY or (modality is Modality.MUST and _NEED.search(text))
    return bool(permitted and proposition.polarity and _BOUND.search(text))
