"""Modal words: what a verb group does to its subject, and the modal words of a sentence by class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from clausegraph.core.language.lexicon import IMPERATIVES, phrases, word_set
from clausegraph.core.language.normalise import stem
from clausegraph.core.types import Modality

_ADVERBS = r"(?:\s+(?:also|still|usually|normally|sometimes|already|always|only|then|both|probably))*"
_WILL = r"(?:will\s+|'ll\s+|would\s+)?"
_BE = r"(?:am|is|are|'re|'s|be|were|was|may\s+be|might\s+be|could\s+be|will\s+be|'ll\s+be)"
_MAYBE_BE = r"(?:may|might|could)\s+(?:also\s+|still\s+|then\s+)*be"
_DO = r"(?:do|does|did|will)"
_NOT = r"(?:\s+not|n't)"
_ELIGIBLE = r"\s+(?:eligible|entitled)(?:\s+(?:to|for))?"
_ELIGIBLE_TO = r"\s+(?:eligible|entitled)\s+(?:to|for)(?=\s+(?:get|claim|apply|receive|take|be|have|use)\b)"
# The first pattern that matches at the start of the verb group wins. The last column is the verb that the
# phrase stands for when it is not followed by one ("entitled to leave" is "may get leave").
_PHRASES: tuple[tuple[str, Modality, bool, str], ...] = (
    (rf"{_DO}{_NOT}\s+have(?=\s+(?:a|an|any|the|your)\b)", Modality.IS, False, "have"),
    (rf"(?:{_DO}{_NOT}|don't|doesn't|won't|never)(?:\s+\w+ly)?\s+(?:need|have)\s+to", Modality.NEED_NOT, False, ""),
    (rf"(?:{_DO}{_NOT}|don't|doesn't|won't)(?:\s+\w+ly)?\s+need", Modality.NEED_NOT, False, "have"),
    (r"needn't|need\s+not", Modality.NEED_NOT, False, ""),
    (r"should\s+not|shouldn't|ought\s+not\s+to", Modality.SHOULD, False, ""),
    (
        r"cannot|can't|can\s+not|must\s+not|mustn't|may\s+not|shall\s+not|shan't|could\s+not|couldn't",
        Modality.CANNOT,
        False,
        "",
    ),
    (r"can\s+(?:no\s+longer|never|only\s+not)", Modality.CANNOT, False, ""),
    (rf"{_BE}(?:\s+not|n't)\s+(?:allowed|permitted|able)\s+to", Modality.CANNOT, False, ""),
    (rf"{_BE}(?:\s+not|n't){_ELIGIBLE_TO}", Modality.CANNOT, False, ""),
    (rf"{_BE}(?:\s+not|n't){_ELIGIBLE}", Modality.CANNOT, False, "get"),
    (rf"{_DO}{_NOT}\s+qualify(?:\s+for)?", Modality.CANNOT, False, "get"),
    (r"might\s+not", Modality.CAN, False, ""),
    (rf"{_MAYBE_BE}{_ELIGIBLE_TO}", Modality.CAN, True, ""),
    (rf"{_MAYBE_BE}{_ELIGIBLE}", Modality.CAN, True, "get"),
    (rf"{_MAYBE_BE}\s+(?:allowed|permitted|able|free)\s+to", Modality.CAN, True, ""),
    (rf"(?:may|might|could){_ADVERBS}\s+qualify(?:\s+for)?", Modality.CAN, True, "get"),
    (rf"{_BE}{_ADVERBS}{_ELIGIBLE_TO}", Modality.MAY, True, ""),
    (rf"{_BE}{_ADVERBS}{_ELIGIBLE}", Modality.MAY, True, "get"),
    (rf"{_BE}{_ADVERBS}\s+able\s+to", Modality.CAN, True, ""),
    (rf"{_BE}{_ADVERBS}\s+(?:allowed|permitted|free)\s+to", Modality.MAY, True, ""),
    (
        rf"(?:(?:may|might|can|could|will|'ll)\s+)?{_ADVERBS}\s*(?:qualify|qualifies)(?:\s+for)?",
        Modality.MAY,
        True,
        "get",
    ),
    (r"(?:has|have)\s+the\s+right\s+to", Modality.MAY, True, ""),
    (rf"(?:might|could){_ADVERBS}", Modality.CAN, True, ""),
    (rf"(?:may|can){_ADVERBS}", Modality.MAY, True, ""),
    (rf"{_WILL}{_ADVERBS}\s*(?:need|needs)(?:\s+to){_ADVERBS}", Modality.MUST, True, ""),
    (rf"{_WILL}{_ADVERBS}\s*(?:need|needs){_ADVERBS}", Modality.MUST, True, "have"),
    (rf"(?:must|shall){_ADVERBS}", Modality.MUST, True, ""),
    (rf"(?:should|ought\s+to){_ADVERBS}", Modality.SHOULD, True, ""),
    (rf"{_WILL}{_ADVERBS}\s*(?:has|have|had)\s+to{_ADVERBS}", Modality.MUST, True, ""),
    (rf"{_BE}\s+(?:required|obliged)\s+to", Modality.MUST, True, ""),
    (rf"{_BE}\s+(?:advised|recommended|encouraged)\s+to", Modality.SHOULD, True, ""),
)
_TABLE = {f"m{place}": row for place, row in enumerate(_PHRASES)}
_MODAL = re.compile(
    "|".join(rf"(?P<{name}>{row[0]}(?!\w))" for name, row in _TABLE.items()), re.IGNORECASE
)  # the first
_FORCE = {Modality.SHOULD: Modality.MUST, Modality.NEED_NOT: Modality.MUST, Modality.CAN: Modality.MAY}
# What happens to somebody, or is so of them: "you may lose", "you can be fined"; not what they may choose to do.
_BEFALLS = word_set("is has needs gets receives loses finds hears qualifies owes wants faces")
_SUFFERED = word_set("is loses owes faces")
_ENTITLED = word_set("paid accompanied represented reimbursed refunded exempted given awarded granted")
_UNCERTAIN = phrases(
    r"might|usually|normally|generally|typically|sometimes|often|likely|probably|possibly|discretion|may\s+be"
    r"|(?:we|they|it|council|university|company|employer|school|tribunal|court|landlord|manager|panel|office|bank)\s+may"
)
_SOFT = phrases(
    r"might|may|could|can|usually|normally|generally|typically|sometimes|often|likely|probably|possibly|perhaps|depends?"
    r"|discretion|if|unless|not|no|whether|decides?|case by case|\w*n't"
)
_OBLIGING = phrases(
    "unless|must|shall|need|needs|needed|has to|have to|required?|requires|requirements?|obliged|only|mandatory"
    "|compulsory|until|minimum|at least|pays?|paid|payable|charged?|fees?|due|owed?|limits?|maximum"
    "|no more than|cannot|never"
)
_DENYING = phrases(
    r"not|no|never|none|cannot|without|unless|only|except|exempt|free|neither|nor|until|instead|rather|less|under|more"
    r"|over|optional|either|\w*n't"
)
_DUTY = phrases("must|need(?:s|ed)?|have to|required?|requirements?|compulsory")
_SKIPPED = word_set("also still then normally usually only always be not to you it they we been have already first")
_LETTERS = re.compile(r"[A-Za-z’']+")
_OPENING_WORD = re.compile(r"(?:(?<=[:;,.!?] )|(?<=[:;,.!?]\n)|(?<![\s\S]))[A-Za-z]+")  # of a sentence or clause
_EMPTY_VERBS = word_set("be get have do go the a an your any this that")


@dataclass(frozen=True, slots=True)
class ModalPhrase:
    """The modal words that open a verb group: they end at ``end``; ``verb`` is the verb they stand for, or ""."""

    modality: Modality
    polarity: bool
    end: int
    verb: str

    @property
    def force(self) -> tuple[Modality, bool]:
        """Modality and polarity with advice counted as a duty and the possible as permitted."""
        return _FORCE.get(self.modality, self.modality), self.polarity


def shaded(modality: Modality, polarity: bool, modal: str, relation: str, *, personal: bool) -> tuple[Modality, bool]:
    """Whether "can", "may" or "may not" permits, or says what is possible: by who or what it is said of, and of what.

    Args:
        modal: the first word of the verb group.
        personal: whether the subject is somebody, who can be allowed something.
    """
    said = modal.lower()
    first, second = [*relation.split()[:2], "", ""][:2]
    if said == "may" and modality in (Modality.MAY, Modality.CANNOT):
        possible = not personal or first in _BEFALLS
        return (Modality.CAN, modality is Modality.MAY) if possible else (modality, polarity)
    entitled = personal and first == "is" and second in _ENTITLED
    suffered = first in _SUFFERED or (first, second) == ("has", "to")
    if said == "can" and modality is Modality.MAY and not entitled and (not personal or suffered):
        return Modality.CAN, polarity
    return modality, polarity


def modal_phrase(group: str) -> ModalPhrase | None:
    """The modal phrase at the start of a verb group ("do not need to pay"), or None."""
    match = _MODAL.match(group)
    if match is None or not match.end():
        return None
    _, modality, polarity, verb = _TABLE[match.lastgroup or ""]
    return ModalPhrase(modality, polarity, match.end(), verb)


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
    (ModalClass.OBLIGATION, r"must|shall|ha(?:s|ve|d) to|having to|needs?(?:\s+to)?|(?:required|obliged) to|required"),
    (ModalClass.MAY, r"may"),
    (ModalClass.PERMISSION, r"can|able to|allowed to|permitted to|(?:entitled|eligible)(?:\s+(?:to|for))?|could"),
)
_NAMED = {f"m{place}": kind for place, (kind, _) in enumerate(_PATTERNS)}
_MODAL_WORD = re.compile(
    r"(?<![\w'])(?:" + "|".join(f"(?P<m{i}>{pattern})" for i, (_, pattern) in enumerate(_PATTERNS)) + r")(?![\w'])",
    re.IGNORECASE,
)


def modal_uses(text: str) -> Iterator[ModalUse]:
    """The modal words of a text from left to right."""
    plain = text.replace("’", "'")
    for match in _MODAL_WORD.finditer(plain):
        verb = ""
        for word in _LETTERS.findall(plain[match.end() : match.end() + 60]):
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
