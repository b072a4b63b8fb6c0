"""What is searched for: the text of an inquiry, embedded without losing the question."""

from __future__ import annotations

import numpy as np

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder, Vectors, normalised
from clausegraph.core.tokens import count_many

WINDOW = 240  # word pieces embedded at once: MiniLM's 256 less special tokens, and some to spare


def parts(inquiry: Inquiry) -> list[str]:
    """Texts of at most WINDOW word pieces that cover everything, each with the question if that is short.

    One text as a rule. Cut in two with the question in both, scenarios retrieve as well as whole
    (evidence recall at 650 tokens 0.946 and 0.948); cut without it they do worse (0.925).
    """
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
