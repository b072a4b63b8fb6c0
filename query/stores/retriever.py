"""A retriever of the bank as a LlamaIndex ``BaseRetriever``: nodes are elements or chunks of the view's pages."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from clausegraph.indexes.views import View
from clausegraph.query.rank.hits import Hit
from clausegraph.query.retrieve.bank import Retriever, depth
from clausegraph.query.stores.bundle import inquiry_of


class ViewRetriever(BaseRetriever):
    """Retrieves for a question or a ``ScenarioBundle`` from one epoch. ``Corpus.retriever`` makes it.

    Args:
        limit: nodes at most.
        budget: word pieces of text in all.

    Raises:
        InputError: neither is given, or one is below 1.
    """

    def __init__(
        self, view: View, retriever: Retriever, *, limit: int | None = None, budget: int | None = None
    ) -> None:
        depth(limit, budget)
        self._view, self._retriever, self._limit, self._budget = view, retriever, limit, budget
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        hits = self._retriever.retrieve(inquiry_of(query_bundle), limit=self._limit, budget=self._budget)
        return [_node(self._view, hit) for hit in hits]


def _node(view: View, hit: Hit) -> NodeWithScore:
    """Id ``page#key``; metadata says where the text is and how its score came about."""
    reading = view.reading(hit.page)
    metadata: dict[str, object] = {
        "page": str(hit.page),
        "title": reading.title,
        "url": reading.url,
        "anchor": hit.key,
        "anchors": list(hit.anchors),
        "headings": list(hit.headings),
        "level": hit.level,
        "parts": dict(hit.parts),
    }
    if hit.level == "element":
        element = next(element for element in reading.elements if element.anchor == hit.key)
        metadata |= {"tag": element.tag, "html": element.html}
    keys = list(metadata)  # metadata is for programs: no model and no embedder is to read it
    node = TextNode(
        id_=f"{hit.page}#{hit.key}",
        text=hit.text,
        metadata=metadata,
        excluded_llm_metadata_keys=keys,
        excluded_embed_metadata_keys=keys,
    )
    return NodeWithScore(node=node, score=hit.score)
