"""From records to tables of figures, and figures in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, fields
from typing import TYPE_CHECKING

from clausegraph.eval.comparison import CONFIDENCE, RESAMPLES, SEED, ConfidenceInterval
from clausegraph.eval.conditionalqa.scorer import Scores, aggregate
from clausegraph.eval.page import Table
from clausegraph.eval.provenance import Provenance
from clausegraph.eval.records import QuestionRecord
from clausegraph.eval.retrieval import summarise_retrieval

if TYPE_CHECKING:
    import pandas as pd

METRICS = tuple(field.name for field in fields(Scores))
METRIC_NAMES = dict(zip(METRICS, ("EM", "F1", "EM with conditions", "F1 with conditions"), strict=True))
RESAMPLED = (
    f"In brackets: {CONFIDENCE:.0%} bootstrap intervals, questions drawn with replacement {RESAMPLES:,} times "
    f"(seed {SEED}), two systems' values together; a star: the interval of a difference leaves out zero."
)


def answer_table(records: Sequence[QuestionRecord]) -> pd.DataFrame:
    """Return the mean answer scores, one row per group (see ``scorer.GROUPS``).

    Columns: ``questions``, ``predictions``, the four metrics with every question in the denominator,
    and the same with the prefix ``official_``, which leaves out questions without a prediction.
    Scores are 0 to 1; NaN where a group is empty.
    """
    import pandas as pd  # of the extra `eval`

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
    import pandas as pd

    rows = [asdict(row) for row in summarise_retrieval(record.retrieval for record in records)]
    columns = ["budget", "questions", "recall", "complete"]
    return pd.DataFrame(rows, columns=columns).set_index("budget").astype({"questions": int})


def cost_table(records: Sequence[QuestionRecord]) -> pd.DataFrame:
    """Return median, 95th percentile and sum of ``milliseconds`` and ``model_tokens``.

    One row per quantity that was recorded for at least one question; unrecorded ones are left out.
    """
    import pandas as pd

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


def figures_table(frame: pd.DataFrame, digits: int) -> Table:
    """A frame of figures as text: whole numbers without decimals, NaN as a dash."""
    rows = [
        (str(name), *(_cell(value, digits) for value in row))
        for name, row in zip(frame.index, frame.itertuples(index=False), strict=True)
    ]
    return Table((str(frame.index.name), *map(str, frame.columns)), tuple(rows))


def percent_text(share: float) -> str:
    """A share from 0 to 1 in percent."""
    return f"{100 * share:.1f}"


def interval_text(interval: ConfidenceInterval) -> str:
    """A share and its interval in percent."""
    return f"{100 * interval.mean:.2f} [{percent_text(interval.low)}, {percent_text(interval.high)}]"


def difference_text(interval: ConfidenceInterval) -> str:
    """A difference and its interval in percentage points, signed; a star where the interval leaves out zero."""
    mark = " *" if interval.excludes_zero else ""
    return f"{100 * interval.mean:+.2f} [{100 * interval.low:+.1f}, {100 * interval.high:+.1f}]{mark}"


def about(run: Provenance) -> Table:
    """What made the figures: program, corpus, files, settings."""
    program, corpus = run.program, run.corpus
    state = {None: "", True: ", with uncommitted changes", False: ""}[program.dirty]
    rows = [
        ("ClauseGraph", program.version),
        ("commit", (program.commit or "unknown") + state),
        ("date", f"{run.date} (UTC), {run.seconds:,.0f} seconds"),
    ]
    if corpus:
        rows += [
            ("corpus", f"{corpus.name}, epoch {corpus.epoch}, {corpus.pages:,} pages"),
            ("embedding model", corpus.model),
            ("extractors", ", ".join(corpus.extractors) or "none: no page states a fact"),
            ("SHA-256 of the canonical dump", corpus.dump_sha256),
        ]
    rows += [(f"file: {file.role}", f"{file.name}, {file.size:,} bytes, SHA-256 {file.sha256}") for file in run.files]
    rows += [(f"setting: {name}", str(value)) for name, value in run.settings.items() if value is not None]
    return Table(("what", "value"), tuple(rows), words=True)


def _cell(value: float, digits: int) -> str:
    if math.isnan(value):
        return "-"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.{digits}f}"
