"""What a verb group does to its subject: permits, requires, forbids or just states; a table of phrases."""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.types import Modality

_ADVERBS = r"(?:\s+(?:also|still|usually|normally|sometimes|already|always|only|then|both|probably))*"
_WILL = r"(?:will\s+|'ll\s+|would\s+)?"
_BE = r"(?:am|is|are|'re|'s|be|were|was|may\s+be|might\s+be|could\s+be|will\s+be|'ll\s+be)"
_DO = r"(?:do|does|did|will)"
_NOT = r"(?:\s+not|n't)"

# The first pattern that matches at the start of the verb group wins. The last column is the verb that the
# phrase stands for when it is not followed by one ("entitled to leave" is "may get leave").
_PHRASES: tuple[tuple[str, Modality, bool, str], ...] = (
    (rf"{_DO}{_NOT}\s+have(?=\s+(?:a|an|any|the|your)\b)", Modality.IS, False, "have"),
    (rf"(?:{_DO}{_NOT}|don't|doesn't|won't)(?:\s+\w+ly)?\s+(?:need|have)\s+to", Modality.MUST, False, ""),
    (rf"(?:{_DO}{_NOT}|don't|doesn't|won't)(?:\s+\w+ly)?\s+need", Modality.MUST, False, "have"),
    (r"needn't|need\s+not", Modality.MUST, False, ""),
    (
        r"(?:cannot|can't|can\s+not|must\s+not|mustn't|may\s+not|could\s+not|couldn't|should\s+not|shouldn't)",
        Modality.CANNOT,
        False,
        "",
    ),
    (r"can\s+(?:no\s+longer|never|only\s+not)", Modality.CANNOT, False, ""),
    (rf"{_BE}(?:\s+not|n't)\s+(?:allowed|permitted|able)\s+to", Modality.CANNOT, False, ""),
    (
        rf"{_BE}(?:\s+not|n't)\s+(?:eligible|entitled)\s+(?:to|for)(?=\s+(?:get|claim|apply|receive|take|be|have|use)\b)",
        Modality.CANNOT,
        False,
        "",
    ),
    (rf"{_BE}(?:\s+not|n't)\s+(?:eligible|entitled)(?:\s+(?:to|for))?", Modality.CANNOT, False, "get"),
    (rf"{_DO}{_NOT}\s+qualify(?:\s+for)?", Modality.CANNOT, False, "get"),
    (r"might\s+not", Modality.MAY, False, ""),
    (
        rf"{_BE}{_ADVERBS}\s+(?:eligible|entitled)\s+(?:to|for)(?=\s+(?:get|claim|apply|receive|take|be|have|use)\b)",
        Modality.MAY,
        True,
        "",
    ),
    (rf"{_BE}{_ADVERBS}\s+(?:eligible|entitled)(?:\s+(?:to|for))?", Modality.MAY, True, "get"),
    (rf"{_BE}{_ADVERBS}\s+(?:allowed|permitted|able|free)\s+to", Modality.MAY, True, ""),
    (
        rf"(?:(?:may|might|can|could|will|'ll)\s+)?{_ADVERBS}\s*(?:qualify|qualifies)(?:\s+for)?",
        Modality.MAY,
        True,
        "get",
    ),
    (r"(?:has|have)\s+the\s+right\s+to", Modality.MAY, True, ""),
    (rf"(?:may|might|can|could){_ADVERBS}", Modality.MAY, True, ""),
    (rf"{_WILL}{_ADVERBS}\s*(?:need|needs)(?:\s+to){_ADVERBS}", Modality.MUST, True, ""),
    (rf"{_WILL}{_ADVERBS}\s*(?:need|needs){_ADVERBS}", Modality.MUST, True, "have"),
    (rf"(?:must|should){_ADVERBS}", Modality.MUST, True, ""),
    (rf"{_WILL}{_ADVERBS}\s*(?:has|have|had)\s+to{_ADVERBS}", Modality.MUST, True, ""),
    (rf"{_BE}\s+(?:required|obliged)\s+to", Modality.MUST, True, ""),
)
_TABLE = tuple((re.compile(row[0] + r"(?!\w)", re.IGNORECASE), row[1], row[2], row[3]) for row in _PHRASES)


@dataclass(frozen=True, slots=True)
class ModalPhrase:
    """The modal words that open a verb group: they end at ``end``; ``verb`` is the verb they stand for, or ""."""

    modality: Modality
    polarity: bool
    end: int
    verb: str


def modal_phrase(group: str) -> ModalPhrase | None:
    """The modal phrase at the start of a verb group ("do not need to pay"), or None."""
    for pattern, modality, polarity, verb in _TABLE:
        match = pattern.match(group)
        if match and match.end():
            return ModalPhrase(modality, polarity, match.end(), verb)
    return None
