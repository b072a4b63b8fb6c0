"""Where a quote stands in an element: exactly, but for case, spaces and quote marks, or nearly."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from rapidfuzz import fuzz

from clausegraph.core.language.lexicon import DENIALS, NUMBERS
from clausegraph.core.language.normalise import UNSEEN

_ALIKE = 90.0  # per cent of characters that a near quote shares with the text
_LONGEST_NEAR = 400  # characters of a quote that is looked for nearly: the search is quadratic
_TRIES = 1000  # places inside words; a text made of nothing else is hostile
_SHORTEST = 2  # letters and digits; a shorter quote says nothing, unless it is a whole cell
_PLAIN = str.maketrans({"‘": "'", "’": "'", "“": '"', "”": '"', "–": "-", "—": "-"})
_EDGES = " \t\n\"'“”‘’….,;:"
# What turns a condition around, or is another condition: a near quote must have the same
_TURNS = re.compile(
    r"\b(?:" + "|".join(sorted(DENIALS)) + r"|without|unless|except|only|all|any|both|either)\b|n't\b|\d+"
)
_MEASURES = re.compile(
    r"\b(?:under|over|less|more|least|most|before|after|until|below|above|within|outside"
    r"|" + "|".join(NUMBERS) + r")\b"
)


class Quotable:
    """A text that quotes are looked for in, folded once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._folded: str | None = None
        self._places: Sequence[int] = []  # of each folded character in the text

    def find(self, quote: str) -> tuple[int, int] | None:
        """``[start, end)`` of the quote, on word boundaries; none where the text does not have it."""
        wanted = quote.strip(_EDGES)
        if sum(c.isalnum() for c in wanted[:8]) < _SHORTEST:
            is_amount = len(wanted) > 1 and any(c.isdigit() for c in wanted)  # "£9"
            return _whole(self.text, wanted) if is_amount else _cell(self.text, wanted)
        exact = _whole(self.text, wanted)
        if exact is not None:
            return exact
        folded, places = self._fold()
        wanted = _fold(wanted)[0].strip(_EDGES)
        found = _whole(folded, wanted) or _near(folded, wanted)
        return None if found is None else (places[found[0]], places[found[1] - 1] + 1)

    def _fold(self) -> tuple[str, Sequence[int]]:
        if self._folded is None:
            self._folded, self._places = _fold(self.text)
        return self._folded, self._places


def _cell(text: str, wanted: str) -> tuple[int, int] | None:
    """The first cell of a table row that is ``wanted``."""
    start = f" | {text} | ".find(f" | {wanted} | ") if wanted and " | " in text else -1
    return None if start < 0 else (start, start + len(wanted))


def _fold(text: str) -> tuple[str, Sequence[int]]:
    """Lower case, plain marks and single spaces, with the place of each character that is left."""
    plain = text.translate(_PLAIN)
    lower = plain.lower()
    if plain.isprintable() and "  " not in plain and len(lower) == len(plain) and _is_composed(plain):
        return lower, range(len(lower))
    characters: list[str] = []
    places: list[int] = []
    for place, character in enumerate(plain):
        if character.isspace() or unicodedata.category(character) in UNSEEN:
            folded = " " if characters and characters[-1] != " " else ""
        else:
            folded = unicodedata.normalize("NFKC", character).lower()
        characters += folded
        places += [place] * len(folded)
    return "".join(characters), places


def _is_composed(text: str) -> bool:
    return text.isascii() or unicodedata.is_normalized("NFKC", text)


def _whole(text: str, wanted: str) -> tuple[int, int] | None:
    """The first place where ``wanted`` stands as whole words."""
    start = text.find(wanted) if wanted else -1
    for _ in range(_TRIES):
        if start < 0:
            return None
        end = start + len(wanted)
        if _is_edge(text, start) and _is_edge(text, end):
            return start, end
        start = text.find(wanted, start + 1)
    return None


def _is_edge(text: str, place: int) -> bool:
    """Whether no word goes on across ``place``."""
    return not (text[place - 1 : place].isalnum() and text[place : place + 1].isalnum()) if place else True


def _near(text: str, wanted: str) -> tuple[int, int] | None:
    """The place most like ``wanted``, when it is alike enough and turns the same way."""
    if not wanted or len(wanted) > _LONGEST_NEAR:
        return None
    if len(wanted) >= len(text):
        return (0, len(text)) if text and fuzz.ratio(wanted, text) >= _ALIKE and _same_turn(wanted, text) else None
    found = fuzz.partial_ratio_alignment(wanted, text, score_cutoff=_ALIKE)
    if found is None:
        return None
    start, end = _widened(text, found.dest_start, found.dest_end)
    return (start, end) if end > start and _same_turn(wanted, text[start:end]) else None


def _widened(text: str, start: int, end: int) -> tuple[int, int]:
    """The stretch out to whole words, without spaces at its ends."""
    while start > 0 and not _is_edge(text, start):
        start -= 1
    while end < len(text) and not _is_edge(text, end):
        end += 1
    while start < end and text[start] == " ":
        start += 1
    while end > start and text[end - 1] == " ":
        end -= 1
    return start, end


def _same_turn(one: str, other: str) -> bool:
    """Whether both have the same negations, quantifiers, bounds and numbers, in the same order."""
    return _TURNS.findall(one) == _TURNS.findall(other) and _MEASURES.findall(one) == _MEASURES.findall(other)
