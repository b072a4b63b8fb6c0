"""Retrievers by likeness alone: ``vector-chunks``, ``vector-elements`` and ``bm25``; how a question is embedded."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors, normalised
from clausegraph.core.tokens import count_many
from clausegraph.core.types import Stated, leaves
from clausegraph.indexes.lexical import search_words
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import Hit, Level, Place, Ranker, in_order

ELEMENTS = 500  # candidates of each store; four times as many rank ConditionalQA's evidence the same
WINDOW = 240  # word pieces embedded at once: MiniLM's 256 less special tokens, and some to spare


def parts(inquiry: Inquiry) -> list[str]:
    """Texts of at most WINDOW word pieces that cover everything, each with the question if it is short."""
    words = inquiry.text.split()
    if sum(counts := count_many(words)) <= WINDOW:
        return [inquiry.text]
    question = " ".join(inquiry.question.split())
    asked = sum(count_many(question.split()))
    if asked > WINDOW // 2:
        return _packed(words, counts, WINDOW)
    scenario = inquiry.scenario.split()
    return [f"{part} {question}" for part in _packed(scenario, count_many(scenario), WINDOW - asked)]


def embed(inquiry: Inquiry, embedder: Embedder) -> Vectors:
    """Mean of the parts' vectors, scaled to length 1: shape (dimension,)."""
    vectors = [embedder.embed_query(part) for part in parts(inquiry)]
    if len(vectors) == 1:
        return vectors[0]
    mean: Vectors = normalised(np.mean(np.stack(vectors), axis=0, dtype=np.float32))[0]
    return mean


def _packed(words: list[str], counts: list[int], room: int) -> list[str]:
    """Words in as few texts as needed, each of at most ``room`` word pieces, of about the same size."""
    total = sum(counts)
    share = total / max(1, -(-total // room))
    packs: list[list[str]] = [[]]
    used = 0
    for word, count in zip(words, counts, strict=True):
        if packs[-1] and (used + count > room or used >= share):
            packs.append([])
            used = 0
        packs[-1].append(word)
        used += count
    return [" ".join(pack) for pack in packs]


def nearest(view: View, level: Level, vector: Vectors, limit: int) -> dict[Place, float]:
    """The ``limit`` most similar elements or chunks, best first."""
    return {(hit.page, hit.ref): hit.score for hit in view.search(level, vector, limit) if hit.page is not None}


def anchors_of(stated: Stated) -> dict[str, None]:
    """Anchors of the elements that state it or a leaf of its condition, each once."""
    return dict.fromkeys([span.anchor for span in stated.spans] + [leaf.anchor for leaf in leaves(stated.condition)])


def chunks_at(view: View, scores: Mapping[Place, float], part: str) -> list[Hit]:
    """The chunks of these places, in the order given; ``part`` names the score."""
    named = {(page, chunk.key): chunk for page in {p for p, _ in scores} for chunk in view.reading(page).chunks}
    return [Hit.of_chunk(place[0], named[place], score, {part: score}) for place, score in scores.items()]


def elements_at(view: View, scores: Mapping[Place, float], part: str) -> list[Hit]:
    """The elements of these places, best first; what a page no longer has is left out."""
    return in_order(
        Hit.of_element(page, element, scores[page, element.anchor], {part: scores[page, element.anchor]})
        for page in sorted({page for page, _ in scores})
        for element in view.reading(page).elements
        if (page, element.anchor) in scores
    )


@dataclass(frozen=True, slots=True)
class VectorChunks(Ranker):
    """Chunks by similarity, nothing else."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Chunks, best first."""
        found = nearest(self.view, "chunk", embed(inquiry, self.embedder), most)
        return chunks_at(self.view, found, "chunk")


@dataclass(frozen=True, slots=True)
class VectorElements(Ranker):
    """Elements by similarity; equal scores by page and anchor."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Elements, best first."""
        found = nearest(self.view, "element", embed(inquiry, self.embedder), most)
        return elements_at(self.view, found, "element")


@dataclass(frozen=True, slots=True)
class Bm25(Ranker):
    """Chunks by BM25; asks no model."""

    def ranked(self, inquiry: Inquiry, most: int) -> list[Hit]:
        """Chunks that share a word with the question, best first."""
        found = search_words(self.view.words, inquiry.text, most)
        scores = {(hit.page, hit.ref): hit.score for hit in found}
        return chunks_at(self.view, scores, "keyword")
