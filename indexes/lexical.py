"""BM25 over the chunks of an epoch, from words that are counted once, when a page version is stored.

Lucene's BM25 (k1 1.5, b 0.75): a chunk's score is the sum over the terms t of a text that it has, of
``idf(t) * tf / (tf + k1 * (1 - b + b * length / mean length))`` with ``idf(t) = ln(1 + (N - n + 0.5) / (n + 0.5))``
for N chunks, n of them with t. N, n and the mean length are those of the epoch, so a publish changes no stored row.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from threading import Lock

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Text, cast, func, select

from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.ledger.cells import damage_error
from clausegraph.indexes.ledger.schema import members, page_versions, page_words, pages, postings, seen_at, sources
from clausegraph.indexes.ledger.store import Reads
from clausegraph.indexes.postings import EVERY, SPAN, Entries, chunks_in, of_terms, read_entries, versions_in
from clausegraph.indexes.words import PageWords, chunk_keys, count_words, stems, stored_words

K1, B = 1.5, 0.75
_PAGE = 32  # bits of the number of a chunk below the number of its page
_CHUNK = (1 << _PAGE) - 1
_MOST_NAMED = 50_000  # pages whose keys are kept: 100 MB
_MANY, _LOOKED_UP = 50_000, 20  # chunks that have a term; how often as long it takes to look one up as to add one up
_SAMPLES = 5  # terms whose chunks tell what the best have at least
_MOST_KEPT = 48_000_000  # chunks that have a term, of all terms that are kept: 600 MB, where there are a million chunks


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A chunk that shares words with a text; ``score`` is its BM25 score, above 0."""

    page: PageKey
    ref: str  # chunk key
    score: float


Weighed = tuple[NDArray[np.int32], NDArray[np.float64], float]  # where a term is, ascending, what it adds, and at most
BlockPages = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]  # numbers, counts of chunks, and lengths
Named = tuple[PageKey, Sequence[str]]  # a page, and the keys of its chunks
Placed = tuple[NDArray[np.int32], NDArray[np.int64]]  # where chunks stand that have a term, and how often they do
_NONE: Placed = (np.empty(0, np.int32), np.empty(0, np.int64))
Places = tuple[NDArray[np.int64], NDArray[np.float64]]  # a page's number and that of its chunk; scores


def search_words(words: Words, text: str, limit: int) -> list[LexicalHit]:
    """The ``limit`` best chunks for a text. Order: score descending, then page and chunk key."""
    terms = set(stems(text))
    if limit < 1 or not terms:
        return []
    places, scores = words.best(terms, limit)  # ties at the cut stay in until the total order has spoken
    named = words.named(set((places >> _PAGE).tolist()))
    found = []
    for place, score in zip(places.tolist(), scores.tolist(), strict=True):
        page, keys = named[place >> _PAGE]
        number = place & _CHUNK
        if number >= len(keys):
            raise damage_error(page_words.c.chunk_keys, str(page), f"chunk {number} of {len(keys)}")
        found.append((-score, page.source, page.uri, keys[number]))  # there may be a thousand copies: no objects
    best = sorted(found)[:limit]
    return [LexicalHit(PageKey(source, uri), key, -score) for score, source, uri, key in best]


@dataclass(frozen=True, slots=True)
class ShownChunks:
    """The numbers of pages that have chunks, where their chunks begin in an array of all chunks, and the length of each
    chunk in terms."""

    numbers: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]

    @property
    def chunks(self) -> int:
        return len(self.lengths)

    @property
    def terms(self) -> int:
        return int(self.lengths.sum())

    def places(self, at: NDArray[np.integer]) -> NDArray[np.int64]:
        """The pages' and the chunks' numbers of chunks, given where they stand."""
        page = np.searchsorted(self.starts, at, side="right") - 1
        places: NDArray[np.int64] = (self.numbers[page] << _PAGE) + at - self.starts[page]
        return places


