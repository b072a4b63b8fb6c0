"""BM25 over the chunks of a view: built once per epoch, kept as one file in the view's cache folder.

Lucene's BM25 (k1 1.5, b 0.75) as bm25s computes it: every term's score in every chunk is worked out when
the index is built, so a question only adds up columns (Lù, "BM25S", 2024). Opening needs numpy and the
stemmer alone; bm25s itself, slow to import, is needed only to build.
"""

from __future__ import annotations

import io
import json
import logging
import re
import zipfile
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import StorageError
from clausegraph.core.types import PageKey, Reading
from clausegraph.indexes.files import write_whole

if TYPE_CHECKING:
    from Stemmer import Stemmer

log = logging.getLogger(__name__)

FORMAT = "bm25-chunks-1"
_WORD = re.compile(r"(?u)\b\w\w+\b")  # bm25s's own token pattern: a question must be cut as the chunks were
_UNREADABLE = (OSError, ValueError, KeyError, TypeError, EOFError, zipfile.BadZipFile, zlib.error)


class Pages(Protocol):
    """What the index needs of a view."""

    @property
    def cache_dir(self) -> Path | None: ...  # none: nothing is kept

    def page_keys(self) -> tuple[PageKey, ...]: ...

    def reading(self, page: PageKey) -> Reading: ...


@dataclass(frozen=True, slots=True)
class LexicalHit:
    """A chunk that shares words with a question; ``score`` is its BM25 score, above 0."""

    page: PageKey
    ref: str  # chunk key
    score: float


@dataclass(frozen=True, slots=True, eq=False)
class LexicalIndex:
    """Term scores by column: term ``t`` scores ``data[i]`` in chunk ``rows[i]``, bounds[t] <= i < bounds[t+1]."""

    refs: tuple[tuple[PageKey, str], ...]
    vocabulary: dict[str, int]
    data: NDArray[np.float32]
    rows: NDArray[np.int32]
    bounds: NDArray[np.int64]

    def search(self, text: str, limit: int) -> list[LexicalHit]:
        """The ``limit`` best chunks. Order: score descending, then page and chunk key."""
        if limit < 1:
            return []
        scores = self._scores(text)
        found = np.flatnonzero(scores)
        if len(found) > limit:  # ties at the cut stay in until the total order has spoken
            lowest = np.partition(scores[found], len(found) - limit)[len(found) - limit]
            found = found[scores[found] >= lowest]
        hits = [LexicalHit(*self.refs[row], float(scores[row])) for row in found.tolist()]
        return sorted(hits, key=lambda hit: (-hit.score, hit.page, hit.ref))[:limit]

    def _scores(self, text: str) -> NDArray[np.float32]:
        scores = np.zeros(len(self.refs), dtype=np.float32)
        terms = sorted({self.vocabulary[stem] for stem in stems(text) if stem in self.vocabulary})
        for term in terms:
            column = slice(self.bounds[term], self.bounds[term + 1])
            scores[self.rows[column]] += self.data[column]
        return scores


def stems(text: str) -> list[str]:
    """Lower-case English word stems, stop words included: the vocabulary has none."""
    words: list[str] = _stemmer().stemWords(_WORD.findall(text.lower()))
    return words


def lexical_index(view: Pages) -> LexicalIndex:
    """The view's index: from memory, else from its cache folder, else built (and stored there)."""
    index = _opened.get(view)
    if index is None:
        path = view.cache_dir / f"{FORMAT}.npz" if view.cache_dir else None
        index = _load(path) if path else None
        if index is None:
            index = build_index(view)
            if path:
                _keep(index, path)
        _opened[view] = index
    return index


def build_index(view: Pages) -> LexicalIndex:
    """Index every chunk of the view."""
    refs, texts = [], []
    for page in view.page_keys():
        for chunk in view.reading(page).chunks:
            refs.append((page, chunk.key))
            texts.append(chunk.text)
    return LexicalIndex(tuple(refs), *_term_scores(texts))


def _term_scores(
    texts: Sequence[str],
) -> tuple[dict[str, int], NDArray[np.float32], NDArray[np.int32], NDArray[np.int64]]:
    import bm25s

    tokenized = bm25s.tokenize(list(texts), stopwords="en", stemmer=_stemmer(), show_progress=False)
    vocabulary = {str(term): int(number) for term, number in tokenized.vocab.items()}
    if not any(tokenized.ids):  # bm25s cannot index texts without a word
        return {}, np.empty(0, np.float32), np.empty(0, np.int32), np.zeros(1, np.int64)
    model = bm25s.BM25(method="lucene")
    model.index(tokenized, show_progress=False)
    columns = model.scores
    bounds = np.asarray(columns["indptr"], dtype=np.int64)
    known = {term: number for term, number in vocabulary.items() if number < len(bounds) - 1}
    return known, np.asarray(columns["data"], np.float32), np.asarray(columns["indices"], np.int32), bounds


def _keep(index: LexicalIndex, path: Path) -> None:
    """Store the index whole or not at all, if that can be done: on a full disk or in a read-only home it cannot."""
    words = json.dumps(
        {"vocabulary": index.vocabulary, "refs": [[page.source, page.uri, key] for page, key in index.refs]}
    )
    file = io.BytesIO()
    text = np.frombuffer(words.encode(), dtype=np.uint8)
    np.savez(file, words=text, data=index.data, rows=index.rows, bounds=index.bounds)
    try:
        write_whole(path, file.getvalue())
    except StorageError as error:
        log.warning("the index of words cannot be kept, so every process builds its own (%s)", error)


def _load(path: Path) -> LexicalIndex | None:
    """The stored index; nothing when it is missing or damaged: it can always be built again."""
    try:
        with path.open("rb") as file, np.load(file, allow_pickle=False) as stored:  # numpy leaves a bad file open
            words = json.loads(stored["words"].tobytes())
            data, rows, bounds = stored["data"], stored["rows"], stored["bounds"]
        refs = tuple((PageKey(source, uri), key) for source, uri, key in words["refs"])
        return LexicalIndex(refs, dict(words["vocabulary"]), data, rows, bounds)
    except _UNREADABLE:
        return None


@cache
def _stemmer() -> Stemmer:
    from Stemmer import Stemmer

    return Stemmer("english")


_opened: WeakKeyDictionary[Pages, LexicalIndex] = WeakKeyDictionary()
