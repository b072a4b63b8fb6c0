"""What a run did, in plain values: each step returns the part of the report that it knows; ``fold`` adds them up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from pydantic import TypeAdapter

from clausegraph.core.extraction import Reject
from clausegraph.indexes.ledger.cells import decode
from clausegraph.indexes.ledger.schema import runs
from clausegraph.ingestion.guards import GateVerdict, Held


@dataclass(frozen=True, slots=True)
class Forecast:
    """What a run needs for the pages that it has read, known before anything is spent.

    Calls, prompt and reply tokens are those of the extraction. ``money`` is None where a model has no price,
    ``minutes`` where no earlier run tells, ``runs`` are the earlier ones that the forecast goes by. Later forecasts
    with the same models (``made_with``) go by what was counted here: ``counted`` are tokens of prompts and of the pages
    in them by our own tokenizer, ``passages`` the chunks and elements among the texts.
    """

    pages: int
    chunks: int
    chunks_reused: int
    texts: int
    calls: int
    prompt_tokens: int
    reply_tokens: int
    embed_tokens: int
    money: float | None
    minutes: float | None
    runs: int
    made_with: str
    counted: tuple[int, int]
    passages: int


@dataclass(frozen=True, slots=True)
class WatchReport:
    """What became of the watched questions after a run: the ids of those asked again and of those whose answer changed.

    ``not_asked`` are ids, each with the reason, ``unsent`` addresses that could not be told; both are due again.
    """

    asked: list[int]
    changed: list[int]
    not_asked: list[Reject]
    unsent: list[Reject]


@dataclass(frozen=True, slots=True)
class RunReport:
    """Counts, rejects and seconds of one run, or of a part of one. ``epoch`` is None when nothing was published;
    ``error`` says why the run failed, and is empty where it did not."""

    run_id: str = ""
    corpus: str = ""
    source: str = ""
    dry_run: bool = False
    error: str = ""
    epoch: int | None = None
    recovered: str | None = None
    killed: list[str] = field(default_factory=list)  # earlier runs that never came to their end
    pages_added: list[str] = field(default_factory=list)
    pages_changed: list[str] = field(default_factory=list)
    pages_removed: list[str] = field(default_factory=list)
    pages_kept: list[str] = field(default_factory=list)  # missing or unusable now, kept as they were
    pages_failed: list[str] = field(default_factory=list)  # a chunk has no extraction: they stay as they were
    pages_unchanged: int = 0
    pages_left: int = 0  # new or changed beyond the limit of the run: left for the next one
    pages_why: dict[str, str] = field(default_factory=dict)  # why each of these pages; of those left in a dry run only
    forecast: Forecast | None = None
    held: list[Held] = field(default_factory=list)  # why it is in quarantine, until a person decides
    accepted_by: str = ""
    gate: GateVerdict | None = None  # of a corpus that has one
    chunks_extracted: int = 0
    chunks_reused: int = 0
    chunks_why: dict[str, dict[str, list[str]]] = field(default_factory=dict)  # changed page → reason → chunk keys
    texts_embedded: int = 0
    texts_reused: int = 0
    rows: dict[str, dict[str, int]] = field(default_factory=dict)
    lagging: list[str] = field(default_factory=list)  # projections that miss something, and why
    rejects: list[Reject] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)  # files that are no pages by their names, by ending
    pages_same: dict[str, str] = field(default_factory=dict)  # other addresses of pages: whose, and how it is known
    fetched: dict[str, int] = field(default_factory=dict)  # of a source that is fetched: requests, pages anew, …
    failures: list[Reject] = field(default_factory=list)  # chunks no extraction could be made of, and why
    usage: dict[str, dict[str, float]] = field(default_factory=dict)  # by task: calls, tokens, money, seconds
    watched: WatchReport | None = None  # of a corpus with watched questions
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def is_held(self) -> bool:
        """Whether it is in quarantine: nothing of it is published until a person has decided."""
        return bool(self.held) and not (self.accepted_by or self.dry_run)

    def as_dict(self) -> dict[str, object]:
        """The report as JSON values; ``error`` is in it only where the run failed."""
        values = asdict(self)
        return values if self.error else {name: value for name, value in values.items() if name != "error"}


def report_from(values: Mapping[str, Any]) -> RunReport:
    """The report that ``RunReport.as_dict`` gave, also one that an earlier version stored."""
    known = {field.name for field in fields(RunReport)}
    kept = {name: value for name, value in values.items() if name in known}
    return decode(runs.c.report, values.get("run_id"), kept, TypeAdapter(RunReport).validate_python)


def parts_to_json(parts: Iterable[RunReport]) -> list[dict[str, Any]]:
    """Parts of a report as JSON values, without what is empty."""
    return [{name: value for name, value in asdict(part).items() if value} for part in parts]


def parts_from_json(rows: Iterable[Mapping[str, Any]]) -> list[RunReport]:
    """What ``parts_to_json`` was given."""
    return TypeAdapter(list[RunReport]).validate_python(list(rows))


def fold(run_id: str, corpus: str, source: str, parts: Iterable[RunReport], *, dry_run: bool = False) -> RunReport:
    """The report of a run from what its steps returned: counts are added, lists joined, all else is taken as it is.

    A page that failed stays as it was: it is neither added nor changed.
    """
    sums: dict[str, Any] = {}
    for part in parts:
        for name in (one.name for one in fields(part)):
            if value := getattr(part, name):
                sums[name] = _sum(sums[name], value) if name in sums else value
    report = RunReport(**sums | {"run_id": run_id, "corpus": corpus, "source": source, "dry_run": dry_run})
    failed = dict.fromkeys(failure.what for failure in report.failures)
    report = replace(
        report,
        pages_failed=list(failed),
        pages_added=[uri for uri in report.pages_added if uri not in failed],
        pages_changed=[uri for uri in report.pages_changed if uri not in failed],
    )
    if failed and not (report.error or report.pages_added or report.pages_changed):
        first = report.failures[0]
        error = f"no page could be extracted: {len(failed)} failed, first {first.what}: {first.reason}"
        return replace(report, error=error)
    return report


def _sum(one: Any, other: Any) -> Any:
    if isinstance(one, dict):
        return one | {key: _sum(one[key], value) if key in one else value for key, value in other.items()}
    return other if isinstance(one, str) else one + other
