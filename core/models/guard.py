"""A language model whose every call leads through cassette, cache, retry, budget, limit and records.

Calls run on the model loop. ``chat_all`` makes many at once and yields results as they come. The servers' own libraries
are imported where a model of theirs is made, and not before.
"""

from __future__ import annotations

import asyncio
import logging
import queue
import random
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import AsyncExitStack, contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, Generic, Self, TypeVar
from weakref import WeakValueDictionary

from llama_index.core.base.llms.types import ChatMessage, ChatResponse
from llama_index.core.llms.llm import LLM

from clausegraph.core.errors import ModelCallError, ModelError, ModelUnavailable, NotConnected, UnusableReply
from clausegraph.core.hashing import ModelFingerprint
from clausegraph.core.models.attempts import LONGEST_WAIT_S, CallResult, Limiter, Tariff, WaitingBudget, on_account
from clausegraph.core.models.calls import (
    Account,
    Budget,
    CallLabels,
    CallRecord,
    ModelCall,
    ModelClient,
    ModelOptions,
    ResponseCache,
    Usage,
    UsageSink,
)
from clausegraph.core.models.driver import given_client
from clausegraph.core.models.failures import Server, checked_key, checked_url
from clausegraph.core.models.loop import ModelLoop, in_worker, model_loop, run_sync
from clausegraph.core.models.replay import Cassette, ReplayClient
from clausegraph.core.models.replies import decode_reply, encode_reply, reply_key, usage_of
from clausegraph.core.telemetry.spans import span

URLS = {"mistral": "https://api.mistral.ai", "openai": "https://api.openai.com"}
BASE_S = 0.5  # of the pause before a second attempt
CAP_S = 30.0
_CACHE_WORKER, _CASSETTE_WORKER = "cache", "cassette"
_log = logging.getLogger(__name__)


