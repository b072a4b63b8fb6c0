"""What a text is about, as words that two texts can share: stems, with one word for those of one meaning."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable

from Stemmer import Stemmer

from clausegraph.core.language.lexicon import BASE_VERBS, MONTHS, NOUN_VERBS, NUMBERS, word_set
from clausegraph.core.language.normalise import tokens

Roots = frozenset[str]

_EMPTY = word_set(
    "a an the this that these those any all each every some no not never you your yours you're you'll you've their"
    " they them they're it its it's his her he she we our us i my me who whom whose which what there here then is are am"
    " be been being was were will would shall do does did done don't doesn't won't can could cannot can't may might must"
    " mustn't should has have had having need needs needed needn't if when while where as so also still already and or"
    " but than to of in on at by for from with into about until within after before during since upon per via up out"
    " only just again however otherwise unless except once people person anyone someone everyone one ones"
    # measures, which values have
    " day days week weeks month months year years yearly annual annually hour hours minute minutes calendar working"
    " consecutive old age aged least most more less fewer over under above below"
    " older younger pound pounds p million billion exceed exceeding later earlier next total around permitted back "
    + " ".join((*NUMBERS, *MONTHS))
)
_PAGES = word_set(
    "guide guidance guidelines leaflet handbook booklet help information overview introduction news rate rates fee fees"
    " charge charges price prices change changes rule rules policy apply applying get getting claim claiming use using"
    " check find out how much what who can cost costs work works page pages form forms explained basics summary update"
    " updates do step steps notes note eligibility deadline deadlines faq questions faqs answers conditions terms"
)
_ALIKE = {  # words that rules use for one thing, each line under its first
    row.split()[0]: row.split()
    for row in (
        "get receive give take make provide have allow allowed entitled entitlement eligible eligibility qualify able usual"
        " usually normal normally new standard worth writing currently automatically want wish choose"
        " service scheme accompany reach turn complete",
        "pay paid payment payable cost costs fee charge price rate amount",
        "apply application applicant claim claimant request",
        "last valid validity stay remain continue keep kept hold held run renew expire expiry period time date deadline"
        " long lasts closing close due",
        "discount reduce reduction reduced cheaper off",
        "tell inform notify notification report contact",
        "employee staff",
        "start begin beginning",
        "refuse reject refusal",
        "send submit",
        "buy purchase",
        "house home property",
        "car vehicle",
        "child children kid",
        "attend come",
    )
}
_LABEL = re.compile(r"\b(?:band|zone|group|class|category|level|tier|grade|stage|schedule|type|part)s? ([A-Z]|\d+)\b")
_PARTS = re.compile(r"\s*(?:[:|–—]|\s-\s)\s*")
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_stemmer = functools.cache(lambda: Stemmer("english"))


@functools.cache
def _meanings() -> dict[str, str]:
    """The stem of each word that is taken for another one."""
    pairs = [(word, first) for first, words in _ALIKE.items() for word in words]
    return {_stem(word): _stem(first) for word, first in reversed(pairs)}


@functools.lru_cache(maxsize=65536)
def _stem(word: str) -> str:
    return _stemmer().stemWord(word)


def roots(text: str) -> Roots:
    """The stems of the content words of a text, without numbers and measures but with labels ("band 2")."""
    words = (word.removesuffix("'s").removesuffix("'") for word in tokens(text))
    stems = (_stem(word) for word in words if word not in _EMPTY and word and not any(map(str.isdigit, word)))
    labels = (f"<{found[1]}>" for found in _LABEL.finditer(text))
    return frozenset((*(_meanings().get(stem, stem) for stem in stems), *labels))


def years(text: str) -> Roots:
    """The years that a text names."""
    return frozenset(_YEAR.findall(text))


def topic(title: str) -> Roots:
    """What a page or section is about: its title without words that are about pages and asking.

    Only the first part of "Carer Payment: leaflet" counts, unless nothing is left of it.
    """
    for part in [*_PARTS.split(title.strip()), title]:
        if found := roots(" ".join(word for word in tokens(part) if word not in _PAGES)):
            return found
    return frozenset()


def of_meaning(words: Iterable[str]) -> Roots:
    """The words as they stand among those of :func:`roots`."""
    return frozenset(_meanings().get(_stem(word), _stem(word)) for word in words)


VERBS = of_meaning(BASE_VERBS - NOUN_VERBS)
LIGHT = {  # what says nothing beside a value of a kind, or beside none ("")
    kind: of_meaning(f"get {words}".split())
    for kind, words in {"amount": "pay", "percent": "pay", "age": "apply", "duration": "last", "date": "last"}.items()
}
PLAIN = of_meaning(("get",))
BOUNDS = of_meaning("minimum maximum lowest highest".split())
COMMON = of_meaning(  # what many rules have in common that are not about one thing
    "pay apply last tell send appeal decision reply notice letter form day complain complaint meeting return register"
    " use need ask check start end change".split()
)
