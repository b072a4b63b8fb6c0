"""Figures of ConditionalQA runs: scores by group, an engine's scores and costs, floors, and two runs compared."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from statistics import median
from typing import Literal, get_args

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import Scores
from clausegraph.eval.conditionalqa.records import QuestionRecord
from clausegraph.eval.metrics import ConfidenceInterval, mean_interval, paired_difference

Group = Literal["total", "yesno", "extractive", "conditional", "not_answerable"]
GROUPS: tuple[Group, ...] = get_args(Group)
METRICS = tuple(field.name for field in fields(Scores))
METRIC_NAMES = dict(zip(METRICS, ("EM", "F1", "EM with conditions", "F1 with conditions"), strict=True))
SCORES = ("f1", "f1_with_conditions")
AT_MOST = ("calls", "most_calls", "prompt_tokens", "tokens", "money", "milliseconds")  # floors of these are ceilings


def in_group(record: QuestionRecord, group: str) -> bool:
    """Whether a question counts in a group: "conditional" are those where a gold answer has a condition."""
    if group == "total":
        return True
    return record.conditional if group == "conditional" else record.kind == group


def answer_table(records: Sequence[QuestionRecord]) -> dict[Group, dict[str, float]]:
    """The mean answer scores by group: ``questions``, ``predictions``, the four metrics with every question in the
    denominator, and the same with the prefix ``official_``, which leaves out questions without a prediction.

    Scores are 0 to 1; NaN where a group is empty.
    """
    table: dict[Group, dict[str, float]] = {}
    for group in GROUPS:
        rows = [record for record in records if in_group(record, group)]
        scores = [record.scores for record in rows if record.has_prediction]
        table[group] = {"questions": len(rows), "predictions": len(scores)}
        for prefix, count in (("", len(rows)), ("official_", len(scores))):
            sums = {name: math.fsum(getattr(one, name) for one in scores) for name in METRICS}
            table[group] |= {f"{prefix}{name}": sums[name] / count if count else math.nan for name in METRICS}
    return table


@dataclass(frozen=True, slots=True)
class EngineFigures:
    """An engine, in the form of HybridContextQA's Table 1: scores in percent, every question in the denominator; costs
    of the answered, since a failure tells none: medians a question, ``money`` their mean, ``most_calls`` those of the
    question that asked most.

    ``with_conditions`` is the total F1 with conditions over all questions: what Table 1's column "conditional" holds,
    whatever it is called there.
    """

    questions: int
    failed: int
    f1: float
    yes_no: float
    span: float
    f1_with_conditions: float
    calls: float
    most_calls: float
    prompt_tokens: float
    tokens: float
    money: float
    milliseconds: float


def engine_figures(records: Sequence[QuestionRecord]) -> EngineFigures:
    """The figures of a run."""
    if not records:
        raise InputError("there is no question to count; ask at least one")
    answered = [record for record in records if record.error is None]
    return EngineFigures(
        questions=len(records),
        failed=sum(record.error is not None for record in records),
        f1=_percent([record.scores.f1 for record in records]),
        yes_no=_percent([record.scores.f1 for record in records if in_group(record, "yesno")]),
        span=_percent([record.scores.f1 for record in records if in_group(record, "extractive")]),
        f1_with_conditions=_percent([record.scores.f1_with_conditions for record in records]),
        calls=_median([record.calls or 0 for record in answered]),
        most_calls=max((record.calls or 0 for record in answered), default=float("nan")),
        prompt_tokens=_median([record.prompt_tokens or 0 for record in answered]),
        tokens=_median([record.model_tokens or 0 for record in answered]),
        money=sum(record.money or 0.0 for record in answered) / len(answered) if answered else float("nan"),
        milliseconds=_median([record.milliseconds or 0.0 for record in answered]),
    )


def _median(values: Sequence[float]) -> float:
    return median(values) if values else float("nan")


def _percent(values: Sequence[float]) -> float:
    return 100 * sum(values) / len(values) if values else float("nan")


def intervals(records: Sequence[QuestionRecord]) -> dict[str, ConfidenceInterval]:
    """Bootstrap intervals of both F1 figures."""
    return {name: mean_interval(values_of(records, name)) for name in SCORES}


def compared(
    first: Sequence[QuestionRecord], second: Sequence[QuestionRecord], metrics: Iterable[str] = SCORES
) -> dict[str, ConfidenceInterval]:
    """Second minus first on the same questions, with paired bootstrap intervals."""
    return {name: paired_difference(values_of(first, name), values_of(second, name)) for name in metrics}


def values_of(records: Sequence[QuestionRecord], metric: str) -> dict[str, float]:
    """A metric by the id of the question."""
    return {record.id: float(getattr(record.scores, metric)) for record in records}


def read_floors(path: Path, table: str = "floors") -> dict[str, float]:
    """Figures by name from a table of a TOML file."""
    try:
        tables = tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"the floors {path} cannot be read: {error}") from error
    floors = tables.get(table)
    if not isinstance(floors, dict) or not floors:
        others = ", ".join(name for name, value in tables.items() if isinstance(value, dict)) or "none"
        raise InputError(
            f"{path} has no table [{table}]; it has {others}: name one with --floor, or write for example f1 = 47.3 "
            f"below [{table}]"
        )
    for name, value in floors.items():
        if name not in EngineFigures.__slots__ or isinstance(value, bool) or not isinstance(value, int | float):
            raise InputError(
                f"{path}: {name} = {value!r} is no floor; figures are {', '.join(EngineFigures.__slots__)}"
            )
    return {name: float(value) for name, value in floors.items()}


def missed(figures: EngineFigures, floors: Mapping[str, float]) -> list[str]:
    """Each figure that is not as pinned, in words; costs and failures must not be above, ``questions`` is exact."""
    found = []
    for name, floor in floors.items():
        value = float(getattr(figures, name))
        if name == "questions":
            holds, wanted = value == floor, "exactly"
        elif name in (*AT_MOST, "failed"):
            holds, wanted = value <= floor, "at most"
        else:
            holds, wanted = value >= floor, "at least"
        if not holds:
            found.append(f"{name} is {value:.2f}, pinned is {wanted} {floor:g}")
    return found
