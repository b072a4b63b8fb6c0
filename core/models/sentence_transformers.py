"""Embedding models of every other architecture, by the library sentence-transformers (an extra)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from clausegraph.core.errors import ModelError
from clausegraph.core.extras import require_extra
from clausegraph.core.models.embedding import Vectors
from clausegraph.core.tokens import count_many

_BATCH_TOKENS = 1024  # padding included, through the model at once


def require_library(
    model: str, setting: str = "CLAUSEGRAPH_EMBEDDING_MODEL", otherwise: str = "the packaged MiniLM"
) -> None:
    """Raise ``ModelError`` where the library is missing, which ``model`` of that setting needs."""
    require_extra(
        "sentence-transformers",
        f"model {model!r} is no plain BERT encoder in safetensors, and any other",
        otherwise=f"unset {setting} for {otherwise}",
        error=ModelError,
    )


class TransformersEncoder:
    """A sentence-transformers model from a folder, on the processor.

    ``pooling`` is "cls" or "mean"; None takes the folder's own modules. ``max_tokens`` None means the model's own.

    Raises:
        ModelError: the library is not installed, or the folder is no model.
    """

    def __init__(self, folder: Path, pooling: str | None, max_tokens: int | None) -> None:
        require_library(str(folder))
        os.environ.setdefault("HF_HUB_OFFLINE", "1")  # all of the model is in the folder
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]  # the command line has its own
        try:
            if pooling is None:
                self._model = SentenceTransformer(str(folder), device="cpu")
            else:
                base: Any = Transformer(str(folder))
                pooled = Pooling(base.get_embedding_dimension(), pooling_mode=pooling)
                self._model = SentenceTransformer(modules=[base, pooled], device="cpu")
        except (OSError, ValueError) as error:
            raise ModelError(
                f"embedding model {str(folder)!r} cannot be loaded ({str(error)[:300]}); give a model folder, or a hub "
                "id where the hub is reachable, or unset CLAUSEGRAPH_EMBEDDING_MODEL for the packaged MiniLM"
            ) from error
        self._model.max_seq_length = max_tokens or self._model.max_seq_length
        self.width = int(self._model.get_embedding_dimension() or 0)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, shape (len(texts), width), not normalised."""
        sizes = count_many(list(texts))
        matrix = np.empty((len(texts), self.width), dtype=np.float32)
        for rows in _batches(sorted(range(len(texts)), key=lambda row: sizes[row]), sizes):
            matrix[rows] = self._model.encode(
                [texts[row] for row in rows], batch_size=len(rows), show_progress_bar=False, convert_to_numpy=True
            )
        return matrix


def _batches(order: Sequence[int], sizes: Sequence[int]) -> Iterator[list[int]]:
    """Rows of rising size, cut so that a batch padded to its longest row has few enough tokens."""
    batch: list[int] = []
    for row in order:
        if batch and (len(batch) + 1) * (sizes[row] + 2) > _BATCH_TOKENS:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch
