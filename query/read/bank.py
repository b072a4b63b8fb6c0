"""The readers by name. A maker takes the embedder, and the question's model where the reader asks one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from clausegraph.core.errors import SettingsError
from clausegraph.query.registry import Entry, Registry

if TYPE_CHECKING:
    from clausegraph.core.models.embedding import Embedder
    from clausegraph.query.read.protocol import Reader
    from clausegraph.query.steps.model import StepModel


@dataclass(frozen=True, slots=True)
class ReaderEntry(Entry):
    """A reader by name. One that ``asks`` is made for each question, from the embedder and the question's model."""

    asks: bool = False


READERS = Registry(
    "reader",
    ReaderEntry(
        "extractive", "rules on words and small linear models; no language model", "read.extractive:ExtractiveReader"
    ),
    ReaderEntry(
        "model", "a language model drafts, code checks and decides", "read.model.reader:ModelReader", asks=True
    ),
)


def make_reader(name: str, embedder: Embedder, model: StepModel | None = None) -> Reader:
    """The reader of that name.

    Args:
        model: of the one question that a reader which asks is made for.

    Raises:
        InputError: no such reader.
        SettingsError: it asks a language model, and there is none.
    """
    entry = READERS[name]
    if not entry.asks:
        made: Reader = entry.load()(embedder)
        return made
    if model is None:
        raise SettingsError(f"reader {name!r} asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    asking: Reader = entry.load()(embedder, model)
    return asking
