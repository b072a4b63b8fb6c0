"""The words of the model stack: names of models, what a call is, what it used, and what the stack needs from above."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

if TYPE_CHECKING:
    from llama_index.core.base.llms.types import ChatMessage, ChatResponse

Provider = Literal["mistral", "openai"]
_PROVIDERS: tuple[Provider, ...] = get_args(Provider)
SERVED_MODEL = rf"^({'|'.join(_PROVIDERS)}):\S+$"
"""What such a name must look like."""


def served_model(name: str) -> tuple[Provider, str] | None:
    """Provider and model of a name; none where it names no server's model, but a folder or a model of the hub."""
    start, _, model = name.partition(":")
    provider = next((known for known in _PROVIDERS if known == start), None)
    return (provider, model) if provider and model else None


@dataclass(frozen=True)
class ModelOptions:
    """A model and how it is called; see the ``llm_*`` settings. ``price``: of a million prompt and reply tokens."""

    provider: str  # mistral or openai; of a model that was made already the name of its class
    model: str
    url: str | None = None
    key: str | None = field(default=None, repr=False)
    temperature: float = 0.0
    max_output: int = 8192
    context_window: int = 32768
    timeout_s: float = 120.0
    attempts: int = 6
    concurrency: int = 16
    json_mode: Literal["schema", "object", "none"] = "schema"
    price: tuple[float, float] | None = None

    @property
    def name(self) -> str:
        """``provider:model``."""
        return f"{self.provider}:{self.model}"


@dataclass(frozen=True, slots=True)
class CallLabels:
    """What a call is made for: task, id of the prompt (``task.vN``) and the pages it is about."""

    task: str = ""
    prompt: str = ""
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the server counted them; none where it did not say."""

    prompt_tokens: int | None = None
    output_tokens: int | None = None

    @property
    def total(self) -> int | None:
        if self.prompt_tokens is None or self.output_tokens is None:
            return None
        return self.prompt_tokens + self.output_tokens


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One attempt that reached the server, or one reply from the cache (``outcome`` "cached").

    A cached reply costs no ``money``; ``saved`` is what the call would have cost.
    """

    labels: CallLabels
    model: str
    outcome: str  # ok, cached, or the name of the error
    usage: Usage
    money: float
    seconds: float
    at: float  # seconds since 1970
    saved: float = 0.0


@dataclass(frozen=True, slots=True)
class Reservation:
    """Tokens and money set aside for one attempt."""

    tokens: int
    money: float


class ResponseCache(Protocol):
    """Replies by the hash of everything the server was sent. Losing it costs money, never truth."""

    def get(self, key: str) -> bytes | None:
        """The stored reply, or none."""

    def put(self, key: str, value: bytes) -> None:
        """Store a complete reply."""

    def forget(self, key: str) -> None:
        """Drop a reply that turned out to be unusable."""


class Budget(Protocol):
    """A limit on tokens and money that all processes of a run share."""

    def reserve(self, tokens: int, money: float) -> Reservation:
        """Set aside what an attempt may use at most."""

    def settle(self, reservation: Reservation, tokens: int, money: float) -> None:
        """Replace a reservation by what was used."""


class UsageSink(Protocol):
    """Where the records of calls go."""

    def record(self, record: CallRecord) -> None:
        """Keep one record, without waiting: it is called on the models' event loop."""


class Account(Budget, UsageSink, Protocol):
    """What one question may use, and did use: it travels with its calls. Called on the models' loop: it never waits."""


@dataclass(frozen=True, slots=True)
class ModelCall:
    """What the server is to be sent, what for, and on whose account beside that of the model.

    ``listen`` gets the text of the reply so far, on the model loop's thread, each time more of it has come from the
    server; an attempt after a failed one begins anew with a shorter text. A reply that is stored already is not told.
    """

    messages: tuple[ChatMessage, ...]
    options: Mapping[str, Any]
    labels: CallLabels
    account: Account | None = None
    listen: Callable[[str], None] | None = None


class ModelClient(Protocol):
    """Sends a call to a server, once."""

    async def chat(self, call: ModelCall) -> ChatResponse:
        """The reply, or a ``ModelCallError``."""

    async def close(self) -> None:
        """Close the connections."""
