"""Where clauses end: the comma that closes a fronted condition, and what cuts off a trailing one."""

from __future__ import annotations

import re

from core.language import words

_COMMA = re.compile(r",\s+(?=\S)")
_CONTINUES = frozenset(
    "and or but nor such for including which who whose whom where when unless except if provided under over like"
    " in on at by with from to than as either both e.g i.e".split()
)
_SUBJECT_VERB = re.compile(
    r"\s(?=(?:you|they|we|it|he|she)(?:'ll|\s+(?:can|cannot|must|may|might|should|will|need|do\s+not|does\s+not|don't|won't|can't|could|would|get|are|have))\b)",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(
    r"\s-\s|;\s"
    r"|,?\s+(?:but|so)\s+(?:(?:also|then|instead)\s+)?(?:you|they|we|it|he|she|the\s+\w+|your\s+\w+|this)"
    r"(?:'ll|\s+(?:can|cannot|must|may|might|should|will|need|do|does|don't|won't|can't))\b"
    r"|,\s+(?:which|this)\s+(?:means|is|will)|,\s+(?:because|although|so that|otherwise|in which case|up to)\b"
    r"|,\s+(?:you|they|we|it)(?:'ll|\s+(?:can|cannot|must|may|might|should|will|need))\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"[A-Za-z][A-Za-z'-]*")


def main_clause_start(text: str, start: int, end: int) -> int:
    """Where the main clause starts after a fronted clause that starts at ``start``; ``end`` if there is none."""
    commas = [match for match in _COMMA.finditer(text, start, end) if not _in_brackets(text, start, match.start())]
    for match in commas:
        if _starts_main(text[match.end() : end], text[start : match.start()]):
            return match.end()
    plausible = [match for match in commas if _first_word(text[match.end() : end]) not in _CONTINUES]
    if plausible:
        return plausible[-1].end()
    inner = [match for match in _SUBJECT_VERB.finditer(text, start + 4, end)]
    conjoined = [m for m in inner if not re.search(r"\b(?:and|or|but|that|than|what|as|which|who|if|when|because)$", text[start : m.start()], re.IGNORECASE)]
    return conjoined[0].end() if conjoined and not text[start:end].rstrip().endswith(":") else end


def _starts_main(rest: str, before: str) -> bool:
    """Whether what follows a comma reads like a main clause: a subject and verb, or an imperative."""
    tokens = [word.lower() for word in _FIRST.findall(rest)[:14]]
    if not tokens or tokens[0] in _CONTINUES:
        return False
    first = tokens[0]
    if first == "then" or first in words.CONTRACTED or first in words.PRONOUNS:
        return True
    if first in words.IMPERATIVES and "," not in before:
        return True
    if first in words.DETERMINERS or rest[:1].isupper():
        return any(token in words.AUXILIARIES or token in words.VERB_FORMS for token in tokens[1:12])
    if first in words.IMPERATIVES:
        return not re.search(r",[^,]*\b(?:and|or)\b", rest)
    return any(token in words.AUXILIARIES for token in tokens[1:8]) and not re.search(r"\b(?:and|or)\b", " ".join(tokens[:6]))


def trailing_end(text: str, start: int, end: int, fronted: bool) -> int:
    """Where the clause that starts at ``start`` ends at the latest ``end``: brackets, dashes, a new main clause."""
    depth = 0
    for position in range(start, end):
        if text[position] == "(":
            depth += 1
        elif text[position] == ")":
            depth -= 1
            if depth < 0:
                return position
    if fronted:
        return end
    for match in _CUT_OFF.finditer(text, start, end):
        if not _in_brackets(text, start, match.start()) and match.start() > start + 3:
            return match.start()
    return end


def _first_word(text: str) -> str:
    match = _FIRST.match(text)
    return match[0].lower() if match else ""


def _in_brackets(text: str, start: int, position: int) -> bool:
    return text.count("(", start, position) > text.count(")", start, position)
