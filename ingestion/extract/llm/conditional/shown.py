"""Whether a call shows what a name or value is made of: its words near enough, its numbers exactly."""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cached_property, lru_cache
from itertools import takewhile

from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.stated import YOU, content_words, words_of
from clausegraph.core.language.words import NUMBERS, word_set
from clausegraph.ingestion.extract.llm.numbering import Call

_STEM = 4  # letters that two forms of a word share at least, and all but two of the shorter: seized, seizure
_ENOUGH = 5  # letters that are enough of any word: adopt, adopts, adopter, adoption
_SHARE = 0.5  # of the words of a name that the page must show; the others may be a paraphrase
# Nouns for whom a page addresses, which it need not have itself: "applicant for" what it names
_ROLE_NOUNS = word_set("applicant claimant person someone holder user member customer recipient reader")
_NUMBER = re.compile(r"(?<![\w.,])[£$€]?(\d[\d,]*(?:\.\d+)?)")
_NUMBER_WORDS = {word: str(number) for word, number in NUMBERS.items()}


class ShownWords:
    """The words and numbers that a call shows its model: title, headings, elements, column names."""

    def __init__(self, call: Call) -> None:
        self._call = call

    @cached_property
    def _texts(self) -> list[str]:
        headings = [text for source in self._call.inputs for text in (source.title, *source.headings)]
        elements = [text for item in self._call.printed for text in (item.element.text, *item.element.headers)]
        return [*dict.fromkeys(headings), *elements]

    @cached_property
    def _words(self) -> frozenset[str]:
        """In the form that names are compared in: "Acas" is "aca" in both."""
        return frozenset(word for text in self._texts for word in words_of(text))

    @cached_property
    def _by_stem(self) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for word in self._words:
            for part in (word.replace("-", ""), *word.split("-")):
                found[part[:_STEM]].add(part)
        return found

    @cached_property
    def _numbers(self) -> frozenset[str]:
        return frozenset(number for text in self._texts for number in numbers_of(text))

    @property
    def _addresses_reader(self) -> bool:
        return not YOU.isdisjoint(self._words)

    def names(self, surface: str) -> bool:
        """Whether the page can be taken to speak of a name: it shows half of its words, and all of its numbers."""
        if not self._numbers.issuperset(numbers_of(surface)):
            return False
        words = content_words(surface)
        telling = words - _ROLE_NOUNS
        if not telling:
            return self._addresses_reader or any(map(self._shown, words))
        return sum(map(self._shown, telling)) >= _SHARE * len(telling)

    def _shown(self, word: str) -> bool:
        """Whether the page has the word in some form, or each of its hyphened parts."""
        return self._has_form(word.replace("-", "")) or all(map(self._has_form, word.split("-")))

    def _has_form(self, word: str) -> bool:
        return any(akin(word, other) for other in self._by_stem.get(word[:_STEM], ()))


def akin(word: str, other: str) -> bool:
    """Whether two words look like forms of one: seized and seizure, ferry and ferries, need and needed."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return word == other or shared >= _ENOUGH or shared >= max(_STEM, min(len(word), len(other)) - 2)


@lru_cache(maxsize=8192)
def numbers_of(text: str) -> frozenset[str]:
    """The numbers of a text, in figures without thousands marks."""
    figures = {found.replace(",", "") for found in _NUMBER.findall(text)}
    return frozenset(figures | {_NUMBER_WORDS[word] for word in tokens(text) if word in _NUMBER_WORDS})
