"""Whether a page has what a model says of it: names by their words, values by their numbers, spans by sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import takewhile

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import AUXILIARIES, DETERMINERS, NUMBERS, PREPOSITIONS, RELATIVES, word_set
from clausegraph.core.language.normalise import entity_key, singular, tokens
from clausegraph.core.types import Span

BARE_PRONOUNS = word_set("it its this that they them their these those there he him his she her i me my")
YOU = word_set("you your yours yourself yourselves")
_STOP = (
    AUXILIARIES | DETERMINERS | PREPOSITIONS | RELATIVES | word_set("and or but nor so than then if when it etc as not")
)
_NUMBER_WORDS = {word: str(number) for word, number in NUMBERS.items()}
_STEM = 4  # letters that two forms of a word share at least, and all but two of the shorter: seized, seizure
_ENOUGH = 5  # letters that are enough of any word: adopt, adopts, adopter, adoption
_SHARE = 0.5  # of the words of a name that the page must show; the others may be a paraphrase
# Nouns for whom a page addresses, which it need not have itself: "applicant for" what it names
_ROLE_NOUNS = word_set("applicant claimant person someone holder user member customer recipient reader")
_NUMBER = re.compile(r"(?<![\w.,])[£$€]?(\d[\d,]*(?:\.\d+)?)")
_CACHED = 8192  # names and texts whose words are kept; pages repeat few names


@lru_cache(maxsize=_CACHED)
def content_words(surface: str) -> frozenset[str]:
    """The words of a name that can be looked for: those of its key without stop words, all where no other is left."""
    words = frozenset(entity_key(surface).split())
    return words - _STOP or words


@lru_cache(maxsize=_CACHED)
def words_of(text: str) -> frozenset[str]:
    """Every word of a text, in the form that keys have."""
    return frozenset(singular(word.removesuffix("'s").removesuffix("'")) for word in tokens(text))


@lru_cache(maxsize=_CACHED)
def numbers_of(text: str) -> frozenset[str]:
    """The numbers of a text, in figures without thousands marks."""
    figures = {found.replace(",", "") for found in _NUMBER.findall(text)}
    return frozenset(figures | {_NUMBER_WORDS[word] for word in tokens(text) if word in _NUMBER_WORDS})


def has_words(text: str, wanted: str) -> bool:
    """Whether a text has these characters as whole words, in either case."""
    return re.search(rf"(?<!\w){re.escape(wanted)}(?!\w)", text, re.IGNORECASE) is not None


def akin(word: str, other: str) -> bool:
    """Whether two words look like forms of one: seized and seizure, ferry and ferries, need and needed."""
    shared = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(word, other, strict=False)))
    return word == other or shared >= _ENOUGH or shared >= max(_STEM, min(len(word), len(other)) - 2)


def shown_texts(element: InputElement) -> tuple[str, ...]:
    """The text of an element and a row's column names."""
    return element.text, *element.headers


def section_texts(source: ExtractionInput) -> list[str]:
    """Title, headings and the texts of all elements of an input."""
    elements = (*source.above, *source.around, *source.elements)
    return [source.title, *source.headings, *(text for element in elements for text in shown_texts(element))]


def spans_of(element: InputElement, names: tuple[str, str, str]) -> list[Span]:
    """The sentences of an element that a subject, an object and a relation stand in; else the whole element."""
    sentences = sentence_spans(element.text)
    chosen = sharing_most(names, [element.text[start:end] for start, end in sentences]) if len(sentences) > 1 else []
    return [Span(element.label, *sentences[i]) for i in chosen] or [Span(element.label, 0, len(element.text))]


def sharing_most(names: tuple[str, str, str], texts: Sequence[str]) -> list[int]:
    """Places of the texts that a subject, an object and (to break ties) a relation stand in.

    The text that shares most words with both names, and where it lacks one of them, the text that has most of that;
    none when no text shares a word.
    """
    every = [words_of(text) for text in texts]
    subjects, targets, ties = (
        [len(wanted & words) / (len(wanted) or 1) for words in every] for wanted in map(content_words, names)
    )
    places = range(len(every))
    best = max(places, key=lambda i: (subjects[i] + targets[i] + ties[i] / 10, -i), default=None)
    if best is None or not subjects[best] + targets[best]:
        return []
    chosen = {best}
    for scores in (subjects, targets):
        if not scores[best] and any(scores):
            chosen.add(max(places, key=lambda i: (scores[i] + ties[i] / 10, -i)))
    return sorted(chosen)


class ShownWords:
    """The words and numbers of texts that a model was shown."""

    def __init__(self, texts: Iterable[str]) -> None:
        self._texts = dict.fromkeys(texts)

    @cached_property
    def numbers(self) -> frozenset[str]:
        """The numbers of all texts."""
        return frozenset(number for text in self._texts for number in numbers_of(text))

    @cached_property
    def _by_stem(self) -> dict[str, set[str]]:
        """Words and the parts of hyphened ones by their first letters; "Acas" is "aca", as in keys."""
        found: dict[str, set[str]] = defaultdict(set)
        for word in {word for text in self._texts for word in words_of(text)}:
            for part in (word.replace("-", ""), *word.split("-")):
                found[part[:_STEM]].add(part)
        return found

    def names(self, surface: str) -> bool:
        """Whether the texts can be taken to speak of a name: they show half of its words, and all of its numbers."""
        if not self.numbers.issuperset(numbers_of(surface)):
            return False
        words = content_words(surface)
        telling = words - _ROLE_NOUNS
        if not telling:
            return any(map(self._shows, YOU | words))
        return sum(map(self._shows, telling)) >= _SHARE * len(telling)

    def _shows(self, word: str) -> bool:
        """Whether the texts have the word in some form, or each of its hyphened parts."""
        return self._has_form(word.replace("-", "")) or all(map(self._has_form, word.split("-")))

    def _has_form(self, word: str) -> bool:
        return any(akin(word, other) for other in self._by_stem.get(word[:_STEM], ()))
