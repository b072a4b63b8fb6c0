"""BM25 over the chunks of an epoch, from words that are counted once, when a page version is stored.

Lucene's BM25 (k1 1.5, b 0.75): a chunk's score is the sum over the terms t of a text that it has, of
``idf(t) * tf / (tf + k1 * (1 - b + b * length / mean length))`` with ``idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))``
for N chunks, n of them with t. N, n and the mean length are those of the epoch, so a publish changes no stored row.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, and_, select

from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.ledger.cells import damage_error, decode_json
from clausegraph.indexes.ledger.schema import chunk_words, members, page_versions, pages, postings, seen_at, sources
from clausegraph.indexes.ledger.store import Reads
from clausegraph.indexes.words import BYTES, COUNTS, count_words, stems

K1, B = 1.5, 0.75
_KEYS = TypeAdapter(list[str])
_PAGE = 32  # bits of the number of a chunk below the number of its page
_MOST_KEPT = 48_000_000  # chunks that have a term, of all terms that are kept: 600 MB, where there are a million chunks


class Posting(NamedTuple):
    """A term in a page; ``counts`` as ``words.PageWords`` has them."""

    term: str
    page: int
    counts: bytes


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A chunk that shares words with a text; ``score`` is its BM25 score, above 0."""

    page: PageKey
    ref: str  # chunk key
    score: float


Weighed = tuple[NDArray[np.int32], NDArray[np.float64]]  # where chunks stand that have a term, and what it adds
Places = tuple[NDArray[np.int64], NDArray[np.float64]]  # a page's number and that of its chunk; scores


def search_words(words: Words, text: str, limit: int) -> list[LexicalHit]:
    """The ``limit`` best chunks for a text. Order: score descending, then page and chunk key."""
    terms = set(stems(text))
    if limit < 1 or not terms:
        return []
    places, scores = words.best(terms, limit)  # ties at the cut stay in until the total order has spoken
    named = words.chunks(set((places >> _PAGE).tolist()))
    hits = []
    for place, score in zip(places.tolist(), scores.tolist(), strict=True):
        page, keys = named[place >> _PAGE]
        number = place & (1 << _PAGE) - 1
        if number >= len(keys):
            raise damage_error(postings.c.counts, str(page), f"chunk {number} of {len(keys)}")
        hits.append(LexicalHit(page, keys[number], score))
    return sorted(hits, key=lambda hit: (-hit.score, hit.page, hit.ref))[:limit]


def _weights(numbers: NDArray[np.int64], chunks: int, terms: int) -> NDArray[np.float64]:
    """What a term adds to the scores of the chunks that have it. ``numbers`` has of each how often, and its length."""
    there, mean = len(numbers), terms / max(chunks, 1)
    idf = np.log(1 + (0.5 + max(chunks, there) - there) / (0.5 + there))
    count, length = numbers[:, 0], numbers[:, 1]
    weights: NDArray[np.float64] = idf * count / (count + K1 * (1 - B + B * length / mean))
    return weights


@dataclass(frozen=True, slots=True)
class ShownChunks:
    """The numbers of pages, ascending, how many chunks each has, and where they begin in an array of all chunks."""

    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    terms: int  # in all chunks

    @property
    def chunks(self) -> int:
        return int(self.counts.sum())


