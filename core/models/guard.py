"""A language model whose every call leads through cache, retry, budget, limit and records.

Calls run on the model loop. ``chat_all`` makes many at once and yields results as they come.
"""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from clausegraph.core.errors import ModelError
from clausegraph.core.hashing import ModelFingerprint
from clausegraph.core.models.calls import Account, CallLabels
from clausegraph.core.models.loop import ModelLoop, model_loop, run_sync
from clausegraph.core.models.replay import Caching, Taping
from clausegraph.core.models.stack import Chat, Middleware, ModelCall, ModelClient

if TYPE_CHECKING:
    from clausegraph.core.models.build import ModelOptions

Layers = tuple[Sequence[Middleware], ModelClient]  # middlewares, outermost first, and the client behind them


class GuardedLLM:
    """A client behind middlewares, made once in a process; calls may come from any thread.

    Raises, from every call:
        ModelUnavailable: all attempts failed.
        ModelRefused: the server refused the request as such.
        BudgetExceeded: the run's limit leaves no room.
    """

    def __init__(self, options: ModelOptions, make: Callable[[], Layers]) -> None:
        self._options, self._make = options, make
        self._made: tuple[ModelLoop, Layers, Chat] | None = None

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
        """What goes through the stack for a chat; ``listen`` as of ``ModelCall``."""
        limited = {"max_tokens": self._options.max_output, **options}
        return ModelCall(tuple(messages), limited, labels, account, listen)

    async def send(self, call: ModelCall) -> ChatResponse:
        """The reply to a call; on the model loop."""
        _, chat = self._connected()
        return await chat(call)

    def chat(self, messages: Sequence[ChatMessage], **options: Any) -> ChatResponse:
        """The reply to a chat."""
        return run_sync(self.send(self.call(messages, options)))

    def forget(self, messages: Sequence[ChatMessage], **options: Any) -> None:
        """Drop the kept reply to this chat: nobody could use it."""
        (middlewares, _), _ = self._connected()
        for layer in middlewares:
            if isinstance(layer, Caching | Taping):
                run_sync(layer.forget(self.call(messages, options)))

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        made, self._made = self._made, None
        if made is not None and made[0] is model_loop():
            run_sync(made[1][1].close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _connected(self) -> tuple[Layers, Chat]:
        """The stack of this process: connections, slots and waiting calls of a parent are not ours after a fork."""
        loop = model_loop()
        if self._made is None or self._made[0] is not loop:
            layers = self._make()
            chat: Chat = layers[1].chat
            for middleware in reversed(layers[0]):
                chat = partial(middleware.chat, proceed=chat)
            self._made = (loop, layers, chat)
        return self._made[1:]


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
    """Make the chats that ``take`` gives, and yield their outcomes as they come.

    ``take`` is called in the caller's thread while there is room for more; none means "not now": it is asked again
    after each outcome, so that a consumer may add calls. The end is when it has none and nothing is in flight. How many
    are really in flight is for the model's limiter to say. Closing the generator, or an interrupt, cancels the rest.
    """
    flight: _Flight[T] = _Flight(llm)
    try:
        while True:
            while flight.size < _AHEAD * at_once and (request := take()) is not None:
                flight.start(request)
            if not flight.size:
                return
            yield flight.landed()
    finally:
        flight.cancel()


class _Flight(Generic[T]):
    """Calls between the caller's thread and the model loop."""

    def __init__(self, llm: GuardedLLM) -> None:
        self._llm = llm
        self._loop = model_loop()
        if self._loop.is_here():
            raise RuntimeError("chat_all was called on the model loop; call it from another thread")
        self._tasks: dict[asyncio.Task[ChatResponse], ChatRequest[T]] = {}  # touched on the loop only
        self._done: queue.SimpleQueue[tuple[ChatRequest[T], ChatResponse | BaseException]] = queue.SimpleQueue()
        self.size = 0

    def start(self, request: ChatRequest[T]) -> None:
        """Hand a request in."""
        self.size += 1
        self._loop.loop.call_soon_threadsafe(self._launch, request)

    def landed(self) -> ChatOutcome[T]:
        """Wait for the next result; an error that is no model's is raised."""
        request, result = self._done.get()
        self.size -= 1
        if isinstance(result, ChatResponse):
            return ChatOutcome(request, result, None)
        if isinstance(result, ModelError):
            return ChatOutcome(request, None, result)
        raise result

    def cancel(self) -> None:
        """Cancel what is in flight and wait until it has settled its accounts, but not for long."""
        if not self.size:
            return
        self._loop.loop.call_soon_threadsafe(self._cancel_all)
        deadline = time.monotonic() + _PATIENCE_S
        while self.size and (left := deadline - time.monotonic()) > 0:
            try:
                self._done.get(timeout=left)
            except queue.Empty:
                return
            self.size -= 1

    def _cancel_all(self) -> None:
        for task in self._tasks:
            task.cancel()

    def _launch(self, request: ChatRequest[T]) -> None:
        task = asyncio.ensure_future(self._send(request))
        self._tasks[task] = request
        task.add_done_callback(self._land)

    async def _send(self, request: ChatRequest[T]) -> ChatResponse:
        return await self._llm.send(self._llm.call(request.messages, dict(request.options), request.labels))

    def _land(self, task: asyncio.Task[ChatResponse]) -> None:
        request = self._tasks.pop(task)
        if task.cancelled():
            self._done.put((request, asyncio.CancelledError()))
        else:
            error = task.exception()
            self._done.put((request, task.result() if error is None else error))
