"""What the ledger holds of one epoch, to look things up in: pages and facts, no vectors.

A ``View`` opens the vector side with it; looking something up should start in a blink, so this reads the
tables alone.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from sqlalchemy import Select, select

from clausegraph.app.services.records import (
    chunk_record,
    element_record,
    fact_record,
    page_record,
    passage_record,
    statement_words,
    support_record,
)
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, NotFoundError, StorageError
from clausegraph.core.types import Fact, PageKey, PlacedPassage, Reading, Support
from clausegraph.indexes.corpora import CorpusRow, find_epoch, get_corpus, get_published
from clausegraph.indexes.derive import statement_id
from clausegraph.indexes.graph.sql import SqlGraph
from clausegraph.indexes.ledger.cells import RESTORE
from clausegraph.indexes.ledger.schema import members, page_versions, pages, seen_at, sources, supports
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.runs import find_run, why_no_run
from clausegraph.indexes.truth import load_passages, load_reading

_FACT_ID = re.compile(r"[0-9a-f]{32}")
_RUN_ID = re.compile(r"[0-9a-f]{12}")
PREFIX = 4  # characters of a fact id that are enough to look for it
_NAMED = 5  # candidates named in a message


@dataclass(frozen=True, slots=True)
class Shelf:
    """The pages and the graph of a corpus at one epoch."""

    ledger: Ledger
    corpus: CorpusRow
    epoch: int
    graph: SqlGraph

    @property
    def at(self) -> dict[str, Any]:
        """The corpus and the epoch, as JSON values."""
        return {"corpus": self.corpus.name, "epoch": self.epoch}

    def versions(self) -> dict[PageKey, tuple[int, str | None]]:
        """Every page of the epoch with its version's id and title."""
        query = (
            select(sources.c.name, pages.c.uri, members.c.page_version_id, page_versions.c.title)
            .join(pages, pages.c.id == members.c.page_id)
            .join(sources, sources.c.id == pages.c.source_id)
            .join(page_versions, page_versions.c.id == members.c.page_version_id)
            .where(members.c.corpus_id == self.corpus.id, seen_at(members, self.epoch))
            .order_by(sources.c.name, pages.c.uri)
        )
        with self.ledger.read() as connection:
            return {PageKey(row.name, row.uri): (row.page_version_id, row.title) for row in connection.execute(query)}

    def reading(self, version: int) -> Reading:
        """Elements and chunks of a page version."""
        with self.ledger.read() as connection:
            return load_reading(connection, version)

    def read_once(self) -> Callable[[PageKey], Reading]:
        """What reads the pages that the graph names, each once.

        Raises:
            StorageError: the epoch does not have such a page.
        """
        listed = self.versions()

        @cache
        def read(page: PageKey) -> Reading:
            if page not in listed:
                said = f"statements of epoch {self.epoch} stand on {str(page)!r}, which it does not have"
                raise StorageError(f"{self.ledger.path} is damaged: {said}; {RESTORE}")
            return self.reading(listed[page][0])

        return read

    def find_page(self, name: str) -> tuple[PageKey, Reading] | None:
        """The page whose uri, ``source:uri`` or title is ``name``.

        Raises:
            InputError: several pages answer to it.
        """
        listed = self.versions()
        found = [key for key in listed if name in (key.uri, str(key))]
        if found:
            return _only(found, name), self.reading(listed[_only(found, name)][0])
        wanted = " ".join(name.lower().split())
        readings = {key: self.reading(version) for key, (version, _) in listed.items()}
        found = [key for key, reading in readings.items() if " ".join(reading.title.lower().split()) == wanted]
        return (_only(found, name), readings[found[0]]) if found else None

    def page(self, name: str) -> tuple[PageKey, Reading]:
        """The page of that name, as of :meth:`find_page`.

        Raises:
            NotFoundError: there is none.
            InputError: several pages answer to it.
        """
        found = self.find_page(name)
        if found is None:
            where = f"corpus {self.corpus.name!r} has no page {name[:200]!r} at epoch {self.epoch}"
            raise NotFoundError(f"{where}; `clausegraph pages` lists them")
        return found

    def find_fact(self, prefix: str) -> Fact | None:
        """The fact of that id, or the only one whose id begins so.

        Raises:
            InputError: several facts begin so.
        """
        if len(prefix) < PREFIX or not set(prefix) <= set("0123456789abcdef"):
            return None
        query = (
            select(supports.c.fact_id)
            .distinct()
            .where(supports.c.corpus_id == self.corpus.id, supports.c.fact_id.startswith(prefix))
            .where(seen_at(supports, self.epoch))
            .order_by(supports.c.fact_id)
            .limit(_NAMED + 1)
        )
        with self.ledger.read() as connection:
            ids = list(connection.execute(query).scalars())
        if len(ids) > 1:
            raise InputError(
                f"{len(ids)} or more facts begin with {prefix!r}: {', '.join(ids[:_NAMED])}; give more of the id"
            )
        found = self.graph.facts(ids)
        if len(found) < len(ids):
            raise StorageError(f"{self.ledger.path} is damaged: fact {ids[0]} is in its index alone; {RESTORE}")
        return found[0] if found else None

    def facts_on(self, page: PageKey, reading: Reading) -> list[Support]:
        """Every statement of a page, in its order."""
        place = {element.anchor: number for number, element in enumerate(reading.elements)}
        found = self.graph.supports_on(page, list(place))
        return sorted(found, key=lambda one: min((place.get(s.anchor, 0), s.start) for s in one.statement.spans))

    def passages_on(self, page: PageKey, reading: Reading) -> list[PlacedPassage]:
        """What the page says that no statement claims, in its order."""
        place = {element.anchor: number for number, element in enumerate(reading.elements)}
        with self.ledger.read() as connection:
            found = list(load_passages(connection, self.corpus.id, page, self.epoch))
        return sorted(found, key=lambda one: min((place.get(span.anchor, 0) for span in one.passage.spans), default=0))

    def found_page(self, page: PageKey, reading: Reading) -> FoundPage:
        """The page with all that was read from it."""
        return FoundPage(page, reading, tuple(self.facts_on(page, reading)), tuple(self.passages_on(page, reading)))


