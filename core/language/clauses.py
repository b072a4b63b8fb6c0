"""Where clauses end: the comma that closes a fronted condition, and what cuts off a trailing one."""

from __future__ import annotations

import re

from clausegraph.core.language import words

_COMMA = re.compile(r",\s+(?=\S)")
_CONTINUES = words.word_set(
    "and or but nor such for including which who whose whom where when unless except if provided under over like"
    " in on at by with from to than as either both e.g i.e eg ie"
)
_SUBJECT_VERB = re.compile(
    r"\s(?=(?:you|they|we|it|he|she|your\s+\w+(?:\s+(?!you\b|they\b|we\b|it\b)\w+)?)(?:'ll|\s+(?:can|cannot|must|may|might|should|will|need|won't|can't))\b)",
    re.IGNORECASE,
)
_MODAL = r"(?:'ll|\s+(?:can|cannot|must|may|might|should|will|need|do|does|don't|won't|can't))\b"
_SUBJECT = r"(?:you|they|we|it|he|she|this|there|your\s+\w+|the\s+\w+)"
# A new main clause with a subject and verb of its own.
_NEXT_CLAUSE = re.compile(
    rf"(?:\s-|;|,?\s(?:but|so)|,)\s+(?:(?:also|then|instead|otherwise)\s+)?(?={_SUBJECT}{_MODAL})"
    r"|,?\s(?:and|or)\s+(?=(?:(?:by|within|until|from|on|after|before|for|up to|at least)\s)?"
    r"[£\d][\w,.]*(?:\s\w+){0,3}\s(?:if|when)\b)"  # "£100 if …, and £200 if …", "by 31 May if …, and by 30 June if …"
    r"|;\s|\s-\s+(?=(?:if|unless|when|contact|check|ask|call|read|find out|see|use)\b)",
    re.IGNORECASE,
)
_NO_CLAUSE_END = re.compile(
    r"\b(?:and|or|but|that|than|what|as|which|who|if|when|because|think|know|believe|say|says|how|where|whether|something|everything"
    r"|anything|person|someone|anyone|people|amount|until|before|after|while|tax|money|the \w+)$",
    re.IGNORECASE,
)
_CUT_OFF = re.compile(
    r"\s-\s|;\s|,\s+(?:which|this)\s+(?:means|is|will|covers)"
    r"|,\s+(?:because|although|so that|otherwise|in which case|up to)\b",
    re.IGNORECASE,
)
_FIRST = re.compile(r"[A-Za-z][A-Za-z'-]*")


def main_clause_start(text: str, start: int, end: int) -> int:
    """Where the main clause starts after a fronted clause that starts at ``start``; ``end`` if there is none."""
    commas = [match for match in _COMMA.finditer(text, start, end) if not _in_brackets(text, start, match.start())]
    for match in commas:
        if _starts_main(text[match.end() : end], text[start : match.start()]):
            return match.end()
    unmarked = _unmarked_main(text, start, end)
    if unmarked is not None:
        return unmarked
    plausible = [match for match in commas if _first_word(text[match.end() : end]) not in _CONTINUES]
    if plausible:
        return plausible[-1].end()
    return end


def _unmarked_main(text: str, start: int, end: int) -> int | None:
    """Where a main clause starts that no comma sets off: "If you are under 18 you cannot …"."""
    for match in _SUBJECT_VERB.finditer(text, start + 4, end):
        if not _NO_CLAUSE_END.search(text, start, match.start()) and len(text[start : match.start()].split()) > 1:
            return match.end()
    return None


def next_clause(text: str, start: int, end: int) -> int:
    """Where the next main clause of the sentence starts after ``start``; ``end`` if there is none."""
    for match in _NEXT_CLAUSE.finditer(text, start, end):
        if not _in_brackets(text, start, match.start()):
            return match.start()
    return end


def independent_clauses(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The main clauses of a sentence that each have a subject and verb: "…, but you can …", "… - you must …"."""
    spans: list[tuple[int, int]] = []
    while start < end:
        first = (
            main_clause_start(text, start, end)
            if re.match(r"(?:if|unless|when|once|where)\b", text[start:end], re.IGNORECASE)
            else start
        )
        stop = next_clause(text, min(first + 3, end), end)
        spans.append((start, stop))
        following = _NEXT_CLAUSE.match(text, stop, end)
        start = following.end() if following else end
    return spans


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
    return any(token in words.AUXILIARIES for token in tokens[1:8]) and not re.search(
        r"\b(?:and|or)\b", " ".join(tokens[:6])
    )


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
