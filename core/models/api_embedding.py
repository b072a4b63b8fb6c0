"""Embeddings from a model's server: ``mistral:NAME`` and ``openai:NAME``, behind the same layers as chats."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import numpy as np
from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from clausegraph.core.errors import UnusableReply
from clausegraph.core.models.calls import Budget, CallLabels, ModelCall, ModelOptions, Usage, UsageSink
from clausegraph.core.models.client import UNREADABLE, ServerClient
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.models.failures import Server, checked_key, checked_url
from clausegraph.core.models.guard import URLS, GuardedLLM
from clausegraph.core.models.loop import run_sync
from clausegraph.core.models.replies import reply_of, token_count

BATCH = 64  # texts in a request
TASK = "embed"  # in the records of calls
_MOST_BYTES = BATCH * 8192 * 24  # of the vectors of a request: dimensions, and bytes of a number


class ApiEmbedder:
    """An ``Embedder`` behind a server. The dimension is learnt from the first reply.

    Of ``options``, provider, model, url, key, timeout, attempts, concurrency and price count.
    """

    def __init__(self, options: ModelOptions, *, budget: Budget | None = None, usage: UsageSink | None = None) -> None:
        url = checked_url(options.url or URLS[options.provider], "CLAUSEGRAPH_EMBEDDING_URL")
        key = checked_key(options.provider, options.key, "CLAUSEGRAPH_EMBEDDING_KEY")
        self._options, self._server = options, Server(options.name, url, key)
        self._dimension: int | None = None
        server = self._server
        self._model = GuardedLLM(options, lambda: _Client(server, options, _MOST_BYTES), budget=budget, usage=usage)

    def metered(self, budget: Budget, usage: UsageSink) -> ApiEmbedder:
        """The same embedder with calls that are limited and recorded; this one stays as it is."""
        return ApiEmbedder(self._options, budget=budget, usage=usage)

    @property
    def fingerprint(self) -> str:
        """Provider and model."""
        return self._server.model

    @property
    def dimension(self) -> int:
        """Length of a vector; asks the server when no text was embedded yet."""
        if self._dimension is None:
            self.embed_texts(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: shape (len(texts), dimension), float32, rows of length 1."""
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        batches = [list(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return normalised(np.vstack(run_sync(self._all(batches))))

    def embed_query(self, question: str) -> Vectors:
        """Embed a question: shape (dimension,), length 1."""
        vector: Vectors = self.embed_texts([question])[0]
        return vector

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._model.close()

    async def _all(self, batches: list[list[str]]) -> list[Vectors]:
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._batch(batch)) for batch in batches]
        except ExceptionGroup as failed:  # the first; the others were cancelled for it
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _batch(self, texts: list[str]) -> Vectors:
        messages = tuple(ChatMessage(content=text) for text in texts)
        response = await self._model.send(ModelCall(messages, {"max_tokens": 0}, CallLabels(TASK)))
        raw: Any = response.raw
        return self._checked(raw["vectors"], len(texts))

    def _checked(self, found: Vectors, wanted: int) -> Vectors:
        name = self._server.model
        if found.ndim != 2 or found.shape[0] != wanted:
            raise UnusableReply(f"{name} sent {len(found)} vectors for {wanted} texts")
        dimension = found.shape[1]
        if dimension == 0 or (self._dimension or dimension) != dimension:
            raise UnusableReply(f"{name} sent vectors of {dimension} numbers, where {self._dimension or 'some'} belong")
        if not np.isfinite(found).all():
            raise UnusableReply(f"{name} sent vectors with numbers that are not finite")
        lengths = np.linalg.norm(found.astype(np.float64), axis=1, keepdims=True)  # the squares of large numbers fit
        if not lengths.all():
            raise UnusableReply(f"{name} sent vectors of zeros, which point nowhere")
        self._dimension = dimension
        scaled: Vectors = (found / lengths).astype(np.float32)
        return scaled


class _Client(ServerClient):
    """A server's client, as the layers take one: the texts are a call's messages, the vectors are in the reply."""

    async def chat(self, call: ModelCall) -> ChatResponse:
        texts = [message.content or "" for message in call.messages]
        reply = await self.post("embeddings", {"model": self.options.model, "input": texts})
        try:
            found = [one["embedding"] for one in sorted(reply["data"], key=lambda one: one["index"])]
            with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite, which is refused
                vectors = np.asarray(found, dtype=np.float32)
            prompt = token_count(reply["usage"].get("prompt_tokens")) if reply.get("usage") else None
        except UNREADABLE as error:
            raise self.server.unreadable(error) from None
        return reply_of("", Usage(prompt, 0) if prompt else Usage(), None, vectors=vectors)
