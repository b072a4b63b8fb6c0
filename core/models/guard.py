"""A LlamaIndex model whose every path to the server leads through cache, retry, budget, limit and records.

LlamaIndex builds its other public paths (predict, tools, structured output) on the four chat methods here;
``chat_all`` makes many calls at once and yields results as they come.
"""

from __future__ import annotations

import asyncio
import queue
import time
from collections.abc import AsyncGenerator, Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, Literal, Self, TypeVar

from llama_index.core.base.llms.generic_utils import (
    achat_to_completion_decorator,
    astream_chat_to_completion_decorator,
    chat_to_completion_decorator,
    stream_chat_to_completion_decorator,
)
from llama_index.core.base.llms.types import (
    ChatMessage,
    ChatResponse,
    ChatResponseAsyncGen,
    ChatResponseGen,
    CompletionResponse,
    CompletionResponseAsyncGen,
    CompletionResponseGen,
    LLMMetadata,
)
from llama_index.core.bridge.pydantic import BaseModel, PrivateAttr
from llama_index.core.llms.callbacks import llm_chat_callback
from llama_index.core.llms.function_calling import FunctionCallingLLM
from llama_index.core.llms.llm import LLM, ToolSelection
from llama_index.core.prompts import PromptTemplate

from clausegraph.core.errors import ModelError
from clausegraph.core.hashing import ModelFingerprint
from clausegraph.core.models.calls import Account, CallLabels
from clausegraph.core.models.driver import Driver
from clausegraph.core.models.loop import ModelLoop, iterate_async, iterate_sync, model_loop, run_async, run_sync
from clausegraph.core.models.replay import Caching, Taping
from clausegraph.core.models.stack import Middleware, ModelCall, Stack, finish_reason, usage_of

if TYPE_CHECKING:
    from llama_index.core.tools.types import BaseTool


JsonMode = Literal["schema", "object", "none"]


@dataclass(frozen=True, slots=True)
class Traits:
    """What is known of a model without asking it."""

    provider: str
    model: str
    temperature: float
    max_output: int
    context_window: int
    json_mode: JsonMode
    calls_functions: bool = True

    @property
    def name(self) -> str:
        """``provider:model``."""
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class Layers:
    """A client and the middlewares before it, outermost first, made on the loop's behalf."""

    middlewares: Sequence[Middleware]
    client: Driver


