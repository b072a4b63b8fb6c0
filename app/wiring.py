"""Single parts made from Settings: models, extractor, engine. Heavy imports stay inside functions."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

from clausegraph.core.errors import SettingsError
from clausegraph.core.models.calls import Provider, served_model
from clausegraph.core.ontology import Ontology, policy_ontology, read_ontology
from clausegraph.core.settings import HASHING, Settings

if TYPE_CHECKING:
    from pydantic import SecretStr

    from clausegraph.core.extraction import Extractor
    from clausegraph.core.models.build import ModelOptions
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.guard import GuardedLLM
    from clausegraph.core.models.replay import Cassette
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.eval.conditionalqa.dataset import Question
    from clausegraph.indexes.ledger.metering import RunMeter
    from clausegraph.indexes.views import View
    from clausegraph.ingestion.reading.limits import ReadingLimits
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.sources.web import WebOptions
    from clausegraph.query.engines.protocol import Engine, EngineOptions


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; it loads its model at the first embedding.

    Raises:
        ModelError: the model's folder or package is not there, or the hub does not have it or cannot be reached.
    """
    if settings.embedding_model == HASHING:
        from clausegraph.core.models.embedding import HashingEmbedder

        return HashingEmbedder()
    served = served_model(settings.embedding_model)
    if served is not None:
        from clausegraph.core.models.api_embedding import ApiEmbedder

        options = _server_options(settings, served, settings.embedding_url, settings.embedding_key)
        return ApiEmbedder(options)
    from clausegraph.core.models.embedding import LocalEmbedder, check_available

    embedder = LocalEmbedder(settings.embedding_model)
    if embedder.folder is None:
        check_available(settings.embedding_model)
    return embedder


def _server_options(
    settings: Settings, served: tuple[Provider, str], url: str | None, key: SecretStr | None
) -> ModelOptions:
    """How the server of a model is called, be it for text or for vectors."""
    from clausegraph.core.models.build import ModelOptions

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


def reading_limits(settings: Settings) -> ReadingLimits:
    """What reading one page may take."""
    from clausegraph.ingestion.reading.limits import ReadingLimits

    return ReadingLimits(settings.reading_seconds)


def web_options(settings: Settings, given: Mapping[str, Any]) -> WebOptions:
    """How addresses are fetched: what is given of ``WebOptions``, within the limits of the settings."""
    from clausegraph.ingestion.fetch import WebLimits
    from clausegraph.ingestion.sources.web import WebOptions

    names: dict[str, tuple[str, ...]] = {}
    for host, is_named, address in (one.partition("=") for one in settings.web_allow):
        if is_named:
            names[host] = (*names.get(host, ()), address)
    limits = WebLimits(
        contact=settings.web_contact or "",
        interval_s=settings.web_interval,
        allow=tuple(dict.fromkeys(one.partition("=")[0] for one in settings.web_allow)),
        names=names,
    )
    patterns = {name: (given[name],) for name in ("include", "exclude") if isinstance(given.get(name), str)}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    taken = {name: value for name, value in given.items() if value is not None} | lists | patterns
    browser = settings.web_browser or ""
    return WebOptions(**taken, browser=browser, limits=limits, reading=reading_limits(settings))


def metered(embedder: Embedder, meter: RunMeter) -> Embedder:
    """The embedder with its calls limited and recorded by a run's meter; one that asks no server is as it was."""
    from clausegraph.core.models.embedding import Metered

    return embedder.metered(meter, meter) if isinstance(embedder, Metered) else embedder


def check_budget(settings: Settings, source: Source | None) -> None:
    """Raise where a limit on money could not hold, because a model that a run of the source would pay has no price.

    Raises:
        SettingsError: with the price that is missing.
    """
    if settings.llm_budget_money is None:
        return
    asked = [settings.embedding_model] + ([settings.llm] if _extractor_kind(settings, source) == "llm" else [])
    for name in asked:
        served = served_model(name or "")
        if served is not None and served[1] not in settings.llm_prices:
            raise SettingsError(_no_price(settings, served[1]))


