"""Whether a call shows what a name or value is made of: its words near enough, its numbers exactly."""

from __future__ import annotations

import re
from functools import cached_property, lru_cache

from clausegraph.core.language.normalise import tokens
from clausegraph.core.language.stated import YOU, content_words
from clausegraph.core.language.words import word_set
from clausegraph.ingestion.extract.llm.numbering import Call

_STEM = 5  # letters that two forms of a word share: adopt, adopts, adopter, adoption
_SHARE = 0.5  # of the words of a name that the page must show; the others may be a paraphrase
# Nouns for whom a page addresses, which it need not have itself: "applicant for" what it names
_ROLE_NOUNS = word_set("applicant claimant person someone holder user member customer recipient reader")
_NUMBER = re.compile(r"(?<![\w.,])[£$€]?(\d[\d,]*(?:\.\d+)?)")
_NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate("zero one two three four five six seven eight nine ten eleven twelve".split())  # noqa: SIM905
}


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
        return frozenset(word for text in self._texts for word in tokens(text))

    @cached_property
    def _stems(self) -> frozenset[str]:
        return frozenset(part[:_STEM] for word in self._words for part in (word.replace("-", ""), *word.split("-")))

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

    def _shown(self, word: str) -> float:
        """How much of the word the page has in some form: all of it, else so many of its hyphened parts."""
        if word.replace("-", "")[:_STEM] in self._stems:
            return 1.0
        parts = word.split("-")
        return sum(part[:_STEM] in self._stems for part in parts) / len(parts)


@lru_cache(maxsize=8192)
def numbers_of(text: str) -> frozenset[str]:
    """The numbers of a text, in figures without thousands marks."""
    figures = {found.replace(",", "") for found in _NUMBER.findall(text)}
    return frozenset(figures | {_NUMBER_WORDS[word] for word in tokens(text) if word in _NUMBER_WORDS})
