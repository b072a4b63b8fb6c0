"""What the steps of a run return. ``report.fold`` makes the report of them; no step reads what another one put in it.

Where the steps are processes of their own, each leaves its results in the ledger as JSON.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, get_args

from clausegraph.core.extraction import Reject


@dataclass(frozen=True, slots=True)
class Changes:
    """What a run does to the pages of its source, each with the reason in ``why``; a dry run is this and no more.

    ``kept`` are missing or unusable now and stay as they were; ``left`` are beyond the limit of the run.
    """

    added: Sequence[str] = ()
    changed: Sequence[str] = ()
    removed: Sequence[str] = ()
    kept: Sequence[str] = ()
    left: Sequence[str] = ()
    unchanged: int = 0
    why: Mapping[str, str] = field(default_factory=dict)
    rejects: Sequence[Reject] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)  # files that are no pages by their names, by ending
    same: Mapping[str, str] = field(default_factory=dict)  # other addresses of pages: whose, and how it is known
    fetched: Mapping[str, int] = field(default_factory=dict)  # what fetching took


@dataclass(frozen=True, slots=True)
class Recovered:
    """What was done about the publish that an earlier run did not finish."""

    what: str


@dataclass(frozen=True, slots=True)
class Killed:
    """Earlier runs that never came to their end; what they had stored is used."""

    runs: Sequence[str]


@dataclass(frozen=True, slots=True)
class ChunksFound:
    """Chunks that have a stored extraction, and those of changed pages that have none: keys by uri and reason."""

    reused: int
    why: Mapping[str, Mapping[str, Sequence[str]]]


@dataclass(frozen=True, slots=True)
class ChunksExtracted:
    """Chunks that were extracted and stored; for those that could not be, the problem by input key."""

    count: int
    rejects: Sequence[Reject] = ()
    proposals: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PagesFailed:
    """Pages that stay as they were because a chunk has no extraction: one reject per chunk, ``what`` is the uri."""

    failures: Sequence[Reject]


@dataclass(frozen=True, slots=True)
class TextsEmbedded:
    """Texts that were embedded, and those that had a stored embedding."""

    embedded: int
    reused: int


@dataclass(frozen=True, slots=True)
class Published:
    """The epoch, None where readers had exactly that already; rows by table; projections that lack something."""

    epoch: int | None
    rows: Mapping[str, Mapping[str, int]]
    lagging: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Timed:
    """Seconds of wall time that a stage took."""

    stage: str
    seconds: float


@dataclass(frozen=True, slots=True)
class Used:
    """What the models of the run used, by task: calls, tokens, money, seconds."""

    usage: Mapping[str, Mapping[str, float]]


@dataclass(frozen=True, slots=True)
class Failed:
    """Why the run came to nothing."""

    error: str


Result = (
    Changes
    | Recovered
    | Killed
    | ChunksFound
    | ChunksExtracted
    | PagesFailed
    | TextsEmbedded
    | Published
    | Timed
    | Used
    | Failed
)
_KINDS: dict[str, type[Result]] = {kind.__name__: kind for kind in get_args(Result)}
_REJECTS = ("rejects", "failures")


def results_to_json(results: Iterable[Result]) -> list[dict[str, Any]]:
    """The results as JSON values."""
    return [{"kind": type(result).__name__, "values": asdict(result)} for result in results]


def results_from_json(rows: Iterable[Mapping[str, Any]]) -> list[Result]:
    """What :func:`results_to_json` was given."""
    return [_KINDS[row["kind"]](**{name: _value(name, value) for name, value in row["values"].items()}) for row in rows]


def _value(name: str, value: Any) -> Any:
    return [Reject(**item) for item in value] if name in _REJECTS else value