def _no_price(settings: Settings, model: str) -> str:
    known = list(settings.llm_prices)
    near = get_close_matches(model, known, n=1)
    meant = f"; is {near[0]!r} meant?" if near else f"; it has {', '.join(sorted(known))}" if known else ""
    example = json.dumps({model: [0.1, 0.3]})
    return (
        f"setting 'llm_budget_money' is {settings.llm_budget_money:g}, but 'llm_prices' has no price of {model!r}"
        f"{meant}; set CLAUSEGRAPH_LLM_PRICES={shlex.quote(example)} (of a million prompt and reply tokens; [0, 0] for "
        "a model that costs nothing), or CLAUSEGRAPH_LLM_BUDGET_TOKENS in place of the limit on money"
    )


def _extractor_kind(settings: Settings, source: Source | None) -> str:
    """The extractor that settings and source ask for; without a source it is that of the rules, which asks nobody."""
    from clausegraph.ingestion.sources.passages import PassagesSource

    kind = settings.extractor if source is not None else "rules"
    if kind != "auto":
        return kind
    return "given" if isinstance(source, PassagesSource) else "llm" if settings.llm else "rules"


def opened_ontology(settings: Settings) -> Ontology:
    """The types of entities: those of the settings' file, else the shipped ones.

    Raises:
        SettingsError: the file cannot be read or is none.
    """
    return read_ontology(settings.ontology) if settings.ontology else policy_ontology()


@contextmanager
def opened_extractor(settings: Settings, source: Source | None, meter: RunMeter) -> Iterator[Extractor]:
    """The extractor that settings and source ask for; nothing is sent before it is used, its connections are closed.

    Raises:
        SettingsError: a language model is asked for, but none is set; or a key is missing.
        PromptError, NotFoundError: the extraction prompt is not there or cannot be used.
    """
    from clausegraph.ingestion.sources.passages import PassagesSource

    kind = _extractor_kind(settings, source)
    if kind == "given":
        from clausegraph.ingestion.extract.llm.lines import GivenExtractor

        if not isinstance(source, PassagesSource):
            raise SettingsError("extractor 'given' needs a file of passages that come with their triples")
        yield GivenExtractor(source.passages())
    elif kind == "rules":
        from clausegraph.ingestion.extract.rules.extractor import RuleExtractor

        yield RuleExtractor(opened_ontology(settings))
    else:
        with opened_model(settings, meter) as llm:
            yield _llm_extractor(settings, llm)


def _llm_extractor(settings: Settings, llm: GuardedLLM) -> Extractor:
    from clausegraph.core.prompts import library
    from clausegraph.ingestion.extract.llm.check import TASK as CHECK
    from clausegraph.ingestion.extract.llm.extractor import LLMExtractor, LLMOptions

    prompt = library(settings.prompts).get(settings.extraction_prompt)
    options = LLMOptions(
        ontology=opened_ontology(settings),
        call_tokens=settings.call_tokens,
        at_once=settings.llm_concurrency,
        check=library(settings.prompts).get(CHECK) if settings.extraction_check else None,
    )
    return LLMExtractor(llm, prompt, options)


@contextmanager
def opened_model(
    settings: Settings, meter: RunMeter | None = None, cassette: Cassette | None = None
) -> Iterator[GuardedLLM]:
    """The language model of the settings, behind its guard; ``meter`` limits and records its calls.

    A cassette answers in place of the model's server, or records what is answered.

    Raises:
        SettingsError: no model is set, or its key is missing.
    """
    from clausegraph.core.models.build import make_llm
    from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache

    served = served_model(settings.llm or "")
    if served is None:
        raise SettingsError(
            "no language model is set; set CLAUSEGRAPH_LLM to mistral:NAME or openai:NAME (with CLAUSEGRAPH_LLM_KEY "
            "or CLAUSEGRAPH_LLM_URL), or CLAUSEGRAPH_EXTRACTOR to rules"
        )
    options = replace(
        _server_options(settings, served, settings.llm_url, settings.llm_key),
        max_output=settings.llm_max_output,
        context_window=settings.llm_context_window,
        json_mode=settings.llm_json,
    )
    size = settings.llm_cache_mb * 1_000_000
    with ExitStack() as stack:
        cache = FileResponseCache(settings.home / RESPONSES, size) if size else None
        if cache is not None:
            stack.callback(cache.close)
        yield stack.enter_context(make_llm(options, cache=cache, budget=meter, usage=meter, cassette=cassette))


