"""A view: graph, vectors and texts of exactly one epoch, held by a lock that vacuum respects."""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import select

from clausegraph.core.errors import ClauseGraphError, NotFoundError, StoreError, ViewExpired
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.types import PageKey, PlacedRule, Reading, Rule
from clausegraph.indexes.contradictions.compare import Pair
from clausegraph.indexes.contradictions.stored import stored_pairs
from clausegraph.indexes.corpora import CorpusRow, find_epoch, get_corpus, get_published
from clausegraph.indexes.graph.protocol import Graph
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.hidden import hidden_places
from clausegraph.indexes.ledger.cells import damage_error
from clausegraph.indexes.ledger.dialect import without_index
from clausegraph.indexes.ledger.readers import EpochHold, EpochReads, holds_of
from clausegraph.indexes.ledger.schema import (
    FLIPPED,
    FROZEN,
    epochs,
    members,
    on_pages,
    page_versions,
    pages,
    seen_at,
    sources,
    vectors,
)
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.lexical import StoredWords
from clausegraph.indexes.truth import load_reading, stated_rules
from clausegraph.indexes.vectors.protocol import VisibleVectors, with_ties
from clausegraph.indexes.vectors.segments import open_segments

Name = tuple[PageKey | None, str]  # page and ref of a vector
T = TypeVar("T")
GraphAt = Callable[[Ledger, CorpusRow, int], Graph]  # the graph of a corpus at an epoch
_PAGES, _RULES = 1000, 10_000  # kept decoded
_TRIES = 50  # epochs that may be published and removed while one is opened
_PAUSE_S = 0.02


@dataclass(frozen=True, slots=True)
class VectorHit:
    """A vector found: ``ref`` is a chunk key, an anchor, a fact id or the key of a rule.

    A fact has a vector on each page that states it, and comes with that page; with none where it stands for all of
    them (:meth:`View.search_facts`).
    """

    kind: str
    page: PageKey | None
    ref: str
    score: float  # inner product of unit vectors


