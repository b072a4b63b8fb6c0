"""Work that must not run on the event loop: threads with a bounded queue, waiting for a result, streaming steps."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
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


class Ticket(threading.Event):
    """Work in flight, as the work itself sees it; set when nobody waits for it any more."""

    def check(self) -> None:
        """Called by the work between its steps; ``Abandoned`` ends it where nobody waits for it any more."""
        if self.is_set():
            raise Abandoned


class WorkPool:
    """Threads with a bounded queue. ``held`` is how much runs or waits; what was abandoned counts until its thread is
    free.

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
        self.held = 0

    def start(self, work: Callable[..., T], *values: Any) -> Future[T]:
        """Begin work, or let it wait for a thread; its logs carry the fields of whoever began it.

        Raises:
            Refusal: as much is waiting as may (503, with the seconds to wait).
        """
        with self._lock:
            if self.held >= self.capacity:
                said = f"{self.held} requests are in work or waiting, which is all this server takes; try again"
                raise refusal("Busy", 503, "Busy", said, Retry_After=_RETRY)
            self.held += 1
        try:
            future = self._threads.submit(copy_context().run, work, *values)
        except RuntimeError as error:  # the server ends
            self._release(None)
            raise refusal("Ending", 503, "The server is ending", "ask another one", Retry_After=_RETRY) from error
        future.add_done_callback(self._release)
        return future

    def _release(self, _: object) -> None:
        with self._lock:
            self.held -= 1

    async def run(self, work: Callable[..., T], *values: Any) -> T:
        """The result of short work; errors as of :meth:`start` and of the work."""
        return await asyncio.wrap_future(self.start(work, *values))

    def close(self) -> None:
        """Take no more, and wait for what runs."""
        self._threads.shutdown(wait=True, cancel_futures=True)


async def waited(request: Request | None, pool: WorkPool, seconds: float, work: Callable[[Ticket], T]) -> T:
    """The result of work, unless the client of a request goes away, whoever waits is cancelled, or the time is over:
    then the work ends at its next step, or does not begin.

    Raises:
        Refusal: nobody waits any more, too much is in work (503), or the time is over (504).
    """
    ticket = Ticket()
    result = asyncio.wrap_future(pool.start(_begun, work, ticket))
    try:
        return await _unless_gone(request, result, seconds)
    finally:
        ticket.set()


def _begun(work: Callable[..., T], ticket: Ticket, *values: Any) -> T:
    ticket.check()
    return work(ticket, *values)


async def _unless_gone(request: Request | None, result: asyncio.Future[T], seconds: float) -> T:
    left: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    left = left if request is None else asyncio.ensure_future(_gone(request))
    try:
        await asyncio.wait((result, left), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        if result.done():
            return result.result()
        if left.done():
            raise refusal("ClientGone", 499, "The client went away", "nobody waits for the answer")
        raise _too_late(seconds)
    finally:
        result.cancel()
        left.cancel()


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

    result = asyncio.wrap_future(pool.start(_begun, work, ticket, tell))
    result.add_done_callback(lambda _: events.put_nowait(("end", None)))

    def end() -> None:
        ticket.set()
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
        # until the first event is there nothing was sent, so that only the client's own word tells that it left
        first = await _unless_gone(request, asyncio.ensure_future(_next(events, ends, seconds)), seconds)
        if first[0] == "end":
            result.result()
    except BaseException:
        end()
        raise
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(following(), 200, headers, "text/event-stream")


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
