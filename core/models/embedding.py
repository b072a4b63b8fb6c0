"""Embedders: the hashing one of the unit tests, and models that run here, the packaged MiniLM, or BGE and others.

Plain BERT encoders (MiniLM and the English BGE among them) run in NumPy, all others by sentence-transformers.
BGE (BAAI/bge-*-en-v1.5) pools the CLS token, normalises, and wants an instruction before questions only.
The hub's model cards say so, but a model loaded from a folder does not always carry it, so the settings do.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from hashlib import blake2b
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import ModelError, require_extra
from clausegraph.core.hashing import content_hash
from clausegraph.core.language.normalise import tokens
from clausegraph.core.models.calls import Budget, UsageSink
from clausegraph.core.tokens import PACKAGED, package_version, packaged_model_path

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
class ServedEmbedder(Protocol):
    """What an embedder behind a server has besides, where each call has a price and may fail."""

    def metered(self, budget: Budget, usage: UsageSink) -> Embedder:
        """The same embedder with calls that are limited and recorded; this one stays as it is."""

    def embed_parts(self, texts: Sequence[str]) -> Iterator[tuple[Sequence[int], Vectors]]:
        """Embed passages: of each part, as it comes, the places of its texts and their vectors. Errors come last."""


def embedded_parts(embedder: Embedder, texts: Sequence[str], at_once: int) -> Iterator[tuple[Sequence[int], Vectors]]:
    """Embed passages: the places of the texts of each part, and their vectors. A model that runs here has ``at_once``
    of them together; errors as the embedder's."""
    if isinstance(embedder, ServedEmbedder):
        yield from embedder.embed_parts(texts)
        return
    for start in range(0, len(texts), at_once):
        part = texts[start : start + at_once]
        yield range(start, start + len(part)), embedder.embed_texts(part)


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


def read_json(path: Path) -> dict[str, Any]:
    """The object in the file; empty where there is no such file."""
    if not path.exists():
        return {}
    value: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return value


_FILES = ["*.json", "*.txt", "*.model", "*.safetensors"]
_OTHER_FORMATS = ["onnx/*", "openvino/*"]
_ANSWER_S = 5.0  # an unreachable hub is told after this, not after the many attempts of a download


def check_available(name: str) -> None:
    """Ask the hub for the model where nothing of it was fetched before: a wrong name or no network is told early."""
    if _fetched_before(name) is None:
        _ask(name)


def fetched_model(name: str) -> Path:
    """Folder of the model's files; what an earlier run fetched where the hub cannot be reached."""
    from huggingface_hub import snapshot_download

    try:
        _ask(name)
    except ModelError:
        if folder := _fetched_before(name):
            return folder
        raise
    with _hub_errors(name):
        found = snapshot_download(name, allow_patterns=_FILES, ignore_patterns=_OTHER_FORMATS, etag_timeout=_ANSWER_S)
    return Path(found)


def _ask(name: str) -> None:
    from huggingface_hub import HfApi

    with _hub_errors(name):
        HfApi().model_info(name, timeout=_ANSWER_S)


def _fetched_before(name: str) -> Path | None:
    from huggingface_hub import snapshot_download

    try:
        return Path(snapshot_download(name, local_files_only=True))
    except (OSError, ValueError):
        return None


@contextmanager
def _hub_errors(name: str) -> Iterator[None]:
    from httpx2 import HTTPError

    try:
        yield
    except (HTTPError, OSError, ValueError) as error:
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelError(
            f"embedding model {name!r} is no folder here and cannot be had from the hub ({reason}); set "
            "CLAUSEGRAPH_EMBEDDING_MODEL to a model's folder, or unset it for the packaged MiniLM"
        ) from error


_AT_ONCE = 16  # texts through the model at once


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


