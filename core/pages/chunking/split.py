"""Split a text that is longer than a chunk: by sentences, then words, then characters."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.tokens import count_many, count_tokens

_WORD = re.compile(r"\S+")
_MARK = re.compile(r"[!-/:-@\[-`{-~\u2010-\u2027\u4e00-\u9fff]")  # each is a word piece of its own wherever it stands


@dataclass(frozen=True, slots=True)
class Piece:
    """Characters ``[start, end)`` of a text; ``breaks_word`` tells that it begins inside a word."""

    start: int
    end: int
    tokens: int
    breaks_word: bool = False


def split_text(text: str, limit: int) -> list[Piece]:
    """Split a text into pieces of at most ``limit`` tokens: sentences, and parts of the longer ones."""
    spans = sentence_spans(text)
    counts = _counts([text[start:end] for start, end in spans])
    pieces: list[Piece] = []
    for (start, end), tokens in zip(spans, counts, strict=True):
        pieces += [Piece(start, end, tokens)] if tokens <= limit else list(_by_words(text, start, end, limit))
    return pieces


def _counts(texts: list[str]) -> list[int]:
    """Word pieces of each text; equal ones are counted once."""
    unique = list(dict.fromkeys(texts))
    found = dict(zip(unique, count_many(unique), strict=True))
    return [found[text] for text in texts]


def first_words(text: str, limit: int) -> tuple[str, int]:
    """The longest run of first words with at most ``limit`` tokens, and its tokens."""
    first = next(_by_words(text, 0, len(text), limit))
    return text[first.start : first.end].strip(), first.tokens


def _by_words(text: str, start: int, end: int, limit: int) -> Iterator[Piece]:
    """Pack words greedily. White space separates word pieces, so the counts of words add up."""
    words = [match.span() for match in _WORD.finditer(text, start, end)]
    counts = _counts([text[a:b] for a, b in words])
    begin, until, total = start, start, 0
    for (a, b), tokens in zip(words, counts, strict=True):
        if total and total + tokens > limit:
            yield Piece(begin, until, total)
            begin, total = a, 0
        if tokens > limit:
            yield from _by_characters(text, a, b, limit)
            begin, total = b, 0
            continue
        if total == 0:
            begin = a
        until, total = b, total + tokens
    if total:
        yield Piece(begin, until, total)


def _by_characters(text: str, start: int, end: int, limit: int) -> Iterator[Piece]:
    """Halve an endless word until its parts fit; each part gets a chunk apart, since their counts do not add up."""
    marks = [match.start() for match in _MARK.finditer(text, start, end)]
    pending = [(start, end)]
    while pending:
        a, b = pending.pop()
        too_long = bisect_left(marks, b) - bisect_left(marks, a) > limit  # then nothing needs to be counted
        tokens = limit + 1 if too_long else count_tokens(text[a:b])
        if tokens <= limit or b - a == 1:
            yield Piece(a, b, tokens, breaks_word=a > start)
        else:
            middle = (a + b) // 2
            pending += [(middle, b), (a, middle)]
