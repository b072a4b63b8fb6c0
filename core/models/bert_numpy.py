"""BERT encoders in NumPy: questions and passages have their vectors without torch.

Importing torch and transformers takes seconds and gigabytes; for the small encoders that embed texts here, a forward
pass in NumPy takes less processor time than theirs. Both give the same vector within 1e-5 (a test holds them together).
Architecture: Devlin et al., BERT (2019); weights from the model's own ``model.safetensors``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import ModelError
from clausegraph.core.models.embedding import Vectors, read_json

States = NDArray[np.float32]  # shape (texts, tokens, width)

_BATCH_TOKENS = 512  # through the model at once: what lies between two layers stays in the processor's cache

_GELU_BLOCK = 1 << 14  # numbers at once, for the same reason
_ERFC_P = np.float32(0.3275911 * 0.5**0.5)
_ERFC_COEFFICIENTS = tuple(
    np.float32(value) for value in (1.061405429, -1.453152027, 1.421413741, -0.284496736, 0.254829592)
)


class NumpyBert:
    """A BERT encoder from a folder with ``config.json``, ``tokenizer.json`` and ``model.safetensors``.

    ``pooling`` is "cls" or "mean"; texts are cut at ``max_tokens``, special tokens included.
    """

    def __init__(self, folder: Path, pooling: str, max_tokens: int) -> None:
        from safetensors import SafetensorError
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        config = read_json(folder / "config.json")
        self.width = int(config["hidden_size"])
        self._pooling = pooling
        self._heads = int(config["num_attention_heads"])
        self._layers = int(config["num_hidden_layers"])
        self._epsilon = np.float32(config.get("layer_norm_eps", 1e-12))
        try:
            weights = load_file(folder / "model.safetensors")
        except (OSError, SafetensorError) as error:
            raise ModelError(f"{folder / 'model.safetensors'} cannot be read ({error}); install it again") from error
        self._weights = {name.removeprefix("bert."): value.astype(np.float32) for name, value in weights.items()}
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def encode(self, texts: Sequence[str]) -> Vectors:
        """Pooled last hidden states of the texts, shape (len(texts), width), not normalised."""
        ids = [encoding.ids for encoding in self._tokenizer.encode_batch(list(texts))]
        matrix = np.empty((len(texts), self.width), dtype=np.float32)
        batches = list(_equally_long([len(one) for one in ids]))

        def fill(rows: list[int]) -> None:
            states = self._forward(np.array([ids[row] for row in rows]))
            matrix[rows] = states[:, 0] if self._pooling == "cls" else states.mean(axis=1)

        with _one_blas_thread():
            if len(batches) == 1:
                fill(batches[0])
            else:
                with ThreadPoolExecutor(cores()) as pool:
                    list(pool.map(fill, batches))
        return matrix

    def _forward(self, ids: NDArray[np.int64]) -> States:
        w = self._weights
        state: States = w["embeddings.word_embeddings.weight"][ids]
        state += w["embeddings.position_embeddings.weight"][: ids.shape[1]]
        state += w["embeddings.token_type_embeddings.weight"][0]
        state = self._norm(state, "embeddings.LayerNorm")
        for layer in range(self._layers):
            state = self._layer(state, f"encoder.layer.{layer}")
        return state

    def _layer(self, state: States, name: str) -> States:
        attended = self._linear(self._attention(state, f"{name}.attention.self"), f"{name}.attention.output.dense")
        state = self._norm(attended + state, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(state, f"{name}.intermediate.dense"))
        return self._norm(self._linear(inner, f"{name}.output.dense") + state, f"{name}.output.LayerNorm")

    def _attention(self, state: States, name: str) -> States:
        texts, length, width = state.shape
        query, key, value = (
            self._linear(state, f"{name}.{part}").reshape(texts, length, self._heads, -1).transpose(0, 2, 1, 3)
            for part in ("query", "key", "value")
        )
        scores: States = query @ key.transpose(0, 1, 3, 2)
        scores /= np.sqrt(np.float32(width // self._heads))
        scores -= scores.max(axis=-1, keepdims=True)
        np.exp(scores, out=scores)
        scores /= scores.sum(axis=-1, keepdims=True)
        attended: States = (scores @ value).transpose(0, 2, 1, 3).reshape(texts, length, width)
        return attended

    def _linear(self, state: States, name: str) -> States:
        weight = self._weights[f"{name}.weight"]
        product: States = state.reshape(-1, state.shape[-1]) @ weight.T  # one product, not one for each text
        product += self._weights[f"{name}.bias"]
        return product.reshape(*state.shape[:-1], -1)

    def _norm(self, state: States, name: str) -> States:
        state -= state.mean(axis=-1, keepdims=True)
        variance = np.einsum("tlw,tlw->tl", state, state)[..., None] / np.float32(self.width)
        state /= np.sqrt(variance + self._epsilon)
        state *= self._weights[f"{name}.weight"]
        state += self._weights[f"{name}.bias"]
        return state


def _gelu(x: States) -> States:
    """``x`` times the normal distribution's share below it, within 3e-7 of the exact value.

    The upper tail is half of erfc(|x| / √2), by formula 7.1.26 of Abramowitz and Stegun, Handbook of Mathematical
    Functions (1964): a polynomial in t = 1 / (1 + p |x| / √2), times exp(-x² / 2).
    """
    result = np.empty_like(x)
    values, results = x.reshape(-1), result.reshape(-1)
    for start in range(0, values.size, _GELU_BLOCK):
        block = values[start : start + _GELU_BLOCK]
        distance = np.abs(block)
        t = 1 / (1 + _ERFC_P * distance)
        tail = t * _ERFC_COEFFICIENTS[0]
        for coefficient in _ERFC_COEFFICIENTS[1:]:
            tail += coefficient
            tail *= t
        tail *= np.exp(block * block * np.float32(-0.5))
        tail *= np.float32(0.5) * distance
        np.subtract(np.maximum(block, 0), tail, out=results[start : start + _GELU_BLOCK])
    return result


def _equally_long(lengths: Sequence[int]) -> Iterator[list[int]]:
    """Rows of equal length, which need no padding and no mask, in batches; the longest first."""
    rows_of: dict[int, list[int]] = {}
    for row, length in enumerate(lengths):
        rows_of.setdefault(length, []).append(row)
    for length, rows in sorted(rows_of.items(), reverse=True):
        size = max(1, _BATCH_TOKENS // length)
        yield from (rows[start : start + size] for start in range(0, len(rows), size))


def cores() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class _BlasLimit:
    """How many passes run, and how many threads each BLAS had before the first: its limit is one for the process."""

    lock = Lock()
    running = 0
    before: ClassVar[list[tuple[Any, int]]] = []


@contextmanager
def _one_blas_thread() -> Iterator[None]:
    """These products are small: a second thread of BLAS only waits. Batches beside each other do more."""
    with _BlasLimit.lock:
        if _BlasLimit.running == 0:
            _BlasLimit.before = [(library, library.num_threads) for library in _blas()]
            for library, _ in _BlasLimit.before:
                _set_threads(library, 1)
        _BlasLimit.running += 1
    try:
        yield
    finally:
        with _BlasLimit.lock:
            _BlasLimit.running -= 1
            if _BlasLimit.running == 0:
                for library, number in _BlasLimit.before:
                    _set_threads(library, number)


def _blas() -> list[Any]:
    import threadpoolctl

    found = getattr(threadpoolctl, "get_cached_controller", threadpoolctl.ThreadpoolController)()
    return list(found.select(user_api="blas").lib_controllers)


def _set_threads(library: Any, number: int) -> None:
    """Whoever is asked first owns OpenBLAS since threadpoolctl 3.8, and other threads set nothing; here the lock and
    the count above decide, so that a question in a second thread is embedded as fast as in the first."""
    getattr(library, "_real_set_num_threads", library.set_num_threads)(number)
