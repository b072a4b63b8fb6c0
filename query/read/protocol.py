"""What a reader takes and returns, and the readers by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from clausegraph.core.errors import SettingsError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    Alternative,
    AnswerStatus,
    Contradiction,
    Evidence,
    PageKey,
    PlacedRule,
    Reading,
    Sentence,
    Support,
)
from clausegraph.query.registry import Entry, Registry
from clausegraph.query.retrieve.bank import Hit

Pages = Callable[[PageKey], Reading]


class Rules(Protocol):
    """What the corpus states: its pages, and the statements and rules that were read from them."""

    def reading(self, page: PageKey) -> Reading:
        """Title, elements and chunks of a page."""

    def supports_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[Support]:
        """The statements at any of these elements; none where nothing was extracted."""

    def rules_on(self, page: PageKey, anchors: Sequence[str]) -> Sequence[PlacedRule]:
        """The rules at any of these elements."""


@dataclass(frozen=True, slots=True)
class ReadResult:
    """Status and alternatives, best first, and why: plain values for the trace.

    ``quotes`` are what the pages say, best first, where nothing is asserted. ``contradictions`` are found by the engine
    afterwards: no reader looks for them. ``sentences``, ``missing`` and ``nearby`` are as those of ``Answer``.
    ``shown`` are page and anchor of the elements that a model was shown; none from readers that see all hits.
    """

    status: AnswerStatus
    alternatives: tuple[Alternative, ...]
    reasons: Mapping[str, object] = field(default_factory=dict)
    quotes: tuple[Evidence, ...] = ()
    contradictions: tuple[Contradiction, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    missing: str = ""
    nearby: tuple[str, ...] = ()
    shown: frozenset[tuple[PageKey, str]] = frozenset()


class Reader(Protocol):
    """Reads an answer from what was retrieved; holds no state between questions."""

    def read(self, inquiry: Inquiry, hits: Sequence[Hit], rules: Rules) -> ReadResult:
        """Alternatives with judged conditions, from ``hits``, best first. What cannot be read raises."""


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