def _only(found: list[PageKey], name: str) -> PageKey:
    if len(found) > 1:
        names = ", ".join(str(key) for key in found[:_NAMED])
        raise InputError(f"{len(found)} pages answer to {name!r}: {names}; give SOURCE:URI")
    return found[0]


def open_shelf(ledger: Ledger, corpus_name: str, epoch: int | None = None) -> Shelf:
    """The published epoch of a corpus, or a retained older one.

    Raises:
        NotFoundError: no such corpus or epoch, or nothing published yet.
    """
    corpus = get_corpus(ledger, corpus_name)
    with ledger.read() as connection:
        number = get_published(connection, corpus) if epoch is None else epoch
        find_epoch(connection, corpus, number)
    return Shelf(ledger, corpus, number, SqlGraph(ledger, corpus.id, number))


@dataclass(frozen=True, slots=True)
class FoundRun:
    """A run as the ledger has it."""

    record: dict[str, Any]


@dataclass(frozen=True, slots=True)
class FoundPage:
    """A page with what is stated on it, and its passages, of which nothing is claimed."""

    page: PageKey
    reading: Reading
    stated: tuple[Support, ...]
    passages: tuple[PlacedPassage, ...]

    @property
    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return page_record(self.page, self.reading) | {
            "elements": [element_record(self.page, element) for element in self.reading.elements],
            "chunks": [chunk_record(self.page, chunk) for chunk in self.reading.chunks],
            "facts": [
                {"id": one.fact_id, "statement": statement_words(one.statement), "statement_id": statement_id(one)}
                for one in self.stated
            ],
            "passages": [passage_record(one, self.reading) for one in self.passages],
        }


@dataclass(frozen=True, slots=True)
class FoundFact:
    """A fact with its statements, each with the page it is on."""

    fact: Fact
    supports: tuple[tuple[Support, Reading], ...]

    @property
    def record(self) -> dict[str, Any]:
        """As JSON values."""
        return fact_record(self.fact) | {
            "supports": [support_record(support, reading) for support, reading in self.supports]
        }


def look_up(workspace: Workspace, corpus: str, name: str, epoch: int | None = None) -> FoundRun | FoundPage | FoundFact:
    """The run of that id; else the page of that uri or title, or the fact whose id begins so.

    Raises:
        NotFoundError: none of them, or no such corpus or epoch.
        InputError: several pages or facts answer to the name.
    """
    ledger = workspace.ledger
    corpus_id = get_corpus(ledger, corpus).id
    run = find_run(ledger, corpus_id, name)
    if run is not None:
        return FoundRun(run)
    shelf = open_shelf(ledger, corpus, epoch)
    whole = _FACT_ID.fullmatch(name) is not None  # a page with a fact's id as its title must not hide the fact
    fact = shelf.find_fact(name) if whole else None
    if fact is None and (page := shelf.find_page(name)) is not None:
        return shelf.found_page(*page)
    fact = fact or shelf.find_fact(name)
    if fact is None:
        if _RUN_ID.fullmatch(name):
            raise NotFoundError(why_no_run(ledger, corpus_id, name))
        raise NotFoundError(
            f"no page, fact or run {name[:80]!r} in epoch {shelf.epoch} of corpus {corpus!r}; "
            "`clausegraph status` lists runs, `clausegraph export --output FILE` writes pages and facts"
        )
    return _found_fact(shelf, fact)


def look_up_fact(workspace: Workspace, corpus: str, prefix: str, epoch: int | None = None) -> FoundFact:
    """The fact of that id, or the only one whose id begins so.

    Raises:
        NotFoundError: no such fact, corpus or epoch.
        InputError: several facts begin so.
    """
    shelf = open_shelf(workspace.ledger, corpus, epoch)
    fact = shelf.find_fact(prefix)
    if fact is None:
        raise NotFoundError(f"no fact {prefix[:80]!r} in epoch {shelf.epoch} of corpus {corpus!r}")
    return _found_fact(shelf, fact)


def _found_fact(shelf: Shelf, fact: Fact) -> FoundFact:
    read = shelf.read_once()
    return FoundFact(fact, tuple((one, read(one.page)) for one in shelf.graph.supports([fact.id])))


def page_ids(corpus_id: int, key: PageKey) -> Select[int]:
    """The id of a page's row."""
    named = (sources.c.corpus_id == corpus_id, sources.c.name == key.source, pages.c.uri == key.uri)
    return select(pages.c.id).join(sources, sources.c.id == pages.c.source_id).where(*named)
