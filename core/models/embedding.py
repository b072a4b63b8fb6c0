"""What an embedder is, and the hashing embedder of the unit tests."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.language.normalise import tokens
from clausegraph.core.models.calls import Budget, UsageSink

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts and questions into L2-normalised vectors. Equal fingerprints mean equal vectors."""

    @property
    def fingerprint(self) -> str:
        """Model, revision, pooling and query instruction: what must not be mixed in one index."""

    @property
    def dimension(self) -> int:
        """Length of a vector."""

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        """Embed passages: shape (len(texts), dimension), float32, rows of length 1."""

    def embed_query(self, question: str) -> Vectors:
        """Embed a question, with the model's query instruction: shape (dimension,), length 1."""


@runtime_checkable
class Metered(Protocol):
    """What an embedder behind a server has besides, where each call has a price."""

    def metered(self, budget: Budget, usage: UsageSink) -> Embedder:
        """The same embedder with calls that are limited and recorded; this one stays as it is."""


def normalised(matrix: Vectors) -> Vectors:
    """Rows scaled to length 1; a zero row becomes the first unit vector."""
    matrix = np.atleast_2d(matrix).astype(np.float32, copy=True)
    norms = np.linalg.norm(matrix, axis=1, keepdims=True)
    matrix[norms[:, 0] == 0, 0] = 1.0
    norms[norms == 0] = 1.0
    return np.ascontiguousarray(matrix / norms, dtype=np.float32)


class HashingEmbedder:
    """Bag of hashed words: deterministic, instant, no model. For unit tests, not for answers."""

    def __init__(self, dimension: int = 64, name: str = "hashing") -> None:
        self._dimension = dimension
        self._name = name

    @property
    def fingerprint(self) -> str:
        return f"{self._name}:{self._dimension}"

    @property
    def dimension(self) -> int:
        return self._dimension

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        matrix = np.zeros((len(texts), self._dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            for word in tokens(text):
                digest = blake2b(word.encode(), digest_size=8).digest()
                sign = 1.0 if digest[0] & 1 else -1.0
                matrix[row, int.from_bytes(digest[1:], "big") % self._dimension] += sign
        return normalised(matrix) if len(texts) else matrix

    def embed_query(self, question: str) -> Vectors:
        vector: Vectors = self.embed_texts([question])[0]
        return vector
