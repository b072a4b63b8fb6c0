"""What quotes leave out that was asked or told: the place that has the word which no quote has.

Who says "I live in Zone H" is helped by the sentence on Zones H and J, however far the search has it behind others of
its page; who asks about a deposit by the one sentence that has the word; who tells "the tenancy started
2 months ago" by a limit of 4 months under the heading that is quoted first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.types import Evidence, PageKey
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.figures import figures
from clausegraph.query.read.place_fit import alike
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.word_match import content_terms, missing_terms

_LIMITS = re.compile(r"\b(?:not|no|cannot|never|only|unless|except|limit)\b|n['’]t\b", re.IGNORECASE)
_NUMBERS = word_set("one two three four five six seven eight nine ten eleven twelve")
_MOST_PLACES = 4  # of a page that have a word which still tells them apart


def left_out(
    context: QuestionContext, found: Sequence[Evidence], ranked: Sequence[Candidate]
) -> tuple[Candidate, frozenset[str]] | None:
    """The place with most of the rare words that are asked or told and that nothing quoted has, and these words.

    None without one.

    Args:
        found: the quotes; the page of the first governs.
        ranked: places of the search that may be taken, too, for a word of the question.
    """
    shown = " ".join(
        text for one in found for text in (one.title or "", *one.headings, one.lead_in, one.quote, *one.items)
    )
    asking = missing_terms(content_terms(context.form.sentence) - _NUMBERS, shown)
    user_text = missing_terms(content_terms(context.scenario_text) - _NUMBERS, shown)
    governing = list(_places_of(context, found[0]))
    for words, places in (
        (asking, [*governing, *(one for one in ranked if one.page != found[0].page)]),
        (user_text, governing),
    ):
        best = _best([having for word in sorted(words) if (having := _having(word, places))])
        if best is not None:
            return best, words
    return _bounding(context, found[0], shown)


def _bounding(context: QuestionContext, quoted: Evidence, shown: str) -> tuple[Candidate, frozenset[str]] | None:
    """The first place beside the first quote with a limit of the kind of a figure that is told, on a thing that is."""
    kinds = {one.value.kind for one in figures(context.scenario_text)} - {"number"}
    user_text = content_terms(context.scenario_text) - _NUMBERS
    for one in _places_of(context, quoted):
        text = one.element.text
        if one.element.headings != quoted.headings or one.element.tag in ("tr", "li") or text in shown:
            continue
        bounded = any(alike(kind, value.kind) for kind in kinds for value in find_quantities(text))
        words = user_text - missing_terms(user_text, text)
        if bounded and words and _LIMITS.search(text):
            return one, words
    return None


def _places_of(context: QuestionContext, quoted: Evidence) -> Iterator[Candidate]:
    for element in context.pages(quoted.page).elements:
        if not element.is_heading and element.text.strip():
            yield Candidate(quoted.page, element, 0.0, None)


def _having(word: str, places: Iterable[Candidate]) -> list[Candidate]:
    having = [one for one in places if not missing_terms(frozenset((word,)), one.element.text)]
    return having if len(having) <= _MOST_PLACES else []


def _best(found: Iterable[Sequence[Candidate]]) -> Candidate | None:
    """The place that has most words, a word the more the fewer places have it; of equals the first."""
    scores: dict[tuple[PageKey, str], float] = {}
    places: dict[tuple[PageKey, str], Candidate] = {}
    for having in found:
        for one in having:
            key = (one.page, one.element.anchor)
            places.setdefault(key, one)
            scores[key] = scores.get(key, 0.0) + 1.0 / len(having)
    return places[max(scores, key=lambda key: scores[key])] if scores else None
