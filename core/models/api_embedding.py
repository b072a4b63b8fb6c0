"""Embeddings from a model's server: ``mistral:NAME`` and ``openai:NAME``, retried and limited as chats are."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from core.errors import UnusableReply
from core.models.build import ModelOptions, checked_key, checked_url
from core.models.clients.failures import Server
from core.models.embedding import Vectors, normalised
from core.models.loop import ModelLoop, close_when_dropped, model_loop, run_sync
from core.models.middleware.limiter import Limiting
from core.models.middleware.retry import Retrying

BATCH = 64  # texts in a request

Embed = Callable[[list[str]], Awaitable[list[list[float]]]]


@dataclass(frozen=True)
class _Connected:
    """A client of this process."""

    embed: Embed
    errors: Callable[[], AbstractContextManager[None]]
    close: Callable[[], Coroutine[Any, Any, None]]
    retrying: Retrying
    limiting: Limiting


class ApiEmbedder:
    """An ``Embedder`` behind a server. The dimension is learnt from the first reply.

    Of ``options``, provider, model, url, key, timeout, attempts and concurrency count. ``query_instruction`` stands
    before questions.
    """

    def __init__(self, options: ModelOptions, query_instruction: str | None = None) -> None:
        self._options = options
        self._instruction = query_instruction or ""
        self._server = _server(options)
        self._dimension: int | None = None
        self._made: tuple[ModelLoop, _Connected] | None = None

    @property
    def fingerprint(self) -> str:
        """Provider, model and query instruction."""
        shaped = f"|q={self._instruction}" if self._instruction else ""
        return f"{self._server.model}{shaped}"

    @property
    def dimension(self) -> int:
        """Length of a vector; asks the server when no text was embedded yet."""
        if self._dimension is None:
            self.embed_texts(["dimension"])
        assert self._dimension is not None
        return self._dimension

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: shape (len(texts), dimension), float32, rows of length 1.

        Raises:
            UnusableReply: the wrong number of vectors came, or some are no numbers or of another length.
            ModelUnavailable: all attempts of a batch failed.
            ModelRefused: the server refused the texts, the model or the key.
        """
        if not texts:
            return np.zeros((0, self.dimension), dtype=np.float32)
        batches = [list(texts[start : start + BATCH]) for start in range(0, len(texts), BATCH)]
        return normalised(np.vstack(run_sync(self._all(batches))))

    def embed_query(self, question: str) -> Vectors:
        """Embed a question: shape (dimension,), length 1."""
        vector: Vectors = self.embed_texts([self._instruction + question])[0]
        return vector

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        made, self._made = self._made, None
        if made is not None and made[0] is model_loop():
            run_sync(made[1].close())

    async def _all(self, batches: list[list[str]]) -> list[Vectors]:
        client = self._client()
        try:
            async with asyncio.TaskGroup() as group:
                tasks = [group.create_task(self._batch(client, batch)) for batch in batches]
        except ExceptionGroup as failed:  # the first; the others were cancelled for it
            raise failed.exceptions[0] from None
        return [task.result() for task in tasks]

    async def _batch(self, client: _Connected, texts: list[str]) -> Vectors:
        async def attempt() -> Vectors:
            async with client.limiting.slot():
                with client.errors():
                    async with asyncio.timeout(self._options.timeout_s):
                        found = await client.embed(texts)
                    return np.asarray(found, dtype=np.float32)

        return self._checked(await client.retrying.run(attempt), len(texts))

    def _checked(self, found: Vectors, wanted: int) -> Vectors:
        name = self._server.model
        if found.ndim != 2 or found.shape[0] != wanted:
            raise UnusableReply(f"{name} sent {len(found)} vectors for {wanted} texts")
        dimension = found.shape[1]
        if dimension == 0 or (self._dimension or dimension) != dimension:
            raise UnusableReply(f"{name} sent vectors of {dimension} numbers, where {self._dimension or 'some'} belong")
        if not np.isfinite(found).all():
            raise UnusableReply(f"{name} sent vectors with numbers that are not finite")
        self._dimension = dimension
        return found

    def _client(self) -> _Connected:
        """The client of this process; see ``GuardedLLM``."""
        loop = model_loop()
        if self._made is None or self._made[0] is not loop:
            connect = _mistral if self._options.provider == "mistral" else _openai
            self._made = (loop, connect(self._server, self._options))
            close_when_dropped(self._made[1], self._made[1].close)
        return self._made[1]


def _server(options: ModelOptions) -> Server:
    from core.models.clients import mistral, openai_like

    usual = mistral.URL if options.provider == "mistral" else openai_like.URL
    url = checked_url(options.url or usual, "CLAUSEGRAPH_EMBEDDING_URL")
    key = checked_key(options.provider, options.key, "CLAUSEGRAPH_EMBEDDING_KEY")
    return Server(f"{options.provider}:{options.model}", url, key)


def _mistral(server: Server, options: ModelOptions) -> _Connected:
    from llama_index.embeddings.mistralai import MistralAIEmbedding  # type: ignore[import-untyped]

    from core.models.clients.mistral import connect, mistral_errors, open_http

    http = open_http(options.timeout_s, options.concurrency)
    inner = MistralAIEmbedding(model_name=options.model, api_key=server.key)
    inner._client = connect(server, http, options.timeout_s)  # the class itself takes no address
    return _connected(inner._aget_text_embeddings, partial(mistral_errors, server), http.aclose, options)


def _openai(server: Server, options: ModelOptions) -> _Connected:
    """The class has retries of its own even when told none, so its client is called."""
    from llama_index.embeddings.openai_like import OpenAILikeEmbedding  # type: ignore[import-untyped]

    from core.models.clients.openai_like import NO_KEY, open_http, openai_errors

    http = open_http(options.timeout_s, options.concurrency)
    inner = OpenAILikeEmbedding(
        model_name=options.model,
        api_base=f"{server.url}/v1",
        api_key=server.key or NO_KEY,
        api_version="",
        max_retries=0,
        timeout=options.timeout_s,
        async_http_client=http,
    )

    async def embed(texts: list[str]) -> list[list[float]]:
        reply = await inner._get_aclient().embeddings.create(input=texts, model=options.model)
        return [item.embedding for item in sorted(reply.data, key=lambda item: item.index)]

    return _connected(embed, partial(openai_errors, server), http.aclose, options)


def _connected(
    embed: Embed,
    errors: Callable[[], AbstractContextManager[None]],
    close: Callable[[], Coroutine[Any, Any, None]],
    options: ModelOptions,
) -> _Connected:
    return _Connected(embed, errors, close, Retrying(options.attempts), Limiting(options.concurrency))
