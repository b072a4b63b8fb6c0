"""``clausegraph eval table``: published tables and ablations, a row a run."""

from __future__ import annotations

from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import Session

if TYPE_CHECKING:
    from clausegraph.app.services.engine_tables import TableRow
    from clausegraph.eval.conditionalqa.records import QuestionRecord

_CORPUS = "conditionalqa"


def table(
    session: Session,
    *,
    name: Annotated[
        str, typer.Argument(help="systems, triplets, critics, ablations, facts or steps.", show_default=False)
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="Folder of the runs, one a row.")],
    questions: Annotated[
        Path | None, typer.Option("--questions", help="dev.json; not needed with --existing.", show_default="none")
    ] = None,
    documents: Annotated[
        Path | None,
        typer.Option("--documents", help="documents.json, where they are not read yet.", show_default="none"),
    ] = None,
    corpus: Annotated[str, typer.Option("--corpus", "-c", help="Name of the corpus.")] = _CORPUS,
    llm: Annotated[
        str | None, typer.Option("--llm", help="The language model.", show_default="that of the settings")
    ] = None,
    shots_from: Annotated[
        Path | None, typer.Option("--shots-from", help="train.json, for rows with examples.", show_default="none")
    ] = None,
    row: Annotated[list[str] | None, typer.Option("--row", help="Only these rows.", show_default="all")] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", help="Ask only so many questions.", show_default="all")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="By which a sample is drawn.")] = 0,
    at_once: Annotated[int, typer.Option("--at-once", help="Questions that are open at once.")] = 1,
    record: Annotated[bool, typer.Option("--record", help="Keep each row's replies on a cassette.")] = False,
    existing: Annotated[bool, typer.Option("--existing", help="Only show rows whose runs are there.")] = False,
) -> None:
    """Measure the rows of a published table, or show those that were; a run that is there is gone on with."""
    from clausegraph.app.services.engine_tables import TABLES, check_rows, chosen_rows, measure_rows
    from clausegraph.app.services.evaluation import measure_engine
    from clausegraph.core.errors import InputError
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.eval.conditionalqa.run import drawn
    from clausegraph.ingestion.pipeline import no_progress

    rows = chosen_rows(name, row or ())
    if existing:
        found = measure_rows(rows, output, shots_from, None)
    elif questions is None:
        raise InputError("--questions is missing; give dev.json, or --existing to show what was measured")
    else:
        check_rows(rows, shots_from)
        asked = drawn(load_questions(questions), sample, seed)
        by = seed if sample is not None else None

        def ask(one: TableRow, place: Path) -> tuple[QuestionRecord, ...]:
            workspace = session.workspace(f"{corpus}{one.corpus}", **one.settings, **({"llm": llm} if llm else {}))
            trial = replace(one.trial, llm=workspace.settings.llm, at_once=at_once)
            session.note(f"row {one.name}")
            with progress_bars(session) as progress:
                return measure_engine(workspace, documents, asked, trial, place, by, progress or no_progress)

        found = measure_rows(rows, output, shots_from, ask, record=record)
    _emit(session, TABLES[name].about, found, {one.name: one.trial.told for one in rows})


def _emit(
    session: Session, about: str, found: dict[str, tuple[QuestionRecord, ...]], told: dict[str, tuple[str, ...]]
) -> None:
    from clausegraph.app.cli.output import table as drawn_table
    from clausegraph.eval.conditionalqa.figures import engine_figures, intervals
    from clausegraph.eval.conditionalqa.oracles import evidence_by_round

    value: dict[str, Any] = {}
    rows, rounds = [], []
    for name, records in found.items():
        figures, sure, by_round = engine_figures(records), intervals(records), evidence_by_round(records)
        value[name] = asdict(figures) | {"told": list(told[name]), "evidence_by_round": by_round}
        value[name]["intervals"] = {metric: [100 * one.low, 100 * one.high] for metric, one in sure.items()}
        scores = [figures.f1, figures.yes_no, figures.span, figures.f1_with_conditions]
        costs = [f"{figures.calls:g}", f"{figures.prompt_tokens:,.0f}", f"{figures.money:.5f}"]
        rows.append([name, f"{figures.questions}", f"{figures.failed}", *map(_number, scores), *costs])
        if by_round:
            rounds.append([name, *_shares(by_round)])
    heads = ("", "questions", "failed", "F1", "yes/no", "span", "with conditions", "calls", "prompt tokens", "money")
    items: list[Any] = [about, drawn_table(heads, rows)]
    if rounds:
        most = max(map(len, rounds))
        named = ("all evidence found / in the subgraph", *(f"round {number}" for number in range(1, most)))
        items.append(drawn_table(named, [[*cells, *[""] * (most - len(cells))] for cells in rounds]))
    gold = [f"{name}: told {', '.join(what)}" for name, what in told.items() if what and name in found]
    session.emit({"table": about, "rows": value}, *items, *gold)


def _shares(by_round: list[tuple[float, float]]) -> list[str]:
    return [f"{100 * found:.1f} / {100 * near:.1f}" for found, near in by_round]


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.2f}"  # noqa: PLR0124
