"""CRAG's questions asked and graded, a record each; and the figures: shares of right, invented and missing answers."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from statistics import median

from pydantic import TypeAdapter

from clausegraph.core.errors import ClauseGraphError
from clausegraph.eval.crag.dataset import GROUPS, CragCase
from clausegraph.eval.crag.judge import VERDICTS, CragJudge
from clausegraph.eval.files import recorded
from clausegraph.query.crag.types import DONT_KNOW, CragAnswer

LATENCY_S = 30.0  # CRAG's limit for an answer
Ask = Callable[[CragCase], CragAnswer]


@dataclass(frozen=True, slots=True)
class CragRecord:
    """One question: what was said, the verdict, what it cost. The question's text is not in it."""

    id: str
    answer: str
    verdict: str
    by: str
    why: str
    labels: dict[str, str] = field(default_factory=dict)
    predicted: dict[str, str] = field(default_factory=dict)
    rounds: int = 0
    calls: int = 0
    prompt_tokens: int = 0
    output_tokens: int = 0
    by_step: dict[str, int] = field(default_factory=dict)
    references: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0
    failed: str = ""
    failed_sources: list[str] = field(default_factory=list)


_RECORD = TypeAdapter(CragRecord)


def run_cases(
    cases: Sequence[CragCase],
    ask: Ask,
    judge: CragJudge,
    *,
    kept: Path | None = None,
    seconds: float = LATENCY_S,
    at_once: int = 1,
    told: Callable[[int], None] = lambda _: None,
) -> list[CragRecord]:
    """Records in the order of the questions.

    Args:
        kept: file of records, which is gone on with; none keeps nothing.
        at_once: questions that are open together.
        seconds: an answer that took longer counts as none; 0 is no limit (a model that is answered by hand).
    """
    graded = partial(_record, ask=ask, judge=judge, seconds=seconds)
    return recorded(cases, graded, _RECORD, kept, failed=lambda record: record.failed, at_once=at_once, told=told)


def _record(case: CragCase, ask: Ask, judge: CragJudge, seconds: float) -> CragRecord:
    began = time.monotonic()
    try:
        answer = ask(case)
    except ClauseGraphError as error:
        took = time.monotonic() - began
        said = str(error)
        return CragRecord(case.id, DONT_KNOW, "missing", "failed", said[:300], case.labels, seconds=took, failed=said)
    took = time.monotonic() - began
    late = bool(seconds) and took > seconds
    graded = judge.grade(case.question.text, case.answers, DONT_KNOW if late else answer.text)
    attributes, usage = answer.attributes, answer.usage
    predicted = {"domain": attributes.domain, "kind": attributes.kind, "dynamism": attributes.dynamism}
    kinds = [one.kind.value for one in answer.references]
    return CragRecord(
        case.id,
        answer.text,
        graded.verdict,
        "late" if late else graded.by,
        f"it took {took:.0f} of {seconds:g} seconds" if late else graded.why,
        case.labels,
        {name: value.value for name, value in predicted.items() if value is not None},
        answer.rounds,
        usage.calls,
        usage.prompt_tokens,
        usage.output_tokens,
        dict(usage.tasks),
        {kind: kinds.count(kind) for kind in dict.fromkeys(kinds)},
        round(took, 3),
        failed_sources=list(answer.failed),
    )


@dataclass(frozen=True, slots=True)
class CragFigures:
    """Of some questions; shares of all of them. ``score`` is accuracy less hallucination."""

    questions: int
    accuracy: float
    hallucination: float
    missing: float
    score: float
    failed: int
    unjudged: int
    calls: float
    prompt_tokens: float
    output_tokens: float
    seconds: float


def crag_figures(records: Sequence[CragRecord]) -> CragFigures:
    """The figures; means of calls and tokens, the median of seconds."""
    count = len(records) or 1
    share = {verdict: sum(one.verdict == verdict for one in records) / count for verdict in VERDICTS}
    return CragFigures(
        questions=len(records),
        accuracy=share["correct"],
        hallucination=share["incorrect"],
        missing=share["missing"],
        score=share["correct"] - share["incorrect"],
        failed=sum(bool(one.failed) for one in records),
        unjudged=sum(one.by == "unjudged" for one in records),
        calls=sum(one.calls for one in records) / count,
        prompt_tokens=sum(one.prompt_tokens for one in records) / count,
        output_tokens=sum(one.output_tokens for one in records) / count,
        seconds=median([one.seconds for one in records]) if records else 0.0,
    )


def by_group(records: Sequence[CragRecord]) -> dict[str, CragFigures]:
    """Figures by each label that questions have, as ``domain: finance``."""
    labels = [(group, label) for group in GROUPS for label in sorted({one.labels.get(group, "") for one in records})]
    return {
        f"{group}: {label}": crag_figures([one for one in records if one.labels.get(group) == label])
        for group, label in labels
        if label
    }


def calls_by_step(records: Sequence[CragRecord]) -> dict[str, float]:
    """Calls of a model a question, by the prompt's task."""
    counted: Counter[str] = Counter()
    for record in records:
        counted.update(record.by_step)
    return {task: count / (len(records) or 1) for task, count in sorted(counted.items())}
