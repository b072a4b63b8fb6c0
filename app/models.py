"""Models and servers made from Settings: embedder, language model behind its guard, Neo4j."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from clausegraph.core.errors import SettingsError, require_extra
from clausegraph.core.models.calls import ModelOptions, Provider, served_model
from clausegraph.core.settings import HASHING, Settings

if TYPE_CHECKING:
    from pydantic import SecretStr

    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.guard import GuardedLLM
    from clausegraph.core.models.replay import Cassette
    from clausegraph.indexes.corpora import CorpusRow
    from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer
    from clausegraph.indexes.graph.protocol import Graph, Projections
    from clausegraph.indexes.ledger.metering import RunMeter
    from clausegraph.indexes.ledger.store import Ledger
    from clausegraph.indexes.reply_rows import RowResponseCache
    from clausegraph.indexes.response_cache import FileResponseCache
    from clausegraph.indexes.views import GraphAt
    from clausegraph.ingestion.fetch import WebLimits


def web_limits(settings: Settings) -> WebLimits:
    """Within which limits addresses are fetched and told something."""
    from clausegraph.ingestion.fetch import WebLimits

    names: dict[str, tuple[str, ...]] = {}
    for host, is_named, address in (one.partition("=") for one in settings.web_allow):
        if is_named:
            names[host] = (*names.get(host, ()), address)
    return WebLimits(
        contact=settings.web_contact or "",
        interval_s=settings.web_interval,
        allow=tuple(dict.fromkeys(one.partition("=")[0] for one in settings.web_allow)),
        names=names,
    )


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; it loads its model at the first embedding.

    Raises:
        ModelError: the model's folder or package is not there, or the hub does not have it or cannot be reached.
    """
    name, _, dimension = settings.embedding_model.partition(":")
    if name == HASHING:
        from clausegraph.core.models.embedding import HashingEmbedder

        return HashingEmbedder(int(dimension)) if dimension.isdecimal() else HashingEmbedder()
    served = served_model(settings.embedding_model)
    if served is not None:
        from clausegraph.core.models.api_embedding import ApiEmbedder

        return ApiEmbedder(_server_options(settings, served, settings.embedding_url, settings.embedding_key))
    from clausegraph.core.models.embedding import LocalEmbedder, check_available

    embedder = LocalEmbedder(settings.embedding_model)
    if embedder.folder is None:
        check_available(settings.embedding_model)
    return embedder


def _server_options(
    settings: Settings, served: tuple[Provider, str], url: str | None, key: SecretStr | None
) -> ModelOptions:
    """How the server of a model is called, be it for text or for vectors."""
    provider, model = served
    return ModelOptions(
        provider=provider,
        model=model,
        url=url,
        key=key.get_secret_value() if key else None,
        timeout_s=settings.llm_timeout,
        attempts=settings.llm_attempts,
        concurrency=settings.llm_concurrency,
        price=settings.llm_prices.get(model),
    )


def check_price(settings: Settings, name: str | None) -> None:
    """Raise where a limit on money could not hold, because a model of the settings has no price.

    Raises:
        SettingsError: with the price that is missing.
    """
    served = served_model(name or "")
    if settings.llm_budget_money is None or served is None or served[1] in settings.llm_prices:
        return
    model, known = served[1], list(settings.llm_prices)
    near = get_close_matches(model, known, n=1)
    meant = f"; is {near[0]!r} meant?" if near else f"; it has {', '.join(sorted(known))}" if known else ""
    example = json.dumps({model: [0.1, 0.3]})
    raise SettingsError(
        f"setting 'llm_budget_money' is {settings.llm_budget_money:g}, but 'llm_prices' has no price of {model!r}"
        f"{meant}; set CLAUSEGRAPH_LLM_PRICES={shlex.quote(example)} (of a million prompt and reply tokens; [0, 0] for "
        "a model that costs nothing), or CLAUSEGRAPH_LLM_BUDGET_TOKENS in place of the limit on money"
    )


@contextmanager
def shared_ledger(settings: Settings) -> Iterator[Ledger | None]:
    """The ledger where machines share it, made if there is none; None where it is a file of the home folder, which has
    files beside it for what is no corpus."""
    if not settings.database_address:
        yield None
        return
    from clausegraph.indexes.ledger.store import open_ledger

    with open_ledger(settings.home, settings.database_address) as ledger:
        yield ledger


