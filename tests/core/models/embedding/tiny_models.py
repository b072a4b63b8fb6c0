"""Models of two layers with random weights and BERT's own vocabulary, saved as a hub folder is."""

from pathlib import Path

from clausegraph.core.tokens import packaged_model_path


def save_tiny_bert(folder: Path, seed: int = 0) -> Path:
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


def save_tiny_distilbert(folder: Path) -> Path:
    import torch
    from transformers import BertTokenizerFast, DistilBertConfig, DistilBertModel

    torch.manual_seed(0)
    config = DistilBertConfig(vocab_size=30522, dim=32, n_layers=2, n_heads=4, hidden_dim=64)
    DistilBertModel(config).save_pretrained(folder)
    (folder / "sentence_bert_config.json").write_text('{"max_seq_length": 128}')
    BertTokenizerFast(tokenizer_file=str(packaged_model_path() / "tokenizer.json")).save_pretrained(folder)
    return folder


def save_tiny_cross_encoder(folder: Path, classes: int = 1) -> Path:
    import torch
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=30522, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        num_labels=classes, initializer_range=1.0,
    )  # fmt: skip
    BertForSequenceClassification(config).save_pretrained(folder)
    BertTokenizerFast(tokenizer_file=str(packaged_model_path() / "tokenizer.json")).save_pretrained(folder)
    return folder