@contextmanager
def loading(what: str, otherwise: str) -> Iterator[None]:
    """Where a model is loaded from its folder: nothing is fetched, no bar is drawn, errors are translated."""
    os.environ.setdefault("HF_HUB_OFFLINE", "1")  # all of the model is in the folder
    from transformers.utils.logging import disable_progress_bar

    disable_progress_bar()  # type: ignore[no-untyped-call]  # the command line has its own
    try:
        yield
    except (OSError, ValueError) as error:
        raise ModelError(
            f"{what} cannot be loaded ({str(error)[:300]}); give a model's folder, or a hub id where the hub is "
            f"reachable, or {otherwise}"
        ) from error


class TransformersEncoder:
    """A sentence-transformers model from a folder, on the processor.

    ``pooling`` is "cls" or "mean"; None takes the folder's own modules.
    """

    def __init__(self, folder: Path, pooling: str | None) -> None:
        require_library(str(folder))
        with loading(f"embedding model {str(folder)!r}", "unset CLAUSEGRAPH_EMBEDDING_MODEL for the packaged MiniLM"):
            from sentence_transformers import SentenceTransformer
            from sentence_transformers.sentence_transformer.modules import Pooling, Transformer

            if pooling is None:
                self._model = SentenceTransformer(str(folder), device="cpu")
            else:
                base: Any = Transformer(str(folder))
                pooled = Pooling(base.get_embedding_dimension(), pooling_mode=pooling)
                self._model = SentenceTransformer(modules=[base, pooled], device="cpu")
                self._model.max_seq_length = _window(folder)
        self.width = int(self._model.get_embedding_dimension() or 0)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Vectors of the texts, shape (len(texts), width), not normalised."""
        found: Vectors = self._model.encode(
            list(texts), batch_size=_AT_ONCE, show_progress_bar=False, convert_to_numpy=True
        )
        return found


BGE_INSTRUCTION = "Represent this sentence for searching relevant passages: "


class Encoder(Protocol):
    """What turns texts into pooled vectors of ``width`` numbers."""

    width: int

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Shape (len(texts), width), not normalised."""


def is_plain_bert(folder: Path) -> bool:
    """Whether ``NumpyBert`` can run the model in the folder."""
    config = read_json(folder / "config.json")
    return (
        config.get("model_type") == "bert"
        and config.get("hidden_act", "gelu") == "gelu"
        and config.get("position_embedding_type", "absolute") == "absolute"
        and all((folder / name).is_file() for name in ("model.safetensors", "tokenizer.json"))
    )


class LocalEmbedder:
    """Loads its model at the first embedding, not before; the fingerprint needs no model.

    Args:
        name: ``PACKAGED``, a local folder or a hub id.
    """

    def __init__(self, name: str = PACKAGED) -> None:
        self._name = name
        folder = packaged_model_path() if name == PACKAGED else Path(name).expanduser()
        self.folder: Path | None = folder if folder.is_dir() else None  # None for a hub id
        if self.folder is None and name.startswith((".", "/", "~")):
            raise ModelError(
                f"embedding model folder {folder} does not exist; set CLAUSEGRAPH_EMBEDDING_MODEL to a folder or hub id"
            )
        if self.folder is not None and not is_plain_bert(self.folder):
            require_library(name)
        self._instruction = BGE_INSTRUCTION if "bge" in Path(name).name.lower() else ""  # before questions only

    @cached_property
    def fingerprint(self) -> str:
        if self._name == PACKAGED:
            origin = f"{PACKAGED}@{package_version()}"
        elif self.folder is not None:
            origin = f"{self.folder.name}@{_folder_digest(self.folder)}"
        else:
            origin = f"{self._name}@main"
        return f"{origin}+{content_hash('', 'None', self._instruction)[:8]}"

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
        folder = self.folder or fetched_model(self._name)
        states_pooling = self.folder is not None or (folder / "1_Pooling").is_dir()  # the hub's other models vary
        pooling = _stated_pooling(folder) if states_pooling else None
        if pooling is not None and is_plain_bert(folder):
            from clausegraph.core.models.bert_numpy import NumpyBert

            return NumpyBert(folder, pooling, _window(folder))
        return TransformersEncoder(folder, pooling if self.folder is not None else None)


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
