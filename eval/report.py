"""From records to tables and a Markdown report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, fields
from pathlib import Path

import pandas as pd

from clausegraph.eval.conditionalqa.scorer import Scores, aggregate
from clausegraph.eval.json_files import write_text
from clausegraph.eval.records import QuestionRecord
from clausegraph.eval.retrieval import summarise_retrieval

METRICS = tuple(field.name for field in fields(Scores))


def answer_table(records: Sequence[QuestionRecord]) -> pd.DataFrame:
    """Return the mean answer scores, one row per group (see ``scorer.GROUPS``).

    Columns: ``questions``, ``predictions``, the four metrics with every question in the denominator,
    and the same with the prefix ``official_``, which leaves out questions without a prediction.
    Scores are 0 to 1; NaN where a group is empty.
    """
    rows = {}
    for group, figures in aggregate(records).items():
        row: dict[str, float] = {"questions": figures.questions, "predictions": figures.predictions}
        for prefix, scores in (("", figures.ours), ("official_", figures.official)):
            values = asdict(scores) if scores else dict.fromkeys(METRICS, float("nan"))
            row |= {prefix + metric: values[metric] for metric in METRICS}
        rows[group] = row
    table = pd.DataFrame.from_dict(rows, orient="index").rename_axis("group")
    return table.astype({"questions": int, "predictions": int})


def retrieval_table(records: Sequence[QuestionRecord]) -> pd.DataFrame:
    """Return evidence recall by budget: index ``budget``, columns ``questions``, ``recall``,
    ``complete`` (0 to 1, over the questions with evidence). Empty if nothing was retrieved.
    """
    rows = [asdict(row) for row in summarise_retrieval(record.retrieval for record in records)]
    columns = ["budget", "questions", "recall", "complete"]
    return pd.DataFrame(rows, columns=columns).set_index("budget").astype({"questions": int})


def cost_table(records: Sequence[QuestionRecord]) -> pd.DataFrame:
    """Return median, 95th percentile and sum of ``milliseconds`` and ``model_tokens``.

    One row per quantity that was recorded for at least one question; unrecorded ones are left out.
    """
    known = pd.DataFrame(
        {
            "milliseconds": [record.milliseconds for record in records],
            "model_tokens": [record.model_tokens for record in records],
        },
        dtype=float,
    ).dropna(axis="columns", how="all")
    rows = {
        str(name): {
            "questions": int(column.count()),
            "median": column.median(),
            "p95": column.quantile(0.95),
            "sum": column.sum(),
        }
        for name, column in known.items()
    }
    table = pd.DataFrame.from_dict(rows, orient="index", columns=["questions", "median", "p95", "sum"])
    return table.rename_axis("per question")


def markdown_report(records: Sequence[QuestionRecord], *, title: str, notes: Sequence[str] = ()) -> str:
    """Return the report of one run: scores in percent, retrieval, cost, and every failure.

    ``notes`` are lines put under the title: model, corpus, engine, whatever a reader must know.
    Sections without data are left out.
    """
    parts = [f"# {title}", "\n".join(f"- {note}" for note in notes)]
    if any(record.has_prediction or record.error for record in records):
        parts += ["## Answers", _ANSWERS_NOTE, _markdown(_percent(answer_table(records)), digits=2)]
    retrieval = retrieval_table(records)
    if not retrieval.empty:
        parts += ["## Retrieval", _RETRIEVAL_NOTE, _markdown(_percent(retrieval), digits=2)]
    costs = cost_table(records)
    if not costs.empty:
        parts += ["## Time and tokens", _markdown(costs, digits=0)]
    failures = [f"- `{record.id}`: {_one_line(record.error)}" for record in records if record.error]
    if failures:
        parts += [f"## Failures ({len(failures)})", "\n".join(failures)]
    return "\n\n".join(part for part in parts if part) + "\n"


def write_report(path: Path, records: Sequence[QuestionRecord], *, title: str, notes: Sequence[str] = ()) -> None:
    """Write :func:`markdown_report` to a file.

    Raises:
        InputError: the file cannot be written.
    """
    write_text(path, markdown_report(records, title=title, notes=notes))


_ANSWERS_NOTE = (
    "Percent. Every question counts; the columns `official_` leave out questions without a prediction, "
    "as the official scorer does. `conditional`: questions where a gold answer has conditions."
)
_RETRIEVAL_NOTE = (
    "Percent of the gold evidence within so many tokens of retrieved text, and of questions with all of "
    "it, over the questions that have evidence."
)


def _percent(table: pd.DataFrame) -> pd.DataFrame:
    shares = [column for column in table.columns if column not in ("questions", "predictions")]
    return table.assign(**{column: table[column] * 100 for column in shares})


def _markdown(table: pd.DataFrame, *, digits: int) -> str:
    # Written out here because DataFrame.to_markdown needs one more package, tabulate.
    header = [str(table.index.name), *(str(column) for column in table.columns)]
    lines = [header, ["---", *["---:"] * len(table.columns)]]
    for name, row in zip(table.index, table.itertuples(index=False), strict=True):
        lines.append([str(name), *(_cell(value, digits) for value in row)])
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def _cell(value: float, digits: int) -> str:
    if pd.isna(value):
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"


def _one_line(text: str | None) -> str:
    return " ".join((text or "").split())
