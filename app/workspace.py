"""The long-lived object behind every way in: ledger, models and views, opened when first needed, shared by threads."""

from __future__ import annotations

import shlex
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.app.models import graphs_of, make_embedder, make_server, opened_model, opened_projections
from clausegraph.core.errors import ModelMismatchError, WorkspaceClosed
from clausegraph.core.settings import Settings

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.core.models.guard import GuardedLLM
    from clausegraph.core.models.reranking import Reranker
    from clausegraph.indexes.graph.neo4j.server import Neo4jServer
    from clausegraph.indexes.graph.protocol import Projections
    from clausegraph.indexes.ledger.store import Ledger
    from clausegraph.indexes.views import View


T = TypeVar("T")
_EPOCHS = 16  # of which what was made once is kept


@dataclass(slots=True, eq=False)
class _Kept:
    """A view, and how many hold it now."""

    view: View
    holders: int = 0


class Workspace:
    """Ledger, models and views of one home folder, made from Settings.

    Nothing is opened before it is needed, and nothing twice. Threads may share it, and a server may hold it for
    months: whoever asks for a view gets the epoch that is published then, and shares it with the others who read that
    epoch. Close it, or use it as a context manager.

    Raises, from everything but :meth:`close`:
        WorkspaceClosed: it was closed before.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self._lock = threading.RLock()
        self._opened = ExitStack()
        self._is_closed = False
        self._made: dict[str, Any] = {}  # ledger, models and server, once they are opened
        self._of_epochs: dict[tuple[object, ...], Any] = {}
        self._kept: dict[tuple[str, int | None], _Kept] = {}  # by corpus and the epoch asked for
        self._views: set[View] = set()  # every open one, also those that a newer epoch has replaced

    @property
    def ledger(self) -> Ledger:
        """The ledger of the home folder, to be read: nothing is made or changed by opening it.

        Raises:
            SchemaError: there is none yet, or another version of ClauseGraph made it.
            StorageError: it cannot be opened.
        """
        from clausegraph.indexes.ledger.store import open_to_read

        return self._open_ledger(open_to_read)

    def ledger_to_change(self) -> Ledger:
        """The ledger of the home folder, to be changed. Errors as of :attr:`ledger`."""
        from clausegraph.indexes.ledger.store import open_ledger

        return self._open_ledger(partial(open_ledger, create=False))

    def make_ledger(self) -> Ledger:
        """The ledger of the home folder; a new one where there is none. Errors as of :attr:`ledger`."""
        from clausegraph.indexes.ledger.store import open_ledger

        return self._open_ledger(open_ledger)

    @property
    def shared(self) -> Ledger | None:
        """The ledger where machines share it, made if there is none; as ``app.models.shared_ledger``."""
        return self.make_ledger() if self.settings.database_address else None

    def _open_ledger(self, opened: Callable[[Path, str], Ledger]) -> Ledger:
        place = (self.settings.home, self.settings.database_address)
        return self._once("ledger", lambda: self._opened.enter_context(opened(*place)))

    @property
    def embedder(self) -> Embedder:
        """The embedder that the settings name; it loads its model at the first embedding.

        Raises:
            ModelError: the model's folder or package is not there.
        """
        return self._once("embedder", lambda: make_embedder(self.settings))

    @property
    def reranker(self) -> Reranker | None:
        """The cross-encoder that the settings name, if they do; it loads its model at the first question.

        Raises:
            ModelError: the model's folder or the library that runs it is not there.
        """
        if (name := self.settings.reranker) is None:
            return None
        from clausegraph.core.models.reranking import CrossEncoderReranker

        return self._once("reranker", lambda: CrossEncoderReranker(name))

    @property
    def model(self) -> GuardedLLM:
        """The language model of the settings behind its guard: one limit of calls in flight for all threads.

        Raises:
            SettingsError: no model is set, or its key is missing.
        """
        return self._once("model", lambda: self._opened.enter_context(opened_model(self.settings)))

    @property
    def neo4j(self) -> Neo4jServer:
        """The Neo4j of the settings; nothing is sent before it is asked something.

        Raises:
            SettingsError: no password, or the driver is not installed.
        """
        return self._once("neo4j", lambda: self._opened.enter_context(make_server(self.settings)))

    def _once(self, kind: str, make: Callable[[], T]) -> T:
        """What ``make`` makes at the first call for its kind."""
        with self._open():
            if kind not in self._made:
                self._made[kind] = make()
            made: T = self._made[kind]
            return made

    def of_epoch(self, key: tuple[object, ...], make: Callable[[], T]) -> T:
        """What ``make`` made first for a key with an epoch's number, whose rows never change; whoever asks has looked
        that the epoch is still there."""
        kept = self._of_epochs
        if key not in kept:
            kept = self._of_epochs = dict([*kept.items(), (key, make())][-_EPOCHS:])  # at once: threads share it
        made: T = kept[key]
        return made

    @contextmanager
    def view(self, corpus: str | None = None, epoch: int | None = None, *, embed: bool = True) -> Iterator[View]:
        """A view of the epoch published now, or of a retained older one; others may be reading the same view.

        While somebody holds it, vacuum leaves its epoch alone. The published one stays open when nobody holds it,
        so that what was built for it is there for the next question; vacuum may have its epoch then.

        Args:
            corpus: None for that of the settings.
            embed: whether its vectors must be those of :attr:`embedder`.

        Raises:
            NotFoundError: no such corpus or epoch, or nothing was published yet.
            ModelMismatchError: the epoch's vectors come from another model.
            StoreError: the graph's server lacks the epoch, or does not answer.
        """
        key = (corpus or self.settings.corpus, epoch)
        expected = self.embedder.fingerprint if embed else None
        kept = self._take(key)
        try:
            if expected is not None and kept.view.model != expected:
                raise ModelMismatchError(_other_model(kept.view, expected))
            yield kept.view
        finally:
            self._give_back(key, kept)

    def _take(self, key: tuple[str, int | None]) -> _Kept:
        from clausegraph.indexes.views import open_view

        with self._open():
            kept = self._kept.pop(key, None)
            if kept is not None and not self._is_current(kept.view, *key):
                if not kept.holders:
                    self._shut(kept.view)
                kept = None
            if kept is None:
                graph_at = None if self.settings.graph == "ledger" else graphs_of(self.neo4j)
                kept = _Kept(open_view(self.ledger, *key, graph_at=graph_at))
                self._views.add(kept.view)
            self._kept[key] = kept
            kept.holders += 1
            return kept

    def _give_back(self, key: tuple[str, int | None], kept: _Kept) -> None:
        with self._lock:
            kept.holders -= 1
            if kept.holders or self._is_closed:
                return
            if key[1] is not None and self._kept.get(key) is kept:
                del self._kept[key]  # an older epoch: nobody else is expected to ask for it
            if self._kept.get(key) is kept:
                kept.view.rest()
            else:
                self._shut(kept.view)

    def _is_current(self, view: View, corpus: str, epoch: int | None) -> bool:
        from clausegraph.indexes.corpora import get_corpus

        return view.wake() and (epoch is not None or get_corpus(self.ledger, corpus).published == view.epoch)

    def _shut(self, view: View) -> None:
        self._views.discard(view)
        view.close()

    @contextmanager
    def projections(self) -> Iterator[Projections]:
        """What whoever changes epochs has to take along, as the settings say.

        Raises:
            SettingsError: Neo4j is to follow, but has no password, or its driver is not installed.
        """
        with opened_projections(self.settings, self.ledger_to_change()) as projections:
            yield projections

    def close(self) -> None:
        """Give every view back and close models, servers and ledger; whoever still reads a view finds it expired."""
        with self._lock:
            self._is_closed = True
            for view in tuple(self._views):
                self._shut(view)
            self._kept.clear()
            self._opened.close()

    def __enter__(self) -> Workspace:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _open(self) -> Iterator[None]:
        """The lock, while it is open."""
        with self._lock:
            if self._is_closed:
                raise WorkspaceClosed(f"the workspace of {self.settings.home} is closed; make a new one")
            yield


def _other_model(view: View, expected: str) -> str:
    return (
        f"corpus {view.corpus!r} at epoch {view.epoch} was embedded by {view.model}, but the settings name "
        f"{expected}; set CLAUSEGRAPH_EMBEDDING_MODEL (and its pooling, length and instruction) as they "
        f"were, or run `clausegraph ingest SOURCE --corpus {shlex.quote(view.corpus)}` to embed it with the new one"
    )
