"""Order the places that were found by the fitted probability that each decides the question.

A place's score is a sum of named features with the weights of ``order`` in ``weights.json``; the probabilities of all
places of a question are the softmax of their scores. Fitted by ``benchmarks/fit_order.py``, by folds of pages.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import Element
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.figures import compare, figures
from clausegraph.query.read.places import is_band_of_user, is_typed, values_in
from clausegraph.query.read.probability import weights
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.questions import AnswerType, QuestionKind
from clausegraph.query.read.statements import Candidate, RankedPlace
from clausegraph.query.read.word_match import content_terms, missing_terms

DEPTH = 30  # places of the search that are put in order
_COMPARED = ("element", "chunk")  # parts of the search's score, each against the best place's
_OF_OTHER_MODELS = {"element": 0.0, "chunk": 0.0, "gap": 0.0, "rank": 1.0}
_FREE = re.compile(r"\b(?:free|no (?:fee|charge|cost)|not (?:have to )?pay)\b", re.IGNORECASE)
_MODAL = re.compile(
    r"\b(?:can|cannot|may|must|need|have to|has to|should|not|no|only|allowed|entitled|eligible|qualify|if|unless)\b"
    r"|n['’]t\b",
    re.IGNORECASE,
)


def ranked_places(context: QuestionContext, ranked: Sequence[Candidate], *, measured: bool) -> list[RankedPlace]:
    """The first places of the search but headings, most probable first; of equals the search decides.

    Args:
        measured: the similarities are of the model that the weights were fitted for; of any other one only the
            order of the search is taken.
    """
    known = weights("order") if measured else {**weights("order"), **_OF_OTHER_MODELS}
    places = rankable(ranked)
    scores = [sum(known.get(name, 0.0) * value for name, value in one.items()) for one in features(context, places)]
    best = max(scores, default=0.0)
    chances = [math.exp(score - best) for score in scores]
    made = [RankedPlace(one, chance / sum(chances)) for one, chance in zip(places, chances, strict=True)]
    return sorted(made, key=lambda one: -one.probability)


def rankable(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The first places of the search but headings."""
    places = (one for one in ranked if not one.element.is_heading and one.element.text.strip())
    return list(islice(places, DEPTH))


def features(context: QuestionContext, places: Sequence[Candidate]) -> Iterator[dict[str, float]]:
    """The named features of each place: the search, words in common by how rare they are, the kind that is asked."""
    owns = [f"{introduction(one.element, context.pages(one.page))} {one.element.text}" for one in places]
    asks = content_terms(context.parts.asks) or content_terms(context.inquiry.question)
    told = content_terms(context.scenario_text)
    rarity = {word: _rarity(word, owns) for word in asks | told}
    compared = {name: [one.parts[name] for one in places if name in one.parts] or [0.0] for name in _COMPARED}
    is_yes_no = context.form.kind is QuestionKind.YES_NO
    for rank, (one, own) in enumerate(zip(places, owns, strict=True)):
        element = one.element
        around = " ".join((own, context.pages(one.page).title or "", *element.headings))
        asked = _share(asks, around, rarity)
        yield {
            "rank": -math.log(1 + rank),
            "gap": one.score - places[0].score,
            **{name: one.parts.get(name, max(parts)) - max(parts) for name, parts in compared.items()},
            "asked": asked,
            "told": asked * _share(told, own, rarity),  # of another matter it says nothing
            "value": float(is_typed(context.form) and not is_yes_no and holds_kind(context, element)),
            "rule of a verdict": float(is_yes_no and bool(_MODAL.search(own))),
            "bounds a figure": float(bounds_user_figure(context, element)),
            "row": float(element.tag == "tr"),
            "introduces": float(element.text.rstrip().endswith(":")),
        }


def _rarity(word: str, texts: Sequence[str]) -> float:
    """How much a word tells the texts apart: BM25's weight of it."""
    having = sum(not missing_terms(frozenset((word,)), text) for text in texts)
    return math.log(1 + (len(texts) - having + 0.5) / (having + 0.5))


def _share(words: frozenset[str], text: str, rarity: Mapping[str, float]) -> float:
    """Share of the words that a text says, each as much as it is rare; 0 without words."""
    missing = sum(rarity[word] for word in sorted(missing_terms(words, text)))
    return 1.0 - missing / sum(map(rarity.__getitem__, sorted(words))) if words else 0.0


def holds_kind(context: QuestionContext, element: Element) -> bool:
    """Whether an element has a value of the kind that is asked for; any where none is."""
    form = context.form
    if form.kind is QuestionKind.YES_NO or not is_typed(form):
        return True
    free = form.type is AnswerType.AMOUNT and _FREE.search(element.text)
    return bool(free) or any(True for _ in values_in(form, element))


def bounds_user_figure(context: QuestionContext, element: Element) -> bool:
    """Whether a figure of the story lies within the band of a row, or within or outside of a bound of a sentence."""
    if not figures(context.scenario_text):
        return False
    if element.tag == "tr":
        return is_band_of_user(context, element)
    sentences = (element.text[slice(*span)] for span in sentence_spans(element.text))
    return any(compare(sentence, context.scenario_text, context.today) is not None for sentence in sentences)
