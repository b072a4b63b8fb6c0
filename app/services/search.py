"""Retrieval for ``search``: one list of hits whatever the retriever."""

from __future__ import annotations

from typing import Any

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.bank import make_retriever


def find(
    view: View, embedder: Embedder, inquiry: Inquiry, *, retriever: str, budget: int | None, limit: int
) -> list[dict[str, Any]]:
    """Hits as JSON values, best first; arguments as ``Retriever.retrieve``.

    Raises:
        InputError: no such retriever, or budget or limit is below 1.
    """
    hits = make_retriever(retriever, view, embedder).retrieve(inquiry, limit=limit, budget=budget)
    return [_hit_json(view, hit) for hit in hits]


def _hit_json(view: View, hit: Hit) -> dict[str, Any]:
    reading = view.reading(hit.page)
    first = reading.element(hit.anchors[0]) if hit.anchors else None
    return {
        "page": str(hit.page),
        "title": reading.title,
        "url": reading.url,
        "headings": list(hit.headings),
        "anchor" if hit.level == "element" else "chunk": hit.key,
        "anchors": list(hit.anchors),
        "page_number": first.page_number if first is not None else None,
        "text": hit.text,
        "score": round(hit.score, 6),
        "parts": {name: round(part, 6) for name, part in hit.parts.items()},
    }
