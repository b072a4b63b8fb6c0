"""Misspelt words of a question, read as the nearest word of the corpus.

Only a word that neither the corpus nor the embedding model's vocabulary has is a misspelling, and only one letter (from
eight letters on, two) away from a word of the corpus is it corrected. Short words, contractions and other forms of a
word ("auntie" of "aunt") stay. The scenario is left as it is: it has names.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from rapidfuzz import process
from rapidfuzz.distance import OSA

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.views import View
from clausegraph.indexes.words import stems

Places = Sequence[tuple[int, int]]  # numbers of pages and of chunks on them
Corrections = tuple[tuple[str, str], ...]
_WORD = re.compile(r"\b[A-Za-z]{5,}\b(?!')")
_CONTRACTIONS = word_set(
    "doesnt isnt didnt wasnt arent werent havent hasnt hadnt wouldnt couldnt shouldnt mustnt neednt theyre youre theyve"
    " youve theyll youll whats thats theres"
)
_MOST, _LOOKED_AT = 8, 100  # stems, and chunks that have one, that are looked at
_LONG = 8  # letters from which two may be wrong


def corrected(view: View, question: str) -> tuple[str, Corrections]:
    """The question with its misspelt words as the corpus writes them, and those words: (as typed, as read)."""
    found: dict[str, str] = {}
    for word in dict.fromkeys(_WORD.findall(question)):
        written = None if _is_known(view, word) else _nearest_written(view, word.lower())
        if written is not None:
            found[word] = written
    text = _WORD.sub(lambda match: found.get(match[0], match[0]), question)
    return text, tuple(found.items())


def _is_known(view: View, word: str) -> bool:
    lowered = word.lower()
    stemmed = stems(lowered)
    if not stemmed or lowered in _CONTRACTIONS:
        return True
    if any(count_tokens(form) == 1 for form in (lowered, stemmed[0], lowered.removesuffix("s"))):
        return True
    return bool(view.words.having(stemmed[:1]))


def _nearest_written(view: View, word: str) -> str | None:
    """The word of the corpus that is nearest as it is written, not only by its stem; of equals one of most chunks."""
    written = [
        (
            OSA.distance(word, form.lower()),
            not _lacks_letters(word, form.lower()),
            stemmed,
            rare,
            not form.islower(),
            form,
        )
        for stemmed, rare, term, there in _nearest(view, word)
        for form in _as_written(view, term, there, word)
        if OSA.distance(word, form.lower()) <= _may_differ(word) and not word.startswith(form.lower())
    ]
    return min(written)[-1] if written else None


def _lacks_letters(word: str, form: str) -> bool:
    """Whether a form has all letters of a word in their order: more often one is left out than put for another."""
    letters = iter(form)
    return all(letter in letters for letter in word)


def _nearest(view: View, word: str) -> list[tuple[int, int, str, Places]]:
    """The nearest stems of the epoch that start with the same letter, with distance, how many chunks they are not in,
    and where they are."""
    near = [term for term in view.words.starting(word[0]) if term.isalpha() and len(term) > 2]
    best: dict[str, int] = {}
    for form in dict.fromkeys((word, *stems(word))):
        cutoff = _may_differ(form)
        for term, distance, _ in process.extract(form, near, scorer=OSA.distance, score_cutoff=cutoff, limit=5):
            best[term] = min(distance, best.get(term, distance))
    there = view.words.having(best)
    scored = [(best[term], -len(chunks), term) for term, chunks in there.items()]
    return [(distance, rare, term, there[term]) for distance, rare, term in sorted(scored)[:_MOST]]


def _may_differ(word: str) -> int:
    """The letters that may be wrong."""
    return 2 if len(word) >= _LONG else 1


def _as_written(view: View, term: str, there: Places, word: str) -> list[str]:
    """The words with a stem, as the chunks that have it write them, up to one that is a letter from a word."""
    pages = view.words.chunks(list(dict.fromkeys(page for page, _ in there))[:_LOOKED_AT])
    places = sorted((pages[page][0], number) for page, number in there if page in pages)
    found: dict[str, None] = {}
    for page, number in places[:_LOOKED_AT]:
        text = view.reading(page).chunks[number].text
        found |= dict.fromkeys(form for form in re.findall(r"[A-Za-z]+", text) if stems(form)[:1] == [term])
        if any(OSA.distance(word, form.lower()) <= 1 for form in found):
            break
    return list(found)