class View:
    """What a reader holds. Close it, or use it as a context manager, so that its epoch can be vacuumed.

    Where its epoch is removed all the same (no lock could be had, or the corpus was dropped), it has ended: it never
    shows a part of an epoch.
    """

    def __init__(
        self,
        ledger: Ledger,
        corpus: CorpusRow,
        epoch: int,
        model: str,
        held: EpochHold | None,
        state: str = FLIPPED,
    ) -> None:
        self._ledger = ledger
        self._reads = EpochReads(ledger, corpus.id, corpus.name, epoch, state)
        self._reads.held = held
        self._corpus_id = corpus.id
        self._segments: dict[str, list[VisibleVectors]] = {}
        self._readings: OrderedDict[PageKey, Reading] = OrderedDict()
        self._rules: OrderedDict[PageKey, tuple[PlacedRule, ...]] = OrderedDict()
        self._stated: dict[tuple[PageKey, str], Rule] = {}
        self._hidden: dict[PageKey, frozenset[str]] | None = None
        self._pages: tuple[PageKey, ...] | None = None
        self._named: dict[int, tuple[PageKey, str]] = {}
        self.corpus = corpus.name
        self.epoch = epoch
        self.model = model
        self.words = StoredWords(self._reads, corpus.id, epoch)
        self.graph: Graph = SqlGraph(self._reads, corpus.id, epoch)

    def page_keys(self) -> tuple[PageKey, ...]:
        """The pages of the epoch, in order."""
        self._reads.check_open()
        if self._pages is None:
            self._pages = self._load_pages()
        return self._pages

    def reading(self, page: PageKey) -> Reading:
        """Elements and chunks of a page of this epoch."""
        return self._kept(self._readings, page, self._load_reading)

    def rules(self, page: PageKey) -> tuple[PlacedRule, ...]:
        """The rules of a page, by key; none of a page that the epoch does not have."""
        return self._kept(self._rules, page, lambda wanted: tuple(self.graph.rules_on(wanted)))

    def rules_on(self, page: PageKey, anchors: Collection[str]) -> list[PlacedRule]:
        """The rules of a page that are on one of the elements."""
        wanted = set(anchors)
        return [one for one in self.rules(page) if any(span.anchor in wanted for span in one.rule.spans)]

    def rules_named(self, wanted: Collection[tuple[PageKey, str]]) -> dict[tuple[PageKey, str], Rule]:
        """Those of the rules of these pages and keys that there are; other rules of the pages are not read for them."""
        self._reads.check_open()
        kept = self._stated if len(self._stated) < _RULES else {}
        if lacking := [one for one in wanted if one not in kept]:
            found = stated_rules(self._reads, self._corpus_id, self.epoch, lacking)
            kept = self._stated = kept | found  # at once: threads share a view
        return {one: kept[one] for one in wanted if one in kept}

    def contradicting(self, of: Collection[PageKey] | None = None) -> list[Pair]:
        """The pairs of assertions that cannot both hold: of the epoch, or of some pages with any."""
        self._reads.check_open()
        return stored_pairs(self._reads, self._corpus_id, self.epoch, of)

    def hidden_on(self, page: PageKey) -> frozenset[str]:
        """The elements of a page from which a statement was read that a curator hides: anchors."""
        self._reads.check_open()
        if self._hidden is None:
            with self._reads.read() as connection:
                self._hidden = hidden_places(connection, self._corpus_id, self.epoch)
        return self._hidden.get(page, frozenset())

    def search(self, kind: str, vector: Vectors, limit: int) -> list[VectorHit]:
        """The ``limit`` of a kind ("chunk", "element", "fact" or "rule") nearest to a vector of shape (dimension,) and
        length 1. Order: score descending, then page and ref, at the cut too: not the order in which they came."""
        self._reads.check_open()
        ids, scores = np.empty(0, np.int64), np.empty(0)
        for segment in self._visible(kind):
            least = float(scores[limit - 1]) if 0 < limit <= len(scores) else -math.inf
            near = segment.search(vector, limit, least)
            ids, scores = with_ties(np.append(ids, near[0]), np.append(scores, near[1]), limit)
        found = ids.tolist()
        names = self._names(found)
        if any(identity not in names for identity in found):
            self._compare(kind)
            return self.search(kind, vector, limit)
        order = ((-score, *names[one]) for one, score in zip(found, scores.tolist(), strict=True))
        near_first = sorted(order, key=lambda one: (one[0], one[1].source, one[1].uri, one[2]))  # pages compare slowly
        return [VectorHit(kind, page, ref, -score) for score, page, ref in near_first[: max(limit, 0)]]

    def search_facts(self, vector: Vectors, limit: int) -> list[VectorHit]:
        """The ``limit`` nearest facts of the epoch, each once and without a page, by the page that states it best."""
        wide = 2 * limit
        while True:
            hits = self.search("fact", vector, wide)
            best: dict[str, VectorHit] = {}
            for hit in hits:
                best.setdefault(hit.ref, VectorHit(hit.kind, None, hit.ref, hit.score))
            if len(best) >= limit or len(hits) < wide:
                return sorted(best.values(), key=lambda hit: (-hit.score, hit.ref))[:limit]
            wide *= 2

    def vectors(self, kind: str) -> tuple[list[Name], Vectors]:
        """Every vector of a kind: its (page, ref) and the matrix, shape (n, d), rows in the same order."""
        self._reads.check_open()
        parts = [segment.everything() for segment in self._visible(kind)]
        ids: NDArray[np.int64] = np.concatenate([part[0] for part in parts]) if parts else np.empty(0, np.int64)
        names = self._names(ids.tolist())
        if any(identity not in names for identity in ids.tolist()):
            self._compare(kind)
            return self.vectors(kind)
        matrix = np.concatenate([part[1] for part in parts]) if parts else np.empty((0, 0), np.float32)
        return [names[identity] for identity in ids.tolist()], matrix

    def rest(self) -> None:
        """Let the epoch go while nobody reads, but keep what was built; :meth:`wake` before reading on."""
        held, self._reads.held = self._reads.held, None
        if held is not None:
            held.close()

    def wake(self) -> bool:
        """Hold the epoch again; false: it is gone or about to go, or the view was closed."""
        try:
            with self._reads.read():
                pass
            if self._reads.held is None:
                self._reads.held = holds_of(self._ledger).hold(self._corpus_id, self.epoch)
            with self._reads.read():
                return True
        except (NotFoundError, ViewExpired):
            self.rest()
            return False

    def close(self) -> None:
        """Let the epoch go for good; a second time nothing happens."""
        self._reads.close()
        self.rest()

    def __enter__(self) -> View:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _kept(self, cache: OrderedDict[PageKey, T], page: PageKey, load: Callable[[PageKey], T]) -> T:
        """What is kept of a page, or is loaded now; the oldest goes when there are too many."""
        self._reads.check_open()
        kept = cache.get(page)  # another thread may drop it at any moment
        if kept is None:
            kept = cache[page] = load(page)
            if len(cache) > _PAGES:
                cache.popitem(last=False)
        return kept

    def _load_reading(self, page: PageKey) -> Reading:
        # by the page's name, or all pages would be listed for one, and its versions, or all members looked through
        there = members.join(page_versions, page_versions.c.id == members.c.page_version_id)
        there = there.join(pages, pages.c.id == page_versions.c.page_id)
        there = there.join(sources, sources.c.id == pages.c.source_id)
        shown = (without_index(members.c.corpus_id) == self._corpus_id, seen_at(members, self.epoch))
        named = (sources.c.corpus_id == self._corpus_id, sources.c.name == page.source, pages.c.uri == page.uri)
        query = select(members.c.page_version_id).select_from(there).where(*shown, *named)
        with self._reads.read() as connection:
            version_id = connection.execute(query).scalar()
            if version_id is not None:
                return load_reading(connection, version_id)
        if page not in self.page_keys():
            raise NotFoundError(f"page {page} is not in epoch {self.epoch} of corpus {self.corpus!r}")
        raise damage_error(members.c.page_version_id, str(page), "there is no such row, though a page refers to it")

    def _load_pages(self) -> tuple[PageKey, ...]:
        query = select(sources.c.name, pages.c.uri).select_from(on_pages(members))
        shown = query.where(members.c.corpus_id == self._corpus_id, seen_at(members, self.epoch))
        rows = self._reads.rows(shown.order_by(sources.c.name, pages.c.uri))
        return tuple(PageKey(row.name, row.uri) for row in rows)

    def _visible(self, kind: str) -> list[VisibleVectors]:
        if kind not in self._segments:
            self._open(kind)
        return self._segments[kind]

    def _compare(self, kind: str) -> None:
        """A vector was found that has no row any more: from now on each is compared with the rows."""
        self._open(kind, compared=True)

    def _open(self, kind: str, *, compared: bool = False) -> None:
        of_epoch = (self._ledger, self._reads, self._corpus_id, self.epoch, self.model, kind)
        self._segments[kind] = open_segments(*of_epoch, compared=compared)

    def _names(self, ids: list[int]) -> dict[int, tuple[PageKey, str]]:
        """Page and ref of each vector id; rows never change, so what was looked up once is kept."""
        query = select(vectors.c.id, vectors.c.ref, sources.c.name, pages.c.uri).select_from(on_pages(vectors))
        unknown = [identity for identity in ids if identity not in self._named]
        for row in self._reads.rows_of(query, vectors.c.id, unknown):
            self._named[row.id] = (PageKey(row.name, row.uri), row.ref)
        return self._named


