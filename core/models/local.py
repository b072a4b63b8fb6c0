"""Embedding models that run here: the packaged MiniLM, or BGE and others from a folder or the hub.

Plain BERT encoders (MiniLM and the English BGE among them) run in NumPy, all others by sentence-transformers.
BGE (BAAI/bge-*-en-v1.5) pools the CLS token, normalises, and wants an instruction before questions only.
The hub's model cards say so, but a model loaded from a folder does not always carry it, so the settings do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Protocol

import numpy as np

from clausegraph.core.errors import ModelError
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.bert_numpy import NumpyBert, is_plain_bert
from clausegraph.core.models.embedding import Vectors, normalised
from clausegraph.core.models.hub import fetched_model
from clausegraph.core.models.model_files import read_json
from clausegraph.core.models.sentence_transformers import TransformersEncoder, require_library
from clausegraph.core.tokens import PACKAGED, package_version, packaged_model_path

BGE_INSTRUCTION = "Represent this sentence for searching relevant passages: "


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """Which model: ``name`` is ``PACKAGED``, a local folder or a hub id.

    ``pooling`` ("cls" or "mean") and ``max_tokens`` are the model's own when None. ``query_instruction``
    stands before questions only; None means BGE's for a model whose name says bge, else none.
    """

    name: str = PACKAGED
    revision: str | None = None
    pooling: str | None = None
    max_tokens: int | None = None
    query_instruction: str | None = None


class Encoder(Protocol):
    """What turns texts into pooled vectors of ``width`` numbers."""

    width: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), width), not normalised."""


class LocalEmbedder:
    """Loads its model at the first embedding, not before; the fingerprint needs no model.

    Raises:
        ModelError: the model's folder, its package or the library that runs it is not there.
    """

    def __init__(self, settings: ModelSettings = ModelSettings()) -> None:
        self._settings = settings
        folder = packaged_model_path() if settings.name == PACKAGED else Path(settings.name).expanduser()
        self.folder: Path | None = folder if folder.is_dir() else None  # None for a hub id
        looks_local = settings.name.startswith((".", "/", "~"))
        if self.folder is None and looks_local:
            raise ModelError(
                f"embedding model folder {folder} does not exist; set CLAUSEGRAPH_EMBEDDING_MODEL to a folder or hub id"
            )
        if self.folder is not None and not is_plain_bert(self.folder):
            require_library(settings.name)
        instruction = settings.query_instruction
        if instruction is None:
            instruction = BGE_INSTRUCTION if "bge" in Path(settings.name).name.lower() else ""
        self._instruction = instruction

    @cached_property
    def fingerprint(self) -> str:
        s = self._settings
        if s.name == PACKAGED:
            origin = f"{PACKAGED}@{package_version()}"
        elif self.folder is not None:
            origin = f"{self.folder.name}@{_folder_digest(self.folder)}"
        else:
            origin = f"{s.name}@{s.revision or 'main'}"
        extra = content_hash(s.pooling or "", str(s.max_tokens), self._instruction)[:8]
        return f"{origin}+{extra}"

    @property
    def dimension(self) -> int:
        stated = read_json(self.folder / "config.json").get("hidden_size") if self.folder is not None else None
        return int(stated or self._encoder.width)

    def embed_texts(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.empty((0, self.dimension), dtype=np.float32)
        return normalised(self._encoder.encode(texts))

    def embed_query(self, question: str) -> Vectors:
        vector: Vectors = self.embed_texts([self._instruction + question])[0]
        return vector

    @cached_property
    def _encoder(self) -> Encoder:
        s = self._settings
        folder = self.folder or fetched_model(s.name, s.revision)
        states_pooling = self.folder is not None or (folder / "1_Pooling").is_dir()  # the hub's other models vary
        pooling = s.pooling or (_stated_pooling(folder) if states_pooling else None)
        if pooling is not None and is_plain_bert(folder):
            return NumpyBert(folder, pooling, s.max_tokens or _window(folder))
        if self.folder is not None:
            return TransformersEncoder(folder, pooling, s.max_tokens or _window(folder))
        return TransformersEncoder(folder, s.pooling, s.max_tokens)


def _stated_pooling(folder: Path) -> str:
    """What ``1_Pooling/config.json`` says; a folder without one is taken for BGE (CLS)."""
    config = read_json(folder / "1_Pooling" / "config.json")
    mean = config.get("pooling_mode_mean_tokens") or config.get("pooling_mode") == "mean"
    return "mean" if mean else "cls"


def _window(folder: Path) -> int:
    """Longest input in tokens, special tokens included."""
    stated = read_json(folder / "sentence_bert_config.json").get("max_seq_length")
    return int(stated or read_json(folder / "config.json")["max_position_embeddings"])


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
