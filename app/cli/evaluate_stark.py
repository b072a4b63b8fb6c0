"""``eval stark`` and ``eval kgqa``: retrieval from nodes with text and relations, and questions over a graph."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.evaluate_crag import CassetteOption, RecordOption, emit_crag
from clausegraph.app.cli.output import table
from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import Session

OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder of records; gone on with.", show_default="none")
]


def stark(
    session: Session,
    *,
    folder: Annotated[Path, typer.Argument(help="Folder with nodes.jsonl, edges.jsonl and questions.jsonl.")],
    method: Annotated[
        list[str] | None,
        typer.Option("--method", help="A way to rank, see --methods; several.", show_default="all that can be had"),
    ] = None,
    methods: Annotated[bool, typer.Option("--methods", help="List the ways to rank, and end.")] = False,
    candidates: Annotated[
        list[str] | None,
        typer.Option("--type", help="Type of the nodes that may be answers; several.", show_default="all"),
    ] = None,
    questions: Annotated[
        Path | None, typer.Option("--questions", help="In place of the folder's.", show_default="none")
    ] = None,
    output: OutputOption = None,
    cassette: CassetteOption = None,
    record: RecordOption = False,
) -> None:
    """Measure retrieval from nodes with text and relations: Hit@1, Hit@5, Recall@20, MRR, as STaRK does."""
    from clausegraph.app.services.graph_evaluation import METHODS, StarkTrial, measure_stark
    from clausegraph.eval.stark.run import stark_figures
    from clausegraph.ingestion.pipeline import no_progress

    if methods:
        session.emit(dict(METHODS), table(("method", "what it is"), list(METHODS.items())))
        return
    trial = StarkTrial(tuple(method or ()), tuple(candidates or ()), questions, cassette, record)
    with progress_bars(session) as progress:
        found = measure_stark(session.workspace(None), folder, trial, output, progress or no_progress)
    figures = {name: stark_figures(records) for name, records in found.items()}
    value = {
        name: {"figures": asdict(one), "answers": [asdict(record) for record in found[name]]}
        for name, one in figures.items()
    }
    rows = [
        [
            name,
            one.questions,
            *(f"{100 * share:.1f}" for share in (one.hit_1, one.hit_5, one.recall_20, one.mrr)),
            f"{one.calls:.1f}",
            f"{one.prompt_tokens:,.0f}",
            f"{one.seconds:.2f}",
        ]
        for name, one in figures.items()
    ]
    columns = ("method", "questions", "Hit@1", "Hit@5", "Recall@20", "MRR", "calls", "prompt tokens", "seconds")
    failed = [
        f"{name}: {one.failed} questions failed: {next(r.failed for r in found[name] if r.failed)[:200]}"
        for name, one in figures.items()
        if one.failed
    ]
    session.emit(value, table(columns, rows), *failed)


def kgqa(
    session: Session,
    *,
    questions: Annotated[Path, typer.Option("--questions", help="Lines of question, answer, path (PathQuestion's).")],
    triples: Annotated[Path, typer.Option("--triples", help="Lines of head, relation, tail.")],
    row: Annotated[
        list[str] | None, typer.Option("--row", help="kerag, own-only; several.", show_default="kerag")
    ] = None,
    judge: Annotated[bool, typer.Option("--judge/--no-judge", help="Whether the model grades other wordings.")] = True,
    seconds: Annotated[float, typer.Option("--seconds", min=0, help="Limit of an answer; 0: none.")] = 30.0,
    output: OutputOption = None,
    cassette: CassetteOption = None,
    record: RecordOption = False,
    at_once: Annotated[int, typer.Option("--at-once", min=1, max=64, help="Questions that are open together.")] = 1,
) -> None:
    """Measure questions over a knowledge graph alone, by a plan (KERAG): hits and truthfulness by hops."""
    from clausegraph.app.services.crag_evaluation import CragTrial
    from clausegraph.app.services.graph_evaluation import measure_kgqa
    from clausegraph.ingestion.pipeline import no_progress

    rows = tuple(row or ["kerag"])
    trial = CragTrial(rows=rows, judge=judge, seconds=seconds, cassette=cassette, record=record, at_once=at_once)
    with progress_bars(session) as progress:
        found = measure_kgqa(session.workspace(None), questions, triples, trial, output, progress or no_progress)
    emit_crag(session, found)
