"""The words of page versions, counted once, when a version is stored: what keyword search reads (``lexical.py``)."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from sqlalchemy import Connection, insert, select

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.types import Chunk
from clausegraph.indexes.ledger.schema import chunk_words, postings

if TYPE_CHECKING:
    from Stemmer import Stemmer

_WORD = re.compile(r"\b\w\w+\b")
_LONGEST = 200  # characters of a term
_STOP_WORDS = word_set(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with"
)
COUNTS = np.dtype("<u4")  # of a term in a page: for each chunk that has it its number, how often, the chunk's length
BYTES = 3 * COUNTS.itemsize


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page: the keys of its chunks, their lengths in terms, and of each term its counts."""

    keys: tuple[str, ...]
    lengths: tuple[int, ...]
    counts: dict[str, bytes]


def stems(text: str) -> list[str]:
    """Lower-case English word stems, stop words included: no page has counts of these."""
    words: list[str] = _stemmer().stemWords(_words(text))
    return words


def _words(text: str) -> list[str]:
    """The words of a text, cut where they are too long for an index of terms."""
    return [word[:_LONGEST] for word in _WORD.findall(text.lower())]


def count_words(chunks: Iterable[Chunk]) -> PageWords:
    """The words of the chunks of a page."""
    keys, lengths, found = [], [], dict[str, list[int]]()
    for number, chunk in enumerate(chunks):
        words = [word for word in _words(chunk.text) if word not in _STOP_WORDS]
        keys.append(chunk.key)
        lengths.append(len(words))
        for term, count in Counter(_stemmer().stemWords(words)).items():
            found.setdefault(term, []).extend((number, count, len(words)))
    packed = {term: np.array(numbers, COUNTS).tobytes() for term, numbers in found.items()}
    return PageWords(tuple(keys), tuple(lengths), packed)


def chunk_numbers(counts: bytes) -> list[int]:
    """The numbers of the chunks that have a term, from its counts."""
    numbers: list[int] = np.frombuffer(counts, COUNTS).reshape(-1, 3)[:, 0].tolist()
    return numbers


def store_words(connection: Connection, corpus_id: int, version_id: int, words: PageWords) -> None:
    """Store the words of a new page version; they go with it."""
    mine = {"corpus_id": corpus_id, "version_id": version_id}
    of_page = {"chunk_keys": json.dumps(words.keys), "chunks": len(words.keys), "terms": sum(words.lengths)}
    connection.execute(insert(chunk_words).values(**mine, **of_page))
    rows = [mine | {"term": term, "counts": counts} for term, counts in sorted(words.counts.items())]
    if rows:
        connection.execute(insert(postings), rows)


def stored_words(connection: Connection, version_id: int) -> PageWords | None:
    """The words that are stored of a page version, with the sum of its lengths; None where there are none."""
    row = connection.execute(select(chunk_words).where(chunk_words.c.version_id == version_id)).one_or_none()
    counted = select(postings.c.term, postings.c.counts).where(postings.c.version_id == version_id)
    counts = {one.term: one.counts for one in connection.execute(counted)}
    return None if row is None else PageWords(tuple(json.loads(row.chunk_keys)), (row.terms,), counts)


@cache
def _stemmer() -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("english")
