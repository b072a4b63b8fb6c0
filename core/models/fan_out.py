"""Many calls at once, results as they come."""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from llama_index.core.base.llms.types import ChatMessage, ChatResponse

from clausegraph.core.errors import ModelError
from clausegraph.core.models.calls import CallLabels
from clausegraph.core.models.guard import GuardedLLM
from clausegraph.core.models.loop import model_loop
from clausegraph.core.models.replies import finish_reason, usage_of

__all__ = ["ChatOutcome", "ChatRequest", "chat_all", "finish_reason", "usage_of"]

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
        self._cancelled = False
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
        self._cancelled = True
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