@contextmanager
def _opened_replies(settings: Settings) -> Iterator[FileResponseCache | RowResponseCache]:
    """The replies of language models that were paid for, of all corpora."""
    from clausegraph.indexes.reply_rows import RowResponseCache
    from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache

    size = max(1, settings.llm_cache_mb) * 1_000_000
    with shared_ledger(settings) as shared:
        made = FileResponseCache(settings.home / RESPONSES, size) if shared is None else RowResponseCache(shared, size)
        with closing(made) as cache:
            yield cache


def forget_replies(settings: Settings, days: float) -> tuple[int, str]:
    """Drop the cached replies of language models that were not used for so many days; returns how many, and what
    remains and why, in words."""
    from clausegraph.indexes.response_cache import RESPONSES

    if not settings.database_address and not (settings.home / RESPONSES).exists():
        return 0, ""
    with _opened_replies(settings) as cache:
        return cache.forget_before(time.time() - days * 86400)


@contextmanager
def opened_model(
    settings: Settings, meter: RunMeter | None = None, cassette: Cassette | None = None
) -> Iterator[GuardedLLM]:
    """The language model of the settings, behind its guard; ``meter`` limits and records its calls.

    A cassette answers in place of the model's server, or records what is answered.

    Raises:
        SettingsError: no model is set, or its key is missing.
    """
    from clausegraph.core.models.guard import make_llm

    served = served_model(settings.llm or "")
    if served is None:
        raise SettingsError(
            "no language model is set; set CLAUSEGRAPH_LLM to mistral:NAME or openai:NAME (with CLAUSEGRAPH_LLM_KEY "
            "or CLAUSEGRAPH_LLM_URL), or CLAUSEGRAPH_EXTRACTOR to rules"
        )
    options = replace(
        _server_options(settings, served, settings.llm_url, settings.llm_key),
        max_output=settings.llm_max_output,
        json_mode=settings.llm_json,
    )
    kept = _opened_replies(settings) if settings.llm_cache_mb else nullcontext()
    with kept as cache, make_llm(options, cache=cache, budget=meter, usage=meter, cassette=cassette) as llm:
        yield llm


_EPOCH_S = 600.0  # that Neo4j may take for an epoch
_TRANSACTION_S = 60.0  # no single transaction takes longer, whatever an epoch may take


def make_server(settings: Settings) -> Neo4jServer:
    """The Neo4j of the settings; nothing is sent yet. Close it.

    Raises:
        SettingsError: no password, or the driver is not installed.
    """
    require_extra("neo4j", "Neo4j", error=SettingsError)
    from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer

    if settings.neo4j_password is None:
        raise SettingsError(
            "no password for Neo4j; set CLAUSEGRAPH_NEO4J_PASSWORD (`clausegraph server neo4j` starts a Neo4j and says "
            "where its password is)"
        )
    user, password = settings.neo4j_user, settings.neo4j_password.get_secret_value()
    return Neo4jServer(Address(settings.neo4j_uri, user, password, settings.neo4j_database, _TRANSACTION_S))


@contextmanager
def opened_projection(settings: Settings, ledger: Ledger) -> Iterator[Neo4jProjection]:
    """The projection into the Neo4j of the settings, whatever their mode; closed at the end."""
    server = make_server(settings)
    from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection

    with Neo4jProjection(ledger, server, _EPOCH_S) as projection:
        yield projection


@contextmanager
def opened_projections(settings: Settings, ledger: Ledger) -> Iterator[Projections]:
    """What publishing has to take along, as the mode of the settings says; closed at the end."""
    from clausegraph.indexes.graph.protocol import Projections

    if settings.neo4j_mode == "off":
        yield Projections()
        return
    with opened_projection(settings, ledger) as projection:
        yield Projections(projection, required=settings.neo4j_mode == "required")


def graphs_of(server: Neo4jServer) -> GraphAt:
    """The graphs that a Neo4j has, for views."""
    from clausegraph.indexes.graph.neo4j.graph import Neo4jGraph
    from clausegraph.indexes.graph.neo4j.rows import GraphCorpus
    from clausegraph.indexes.ledger.store import ledger_id

    def graph_at(ledger: Ledger, corpus: CorpusRow, epoch: int) -> Graph:
        return Neo4jGraph(server, ledger_id(ledger), GraphCorpus(corpus.id, corpus.name), epoch)

    return graph_at
