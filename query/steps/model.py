"""The one place where a step asks a language model: render, send on the question's account, parse.

A step that asks is three small pieces: inputs of a prompt, a call here, and a pure function that reads the reply.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import CancelledError, Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from clausegraph.core.errors import PromptError, UnusableReply
from clausegraph.core.models.calls import CallLabels
from clausegraph.core.models.json_scan import without_surrogates
from clausegraph.core.prompts import Prompt, PromptLibrary
from clausegraph.query.steps.meter import QuestionMeter

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse

    from clausegraph.core.models.guard import GuardedLLM

T = TypeVar("T")
Schema = tuple[str, dict[str, Any]]  # name and JSON schema of a reply


@dataclass(frozen=True, slots=True)
class Said(Generic[T]):
    """What a reply says, as it was parsed and as it was written, and the chat up to it (for a next turn)."""

    value: T
    text: str
    chat: tuple[ChatMessage, ...]


@dataclass(frozen=True, slots=True)
class ModelSteps:
    """A model and the prompts to ask it with: what all questions share. Nothing of a question is kept here."""

    llm: GuardedLLM
    prompts: PromptLibrary

    def question(self, meter: QuestionMeter) -> StepModel:
        """The model as the steps of one question ask it."""
        return StepModel(self, meter)

    def prompt(self, name: str) -> Prompt:
        """The prompt ``task`` (its newest version) or ``task.vN``; errors as of ``PromptLibrary.get``."""
        return self.prompts.get(name)


class StepModel:
    """Asks on behalf of one question."""

    def __init__(self, steps: ModelSteps, meter: QuestionMeter) -> None:
        self.meter = meter
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
    ) -> Said[T]:
        """One call.

        Args:
            prompt: name of a prompt; it gets those of the inputs that it declares.
            parse: pure; raises ``UnusableReply`` for what cannot be read, which is then dropped from the cache.
            schema: of a JSON reply, as far as the server can be told.
            before: the chat that this call goes on with.
            temperature: of this call; none means the settings'. For samples, whose prompts must differ to be several.

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
        response = self._send(llm, messages, options, labels)
        text = without_surrogates(response.message.content or "")  # it may be sent again, as part of a chat
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

    def _send(
        self, llm: GuardedLLM, messages: Sequence[ChatMessage], options: dict[str, Any], labels: CallLabels
    ) -> ChatResponse:
        from clausegraph.core.models.loop import start

        with self._lock:
            if self._stopped:
                raise CancelledError
            future = start(llm.send(llm.call(messages, options, labels, self.meter)))
            self._in_flight.add(future)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise
        finally:
            with self._lock:
                self._in_flight.discard(future)


def _declared(prompt: Prompt, inputs: Mapping[str, object]) -> dict[str, object]:
    """The inputs that a prompt takes, of those that a step has."""
    foreign = [name for name in prompt.inputs if name not in inputs]
    if foreign:
        raise PromptError(
            f"prompt {prompt.id} ({prompt.path}) declares input {foreign[0]!r}; this step has: {', '.join(inputs)}"
        )
    return {name: inputs[name] for name in prompt.inputs}
