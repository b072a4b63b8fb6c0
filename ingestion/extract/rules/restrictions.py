"""Restrictions without a subordinator: requirements ("You must be 18 or over") and bounds ("up to 6 years").

Which of these are conditions of an answer was learned from ConditionalQA's training questions: elements stating a
requirement or a bound are conditions about twice as often as an average element, what a form must include almost never.
"""

from __future__ import annotations

import re

from clausegraph.core.language.conditions import lists_examples
from clausegraph.core.language.normalise import plain
from clausegraph.core.language.propositions import Proposition
from clausegraph.core.types import Leaf, Modality, Passage, PassageKind, Stated

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
_INFORMS = re.compile(
    r"\b(?:include|includes|tell|written|statement|information|records?|keep|details|send|give|provide|check|report|show|evidence|documents?"
    r"|contact|say|explain|write|ask|call|read|fill)\b",
    re.IGNORECASE,
)
# Verbs of a state ("must be", "must have"), as against duties to act ("must send").
_STATE = re.compile(
    r"^must (?:already |usually |normally |also )?(?:be|been|have|get|getting|meet|live|own|satisfy"
    r"|hold|pass|apply|pay|either|both)\b"
)
_SUM = re.compile(
    r"\b(?:at least|at most|more than|less than|up to|over|under|above|below|between|exceeds?)\s+£\s?\d", re.IGNORECASE
)
_POSSIBLE = re.compile(r"\b(?:may|might)\b")  # "you may need to": a duty on some condition; not the month
_NEED = re.compile(r"\b(?:need|needs|should|have to|has to|required)\b", re.IGNORECASE)
_MUST = re.compile(r"\bmust\b", re.IGNORECASE)
_PURPOSE = re.compile(r"\b(?:qualify|eligible|entitled|apply|to (?:get|claim|use|join|register|be))\b", re.IGNORECASE)
_RELATIVE_LIST = re.compile(
    r"\b(?:who|whose|that|which)(?:\s+(?:is|are|has|have|was|were|either|both|must))*\s*:\s*$", re.IGNORECASE
)
# "You can only claim because of:": the list names the cases.
_ONLY_LIST = re.compile(
    r"\bonly\b.*\b(?:because of|due to|for|in|during|based on|(?:reasons|circumstances|cases|situations))\s*:\s*$"
    r"|\b(?:any|one) of the following (?:reasons|circumstances|cases|situations|conditions)\s*:\s*$",
    re.IGNORECASE,
)
# "The form must include:", "You must send:": an inventory of what to write, say or hand over; in training 12 of
# the 145 items of such lists are conditions, of all items that the rules mark more than every third.
_INVENTORY = re.compile(
    r"^must (?:also )?(?:include|provide|contain|show|enter|state|fill|take|bring|add|tell|send|email)\b"
)
# Instructions whom to tell, where to turn, what to use: when they apply decides no answer ("If you move, tell us").
_INSTRUCTION = re.compile(
    r"^must (?:contact|call|phone|email|talk|speak|tell|ask|use|download|fill|follow|include|provide)\b"
)
_INSTRUCTS = re.compile(  # the same of a relation in the third person
    r"^(?:contacts|calls|phones|emails|talks|speaks|tells|asks|uses|downloads|fills|follows|includes|provides)\b"
)
# States of mind that advice is for ("if you're not sure"), and the moment something happens ("once you have paid").
_DOUBT = re.compile(
    r"^you(?:'re| are) (?:not sure|unsure|unhappy|not happy|worried)\b"
    r"|^you (?:do not|don't) (?:know|hear|understand)\b|^you (?:think|disagree)\b",
    re.IGNORECASE,
)
_MOMENT = re.compile(r"\b(?:once|while)\s+$", re.IGNORECASE)
_POINTS_BACK = re.compile(
    r"(?:this|these|they|it)\b|(?:you|they) (?:must|can|cannot|should|need to)(?: only)? do (?:this|so|it)\b",
    re.IGNORECASE,
)
_OFFICIAL = re.compile(
    r"\b(?:employers?|agency|agencies|courts?|tribunal|HMRC|DVLA|DVSA|councils?|authority|authorities|office|government|college|university|ships?|vessels?)\b",
    re.IGNORECASE,
)
_SAYS_YOU = re.compile(r"\byou\b", re.IGNORECASE)
# "Employees must:", "For an offer to be valid:": what stands below must hold, whoever it is about.
_OPEN_DUTY = re.compile(
    r"\b(?:must|need to|has to|have to)(?:\s+(?:all|either|both|also|be|been|have))*\s*:\s*$", re.IGNORECASE
)
_VALID_LIST = re.compile(r"^\s*for\s+[^,.:]+:\s*$", re.IGNORECASE)
_FOR_INFORMATION = re.compile(r"\b(?:will|'ll)\s+(?:also\s+|usually\s+)?need\b|\bneeds?:\s*$", re.IGNORECASE)


