"""One question through a BERT encoder in NumPy: a vector without importing torch.

A cold ``ask`` embeds a single short text. Importing torch and transformers for it takes seconds, the
forward pass itself milliseconds; so questions go through this forward pass and passages, in batches,
through sentence-transformers. Both give the same vector within 1e-5 (a test holds them together).
Architecture: Devlin et al., BERT (2019); weights from the model's own ``model.safetensors``.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from clausegraph.core.errors import ModelError

Matrix = NDArray[np.float32]


class NumpyBert:
    """A BERT encoder loaded from a folder with ``config.json``, ``tokenizer.json``, ``model.safetensors``."""

    def __init__(self, folder: Path, max_tokens: int) -> None:
        from safetensors.numpy import load_file
        from threadpoolctl import ThreadpoolController
        from tokenizers import Tokenizer

        config = json.loads((folder / "config.json").read_text(encoding="utf-8"))
        if config.get("model_type") != "bert" or config.get("hidden_act", "gelu") != "gelu":
            raise ModelError(f"{folder} is no plain BERT encoder (model_type {config.get('model_type')!r})")
        self._heads = int(config["num_attention_heads"])
        self._layers = int(config["num_hidden_layers"])
        self._epsilon = float(config.get("layer_norm_eps", 1e-12))
        weights = load_file(str(folder / "model.safetensors"))
        self._weights = {name.removeprefix("bert."): value.astype(np.float32) for name, value in weights.items()}
        self._threads = ThreadpoolController()
        self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        self._tokenizer.no_padding()
        self._tokenizer.enable_truncation(max_tokens)

    def hidden(self, text: str) -> Matrix:
        """Last hidden states of the text, shape (tokens, width)."""
        with self._threads.limit(limits=1, user_api="blas"):  # small products: a second thread only waits
            return self._forward(self._tokenizer.encode(text).ids)

    def _forward(self, ids: list[int]) -> Matrix:
        w = self._weights
        state: Matrix = (
            w["embeddings.word_embeddings.weight"][ids]
            + w["embeddings.position_embeddings.weight"][: len(ids)]
            + w["embeddings.token_type_embeddings.weight"][0]
        )
        state = self._norm(state, "embeddings.LayerNorm")
        for layer in range(self._layers):
            state = self._layer(state, f"encoder.layer.{layer}")
        return state

    def _layer(self, state: Matrix, name: str) -> Matrix:
        attended = self._linear(self._attention(state, f"{name}.attention.self"), f"{name}.attention.output.dense")
        state = self._norm(state + attended, f"{name}.attention.output.LayerNorm")
        inner = _gelu(self._linear(state, f"{name}.intermediate.dense"))
        return self._norm(state + self._linear(inner, f"{name}.output.dense"), f"{name}.output.LayerNorm")

    def _attention(self, state: Matrix, name: str) -> Matrix:
        length, width = state.shape
        query, key, value = (
            self._linear(state, f"{name}.{part}").reshape(length, self._heads, -1).transpose(1, 0, 2)
            for part in ("query", "key", "value")
        )
        scores: Matrix = query @ key.transpose(0, 2, 1) / np.sqrt(np.float32(width // self._heads))
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True), dtype=np.float32)
        scores /= scores.sum(axis=-1, keepdims=True)
        attended: Matrix = (scores @ value).transpose(1, 0, 2).reshape(length, width)
        return attended

    def _linear(self, state: Matrix, name: str) -> Matrix:
        result: Matrix = state @ self._weights[f"{name}.weight"].T + self._weights[f"{name}.bias"]
        return result

    def _norm(self, state: Matrix, name: str) -> Matrix:
        centred = state - state.mean(axis=-1, keepdims=True)
        scaled = centred / np.sqrt((centred**2).mean(axis=-1, keepdims=True) + self._epsilon)
        result: Matrix = scaled * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return result


def _gelu(x: Matrix) -> Matrix:
    from scipy.special import erf

    share: Matrix = np.asarray(erf(x / np.float32(np.sqrt(2.0))), dtype=np.float32)
    return x * np.float32(0.5) * (np.float32(1.0) + share)
