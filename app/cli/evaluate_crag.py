"""``eval crag`` and ``eval crag-judge``: the engine for open questions by CRAG's score, and its judge."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import Session
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.eval.crag.run import CragFigures, CragRecord

CassetteOption = Annotated[
    Path | None, typer.Option("--cassette", help="Replay a model's replies from this file.", show_default="none")
]
RecordOption = Annotated[bool, typer.Option("--record", help="Record replies that the cassette lacks.")]
_SHOWN = 100  # characters of an answer and of a reason


def crag(
    session: Session,
    *,
    questions: Annotated[
        Path | None, typer.Option("--questions", help="CRAG's JSON lines, plain or .bz2.", show_default="none")
    ] = None,
    task: Annotated[int, typer.Option("--task", help="1: five pages; 2: and the API; 3: fifty pages and the API.")] = 2,
    row: Annotated[
        list[str] | None, typer.Option("--row", help="A set of switches, see --rows; several.", show_default="as-set")
    ] = None,
    rows: Annotated[bool, typer.Option("--rows", help="List the sets of switches, and end.")] = False,
    table_name: Annotated[
        str | None,
        typer.Option(
            "--table",
            help="The rows of a table, as Markdown: baselines, electricsheep, ustc, kerag, without.",
            show_default="none",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option("--at", help="When questions are asked whose file does not say so.", show_default="none"),
    ] = None,
    seconds: Annotated[float, typer.Option("--seconds", min=0, help="Limit of an answer; 0: none.")] = 30.0,
    judge: Annotated[bool, typer.Option("--judge/--no-judge", help="Whether the model grades other wordings.")] = True,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="Folder of records; gone on with.", show_default="none")
    ] = None,
    cassette: CassetteOption = None,
    record: RecordOption = False,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Questions that are open together.")] = 1,
) -> None:
    """Measure the engine for open questions: accuracy, hallucination, missing, score; calls and tokens by step."""
    from clausegraph.app.services.crag_evaluation import CragTrial, measure_crag
    from clausegraph.eval.crag.run import crag_figures
    from clausegraph.eval.crag.tables import ROWS, as_markdown, table_of
    from clausegraph.ingestion.pipeline import no_progress
    from clausegraph.query.crag.times import parse_time

    if rows:
        listed = {name: one.about for name, one in ROWS.items()}
        session.emit(listed, table(("row", "what it is"), list(listed.items())))
        return
    if questions is None:
        raise InputError("--questions is missing; give a file of CRAG's questions (or --rows)")
    if table_name and row:
        raise InputError("give --table or --row, not both")
    published = table_of(table_name) if table_name else None
    asked = parse_time(at) if at else None
    chosen = tuple(published.rows) if published else tuple(row or ["as-set"])
    trial = CragTrial(task, chosen, judge, seconds, asked, cassette, record, at_once)
    with progress_bars(session) as progress:
        found = measure_crag(session.workspace(None), questions, trial, output, progress or no_progress)
    if published:
        figures = {name: crag_figures(records) for name, records in found.items()}
        session.emit({name: asdict(one) for name, one in figures.items()}, as_markdown(published, figures))
        return
    emit_crag(session, found)


def crag_judge(
    session: Session,
    *,
    verdicts: Annotated[Path, typer.Option("--verdicts", help="JSON lines of question, gold, answer, verdict.")],
    cassette: CassetteOption = None,
    record: RecordOption = False,
) -> None:
    """Check the judge of `eval crag` against answers that a person has graded."""
    from clausegraph.app.services.crag_evaluation import measure_judge

    found = measure_judge(session.workspace(None), verdicts, cassette, record=record)
    shares = [[name, f"{found.right[name]} of {total}"] for name, total in found.total.items()]
    missed = [
        [one.verdict, graded.verdict, graded.by, one.answer[:_SHOWN], graded.why[:_SHOWN]]
        for one, graded in found.wrong
    ]
    session.emit(
        {
            "right": found.right,
            "total": found.total,
            "wrong": [[one.answer, graded.verdict] for one, graded in found.wrong],
        },
        table(("a person says", "the judge agrees"), shares),
        table(("a person says", "the judge", "by", "answer", "why"), missed) if missed else "",
    )


def crag_attributes(
    session: Session,
    *,
    questions: Annotated[Path, typer.Option("--questions", help="Labelled questions: JSON lines, as in examples/.")],
    sample: Annotated[int, typer.Option("--sample", min=1, help="Ask about so many; examples are of the others.")] = 20,
    seed: Annotated[int, typer.Option("--seed", help="By which the sample is drawn.")] = 13,
    at: Annotated[str | None, typer.Option("--at", help="When they are asked.", show_default="now")] = None,
    cassette: CassetteOption = None,
    record: RecordOption = False,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Questions that are open together.")] = 1,
) -> None:
    """Measure what a model says of a question's domain, kind and dynamism when it is shown five examples."""
    from clausegraph.app.services.crag_evaluation import CragTrial, measure_attributes
    from clausegraph.query.crag.times import parse_time

    trial = CragTrial(at=parse_time(at) if at else None, cassette=cassette, record=record, at_once=at_once)
    found = measure_attributes(session.workspace(None), questions, sample, seed, trial)
    columns = list(next(iter(found.right.values())))
    rows = [[name, *(f"{right[one]} of {found.questions}" for one in columns)] for name, right in found.right.items()]
    session.emit(asdict(found), table(("predictor", *columns), rows))


