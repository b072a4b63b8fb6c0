"""Modal words of a sentence by class, each with the verb that follows: is a duty told as a duty, a "might" as one?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from clausegraph.core.language.terms import stem
from clausegraph.core.language.words import IMPERATIVES, word_set


class ModalClass(StrEnum):
    """What a modal word says of the act that follows."""

    EXEMPTION = "need not"
    PROHIBITION = "cannot"
    OBLIGATION = "must"
    ADVICE = "should"
    HEDGE = "might"
    PERMISSION = "can"
    MAY = "may"  # permission or hedge


@dataclass(frozen=True, slots=True)
class ModalUse:
    """One modal word as written at ``start``, its class, and the stem of the verb after it ("" for none)."""

    kind: ModalClass
    words: str
    verb: str = ""
    start: int = 0


# The first pattern that matches at a place wins: longer phrases come first.
_PATTERNS: tuple[tuple[ModalClass, str], ...] = (
    (ModalClass.EXEMPTION, r"(?:do|does|did|will|would)(?:\s+not|n't)\s+(?:need|have)(?:\s+to)?"),
    (ModalClass.EXEMPTION, r"needn't|need not|(?:not|n't) (?:required|obliged) to|no need to"),
    (
        ModalClass.HEDGE,
        r"(?:might|may|could)(?:\s+not)?(?:\s+still|\s+also)?\s+be\s+(?:able|allowed|eligible|entitled)",
    ),
    (ModalClass.PROHIBITION, r"cannot|can't|can not|must not|mustn't|shall not|may not|could not|couldn't"),
    (ModalClass.PROHIBITION, r"(?:not|n't|never) (?:be )?(?:allowed|permitted|able|eligible|entitled)(?:\s+to)?"),
    (ModalClass.HEDGE, r"might(?:\s+not)?"),
    (ModalClass.ADVICE, r"should(?:\s+not|n't)?|ought(?:\s+not)?\s+to|advised to|recommended"),
    (
        ModalClass.OBLIGATION,
        r"must|shall|ha(?:s|ve|d) to|having to|needs?(?:\s+to)?|(?:required|obliged) to|required",
    ),
    (ModalClass.MAY, r"may"),
    (ModalClass.PERMISSION, r"can|able to|allowed to|permitted to|(?:entitled|eligible)(?:\s+(?:to|for))?|could"),
)
_NAMED = {f"m{place}": kind for place, (kind, _) in enumerate(_PATTERNS)}
_MODAL = re.compile(
    r"(?<![\w'])(?:" + "|".join(f"(?P<m{i}>{pattern})" for i, (_, pattern) in enumerate(_PATTERNS)) + r")(?![\w'])",
    re.IGNORECASE,
)
_UNCERTAIN = re.compile(
    r"\b(?:might|usually|normally|generally|typically|sometimes|often|likely|probably|possibly|discretion)\b"
    r"|\b(?:we|they|it|council|university|company|employer|school|tribunal|court|landlord|manager|panel|office|bank)"
    r"\s+may\b|\bmay\s+be\b",
    re.IGNORECASE,
)
_SOFT = re.compile(
    r"\b(?:might|may|could|can|usually|normally|generally|typically|sometimes|often|likely|probably|possibly|perhaps"
    r"|depends?|discretion|if|unless|not|no|whether|decides?|case by case)\b|n't\b",
    re.IGNORECASE,
)
_OBLIGING = re.compile(
    r"\b(?:must|shall|need|needs|needed|has to|have to|required?|requires|requirements?|obliged|only|mandatory"
    r"|compulsory|minimum|at least|pays?|paid|payable|charged?|fees?|due|owed?|limits?|maximum|no more than)\b"
    r"|\b(?:cannot|never|unless|until)\b",
    re.IGNORECASE,
)
_DENYING = re.compile(
    r"\b(?:not|no|never|none|cannot|without|unless|only|except|exempt|free|neither|nor|until|instead|rather|less"
    r"|under|more|over|optional|either)\b|n't\b",
    re.IGNORECASE,
)
_DUTY = re.compile(r"\b(?:must|need(?:s|ed)?|have to|required?|requirements?|compulsory)\b", re.IGNORECASE)
_SKIPPED = word_set("also still then normally usually only always be not to you it they we been have already first")
_WORD = re.compile(r"[A-Za-z’']+")
_OPENING_WORD = re.compile(r"(?:(?<=[:;,.!?] )|(?<=[:;,.!?]\n)|(?<![\s\S]))[A-Za-z]+")  # of a sentence or clause
_EMPTY_VERBS = word_set("be get have do go the a an your any this that")


def modal_uses(text: str) -> Iterator[ModalUse]:
    """The modal words of a text from left to right."""
    plain = text.replace("’", "'")
    for match in _MODAL.finditer(plain):
        verb = ""
        for word in _WORD.findall(plain[match.end() : match.end() + 60]):
            if word.lower() not in _SKIPPED:
                verb = "" if word.lower() in _EMPTY_VERBS else stem(word.lower())
                break
        yield ModalUse(_NAMED[match.lastgroup or "m0"], match[0], verb, match.start())


def is_uncertain(text: str) -> bool:
    """Whether a sentence of a page leaves open whether what it says comes about: "usually", "we may", "might"."""
    return _UNCERTAIN.search(text) is not None


def is_soft(text: str) -> bool:
    """Whether a sentence has any word that keeps it from a plain assertion."""
    return _SOFT.search(text.replace("’", "'")) is not None


def is_obliging(text: str) -> bool:
    """Whether a sentence requires anything: by a word, a bound, or as an instruction."""
    openings = (found[0].lower() for found in _OPENING_WORD.finditer(text))
    return _OBLIGING.search(text.replace("’", "'")) is not None or any(word in IMPERATIVES for word in openings)


def is_duty(heading: str) -> bool:
    """Whether a heading is about what must be done: "Notice needed", "What you must send"."""
    return _DUTY.search(heading) is not None


def is_denying(text: str) -> bool:
    """Whether a sentence has a word that lifts, refuses or bounds something."""
    return _DENYING.search(text.replace("’", "'")) is not None
