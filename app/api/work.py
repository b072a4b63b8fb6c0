"""Work that must not run on the event loop: threads with a bounded queue, waiting for a result, streaming steps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable, Coroutine
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import StreamingResponse

from clausegraph.app.api.problems import as_json, problem_of, refusal, request_id
from clausegraph.app.services.answers import ShownStep

T = TypeVar("T")
Tell = Callable[[ShownStep], None]  # of a step that has ended; called on any thread
Write = Callable[[str, Any], str]  # an event of a kind with its value, as the stream has it
_BEAT = 15.0  # seconds after which a silent stream says that it is alive, so that a client that is gone is noticed
_RETRY = "2"  # seconds


class Abandoned(Exception):
    """Nobody waits for the work any more: it ends at its next step."""


class Ticket:
    """Work in flight, as the work itself sees it."""

    def __init__(self) -> None:
        self._gone = threading.Event()

    def abandon(self) -> None:
        """Nobody waits for it any more."""
        self._gone.set()

    def check(self) -> None:
        """Called by the work between its steps.

        Raises:
            Abandoned: nobody waits for it any more.
        """
        if self._gone.is_set():
            raise Abandoned


class WorkPool:
    """Threads with a bounded queue.

    Args:
        name: of the work, for messages and metrics.
        workers: threads.
        queue: how much may wait for one.
    """

    def __init__(self, name: str, workers: int, queue: int) -> None:
        self.name = name
        self.capacity = workers + queue
        self._threads = ThreadPoolExecutor(workers, f"clausegraph-{name}")
        self._lock = threading.Lock()
        self._held = 0

    @property
    def held(self) -> int:
        """How much is running or waiting; what was abandoned counts until its thread is free."""
        return self._held

    def start(self, work: Callable[..., T], *values: Any) -> Future[T]:
        """Begin work, or let it wait for a thread; its logs carry the fields of whoever began it.

        Raises:
            Refusal: as much is waiting as may (503, with the seconds to wait).
        """
        with self._lock:
            if self._held >= self.capacity:
                said = f"{self._held} requests are in work or waiting, which is all this server takes; try again"
                raise refusal("Busy", 503, "Busy", said, Retry_After=_RETRY)
            self._held += 1
        try:
            future = self._threads.submit(copy_context().run, work, *values)
        except RuntimeError as error:  # the server ends
            self._release(None)
            raise refusal("Ending", 503, "The server is ending", "ask another one", Retry_After=_RETRY) from error
        future.add_done_callback(self._release)
        return future

    def _release(self, _: object) -> None:
        with self._lock:
            self._held -= 1

    async def run(self, work: Callable[..., T], *values: Any) -> T:
        """The result of short work; errors as of :meth:`start` and of the work."""
        return await asyncio.wrap_future(self.start(work, *values))

    def close(self) -> None:
        """Take no more, and wait for what runs."""
        self._threads.shutdown(wait=True, cancel_futures=True)


async def waited(request: Request, pool: WorkPool, seconds: float, work: Callable[[Ticket], T]) -> T:
    """The result of work, unless the client goes away or the time is over: then the work ends at its next step.

    Raises:
        Refusal: nobody waits any more, too much is in work (503), or the time is over (504).
    """
    return await in_time(pool, seconds, work, _gone(request))


async def in_time(
    pool: WorkPool, seconds: float, work: Callable[[Ticket], T], gone: Coroutine[Any, Any, None] | None = None
) -> T:
    """The result of work as of :func:`waited`; ``gone`` ends when nobody waits any more, as does being cancelled."""
    ticket = Ticket()
    waiting = asyncio.ensure_future(gone) if gone is not None else asyncio.get_running_loop().create_future()
    try:
        result = asyncio.wrap_future(pool.start(work, ticket))
        try:
            await asyncio.wait((result, waiting), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if result.done():
                return result.result()
            raise _client_gone() if waiting.done() else _too_late(seconds)
        finally:
            ticket.abandon()
            result.cancel()
    finally:
        waiting.cancel()


def json_event(kind: str, value: Any, name: str = "") -> str:
    """An event whose data is JSON on one line; ``name`` is its id, if it has one."""
    return f"event: {kind}\n" + (f"id: {name}\n" if name else "") + f"data: {as_json(value)}\n\n"


async def streamed(
    request: Request, pool: WorkPool, seconds: float, work: Callable[[Ticket, Tell], Any], write: Write = json_event
) -> StreamingResponse:
    """Server-sent events: ``step`` for each step, then ``answer`` or ``problem``.

    What goes wrong before the first step is raised, so that it has a status of its own.

    Raises:
        Refusal: too much is in work (503), or before the first step the time is over (504) or the client went away.
    """
    events: asyncio.Queue[tuple[str, Any]] = asyncio.Queue()
    loop, ticket = asyncio.get_running_loop(), Ticket()
    ends = loop.time() + seconds

    def tell(step: ShownStep) -> None:
        ticket.check()
        loop.call_soon_threadsafe(events.put_nowait, ("step", step))

    result = asyncio.wrap_future(pool.start(work, ticket, tell))
    result.add_done_callback(lambda _: events.put_nowait(("end", None)))

    def end() -> None:
        ticket.abandon()
        result.cancel()

    async def following() -> AsyncIterator[str]:
        kind, value = first
        try:
            while kind != "end":
                yield write(kind, value) if kind == "step" else ": at work\n\n"
                kind, value = await _next(events, ends, seconds)
            yield write("answer", result.result())
        except Exception as error:  # noqa: BLE001 - the status is out; the stream says what happened
            document = problem_of(error).document(request_id(request))
            yield write("problem", document)
        finally:
            end()

    try:
        first = await _first(events, ends, seconds, _gone(request))
        if first[0] == "end":
            result.result()
    except BaseException:
        end()
        raise
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(following(), 200, headers, "text/event-stream")


async def _first(
    events: asyncio.Queue[tuple[str, Any]], ends: float, seconds: float, gone: Coroutine[Any, Any, None]
) -> tuple[str, Any]:
    """The first event; until it is there nothing was sent, so that only the client's own word tells that it left."""
    event, left = asyncio.ensure_future(_next(events, ends, seconds)), asyncio.ensure_future(gone)
    try:
        await asyncio.wait((event, left), return_when=asyncio.FIRST_COMPLETED)
        if event.done():
            return event.result()
        raise _client_gone()
    finally:
        event.cancel()
        left.cancel()


async def _next(events: asyncio.Queue[tuple[str, Any]], ends: float, seconds: float) -> tuple[str, Any]:
    left = ends - asyncio.get_running_loop().time()
    try:
        return await asyncio.wait_for(events.get(), min(max(left, 0), _BEAT))
    except TimeoutError:
        if left <= _BEAT:
            raise _too_late(seconds) from None
        return "beat", None


async def _gone(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


def _too_late(seconds: float) -> Exception:
    said = f"there was no answer within {seconds:g} seconds (the setting serve_seconds)"
    return refusal("NoAnswerInTime", 504, "No answer in time", said)


def _client_gone() -> Exception:
    return refusal("ClientGone", 499, "The client went away", "nobody waits for the answer")
