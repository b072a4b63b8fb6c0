"""Makes guarded models from options. Model libraries are imported here and not before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal

from clausegraph.core.errors import SettingsError
from clausegraph.core.models.calls import Budget, Provider, ResponseCache, UsageSink

URLS: dict[Provider, str] = {"mistral": "https://api.mistral.ai", "openai": "https://api.openai.com"}

if TYPE_CHECKING:
    from llama_index.core.llms.llm import LLM

    from clausegraph.core.models.driver import Driver
    from clausegraph.core.models.guard import GuardedLLM, Traits
    from clausegraph.core.models.replay import Cassette


@dataclass(frozen=True)
class ModelOptions:
    """A model and how it is called; see the ``llm_*`` settings. ``price``: of a million prompt and reply tokens."""

    provider: Provider
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
        cassette: answers in place of the server, or records what is answered. Replaying needs neither key nor network.

    Raises:
        SettingsError: the key is missing or cannot be one, or the address is none.
        InputError: the cassette is another model's; at the first call.
    """
    from clausegraph.core.models.guard import Traits

    traits = Traits(
        options.provider,
        options.model,
        options.temperature,
        options.max_output,
        options.context_window,
        options.json_mode,
    )
    if cassette is not None and not cassette.record:
        options = replace(options, key=options.key or "replayed")
    connect = _client(options)
    if cassette is not None and not cassette.record:
        return _replayed(traits, connect, cassette, options.price, usage)
    return _guarded(
        traits,
        connect,
        options.attempts,
        options.concurrency,
        options.price,
        cache=cache,
        budget=budget,
        usage=usage,
        cassette=cassette,
    )


def _replayed(
    traits: Traits,
    connect: Callable[[], Driver],
    cassette: Cassette,
    price: tuple[float, float] | None,
    usage: UsageSink | None,
) -> GuardedLLM:
    """A model whose replies are on a cassette: counted as they were when they were new, and nothing is sent."""
    from clausegraph.core.models.attempts import Accounting, Recording, Tariff
    from clausegraph.core.models.guard import GuardedLLM, Layers
    from clausegraph.core.models.replay import Replaying

    tariff = Tariff(price, traits.max_output)

    def make() -> Layers:
        replay = Replaying(cassette, str(llm.fingerprint))
        return Layers([Accounting(tariff), Recording(usage, traits.name, tariff), replay], connect())

    llm = GuardedLLM(traits, make)
    return llm


def guard(
    llm: LLM,
    *,
    attempts: int = 6,
    concurrency: int = 16,
    timeout_s: float = 120.0,
    price: tuple[float, float] | None = None,
    cache: ResponseCache | None = None,
    budget: Budget | None = None,
    usage: UsageSink | None = None,
) -> GuardedLLM:
    """A guard around a LlamaIndex model that is made already."""
    from clausegraph.core.models.driver import given_client
    from clausegraph.core.models.guard import Traits

    known = llm.metadata
    output = known.num_output if known.num_output > 0 else known.context_window
    traits = Traits(
        llm.class_name(),
        known.model_name,
        float(getattr(llm, "temperature", 0.0) or 0.0),
        output,
        known.context_window,
        "none",
        known.is_function_calling_model,
    )

    def connect() -> Driver:
        return given_client(llm, traits.name, timeout_s)

    return _guarded(traits, connect, attempts, concurrency, price, cache=cache, budget=budget, usage=usage)


def _guarded(
    traits: Traits,
    connect: Callable[[], Driver],
    attempts: int,
    concurrency: int,
    price: tuple[float, float] | None,
    *,
    cache: ResponseCache | None,
    budget: Budget | None,
    usage: UsageSink | None,
    cassette: Cassette | None = None,
) -> GuardedLLM:
    from clausegraph.core.models.attempts import Accounting, Budgeting, Limiting, Recording, Retrying, Tariff
    from clausegraph.core.models.guard import GuardedLLM, Layers
    from clausegraph.core.models.replay import Caching, Taping

    tariff = Tariff(price, traits.max_output)

    def make() -> Layers:
        fingerprint = str(llm.fingerprint)
        layers: list[Any] = [] if cassette is None else [Taping(cassette, fingerprint, traits.name, tariff, usage)]
        layers += [] if cache is None else [Caching(cache, fingerprint, traits.name, tariff, usage)]
        layers += [Retrying(attempts), Accounting(tariff)]
        layers += [] if budget is None else [Budgeting(budget, tariff)]
        layers.append(Limiting(concurrency))
        layers.append(Recording(usage, traits.name, tariff))
        return Layers(layers, connect())

    llm = GuardedLLM(traits, make)
    return llm


def _client(options: ModelOptions) -> Callable[[], Driver]:
    """What makes a client; wrong options are told now, not at the first call."""
    from clausegraph.core.models.failures import Server

    key = checked_key(options.provider, options.key, "CLAUSEGRAPH_LLM_KEY")
    url = checked_url(options.url or URLS[options.provider], "CLAUSEGRAPH_LLM_URL")
    server = Server(options.name, url, key)
    common: dict[str, Any] = {
        "model": options.model,
        "temperature": options.temperature,
        "timeout_s": options.timeout_s,
        "connections": options.concurrency,
    }
    if options.provider == "mistral":
        from clausegraph.core.models.mistral import mistral_client

        return lambda: mistral_client(server, max_output=options.max_output, **common)
    from clausegraph.core.models.openai_like import openai_client

    return lambda: openai_client(server, max_output=options.max_output, context_window=options.context_window, **common)


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
