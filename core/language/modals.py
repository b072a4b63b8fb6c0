"""Modal words: what a verb group does to its subject, and the modal words of a sentence by class."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from clausegraph.core.language.lexicon import IMPERATIVES, WordTable, phrases, word_set
from clausegraph.core.language.normalise import stem
from clausegraph.core.types import Modality

_TABLE = WordTable(__file__)
_PHRASES = {f"m{place}": row for place, row in enumerate(_TABLE.file["phrases"])}
_MODAL = re.compile(
    "|".join(rf"(?P<{name}>(?:{_TABLE.text(row['said'])})(?!\w))" for name, row in _PHRASES.items()), re.IGNORECASE
)  # the first
_FORCE = {Modality.SHOULD: Modality.MUST, Modality.NEED_NOT: Modality.MUST, Modality.CAN: Modality.MAY}
# What happens to somebody, or is so of them: "you may lose", "you can be fined"; not what they may choose to do.
_BEFALLS = word_set("is has needs gets receives loses finds hears qualifies owes wants faces")
_SUFFERED = word_set("is loses owes faces")
_ENTITLED = word_set("paid accompanied represented reimbursed refunded exempted given awarded granted")
_UNCERTAIN = _TABLE.pattern("uncertain")
_SOFT = _TABLE.pattern("soft")
_OBLIGING = _TABLE.pattern("obliging")
_DENYING = _TABLE.pattern("denying")
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
    row = _PHRASES[match.lastgroup or ""]
    return ModalPhrase(Modality(row["modality"]), not row.get("denied"), match.end(), row.get("verb", ""))


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


_USES = {f"m{place}": row for place, row in enumerate(_TABLE.file["uses"])}
_MODAL_WORD = re.compile(
    r"(?<![\w'])(?:" + "|".join(f"(?P<{name}>{row['said']})" for name, row in _USES.items()) + r")(?![\w'])",
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
        yield ModalUse(ModalClass(_USES[match.lastgroup or "m0"]["class"]), match[0], verb, match.start())


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
