"""What another retriever found first, put in order by a cross-encoder."""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.reranking import Reranker
from clausegraph.query.rank.budget import within
from clausegraph.query.rank.hits import Hit, in_order
from clausegraph.query.retrieve.protocol import Retriever, depth

CANDIDATES = 100  # of the other's hits: a cross-encoder reads each with the question, so time grows with them


@dataclass(frozen=True, slots=True)
class Reranked:
    """The first hits of ``inner``, each read with the question under its headings; the others are left out."""

    inner: Retriever
    reranker: Reranker

    def retrieve(self, inquiry: Inquiry, *, limit: int | None = None, budget: int | None = None) -> list[Hit]:
        """Hits, best first; the score is the cross-encoder's."""
        depth(limit, budget)
        hits = self.inner.retrieve(inquiry, limit=CANDIDATES)
        texts = [" > ".join((*hit.headings, hit.text)) if hit.level == "element" else hit.text for hit in hits]
        scores = [float(score) for score in self.reranker.scores(inquiry.text, texts)]
        scored = (replace(hit, score=score, parts={"reranked": score}) for hit, score in zip(hits, scores, strict=True))
        return within(in_order(scored), budget, limit)
