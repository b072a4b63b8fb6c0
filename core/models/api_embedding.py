"""Embeddings from a model's server: ``mistral:NAME`` and ``openai:NAME``, behind the same layers as chats."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from clausegraph.core.errors import UnusableReply
from clausegraph.core.models.calls import Budget, CallLabels, ModelCall, ModelOptions, Usage, UsageSink
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.models.failures import Server, checked_key, checked_url, open_http, vectors_limit
from clausegraph.core.models.guard import URLS, GuardedLLM
from clausegraph.core.models.loop import close_when_dropped, run_sync
from clausegraph.core.models.replies import raw_form, token_count

BATCH = 64  # texts in a request
TASK = "embed"  # in the records of calls
Embed = Callable[[list[str]], Awaitable[tuple[list[list[float]], Any]]]  # vectors, and the usage as the server says it


class ApiEmbedder:
    """An ``Embedder`` behind a server. The dimension is learnt from the first reply.

    Of ``options``, provider, model, url, key, timeout, attempts, concurrency and price count.
    """

    def __init__(self, options: ModelOptions, *, budget: Budget | None = None, usage: UsageSink | None = None) -> None:
        url = checked_url(options.url or URLS[options.provider], "CLAUSEGRAPH_EMBEDDING_URL")
        key = checked_key(options.provider, options.key, "CLAUSEGRAPH_EMBEDDING_KEY")
        self._options, self._server = options, Server(options.name, url, key)
        self._dimension: int | None = None
        connect = _mistral if options.provider == "mistral" else _openai
        self._model = GuardedLLM(options, lambda: connect(self._server, options), budget=budget, usage=usage)

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


@dataclass(frozen=True)
class _Client:
    """A server's client, as the layers take one: the texts are a call's messages, the vectors are in the reply."""

    embed: Embed
    errors: Callable[[], AbstractContextManager[None]]
    timeout_s: float
    close_http: Callable[[], Coroutine[Any, Any, None]]

    def __post_init__(self) -> None:
        close_when_dropped(self, self.close_http)

    async def chat(self, call: ModelCall) -> ChatResponse:
        with self.errors():
            async with asyncio.timeout(self.timeout_s):
                found, used = await self.embed([message.content or "" for message in call.messages])
            with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite, which is refused
                vectors = np.asarray(found, dtype=np.float32)
        count = token_count(getattr(used, "prompt_tokens", None))
        raw, _ = raw_form(Usage(count, 0) if count else Usage(), None)
        return ChatResponse(message=ChatMessage(), raw=raw | {"vectors": vectors})

    async def close(self) -> None:
        await self.close_http()


def _mistral(server: Server, options: ModelOptions) -> _Client:
    """LlamaIndex's class takes no address and keeps the usage to itself, so the driver is called."""
    import httpx2

    from clausegraph.core.models.mistral import connect, mistral_errors

    http = open_http(httpx2, server, options.timeout_s, options.concurrency, vectors_limit(BATCH))
    driver = connect(server, http, options.timeout_s)

    async def embed(texts: list[str]) -> tuple[list[list[float]], Any]:
        reply = await driver.embeddings.create_async(model=options.model, inputs=texts)
        found = sorted(reply.data, key=lambda item: item.index or 0)
        return [item.embedding or [] for item in found], reply.usage

    return _Client(embed, partial(mistral_errors, server), options.timeout_s, http.aclose)


def _openai(server: Server, options: ModelOptions) -> _Client:
    """The class has retries of its own even when told none, so its client is called."""
    import httpx
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding

    from clausegraph.core.models.openai_like import NO_KEY, openai_errors

    http = open_http(httpx, server, options.timeout_s, options.concurrency, vectors_limit(BATCH))
    inner = OpenAILikeEmbedding(
        model_name=options.model,
        api_base=f"{server.url}/v1",
        api_key=server.key or NO_KEY,
        api_version="",
        max_retries=0,
        timeout=options.timeout_s,
        async_http_client=http,
    )

    async def embed(texts: list[str]) -> tuple[list[list[float]], Any]:
        reply = await inner._get_aclient().embeddings.create(input=texts, model=options.model)
        return [item.embedding for item in sorted(reply.data, key=lambda item: item.index)], reply.usage

    return _Client(embed, partial(openai_errors, server), options.timeout_s, http.aclose)