def forget_replies(settings: Settings, days: float) -> tuple[int, str]:
    """Drop the cached replies of language models that were not used for so many days; returns how many, and what
    remains and why, in words.

    The file is shared by all corpora of the home folder.
    """
    from clausegraph.indexes.response_cache import RESPONSES, FileResponseCache

    path = settings.home / RESPONSES
    if not path.exists():
        return 0, ""

    with closing(FileResponseCache(path, max(1, settings.llm_cache_mb) * 1_000_000)) as cache:
        return cache.forget_before(time.time() - days * 86400)


def make_engine(
    view: View,
    embedder: Embedder,
    settings: Settings,
    llm: GuardedLLM | None = None,
    *,
    reranker: Reranker | None = None,
    measured: Sequence[Question] = (),
    **changes: Any,
) -> Engine:
    """The engine of the settings on a view; with a language model, that one reads.

    Args:
        reranker: for what a language model reads; the extractive reader's probability is fitted to the retriever's own
            order.
        measured: questions with known answers that it will be asked: nothing of them may help.
        changes: ``engine``, or single ``EngineOptions``, by name.

    Raises:
        InputError: there is no such engine, step or reader; guide or examples of the settings cannot be read,
            or the guide was learned from a measured question.
        SettingsError: a step asks a language model, and there is none; or its price is not known.
    """
    from clausegraph.query.engines.bank import make_engine as make

    options = engine_options(settings, llm, measured=measured)
    if llm is not None:
        options = replace(options, reranker=reranker)
    chosen = {"engine": settings.engine} | changes
    if chosen["engine"] == "crag":
        from clausegraph.app.crag import crag_options

        options = replace(options, crag=crag_options(settings))
    return make(view, embedder, options, **chosen)


def engine_options(
    settings: Settings, llm: GuardedLLM | None = None, *, measured: Sequence[Question] = ()
) -> EngineOptions:
    """What engines work with, as the settings say. The budget of a run is that of a question too.

    Raises:
        InputError: guide or examples cannot be read, or the guide was learned from a measured question.
        SettingsError: a limit on money is set, and the model has no price.
    """
    from clausegraph.query.engines.protocol import EngineOptions
    from clausegraph.query.steps.meter import QuestionLimits

    limits = QuestionLimits(tokens=settings.llm_budget_tokens, money=settings.llm_budget_money)
    options = EngineOptions(question=limits)
    return options if llm is None else _with_model(options, settings, llm, measured)


def _with_model(
    options: EngineOptions, settings: Settings, llm: GuardedLLM, measured: Sequence[Question]
) -> EngineOptions:
    from functools import partial

    from clausegraph.app.reading import read_options
    from clausegraph.core.prompts import library
    from clausegraph.query.read.model.options import HITS
    from clausegraph.query.read.model.reader import ModelReader
    from clausegraph.query.steps.model import ModelSteps

    if settings.llm_budget_money is not None and llm.metadata.model_name not in settings.llm_prices:
        raise SettingsError(_no_price(settings, llm.metadata.model_name))
    steps = ModelSteps(llm, library(settings.prompts))
    return replace(
        options,
        limit=max(options.limit, HITS),
        reader=partial(ModelReader, options=read_options(settings, measured=measured)),
        model=steps,
    )