class Words:
    """The counted words of some pages, which have numbers. What was read of a term is kept: the next question often has
    it too."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Weighed] = OrderedDict()
        self._lock = Lock()  # threads share a view

    def _pages(self) -> list[tuple[int, int, int]]:
        """Of each page its number, how many chunks it has, and how many terms these have."""
        raise NotImplementedError

    def _stored(self, terms: Collection[str]) -> Sequence[Posting]:
        """Where the pages, and maybe others, have the terms."""
        raise NotImplementedError

    def postings(self, terms: Collection[str]) -> list[Posting]:
        """Where the pages have the terms."""
        return [one for one in self._stored(terms) if one.page in self._numbers]

    @cached_property
    def _numbers(self) -> frozenset[int]:
        return frozenset(self.shown.numbers.tolist())

    def chunks(self, numbers: Collection[int]) -> dict[int, tuple[PageKey, Sequence[str]]]:
        """Pages by number, with the keys of their chunks."""
        raise NotImplementedError

    @cached_property
    def shown(self) -> ShownChunks:
        """The pages."""
        table = np.array(sorted(self._pages()), dtype=np.int64).reshape(-1, 3)
        numbers, counts, terms = (column.copy() for column in table.T)
        return ShownChunks(numbers, np.cumsum(counts) - counts, counts, int(terms.sum()))

    def best(self, terms: Collection[str], limit: int) -> Places:
        """Where chunks have the terms: the ``limit`` best, and what is as good as the last of them."""
        shown = self.shown
        scores = np.zeros(shown.chunks)
        for at, weights in self._of_terms(sorted(terms)):
            scores[at] += weights
        scores = np.round(scores, 6)  # so that sums in another order are ties, too
        least = np.partition(scores, len(scores) - limit)[len(scores) - limit] if len(scores) > limit else 0.0
        best = np.flatnonzero((scores >= least) & (scores > 0))
        page = np.searchsorted(shown.starts, best, side="right") - 1
        return (shown.numbers[page] << _PAGE) + best - shown.starts[page], scores[best]

    def _of_terms(self, terms: Sequence[str]) -> list[Weighed]:
        """Where the chunks stand that have each of the terms, and what it adds to their scores."""
        with self._lock:
            found = {term: self._kept[term] for term in terms if term in self._kept}
        by_term: dict[str, list[Posting]] = {term: [] for term in terms if term not in found}
        for one in self._stored(by_term.keys()) if by_term else ():
            by_term[one.term].append(one)
        new = {term: self._placed(there) for term, there in by_term.items()}
        found |= new
        with self._lock:
            self._kept |= new
            while sum(len(at) for at, _ in self._kept.values()) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return [found[term] for term in terms]

    def _placed(self, there: Sequence[Posting]) -> Weighed:
        shown = self.shown
        numbers = np.frombuffer(b"".join([one.counts for one in there]), COUNTS).reshape(-1, 3)
        sizes = np.fromiter((len(one.counts) // BYTES for one in there), dtype=np.int64, count=len(there))
        of = np.repeat(np.fromiter((one.page for one in there), dtype=np.int64, count=len(there)), sizes)
        page = np.searchsorted(shown.numbers, of)
        seen = page < len(shown.numbers)
        seen[seen] = shown.numbers[page[seen]] == of[seen]
        of, page, counts = of[seen], page[seen], numbers[seen].astype(np.int64)
        for at in np.flatnonzero(counts[:, 0] >= shown.counts[page])[:1]:
            text = f"chunk {counts[at, 0]} of {shown.counts[page[at]]}"
            raise damage_error(postings.c.counts, int(of[at]), text)
        places = (shown.starts[page] + counts[:, 0]).astype(np.int32)
        return places, _weights(counts[:, 1:], shown.chunks, shown.terms)


class StoredWords(Words):
    """The words of an epoch, as the ledger has them: a page's number is that of its version."""

    def __init__(self, reads: Reads, corpus_id: int, epoch: int) -> None:
        super().__init__()
        self._reads, self._corpus_id, self._epoch = reads, corpus_id, epoch

    def _pages(self) -> list[tuple[int, int, int]]:
        there = members.outerjoin(chunk_words, chunk_words.c.version_id == members.c.page_version_id)
        columns = members.c.page_version_id, chunk_words.c.chunks, chunk_words.c.terms
        rows = self._reads.rows(select(*columns).select_from(there).where(self._visible()))
        if lost := [row.page_version_id for row in rows if row.chunks is None]:
            raise damage_error(chunk_words.c.version_id, lost[0], "there is no such row, though a page refers to it")
        return [(row.page_version_id, row.chunks, row.terms) for row in rows]

    def _stored(self, terms: Collection[str]) -> list[Posting]:
        columns = postings.c.term, postings.c.version_id, postings.c.counts
        query = select(*columns).where(postings.c.corpus_id == self._corpus_id, postings.c.term.in_(sorted(terms)))
        found = [Posting._make(row) for row in self._reads.rows(query)]
        for one in found:
            if not one.counts or len(one.counts) % BYTES:
                raise damage_error(postings.c.counts, (one.term, one.page), f"{len(one.counts)} bytes")
        return found

    def chunks(self, numbers: Collection[int]) -> dict[int, tuple[PageKey, Sequence[str]]]:
        found: dict[int, tuple[PageKey, Sequence[str]]] = {}
        query = (
            select(chunk_words.c.version_id, chunk_words.c.chunk_keys, sources.c.name, pages.c.uri)
            .join(page_versions, page_versions.c.id == chunk_words.c.version_id)
            .join(pages, pages.c.id == page_versions.c.page_id)
            .join(sources, sources.c.id == pages.c.source_id)
        )
        for row in self._reads.rows_of(query, chunk_words.c.version_id, numbers):
            keys = decode_json(chunk_words.c.chunk_keys, row.version_id, row.chunk_keys, _KEYS)
            found[row.version_id] = (PageKey(row.name, row.uri), keys)
        for number in set(numbers) - found.keys():
            raise damage_error(chunk_words.c.version_id, number, "there is no such row, though a word refers to it")
        return found

    def starting(self, letter: str) -> list[str]:
        """Terms that begin with a letter, of any epoch."""
        query = select(postings.c.term).distinct().where(postings.c.corpus_id == self._corpus_id)
        query = query.where(postings.c.term >= letter, postings.c.term < chr(ord(letter) + 1))
        return [row.term for row in self._reads.rows(query)]

    def _visible(self) -> ColumnElement[bool]:
        return and_(members.c.corpus_id == self._corpus_id, seen_at(members, self._epoch))


class CountedWords(Words):
    """The words of pages that no ledger has, counted here."""

    def __init__(self, readings: Iterable[tuple[PageKey, Reading]]) -> None:
        super().__init__()
        self.pages = [(page, count_words(reading.chunks)) for page, reading in readings]

    def _pages(self) -> list[tuple[int, int, int]]:
        return [(number, len(words.keys), sum(words.lengths)) for number, (_, words) in enumerate(self.pages)]

    def _stored(self, terms: Collection[str]) -> list[Posting]:
        return [
            Posting(term, number, words.counts[term])
            for number, (_, words) in enumerate(self.pages)
            for term in words.counts.keys() & set(terms)
        ]

    def chunks(self, numbers: Collection[int]) -> dict[int, tuple[PageKey, Sequence[str]]]:
        return {number: (self.pages[number][0], self.pages[number][1].keys) for number in numbers}
