"""Postings: where each term is, in blocks of ``SPAN`` page versions, made of the words that each version has stored.

A row has a term in a block: of each chunk that has it the place, which is the number of its version within the block
and its own on the page, and how often. A version is in its block once the row of ``EVERY`` says so, a term that every
chunk has as often as it has terms. A reader takes any other version from its own row, so that a block may lack it, or
have a part of it, at any moment: a publish waits until some versions have come together, and one that was killed
between two rows has done no harm. What is removed is cut out of its block before its own row goes.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import ColumnElement, Connection, Row, Select, delete, insert, select

from clausegraph.core.errors import StorageError
from clausegraph.indexes.ledger.cells import damage_error
from clausegraph.indexes.ledger.leases import RunLease, check_fence
from clausegraph.indexes.ledger.schema import page_words, postings
from clausegraph.indexes.ledger.store import Ledger, batches
from clausegraph.indexes.words import PageWords, stored_words

SPAN = 4096  # versions of a block, by their ids
ENOUGH = 128  # versions in no block that are brought there together: to read their own rows takes some 20 ms
EVERY = ""
_ROWS_AT_ONCE = 250  # written in one transaction
_CHUNK = 20  # bits of a place that are the number of a chunk: no page of 20 MB has a million
_NUMBERS = np.dtype("<u4")  # two of them an entry: a place, and how often

Entries = NDArray[np.uint32]  # shape (n, 2), by place
log = logging.getLogger(__name__)


def read_entries(row: Row[Any]) -> Entries:
    """The entries of a row of postings."""
    if not row.entries or len(row.entries) % (2 * _NUMBERS.itemsize):
        raise damage_error(postings.c.entries, (row.term, row.block), f"{len(row.entries)} bytes")
    return np.frombuffer(row.entries, _NUMBERS).reshape(-1, 2)


def versions_in(entries: Entries) -> NDArray[np.uint32]:
    """The numbers of the versions of entries within their block."""
    return np.right_shift(entries[:, 0], np.uint32(_CHUNK))


def chunks_in(entries: Entries) -> NDArray[np.uint32]:
    """The numbers of the chunks of entries on their pages."""
    return np.bitwise_and(entries[:, 0], np.uint32((1 << _CHUNK) - 1))


def versions_of(row: Row[Any]) -> set[int]:
    """The versions that a row of postings has entries of."""
    return {SPAN * row.block + number for number in np.unique(versions_in(read_entries(row))).tolist()}


def of_terms(corpus_id: int, blocks: Collection[int], terms: Collection[str]) -> Select[Any]:
    """The rows of terms in blocks."""
    return select(postings).where(*_here(corpus_id, blocks, terms)).order_by(postings.c.block)


def _here(corpus_id: int, blocks: Collection[int], terms: Collection[str]) -> Iterator[ColumnElement[bool]]:
    yield postings.c.corpus_id == corpus_id
    yield from (postings.c.block.in_(list(blocks)), postings.c.term.in_(list(terms)))


def _inverted(pages: Iterable[tuple[int, PageWords]]) -> dict[str, bytearray]:
    """The entries of each term of some versions of one block."""
    found: dict[str, bytearray] = {}
    for version_id, words in pages:
        lengths = [number for pair in enumerate(words.lengths) for number in pair]
        counts = {EVERY: lengths} | words.counts
        table = np.array([number for of_term in counts.values() for number in of_term], _NUMBERS).reshape(-1, 2)
        table[:, 0] += version_id % SPAN << _CHUNK
        data, start = table.tobytes(), 0
        for term, of_term in counts.items():
            end = start + _NUMBERS.itemsize * len(of_term)
            found.setdefault(term, bytearray()).extend(data[start:end])
            start = end
    return found


def _sorted(data: bytes) -> bytes:
    entries = np.frombuffer(data, _NUMBERS).reshape(-1, 2)
    return entries[np.argsort(entries[:, 0])].tobytes()


def _without(row: Row[Any], numbers: Collection[int]) -> bytes:
    entries = read_entries(row)
    return entries[~np.isin(versions_in(entries), list(numbers))].tobytes()


def gather_words(ledger: Ledger, corpus_id: int, lease: RunLease | None = None) -> None:
    """Bring the words of new versions into blocks, where there are enough; without it a search is slow, and right."""
    try:
        with ledger.read() as connection:
            new = _new_versions(connection, corpus_id)
        if len(new) >= ENOUGH:
            add_to_blocks(ledger, corpus_id, new, lease)
    except StorageError as error:
        log.warning("the epoch is published; keyword search stays slow until the next one: %s", error)


def _new_versions(connection: Connection, corpus_id: int) -> list[int]:
    """Versions of the corpus that are later than those in blocks, ascending."""
    blocks = select(postings.c.block).where(postings.c.corpus_id == corpus_id).order_by(postings.c.block.desc())
    last = connection.execute(blocks.limit(1)).scalars().all()
    begin = SPAN * max(last, default=0) - 1
    for row in connection.execute(of_terms(corpus_id, last, [EVERY])):
        begin = max(versions_of(row))
    later = select(page_words.c.version_id).where(page_words.c.corpus_id == corpus_id, page_words.c.version_id > begin)
    return list(connection.execute(later.order_by(page_words.c.version_id)).scalars())


def add_to_blocks(ledger: Ledger, corpus_id: int, version_ids: Sequence[int], lease: RunLease | None = None) -> None:
    """Bring the words of versions, by their ids, ascending, into their blocks."""
    for block, ids in _by_block(version_ids):
        with ledger.read() as connection:
            added = _inverted(stored_words(connection, ids))
        terms = sorted(added, reverse=True)  # EVERY is the last
        _rewrite(ledger, lease, (corpus_id, block), ids, terms, added)


def cut_from_blocks(ledger: Ledger, lease: RunLease, version_ids: Collection[int]) -> None:
    """Take the words of versions out of their blocks, before their own rows go."""
    for block, ids in _by_block(sorted(version_ids)):
        with ledger.read() as connection:
            terms = _terms_of(connection, lease.corpus_id, block, ids)
        _rewrite(ledger, lease, (lease.corpus_id, block), ids, terms, {})


def _rewrite(
    ledger: Ledger,
    lease: RunLease | None,
    block: tuple[int, int],
    version_ids: Collection[int],
    terms: Sequence[str],
    added: Mapping[str, bytes | bytearray],
) -> None:
    """In the rows of terms in a block of a corpus, put what is ``added`` in place of what versions have there."""
    numbers = [version_id % SPAN for version_id in version_ids]
    mine = dict(zip(("corpus_id", "block"), block, strict=True))
    for part in batches(terms, _ROWS_AT_ONCE):
        with ledger.write() as connection:
            if lease is not None:
                check_fence(connection, lease)
            kept = {row.term: _without(row, numbers) for row in connection.execute(of_terms(block[0], block[1:], part))}
            connection.execute(delete(postings).where(*_here(block[0], block[1:], part)))
            cells = {term: _sorted(kept.get(term, b"") + added.get(term, b"")) for term in part}
            rows = [mine | {"term": term, "entries": data} for term, data in cells.items() if data]
            if rows:
                connection.execute(insert(postings), rows)


def _terms_of(connection: Connection, corpus_id: int, block: int, version_ids: Collection[int]) -> list[str]:
    """The terms of versions, EVERY among them; all that the block has where some words of these are lost."""
    found = dict(sound_words(connection, version_ids))
    if len(found) == len(version_ids):
        return sorted({EVERY}.union(*(words.counts for words in found.values())))
    mine = select(postings.c.term).where(postings.c.corpus_id == corpus_id, postings.c.block == block)
    return list(connection.execute(mine.order_by(postings.c.term)).scalars())


def misplaced_words(connection: Connection, corpus_id: int) -> dict[int, str]:
    """Versions whose words are not in their block as their own rows have them, each with such a term."""
    found: dict[int, str] = {}
    mine = select(postings.c.block).distinct().where(postings.c.corpus_id == corpus_id)
    for block in connection.execute(mine).scalars().all():
        rows = select(postings).where(postings.c.corpus_id == corpus_id, postings.c.block == block)
        there = {row.term: row.entries for row in connection.execute(rows)}
        every = [SPAN * block + number for number in _odd_versions(there.get(EVERY, b""), b"")]
        loose = set(_versions_of_block(connection, corpus_id, block)).difference(every)
        wanted = _inverted(sound_words(connection, every))
        for term in there.keys() | wanted.keys():
            odd = _odd_versions(there.get(term, b""), bytes(wanted.get(term, b"")))
            found |= {version_id: term for number in odd if (version_id := SPAN * block + number) not in loose}
    return found


def sound_words(connection: Connection, version_ids: Collection[int]) -> Iterator[tuple[int, PageWords]]:
    """As ``stored_words``, but for those that cannot be read."""
    for version_id in sorted(version_ids):
        with suppress(StorageError):
            yield from stored_words(connection, [version_id])


def _odd_versions(data: bytes, others: bytes) -> list[int]:
    """The numbers of versions of which there are entries in one of two cells and not in the other."""
    whole = _NUMBERS.itemsize * 2
    one, two = (np.frombuffer(cell[: len(cell) // whole * whole], "<u8") for cell in (data, others))
    odd: list[int] = np.unique(versions_in(np.setxor1d(one, two).view(_NUMBERS).reshape(-1, 2))).tolist()
    return odd


def write_blocks_again(ledger: Ledger, lease: RunLease, version_ids: Collection[int]) -> None:
    """Write the blocks of versions anew, each as one: somebody may be reading it."""
    mine = lease.corpus_id
    for block, _ in _by_block(sorted(version_ids)):
        here = (postings.c.corpus_id == mine, postings.c.block == block)
        with ledger.as_one(), ledger.write() as connection:
            check_fence(connection, lease)
            if connection.execute(delete(postings).where(*here)).rowcount:
                add_to_blocks(ledger, mine, _versions_of_block(connection, mine, block), lease)


def _versions_of_block(connection: Connection, corpus_id: int, block: int) -> list[int]:
    """The versions that have words and belong into a block, ascending."""
    within = page_words.c.version_id.between(SPAN * block, SPAN * (block + 1) - 1)
    own = select(page_words.c.version_id).where(page_words.c.corpus_id == corpus_id, within)
    return list(connection.execute(own.order_by(page_words.c.version_id)).scalars())


def _by_block(version_ids: Sequence[int]) -> Iterator[tuple[int, list[int]]]:
    blocks: dict[int, list[int]] = {}
    for version_id in version_ids:
        blocks.setdefault(version_id // SPAN, []).append(version_id)
    yield from blocks.items()
