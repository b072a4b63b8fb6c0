"""The real loading path of BERT-family embedders, on a tiny BERT made here and on the packaged MiniLM."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from clausegraph.core.errors import ModelError
from clausegraph.core.models.embedding import HashingEmbedder, Vectors
from clausegraph.core.models.sentence_transformers import BGE_INSTRUCTION, ModelSettings, SentenceTransformerEmbedder
from clausegraph.core.tokens import packaged_model_path

pytestmark = pytest.mark.unit

TEXTS = ["You can get the grant if you are over 65.", "Contact the office.", "a " * 300]
QUESTION = "Who can get the grant?"


def save_tiny_bert(folder: Path, seed: int = 0) -> Path:
    """A BERT of two layers with random weights and BERT's own vocabulary, saved as a hub folder is."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizerFast

    torch.manual_seed(seed)
    config = BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=128,
    )  # fmt: skip
    BertModel(config).save_pretrained(folder)
    BertTokenizerFast(tokenizer_file=str(packaged_model_path() / "tokenizer.json")).save_pretrained(folder)
    return folder


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


def test_bge_pools_cls_and_normalises(bge: Path) -> None:
    matrix = SentenceTransformerEmbedder(ModelSettings(name=str(bge))).embed_texts(TEXTS)
    assert matrix.shape == (3, 32)
    for row, text in zip(matrix, TEXTS, strict=True):
        np.testing.assert_allclose(row, cls_by_hand(bge, text), atol=1e-5)


def test_bge_puts_its_instruction_before_questions_only(bge: Path) -> None:
    embedder = SentenceTransformerEmbedder(ModelSettings(name=str(bge)))
    np.testing.assert_allclose(embedder.embed_query(QUESTION), cls_by_hand(bge, BGE_INSTRUCTION + QUESTION), atol=1e-5)
    np.testing.assert_allclose(embedder.embed_texts([QUESTION])[0], cls_by_hand(bge, QUESTION), atol=1e-5)


def test_settings_overrule_pooling_and_instruction(bge: Path) -> None:
    plain = SentenceTransformerEmbedder(ModelSettings(name=str(bge), query_instruction="", pooling="mean"))
    np.testing.assert_allclose(plain.embed_query(QUESTION), plain.embed_texts([QUESTION])[0], atol=1e-5)
    assert abs(float(plain.embed_query(QUESTION) @ cls_by_hand(bge, QUESTION))) < 0.999


@pytest.mark.parametrize("text", [QUESTION, "", "a " * 400, "£15,000 or more; naïve façade — ‘quoted’"])
def test_questions_in_numpy_equal_sentence_transformers(text: str) -> None:
    embedder, loaded = SentenceTransformerEmbedder(), SentenceTransformerEmbedder()
    reference = loaded.embed_texts([text, *["padding"] * 64])  # too many for NumPy
    np.testing.assert_allclose(embedder.embed_query(text), reference[0], atol=1e-5)
    np.testing.assert_allclose(embedder.embed_texts([text])[0], reference[0], atol=1e-5)
    np.testing.assert_allclose(loaded.embed_texts([text])[0], reference[0], atol=1e-5)


def test_fingerprints_tell_models_apart(bge: Path, tmp_path: Path) -> None:
    other = save_tiny_bert(tmp_path / "bge-tiny-en", seed=1)
    made = [
        SentenceTransformerEmbedder(settings).fingerprint
        for settings in (
            ModelSettings(),
            ModelSettings(name=str(bge)),
            ModelSettings(name=str(other)),
            ModelSettings(name=str(bge), pooling="mean"),
            ModelSettings(name=str(bge), query_instruction=""),
            ModelSettings(name="BAAI/bge-small-en-v1.5"),
            ModelSettings(name="BAAI/bge-small-en-v1.5", revision="abc"),
        )
    ]
    assert len(set(made)) == len(made)
    assert SentenceTransformerEmbedder(ModelSettings(name=str(bge))).fingerprint == made[1]


def test_a_folder_that_is_not_there() -> None:
    with pytest.raises(ModelError, match="does not exist; set CLAUSEGRAPH_EMBEDDING_MODEL"):
        SentenceTransformerEmbedder(ModelSettings(name="/nowhere/bge-small"))


def test_a_folder_that_is_no_model(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "bert", "hidden_size": 8}))
    with pytest.raises(ModelError, match="cannot be loaded"):
        SentenceTransformerEmbedder(ModelSettings(name=str(tmp_path))).embed_texts(["x"] * 65)


def test_hashing_embedder_is_deterministic() -> None:
    first, second = HashingEmbedder(32).embed_texts(TEXTS), HashingEmbedder(32).embed_texts(TEXTS)
    np.testing.assert_array_equal(first, second)
    np.testing.assert_allclose(np.linalg.norm(first, axis=1), 1.0, atol=1e-6)
    assert HashingEmbedder(32).embed_texts([]).shape == (0, 32)
