"""The feedback loop that engines share: look, judge, and mend until accepted; then conclude (the order of HybGRAG).

It is a LlamaIndex Workflow. The steps of a question are plain synchronous methods, run in a thread of the question's
own: they wait for the model loop, so they must not take the threads that the loop itself needs (for looking up a
server's address). All that is known of a question is in the question.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from typing import Any, Protocol

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from clausegraph.core.models.loop import start
from clausegraph.core.types import TraceStep
from clausegraph.query.engines.answers import Trace
from clausegraph.query.engines.bank import Watch
from clausegraph.query.steps.model import StepModel


class RoundsQuestion(Protocol):
    """A question that is answered in rounds. Each method is a step, which notes in the trace what it did."""

    trace: Trace
    model: StepModel | None

    def look(self) -> bool:
        """Begin a round; false where there is nothing else to try."""

    def is_accepted(self) -> bool:
        """Whether what was found stands."""

    def mend(self) -> bool:
        """Say what was wrong, for the next round; false where there is none."""

    def conclude(self) -> None:
        """Take what was accepted, or the best of what was not."""


class QuestionBegins(StartEvent):
    """A question begins; its steps run in the thread, and ``watched`` says whether anybody looks on."""

    question: Any  # RoundsQuestion
    thread: Any  # ThreadPoolExecutor
    watched: bool


class StepTold(Event):
    """A step has ended, or tells of a sentence that it reads: what streams while the question is open."""

    step: Any  # TraceStep


class FeedbackLoop(Workflow):
    """It holds nothing: questions may run in it side by side."""

    @step
    async def answer(self, ctx: Context, event: QuestionBegins) -> StopEvent:
        """Round after round, then the conclusion. What a step tells streams as events while it runs."""
        question, loop = event.question, asyncio.get_running_loop()

        def tell(told: TraceStep) -> None:
            loop.call_soon_threadsafe(ctx.write_event_to_stream, StepTold(step=told))

        async def run(work: Callable[[], Any]) -> Any:
            return await loop.run_in_executor(event.thread, copy_context().run, work)

        if event.watched:
            question.trace.watch = tell
            if question.model is not None:
                question.model.watch = tell
        while await run(question.look) and not await run(question.is_accepted) and await run(question.mend):
            pass
        await run(question.conclude)
        return StopEvent()


def run_rounds(question: RoundsQuestion, watch: Watch | None = None) -> None:
    """Run a question to its end, or raise what a step raises. The watch hears what it tells in order, from the models'
    loop alone."""
    running = start(_run(question, watch))
    try:
        running.result()
    except BaseException:
        running.cancel()
        _stop(question)
        raise


async def _run(question: RoundsQuestion, watch: Watch | None) -> None:
    thread = ThreadPoolExecutor(1, "clausegraph-question")
    try:
        begins = QuestionBegins(question=question, thread=thread, watched=watch is not None)
        handler = FeedbackLoop(timeout=None).run(start_event=begins)
        try:
            async for event in handler.stream_events():
                if isinstance(event, StepTold) and watch is not None:
                    watch(event.step)
            await handler
        finally:
            if not handler.is_done():  # it was given up, or the watch gave up
                _stop(question)
                await handler.cancel_run()
    finally:
        thread.shutdown(wait=False)


def _stop(question: RoundsQuestion) -> None:
    """Nobody waits any more: no further call of a model."""
    if question.model is not None:
        question.model.stop()
