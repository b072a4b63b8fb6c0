"""Two things in one object: one name, two statements, or none where it is not sure what "and" joins.

"A passport and a birth certificate" are two things, "Leave and Pay" may be one name, "male or female interviewer" is
one thing, and of "spare parts or accessories" nobody can tell whether the accessories are spare.
"""

from __future__ import annotations

import re

from clausegraph.core.language.normalise import singular
from clausegraph.core.language.words import DETERMINERS, PREPOSITIONS, RELATIVES
from clausegraph.core.types import Modality
from clausegraph.ingestion.extract.rules.names import mention_type

_JOINT = re.compile(r"(?:,\s*(?:and|or)\s+|,\s*|\s+(?:and|or)\s+)")
_IDIOM = re.compile(
    r"\b(?:health and safety|terms and conditions|(?:help|support|advice|guidance|information) (?:and|or)"
    r" (?:help|support|advice|guidance|information)|noise and vibration|bed and breakfast|profit and loss"
    r"|time and expenses|research and development|bank or building society|[\w-]+ing and \w+ing)\b",
    re.IGNORECASE,
)
_ADJECTIVE = re.compile(
    r"\w+(?:al|ic|ed|ive|ary|ous|ful|ble)$|(?:new|old|used|male|female|full|part|single|joint|written)$"
)
_ABBREVIATED = re.compile(r"^[^()]*\b(?:and|or) [^()]*\([A-Z][A-Za-z]+\)")  # all of it: "health and care (EHC) plan"
_OPENS = re.compile(r"^(?:an?|the|your|their) ", re.IGNORECASE)
_ENDS = PREPOSITIONS | RELATIVES | {"worth", "to"}


def things(phrase: str, modality: Modality, *, polarity: bool) -> list[str]:
    """The things that an object names, each with what is said of all: one, several, or none where that is not sure.

    Args:
        modality: with ``polarity``, of the clause: who must bring A or B need not bring A, who cannot get A and B may
            get A.
    """
    words = phrase.split()
    at = next((i for i, word in enumerate(words) if i and word.lower() in _ENDS), len(words))
    head, tail = _OPENS.sub("", " ".join(words[:at])), " ".join(words[at:])
    joints = set(re.findall(r"\b(?:and|or)\b", head))
    if not joints or "whichever" in phrase or _IDIOM.search(head) or _ABBREVIATED.search(head):
        return [phrase]
    parts = [part for part in _JOINT.split(head) if part]
    if len(joints) > 1:
        return []
    if _is_one(parts, joints):
        return [phrase]
    each = joints == ({"or"} if not polarity or modality in (Modality.MAY, Modality.CAN) else {"and"})
    both = joints == {"and"} and polarity
    if not (each or both) or not _are_parallel(parts):
        return []
    return [f"{part} {tail}".strip() for part in parts]


def _is_one(parts: list[str], joints: set[str]) -> bool:
    """Whether what is joined is a name, or only says of which kinds one thing is."""
    named = all(part[:1].isupper() for part in parts)
    *first, last = parts
    if joints == {"and"} and len(parts) == 2 and first[0].split()[-1][:1].isupper() and last[:1].isupper():
        return "thing" in map(mention_type, parts)  # "Social Security and Child Support Tribunal"
    if "'s " in last and len(parts) == 2 and not named:  # "child or young person's ability"
        return True
    kinds = len(_OPENS.sub("", last).split()) > 1 and all(len(part.split()) == 1 for part in first)
    singles = joints == {"or"} and all(singular(part) == part for part in first)
    return kinds and not named and (singles or all(map(_ADJECTIVE.match, first)))


def _are_parallel(parts: list[str]) -> bool:
    """Whether nothing before the first of several things, nor behind the last, is surely said of all."""
    if all(part[:1].isupper() for part in parts):
        return True
    if all(part.split()[0].lower() in DETERMINERS for part in parts[1:]):
        return True
    counts = [len(part.split()) for part in parts]
    return max(counts) == 1 or (len(parts) > 2 and counts[0] <= min(counts[1:]))
