"""Retrieval for ``search``: one list of hits whatever the retriever."""

from __future__ import annotations

from functools import partial
from typing import Any

from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.tokens import count_tokens
from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.bank import RETRIEVERS, make_retriever

SEARCH_BUDGET = 1300  # word pieces that a search returns, where it says no other number


def search(
    workspace: Workspace,
    corpus: str,
    inquiry: Inquiry,
    *,
    retriever: str,
    budget: int | None,
    limit: int,
    epoch: int | None = None,
    explain: bool = False,
) -> dict[str, Any]:
    """The hits of a question as JSON values, best first; with ``explain``, ``why_nothing`` says why there are none.

    Args:
        budget: word pieces in all; None for ``SEARCH_BUDGET``.

    Raises:
        InputError: no such retriever, or budget or limit is below 1.
        NotFoundError, ModelMismatchError, StoreError: as ``Workspace.view``.
    """
    room = budget if budget is not None else SEARCH_BUDGET
    with workspace.view(corpus, epoch, embed=RETRIEVERS[retriever].embeds) as view:
        find = partial(_find, view, workspace, inquiry, retriever)
        hits = find(budget=room, limit=limit)
        found = {"question": inquiry.question, "corpus": view.corpus, "epoch": view.epoch, "retriever": retriever}
        if explain and not hits:
            best = find(budget=None, limit=1)
            found["why_nothing"] = _too_little_room(best[0], room) if best else "nothing found"
        return found | {"hits": hits}


def _too_little_room(best: dict[str, Any], room: int) -> str:
    pieces = count_tokens(best["text"])
    return f"the best passage has {pieces} word pieces, more than the budget of {room}; raise --budget"


def _find(
    view: View, workspace: Workspace, inquiry: Inquiry, retriever: str, *, budget: int | None, limit: int
) -> list[dict[str, Any]]:
    """Hits as JSON values, best first; arguments as ``Retriever.retrieve``."""
    made = make_retriever(retriever, view, workspace.embedder, reranker=workspace.reranker)
    hits = made.retrieve(inquiry, limit=limit, budget=budget)
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
