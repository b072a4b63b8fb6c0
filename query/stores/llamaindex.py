"""Retriever, engine and embedder of a corpus as LlamaIndex's: nodes are elements or chunks of a view's pages."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from llama_index.core.base.base_query_engine import BaseQueryEngine
from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.base.response.schema import Response
from llama_index.core.bridge.pydantic import PrivateAttr
from llama_index.core.callbacks import CallbackManager
from llama_index.core.prompts.mixin import PromptMixinType
from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import Answer, AnswerStatus
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import Engine
from clausegraph.query.retrieve.bank import Hit, Retriever, depth
from clausegraph.query.stores.nodes import chunk_node, element_node


@dataclass
class ScenarioBundle(QueryBundle):
    """What ``retrieve`` and ``query`` take in place of a text: ``ScenarioBundle(question, scenario="I rent.")``."""

    scenario: str = ""


def inquiry_of(bundle: QueryBundle) -> Inquiry:
    """Question and scenario of a bundle; a plain one has no scenario.

    Raises:
        QuestionError: the question is empty, or question and scenario are too long.
    """
    return Inquiry(bundle.query_str, bundle.scenario if isinstance(bundle, ScenarioBundle) else "")


class EmbedderModel(BaseEmbedding):
    """An ``Embedder`` for ``embed_model=``; its name is the embedder's fingerprint."""

    _embedder: Embedder = PrivateAttr()

    def __init__(self, embedder: Embedder) -> None:
        super().__init__(model_name=embedder.fingerprint)
        self._embedder = embedder

    @classmethod
    def class_name(cls) -> str:
        return "EmbedderModel"

    def _get_query_embedding(self, query: str) -> list[float]:
        return [float(value) for value in self._embedder.embed_query(query)]

    async def _aget_query_embedding(self, query: str) -> list[float]:
        return self._get_query_embedding(query)

    def _get_text_embedding(self, text: str) -> list[float]:
        return self._get_text_embeddings([text])[0]

    def _get_text_embeddings(self, texts: list[str]) -> list[list[float]]:
        return [[float(value) for value in row] for row in self._embedder.embed_texts(texts)]


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
        return [_node_of(self._view, hit) for hit in hits]


def _node_of(view: View, hit: Hit) -> NodeWithScore:
    """Id ``page#key``; metadata says where the text is and how its score came about."""
    reading = view.reading(hit.page)
    how: dict[str, object] = {"anchor": hit.key, "level": hit.level, "parts": dict(hit.parts)}
    if hit.level == "element":
        node = element_node(view, hit.page, next(one for one in reading.elements if one.anchor == hit.key), how)
    else:
        node = chunk_node(view, hit.page, next(one for one in reading.chunks if one.key == hit.key), how)
    return NodeWithScore(node=node, score=hit.score)


class ViewQueryEngine(BaseQueryEngine):
    """Answers a question or a ``ScenarioBundle`` from one epoch; ``metadata["answer"]`` is the ``Answer``.

    ``Corpus.query_engine`` makes it.
    """

    def __init__(self, engine: Engine) -> None:
        super().__init__(callback_manager=CallbackManager())
        self._engine = engine

    def _query(self, query_bundle: QueryBundle) -> Response:
        return _response(self._engine.ask(inquiry_of(query_bundle)))

    async def _aquery(self, query_bundle: QueryBundle) -> Response:
        return await asyncio.to_thread(self._query, query_bundle)  # an engine searches and waits for models

    def _get_prompt_modules(self) -> PromptMixinType:
        return {}


def _response(answer: Answer) -> Response:
    lines = [alternative.text for alternative in answer.alternatives]
    if answer.status is AnswerStatus.NOT_ANSWERABLE:
        lines = ["not answerable"]
    elif answer.quotes and not lines:
        lines = ["not decided; the pages say:", *(f"{e.lead_in} {e.quote}".strip() for e in answer.quotes)]
    sides = [side for one in answer.contradictions for side in (one.newer, one.older)]
    if any(not one.superseded for one in answer.contradictions):
        lines.append("the pages contradict each other:")
        lines += [f"{side.quote} ({side.title}, {side.updated or 'no date stated'})" for side in dict.fromkeys(sides)]
    nodes: dict[str, NodeWithScore] = {}
    stated = [(e, a.score) for a in answer.alternatives for e in (*a.evidence, *a.sources)]
    for evidence, score in [*stated, *((quote, 0.0) for quote in (*answer.quotes, *sides))]:
        key = f"{evidence.page}#{evidence.span.anchor}"
        metadata = {"page": str(evidence.page), "title": evidence.title, "url": evidence.url}
        node = TextNode(id_=key, text=evidence.quote, metadata=metadata)
        nodes.setdefault(key, NodeWithScore(node=node, score=score))
    return Response(response="\n".join(lines), source_nodes=list(nodes.values()), metadata={"answer": answer})
