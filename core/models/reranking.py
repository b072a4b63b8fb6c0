"""Cross-encoders: models that read question and text together, and say how well the text answers (an extra)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from clausegraph.core.errors import ModelError
from clausegraph.core.models.embedding import Vectors, check_available, fetched_model, loading, require_library

if TYPE_CHECKING:
    from sentence_transformers import CrossEncoder

_AT_ONCE = 16  # pairs through the model at once


class Reranker(Protocol):
    """Says how well each of some texts answers a question."""

    def scores(self, question: str, texts: Sequence[str]) -> Vectors:
        """Of each text, 0 to 1: shape (len(texts),), float32."""


class CrossEncoderReranker:
    """A cross-encoder with one output, such as BAAI/bge-reranker-base, on the processor; loaded at the first question.

    Args:
        name: a local folder or a hub id.
    """

    def __init__(self, name: str) -> None:
        require_library(name, "CLAUSEGRAPH_RERANKER", "none")
        self._name = name
        folder = Path(name).expanduser()
        self._folder = folder if folder.is_dir() else None
        if self._folder is None and name.startswith((".", "/", "~")):
            raise ModelError(f"reranker folder {folder} does not exist; set CLAUSEGRAPH_RERANKER to a folder or hub id")
        if self._folder is None:
            check_available(name)

    def scores(self, question: str, texts: Sequence[str]) -> Vectors:
        import torch

        if not texts:
            return np.empty(0, dtype=np.float32)
        found: Vectors = self._model.predict(
            [(question, text) for text in texts],
            batch_size=_AT_ONCE,
            show_progress_bar=False,
            activation_fn=torch.nn.Sigmoid(),
            convert_to_numpy=True,
        )
        return found

    @cached_property
    def _model(self) -> CrossEncoder:
        folder = self._folder or fetched_model(self._name)
        with loading(f"reranker {str(folder)!r}", "unset CLAUSEGRAPH_RERANKER"):
            from sentence_transformers import CrossEncoder

            model: CrossEncoder = CrossEncoder(str(folder), device="cpu")
        if model.num_labels != 1:
            raise ModelError(
                f"reranker {str(folder)!r} tells {model.num_labels} classes apart and gives no single score; "
                "set CLAUSEGRAPH_RERANKER to a cross-encoder with one output, such as BAAI/bge-reranker-base"
            )
        return model
