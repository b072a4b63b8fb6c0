"""``eval conditionalqa --engine`` and ``eval compare``: one engine's answers, what they cost, floors, two runs."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import Session
from clausegraph.core.errors import FloorMissed, InputError

if TYPE_CHECKING:
    from clausegraph.app.services.evaluation import EngineTrial
    from clausegraph.eval.conditionalqa.records import QuestionRecord
    from clausegraph.eval.metrics import ConfidenceInterval


def run_engine(
    session: Session,
    trial: EngineTrial,
    *,
    corpus: str,
    documents: Path | None,
    questions: Path,
    sample: int | None,
    seed: int,
    output: Path | None,
    floors: Path | None,
    floor: str,
) -> None:
    """Ask, keep the records, print the figures; then raise if they are below the floors."""
    from clausegraph.app.services.evaluation import measure_engine, report_engine
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.eval.conditionalqa.figures import engine_figures, missed, read_floors
    from clausegraph.eval.conditionalqa.run import drawn
    from clausegraph.ingestion.pipeline import no_progress

    start = time.perf_counter()
    pinned = read_floors(floors, floor) if floors is not None else {}
    asked = drawn(load_questions(questions), sample, seed)
    workspace = session.workspace(corpus)
    trial = replace(trial, llm=trial.llm or workspace.settings.llm)
    drawn_by = seed if sample is not None else None
    with progress_bars(session) as progress:
        records = measure_engine(workspace, documents, asked, trial, output, drawn_by, progress or no_progress)
    if output is not None:
        read = {"questions": questions, "documents": documents, "shots": trial.shots_from}
        report_engine(workspace, output, read, start)
        session.note(f"records and report: {output / 'report.html'}")
    _emit(session, trial, records)
    below = missed(engine_figures(records), pinned)
    if below:
        raise FloorMissed(f"below the floors [{floor}] of {floors}: {'; '.join(below)}")


def _emit(session: Session, trial: EngineTrial, records: tuple[QuestionRecord, ...]) -> None:
    from clausegraph.app.cli.output import table
    from clausegraph.eval.conditionalqa.figures import engine_figures, intervals
    from clausegraph.eval.conditionalqa.oracles import BUDGET, evidence_by_round

    figures, sure = engine_figures(records), intervals(records)
    told = f"told {', '.join(trial.told)}" if trial.told else "told nothing of the gold answers"
    value = trial.described(len(records), None) | {"figures": asdict(figures)}
    value["intervals"] = {name: [100 * found.low, 100 * found.high] for name, found in sure.items()}
    by_round = evidence_by_round(records)
    value["told"], value["evidence_by_round"] = list(trial.told), by_round
    scores = [f"{getattr(figures, name):.2f}" for name in ("f1", "yes_no", "span", "f1_with_conditions")]
    costs = [f"{figures.calls:g}", f"{figures.prompt_tokens:,.0f}", f"{figures.tokens:,.0f}", f"{figures.money:.5f}"]
    session.emit(
        value,
        f"engine {trial.engine}, model {trial.llm or 'none'}, {trial.shots} shots, {told}; "
        f"{figures.questions} questions, {figures.failed} failed",
        table(("F1", "yes/no", "span", "F1 with conditions"), [scores]),
        "95% bootstrap intervals: " + ", ".join(f"{name} {_percent(found)}" for name, found in sure.items()),
        table(
            ("calls", "prompt tokens", "tokens", "money", "seconds"), [[*costs, f"{figures.milliseconds / 1000:.2f}"]]
        ),
        *_rounds(by_round, BUDGET),
    )


def _rounds(by_round: list[tuple[float, float]], budget: int) -> list[Any]:
    """Which share of questions had all evidence after each round."""
    from clausegraph.app.cli.output import table

    if not by_round:
        return []
    rows = [
        [f"{number}", f"{100 * found:.1f}", f"{100 * near:.1f}"] for number, (found, near) in enumerate(by_round, 1)
    ]
    return [table(("round", f"all evidence in the first {budget} word pieces", "in the subgraph"), rows)]


def named_step(text: str) -> tuple[str, str]:
    """``NAME=IMPLEMENTATION``.

    Raises:
        InputError: it has another form.
    """
    name, _, implementation = text.partition("=")
    if not name or not implementation:
        raise InputError(f"--step {text!r} is no step and its implementation; give for example validate=oracle")
    return name, implementation


def _percent(found: ConfidenceInterval, plus: str = "") -> str:
    return f"{100 * found.mean:{plus}.2f} [{100 * found.low:{plus}.2f}, {100 * found.high:{plus}.2f}]"


def compare(
    session: Session,
    *,
    first: Annotated[Path, typer.Argument(help="Folder of a run, as --output named it.", show_default=False)],
    second: Annotated[Path, typer.Argument(help="Folder of the run to compare with it.", show_default=False)],
) -> None:
    """Compare two runs on the same questions: second minus first, with paired bootstrap intervals."""
    from clausegraph.eval.conditionalqa.figures import compared
    from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
    from clausegraph.eval.conditionalqa.run import ANSWERS_FILE
    from clausegraph.eval.files import read_records

    runs = [read_records(folder / ANSWERS_FILE, QUESTION_RECORD) for folder in (first, second)]
    found = compared(*runs)
    value: dict[str, Any] = {
        name: {"mean": one.mean, "low": one.low, "high": one.high, "excludes_zero": one.excludes_zero}
        for name, one in found.items()
    }
    session.emit(
        {"questions": len(runs[0]), "second_minus_first": value},
        f"{len(runs[0])} questions, {second.name} minus {first.name}, 95% paired bootstrap interval:",
        *(f"{name}: {_percent(one, '+')}{' *' if one.excludes_zero else ''}" for name, one in found.items()),
    )
