"""The one place that builds store, models and engines from Settings. Heavy imports stay inside functions."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from core.errors import ModelMismatchError
from core.settings import HASHING, Settings

if TYPE_CHECKING:
    from core.models.embedding import Embedder
    from indexes.ledger.store import Ledger
    from indexes.views import View
    from ingestion.pipeline import Options, Progress
    from ingestion.report import RunReport
    from ingestion.sources import Source
    from query.engine import AskEngine
    from query.retrieve.question import Inquiry


@contextmanager
def opened_ledger(settings: Settings, *, create: bool = False) -> Iterator[Ledger]:
    """The ledger of the home folder, closed at the end; only writing commands make a new one."""
    from indexes.ledger.store import open_ledger

    with open_ledger(settings.home, create=create) as ledger:
        yield ledger


def make_embedder(settings: Settings) -> Embedder:
    """The embedder that the settings name; it loads its model at the first embedding.

    Raises:
        ModelError: the model's folder or package is not there.
    """
    if settings.embedding_model == HASHING:
        from core.models.embedding import HashingEmbedder

        return HashingEmbedder()
    from core.models.sentence_transformers import ModelSettings, SentenceTransformerEmbedder

    return SentenceTransformerEmbedder(
        ModelSettings(
            name=settings.embedding_model,
            revision=settings.embedding_revision,
            pooling=settings.embedding_pooling,
            max_tokens=settings.embedding_max_tokens,
            query_instruction=settings.query_instruction,
        )
    )


def run_ingest(settings: Settings, source: Source, options: Options, progress: Progress | None = None) -> RunReport:
    """Mirror a source into the corpus of the settings; errors as ``ingestion.pipeline.ingest``."""
    from ingestion.extract.rules import RuleExtractor
    from ingestion.pipeline import Tools, ingest, no_progress

    embedder = make_embedder(settings)
    options = replace(options, keep_epochs=settings.keep_epochs, keep_days=settings.keep_days)
    with opened_ledger(settings, create=True) as ledger:
        tools = Tools(ledger, embedder, RuleExtractor(), progress or no_progress)
        return ingest(tools, settings.corpus, source, options)


def open_corpus_view(ledger: Ledger, settings: Settings, embedder: Embedder | None, epoch: int | None = None) -> View:
    """A view of the corpus; with an embedder, one whose vectors that embedder made.

    Raises:
        NotFoundError: no such corpus or epoch.
        ModelMismatchError: the epoch's vectors come from another model.
    """
    from indexes.views import open_view

    view = open_view(ledger, settings.corpus, epoch)
    if embedder is not None and view.model != embedder.fingerprint:
        view.close()
        raise ModelMismatchError(
            f"corpus {view.corpus!r} at epoch {view.epoch} was embedded by {view.model}, but the settings name "
            f"{embedder.fingerprint}; set CLAUSEGRAPH_EMBEDDING_MODEL (and its pooling, length and instruction) as "
            f"they were, or run `clausegraph ingest SOURCE --corpus {view.corpus}` to embed it with the new one"
        )
    return view


@contextmanager
def reading(settings: Settings, epoch: int | None = None, *, embed: bool = True) -> Iterator[tuple[View, Embedder]]:
    """A view and the embedder to ask it with, closed at the end. Without ``embed`` the models may differ."""
    embedder = make_embedder(settings)
    with (
        opened_ledger(settings) as ledger,
        open_corpus_view(ledger, settings, embedder if embed else None, epoch) as view,
    ):
        yield view, embedder


def check_question(question: str, scenario: str = "") -> Inquiry:
    """The question with its scenario: refuse an empty or over-long question before anything is opened.

    Raises:
        QuestionError: the question is empty, or question and scenario are too long.
    """
    from query.retrieve.question import Inquiry

    return Inquiry(question, scenario)


def make_engine(view: View, embedder: Embedder, settings: Settings) -> AskEngine:
    """The engine that answers questions from a view."""
    from query.engine import AskEngine

    return AskEngine(view, embedder, limit=settings.ask_elements)
