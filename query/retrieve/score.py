"""The ranking: one pure function of readings and signals, the same for every store.

For a question q, element e, chunk c, page p::

    C(c)  = chunk * cos(q, c) + keyword * BM25(q, c) / max BM25
    P(p)  = page * mean of the page_chunks best C on the page
    s(e)  = cos(q, e) + best C of a chunk that holds e + P(page of e) + fact * F(e)
            + rule (if e states something under a condition) - heading (if e is a heading)
            - length * ln(characters of e)
    s'(e) = s(e) + lead_in * max(0, best s' among the items e introduces - s(e))
    s"(e) = s'(e) + joined * (best s' of what rules of its section state without condition - s'(e))

A chunk sees the context that an element lacks, and an element is exact where a chunk is broad; evidence comes from one
or two pages; BM25 knows rare words; an item is not to be read without the line that introduces it; a heading repeats in
the heading path; a budget is counted in tokens, so length costs. An element that states a rule decides more often than
one that describes, and what a section rules for everybody is evidence together. Weights are round numbers, chosen on
the development questions (docs/figures.md).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field

from clausegraph.core.types import Element, PageKey, Reading
from clausegraph.query.retrieve.bank import DIGITS, Hit, Place


@dataclass(frozen=True, slots=True)
class Signals:
    """One question's scores. What a store did not return is at most as good as the worst it returned."""

    elements: Mapping[Place, float] = field(default_factory=dict)  # cosine, by anchor
    chunks: Mapping[Place, float] = field(default_factory=dict)  # cosine, by chunk key
    keywords: Mapping[Place, float] = field(default_factory=dict)  # BM25, by chunk key
    facts: Mapping[Place, float] = field(default_factory=dict)  # 0 to 1, by anchor
    rules: Set[Place] = frozenset()  # elements that state something under a condition, by anchor
    joined: Mapping[PageKey, Sequence[tuple[str, ...]]] = field(default_factory=dict)  # anchors of evidence


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the formula above; a cosine of an element counts 1."""

    chunk: float = 1.0
    keyword: float = 0.25
    page: float = 1.0
    fact: float = 0.05
    rule: float = 0.05
    lead_in: float = 0.75
    joined: float = 0.75
    heading: float = 0.2
    length: float = 0.02
    page_chunks: int = 3  # chunks that make a page's prior
    pages: int = 10  # pages whose elements are scored


DEFAULT_WEIGHTS = Weights()


def chunk_scores(signals: Signals, weights: Weights = DEFAULT_WEIGHTS) -> dict[Place, float]:
    """C of every chunk that a store returned."""
    floor = min(signals.chunks.values(), default=0.0)
    top = max(signals.keywords.values(), default=0.0) or 1.0
    return {
        place: weights.chunk * signals.chunks.get(place, floor)
        + weights.keyword * signals.keywords.get(place, 0.0) / top
        for place in {**signals.chunks, **signals.keywords}
    }


def page_priors(signals: Signals, weights: Weights = DEFAULT_WEIGHTS) -> dict[PageKey, float]:
    """P / page of the best ``weights.pages`` pages, best first; ties by page key."""
    return _priors(chunk_scores(signals, weights), weights)


def _priors(chunks: Mapping[Place, float], weights: Weights) -> dict[PageKey, float]:
    by_page: dict[PageKey, list[float]] = defaultdict(list)
    for (page, _), score in chunks.items():
        by_page[page].append(score)
    priors: dict[PageKey, float] = {}
    for page, scores in by_page.items():
        best = sorted(scores, reverse=True)[: weights.page_chunks]
        priors[page] = sum(best) / len(best)
    ranked = sorted(priors.items(), key=lambda item: (-round(item[1], DIGITS), item[0].source, item[0].uri))
    return dict(ranked[: weights.pages])


Scored = tuple[float, str, str, str, PageKey, Element, tuple[float, ...], float]  # in order; the parts, and their sum
_PARTS = ("element", "chunk", "page", "fact", "rule", "form", "items", "joined")


def rank(
    readings: Mapping[PageKey, Reading],
    signals: Signals,
    weights: Weights = DEFAULT_WEIGHTS,
    most: int | None = None,
) -> list[Hit]:
    """Rank the elements of the pages that :func:`page_priors` names, and return the best ``most``.

    Args:
        readings: at least those pages; others are not ranked.

    Order: score descending, then page key and anchor. Each element comes once.
    """
    chunks = chunk_scores(signals, weights)
    floors = (min(signals.elements.values(), default=0.0), min(chunks.values(), default=0.0))
    scored: list[Scored] = []
    for page, prior in _priors(chunks, weights).items():
        scored += _score_page(page, readings[page], weights.page * prior, signals, chunks, floors, weights)
    scored.sort()
    return [
        Hit.of_element(page, element, score, dict(zip(_PARTS, parts, strict=True)))
        for *_, page, element, parts, score in scored[:most]
    ]


def _score_page(
    page: PageKey,
    reading: Reading,
    prior: float,
    signals: Signals,
    chunks: Mapping[Place, float],
    floors: tuple[float, float],
    weights: Weights,
) -> Iterator[Scored]:
    around: dict[str, float] = {}
    for chunk in reading.chunks:
        score = chunks.get((page, chunk.key), floors[1])
        for anchor in chunk.anchors:
            around[anchor] = max(score, around.get(anchor, score))
    places = [(page, element.anchor) for element in reading.elements]
    parts = [
        (
            signals.elements.get(place, floors[0]),
            around.get(element.anchor, floors[1]),
            prior,
            weights.fact * signals.facts.get(place, 0.0),
            weights.rule if place in signals.rules else 0.0,
            form(element, weights),
        )
        for place, element in zip(places, reading.elements, strict=True)
    ]
    own = [sum(part) for part in parts]
    lifted = _lifted(reading.elements, own, weights.lead_in)
    scores = _joined(reading.elements, lifted, signals.joined.get(page, ()), weights.joined)
    for element, part, before, up, score in zip(reading.elements, parts, own, lifted, scores, strict=True):
        order = (-round(score, DIGITS), page.source, page.uri, element.anchor)
        yield (*order, page, element, (*part, up - before, score - up), score)


def form(element: Element, weights: Weights) -> float:
    """What being a heading and being long costs."""
    heading = weights.heading if element.is_heading else 0.0
    return -heading - weights.length * math.log(max(len(element.text), 1))


def _lifted(elements: Iterable[Element], scores: list[float], share: float) -> list[float]:
    """Scores in which what introduces items has its share of the best one; inner lists first."""
    listed = list(elements)
    position = {element.anchor: number for number, element in enumerate(listed)}
    lifted, best = list(scores), [-math.inf] * len(scores)
    for number in range(len(listed) - 1, -1, -1):  # what introduces an item stands before it
        lifted[number] += share * max(0.0, best[number] - lifted[number])
        above = position.get(listed[number].lead_in or listed[number].parent or "")
        if above is not None:
            best[above] = max(best[above], lifted[number])
    return lifted


def _joined(
    elements: Iterable[Element], scores: list[float], groups: Iterable[tuple[str, ...]], share: float
) -> list[float]:
    """Scores in which the elements of a group have their share of the best of them."""
    position = {element.anchor: number for number, element in enumerate(elements)}
    joined = list(scores)
    for group in groups:
        members = [position[anchor] for anchor in group if anchor in position]
        best = max((scores[number] for number in members), default=0.0)
        for number in members:
            joined[number] = max(joined[number], scores[number] + share * (best - scores[number]))
    return joined
