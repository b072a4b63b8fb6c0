"""Sentence boundaries in English policy text, by rules."""

from __future__ import annotations

# ruff: noqa: SIM905 (a list of words reads best as a line of words)
import re

# A possible end: closing mark, optional closing quotes or brackets, white space, something that may start a sentence.
_CANDIDATE = re.compile(r"([.!?…])[\"'”’)\]]*(\s+)(?=[\"'“‘(\[]*[A-Z0-9£$€])")
_OPENING = "\"'“‘(["
_NEXT_WORD = re.compile(r"[\"'“‘(\[]*([A-Za-z’']+)?")

_NEVER_LAST = frozenset("e.g i.e eg ie cf viz mr mrs ms dr prof rev hon st vs v messrs mx sgt capt".split())
_BEFORE_NUMBER = frozenset(
    "no nos art arts para paras reg regs s ss sec sect ch p pp fig figs vol cl sch ref tel ext approx c ca "
    "jan feb mar apr jun jul aug sep sept oct nov dec".split()
)
_INITIALS = re.compile(r"^(?:[A-Za-z]\.)*[A-Za-z]$")  # U.K, a.m, J
_STARTERS = frozenset(
    "a after all an any apply as ask at before both but by call check do each for from he her his how however if in "
    "it its make most my no not on once or our she since some tell that the their then there these they this those "
    "to use we what when where which while who with you your".split()
)
_LIST_NUMBER = re.compile(r"^(?:\d{1,3}|[a-z]|[ivx]{1,4})$", re.IGNORECASE)

_CLAUSE_NUMBER = re.compile(  # "2.1 All travel …", "(a) when …", "3. Booking"; "2.1 GB" is a value
    r"\s*(?:\d{1,3}(?:\.\d{1,3}){1,4}\.?\s+(?=[\"'“‘(\[]*(?:[A-Z][a-z]|[AI] ))"
    r"|\(?(?:\d{1,3}|[a-z]|[ivx]{2,4})[.)]\s+)(?=\S)"
)


def after_number(text: str) -> int:
    """Where a text begins behind the number of its clause ("2.1", "(a)"); 0 where it has none."""
    found = _CLAUSE_NUMBER.match(text)
    return found.end() if found else 0


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Offsets ``[start, end)`` of the sentences of ``text``, in order, without surrounding white space.

    Every character that is not white space is in exactly one sentence. A full stop after an abbreviation ("e.g.",
    "Mr.", "No. 5", "U.K."), inside a number or an address ("£15,000.01", "gov.uk") or after a list number at the
    start of a sentence ends nothing.
    """
    spans: list[tuple[int, int]] = []
    start = len(text) - len(text.lstrip())
    for match in _CANDIDATE.finditer(text):
        if match.start(1) >= start and _ends(text, start, match):
            spans.append((start, match.start(2)))
            start = match.end()
    end = len(text.rstrip())
    if end > start:
        spans.append((start, end))
    return spans


def _ends(text: str, start: int, match: re.Match[str]) -> bool:
    """Whether a candidate really ends the sentence that began at ``start``."""
    if match.group(1) != ".":
        return True
    begins = _word_start(text, start, match.start(1))
    word = text[begins : match.start(1)].lstrip(_OPENING)
    following = _NEXT_WORD.match(text, match.end())
    next_word = (following.group(1) or "") if following else ""
    key = word.lower()
    if key in _NEVER_LAST:
        return False
    if key in _BEFORE_NUMBER and not next_word:
        return False
    if begins == start and _LIST_NUMBER.match(word):
        return False
    if _INITIALS.match(word):
        return next_word.lower() in _STARTERS
    return True


def _word_start(text: str, start: int, end: int) -> int:
    """Where the word that ends at ``end`` begins, not before ``start``; linear however long the sentence is."""
    while end > start and not text[end - 1].isspace():
        end -= 1
    return end
