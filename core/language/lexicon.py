"""The lexicon: words of English by class, numbers, months, denials, and verbs with their forms."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any


class WordTable:
    """The file ``name.toml`` of a module ``name.py``.

    ``[words]`` has lists of words. ``[patterns]`` (any case) and ``[cased]`` have regular expressions, each as one text
    or as its pieces, in which ``<name>`` stands for the text of that name in ``[parts]``.
    """

    def __init__(self, module: str, **parts: str) -> None:
        """Read the file beside ``module``, which is its ``__file__``; ``parts`` are more of them, by name."""
        self.file: dict[str, Any] = tomllib.loads(Path(module).with_suffix(".toml").read_text("utf-8"))
        self._parts = parts
        for name, pieces in self.file.get("parts", {}).items():  # a part may have those before it
            self._parts[name] = self.text(pieces)

    def words(self, name: str) -> frozenset[str]:
        """A list of words."""
        return frozenset(self.listed(name))

    def listed(self, name: str) -> tuple[str, ...]:
        """A list of words, in its order."""
        return tuple(self.file["words"][name].split())

    def pattern(self, name: str) -> re.Pattern[str]:
        """A pattern, compiled."""
        if name in self.file.get("cased", {}):
            return re.compile(self.text(self.file["cased"][name]))
        return re.compile(self.text(self.file["patterns"][name]), re.IGNORECASE)

    def text(self, pieces: str | list[str]) -> str:
        """The text of a pattern or part: its pieces together, with other parts put in."""
        joined = pieces if isinstance(pieces, str) else "".join(pieces)
        return re.sub(r"(?<!\?P)<(\w+)>", lambda found: self._parts.get(found[1], found[0]), joined)


def word_set(text: str) -> frozenset[str]:
    """The words of a text written as a table row."""
    return frozenset(text.split())


WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")  # of letters, with its apostrophes and hyphens


def phrases(text: str) -> re.Pattern[str]:
    """A pattern that finds any of the phrases of "a|b c" as whole words, in upper or lower case."""
    return re.compile(rf"\b(?:{text})\b", re.IGNORECASE)


_TABLE = WordTable(__file__)
_TENS = {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50}
NUMBERS = {word: number for number, word in enumerate(_TABLE.listed("numbers"))} | _TENS  # spelled, with their value
MONTHS = _TABLE.listed("months")
MONTH = "(?:" + "|".join(name.capitalize() for name in MONTHS) + ")"  # as a pattern
SHORT_MONTHS = tuple(name[:3] for name in MONTHS)
WEEKDAYS = _TABLE.listed("weekdays")
PLACES = frozenset(_TABLE.file["places"])
DENIALS = word_set("not no never none neither nor cannot")
DENIAL = "(?:not|never|no longer)"  # as a pattern, behind an auxiliary
AUXILIARIES = _TABLE.words("auxiliaries")
PRONOUNS = _TABLE.words("pronouns")
CONTRACTED = _TABLE.words("contracted")
DETERMINERS = _TABLE.words("determiners")
RELATIVES = word_set("who which whose whom that")
PREPOSITIONS = _TABLE.words("prepositions")
FUNCTION_WORDS = PREPOSITIONS | AUXILIARIES | PRONOUNS | RELATIVES | DETERMINERS
_VERBS = _TABLE.words("verbs")
NOUN_VERBS = _TABLE.words("noun_verbs")
_MORE_VERBS = _TABLE.words("more_verbs")
_IRREGULAR = {base: tuple(pasts) for base, *pasts in map(str.split, _TABLE.file["pasts"].split(","))}
_DOUBLED = _TABLE.words("doubled")
_IRREGULAR_THIRD = {"be": "is", "have": "has", "do": "does", "go": "goes"}
_MODALS = word_set("can cannot could may might must shall should will would")


def third_person(base: str) -> str:
    """ "pay" to "pays", "be" to "is"; a modal stays."""
    if base in _IRREGULAR_THIRD or base in _MODALS:
        return _IRREGULAR_THIRD.get(base, base)
    if base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
        return base[:-1] + "ies"
    return base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s")


def gerund(base: str) -> str:
    """ "pay" to "paying", "make" to "making", "be" to "being"."""
    if base in ("be", "see", "agree", "disagree", "free"):
        return base + "ing"
    if base.endswith("ie"):
        return base[:-2] + "ying"
    if base.endswith("e"):
        return base[:-1] + "ing"
    return base + (base[-1] if base in _DOUBLED else "") + "ing"


def forms(base: str) -> set[str]:
    """Base, third person, past, participle and -ing form of a verb."""
    if base in _IRREGULAR:
        past = _IRREGULAR[base]
    elif base.endswith("y") and base[-2:-1] not in tuple("aeiou"):
        past = (base[:-1] + "ied",)
    else:
        past = (base + ("d" if base.endswith("e") else (base[-1] if base in _DOUBLED else "") + "ed"),)
    return {base, third_person(base), gerund(base), *past}


PURE_PASTS = _TABLE.words("pure_pasts")
BASE_VERBS = _VERBS | NOUN_VERBS
_ALL = BASE_VERBS | _MORE_VERBS
VERB_FORMS = frozenset(form for base in BASE_VERBS for form in forms(base)) - word_set("being been land lands shown")
_NOUN_FORMS = {form for base in NOUN_VERBS for form in forms(base) & VERB_FORMS if not form.endswith("ed")}
NOUN_VERB_FORMS = _NOUN_FORMS | word_set("form forms object objects separate foster land lands")
THIRD_PERSON = frozenset(
    form for form in VERB_FORMS if form.endswith("s") and form not in BASE_VERBS and form not in NOUN_VERB_FORMS
)
PARTICIPLES = frozenset(form for form in VERB_FORMS if form.endswith(("ing", "ed", "en", "wn"))) | word_set(
    "made paid sent kept held found told built bought sold lost left got won done begun run put"
)
IMPERATIVES = BASE_VERBS - word_set("be need have mean die part end land rest sale") | word_set(
    "do always never please"
)


NOUNS_IN_ING = _TABLE.words("nouns_in_ing")
_BASE_OF_FORM = {form: base for base in sorted(_ALL, reverse=True) for form in forms(base)} | {b: b for b in _ALL}
_THIRD = {third_person(base): base for base in sorted(_ALL)}
_GERUNDS = {gerund(base): base for base in sorted(_ALL)}


def is_base(word: str) -> bool:
    """Whether a word is the base of a known verb."""
    return word in _ALL


def base_form(form: str) -> str | None:
    """The base of a verb form; none of a word that is no known verb."""
    return _BASE_OF_FORM.get(form)


def base_of_third_person(form: str) -> str | None:
    """The base of a third person form of a known verb."""
    return _THIRD.get(form)


def base_of_gerund(form: str) -> str | None:
    """The base of an -ing form of a known verb."""
    return _GERUNDS.get(form)