def open_view(ledger: Ledger, corpus_name: str, epoch: int | None = None, graph_at: GraphAt | None = None) -> View:
    """A view of the published epoch, or of a retained older one. ``graph_at`` is where its graph is read from, in place
    of the ledger."""
    corpus = get_corpus(ledger, corpus_name)
    view = _held_view(ledger, corpus, epoch)
    if graph_at is not None:
        try:
            view.graph = graph_at(ledger, corpus, view.epoch)
        except StoreError:
            view.close()
            raise
    return view


def prepared_view(ledger: Ledger, corpus_name: str, epoch: int) -> View:
    """A view of an epoch that is prepared and that no reader may get yet, for whoever decides that, and has the corpus'
    lease: so nobody removes it. Its graph is read from the ledger."""
    corpus = get_corpus(ledger, corpus_name)
    of_it = (epochs.c.corpus_id == corpus.id, epochs.c.number == epoch, epochs.c.state == FROZEN)
    model = ledger.value(select(epochs.c.model).where(*of_it))
    if model is None:
        raise NotFoundError(f"no epoch {epoch} of corpus {corpus.name!r} is being published")
    return View(ledger, corpus, epoch, model, None, FROZEN)


def _held_view(ledger: Ledger, corpus: CorpusRow, epoch: int | None) -> View:
    """Hold it, then look whether the epoch is still there: whoever removes epochs afterwards finds it held.

    The published one may be replaced, and even be on its way out, before it is held; then the next one is tried.
    """
    tries = _TRIES if epoch is None else 1
    while True:
        with ledger.read() as connection:
            number = get_published(connection, corpus) if epoch is None else epoch
            if epoch is not None:
                find_epoch(connection, corpus, number)
        held = None
        try:
            held = holds_of(ledger).hold(corpus.id, number)
            with ledger.read() as connection:
                return View(ledger, corpus, number, find_epoch(connection, corpus, number), held)
        except ClauseGraphError as error:
            if held is not None:
                held.close()
            tries -= 1
            if not tries or not isinstance(error, NotFoundError):
                raise
            time.sleep(_PAUSE_S)