class GuardedLLM:
    """A client with all that surrounds its calls, which may come from any thread.

    Args:
        connect: makes the client; once in a process.

    Raises, from every call:
        ModelUnavailable: all attempts failed.
        ModelRefused: the server refused the request as such.
        BudgetExceeded: the run's limit leaves no room.
    """

    def __init__(
        self,
        options: ModelOptions,
        connect: Callable[[], ModelClient],
        *,
        cache: ResponseCache | None = None,
        budget: Budget | None = None,
        usage: UsageSink | None = None,
        cassette: Cassette | None = None,
    ) -> None:
        self._options, self._connect = options, connect
        self._cache, self._budget, self._usage, self._tape = cache, budget, usage, cassette
        self._tariff = Tariff(options.price, options.max_output)
        self._made: tuple[ModelLoop, _Connection] | None = None

    @property
    def fingerprint(self) -> ModelFingerprint:
        """Everything that shapes a reply but the prompt. Equal fingerprints share cached replies."""
        made = self._options
        return ModelFingerprint(made.name, made.temperature, made.max_output, made.json_mode)

    def json_options(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Options of a chat whose reply must be JSON of this schema, as far as the server can be told."""
        if self._options.json_mode == "none":
            return {}
        if self._options.json_mode == "object":
            return {"response_format": {"type": "json_object"}}
        described = {"name": name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": described}}

    def call(
        self,
        messages: Sequence[ChatMessage],
        options: dict[str, Any],
        labels: CallLabels = CallLabels(),
        account: Account | None = None,
        listen: Callable[[str], None] | None = None,
    ) -> ModelCall:
        """What is to be sent for a chat; ``listen`` as of ``ModelCall``."""
        limited = {"max_tokens": self._options.max_output, **options}
        return ModelCall(tuple(messages), limited, labels, account, listen)

    def chat(self, messages: Sequence[ChatMessage], **options: Any) -> ChatResponse:
        """The reply to a chat."""
        return run_sync(self.send(self.call(messages, options)))

    async def send(self, call: ModelCall) -> ChatResponse:
        """The reply to a call; on the model loop.

        A cassette that is recorded has the first word: replies that it has already count as cached, and of equal chats
        in flight one is sent, so that what follows from its reply is what a replay asks.
        """
        made, tape = self._connected(), self._tape
        if tape is None:
            return await self._cached(made, call)
        if not tape.record:
            return await self._attempt(made, call)
        key, prompt = self._key(call), call.labels.prompt
        async with made.recording.setdefault(key, asyncio.Lock()):
            value = tape.for_model(str(self.fingerprint)).find(key)
            if value is not None:
                return self._kept_reply(call, value, 0.0)
            try:
                response = await self._cached(made, call)
            except ModelCallError as error:
                await in_worker(_CASSETTE_WORKER, tape.keep_failure, key, prompt, error)
                raise
            await in_worker(_CASSETTE_WORKER, tape.keep, key, prompt, encode_reply(response))
            return response

    async def _cached(self, made: _Connection, call: ModelCall) -> ChatResponse:
        """The stored reply, or a new one, which is stored."""
        if self._cache is None:
            return await self._retried(made, call)
        key, started = self._key(call), time.perf_counter()
        value = await in_worker(_CACHE_WORKER, self._cache.get, key)
        if value is not None:
            try:
                return self._kept_reply(call, value, time.perf_counter() - started)
            except ValueError:
                _log.warning("a stored reply cannot be read; asking again")
        response = await self._retried(made, call)
        await in_worker(_CACHE_WORKER, self._cache.put, key, encode_reply(response))
        return response

    async def _retried(self, made: _Connection, call: ModelCall) -> ChatResponse:
        """Attempts until there is a reply: a reply that is none (a proxy's page) passes like an outage.

        Full jitter: a random share of an exponential delay, so that clients that failed together do not return
        together. See M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015.
        """
        for number in count(1):
            try:
                return await self._attempt(made, call)
            except (ModelUnavailable, UnusableReply) as error:
                asked = error.retry_after if isinstance(error, ModelUnavailable) else None
                if number >= self._options.attempts or (asked or 0.0) > LONGEST_WAIT_S:
                    raise
                pause = random.uniform(0, min(CAP_S, BASE_S * 2 ** (number - 1))) if asked is None else asked
                most = self._options.attempts
                _log.info("attempt %d of %d failed, next in %.1f s: %s", number, most, pause, error)
            await asyncio.sleep(pause)
        raise AssertionError

    async def _attempt(self, made: _Connection, call: ModelCall) -> ChatResponse:
        """One reply; what does not fit into the account or the budget is not sent."""
        bound, result = self._tariff.bound(call), CallResult()
        async with AsyncExitStack() as stack:
            if call.account is not None:
                stack.enter_context(on_account(call.account, bound, result))
            if made.budget is not None:
                await stack.enter_async_context(made.budget.reserved(bound, result))
            await stack.enter_async_context(made.limiter.place())
            with self._recorded(call, result):
                result.response = await made.client.chat(call)
            return result.response

    @contextmanager
    def _recorded(self, call: ModelCall, result: CallResult) -> Iterator[None]:
        """Price, record and trace what is sent. Outcome "ok", "cancelled" (given up half-way) or the error's name."""
        name, labels, error = self._options.name, call.labels, None
        started, at = time.perf_counter(), time.time()
        traced = span("model.call", model=name, task=labels.task, prompt=labels.prompt, pages=labels.pages).start()
        try:
            yield
        except BaseException as caught:
            error = caught
            raise
        finally:
            result.cost = self._tariff.cost(call, result.response, error)
            used = usage_of(result.response) if result.response is not None else Usage()
            money = result.cost.money
            failed = type(error).__name__ if isinstance(error, ModelCallError) else "cancelled"
            outcome = "ok" if error is None else failed
            traced.set(outcome=outcome, prompt_tokens=used.prompt_tokens, output_tokens=used.output_tokens, money=money)
            traced.end(error)
            if not isinstance(error, NotConnected):
                seconds = time.perf_counter() - started
                self._record(call, CallRecord(labels, name, outcome, used, money, seconds, at))

    def _kept_reply(self, call: ModelCall, value: bytes, seconds: float) -> ChatResponse:
        """A stored reply, which is recorded as such; a ``ValueError`` where it is none."""
        found = decode_reply(value)
        used, name = usage_of(found), self._options.name
        saved = self._tariff.of(used).money
        self._record(call, CallRecord(call.labels, name, "cached", used, 0.0, seconds, time.time(), saved))
        return found

    def _record(self, call: ModelCall, record: CallRecord) -> None:
        for sink in (self._usage, call.account):
            if sink is not None:
                sink.record(record)

    def _key(self, call: ModelCall) -> str:
        return reply_key(str(self.fingerprint), call)

    def forget(self, messages: Sequence[ChatMessage], **options: Any) -> None:
        """Drop the kept reply to this chat: nobody could use it. A run that is replayed still gets it."""
        key = self._key(self.call(messages, options))
        if self._cache is not None:
            run_sync(in_worker(_CACHE_WORKER, self._cache.forget, key))
        if self._tape is not None and self._tape.record:
            run_sync(in_worker(_CASSETTE_WORKER, self._tape.forget, key))

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        made, self._made = self._made, None
        if made is not None and made[0] is model_loop():
            run_sync(made[1].client.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connected(self) -> _Connection:
        """That of this process: connections, places and waiting calls of a parent are not ours after a fork."""
        loop = model_loop()
        if self._made is None or self._made[0] is not loop:
            replays = self._tape is not None and not self._tape.record
            made = _Connection(
                ReplayClient(self._tape, str(self.fingerprint)) if self._tape and replays else self._connect(),
                None if self._budget is None or replays else WaitingBudget(self._budget),
                Limiter(self._options.concurrency),
                WeakValueDictionary(),
            )
            self._made = (loop, made)
        return self._made[1]


@dataclass(frozen=True)
class _Connection:
    """What a model has in one process: its client, and who waits for it."""

    client: ModelClient
    budget: WaitingBudget | None
    limiter: Limiter
    recording: WeakValueDictionary[str, asyncio.Lock]  # by key of the calls that are recorded now


def make_llm(
    options: ModelOptions,
    *,
    cache: ResponseCache | None = None,
    budget: Budget | None = None,
    usage: UsageSink | None = None,
    cassette: Cassette | None = None,
) -> GuardedLLM:
    """The model of a server behind its guard.

    Args:
        cassette: answers in place of the server, or records what is answered. Replaying needs neither key nor network;
            replies are counted as they were when they were new.
    """
    replays = cassette is not None and not cassette.record
    key = checked_key(options.provider, options.key or ("replayed" if replays else None), "CLAUSEGRAPH_LLM_KEY")
    server = Server(options.name, checked_url(options.url or URLS[options.provider], "CLAUSEGRAPH_LLM_URL"), key)
    if options.provider == "mistral":
        from clausegraph.core.models.mistral import mistral_client as client
    else:
        from clausegraph.core.models.openai_like import openai_client as client
    return GuardedLLM(
        options, lambda: client(server, options), cache=cache, budget=budget, usage=usage, cassette=cassette
    )


def guard(llm: LLM, *, attempts: int = 6, budget: Budget | None = None, usage: UsageSink | None = None) -> GuardedLLM:
    """A guard around a LlamaIndex model that is made already."""
    known = llm.metadata
    options = ModelOptions(
        llm.class_name(),
        known.model_name,
        temperature=float(getattr(llm, "temperature", 0.0) or 0.0),
        max_output=known.num_output if known.num_output > 0 else known.context_window,
        context_window=known.context_window,
        attempts=attempts,
        json_mode="none",
    )
    connect = lambda: given_client(llm, options.name, options.timeout_s)  # noqa: E731
    return GuardedLLM(options, connect, budget=budget, usage=usage)


T = TypeVar("T")

_AHEAD = 2  # calls handed in per call in flight: the limiter has the next one while the caller handles a reply
_PATIENCE_S = 1.0  # how long what was cancelled may take to settle


@dataclass(frozen=True)
class ChatRequest(Generic[T]):
    """A chat to be made for ``job``, whatever that is."""

    job: T
    messages: tuple[ChatMessage, ...]
    options: Mapping[str, Any]
    labels: CallLabels


@dataclass(frozen=True)
class ChatOutcome(Generic[T]):
    """What came of a request: a response, or the error why there is none."""

    request: ChatRequest[T]
    response: ChatResponse | None
    error: ModelError | None


def chat_all(
    llm: GuardedLLM, take: Callable[[], ChatRequest[T] | None], at_once: int
) -> Generator[ChatOutcome[T], None, None]:
    """Make the chats that ``take`` gives, and yield their outcomes as they come; an error that is no model's is raised.

    ``take`` is called in the caller's thread while there is room for more; none means "not now": it is asked again
    after each outcome, so that a consumer may add calls. The end is when it has none and nothing is in flight. How many
    are really in flight is for the model's limiter to say. Closing the generator, or an interrupt, cancels the rest and
    waits until it has settled its accounts, but not for long.
    """
    home = model_loop()
    if home.is_here():
        raise RuntimeError("chat_all was called on the model loop; call it from another thread")
    landed: queue.SimpleQueue[tuple[asyncio.Task[ChatResponse], BaseException | None]] = queue.SimpleQueue()
    flight: dict[asyncio.Task[ChatResponse], ChatRequest[T]] = {}  # changed on the loop until a task has landed
    size = 0

    def launch(request: ChatRequest[T]) -> None:
        call = llm.call(request.messages, dict(request.options), request.labels)
        task = asyncio.ensure_future(llm.send(call))
        flight[task] = request
        task.add_done_callback(
            lambda done: landed.put((done, asyncio.CancelledError() if done.cancelled() else done.exception()))
        )

    def cancel() -> None:
        for task in flight:
            task.cancel()

    try:
        while True:
            while size < _AHEAD * at_once and (request := take()) is not None:
                home.loop.call_soon_threadsafe(launch, request)
                size += 1
            if not size:
                return
            task, error = landed.get()
            size -= 1
            request = flight.pop(task)
            if error is not None and not isinstance(error, ModelError):
                raise error
            yield ChatOutcome(request, None if error else task.result(), error)
    finally:
        deadline = time.monotonic() + _PATIENCE_S
        if size:
            home.loop.call_soon_threadsafe(cancel)
        while size and (left := deadline - time.monotonic()) > 0:
            try:
                landed.get(timeout=left)
            except queue.Empty:
                break
            size -= 1
