"""What the stores say about a question, as plain values, and the weights that join it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field

from clausegraph.core.types import PageKey

Place = tuple[PageKey, str]  # a chunk key or an element's anchor on its page


@dataclass(frozen=True, slots=True)
class Signals:
    """One question's scores. What a store did not return is at most as good as the worst it returned."""

    elements: Mapping[Place, float] = field(default_factory=dict)  # cosine, by anchor
    chunks: Mapping[Place, float] = field(default_factory=dict)  # cosine, by chunk key
    keywords: Mapping[Place, float] = field(default_factory=dict)  # BM25, by chunk key
    facts: Mapping[Place, float] = field(default_factory=dict)  # 0 to 1, by anchor
    rules: Set[Place] = frozenset()  # elements that state something under a condition, by anchor
    joined: Mapping[PageKey, Sequence[tuple[str, ...]]] = field(default_factory=dict)  # anchors that one statement has


@dataclass(frozen=True, slots=True)
class Weights:
    """Weights of the ranking formula (:mod:`clausegraph.query.rank.score`); a cosine of an element counts 1."""

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
