"""Embeddings from a server."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from clausegraph.app.dev.json_server import JsonServer
from clausegraph.core.errors import ModelRefused, ModelUnavailable, SettingsError, UnusableReply
from clausegraph.core.models import guard
from clausegraph.core.models.api_embedding import ApiEmbedder
from clausegraph.core.models.calls import ModelOptions
from tests.core.models.stack.conftest import by_turns
from tests.harness.fake_llm import FakeModelServer


@pytest.fixture(autouse=True)
def _quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guard, "BASE_S", 0.01)


def _embedder(provider: Any, url: str, **options: Any) -> ApiEmbedder:
    return ApiEmbedder(ModelOptions(provider, "fake-embed", url, "none", attempts=3, **options))


@pytest.fixture
def embedder(provider: str, fake: FakeModelServer) -> Iterator[ApiEmbedder]:
    made = _embedder(provider, fake.url)
    yield made
    made.close()


@pytest.mark.integration
def test_vectors_are_normalised_and_in_order(embedder: ApiEmbedder, provider: str, fake: FakeModelServer) -> None:
    fake.set(latency=(0.0, 0.05))
    texts = [f"text number {i} of many" for i in range(150)]
    vectors = embedder.embed_texts(texts)
    assert vectors.shape == (150, 384) and vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)
    assert fake.counters()["by_path"]["embeddings"] == 3  # 64 texts a request
    assert np.allclose(vectors[100], embedder.embed_query(texts[100]), atol=1e-5)
    assert embedder.dimension == 384
    assert embedder.fingerprint == f"{provider}:fake-embed"
    assert embedder.embed_texts([]).shape == (0, 384)


@pytest.mark.integration
@pytest.mark.parametrize(("fault", "provider"), by_turns("hang", "500", "429", "cut_connection", "html_body"))
def test_failures_are_retried(fault: str, provider: str, fake: FakeModelServer) -> None:
    fake.set(fault=fault, fault_first=1)
    seconds = 1.0 if fault == "hang" else 60.0
    embedder = _embedder(provider, fake.url, timeout_s=seconds)
    assert embedder.embed_texts(["a", "b"]).shape == (2, 384)
    assert fake.counters()["requests"] == 2
    embedder.close()
    fake.set(fault=fault, fault_first=None)
    fake.reset()
    embedder = _embedder(provider, fake.url, timeout_s=seconds / 2)
    with pytest.raises(ModelUnavailable if fault != "html_body" else UnusableReply):
        embedder.embed_texts(["a", "b"])
    assert fake.counters()["requests"] == 3
    embedder.close()


@pytest.mark.integration
def test_refusals_are_final(embedder: ApiEmbedder, fake: FakeModelServer) -> None:
    fake.set(key="another")
    with pytest.raises(ModelRefused):
        embedder.embed_texts(["a"])
    assert fake.counters()["requests"] == 1


@pytest.mark.unit
def test_mistral_needs_a_key() -> None:
    with pytest.raises(SettingsError, match="CLAUSEGRAPH_EMBEDDING_KEY"):
        ApiEmbedder(ModelOptions("mistral", "mistral-embed"))


@pytest.mark.integration
@pytest.mark.parametrize(
    ("vectors", "provider"),
    by_turns(*[(odd,) for odd in ([[1.0, 2.0]], [[1.0, float("nan")]] * 2, [[1.0], [1.0, 2.0]], [[], []])]),
)
def test_odd_vectors_are_no_embedding(vectors: list[list[float]], provider: str) -> None:
    data = [{"object": "embedding", "index": i, "embedding": vector} for i, vector in enumerate(vectors)]
    usage = {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1}
    reply = {"id": "x", "object": "list", "model": "m", "data": data, "usage": usage}
    with JsonServer(lambda path, body: (200, reply)) as server:
        embedder = _embedder(provider, server.url)
        try:
            with pytest.raises(UnusableReply):
                embedder.embed_texts(["a", "b"])
        finally:
            embedder.close()
