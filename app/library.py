"""The public Python API: a corpus to ingest into and to ask."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.engines import make_engine
from clausegraph.app.services.ingest import run_ingest, web_options
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings, load_settings
from clausegraph.core.types import Answer

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.indexes.views import View
    from clausegraph.ingestion.report import RunReport
    from clausegraph.query.engines.bank import Engine
    from clausegraph.query.retrieve.score import Weights
    from clausegraph.query.stores.llamaindex import EmbedderModel, ViewQueryEngine, ViewRetriever
    from clausegraph.query.stores.property_graph import ViewPropertyGraphStore
    from clausegraph.query.stores.vector_store import ViewVectorStore


class Corpus:
    """A named corpus. Use it as a context manager; what it reads is one epoch, pinned when first needed.

    After :meth:`ingest` it reads the epoch that was published then, unless it was opened at a given one.

    Raises, from everything that reads:
        NotFoundError, ModelMismatchError, StoreError: as :attr:`view`.
    """

    def __init__(self, settings: Settings, epoch: int | None = None) -> None:
        self._settings = settings
        self._epoch = epoch
        self._workspace = Workspace(settings)
        self._opened = ExitStack()
        self._view: View | None = None

    @property
    def name(self) -> str:
        return self._settings.corpus

    @property
    def view(self) -> View:
        """Graph, vectors and texts of one epoch.

        Raises:
            NotFoundError: no such corpus or epoch, or nothing was published yet.
            ModelMismatchError: it was embedded by another model than the settings name.
            StoreError: the graph is in Neo4j, which lacks the epoch or does not answer.
        """
        if self._view is None:
            self._view = self._opened.enter_context(self._workspace.view(epoch=self._epoch))
        return self._view

    @property
    def embedder(self) -> Embedder:
        """The embedder that the settings name; loads its model at the first embedding."""
        return self._workspace.embedder

    def ask(self, question: str, scenario: str = "") -> Answer:
        """Answer a question about a person's scenario; where a language model is set, it reads.

        Raises:
            ModelError: a language model is set, and there is no reply.
            QuestionError: the question is empty, or question and scenario are too long.
        """
        return self._engine().ask(Inquiry(question, scenario))

    def _engine(self) -> Engine:
        llm = self._workspace.model if self._settings.llm else None
        return make_engine(self.view, self.embedder, self._settings, llm, reranker=self._workspace.reranker)

    def contradictions(self) -> dict[str, Any]:
        """Statements that cannot both hold, and those that later ones replace, newest first.

        Keys and values are those of ``clausegraph contradictions --json``.
        """
        from clausegraph.app.services.contradictions import contradictions

        return contradictions(self._workspace, self.name, self._epoch)

    def rules(
        self, topic: str, kind: str | None = None, role: str | None = None, limit: int = 1000
    ) -> list[dict[str, Any]]:
        """What the pages rule about a topic, as ``clausegraph rules --json`` has it: rules about it first.

        Args:
            topic: an entity by any name, or a page's title or uri.
            kind: "eligibility", "exclusion", "amount", "deadline", "duty", …
            role: a person or body that a rule must name, too.

        Raises:
            NotFoundError: nothing of that name has rules; the message names what is near.
            InputError: there is no such kind.
        """
        from clausegraph.app.services.rules import find_rules

        found = find_rules(self._workspace, self.name, topic, kind=kind, role=role, limit=limit, epoch=self._epoch)
        return [one.as_json() for one in found.rules]

    def retriever(
        self,
        name: str = "hybrid",
        *,
        limit: int | None = None,
        budget: int | None = None,
        weights: Weights | None = None,
    ) -> ViewRetriever:
        """A LlamaIndex retriever on the view: ``"hybrid"``, or another name of :func:`retrievers`.

        Args:
            limit: nodes at most.
            budget: word pieces of text in all; without either 1,300.
            weights: of the ranking formula, for "hybrid" only.

        Raises:
            InputError: no such name, limit or budget below 1, or weights that are none.
        """
        from clausegraph.query.retrieve.bank import make_retriever
        from clausegraph.query.stores.llamaindex import ViewRetriever

        if limit is None and budget is None:
            from clausegraph.app.services.ask import SEARCH_BUDGET

            budget = SEARCH_BUDGET
        made = make_retriever(name, self.view, self.embedder, weights=weights, reranker=self._workspace.reranker)
        return ViewRetriever(self.view, made, limit=limit, budget=budget)

    def query_engine(self) -> ViewQueryEngine:
        """A LlamaIndex query engine that answers as :meth:`ask` does."""
        from clausegraph.query.stores.llamaindex import ViewQueryEngine

        return ViewQueryEngine(self._engine())

    def property_graph_store(self) -> ViewPropertyGraphStore:
        """The view's graph as a LlamaIndex ``PropertyGraphStore``, read-only; with Cypher where settings read from
        Neo4j (``graph = "neo4j"``).
        """
        from clausegraph.query.stores.property_graph import ViewPropertyGraphStore

        server = None if self._settings.graph == "ledger" else self._workspace.neo4j
        return ViewPropertyGraphStore(self.view, server)

    def vector_store(self, kind: str = "chunk") -> ViewVectorStore:
        """The view's vectors as a LlamaIndex vector store, read-only: those of "chunk", "element" or "fact".

        Raises:
            InputError: another kind.
        """
        from clausegraph.query.stores.vector_store import ViewVectorStore

        return ViewVectorStore(self.view, kind)

    def embed_model(self) -> EmbedderModel:
        """The embedder as a LlamaIndex embedding model, for ``embed_model=`` of an index on these stores."""
        from clausegraph.query.stores.llamaindex import EmbedderModel

        return EmbedderModel(self.embedder)

    def ingest(
        self,
        location: str | Path,
        *,
        source_name: str | None = None,
        keep_missing: bool = False,
        force: bool = False,
        allow_empty: bool = False,
        **web: Any,
    ) -> RunReport:
        """Mirror a folder of files, one file, a ConditionalQA documents file or an address into the corpus.

        Args:
            web: how an address is taken: ``mode``, ``depth``, ``addresses``, ``alike``, ``include``, ``exclude``,
                ``pdf``.

        Raises:
            SourceError: the source is missing, or empty without ``allow_empty``; nothing was changed.
            LeaseHeldError: another run is writing to the corpus.
        """
        from clausegraph.ingestion.pipeline import Options
        from clausegraph.ingestion.sources import open_source

        source = open_source(str(location), source_name, web_options(self._settings, web))
        options = Options(keep_missing=keep_missing, force=force, allow_empty=allow_empty)
        report = run_ingest(self._workspace, self.name, source, options)
        self._release()  # the next reading sees what was published
        return report

    def close(self) -> None:
        """Give the epoch back and close everything; reading again opens it anew."""
        self._release()
        self._workspace.close()
        self._workspace = Workspace(self._settings)

    def _release(self) -> None:
        self._view = None
        self._opened.close()

    def __enter__(self) -> Corpus:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_corpus(name: str | None = None, *, home: str | Path | None = None, epoch: int | None = None) -> Corpus:
    """A corpus by name; it need not exist yet: ``ingest`` makes it.

    Args:
        name: None for the one that the settings name, which is "default" as a rule.
        home: folder of the ledger; None for that of the settings.
        epoch: a retained epoch to read instead of the published one.

    Raises:
        SettingsError: a setting is wrong.
    """
    return Corpus(load_settings(home=home, corpus=name), epoch)


def ask(question: str, scenario: str = "", *, corpus: str | None = None, home: str | Path | None = None) -> Answer:
    """Answer one question; see :meth:`Corpus.ask`."""
    with open_corpus(corpus, home=home) as opened:
        return opened.ask(question, scenario)


def ask_web(
    question: str,
    places: Sequence[str | Path] = (),
    *,
    pages: Mapping[str, str] | None = None,
    at: str | None = None,
    home: str | Path | None = None,
) -> Answer:
    """Answer one question from pages alone, without a corpus.

    Args:
        places: folders, files, addresses, or files of addresses.
        pages: HTML by address, of pages that are at hand.
        at: when it is asked, as "2024-03-05T10:00-08:00"; None means now.

    Raises:
        SourceError: a place is nothing that is read, or no page has text.
        InputError: the time cannot be read, or names no zone.
        ModelError: a language model is set, and there is no reply.
    """
    from clausegraph.app.services.ask_web import WebPlaces, answer_from_web
    from clausegraph.query.crag.types import SentPage

    with Workspace(load_settings(home=home)) as workspace:
        sent = [SentPage(url, html) for url, html in (pages or {}).items()]
        found = WebPlaces([str(place) for place in places], sent=sent)
        return answer_from_web(workspace, Inquiry(question), found, at=at).answer


def retrievers() -> dict[str, str]:
    """The names that :meth:`Corpus.retriever` takes, each with what it does and what its nodes are."""
    from clausegraph.query.retrieve.bank import RETRIEVERS

    return {entry.name: f"{entry.about} ({entry.level}s)" for entry in RETRIEVERS}
