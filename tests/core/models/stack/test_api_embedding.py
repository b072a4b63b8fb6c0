"""Embeddings from a server."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
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
    with pytest.raises(ModelRefused, match="CLAUSEGRAPH_EMBEDDING_KEY"):
        embedder.embed_texts(["a"])
    assert fake.counters()["requests"] == 1


@pytest.mark.unit
def test_mistral_needs_a_key() -> None:
    with pytest.raises(SettingsError, match="CLAUSEGRAPH_EMBEDDING_KEY"):
        ApiEmbedder(ModelOptions("mistral", "mistral-embed"))


def _reply(vectors: list[Any], numbers: list[int]) -> dict[str, Any]:
    data = [
        {"object": "embedding", "index": i, "embedding": vector} for i, vector in zip(numbers, vectors, strict=True)
    ]
    usage = {"prompt_tokens": 1, "completion_tokens": 0, "total_tokens": 1}
    return {"id": "x", "object": "list", "model": "m", "data": data, "usage": usage}


ODD = [
    ([[1.0, 2.0]], "was sent 2 texts and gave 1 vectors"),
    ([None, None], "was sent 2 texts and gave 2 nulls among as many vectors"),
    ([[1.0, 2.0], None], "was sent 2 texts and gave 1 nulls among as many vectors"),
    ([[1.0, float("nan")]] * 2, "2 with numbers that are null, NaN, infinite or too large"),
    ([[1.0, float("inf")], [1.0, 2.0]], "1 with numbers that are null, NaN, infinite or too large"),
    ([[1.0], [1.0, 2.0]], "was sent 2 texts and gave vectors of 1 and 2 numbers"),
    ([[], []], "was sent 2 texts and gave vectors of 0 numbers"),
    ([[0.0, 0.0], [1.0, 0.0]], "1 of zeros, which point nowhere"),
]


@pytest.mark.integration
@pytest.mark.parametrize(("vectors", "told", "provider"), by_turns(*ODD))
def test_odd_vectors_are_no_embedding(vectors: list[Any], told: str, provider: str) -> None:
    reply = _reply(vectors, list(range(len(vectors))))
    with JsonServer(lambda path, body: (200, reply)) as server, closing(_embedder(provider, server.url)) as embedder:
        with pytest.raises(UnusableReply, match=told):
            embedder.embed_texts(["a", "b"])
        assert server.asked[200] == 3  # a reply that is none passes like an outage


@pytest.mark.integration
@pytest.mark.parametrize(("numbers", "told"), [([1, 0], ""), ([0, 0], ""), ([0, 2], "numbered"), ([1, 1], "numbered")])
def test_vectors_go_by_their_numbers(numbers: list[int], told: str, provider: str) -> None:
    reply = _reply([[0.0, 2.0], [3.0, 0.0]], numbers)
    with JsonServer(lambda path, body: (200, reply)) as server, closing(_embedder(provider, server.url)) as embedder:
        if told:
            with pytest.raises(UnusableReply, match=told):
                embedder.embed_texts(["a", "b"])
        else:
            made = embedder.embed_texts(["a", "b"])
            assert made.tolist() == ([[1.0, 0.0], [0.0, 1.0]] if numbers == [1, 0] else [[0.0, 1.0], [1.0, 0.0]])


@pytest.mark.integration
def test_another_dimension_is_told_with_both(provider: str) -> None:
    replies = [_reply([[1.0, 2.0]], [0]), _reply([[1.0, 2.0, 3.0]], [0])]
    answer = lambda path, body: (200, replies.pop(0))  # noqa: E731
    with JsonServer(answer) as server, closing(_embedder(provider, server.url)) as embedder:
        embedder.embed_texts(["a"])
        with pytest.raises(UnusableReply, match="1 texts and gave vectors of 3 numbers, where those before have 2"):
            embedder.embed_texts(["b"])


@pytest.mark.integration
@pytest.mark.parametrize(("status", "provider"), by_turns((413,), (400,), (422,)))
def test_a_batch_that_is_too_large_is_halved(status: int, provider: str) -> None:
    """A fake server that takes at most ten texts of at most 500 characters together, and counts each that it embeds."""
    embedded: Counter[str] = Counter()

    def answer(path: str, body: Mapping[str, Any]) -> tuple[int, Any]:
        texts = body["input"]
        if len(texts) > 10 or sum(map(len, texts)) > 500:
            return status, {"error": {"message": "too much"}}
        embedded.update(texts)
        return 200, _reply([[float(len(text)), 1.0] for text in texts], list(range(len(texts))))

    texts = ["x" * (number + 1) for number in range(150)]
    with JsonServer(answer) as server, closing(_embedder(provider, server.url, concurrency=2)) as embedder:
        made = embedder.embed_texts(texts)
        assert np.allclose(made[:, 0] / made[:, 1], np.arange(1, 151), rtol=1e-4)  # in order
        assert set(embedded.values()) == {1} and server.asked[status] <= 10
        texts[70] = "x" * 501
        with pytest.raises(ModelRefused, match=r"too much.*; it was sent one text of 501 characters"):
            embedder.embed_texts(texts)
