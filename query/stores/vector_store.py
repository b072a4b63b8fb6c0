"""An epoch's vectors as a LlamaIndex vector store, read-only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.schema import BaseNode
from llama_index.core.vector_stores.types import (
    BasePydanticVectorStore,
    FilterCondition,
    FilterOperator,
    MetadataFilter,
    MetadataFilters,
    VectorStoreQuery,
    VectorStoreQueryMode,
    VectorStoreQueryResult,
)

from clausegraph.core.errors import InputError
from clausegraph.core.models.embedding import normalised
from clausegraph.core.types import PageKey, Support
from clausegraph.indexes.views import Name, VectorHit, View
from clausegraph.query.stores.nodes import chunk_node, element_node, fact_node, node_id, refuse_persist, refused

KINDS = ("chunk", "element", "fact")
_KEYS = ("page", "source", "uri")
_OPERATORS = (FilterOperator.EQ, FilterOperator.NE, FilterOperator.IN, FilterOperator.NIN)
Matcher = Callable[[Sequence[Name]], list[Name]]  # those of some names that are wanted, in their order
_WIDER = 4  # how much further a search goes each time a filter leaves too few


class ViewVectorStore(BasePydanticVectorStore):
    """The vectors of a view: those of its chunks, its elements or its facts.

    Similarities are cosines. Filters are on ``page``, ``source`` and ``uri``, equal or one of several, and their
    opposites; a fact matches by any page that states it. A search under a filter is exact: it goes on until enough
    has been found.

    Args:
        view: the epoch; whoever opened it closes it.
        kind: "chunk", "element" or "fact".

    Raises:
        InputError: another kind; and from every write.
        ViewExpired: from every method, when the view has ended.
    """

    stores_text: bool = True
    is_embedding_query: bool = True
    _view: View = PrivateAttr()
    _kind: str = PrivateAttr()

    def __init__(self, view: View, kind: str = "chunk") -> None:
        if kind not in KINDS:
            raise InputError(f"kind {kind!r} is none of {', '.join(KINDS)}")
        super().__init__(stores_text=True)
        self._view = view
        self._kind = kind

    @classmethod
    def class_name(cls) -> str:
        return "ViewVectorStore"

    @property
    def client(self) -> View:
        """The view."""
        return self._view

    def query(self, query: VectorStoreQuery, **kwargs: Any) -> VectorStoreQueryResult:
        """The nearest nodes with their cosines, best first.

        An empty ``node_ids`` or ``doc_ids`` does not restrict: that is what LlamaIndex's own retriever sends when
        nothing was chosen. ``doc_ids`` are pages.

        Raises:
            InputError: no embedding, another mode than the default, or a filter that is not one of these.
            ModelMismatchError: the embedding has another length than the vectors.
        """
        if query.mode is not VectorStoreQueryMode.DEFAULT:
            raise InputError(
                f"mode {query.mode.value!r} is none of this store's, which has 'default' (by similarity); for keywords "
                "and graph beside vectors use Corpus.retriever"
            )
        if query.query_embedding is None:
            raise InputError("the query has no embedding; give the index embed_model=EmbedderModel(embedder)")
        matches = self._matcher(query.node_ids or None, query.doc_ids or None, query.filters)
        vector = normalised(np.asarray(query.query_embedding, dtype=np.float32))[0]
        hits = self._nearest(vector, query.similarity_top_k, matches)
        nodes = self._nodes([(hit.page, hit.ref) for hit in hits])
        return VectorStoreQueryResult(
            nodes=nodes, similarities=[float(hit.score) for hit in hits], ids=[node.node_id for node in nodes]
        )

    def get_nodes(self, node_ids: list[str] | None = None, filters: MetadataFilters | None = None) -> list[BaseNode]:
        """The nodes with these ids that pass the filters; all where neither is given, none for an empty list."""
        names, _ = self._view.vectors(self._kind)
        if self._kind == "fact":  # one node for a fact, however many pages state it
            names = list(dict.fromkeys((None, ref) for _, ref in names))
        return self._nodes(self._matcher(node_ids, None, filters)(sorted(names, key=_order)))

    add = refused("add")
    delete = refused("delete")
    delete_nodes = refused("delete_nodes")
    clear = refused("clear")
    persist = refuse_persist

    # --- inside -----------------------------------------------------------------------------------

    def _nearest(self, vector: Any, limit: int, matches: Matcher) -> list[VectorHit]:
        wide = limit
        while True:
            if self._kind == "fact":
                hits = self._view.search_facts(vector, wide)
            else:
                hits = self._view.search(self._kind, vector, wide)
            kept = set(matches([(hit.page, hit.ref) for hit in hits]))
            found = [hit for hit in hits if (hit.page, hit.ref) in kept][:limit]
            if len(found) == limit or len(hits) < wide:
                return found
            wide *= _WIDER

    def _matcher(
        self, node_ids: list[str] | None, doc_ids: list[str] | None, filters: MetadataFilters | None
    ) -> Matcher:
        """Which of some names are wanted, in their order."""
        if filters is not None:
            _check(filters)

        def wanted(names: Sequence[Name]) -> list[Name]:
            kept = [name for name in names if node_ids is None or _identity(name) in node_ids]
            if doc_ids is not None:
                of_pages = MetadataFilter(key="page", value=doc_ids, operator=FilterOperator.IN)
                kept = self._passing(kept, MetadataFilters(filters=[of_pages]))
            return kept if filters is None else self._passing(kept, filters)

        return wanted

    def _passing(self, names: Sequence[Name], filters: MetadataFilters) -> list[Name]:
        supports = self._supports([ref for page, ref in names if page is None])
        places = {
            (page, ref): {support.page for support in supports[ref]} if page is None else {page} for page, ref in names
        }
        return [name for name in names if _passes(filters, places[name])]

    def _supports(self, fact_ids: list[str]) -> dict[str, list[Support]]:
        found: dict[str, list[Support]] = {}
        for support in self._view.graph.supports(fact_ids) if fact_ids else ():
            found.setdefault(support.fact_id, []).append(support)
        return found

    def _nodes(self, names: Sequence[Name]) -> list[BaseNode]:
        if self._kind == "fact":
            ids = [ref for _, ref in names]
            supports = self._supports(ids)
            return [fact_node(self._view, fact, supports[fact.id]) for fact in self._view.graph.facts(ids)]
        return [self._text_node(page, ref) for page, ref in names if page is not None]

    def _text_node(self, page: PageKey, ref: str) -> BaseNode:
        reading = self._view.reading(page)
        if self._kind == "chunk":
            return chunk_node(self._view, page, next(chunk for chunk in reading.chunks if chunk.key == ref))
        return element_node(self._view, page, next(one for one in reading.elements if one.anchor == ref))


def _identity(name: Name) -> str:
    page, ref = name
    return ref if page is None else node_id(page, ref)


def _order(name: Name) -> tuple[str, str]:
    page, ref = name
    return str(page or ""), ref


def _check(filters: MetadataFilters) -> None:
    """Refuse what would otherwise be left out in silence."""
    for one in filters.filters:
        if isinstance(one, MetadataFilters):
            _check(one)
        elif one.key not in _KEYS:
            raise InputError(f"no filter on {one.key!r} here; filters are on {', '.join(_KEYS)}")
        elif one.operator not in _OPERATORS:
            known = ", ".join(operator.value for operator in _OPERATORS)
            raise InputError(f"no filter {one.operator.value!r} on {one.key!r} here; known are {known}")
        elif isinstance(one.value, list) is not (one.operator in (FilterOperator.IN, FilterOperator.NIN)):
            raise InputError(f"filter {one.operator.value!r} on {one.key!r}: 'in' and 'nin' take a list, others a text")


def _passes(filters: MetadataFilters, pages: set[PageKey]) -> bool:
    passed = []
    for one in filters.filters:
        if isinstance(one, MetadataFilters):
            passed.append(_passes(one, pages))
            continue
        values = {{"page": str(page), "source": page.source, "uri": page.uri}[one.key] for page in pages}
        wanted = one.value if isinstance(one.value, list) else [one.value]
        passed.append((not values.isdisjoint(wanted)) is (one.operator in (FilterOperator.EQ, FilterOperator.IN)))
    if filters.condition is FilterCondition.OR:
        return any(passed)
    return not any(passed) if filters.condition is FilterCondition.NOT else all(passed)
