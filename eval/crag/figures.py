"""The figures of CRAG: shares of right, invented and missing answers, and their score (truthfulness)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median

from clausegraph.eval.crag.dataset import GROUPS
from clausegraph.eval.crag.run import CragRecord


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
    share = {verdict: sum(one.verdict == verdict for one in records) / count for verdict in _VERDICTS}
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


_VERDICTS = ("correct", "incorrect", "missing")


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
