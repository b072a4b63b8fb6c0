"""Where the finite verb of a main clause starts; nowhere, where it cannot be told from a noun."""

from __future__ import annotations

import re

from clausegraph.core.language import words
from clausegraph.core.language.verb_phrases import DROPPED, DROPPED_WORDS
from clausegraph.core.language.verbs import base_form, base_of_third_person, is_base

WORD = re.compile(r"\([^()]*\)|[A-Za-z][A-Za-z'-]*|[£$€]?\d[\d,.]*%?|[^\sA-Za-z\d]")
_SUBJECT_PRONOUNS = words.word_set("you we they it he she this these those everyone anyone someone nobody there")
_MODALS = words.word_set("can cannot could may might must should will would shall")
_ENDS_SUBJECT = words.word_set(", : ; - when how what whether if")
_OPENS_RELATIVE = words.RELATIVES | words.word_set("where you they we")
_LONGEST_SUBJECT = 9
_PLURALS = words.word_set("people children men women parents police staff")
NOUN_STARTS = words.DETERMINERS | words.PREPOSITIONS | words.word_set("up more less you them us him her it what how")


_BEFORE_NOUN = words.DETERMINERS | words.PREPOSITIONS
_NO_SUBJECT = _BEFORE_NOUN | {"to", "and", "or"}
_DETERMINERS_OR_TO = words.DETERMINERS | {"to"}
_FINITE = words.BASE_VERBS | words.THIRD_PERSON
_BETWEEN = words.AUXILIARIES | DROPPED


def main_verb(clause: str) -> int | None:
    """Where the finite verb of the clause starts; none where it cannot be told from a noun."""
    tokens = list(WORD.finditer(clause))
    lower = [token[0].lower() for token in tokens]
    if not lower:
        return None
    if lower[0] in _SUBJECT_PRONOUNS:
        at = _after_pronoun(lower)
        if at is not None or lower[0] not in ("this", "these", "those"):
            return None if at is None else tokens[at].start()
    for i in range(1, min(len(lower), _LONGEST_SUBJECT + 1)):
        if lower[i] in _ENDS_SUBJECT:
            return None
        if lower[i] in _OPENS_RELATIVE:
            return _after_relative(tokens, lower, i)
        k = i - 1
        while k > 0 and (lower[k] in DROPPED_WORDS or lower[k][:1] in "('\"" or lower[k] == "currently"):
            k -= 1
        if _is_finite(lower, i, lower[k]):
            return tokens[i].start()
    return None


def _after_pronoun(lower: list[str]) -> int | None:
    """The place of the verb group after a pronoun: of the verb, or of the adverb before its auxiliary."""
    at = 1
    while at < len(lower) and (lower[at] in DROPPED_WORDS or lower[at].endswith("ly")):
        at += 1
    if at >= len(lower) or not (lower[at] in words.AUXILIARIES or base_form(lower[at])):
        return None
    return 1 if lower[at] in words.AUXILIARIES else at


def _after_relative(tokens: list[re.Match[str]], lower: list[str], start: int) -> int | None:
    """The main verb after a relative clause: the second verb group, where that is sure."""
    groups = 0
    i = start + 1
    while i < min(len(lower), start + 14):
        word, before = lower[i], lower[i - 1]
        if word in (",", ":", ";", "-", "(", "and", "or", "if"):
            return None
        auxiliary = word in words.AUXILIARIES and word != "not" and before not in words.DETERMINERS
        verb = base_form(word) and word not in words.PARTICIPLES and before not in _BEFORE_NOUN
        if auxiliary or (groups == 0 and base_form(word)) or (verb and word in _FINITE):
            groups += 1
            after = lower[i + 1] if i + 1 < len(lower) else ""
            plain_verb = not auxiliary and (after in NOUN_STARTS or after[:1] in "£$€0123456789") and after
            if groups == 2:
                return tokens[i].start() if word in _MODALS or word in ("is", "are") or plain_verb else None
            while auxiliary and i + 1 < len(lower) and (lower[i + 1] in _BETWEEN or base_form(lower[i + 1])):
                i += 1
        i += 1
    return None


def _is_finite(lower: list[str], i: int, before: str) -> bool:
    """Whether the i-th word, after the noun phrase before it, is the finite verb."""
    word, after = lower[i], lower[i + 1] if i + 1 < len(lower) else ""
    if before.endswith(("'s", "s'")):  # "your employer's own scheme"
        return False
    if word in ("need", "needs"):
        return after == "to" or after in words.DETERMINERS
    if word in words.AUXILIARIES and word not in ("not", "be", "been"):
        return before not in _DETERMINERS_OR_TO
    if before in _NO_SUBJECT:
        return False
    return word in words.THIRD_PERSON or _is_verb_by_its_company(word, before, after)


def _is_verb_by_its_company(word: str, before: str, after: str) -> bool:
    """Whether a word that may be a noun is a verb: by number, and by what follows."""
    opens = after in NOUN_STARTS or after[:1] in "£$€0123456789" or not after
    if base_of_third_person(word):
        return opens and not before.endswith("s") and after not in ("of", "for", "")
    plural = (before.endswith("s") and not before.endswith(("ss", "us", "is"))) or before in _PLURALS
    return is_base(word) and plural and (opens or word not in words.NOUN_VERBS) and after != "of"
