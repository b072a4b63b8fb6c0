"""Whether a page has what a model says of it: names by their words, values by their numbers, spans by sentence."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from functools import cached_property, lru_cache
from itertools import takewhile

from clausegraph.core.extraction import ExtractionInput, InputElement, names_above
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import (
    AUXILIARIES,
    DETERMINERS,
    IMPERATIVES,
    NUMBERS,
    PREPOSITIONS,
    RELATIVES,
    word_set,
)
from clausegraph.core.language.normalise import entity_key, singular, tokens
from clausegraph.core.types import Span
from clausegraph.ingestion.extract.llm.numbering import Call

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
    return frozenset(map(_base, tokens(text)))


@lru_cache(maxsize=8 * _CACHED)
def _base(word: str) -> str:
    return singular(word.removesuffix("'s").removesuffix("'"))


def _value_words(words: Iterable[str]) -> frozenset[str]:
    """Words of a value and their hyphened parts: numbers in figures, without currency, percent and thousands marks."""
    parts = (part for word in words for part in (word.split("-") if "-" in word else (word,)) if part)
    bare = (part.strip("£$€%") or part for part in parts)
    return frozenset(_NUMBER_WORDS.get(word) or (word.replace(",", "") if word[0].isdigit() else word) for word in bare)


class ElementText:
    """The text of an element, with what is looked up in it computed once, when it is first needed."""

    def __init__(self, element: InputElement) -> None:
        self.label = element.label
        self.text = element.text
        self._headers = element.headers

    @cached_property
    def lower(self) -> str:
        return self.text.lower()

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the text and of a row's column names."""
        return words_of(" ".join((self.text, *self._headers)))

    @cached_property
    def value_words(self) -> frozenset[str]:
        """The words in the form that values are compared in, hyphened ones whole and in parts."""
        return _value_words(self.words) | frozenset(word for word in self.words if "-" in word)

    @cached_property
    def sentences(self) -> list[tuple[int, int]]:
        """Spans of the sentences; the whole text when it is one."""
        found = sentence_spans(self.text)
        return found if len(found) > 1 else [(0, len(self.text))]

    def holds(self, lowered: str) -> bool:
        """Whether the text has these lower-case characters as whole words."""
        start = self.lower.find(lowered)
        while start >= 0:
            end = start + len(lowered)
            if not (self.lower[start - 1 : start].isalnum() or self.lower[end : end + 1].isalnum()):
                return True
            start = self.lower.find(lowered, end)
        return False

    def spans(self, subject: str, target: str, relation: str) -> list[Span]:
        """The sentence that has most of both names, and where it lacks one, the sentence that has most of that."""
        if len(self.sentences) == 1:
            return [Span(self.label, *self.sentences[0])]
        names = subject.lower(), target.lower()
        texts = [self.text[start:end] for start, end in self.sentences]
        verbatim = [i for i, text in enumerate(texts) if all(name in text.lower() for name in names)]
        chosen = verbatim if len(verbatim) == 1 else sharing_most((subject, target, relation), map(words_of, texts))
        return [Span(self.label, *self.sentences[i]) for i in chosen] or [Span(self.label, 0, len(self.text))]


def sharing_most(names: tuple[str, str, str], every: Iterable[frozenset[str]]) -> list[int]:
    """Places of the texts, given by their words, that a subject, an object and (to break ties) a relation stand in.

    The text that shares most words with both names, and where it lacks one of them, the text that has most of that;
    none when no text shares a word.
    """
    texts = list(every)
    subjects, targets, ties = (
        [len(wanted & words) / (len(wanted) or 1) for words in texts] for wanted in map(content_words, names)
    )
    places = range(len(texts))
    best = max(places, key=lambda i: (subjects[i] + targets[i] + ties[i] / 10, -i), default=None)
    if best is None or not subjects[best] + targets[best]:
        return []
    chosen = {best}
    for scores in (subjects, targets):
        if not scores[best] and any(scores):
            chosen.add(max(places, key=lambda i: (scores[i] + ties[i] / 10, -i)))
    return sorted(chosen)


class ChunkTexts:
    """The texts of one chunk's input, by label."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._titles = (chunk_input.title, *chunk_input.headings)
        self.elements = {element.label: element for element in chunk_input.elements}
        self.texts = {element.label: ElementText(element) for element in chunk_input.elements}

    @cached_property
    def heading_words(self) -> frozenset[str]:
        return words_of(" . ".join(self._titles))

    @cached_property
    def addresses_reader(self) -> bool:
        """Whether any text of the input says "you"."""
        return not YOU.isdisjoint(self.heading_words) or any(not YOU.isdisjoint(t.words) for t in self.texts.values())

    @cached_property
    def all_text(self) -> str:
        return "\n".join((*self._titles, *(element.text for element in self.elements.values())))

    def states_name(self, surface: str, labels: Sequence[str]) -> bool:
        """Whether a name shares a content word with the elements, their headings, lead-ins or the title.

        The reader ("you") is also stated by any text of the input that addresses her, and by an instruction.
        """
        lowered = surface.lower()
        if any(self.texts[label].holds(lowered) for label in labels):
            return True
        wanted = content_words(surface)
        above = (name for label in labels for name in names_above(self.elements[label], self.elements))
        if any(not wanted.isdisjoint(self.texts[label].words) for label in (*labels, *above)):
            return True
        if not wanted.isdisjoint(self.heading_words):
            return True
        if lowered not in YOU:
            return False
        openings = (next(iter(tokens(self.texts[label].text[:40])), "") for label in labels)
        return self.addresses_reader or not IMPERATIVES.isdisjoint(openings)

    def states_value(self, value: str, labels: Sequence[str]) -> bool:
        """Whether every word of a value occurs in one of the elements."""
        lowered = value.lower()
        if any(self.texts[label].holds(lowered) for label in labels):
            return True
        wanted = _value_words(words_of(value)) - _STOP
        return bool(wanted) and any(wanted <= self.texts[label].value_words for label in labels)


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

    def names(self, surface: str) -> bool:
        """Whether the page can be taken to speak of a name: it shows half of its words, and all of its numbers."""
        if not self._numbers.issuperset(numbers_of(surface)):
            return False
        words = content_words(surface)
        telling = words - _ROLE_NOUNS
        if not telling:
            return not YOU.isdisjoint(self._words) or any(map(self._shown, words))
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
