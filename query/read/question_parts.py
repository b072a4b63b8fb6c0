"""Which part of a question asks and which tells: "im a student can i get the grant" asks for the grant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

from clausegraph.core.language.normalise import normalise_text
from clausegraph.query.read.questions import asking_sentence

_WE = r"(?:i|we|you|he|she|it|they|there|my|our|your|his|her|their|the|a|an|any|anyone|someone|this|that)"
_AUX = r"(?:am|is|are|was|do|does|did|can|could|will|would|should|may|must|have|has)"
_WH = r"(?:how|what|when|where|who|which|why|whats|whos)"
_OPENS = re.compile(
    rf"\b(?:{_AUX}\s+{_WE}\b|how (?:much|many|long|old|often|soon|far|do|does|can)\b|(?:what|when|where|who|which)\b)",
    re.IGNORECASE,
)
_ASKS_AT_ONCE = re.compile(rf"^(?:(?:so|and|but|hi|hello|please)\b[,\s]*)*(?:{_AUX}|{_WH})\b", re.IGNORECASE)
_CLINGS = re.compile(
    r"\b(?:by|for|to|in|at|of|with|on|from|the|a|an|my|know|sure|ask|tell|me|about)\s*$", re.IGNORECASE
)
_TELLS = (
    r"(?:(?:i|we|he|she|they)(?:'m|'ve|'d|'s|m|ve)?|im|ive|my|our|his|her|its|it's"
    r"|the (?:house|job|baby|landlord|council))"
)
_SINCE = r"(?:as|because|since|cos|cuz|but|and|given(?: that)?|considering(?: that)?|now(?: that)?|who)"
_SAYS = (
    r"(?:i am|i'm|im|i have|i've|ive|i work|i live|i look|i get|i earn|i was|i don't|i dont|he is|she is|he's|she's"
    r"|they are|we are|we have|my \w+ (?:is|has|was))"
)
_ENDS = re.compile(
    rf"(?:\s*[,;:]|\s+-|\s+{_SINCE})\s+{_TELLS}\b"
    rf"|(?<!\bif)(?<!\bthat)(?<!\bwhen)(?<!\bwhile)(?<!\b(?:can|how|has))(?<!\b(?:do|am|is))(?<!\b(?:will|does))\s+(?={_SAYS}\b)",
    re.IGNORECASE,
)
_CASE = re.compile(r"\s+(?:even\s+)?(?:if|when|once|where|while|after|unless|although|though)\s+(?=\w)", re.IGNORECASE)
_FEWEST = 2  # a part of no more words is none


@dataclass(frozen=True, slots=True)
class Parts:
    """What a question asks, the case it asks for ("if …"), and what it tells of the one who asks."""

    asks: str
    case: str
    scenario_text: str


@lru_cache(maxsize=512)
def parts(question: str) -> Parts:
    """The parts of a question; all of it asks where nothing sets them apart."""
    whole = normalise_text(question)
    sentence = asking_sentence(question)
    others = whole.replace(sentence, " ", 1)
    before, asks = _opened(sentence)
    asks, after = _cut(asks, _ENDS)
    asks, case = _cut(asks, _CASE)
    return Parts(asks, case, " ".join(f"{others} {before} {after}".split()))


def _opened(sentence: str) -> tuple[str, str]:
    """What comes before the words that open a question, and the rest."""
    opens = None if _ASKS_AT_ONCE.match(sentence) else _OPENS.search(sentence)
    before = sentence[: opens.start()] if opens is not None else ""
    if opens is None or len(before.split()) <= _FEWEST or _CLINGS.search(before):
        return "", sentence
    return before, sentence[opens.start() :]


def _cut(text: str, at: re.Pattern[str]) -> tuple[str, str]:
    """A text up to where a pattern is found behind its first words, and what comes after."""
    for found in at.finditer(text):
        if len(text[: found.start()].split()) > _FEWEST:
            return text[: found.start()], text[found.end() :] if at is _CASE else text[found.start() :].lstrip(" ,;:-")
    return text, ""