class Words:
    """The counted words of some pages, which have numbers. What was read of a term is kept: the next question often has
    it too."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, Weighed] = OrderedDict()
        self._named: dict[int, Named] = {}
        self._lock = Lock()  # threads share a view

    @cached_property
    def loose(self) -> Mapping[int, PageWords]:
        """Pages by number, but those that are in blocks."""
        raise NotImplementedError

    def chunks(self, numbers: Collection[int]) -> dict[int, Named]:
        """Pages by number, with the keys of their chunks."""
        raise NotImplementedError

    def named(self, numbers: Collection[int]) -> Mapping[int, Named]:
        """As :meth:`chunks`, of which the last are kept: copies of a page are all looked at to choose among equals."""
        kept = self._named if len(self._named) < _MOST_NAMED else {}
        if lacking := [number for number in numbers if number not in kept]:
            kept = self._named = kept | self.chunks(lacking)  # at once: threads share a view
        return kept

    @cached_property
    def _in_blocks(self) -> dict[int, BlockPages]:
        """The pages of each block that have chunks, by the block."""
        return {}

    def _read_blocks(self, terms: Sequence[str]) -> dict[str, Placed]:
        """Where chunks in blocks stand that have the terms, and how often they have them."""
        del terms
        return {}

    @cached_property
    def shown(self) -> ShownChunks:
        """The chunks of the pages."""
        loose = [(number, len(words.lengths)) for number, words in self.loose.items() if words.lengths]
        alone = np.array(loose, np.int64).reshape(-1, 2)
        lengths = np.array([length for words in self.loose.values() for length in words.lengths], np.int64)
        parts = [*self._in_blocks.values(), (alone[:, 0], alone[:, 1], lengths)]
        numbers, counts, lengths = (np.concatenate(column) for column in zip(*parts, strict=True))
        return ShownChunks(numbers, np.cumsum(counts) - counts, lengths)

    @cached_property
    def _loose_starts(self) -> dict[int, int]:
        """Where the chunks of loose pages begin."""
        numbers = [number for number, words in self.loose.items() if words.lengths]
        starts = self.shown.starts[len(self.shown.starts) - len(numbers) :].tolist()
        return dict(zip(numbers, starts, strict=True))

    @cached_property
    def _dampers(self) -> NDArray[np.float64]:
        """Of each chunk what its length adds below the line."""
        shown = self.shown
        mean = shown.terms / max(shown.chunks, 1)
        dampers: NDArray[np.float64] = np.float64(K1) * (1 - B + B * shown.lengths / mean)
        return dampers

    def best(self, terms: Collection[str], limit: int) -> Places:
        """Where chunks have the terms: the ``limit`` best, and what is as good as the last of them.

        Terms that add little come last, and are looked up only in the chunks that can still be among the best, once
        these are few (MaxScore; Turtle and Flood 1995).
        """
        there_are = (one for one in self._of_terms(sorted(terms)) if len(one[0]))
        weighed = sorted(there_are, key=lambda one: -one[2])
        scores, found = np.zeros(self.shown.chunks), None
        rest = sum(most for _, _, most in weighed)
        for at, weights, most in weighed:
            if found is None and len(at) > max(_MANY, len(scores) // 4):
                found = _within_reach(scores, weighed, limit, rest)
                found = None if found is None or len(found) > len(at) // _LOOKED_UP else found
            if found is None:
                np.add.at(scores, at, weights)  # thrice as quick as an assignment, and each is there once
            else:
                there = np.minimum(np.searchsorted(at, found), len(at) - 1)
                has = at[there] == found
                scores[found[has]] += weights[there[has]]
            rest -= most
        if found is None and (found := _within_reach(scores, weighed, limit, 0.0)) is None:
            found = np.flatnonzero(scores).astype(np.int32)
        exact = np.round(scores[found], 6)  # so that sums in another order are ties, too
        least = np.partition(exact, -limit)[-limit] if len(exact) > limit else 0.0
        best = (exact >= least) & (exact > 0)
        return self.shown.places(found[best]), exact[best]

    def having(self, terms: Iterable[str]) -> dict[str, list[tuple[int, int]]]:
        """The pages' and chunks' numbers of the chunks that have each of the terms, in order; without terms that none
        has."""
        wanted = sorted(set(terms))
        ats = (at for at, _, _ in self._of_terms(wanted))
        found = {term: self.shown.places(at).tolist() for term, at in zip(wanted, ats, strict=True) if len(at)}
        return {term: [(one >> _PAGE, one & _CHUNK) for one in places] for term, places in found.items()}

    def _of_terms(self, terms: Sequence[str]) -> list[Weighed]:
        """Where the chunks stand that have each of the terms, and what it adds to their scores."""
        with self._lock:
            found = {term: self._kept[term] for term in terms if term in self._kept}
        wanted = [term for term in terms if term not in found]
        placed = self._read_blocks(wanted)
        new = {term: self._weighed(term, placed.get(term, _NONE)) for term in wanted}
        found |= new
        with self._lock:
            self._kept |= new
            while sum(len(at) for at, _, _ in self._kept.values()) > _MOST_KEPT:
                self._kept.popitem(last=False)
        return [found[term] for term in terms]

    def _weighed(self, term: str, placed: Placed) -> Weighed:
        found = [(start, self.loose[number].counts.get(term, ())) for number, start in self._loose_starts.items()]
        alone = [
            (start + number, count) for start, one in found for number, count in zip(one[::2], one[1::2], strict=True)
        ]
        table = np.array(alone, np.int64).reshape(-1, 2)
        at, counts = np.append(placed[0], table[:, 0].astype(np.int32)), np.append(placed[1], table[:, 1])
        chunks, there = self.shown.chunks, len(at)
        idf = np.log(1 + (0.5 + max(chunks, there) - there) / (0.5 + there))
        weights = idf * counts / (counts + self._dampers[at])
        return at, weights, float(weights.max(initial=0.0))


def _within_reach(
    scores: NDArray[np.float64], weighed: Sequence[Weighed], limit: int, rest: float
) -> NDArray[np.int32] | None:
    """The chunks that with ``rest`` more could be among the ``limit`` best; None where any could."""
    many = [at for at, _, _ in weighed if len(at) >= limit][:_SAMPLES]
    least = max((np.partition(scores[at], -limit)[-limit] for at in many), default=0.0) - rest - 2e-6
    return np.flatnonzero(scores >= least).astype(np.int32) if least > 0 else None


class StoredWords(Words):
    """The words of an epoch, as the ledger has them: a page's number is that of its version."""

    def __init__(self, reads: Reads, corpus_id: int, epoch: int) -> None:
        super().__init__()
        self._reads, self._corpus_id, self._epoch = reads, corpus_id, epoch

    @cached_property
    def _visible(self) -> NDArray[np.int64]:
        """The versions of the epoch, ascending."""
        mine = (members.c.corpus_id == self._corpus_id, seen_at(members, self._epoch))
        ids = func.aggregate_strings(cast(members.c.page_version_id, Text), ",")  # in one cell: there may be 60,000
        text = self._reads.value(select(ids).where(*mine)) or ""
        return np.unique(np.fromstring(text, np.int64, sep=","))

    @cached_property
    def _blocks(self) -> list[int]:
        """The blocks that have, or may come to have, these versions, ascending."""
        blocks: list[int] = np.unique(self._visible // SPAN).tolist()
        return blocks

    @cached_property
    def _in_blocks(self) -> dict[int, BlockPages]:
        found: dict[int, BlockPages] = {}
        for row in self._reads.rows(of_terms(self._corpus_id, self._blocks, [EVERY])):
            entries = read_entries(row)
            number = versions_in(entries)
            seen = np.zeros(SPAN, np.bool_)
            seen[self._visible[self._visible // SPAN == row.block] % SPAN] = True
            counts = np.where(seen, np.bincount(number, minlength=SPAN), 0)
            lengths = entries[seen[number], 1].astype(np.int64)
            found[row.block] = (np.flatnonzero(counts) + SPAN * row.block, counts[counts > 0], lengths)
        return found

    @cached_property
    def loose(self) -> Mapping[int, PageWords]:
        """Pages by number, but those that are in blocks."""
        there = [numbers for numbers, _, _ in self._in_blocks.values()]
        wanted = np.setdiff1d(self._visible, np.concatenate([self._visible[:0], *there]), assume_unique=True).tolist()
        with self._reads.read() as connection:
            found = dict(stored_words(connection, wanted))
        for number in set(wanted) - found.keys():
            raise damage_error(page_words.c.words, number, "there is no such row, though a page refers to it")
        return found

    @cached_property
    def _table(self) -> NDArray[np.int32]:
        """By block, and by the number of a version within it, where its chunks begin; -1 for any that is not read from
        blocks."""
        table, begin = np.full((len(self._blocks), SPAN), -1, np.int32), 0
        for block, (numbers, _, _) in self._in_blocks.items():
            end = begin + len(numbers)
            table[self._blocks.index(block), numbers % SPAN] = self.shown.starts[begin:end]
            begin = end
        return table

    def _read_blocks(self, terms: Sequence[str]) -> dict[str, Placed]:
        rows: dict[str, list[tuple[int, Entries]]] = {}
        for row in self._reads.rows(of_terms(self._corpus_id, self._blocks, terms)):
            rows.setdefault(row.term, []).append((self._blocks.index(row.block), read_entries(row)))
        return {term: self._placed(parts) for term, parts in rows.items()}

    def _placed(self, parts: Sequence[tuple[int, Entries]]) -> Placed:
        starts = np.concatenate([self._table[block][versions_in(part)] for block, part in parts])
        entries = np.concatenate([part for _, part in parts])
        at = starts + chunks_in(entries).astype(np.int32)
        seen = slice(None) if starts.min() >= 0 else starts >= 0
        return at[seen], entries[seen, 1].astype(np.int64)

    def chunks(self, numbers: Collection[int]) -> dict[int, Named]:
        found: dict[int, Named] = {}
        query = (
            select(page_words.c.version_id, page_words.c.chunk_keys, sources.c.name, pages.c.uri)
            .join(page_versions, page_versions.c.id == page_words.c.version_id)
            .join(pages, pages.c.id == page_versions.c.page_id)
            .join(sources, sources.c.id == pages.c.source_id)
        )
        for row in self._reads.rows_of(query, page_words.c.version_id, numbers):
            found[row.version_id] = (PageKey(row.name, row.uri), chunk_keys(row))
        for number in set(numbers) - found.keys():
            raise damage_error(page_words.c.version_id, number, "there is no such row, though a word refers to it")
        return found

    def starting(self, letter: str) -> list[str]:
        """Terms that begin with a letter, of any epoch."""
        query = select(postings.c.term).distinct().where(postings.c.corpus_id == self._corpus_id)
        query = query.where(postings.c.block.in_(self._blocks))
        found = self._reads.rows(query.where(postings.c.term >= letter, postings.c.term < chr(ord(letter) + 1)))
        loose = (term for words in self.loose.values() for term in words.counts if term.startswith(letter))
        return sorted({row.term for row in found}.union(loose))


class CountedWords(Words):
    """The words of pages that no ledger has, counted here."""

    def __init__(self, readings: Iterable[tuple[PageKey, Reading]]) -> None:
        super().__init__()
        self.pages = [(page, count_words(reading.chunks)) for page, reading in readings]

    @cached_property
    def loose(self) -> Mapping[int, PageWords]:
        """Pages by number, but those that are in blocks."""
        return {number: words for number, (_, words) in enumerate(self.pages)}

    def chunks(self, numbers: Collection[int]) -> dict[int, Named]:
        return {number: (self.pages[number][0], self.pages[number][1].keys) for number in numbers}
