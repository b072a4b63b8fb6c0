"""``clausegraph eval``: ``conditionalqa`` scores predictions or measures the whole engine, ``passages`` measures
retrieval for multi-hop questions, ``report`` makes a run's report anew from its records."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.evaluate_crag import crag, crag_attributes, crag_judge
from clausegraph.app.cli.evaluate_engine import compare
from clausegraph.app.cli.evaluate_stark import kgqa, stark
from clausegraph.app.cli.evaluate_table import table as table_of_runs
from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import Session, command
from clausegraph.core.errors import InputError, require_extra

if TYPE_CHECKING:
    from clausegraph.eval.conditionalqa.run import EvaluationResult
    from clausegraph.eval.metrics import ConfidenceInterval
    from clausegraph.eval.passages import PassageResult
    from clausegraph.eval.provenance import Provenance

_CORPUS = "conditionalqa"
_PASSAGES_CORPUS = "passages"
ForceOption = Annotated[bool, typer.Option("--force", help="Replace the files of a folder that is not empty.")]
EvalCorpusOption = Annotated[str, typer.Option("--corpus", "-c", help="Name of the corpus to read into.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for records, plots and report.html.", show_default="none")
]


def conditionalqa(
    session: Session,
    *,
    questions: Annotated[Path, typer.Option("--questions", help="train.json or dev.json.")],
    documents: Annotated[
        Path | None,
        typer.Option("--documents", help="documents.json; not needed to score predictions.", show_default="none"),
    ] = None,
    predictions: Annotated[
        Path | None, typer.Option("--predictions", help="Only score this file.", show_default="none")
    ] = None,
    oracle_type: Annotated[bool, typer.Option("--oracle-type", help="Tell the engine the gold answer kind.")] = False,
    output: OutputOption = None,
    force: ForceOption = False,
    corpus: EvalCorpusOption = _CORPUS,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine", help="Measure only this engine's answers and what they cost.", show_default="all parts"
        ),
    ] = None,
    llm: Annotated[
        str | None,
        typer.Option(
            "--llm", help="Its language model, as mistral:NAME or openai:NAME.", show_default="that of the settings"
        ),
    ] = None,
    prompt: Annotated[
        str | None, typer.Option("--prompt", help="Prompt of its reader with a model.", show_default="read")
    ] = None,
    shots: Annotated[int, typer.Option("--shots", help="Examples in each prompt, for engines that take them.")] = 0,
    shots_from: Annotated[
        Path | None, typer.Option("--shots-from", help="train.json, for --shots.", show_default="none")
    ] = None,
    rounds: Annotated[
        int | None, typer.Option("--rounds", help="Rounds of the loop, at most.", show_default="as in the settings")
    ] = None,
    sample: Annotated[
        int | None, typer.Option("--sample", help="Ask only so many questions.", show_default="all")
    ] = None,
    seed: Annotated[int, typer.Option("--seed", help="By which a sample is drawn.")] = 0,
    cassette: Annotated[
        Path | None, typer.Option("--cassette", help="Replay a model's replies from this file.", show_default="none")
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Record them there instead.")] = False,
    at_once: Annotated[int, typer.Option("--at-once", help="Questions that are open at once.")] = 1,
    retriever: Annotated[
        str | None, typer.Option("--retriever", help="What ranks text for the loop.", show_default="hybrid")
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(
            "--step",
            help="A step in place of the engine's own, as validate=llm-without-paths; oracles: validate=oracle, "
            "comment=oracle, route=oracle-module.",
            show_default="none",
        ),
    ] = None,
    floors: Annotated[
        Path | None,
        typer.Option("--floors", help="TOML file of figures; below them the exit code is 6.", show_default="none"),
    ] = None,
    floor: Annotated[str, typer.Option("--floor", help="Table of that file.")] = "floors",
) -> None:
    """Score a prediction file, or read the documents into a corpus, answer every question and measure it."""
    require_extra("eval", "`clausegraph eval`")
    if engine is not None:
        from clausegraph.app.cli.evaluate_engine import named_step, run_engine
        from clausegraph.app.services.evaluation import EngineTrial

        trial = EngineTrial(
            engine, llm, prompt, rounds, shots, shots_from, oracle_type, cassette, record, at_once,
            tuple(map(named_step, step or ())), retriever,
        )  # fmt: skip
        run_engine(
            session,
            trial,
            corpus=corpus,
            documents=documents,
            questions=questions,
            sample=sample,
            seed=seed,
            output=output,
            floors=floors,
            floor=floor,
        )
        return
    from clausegraph.app.services.evaluation import describe_run, evaluate_conditionalqa, score_predictions
    from clausegraph.eval.conditionalqa.dataset import load_questions

    start = time.perf_counter()
    _check_folder(session, output, force)
    asked = load_questions(questions)
    files = {"questions": questions, "documents": documents, "predictions": predictions}
    workspace = None
    if predictions is not None:
        result = score_predictions(asked, predictions)
        del files["documents"]
    elif documents is not None:
        workspace = session.workspace(corpus)
        with progress_bars(session) as progress:
            result = evaluate_conditionalqa(workspace, documents, asked, oracle_type=oracle_type, progress=progress)
    else:
        raise InputError("--documents is missing; give documents.json to run, or --predictions to score a file")
    if output is not None:
        from clausegraph.eval.conditionalqa.run import BASELINE, SYSTEM, write_evaluation

        run = describe_run("conditionalqa", files, start, (workspace, result.epoch) if workspace else None)
        if workspace is not None:
            run = replace(run, retrievers=tuple(result.retrieval), system=SYSTEM, baseline=BASELINE)
            run.settings["oracle_type"] = oracle_type
        write_evaluation(output, result, asked)
        _report(session, output, run)
    _emit(session, result)


def passages(
    session: Session,
    *,
    passages: Annotated[Path, typer.Option("--passages", help="JSON list of passages with their triples.")],
    questions: Annotated[Path, typer.Option("--questions", help="JSON list of questions with supporting passages.")],
    output: OutputOption = None,
    force: ForceOption = False,
    corpus: EvalCorpusOption = _PASSAGES_CORPUS,
) -> None:
    """Read passages with their triples into a corpus and measure how well supporting passages are found."""
    require_extra("pagerank", "`clausegraph eval passages`")
    require_extra("eval", "`clausegraph eval`")
    from clausegraph.app.services.evaluation import describe_run, evaluate_passages
    from clausegraph.eval.passages import AT, BASELINE, SYSTEM, load_questions

    start = time.perf_counter()
    _check_folder(session, output, force)
    asked = load_questions(questions)
    workspace = session.workspace(corpus, extractor="given")
    with progress_bars(session) as progress:
        ingested, result = evaluate_passages(workspace, passages, asked, progress=progress)
    if ingested.rejects:
        session.note(f"{len(ingested.rejects)} triples or passages not used: `clausegraph show {ingested.run_id}`")
    if output is not None:
        from clausegraph.eval.files import write_records
        from clausegraph.eval.passages import PASSAGE_RECORD, RECORDS_FILE

        run = describe_run("passages", {"passages": passages, "questions": questions}, start, (workspace, result.epoch))
        write_records(output / RECORDS_FILE, result.records, PASSAGE_RECORD)
        _report(session, output, replace(run, retrievers=tuple(result.figures), system=SYSTEM, baseline=BASELINE))
    rows = [
        [by, _percent(figures.recall), _percent(figures.complete), f"{figures.milliseconds:.0f}"]
        for by, figures in result.figures.items()
    ]
    from clausegraph.app.cli.output import table

    session.emit(
        _passages_json(result),
        f"{result.questions} questions, {result.supporting} supporting passages, {result.unmatched} not in the corpus",
        table(("ranking", f"recall@{AT}", f"all in top {AT}", "ms"), rows),
        f"{SYSTEM} minus {BASELINE}, 95% bootstrap interval: recall@{AT} {_interval(result.recall_difference)}, "
        f"all in top {AT} {_interval(result.complete_difference)}",
    )


def report(
    session: Session,
    *,
    folder: Annotated[Path, typer.Argument(help="Folder that --output named.", show_default=False)],
) -> None:
    """Make report.html, report.md and the plots of an evaluation anew from its records; no model is used."""
    require_extra("eval", "`clausegraph eval`")
    from clausegraph.eval.report import write_report

    _check_folder(session, folder, force=True)
    write_report(folder)
    session.emit({"report": str(folder / "report.html")}, f"report: {folder / 'report.html'}")


def _check_folder(session: Session, folder: Path | None, force: bool) -> None:
    """Before the work begins: an evaluation may take hours."""
    from clausegraph.core.output_files import check_output_folder
    from clausegraph.core.settings import load_settings

    if folder is not None:
        check_output_folder(folder, home=load_settings(home=session.home).home, replace=force)


def _report(session: Session, folder: Path, run: Provenance) -> None:
    from clausegraph.eval.provenance import write_run
    from clausegraph.eval.report import write_report

    write_run(folder, run)
    write_report(folder)
    session.note(f"records, plots and report: {folder / 'report.html'}")


def _passages_json(result: PassageResult) -> dict[str, Any]:
    differences = {"recall": result.recall_difference, "complete": result.complete_difference}
    return {
        "questions": result.questions,
        "supporting": result.supporting,
        "unmatched": result.unmatched,
        "rankings": {
            by: {
                "recall": round(figures.recall, 4),
                "complete": round(figures.complete, 4),
                "milliseconds": round(figures.milliseconds, 1),
            }
            for by, figures in result.figures.items()
        },
        "hybrid_minus_vectors": {
            name: {"mean": round(found.mean, 4), "low": round(found.low, 4), "high": round(found.high, 4)}
            for name, found in differences.items()
        },
    }


def _interval(difference: ConfidenceInterval) -> str:
    return f"{100 * difference.mean:+.2f} [{100 * difference.low:+.2f}, {100 * difference.high:+.2f}]"


def _retrieval(result: EvaluationResult) -> dict[str, Any]:
    from clausegraph.eval.conditionalqa.records import by_budget

    return {
        name: {str(budget): round(sum(of.values()) / len(of), 4) for budget, of in by_budget(records).items()}
        for name, records in result.retrieval.items()
    }


def _emit(session: Session, result: EvaluationResult) -> None:
    from clausegraph.app.cli.output import table
    from clausegraph.eval.conditionalqa.figures import METRICS, answer_table

    records, trivial, retrieval = result.answers, result.trivial, _retrieval(result)
    by_group: Mapping[Any, Mapping[str, float]] = answer_table(records)
    value = {
        "questions": len(records),
        "predictions": sum(record.has_prediction for record in records),
        "answers": {str(group): _known(row) for group, row in by_group.items()},
        "retrieval": retrieval,
    }
    items: list[Any] = [table(("group", "questions", *METRICS), _rows(by_group, METRICS))]
    if result.epoch is not None:
        asserted = result.asserted
        figures: Mapping[Any, Mapping[str, float]] = answer_table(asserted) if asserted else {}
        value["asserted"] = {"questions": len(asserted)} | {str(g): _known(row) for g, row in figures.items()}
        items += ["", f"What people get: {len(asserted)} of {len(records)} answers asserted, the others quoted"]
        items += [table(("of those asserted", "questions", *METRICS), _rows(figures, METRICS))] if asserted else []
    if trivial:
        plain: Mapping[Any, Mapping[str, float]] = answer_table(trivial)
        value["trivial"] = {str(group): _known(row) for group, row in plain.items()}
        items += ["", table(("trivial reader", "questions", *METRICS), _rows(plain, METRICS))]
    if retrieval:
        budgets = list(next(iter(retrieval.values())))
        recalls = [[name, *(_percent(at[b]) for b in budgets)] for name, at in retrieval.items()]
        items += ["", table(("evidence recall at", *budgets), recalls)]
    session.emit(value, *items)


def _rows(groups: Mapping[Any, Mapping[str, float]], metrics: Sequence[str]) -> list[list[Any]]:
    return [[group, int(row["questions"]), *(_percent(row[m]) for m in metrics)] for group, row in groups.items()]


def _known(row: Mapping[str, float]) -> dict[str, float | None]:
    """NaN is no JSON: an empty group has no mean."""
    return {str(key): None if value != value else value for key, value in row.items()}  # noqa: PLR0124


def _percent(value: float) -> str:
    return "-" if value != value else f"{100 * value:.2f}"  # noqa: PLR0124


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(no_args_is_help=True, help="Measure the engine.")
    group.callback()(_group)
    command(group, "conditionalqa", stores=True)(conditionalqa)
    command(group, "passages", stores=True)(passages)
    command(group, "crag")(crag)
    command(group, "crag-judge")(crag_judge)
    command(group, "crag-attributes")(crag_attributes)
    command(group, "stark")(stark)
    command(group, "kgqa")(kgqa)
    command(group, "report")(report)
    command(group, "compare")(compare)
    command(group, "table", stores=True)(table_of_runs)
    app.add_typer(group, name="eval")


def _group() -> None:
    """Measure the engine on a benchmark."""
