"""Embeddings from a model's server: ``mistral:NAME`` and ``openai:NAME``, behind the same layers as chats."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from clausegraph.core.errors import ModelError, ModelRefused, UnusableReply
from clausegraph.core.models.calls import Budget, CallLabels, ModelCall, ModelOptions, Usage, UsageSink
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.models.failures import Server, checked_key, checked_url, open_http, vectors_limit
from clausegraph.core.models.guard import URLS, ChatRequest, GuardedLLM, chat_all
from clausegraph.core.models.loop import close_when_dropped
from clausegraph.core.models.replies import raw_form, token_count

BATCH = 64  # texts in a request
TASK = "embed"  # in the records of calls
_TOO_LARGE = (400, 413, 422)  # with which servers refuse a batch; each has words of its own for it
Embed = Callable[[list[str]], Awaitable[tuple[list[Any], Any]]]  # vectors, and the usage as the server says it


class ApiEmbedder:
    """An ``Embedder`` behind a server. The dimension is learnt from the first reply.

    Of ``options``, provider, model, url, key, timeout, attempts, concurrency and price count.
    """

    def __init__(self, options: ModelOptions, *, budget: Budget | None = None, usage: UsageSink | None = None) -> None:
        url = checked_url(options.url or URLS[options.provider], "CLAUSEGRAPH_EMBEDDING_URL")
        key = checked_key(options.provider, options.key, "CLAUSEGRAPH_EMBEDDING_KEY")
        self._options, self._server = options, Server(options.name, url, key, "CLAUSEGRAPH_EMBEDDING")
        self._dimension: int | None = None
        self._most = BATCH  # texts in a request, as far as is known
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
        parts = list(self.embed_parts(texts))
        matrix = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for places, vectors in parts:
            matrix[places] = vectors
        return matrix

    def embed_parts(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Vectors]]:
        """Embed passages in batches, halved where the server refuses their size: of each, as it comes, the places of
        its texts and their vectors. After a failure nothing more is sent, but what comes is still given.

        Raises:
            ModelError: the first failure, at the end.
        """
        waiting = deque(range(start, min(start + BATCH, len(texts))) for start in range(0, len(texts), BATCH))
        failure: ModelError | None = None

        def take() -> ChatRequest[range] | None:
            if failure or not waiting:
                return None
            places = waiting.popleft()
            if len(places) > self._most:
                waiting.appendleft(places[self._most :])
            messages = tuple(ChatMessage(content=texts[place]) for place in places[: self._most])
            return ChatRequest(places[: self._most], messages, {"max_tokens": 0}, CallLabels(TASK))

        for outcome in chat_all(self._model, take, max(1, self._options.concurrency // 2)):
            places, error = outcome.request.job, outcome.error
            if outcome.response is not None:
                raw: Any = outcome.response.raw
                yield places, self._of_one_dimension(raw["vectors"])
            elif not (isinstance(error, ModelRefused) and error.status in _TOO_LARGE):
                failure = failure or error
            elif len(places) > 1:
                self._most = min(self._most, len(places) // 2)
                waiting.appendleft(places)
            else:
                was_sent = f"it was sent one text of {len(texts[places[0]]):,} characters"
                failure = failure or ModelRefused(f"{error}; {was_sent}", status=error.status)
        if failure:
            raise failure

    def embed_query(self, question: str) -> Vectors:
        """Embed a question: shape (dimension,), length 1."""
        vector: Vectors = self.embed_texts([question])[0]
        return vector

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        self._model.close()

    def _of_one_dimension(self, found: Vectors) -> Vectors:
        count, dimension = found.shape
        if self._dimension not in (None, dimension):
            raise UnusableReply(
                f"{self._server.model} was sent {count} texts and gave vectors of {dimension} numbers, where those "
                f"before have {self._dimension}"
            )
        self._dimension = dimension
        return found


@dataclass(frozen=True)
class _Client:
    """A server's client, as the layers take one: the texts are a call's messages, the vectors are in the reply."""

    model: str
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
            vectors = _matrix(self.model, found, len(call.messages))
        count = token_count(getattr(used, "prompt_tokens", None))
        raw, _ = raw_form(Usage(count, 0) if count else Usage(), None)
        return ChatResponse(message=ChatMessage(), raw=raw | {"vectors": vectors})

    async def close(self) -> None:
        await self.close_http()


def _matrix(model: str, found: list[Any], wanted: int) -> Vectors:
    """The vectors of a reply, scaled to length 1: shape (wanted, dimension).

    Raises:
        UnusableReply: they are none; it says what was sent and what came.
    """

    def unusable(came: str) -> UnusableReply:
        return UnusableReply(f"{model} was sent {wanted} texts and gave {came}")

    lists = [one for one in found if isinstance(one, list)]
    if len(found) != wanted:
        raise unusable(f"{len(found)} vectors")
    if len(lists) != wanted:
        raise unusable(f"{wanted - len(lists)} nulls among as many vectors")
    widths = sorted({len(one) for one in lists})
    if len(widths) != 1 or not widths[0]:
        raise unusable(f"vectors of {' and '.join(map(str, widths[:3]))} numbers")
    matrix = np.array(lists, dtype=np.float64)  # a null in one becomes NaN
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    if odd := int((~np.isfinite(lengths)).sum()):
        raise unusable(f"as many vectors, {odd} with numbers that are null, NaN, infinite or too large")
    if zero := int((lengths == 0).sum()):
        raise unusable(f"as many vectors, {zero} of zeros, which point nowhere")
    scaled: Vectors = (matrix / lengths).astype(np.float32)
    return scaled


def _in_order(items: Sequence[Any]) -> list[Any]:
    """The vectors of a reply by their numbers; as they came where all have the same or none."""
    numbers = [item.index or 0 for item in items]
    if any(numbers) and sorted(numbers) != list(range(len(items))):
        raise ValueError(f"its {len(items)} vectors are numbered {str(numbers)[:80]}")
    return [item.embedding for _, item in sorted(zip(numbers, items, strict=True), key=lambda pair: pair[0])]


def _mistral(server: Server, options: ModelOptions) -> _Client:
    """LlamaIndex's class takes no address and keeps the usage to itself, so the driver is called."""
    import httpx2

    from clausegraph.core.models.mistral import connect, mistral_errors

    http = open_http(httpx2, server, options.timeout_s, options.concurrency, vectors_limit(BATCH))
    driver = connect(server, http, options.timeout_s)

    async def embed(texts: list[str]) -> tuple[list[Any], Any]:
        reply = await driver.embeddings.create_async(model=options.model, inputs=texts)
        return _in_order(reply.data), reply.usage

    return _Client(server.model, embed, partial(mistral_errors, server), options.timeout_s, http.aclose)


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

    async def embed(texts: list[str]) -> tuple[list[Any], Any]:
        reply = await inner._get_aclient().embeddings.create(input=texts, model=options.model)
        return _in_order(reply.data), reply.usage

    return _Client(server.model, embed, partial(openai_errors, server), options.timeout_s, http.aclose)
