"""The readers by name. A maker takes the embedder and makes a ``Reader``."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.query.read.protocol import Reader

READERS = Registry(
    "reader",
    Entry(
        "extractive", "rules on words and small linear models; no language model", "read.extractive:ExtractiveReader"
    ),
)


def make_reader(name: str, embedder: Embedder) -> Reader:
    """The reader of that name.

    Raises:
        InputError: no such reader.
    """
    made: Reader = READERS[name].load()(embedder)
    return made