def emit_crag(session: Session, found: dict[str, list[CragRecord]]) -> None:
    """Figures by row and group, calls by step, and what was not right."""
    from clausegraph.eval.crag.run import by_group, calls_by_step, crag_figures

    figures = {name: crag_figures(records) for name, records in found.items()}
    value: dict[str, Any] = {
        name: {
            "figures": asdict(figures[name]),
            "groups": {group: asdict(one) for group, one in by_group(records).items()},
            "calls_by_step": calls_by_step(records),
            "answers": [asdict(record) for record in records],
        }
        for name, records in found.items()
    }
    columns = ("accuracy", "hallucination", "missing", "score", "calls", "prompt tokens", "tokens", "seconds")
    items: list[Any] = [table(("row", "questions", *columns), [[name, *_row(one)] for name, one in figures.items()])]
    for name, records in found.items():
        groups = by_group(records)
        if groups:
            items += ["", table((name, "questions", *columns), [[group, *_row(one)] for group, one in groups.items()])]
        items += ["", f"calls a question by step, {name}: {_steps(calls_by_step(records))}"]
        wrong = [one for one in records if one.verdict != "correct"]
        items += [
            table(
                ("not right", "verdict", "by", "answer", "why"),
                [[one.id, one.verdict, one.by, one.answer[:_SHOWN], one.why[:_SHOWN]] for one in wrong],
            )
        ]
        if unjudged := figures[name].unjudged:
            items.append(f"{unjudged} answers are worded otherwise and were not judged: they count as wrong")
        if without := [one.failed_sources[0] for one in records if one.failed_sources]:
            items.append(f"{len(without)} questions went on without a source that failed: {without[0][:200]}")
        if failed := figures[name].failed:
            items.append(f"{failed} questions failed: {next(one.failed for one in records if one.failed)[:200]}")
    session.emit(value, *items)


def _row(figures: CragFigures) -> list[str]:
    shares = [figures.accuracy, figures.hallucination, figures.missing, figures.score]
    costs = [f"{figures.calls:.1f}", f"{figures.prompt_tokens:,.0f}", f"{figures.output_tokens:,.0f}"]
    return [str(figures.questions), *(f"{100 * share:.1f}" for share in shares), *costs, f"{figures.seconds:.2f}"]


def _steps(counted: dict[str, float]) -> str:
    return ", ".join(f"{task} {count:.1f}" for task, count in counted.items()) or "none"
