"""A store of vectors: two stores, the second read where the first is damaged. One class, named in one function."""

from collections.abc import Collection

from clausegraph.core.errors import SegmentError
from clausegraph.core.models.embedding import Vectors
from clausegraph.indexes.vectors.protocol import Ids, SegmentState, VectorIndex, VisibleVectors


class MirroredIndex:
    """Chosen in ``vector_index`` of ``indexes/vectors/segments.py``: FAISS in the home, and FAISS on another disk."""

    def __init__(self, first: VectorIndex, second: VectorIndex) -> None:
        self._first, self._second = first, second

    def write(self, corpus_id: int, name: str, ids: Ids, matrix: Vectors) -> str:
        self._second.write(corpus_id, name, ids, matrix)
        return self._first.write(corpus_id, name, ids, matrix)

    def state(self, corpus_id: int, name: str, checksum: str) -> SegmentState:
        return self._first.state(corpus_id, name, checksum)

    def open(self, corpus_id: int, name: str, visible: Ids) -> VisibleVectors:
        try:
            return self._first.open(corpus_id, name, visible)
        except SegmentError:
            return self._second.open(corpus_id, name, visible)

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