class GuardedLLM(FunctionCallingLLM):
    """An inner model behind middlewares. Sync and async paths may be mixed, from any thread and any event loop.

    Raises, from every path:
        ModelUnavailable: all attempts failed.
        ModelRefused: the server refused the request as such.
        BudgetExceeded: the run's limit leaves no room.
    """

    _traits: Traits = PrivateAttr()
    _make: Callable[[], Layers] = PrivateAttr()
    _made: tuple[ModelLoop, Layers, Stack] | None = PrivateAttr(default=None)

    def __init__(self, traits: Traits, make: Callable[[], Layers]) -> None:
        super().__init__()
        self._traits, self._make = traits, make

    @classmethod
    def class_name(cls) -> str:
        return "GuardedLLM"

    @property
    def metadata(self) -> LLMMetadata:
        """From our options: an inner model may know nothing of a model's name, and raise."""
        return LLMMetadata(
            context_window=self._traits.context_window,
            num_output=self._traits.max_output,
            is_chat_model=True,
            is_function_calling_model=self._traits.calls_functions,
            model_name=self._traits.model,
        )

    @property
    def fingerprint(self) -> ModelFingerprint:
        """Everything that shapes a reply but the prompt. Equal fingerprints share cached replies."""
        made = self._traits
        return ModelFingerprint(made.name, made.temperature, made.max_output, made.json_mode)

    @property
    def inner(self) -> LLM:
        """This process's inner model. Calls made on it directly are neither limited nor recorded."""
        return self._layers().client.inner

    def json_options(self, name: str, schema: dict[str, Any]) -> dict[str, Any]:
        """Options of a chat whose reply must be JSON of this schema, as far as the server can be told."""
        if self._traits.json_mode == "none":
            return {}
        if self._traits.json_mode == "object":
            return {"response_format": {"type": "json_object"}}
        described = {"name": name, "schema": schema, "strict": True}
        return {"response_format": {"type": "json_schema", "json_schema": described}}

    def forget(self, messages: Sequence[ChatMessage], **options: Any) -> None:
        """Drop the kept reply to this chat: nobody could use it."""
        keeping = [layer for layer in self._layers().middlewares if isinstance(layer, Caching | Taping)]
        for layer in keeping:
            run_sync(layer.forget(self.call(messages, options)))

    def close(self) -> None:
        """Close the connections; a later call opens new ones."""
        made, self._made = self._made, None
        if made is not None and made[0] is model_loop():
            run_sync(made[1].client.close())

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    # --- the four ways to the server ----------------------------------------------------------------

    def call(
        self,
        messages: Sequence[ChatMessage],
        options: dict[str, Any],
        labels: CallLabels = CallLabels(),
        account: Account | None = None,
        listen: Callable[[str], None] | None = None,
    ) -> ModelCall:
        """What goes through the stack for a chat; ``listen`` as of ``ModelCall``."""
        limited = {"max_tokens": self._traits.max_output, **options}
        return ModelCall(tuple(messages), limited, labels, account, listen)

    async def send(self, call: ModelCall) -> ChatResponse:
        """Send a call; on the model loop."""
        return await self._stack().chat(call)

    @llm_chat_callback()
    def chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """One reply."""
        return run_sync(self.send(self.call(messages, kwargs)))

    @llm_chat_callback()
    async def achat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponse:
        """One reply, awaited from any loop."""
        return await run_async(self.send(self.call(messages, kwargs)))

    @llm_chat_callback()
    def stream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseGen:
        """A reply in chunks, each with the message so far."""
        return iterate_sync(self._stack().stream(self.call(messages, kwargs)))

    @llm_chat_callback()
    async def astream_chat(self, messages: Sequence[ChatMessage], **kwargs: Any) -> ChatResponseAsyncGen:
        """A reply in chunks, for consumers on any loop."""
        return iterate_async(self._stack().stream(self.call(messages, kwargs)))

    def complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """A chat of one user message."""
        return chat_to_completion_decorator(self.chat)(prompt, **kwargs)

    async def acomplete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponse:
        """A chat of one user message."""
        return await achat_to_completion_decorator(self.achat)(prompt, **kwargs)

    def stream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseGen:
        """A chat of one user message, in chunks."""
        return stream_chat_to_completion_decorator(self.stream_chat)(prompt, **kwargs)

    async def astream_complete(self, prompt: str, formatted: bool = False, **kwargs: Any) -> CompletionResponseAsyncGen:
        """A chat of one user message, in chunks."""
        return await astream_chat_to_completion_decorator(self.astream_chat)(prompt, **kwargs)

    # --- tools: formats are the inner model's ---------------------------------------------------------

    def _prepare_chat_with_tools(
        self,
        tools: Sequence[BaseTool],
        user_msg: str | ChatMessage | None = None,
        chat_history: list[ChatMessage] | None = None,
        verbose: bool = False,
        allow_parallel_tool_calls: bool = False,
        tool_required: bool = False,
        **kwargs: Any,
    ) -> dict[str, Any]:
        if kwargs.get("tool_choice") is None:
            kwargs.pop("tool_choice", None)  # as a None, it would win over ``tool_required`` at Mistral's
        return self._functions()._prepare_chat_with_tools(
            tools=tools,
            user_msg=user_msg,
            chat_history=list(chat_history or []),  # the inner models append to the caller's list
            verbose=verbose,
            allow_parallel_tool_calls=allow_parallel_tool_calls,
            tool_required=tool_required,
            **kwargs,
        )

    def _validate_chat_with_tools_response(
        self, response: ChatResponse, tools: Sequence[BaseTool], allow_parallel_tool_calls: bool = False, **kwargs: Any
    ) -> ChatResponse:
        return self._functions()._validate_chat_with_tools_response(
            response, tools, allow_parallel_tool_calls=allow_parallel_tool_calls, **kwargs
        )

    def get_tool_calls_from_response(
        self, response: ChatResponse, error_on_no_tool_call: bool = True, **kwargs: Any
    ) -> list[ToolSelection]:
        """The tool calls of a reply."""
        return self._functions().get_tool_calls_from_response(
            response, error_on_no_tool_call=error_on_no_tool_call, **kwargs
        )

    def _structured_stream_call(
        self,
        output_cls: type[BaseModel],
        prompt: PromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        **prompt_args: Any,
    ) -> Generator[Any, None, None]:
        program: Any = self._program(output_cls, prompt)
        found: Generator[Any, None, None] = program.stream_call(llm_kwargs=llm_kwargs, **prompt_args)
        return found

    async def _structured_astream_call(
        self,
        output_cls: type[BaseModel],
        prompt: PromptTemplate,
        llm_kwargs: dict[str, Any] | None = None,
        **prompt_args: Any,
    ) -> AsyncGenerator[Any, None]:
        program: Any = self._program(output_cls, prompt)
        found: AsyncGenerator[Any, None] = await program.astream_call(llm_kwargs=llm_kwargs, **prompt_args)
        return found

    def _program(self, output_cls: type[BaseModel], prompt: PromptTemplate) -> Any:
        """As LlamaIndex's, but its streams do not leave it to the model whether to use the tool."""
        from llama_index.core.program.utils import get_program_for_llm

        choice = {"tool_choice": "required"} if self._traits.calls_functions else {}
        return get_program_for_llm(output_cls, prompt, self, pydantic_program_mode=self.pydantic_program_mode, **choice)

    def _functions(self) -> FunctionCallingLLM:
        inner = self.inner
        if not isinstance(inner, FunctionCallingLLM):
            raise TypeError(f"{self._traits.name} ({type(inner).__name__}) does not call functions")
        return inner

    def _layers(self) -> Layers:
        self._stack()
        assert self._made is not None
        return self._made[1]

    def _stack(self) -> Stack:
        """The stack of this process: connections, slots and waiting calls of a parent are not ours after a fork."""
        loop = model_loop()
        made = self._made
        if made is None or made[0] is not loop:
            layers = self._make()
            made = self._made = (loop, layers, Stack(layers.middlewares, layers.client))
        return made[2]


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