def states_requirement(proposition: Proposition) -> bool:
    """Whether a clause says what must be the case: "must be", "must have", "must live"."""
    return proposition.modality is Modality.MUST and proposition.polarity and bool(_STATE.match(proposition.relation))


def instructs(proposition: Proposition) -> bool:
    """Whether a clause instructs the reader whom to tell, where to turn or what to use."""
    duty = proposition.modality is Modality.MUST and proposition.polarity and proposition.subject.lower() == "you"
    return duty and bool(_INSTRUCTION.match(proposition.relation))


def is_bounded(text: str) -> bool:
    """Whether a sentence names a limit: an age, an amount, a number of years, "at least"."""
    return bool(_BOUND.search(text))


def is_bounded_item(text: str) -> bool:
    """Whether a list item narrows what it names: by a limit ("over 2 metres") or by what happened before."""
    return bool(_ITEM_BOUND.search(text))


def informs(text: str) -> bool:
    """Whether a lead-in asks for information or documents: its items are no conditions."""
    return bool(_INFORMS.search(text) or _FOR_INFORMATION.search(text))


def lists_requirements(proposition: Proposition, text: str) -> bool:
    """Whether the list of a duty says what must hold: "To qualify you must:", "students who:"."""
    if lists_examples(text):
        return False
    if _RELATIVE_LIST.search(text) or _ONLY_LIST.search(text) or _VALID_LIST.match(text):
        return True
    if _OPEN_DUTY.search(text) and proposition.polarity and not informs(text):
        return True
    if proposition.modality is not Modality.MUST or not proposition.polarity or informs(text):
        return False
    return bool(_STATE.match(proposition.relation) or _PURPOSE.search(text))


def lists_duties(proposition: Proposition, text: str) -> bool:
    """Whether each item below a lead-in is a duty that an answer may depend on."""
    if proposition.modality is not Modality.MUST or not proposition.polarity:
        return False
    if _INVENTORY.match(proposition.relation):
        return False
    return proposition.subject.lower() == "you" or not informs(text)


def lists_bounds(proposition: Proposition, text: str) -> bool:
    """Whether the bounded items below a lead-in narrow what holds for the reader."""
    another = proposition.modality is Modality.MAY and proposition.subject.lower() != "you"
    return not another and not informs(text)


def lists_prohibitions(proposition: Proposition) -> bool:
    """Whether each item below a lead-in is forbidden to the reader: "You cannot claim for:"."""
    return proposition.modality is Modality.CANNOT and proposition.subject.lower() == "you"


def decides(stated: Stated, leaf: Leaf, text: str) -> bool:
    """Whether an answer may depend on a leaf of a condition; ``text`` is the element of the leaf.

    Not so for an instruction where to turn or what to use, a state of mind, or the moment something happens.
    """
    own = {span.anchor for span in stated.spans}
    listed = leaf.anchor in own and leaf.anchor != stated.spans[0].anchor
    if _is_instruction(stated) and not listed:  # an item of a list below it is a case of its own
        return False
    return not (_DOUBT.match(plain(leaf.text)) or _MOMENT.search(text, 0, leaf.start))


def _is_instruction(stated: Stated) -> bool:
    if isinstance(stated, Passage):
        return stated.kind is PassageKind.INSTRUCTION
    duty = stated.modality in (Modality.MUST, Modality.SHOULD) and stated.polarity
    by_rules = stated.subject.type == "role" and bool(_INSTRUCTS.match(stated.relation))
    return duty and (by_rules or (stated.subject.key == "you" and bool(_INSTRUCTION.match(stated.relation))))


def _is_no_rule(proposition: Proposition, text: str) -> bool:
    """Whether a clause instructs, points back, or is the duty of an office."""
    instructs = proposition.subject == "you" and not _SAYS_YOU.search(text)
    official = proposition.modality is Modality.MUST and _OFFICIAL.search(proposition.subject) is not None
    return instructs or official or _POINTS_BACK.match(text) is not None


def restricts(proposition: Proposition, text: str) -> bool:
    """Whether a sentence without subordinator restricts: "must", "cannot", "may need to", a bounded sum.

    An instruction does not, nor what only points to the sentence before it ("You must do this within a month"), nor the
    duty of an employer or an office: it is kept or not, whoever asks.
    """
    if _is_no_rule(proposition, text):
        return False
    if states_requirement(proposition) or proposition.modality is Modality.CANNOT:
        return True
    if proposition.modality is Modality.IS and _SUM.search(text):
        return True
    if proposition.modality is Modality.MUST and proposition.polarity and _MUST.search(text):
        return True
    if proposition.modality is Modality.MAY and _POSSIBLE.search(text) and _NEED.search(text):
        return True
    permitted = proposition.modality is Modality.MAY or bool(_NEED.search(text))  # an imperative only instructs
    return (
        permitted
        and proposition.modality in (Modality.MUST, Modality.MAY)
        and proposition.polarity
        and is_bounded(text)
    )
