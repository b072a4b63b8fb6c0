"""Mirroring a source into a corpus: what a run works with, as the settings say, and the run itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.models import check_price, opened_model, web_limits
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import ModelError, SettingsError
from clausegraph.core.ontology import Ontology, policy_ontology, read_ontology
from clausegraph.core.settings import Settings

if TYPE_CHECKING:
    from clausegraph.core.extraction import Extractor
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.guard import GuardedLLM
    from clausegraph.indexes.ledger.metering import RunMeter
    from clausegraph.ingestion.guards import GateVerdict
    from clausegraph.ingestion.pipeline import Options, Progress, Tools
    from clausegraph.ingestion.reading.page import ReadingLimits
    from clausegraph.ingestion.report import RunReport, WatchReport
    from clausegraph.ingestion.sources import Source
    from clausegraph.ingestion.sources.web import WebOptions
    from clausegraph.ingestion.tools import RuleReader


def run_ingest(
    workspace: Workspace, corpus: str, source: Source, options: Options, progress: Progress | None = None,
    run_id: str = "",
) -> RunReport:  # fmt: skip
    """Mirror a source into a corpus; arguments and errors as of ``ingestion.pipeline.ingest``."""
    from clausegraph.ingestion.pipeline import ingest

    with run_tools(workspace, source, progress) as tools:
        return ingest(tools, corpus, source, as_retained(workspace.settings, options), run_id)


def as_retained(settings: Settings, options: Options) -> Options:
    """The options of a run, with the epochs and days that the settings keep."""
    return replace(options, keep_epochs=settings.keep_epochs, keep_days=settings.keep_days)


@contextmanager
def run_tools(workspace: Workspace, source: Source | None, progress: Progress | None = None) -> Iterator[Tools]:
    """What a run of the source works with, its meter included; a new ledger is made where there is none.

    Args:
        source: None for a run that extracts nothing, in a ledger that is there.

    Raises:
        SettingsError: as ``opened_extractor`` and ``make_server``, or a limit on money could not hold, because a model
            that the run would pay has no price.
        PromptError, NotFoundError: as ``opened_extractor``.
    """
    from clausegraph.core.models.embedding import ServedEmbedder
    from clausegraph.indexes.ledger.metering import RunMeter
    from clausegraph.ingestion.pipeline import Tools, no_progress
    from clausegraph.ingestion.progress import Gauge

    settings = workspace.settings
    check_price(settings, settings.embedding_model)
    if _extractor_kind(settings, source) == "llm":
        check_price(settings, settings.llm)
    embedder = workspace.embedder  # a wrong setting is told before there is a ledger
    ledger = workspace.ledger_to_change() if source is None else workspace.make_ledger()
    meter = RunMeter(ledger, settings.llm_budget_tokens, settings.llm_budget_money)
    if isinstance(embedder, ServedEmbedder):
        embedder = embedder.metered(meter, meter)
    if isinstance(progress, Gauge):
        progress.count(meter.used)
    with workspace.projections() as projections, opened_extractor(settings, source, meter) as extractor:
        watched, limits, rules = progress or no_progress, reading_limits(settings), rule_reader(settings)
        again, gate = partial(_ask_again, workspace, watched), partial(_ask_gate, workspace, embedder, meter)
        given = ledger, embedder, extractor, watched, meter, projections, limits, rules, settings.llm_prices
        yield Tools(*given, gate=gate, ask_again=again)


def _ask_again(workspace: Workspace, progress: Progress, corpus: str) -> WatchReport | None:
    """What becomes of the watched questions of a corpus after a run; None where it has none or nothing is published."""
    from clausegraph.indexes.corpora import get_corpus
    from clausegraph.indexes.watches import list_watches

    row = get_corpus(workspace.ledger, corpus)
    if not row.published or not list_watches(workspace.ledger, row.id):
        return None
    from clausegraph.app.services.watching import ask_again

    return ask_again(workspace, corpus, progress)


def rule_reader(settings: Settings) -> RuleReader:
    """What reads the rules of pages, with the ontology of the settings."""
    from clausegraph.ingestion.extract.rules.extractor import read_rules

    return partial(read_rules, ontology=opened_ontology(settings) if settings.ontology else None)


def _ask_gate(workspace: Workspace, embedder: Embedder, meter: RunMeter, corpus: str, epoch: int) -> GateVerdict:
    """As ``gate.ask_prepared``, which only a corpus with a gate loads."""
    from clausegraph.app.services.gate import ask_prepared

    return ask_prepared(workspace, embedder, meter, corpus, epoch)


def mirror_whole(workspace: Workspace, documents: Path, progress: Progress | None = None) -> None:
    """Mirror documents that are about to be measured: without a page of theirs another corpus would be.

    Raises:
        ModelError: a model did not extract every page; what it did extract is kept.
    """
    from clausegraph.ingestion.pipeline import Options
    from clausegraph.ingestion.sources import open_source

    report = run_ingest(workspace, workspace.settings.corpus, open_source(str(documents)), Options(), progress)
    if report.pages_failed:
        why = f"; first {report.failures[0].what}: {report.failures[0].reason}" if report.failures else ""
        raise ModelError(
            f"{len(report.pages_failed)} pages of {documents} have no extraction, so nothing was measured{why}; ask "
            "again, which goes on where this ended, or take another model or prompt"
        )


def reading_limits(settings: Settings) -> ReadingLimits:
    """What reading one page may take."""
    from clausegraph.ingestion.reading.page import ReadingLimits

    return ReadingLimits(settings.reading_seconds)


def web_options(settings: Settings, given: Mapping[str, Any]) -> WebOptions:
    """How addresses are fetched: what is given of ``WebOptions``, within the limits of the settings."""
    from clausegraph.ingestion.sources.web import WebOptions

    limits = web_limits(settings)
    patterns = {name: (given[name],) for name in ("include", "exclude") if isinstance(given.get(name), str)}
    lists = {name: tuple(value) for name, value in given.items() if isinstance(value, list)}
    taken = {name: value for name, value in given.items() if value is not None} | lists | patterns
    browser = settings.web_browser or ""
    return WebOptions(**taken, browser=browser, limits=limits, reading=reading_limits(settings))


def _extractor_kind(settings: Settings, source: Source | None) -> str:
    """The extractor that settings and source ask for; without a source it is that of the rules, which asks nobody."""
    from clausegraph.ingestion.sources.records import PassagesSource

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
    from clausegraph.ingestion.sources.records import PassagesSource

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
    from clausegraph.ingestion.extract.llm.extractor import LLMExtractor, LLMOptions

    prompt = library(settings.prompts).get(settings.extraction_prompt)
    options = LLMOptions(
        ontology=opened_ontology(settings),
        call_tokens=settings.call_tokens,
        at_once=settings.llm_concurrency,
    )
    return LLMExtractor(llm, prompt, options)
