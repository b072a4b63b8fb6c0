"""BM25 over the chunks of an epoch, from words that are counted once, when a page version is stored.

Lucene's BM25 (k1 1.5, b 0.75): a chunk's score is the sum over the terms t of a text that it has, of
``idf(t) * tf / (tf + k1 * (1 - b + b * length / mean length))`` with ``idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))``
for N chunks, n of them with t. N, n and the mean length are those of the epoch, so a publish changes no stored row.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from pydantic import TypeAdapter
from sqlalchemy import ColumnElement, and_, func, select

from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.ledger.cells import damage_error, decode_json
from clausegraph.indexes.ledger.schema import chunk_words, members, page_versions, pages, postings, seen_at, sources
from clausegraph.indexes.ledger.store import Reads
from clausegraph.indexes.words import BYTES, COUNTS, count_words, stems

K1, B = 1.5, 0.75
_KEYS = TypeAdapter(list[str])
_PAGE = 32  # bits of the number of a chunk below the number of its page


@dataclass(frozen=True, slots=True)
class Posting:
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


class Words(Protocol):
    """The counted words of some pages, which have numbers."""

    @property
    def totals(self) -> tuple[int, int]: ...  # chunks, and terms in all of them

    def postings(self, terms: Collection[str]) -> Sequence[Posting]: ...  # where they have the terms

    def chunks(self, numbers: Collection[int]) -> dict[int, tuple[PageKey, Sequence[str]]]: ...  # keys of their chunks


def search_words(words: Words, text: str, limit: int) -> list[LexicalHit]:
    """The ``limit`` best chunks for a text. Order: score descending, then page and chunk key."""
    found = words.postings(set(stems(text))) if limit > 0 else ()
    if not found:
        return []
    places, scores = _scores(found, *words.totals)
    if len(scores) > limit:  # ties at the cut stay in until the total order has spoken
        best = scores >= np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places, scores = places[best], scores[best]
    named = words.chunks(set((places >> _PAGE).tolist()))
    hits = []
    for place, score in zip(places.tolist(), scores.tolist(), strict=True):
        page, keys = named[place >> _PAGE]
        number = place & (1 << _PAGE) - 1
        if number >= len(keys):
            raise damage_error(postings.c.counts, str(page), f"chunk {number} of {len(keys)}")
        hits.append(LexicalHit(page, keys[number], score))
    return sorted(hits, key=lambda hit: (-hit.score, hit.page, hit.ref))[:limit]


def _scores(found: Iterable[Posting], chunks: int, terms: int) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The places that have a term, ascending, and their scores. A place is a page's number and that of its chunk."""
    by_term: dict[str, list[Posting]] = {}
    for one in found:
        by_term.setdefault(one.term, []).append(one)
    mean = terms / max(chunks, 1)
    places, scores = [], []
    for _, of_term in sorted(by_term.items()):
        numbers = np.frombuffer(b"".join(one.counts for one in of_term), COUNTS).reshape(-1, 3).astype(np.int64)
        page = np.repeat([one.page for one in of_term], [len(one.counts) // BYTES for one in of_term])
        there = len(numbers)
        idf = np.log(1 + (0.5 + max(chunks, there) - there) / (0.5 + there))
        count, length = numbers[:, 1], numbers[:, 2]
        places.append((page.astype(np.int64) << _PAGE) + numbers[:, 0])
        scores.append(idf * count / (count + K1 * (1 - B + B * length / mean)))
    unique, at = np.unique(np.concatenate(places), return_inverse=True)
    return unique, np.round(np.bincount(at, np.concatenate(scores)), 6)  # so that sums in another order are ties, too


class StoredWords:
    """The ``Words`` of an epoch, as the ledger has them: a page's number is that of its version."""

    def __init__(self, reads: Reads, corpus_id: int, epoch: int) -> None:
        self._reads, self._corpus_id, self._epoch = reads, corpus_id, epoch

    @cached_property
    def totals(self) -> tuple[int, int]:
        query = select(
            func.sum(chunk_words.c.chunks).label("chunks"), func.sum(chunk_words.c.terms).label("terms")
        ).where(chunk_words.c.version_id == members.c.page_version_id, self._visible())
        row = self._reads.rows(query)[0]
        return int(row.chunks or 0), int(row.terms or 0)

    def postings(self, terms: Collection[str]) -> list[Posting]:
        wanted = postings.c.corpus_id == self._corpus_id, postings.c.term.in_(sorted(terms))
        joined = members.c.page_version_id == postings.c.version_id
        columns = postings.c.term, postings.c.version_id, postings.c.counts
        query = select(*columns).where(*wanted, joined, self._visible())
        found = [Posting(row.term, row.version_id, row.counts) for row in self._reads.rows(query)]
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


class CountedWords:
    """The ``Words`` of pages that no ledger has, counted here."""

    def __init__(self, readings: Iterable[tuple[PageKey, Reading]]) -> None:
        self.pages = [(page, count_words(reading.chunks)) for page, reading in readings]

    @property
    def totals(self) -> tuple[int, int]:
        return sum(len(words.keys) for _, words in self.pages), sum(sum(words.lengths) for _, words in self.pages)

    def postings(self, terms: Collection[str]) -> list[Posting]:
        return [
            Posting(term, number, words.counts[term])
            for number, (_, words) in enumerate(self.pages)
            for term in words.counts.keys() & set(terms)
        ]

    def chunks(self, numbers: Collection[int]) -> dict[int, tuple[PageKey, Sequence[str]]]:
        return {number: (self.pages[number][0], self.pages[number][1].keys) for number in numbers}
