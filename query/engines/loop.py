"""``loop``: route, retrieve, validate, and comment and route again until accepted; then read.

A LlamaIndex Workflow; its order of rounds is HybGRAG's (Lee et al. 2024). Steps are plain synchronous functions of
``query/steps``, run in a thread of the question's own: steps wait for the model loop, so they must not take the threads
that the loop itself needs (for looking up a server's address). All that is known of a question is in its
``OpenQuestion``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass
from typing import Any

from workflows import Context, Workflow, step
from workflows.events import Event, StartEvent, StopEvent

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.models.loop import start
from clausegraph.core.telemetry.spans import span
from clausegraph.core.types import Answer, TraceStep
from clausegraph.indexes.views import View
from clausegraph.query.engines.protocol import EngineOptions, Watch
from clausegraph.query.engines.rounds import OpenQuestion, check_options, open_question
from clausegraph.query.engines.single_pass import unwatched

NAME = "loop"


@dataclass(frozen=True, slots=True)
class Threaded:
    """An open question, the thread that its steps run in, and whether anybody looks on."""

    question: OpenQuestion
    thread: ThreadPoolExecutor
    watched: bool

    async def done(self, ctx: Context, work: Callable[[], bool]) -> bool:
        """Run a step in the thread and stream what it has to tell, also while it runs.

        All goes through the one stream of events, so that the watch hears it in order, from the models' loop alone.
        """
        before, loop = len(self.question.trace), asyncio.get_running_loop()

        def tell(told: TraceStep) -> None:
            loop.call_soon_threadsafe(ctx.write_event_to_stream, Told(step=told))

        if self.watched and self.question.model is not None:
            self.question.model.watch = tell
        outcome = await loop.run_in_executor(self.thread, copy_context().run, work)
        for told in self.question.trace[before:]:
            ctx.write_event_to_stream(Told(step=told))
        return outcome


class Begun(StartEvent):
    """A question begins."""

    asked: Any  # Threaded


class ToRoute(Event):
    """A round begins."""

    asked: Any


class Looked(Event):
    """Something was looked up."""

    asked: Any


class Turned(Event):
    """What was found was turned down."""

    asked: Any


class ToRead(Event):
    """What was found is to be read."""

    asked: Any


class Told(Event):
    """A step has ended, or tells of a sentence that it reads: what streams while the question is open."""

    step: Any  # TraceStep


class LoopWorkflow(Workflow):
    """The loop as events. It holds nothing: questions may run in it side by side."""

    @step
    async def begin(self, ctx: Context, event: Begun) -> ToRoute:
        """The first round."""
        return ToRoute(asked=event.asked)

    @step
    async def look(self, ctx: Context, event: ToRoute) -> Looked | ToRead:
        """Route and retrieve; read what there is where there is no other route."""
        asked: Threaded = event.asked
        if not await asked.done(ctx, asked.question.route):
            return ToRead(asked=asked)
        await asked.done(ctx, asked.question.retrieve)
        return Looked(asked=asked)

    @step
    async def judge(self, ctx: Context, event: Looked) -> Turned | ToRead:
        """Validate; what is rejected is read all the same where no round is left."""
        asked: Threaded = event.asked
        accepted = await asked.done(ctx, asked.question.validate)
        return ToRead(asked=asked) if accepted or not asked.question.may_go_on else Turned(asked=asked)

    @step
    async def explain(self, ctx: Context, event: Turned) -> ToRoute:
        """Comment."""
        asked: Threaded = event.asked
        await asked.done(ctx, asked.question.comment)
        return ToRoute(asked=asked)

    @step
    async def answer(self, ctx: Context, event: ToRead) -> StopEvent:
        """Read."""
        asked: Threaded = event.asked
        await asked.done(ctx, asked.question.read)
        return StopEvent(result=asked.question)


class Loop:
    """The engine: a workflow per view, a question at a time in each call."""

    def __init__(self, view: View, embedder: Embedder, options: EngineOptions) -> None:
        check_options(view, embedder, options)
        self._view, self._embedder, self._options = view, embedder, options
        self._workflow = LoopWorkflow(timeout=None)

    def ask(self, inquiry: Inquiry, watch: Watch | None = None) -> Answer:
        """The answer at the view's epoch, with a trace of every round.

        Raises:
            QuestionError: there is a date or an assumption.
            ModelError: a step asks a language model, and there is no reply.
        """
        inquiry.require_plain(NAME)
        corpus, epoch = self._view.corpus, self._view.epoch
        with span("ask", corpus=corpus, epoch=epoch, question=inquiry.question, scenario=inquiry.scenario) as asked:
            question = open_question(self._view, self._embedder, self._options, inquiry)
            running = start(self._run(question, watch))
            try:
                running.result()
            except BaseException:
                running.cancel()
                question.stop()
                raise
            answer = question.answer()
            asked.set(status=answer.status.value, alternatives=len(answer.alternatives), rounds=len(question.rounds))
            return answer

    async def _run(self, question: OpenQuestion, watch: Watch | None) -> None:
        tell = watch or unwatched
        thread = ThreadPoolExecutor(1, "clausegraph-question")
        try:
            asked = Threaded(question, thread, watch is not None)
            handler = self._workflow.run(start_event=Begun(asked=asked))
            try:
                async for event in handler.stream_events():
                    if isinstance(event, Told):
                        told: TraceStep = event.step
                        tell(told)
                await handler
            finally:
                if not handler.is_done():  # it was given up, or the watch gave up
                    question.stop()
                    await handler.cancel_run()
        finally:
            thread.shutdown(wait=False)


def make(view: View, embedder: Embedder, options: EngineOptions) -> Loop:
    """The engine on a view.

    Raises:
        InputError: no such step, retriever or reader, or a limit or number of rounds below 1.
        SettingsError: a step asks a language model, and there is none.
    """
    return Loop(view, embedder, options)
