"""Misspelt words of a question, read as the nearest word of the corpus.

Only a word that neither the corpus nor the embedding model's vocabulary has is a misspelling, and only one letter (from
eight letters on, two) away from a word of the corpus is it corrected. Short words, contractions and other forms of a
word ("auntie" of "aunt") stay. The scenario is left as it is: it has names.
"""

from __future__ import annotations

import re

from rapidfuzz import process
from rapidfuzz.distance import OSA

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.lexical import LexicalIndex, lexical_index, stems
from clausegraph.indexes.views import View

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
    index = lexical_index(view)
    found: dict[str, str] = {}
    for word in dict.fromkeys(_WORD.findall(question)):
        written = None if _is_known(index, word) else _nearest_written(view, index, word.lower())
        if written is not None:
            found[word] = written
    text = _WORD.sub(lambda match: found.get(match[0], match[0]), question)
    return text, tuple(found.items())


def _is_known(index: LexicalIndex, word: str) -> bool:
    lowered = word.lower()
    stemmed = stems(lowered)
    if not stemmed or stemmed[0] in index.vocabulary or lowered in _CONTRACTIONS:
        return True
    return any(count_tokens(form) == 1 for form in (lowered, stemmed[0], lowered.removesuffix("s")))


def _nearest_written(view: View, index: LexicalIndex, word: str) -> str | None:
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
        for stemmed, rare, term in _nearest(index, word)
        for form in _as_written(view, index, term, word)
        if OSA.distance(word, form.lower()) <= _may_differ(word) and not word.startswith(form.lower())
    ]
    return min(written)[-1] if written else None


def _lacks_letters(word: str, form: str) -> bool:
    """Whether a form has all letters of a word in their order: more often one is left out than put for another."""
    letters = iter(form)
    return all(letter in letters for letter in word)


def _nearest(index: LexicalIndex, word: str) -> list[tuple[int, int, str]]:
    """The nearest stems that start with the same letter: distance, how many chunks they are not in, and the stem."""
    near = [term for term in index.vocabulary if term[0] == word[0] and term.isalpha() and len(term) > 2]
    forms = dict.fromkeys((word, *stems(word)))
    scored = [
        (distance, -int(index.bounds[index.vocabulary[term] + 1] - index.bounds[index.vocabulary[term]]), term)
        for form in forms
        for term, distance, _ in process.extract(
            form, near, scorer=OSA.distance, score_cutoff=_may_differ(form), limit=5
        )
    ]
    return sorted(scored)[:_MOST]


def _may_differ(word: str) -> int:
    """The letters that may be wrong."""
    return 2 if len(word) >= _LONG else 1


def _as_written(view: View, index: LexicalIndex, term: str, word: str) -> list[str]:
    """The words with that stem, as the chunks of the corpus have them, up to one that is a letter from a word."""
    number = index.vocabulary[term]
    found: dict[str, None] = {}
    for row in index.rows[index.bounds[number] : index.bounds[number + 1]].tolist()[:_LOOKED_AT]:
        page, key = index.refs[row]
        chunk = next(chunk for chunk in view.reading(page).chunks if chunk.key == key)
        found |= dict.fromkeys(form for form in re.findall(r"[A-Za-z]+", chunk.text) if stems(form)[:1] == [term])
        if any(OSA.distance(word, form.lower()) <= 1 for form in found):
            break
    return list(found)
