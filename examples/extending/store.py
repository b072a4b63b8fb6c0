"""A store of vectors: FAISS in the home and on another disk, read where the home lacks a segment. One class, chosen in
``vector_index`` of ``indexes/vectors/segments.py``."""

from collections.abc import Collection

from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.vectors.protocol import Ids, SegmentState, VectorIndex, VisibleVectors


class MirroredIndex:
    def __init__(self, first: VectorIndex, second: VectorIndex) -> None:
        self._first, self._second = first, second

    def write(self, corpus_id: int, name: str, ids: Ids, matrix: Vectors) -> str:
        self._second.write(corpus_id, name, ids, matrix)
        return self._first.write(corpus_id, name, ids, matrix)

    def state(self, corpus_id: int, name: str, checksum: str) -> SegmentState:
        return self._first.state(corpus_id, name, checksum)

    def open(self, corpus_id: int, name: str, hidden: Ids, checksum: str = "") -> VisibleVectors:
        index = self._first if name in self._first.names(corpus_id) else self._second
        return index.open(corpus_id, name, hidden, checksum)

    def ids(self, corpus_id: int, name: str) -> Ids:
        return self._first.ids(corpus_id, name)

    def corpora(self) -> set[int]:
        return self._first.corpora() | self._second.corpora()

    def names(self, corpus_id: int) -> set[str]:
        return self._first.names(corpus_id) | self._second.names(corpus_id)

    def remove(self, corpus_id: int, names: Collection[str]) -> None:
        self._first.remove(corpus_id, names)
        self._second.remove(corpus_id, names)

    def drop(self, corpus_id: int) -> None:
        self._first.drop(corpus_id)
        self._second.drop(corpus_id)
