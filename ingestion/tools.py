"""What a run works with, and how it treats its source."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from clausegraph.core.extraction import Extractor
from clausegraph.core.models.embedding import Embedder
from clausegraph.core.types import HOLD_SHARE, Reading, Rule
from clausegraph.indexes.graph.protocol import NO_PROJECTIONS, Projections
from clausegraph.indexes.ledger.store import Ledger
from clausegraph.indexes.vacuum import KEEP_DAYS, KEEP_EPOCHS
from clausegraph.ingestion.extract.rules.extractor import read_rules
from clausegraph.ingestion.guards import GateVerdict
from clausegraph.ingestion.reading.page import ReadingLimits
from clausegraph.ingestion.report import WatchReport

RuleReader = Callable[[Reading], dict[Rule, str]]  # the rules of a page, each with the key of its chunk
Gate = Callable[[str, int], GateVerdict]  # what a prepared epoch of a corpus, by its number, misses
AskAgain = Callable[[str], WatchReport | None]  # the watched questions of a corpus that a publish touches


class Progress(Protocol):
    """Is told how far a run is, between two units of its work. What it raises ends the run there."""

    def __call__(self, phase: str, done: int, total: int, failed: int = 0, /) -> None:
        """So many units of a phase are done, of how many (0: nobody knows), and how many failed."""


class Cancelled(KeyboardInterrupt):
    """Ends a run between two units of its work, as Ctrl-C does; raised by its progress."""


def no_progress(_phase: str, _done: int, _total: int, _failed: int = 0) -> None:
    """The progress of nobody watching."""


class Meter(Protocol):
    """Counts the model calls of a run."""

    def start(self, corpus_id: int, run_id: str) -> None:
        """Calls from now on belong to this run."""

    def stop(self) -> dict[str, dict[str, float]]:
        """The run's usage by task: calls, cached, failed, prompt_tokens, output_tokens, money, seconds."""


class NoMeter:
    """The meter of a run that calls no model."""

    def start(self, corpus_id: int, run_id: str) -> None:
        """Nothing to count."""

    def stop(self) -> dict[str, dict[str, float]]:
        """Nothing was used."""
        return {}


@dataclass(frozen=True, slots=True)
class Tools:
    """What a run works with. Models load themselves when first used, not before.

    ``prices`` of a million prompt and reply tokens, by model: what a forecast of money goes by. ``gate`` asks the
    questions of a corpus that has some.
    """

    ledger: Ledger
    embedder: Embedder
    extractor: Extractor
    progress: Progress = no_progress
    meter: Meter = field(default_factory=NoMeter)
    projections: Projections = NO_PROJECTIONS
    limits: ReadingLimits = field(default_factory=ReadingLimits)
    read_rules: RuleReader = read_rules
    prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    gate: Gate | None = None
    ask_again: AskAgain = lambda _corpus: None


@dataclass(frozen=True, slots=True)
class Options:
    """How a run treats its source: keep pages that are gone, only report, read everything again, accept
    that it has moved, read at most so many new or changed pages, accept that it has no page any more, look only at the
    pages with these uris; the share of its pages that may go or lose their text, beyond which the run is held
    (``guards``); which epochs the vacuum keeps that follows when segments have become many; and whether the gate of the
    corpus is asked before readers get the epoch."""

    keep_missing: bool = False
    dry_run: bool = False
    force: bool = False
    relocate: bool = False
    limit: int | None = None
    allow_empty: bool = False
    only: frozenset[str] | None = None
    hold_share: float = HOLD_SHARE
    keep_epochs: int = KEEP_EPOCHS
    keep_days: float = KEEP_DAYS
    gated: bool = True
