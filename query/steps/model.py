"""The one place where a step asks a language model: render, send on the question's account, parse."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from clausegraph.core.errors import BudgetExceeded, PromptError, UnusableReply
from clausegraph.core.models.calls import CallLabels, CallRecord, Reservation
from clausegraph.core.models.json_text import without_surrogates
from clausegraph.core.prompts import Prompt, PromptLibrary
from clausegraph.core.types import TraceStep

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse

    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.models.calls import ModelCall
    from clausegraph.core.models.guard import GuardedLLM


MOST_CALLS = 14


@dataclass(frozen=True, slots=True)
class QuestionLimits:
    """What a question may use at most; none means no limit of its own. Money as in ``llm_prices``."""

    calls: int = MOST_CALLS
    tokens: int | None = None
    money: float | None = None


@dataclass(frozen=True, slots=True)
class QuestionUsage:
    """What a question used; ``tasks`` has the calls by prompt's task.

    ``cached`` calls cost no ``money``: they would have cost what is ``saved``.
    """

    calls: int = 0
    cached: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    money: float = 0.0
    saved: float = 0.0
    seconds: float = 0.0
    tasks: Mapping[str, int] = field(default_factory=dict)


class QuestionMeter:
    """An ``Account`` for one question: made for it, and gone with it. Threads may share it."""

    def __init__(self, limits: QuestionLimits = QuestionLimits()) -> None:
        self._limits = limits
        self._lock = threading.Lock()
        self._tasks: Counter[str] = Counter()
        self._tokens, self._money = 0, 0.0  # used or set aside
        self._records: list[CallRecord] = []

    @property
    def calls_left(self) -> int:
        """Calls that may still be made, whatever the tokens say."""
        with self._lock:
            return self._limits.calls - self._tasks.total()

    def begin(self, task: str) -> None:
        """Count a call, before it is sent."""
        with self._lock:
            if self._tasks.total() >= self._limits.calls:
                raise BudgetExceeded(
                    f"the question has made its {self._limits.calls} calls of a model; that for {task!r} was not made"
                )
            self._tasks[task] += 1

    def reserve(self, tokens: int, money: float) -> Reservation:
        """Set aside what an attempt may use at most."""
        with self._lock:
            for name, wanted, used, limit in (
                ("tokens", tokens, self._tokens, self._limits.tokens),
                ("money", money, self._money, self._limits.money),
            ):
                if limit is not None and used + wanted > limit:
                    raise BudgetExceeded(
                        f"the question may use {limit:g} of {name} and has used {used:g}; a call that may need "
                        f"{wanted:g} was not sent"
                    )
            self._tokens, self._money = self._tokens + tokens, self._money + money
        return Reservation(tokens, money)

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        """Replace a reservation by what was used."""
        with self._lock:
            self._tokens += tokens - reservation.tokens
            self._money += money - reservation.money

    def record(self, record: CallRecord) -> None:
        """Keep the record of an attempt or of a cached reply."""
        with self._lock:
            self._records.append(record)

    def usage(self) -> QuestionUsage:
        """What was used until now; tokens as far as servers counted them."""
        with self._lock:
            return QuestionUsage(
                calls=self._tasks.total(),
                cached=sum(record.outcome == "cached" for record in self._records),
                prompt_tokens=sum(record.usage.prompt_tokens or 0 for record in self._records),
                output_tokens=sum(record.usage.output_tokens or 0 for record in self._records),
                money=sum(record.money for record in self._records),
                saved=sum(record.saved for record in self._records),
                seconds=sum(record.seconds for record in self._records),
                tasks=dict(self._tasks),
            )


T = TypeVar("T")
Schema = tuple[str, dict[str, Any]]  # name and JSON schema of a reply
StepWatch = Callable[[TraceStep], None]  # an engine's ``Watch``


@dataclass(frozen=True, slots=True)
class Said(Generic[T]):
    """What a reply says, as it was parsed and as it was written, and the chat up to it (for a next turn)."""

    value: T
    text: str
    chat: tuple[ChatMessage, ...]


def inputs_of(inquiry: Inquiry, **more: object) -> dict[str, object]:
    """Inputs of a prompt: the question, its scenario ("none" without one), and more."""
    return {"question": inquiry.question, "scenario": inquiry.scenario or "none"} | more


@dataclass(frozen=True, slots=True)
class ModelSteps:
    """A model and the prompts to ask it with: what all questions share. Nothing of a question is kept here."""

    llm: GuardedLLM
    prompts: PromptLibrary

    def question(self, meter: QuestionMeter, watch: StepWatch | None = None) -> StepModel:
        """The model as the steps of one question ask it; ``watch`` as of ``StepModel``."""
        return StepModel(self, meter, watch)

    def prompt(self, name: str) -> Prompt:
        """The prompt ``task`` (its newest version) or ``task.vN``; errors as of ``PromptLibrary.get``."""
        return self.prompts.get(name)


class StepModel:
    """Asks on behalf of one question.

    ``watch``, where an engine sets it, is who looks on while the question is open: steps may tell it what a reply says
    so far. Steps call it on the thread that they run in.
    """

    def __init__(self, steps: ModelSteps, meter: QuestionMeter, watch: StepWatch | None = None) -> None:
        self.meter = meter
        self.watch = watch
        self._steps = steps
        self._lock = threading.Lock()
        self._in_flight: set[Future[ChatResponse]] = set()
        self._stopped = False

    @property
    def name(self) -> str:
        """``provider:model``."""
        return self._steps.llm.fingerprint.model

    def prompt(self, name: str) -> Prompt:
        """The prompt of that name; errors as of ``PromptLibrary.get``."""
        return self._steps.prompt(name)

    def ask(
        self,
        prompt: str,
        inputs: Mapping[str, object],
        parse: Callable[[str], T],
        *,
        schema: Schema | None = None,
        pages: Sequence[str] = (),
        before: Sequence[ChatMessage] = (),
        temperature: float | None = None,
        listen: Callable[[str], None] | None = None,
    ) -> Said[T]:
        """One call.

        Args:
            prompt: name of a prompt; it gets those of the inputs that it declares.
            parse: pure; raises ``UnusableReply`` for what cannot be read, which is then dropped from the cache.
            schema: of a JSON reply, as far as the server can be told.
            before: the chat that this call goes on with.
            temperature: of this call; none means the settings'. For samples, whose prompts must differ to be several.
            listen: gets the text of the reply so far, on the thread that asks, each time more has come, and at the end
                the whole text. A stored reply comes in one piece. After an attempt that failed half-way the text begins
                anew, shorter. Pieces that come while it is at work are put together. What it raises ends the call.
                The reply is streamed for it; key in the cache, budget, retries, time-out and errors stay the same.

        Raises:
            BudgetExceeded: the question, or the run, has no room for the call; nothing was sent.
            ModelCallError: there is no reply, or ``parse`` refused it.
            PromptError, NotFoundError: the prompt cannot be used.
        """
        from llama_index.core.base.llms.types import ChatMessage

        found = self._steps.prompt(prompt)
        rendered = found.render(**_declared(found, inputs))
        messages = (*before, *(ChatMessage(role=message.role, content=message.content) for message in rendered))
        llm = self._steps.llm
        options = llm.json_options(*schema) if schema else {}
        options |= {} if temperature is None else {"temperature": temperature}
        self.meter.begin(found.task)
        labels = CallLabels(found.task, found.id, tuple(pages))
        text = self._reply(llm, messages, options, labels, listen)
        try:
            value = parse(text)
        except UnusableReply:
            llm.forget(messages, **options)
            raise
        return Said(value, text, (*messages, ChatMessage(role="assistant", content=text)))

    def stop(self) -> None:
        """Cancel the call in flight; no further one is made. For a question that nobody waits for any more."""
        with self._lock:
            self._stopped = True
            for future in self._in_flight:
                future.cancel()

    def _reply(
        self,
        llm: GuardedLLM,
        messages: Sequence[ChatMessage],
        options: dict[str, Any],
        labels: CallLabels,
        listen: Callable[[str], None] | None,
    ) -> str:
        """The text of the reply; it may be sent again, as part of a chat."""
        if listen is None:
            response = self._send(llm, llm.call(messages, options, labels, self.meter))
            return without_surrogates(response.message.content or "")
        growing = GrowingText(listen)
        response = self._send(llm, llm.call(messages, options, labels, self.meter, growing.put), growing)
        text = without_surrogates(response.message.content or "")
        growing.finish(text)
        return text

    def _send(self, llm: GuardedLLM, call: ModelCall, growing: GrowingText | None = None) -> ChatResponse:
        from clausegraph.core.models.loop import start

        with self._lock:
            if self._stopped:
                raise CancelledError
            future = start(llm.send(call))
            self._in_flight.add(future)
        try:
            if growing is not None:
                growing.follow(future)
            return future.result()
        except BaseException:
            future.cancel()
            raise
        finally:
            with self._lock:
                self._in_flight.discard(future)


class GrowingText:
    """Brings a text from the thread where it grows to a listener on the thread that waits for it.

    So a slow listener holds up no other call, and what it raises ends the call that it listens to.
    """

    def __init__(self, listen: Callable[[str], None]) -> None:
        self._listen = listen
        self._texts: SimpleQueue[str | None] = SimpleQueue()
        self._heard: str | None = None

    def put(self, text: str) -> None:
        """Take the text so far; on any thread."""
        self._texts.put(text)

    def follow(self, growing: Future[Any]) -> None:
        """Tell the listener of the text until ``growing`` is done, however it ends."""
        growing.add_done_callback(lambda _: self._texts.put(None))
        while (text := self._latest()) is not None:
            self._tell(text)

    def finish(self, text: str) -> None:
        """Tell the listener of the whole text, unless it has heard it."""
        if text != self._heard:
            self._tell(text)

    def _tell(self, text: str) -> None:
        self._heard = text
        self._listen(text)

    def _latest(self) -> str | None:
        """The newest of the texts that wait, at least one; none at the end."""
        text = self._texts.get()
        while text is not None and not self._texts.empty():
            text = self._texts.get()
        return text


def _declared(prompt: Prompt, inputs: Mapping[str, object]) -> dict[str, object]:
    """The inputs that a prompt takes, of those that a step has."""
    foreign = [name for name in prompt.inputs if name not in inputs]
    if foreign:
        raise PromptError(
            f"prompt {prompt.id} ({prompt.path}) declares input {foreign[0]!r}; this step has: {', '.join(inputs)}"
        )
    return {name: inputs[name] for name in prompt.inputs}
