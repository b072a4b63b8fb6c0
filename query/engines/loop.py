"""``loop``: route, retrieve, validate, and comment and route again until accepted; then read and verify.

A LlamaIndex Workflow; its order of rounds is HybGRAG's (Lee et al. 2024). Steps are plain synchronous functions of
``query/steps``, run in worker threads. All that is known of a question is in its ``OpenQuestion``.
"""

from __future__ import annotations

import asyncio
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


class Begun(StartEvent):
    """A question begins."""

    question: Any  # OpenQuestion


class ToRoute(Event):
    """A round begins."""

    question: Any


class Looked(Event):
    """Something was looked up."""

    question: Any


class Turned(Event):
    """What was found was turned down."""

    question: Any


class ToRead(Event):
    """What was found is to be read."""

    question: Any


class Drafted(Event):
    """There is a draft of an answer."""

    question: Any


class Told(Event):
    """A step has ended: what streams while the question is open."""

    step: Any  # TraceStep


class LoopWorkflow(Workflow):
    """The loop as events. It holds nothing: questions may run in it side by side."""

    @step
    async def begin(self, ctx: Context, event: Begun) -> ToRoute:
        """The first round."""
        return ToRoute(question=event.question)

    @step
    async def look(self, ctx: Context, event: ToRoute) -> Looked | ToRead:
        """Route and retrieve; read what there is where there is no other route."""
        question: OpenQuestion = event.question
        if not await _done(ctx, question, question.route):
            return ToRead(question=question)
        await _done(ctx, question, question.retrieve)
        return Looked(question=question)

    @step
    async def judge(self, ctx: Context, event: Looked) -> Turned | ToRead:
        """Validate; what is rejected is read all the same where no round is left."""
        question: OpenQuestion = event.question
        accepted = await _done(ctx, question, question.validate)
        return ToRead(question=question) if accepted or not question.may_go_on else Turned(question=question)

    @step
    async def explain(self, ctx: Context, event: Turned) -> ToRoute:
        """Comment."""
        await _done(ctx, event.question, event.question.comment)
        return ToRoute(question=event.question)

    @step
    async def draft(self, ctx: Context, event: ToRead) -> Drafted:
        """Read."""
        await _done(ctx, event.question, event.question.read)
        return Drafted(question=event.question)

    @step
    async def settle(self, ctx: Context, event: Drafted) -> StopEvent:
        """Verify, at most once."""
        await _done(ctx, event.question, event.question.verify)
        return StopEvent(result=event.question)


async def _done(ctx: Context, question: OpenQuestion, work: Any) -> bool:
    """Run a step of the question in a thread and stream what it has to tell."""
    before = len(question.trace)
    outcome = await asyncio.to_thread(work)
    for told in question.trace[before:]:
        ctx.write_event_to_stream(Told(step=told))
    return bool(outcome)


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
            running = start(self._run(question, watch or unwatched))
            try:
                running.result()
            except BaseException:
                running.cancel()
                question.stop()
                raise
            answer = question.answer()
            asked.set(status=answer.status.value, alternatives=len(answer.alternatives), rounds=len(question.rounds))
            return answer

    async def _run(self, question: OpenQuestion, watch: Watch) -> None:
        handler = self._workflow.run(start_event=Begun(question=question))
        try:
            async for event in handler.stream_events():
                if isinstance(event, Told):
                    told: TraceStep = event.step
                    watch(told)
            await handler
        except asyncio.CancelledError:
            await handler.cancel_run()
            raise


def make(view: View, embedder: Embedder, options: EngineOptions) -> Loop:
    """The engine on a view.

    Raises:
        InputError: no such step, retriever or reader, or a limit or number of rounds below 1.
        SettingsError: a step asks a language model, and there is none.
    """
    return Loop(view, embedder, options)
