"""Makes guarded models from options. The servers' own libraries are imported here and not before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

from llama_index.core.llms.llm import LLM

from clausegraph.core.errors import SettingsError
from clausegraph.core.models.attempts import Accounting, Budgeting, Limiting, Recording, Retrying, Tariff
from clausegraph.core.models.calls import Budget, ResponseCache, UsageSink
from clausegraph.core.models.driver import given_client
from clausegraph.core.models.failures import Server
from clausegraph.core.models.guard import GuardedLLM, Layers
from clausegraph.core.models.replay import Caching, Cassette, Kept, Replaying, Taping
from clausegraph.core.models.stack import Middleware, ModelClient

URLS = {"mistral": "https://api.mistral.ai", "openai": "https://api.openai.com"}


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


def make_llm(
    options: ModelOptions,
    *,
    cache: ResponseCache | None = None,
    budget: Budget | None = None,
    usage: UsageSink | None = None,
    cassette: Cassette | None = None,
) -> GuardedLLM:
    """A model behind cache, retry, budget, limit and records.

    Args:
        cassette: answers in place of the server, or records what is answered. Replaying needs neither key nor network;
            replies are counted as they were when they were new.

    Raises:
        SettingsError: the key is missing or cannot be one, or the address is none.
        InputError: the cassette is another model's; at the first call.
    """
    replays = cassette is not None and not cassette.record
    key = checked_key(options.provider, options.key or ("replayed" if replays else None), "CLAUSEGRAPH_LLM_KEY")
    server = Server(options.name, checked_url(options.url or URLS[options.provider], "CLAUSEGRAPH_LLM_URL"), key)
    if options.provider == "mistral":
        from clausegraph.core.models.mistral import mistral_client as client
    else:
        from clausegraph.core.models.openai_like import openai_client as client
    return guarded(options, lambda: client(server, options), cache, budget, usage, cassette)


def guard(llm: LLM, *, attempts: int = 6, budget: Budget | None = None, usage: UsageSink | None = None) -> GuardedLLM:
    """A guard around a LlamaIndex model that is made already."""
    known = llm.metadata
    options = ModelOptions(
        llm.class_name(),
        known.model_name,
        temperature=float(getattr(llm, "temperature", 0.0) or 0.0),
        max_output=known.num_output if known.num_output > 0 else known.context_window,
        context_window=known.context_window,
        attempts=attempts,
        json_mode="none",
    )
    return guarded(options, lambda: given_client(llm, options.name, options.timeout_s), None, budget, usage)


def guarded(
    options: ModelOptions,
    connect: Callable[[], ModelClient],
    cache: ResponseCache | None = None,
    budget: Budget | None = None,
    usage: UsageSink | None = None,
    cassette: Cassette | None = None,
) -> GuardedLLM:
    """Whatever client ``connect`` makes, behind the layers that there are."""
    tariff = Tariff(options.price, options.max_output)

    def make() -> Layers:
        kept = Kept(str(llm.fingerprint), options.name, tariff, usage)
        recording = Recording(usage, options.name, tariff)
        if cassette is not None and not cassette.record:
            return [Accounting(tariff), recording, Replaying(cassette, kept)], connect()
        layers: list[Middleware] = [] if cassette is None else [Taping(cassette, kept)]
        layers += [] if cache is None else [Caching(cache, kept)]
        layers += [Retrying(options.attempts), Accounting(tariff)]
        layers += [] if budget is None else [Budgeting(budget, tariff)]
        return [*layers, Limiting(options.concurrency), recording], connect()

    llm = GuardedLLM(options, make)
    return llm


def checked_key(provider: str, key: str | None, variable: str) -> str | None:
    """The key, if it can be one.

    Raises:
        SettingsError: Mistral's is missing, or it could not be sent; the message does not show it.
    """
    if not key and provider == "mistral":
        raise SettingsError(f"Mistral's API needs a key: set {variable} (any text will do for a server of your own)")
    if key and not (key.isascii() and key.isprintable() and " " not in key):
        raise SettingsError(f"the key in {variable} holds spaces, line ends or letters that no key has; copy it again")
    return key or None


def checked_url(url: str, variable: str) -> str:
    """The address without ``/v1``, which the clients add.

    Raises:
        SettingsError: it is not one of a web server.
    """
    if not url.startswith(("http://", "https://")):
        raise SettingsError(f"{variable} is {url!r}; it must begin with http:// or https://")
    return url.rstrip("/").removesuffix("/v1").rstrip("/")
