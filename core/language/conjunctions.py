"""Splits a condition clause into leaves at "and", "or" and "but" that join clauses or predicates.

"you are over 18 and live here" has two leaves, "a carer or a parent" has one: what follows the conjunction
must hold a finite verb of its own. Pure; works on text with plain quotes, offsets are kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language import words

_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*|\d[\d,.]*|[£$€]\S+|[,;:()]")
_CONJUNCTION = re.compile(r"(?:,\s*|;\s*|\s)(and|or|but)\s+(?:also\s+|then\s+|either\s+|both\s+)?", re.IGNORECASE)
_COMMA = re.compile(r",\s+(?=[a-zA-Z])")
_OBJECT_STARTS = (
    words.DETERMINERS | words.PREPOSITIONS | words.PRONOUNS | {"more", "less", "not", "at", "here", "abroad"}
)
_ADVERBS = words.word_set(
    "already also always either ever just later never no normally now often only previously recently regularly"
    " currently still then usually both not permanently physically mainly temporarily legally"
)
_INFINITIVE = re.compile(
    r"\bto \w+$"
    r"|\b(?:want|need|plan|wish|able|like|order|allowed|unable|intend"
    r"|trying|agree|agreed|going|have|has|had|not) to \w+(?! back\b)",
    re.IGNORECASE,
)
_JOINED_NOUNS = re.compile(r"\b(?:and|or)\s+(?:the|an?|your|their)\s+\w+$", re.IGNORECASE)
_CHANGES = words.word_set("changes stops starts ends moves works pays leaves stays claims")
_TAIL = re.compile(r"(?:^|[\s,;])(?:and|or|but)$")
_JOINTS = ("and", "or", "but")
_REACH = 9  # words of a noun phrase before its verb


@dataclass(frozen=True, slots=True)
class Group:
    """Pieces ``[start, end)`` joined by one operator, ``all`` or ``any``; a piece may be a group again."""

    operator: str
    pieces: tuple[Group | tuple[int, int], ...]


def split_conjuncts(text: str, start: int, end: int) -> Group | tuple[int, int]:
    """Split ``text[start:end]`` into conjuncts; "and" binds closer than "or"."""
    cuts = _cuts(text, start, end)
    if not cuts:
        return trim(text, start, end)
    pieces: list[tuple[int, int]] = []
    position = start
    for cut_start, cut_end, _ in cuts:
        pieces.append(trim(text, position, cut_start))
        position = cut_end
    pieces.append(trim(text, position, end))
    if any(start >= end for start, end in pieces):  # "or or can": nothing stands between two conjunctions
        return trim(text, start, end)
    return _grouped(pieces, [operator for _, _, operator in cuts])


def _grouped(pieces: list[tuple[int, int]], operators: list[str]) -> Group | tuple[int, int]:
    """Group runs of "all" inside "any"."""
    if len(set(operators)) == 1:
        return Group(operators[0], tuple(pieces))
    runs: list[list[tuple[int, int]]] = [[pieces[0]]]
    for piece, operator in zip(pieces[1:], operators, strict=True):
        if operator == "all":
            runs[-1].append(piece)
        else:
            runs.append([piece])
    groups = tuple(run[0] if len(run) == 1 else Group("all", tuple(run)) for run in runs)
    return Group("any", groups)


def _cuts(text: str, start: int, end: int) -> list[tuple[int, int, str]]:
    """Where conjuncts part: (start, end, operator); a comma takes the operator of the conjunction after it."""
    found: list[tuple[int, int, str]] = []
    for match in _CONJUNCTION.finditer(text, start, end):
        if _inside_brackets(text, start, match.start()):
            continue
        before, after = text[start : match.start()], text[match.end() : end]
        if match.start() > start and starts_predicate(after, before):
            found.append((match.start(), match.end(), "any" if match[1].lower() == "or" else "all"))
    commas = []
    for match in _COMMA.finditer(text, start, end):
        later = [cut for cut in found if cut[0] > match.start()]
        if not later or _inside_brackets(text, start, match.start()):
            continue
        piece = text[match.end() : later[0][0]]
        if starts_predicate(piece, text[start : match.start()]) and not _CONJUNCTION.match(text, match.start()):
            commas.append((match.start(), match.end(), later[0][2]))
    return sorted(found + commas)


def starts_predicate(after: str, before: str = "") -> bool:
    """Whether a conjunct has a finite verb of its own; ``before`` is what it would be split from."""
    tokens = [word.lower() for word in _WORD.findall(after)[: _REACH + 4]]
    while tokens and tokens[0] in _ADVERBS and tokens[0] != "not":
        tokens = tokens[1:]
    first = tokens[0] if tokens else ""
    if first in words.CONTRACTED or (first in words.PRONOUNS and has_verb(tokens[1:5])):
        return True
    if first in words.DETERMINERS or after.lstrip()[:1].isupper():
        return _noun_phrase_then_verb(tokens)
    if first in words.AUXILIARIES:
        return not _in_relative_clause(before) and (first != "not" or _after_verb_be(before))
    if first in words.VERB_FORMS and not first.endswith("ing"):
        return _is_verb_here(tokens, before)
    return not _JOINED_NOUNS.search(before) and _noun_phrase_then_verb(tokens)


def has_verb(tokens: list[str]) -> bool:
    """Whether any of the tokens is an auxiliary or a verb form."""
    return any(token in words.AUXILIARIES or token in words.VERB_FORMS for token in tokens)


def _is_verb_here(tokens: list[str], before: str) -> bool:
    """A word that may be a noun counts as a verb only before something a verb takes."""
    if _in_relative_clause(before) or len(before.split()) < 3:
        return False
    first, following = tokens[0], tokens[1] if len(tokens) > 1 else ""
    if first in words.BASE_VERBS and _INFINITIVE.search(before):
        return False
    if first in words.NOUN_VERB_FORMS:
        return following in _OBJECT_STARTS and following != "of"
    if first in words.PARTICIPLES and following in ("by", "in", "on", "for", "from", "with", "of"):
        return bool(re.search(r"\b(?:has|have|had|been|was|were|is|are)\b", before))
    return True


def _noun_phrase_then_verb(tokens: list[str]) -> bool:
    """A noun phrase, then a finite verb, before any relative pronoun, comma or further conjunction."""
    for position, word in enumerate(tokens[:_REACH]):
        if position == 0:
            continue
        if word in words.RELATIVES or word in ("and", "or", "but", "if", "when", "to", ",", ":", "(", ";"):
            return False
        if word in words.AUXILIARIES and word != "not":
            return True
        if word in words.THIRD_PERSON or word in words.PURE_PASTS or (position > 1 and word in _CHANGES):
            return True
    return False


def _in_relative_clause(before: str) -> bool:
    """Whether the last clause before is a relative one, whose second verb would belong to it."""
    return bool(re.search(r"\b\w+ (?:who|which|whose)(?:'s|'ve|'re)?\b(?!.*\b(?:and|or)\b)", before))


def _after_verb_be(before: str) -> bool:
    return bool(re.search(r"\b(?:is|are|was|were|be|you're|they're|it's|have|has)\b", before))


def _inside_brackets(text: str, start: int, position: int) -> bool:
    opened = text.count("(", start, position) - text.count(")", start, position)
    return opened > 0


def trim(text: str, start: int, end: int) -> tuple[int, int]:
    """Shrink a span past spaces, punctuation and a trailing "and", "or" or "but"."""
    while True:
        before = (start, end)
        while start < end and text[start] in " ,;:.-\t\n":
            start += 1
        while end > start and text[end - 1] in " ,;:.-?!(\t\n":
            end -= 1
        tail = _TAIL.search(text[max(start, end - 4) : end]) if text[start:end].endswith(_JOINTS) else None
        if tail:
            end = max(start, end - 4) + tail.start()
        if (start, end) == before:
            return start, end
