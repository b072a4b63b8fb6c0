"""The embedder of a corpus as a LlamaIndex embedding model, so that an index over it asks with the right vectors."""

from __future__ import annotations

from llama_index.core.base.embeddings.base import BaseEmbedding
from llama_index.core.bridge.pydantic import PrivateAttr

from clausegraph.core.models.embedding import Embedder


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
