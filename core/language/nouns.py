"""The things that a text surely names: proper names, and noun phrases that a determiner opens.

For texts that are not understood otherwise: whatever is said of these things, it is they of which something is said.
"""

from __future__ import annotations

import re

from clausegraph.core.language import words
from clausegraph.core.language.markers import plain
from clausegraph.core.language.verbs import base_form, base_of_third_person

_WORD = re.compile(r"\([A-Z][A-Za-z0-9&/-]{1,9}\)|[A-Za-z][\w&/'-]*|[£$€]?\d[\d,.]*%?|[^\s\w]")
_JOINS = words.word_set("of for and the in")  # between the parts of a proper name
_OPENS = words.word_set("the a an your their his her its our my any each every another no")
_STOPS = (
    words.PREPOSITIONS
    | words.AUXILIARIES
    | words.PRONOUNS
    | words.RELATIVES
    | words.DETERMINERS
    | words.word_set(
        "and or but if unless when while because so than then as not only also still already usually normally too how"
        " what why where whether to either both all more most less same following own right other further first least"
    )
)
_HEADS = words.word_set(  # nouns that name nothing by themselves
    "time way case amount number part end start day week month year date rest use thing lot example rule name kind type"
    " place top side whole first second last next moment result reason situation one ones same details"
    " last updated"
) | {*words.MONTHS, *words.WEEKDAYS, *words.NUMBERS}
_LONGEST = 5
_NO_PART = _STOPS | words.CONTRACTED
_OPENS_SENTENCE = _STOPS | _OPENS | _HEADS | words.IMPERATIVES
_AFTER_VERB = words.DETERMINERS | words.PRONOUNS | {"to"}


def things_named(text: str, most: int = 2) -> list[str]:
    """Up to ``most`` things that a text names: proper names first, then phrases of several words, then single nouns."""
    tokens = _WORD.findall(plain(text))
    proper = _proper(tokens)
    inside = " | ".join(proper)
    phrases = [phrase for phrase in _determined(tokens) if phrase not in inside]
    ranked = [*proper, *(p for p in phrases if " " in p), *(p for p in phrases if " " not in p)]
    return list(dict.fromkeys(ranked))[:most]


def _proper(tokens: list[str]) -> list[str]:
    """Runs of capitalised words: several anywhere, or one inside a sentence that is not its first word."""
    found: list[str] = []
    i = 0
    while i < len(tokens):
        if not _is_capital(tokens[i]):
            i += 1
            continue
        end = i + 1
        while end < len(tokens):
            if _is_capital(tokens[end]) or tokens[end].startswith("("):
                end += 1
            elif (
                tokens[end].lower() in _JOINS
                and end + 1 < len(tokens)
                and _is_capital(tokens[end + 1])
                and tokens[end] != "the"
            ):
                end += 2
            else:
                break
        run = tokens[i:end]
        opens = i == 0 or tokens[i - 1] in ".!?:;|"
        if opens and run[0].lower() in _OPENS_SENTENCE:
            run = run[1:]
        if run and run[-1].lower() in _HEADS:
            run = run[:-1] if len(run) > 2 else []
        if run and tokens[end : end + 1] and tokens[end][0].isdigit() and len(tokens[end]) <= 2:  # "Plan 2"
            run, end = [*run, tokens[end]], end + 1
        listed = tokens[end : end + 1] == [","] and end + 1 < len(tokens) and _is_capital(tokens[end + 1])
        if len(run) == 1 and listed:  # the first part of "Advisory, Conciliation and Arbitration Service"
            run = []
        elif (
            len(run) == 1
            and (not opens or run[0].isupper())
            and end < len(tokens)
            and _is_part([*tokens, ""], end, -1)
            and not base_of_third_person(tokens[end])
        ):  # "VAT refund"
            run = [*run, tokens[end]]
        if (len(run) > 1 or (run and not opens) or (run and run[0].isupper() and len(run[0]) > 2)) and len(run) <= 8:
            found.append(" ".join(run))
        i = end
    return found


def _is_capital(token: str) -> bool:
    return token[:1].isupper() and token not in ("I", "If", "A")


def _determined(tokens: list[str]) -> list[str]:
    """What stands after a determiner up to the next word that is no part of a name."""
    found: list[str] = []
    for i, token in enumerate(tokens):
        if token.lower() not in _OPENS:
            continue
        end = i + 1
        while end < len(tokens) and end - i <= _LONGEST + 1 and _is_part(tokens, end, i + 1):
            end += 1
        run = tokens[i + 1 : end]
        if (
            0 < len(run) <= _LONGEST
            and run[-1].lower() not in _HEADS
            and not run[-1].endswith("ly")
            and run[-1][0].isalpha()
        ):
            found.append(" ".join(run))
    return found


def _is_part(tokens: list[str], at: int, first: int) -> bool:
    """Whether a word goes on with a noun phrase."""
    token, lowered = tokens[at], tokens[at].lower()
    if lowered in _NO_PART or not token[:1].isalpha():
        return False
    if at == first:
        return True
    verb = base_form(lowered) is not None
    if verb and lowered not in words.NOUN_VERB_FORMS:
        return False
    following = tokens[at + 1].lower() if at + 1 < len(tokens) else ""
    return not (base_of_third_person(lowered) and following in _AFTER_VERB)
