"""The words of page versions, counted once, when a version is stored: each version has a row with all of its words.

Keyword search finds them by term in blocks that are made of these rows (``postings.py``).
"""

from __future__ import annotations

import json
import re
import zlib
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter
from sqlalchemy import Connection, Row, insert, select

from clausegraph.core.language.lexicon import word_set
from clausegraph.core.serial import pack
from clausegraph.core.types import Chunk
from clausegraph.indexes.ledger.cells import decode, decode_json
from clausegraph.indexes.ledger.schema import page_words
from clausegraph.indexes.ledger.store import batches

if TYPE_CHECKING:
    from Stemmer import Stemmer

_WORD = re.compile(r"\b\w\w+\b")
_LONGEST = 200  # characters of a term
_STOP_WORDS = word_set(
    "a an and are as at be but by for if in into is it no not of on or such that the their then there these they this"
    " to was will with"
)


@dataclass(frozen=True, slots=True)
class PageWords:
    """The words of a page: the keys of its chunks, their lengths in terms, and of each term by turns the number of a
    chunk that has it, and how often it does."""

    keys: list[str]
    lengths: list[int]
    counts: dict[str, list[int]]


_KEYS = TypeAdapter(list[str])
_COUNTED = TypeAdapter(tuple[list[int], dict[str, list[int]]])


def stems(text: str) -> list[str]:
    """Lower-case English word stems, stop words included: no page has counts of these."""
    words: list[str] = _stemmer().stemWords(_words(text))
    return words


def _words(text: str) -> list[str]:
    """The words of a text, cut where they are too long for an index of terms."""
    return [word[:_LONGEST] for word in _WORD.findall(text.lower())]


def count_words(chunks: Iterable[Chunk]) -> PageWords:
    """The words of the chunks of a page."""
    keys, lengths, counts = [], [], dict[str, list[int]]()
    for number, chunk in enumerate(chunks):
        words = [word for word in _words(chunk.text) if word not in _STOP_WORDS]
        keys.append(chunk.key)
        lengths.append(len(words))
        for term, count in Counter(_stemmer().stemWords(words)).items():
            counts.setdefault(term, []).extend((number, count))
    return PageWords(keys, lengths, counts)


def store_words(connection: Connection, corpus_id: int, version_id: int, words: PageWords) -> None:
    """Store the words of a new page version; they go with it."""
    row = {"chunk_keys": json.dumps(words.keys), "words": pack((words.lengths, words.counts))}
    connection.execute(insert(page_words).values(version_id=version_id, corpus_id=corpus_id, **row))


def stored_words(connection: Connection, version_ids: Collection[int]) -> Iterator[tuple[int, PageWords]]:
    """The words of page versions, by their ids, ascending; of those of which some are stored."""
    for part in batches(sorted(version_ids)):
        for row in connection.execute(select(page_words).where(page_words.c.version_id.in_(part))):
            lengths, counts = decode(page_words.c.words, row.version_id, row.words, _unpacked)
            yield row.version_id, PageWords(chunk_keys(row), lengths, counts)


def chunk_keys(row: Row[Any]) -> list[str]:
    """The keys of the chunks of a page version, by their numbers, from its row of words."""
    return decode_json(page_words.c.chunk_keys, row.version_id, row.chunk_keys, _KEYS)


def _unpacked(data: bytes) -> tuple[list[int], dict[str, list[int]]]:
    return _COUNTED.validate_json(zlib.decompress(data), strict=True)


@cache
def _stemmer() -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("english")
