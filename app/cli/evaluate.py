"""``eval conditionalqa`` and ``compare``: engines measured on ConditionalQA's questions."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from clausegraph.app.cli.output import figures
from clausegraph.app.cli.session import Session, argument, command, option
from clausegraph.core.errors import FloorMissed, InputError, require_extra

if TYPE_CHECKING:
    from clausegraph.eval.conditionalqa.run import EvaluationResult
    from clausegraph.eval.metrics import ConfidenceInterval
    from clausegraph.eval.provenance import Provenance

ForceOption = Annotated[bool, option("Replace the files of a folder that is not empty.")]
EvalCorpusOption = Annotated[str, option("Name of the corpus to read into.", "--corpus", "-c")]
OutputOption = Annotated[Path | None, option("Folder for the records and report.md.", "--output", "-o")]
CassetteOption = Annotated[Path | None, option("Replay a model's replies from this file.")]
_CORPUS = "conditionalqa"
_ENGINE = option("Measure only this engine's answers and what they cost.", show_default="all parts")
_LLM: dict[str, Any] = {"show_default": "that of the settings"}
_STEP = option(
    "A step in place of the engine's own, as validate=llm; oracles: validate=oracle, comment=oracle, "
    "route=oracle-module."
)


@command("eval conditionalqa", stores=True)
def conditionalqa(
    session: Session,
    *,
    questions: Annotated[Path, option("train.json or dev.json.")],
    documents: Annotated[Path | None, option("documents.json; not needed to score predictions.")] = None,
    predictions: Annotated[Path | None, option("Only score this file.")] = None,
    oracle_type: Annotated[bool, option("Tell the engine the gold answer kind.")] = False,
    output: OutputOption = None,
    force: ForceOption = False,
    corpus: EvalCorpusOption = _CORPUS,
    engine: Annotated[str | None, _ENGINE] = None,
    llm: Annotated[str | None, option("Its language model, as mistral:NAME or openai:NAME.", **_LLM)] = None,
    prompt: Annotated[str | None, option("Prompt of its reader with a model.", show_default="read")] = None,
    shots: Annotated[int, option("Examples in each prompt, for engines that take them.")] = 0,
    shots_from: Annotated[Path | None, option("train.json, for --shots.")] = None,
    rounds: Annotated[int | None, option("Rounds of the loop, at most.", show_default="as in the settings")] = None,
    sample: Annotated[int | None, option("Ask only so many questions.", show_default="all")] = None,
    seed: Annotated[int, option("By which a sample is drawn.")] = 0,
    cassette: CassetteOption = None,
    record: Annotated[bool, option("Record them there instead.")] = False,
    at_once: Annotated[int, option("Questions that are open at once.")] = 1,
    as_answered: Annotated[bool, option("Measure what readers get; a mere quote answers nothing.")] = False,
    retriever: Annotated[str | None, option("What ranks text for the loop.", show_default="hybrid")] = None,
    step: Annotated[list[str] | None, _STEP] = None,
    floors: Annotated[Path | None, option("TOML file of figures; below them the exit code is 6.")] = None,
    floor: Annotated[str, option("Table of that file.")] = "floors",
) -> None:
    """Score a prediction file, or read the documents into a corpus, answer every question and measure it."""
    require_extra("eval", "`clausegraph eval`")
    start = time.perf_counter()
    from clausegraph.app.services.evaluation import EngineTrial, measure_engine, report_engine
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.eval.conditionalqa.figures import engine_figures, intervals, missed, read_floors
    from clausegraph.eval.conditionalqa.run import drawn

    if engine is None:
        check_folder(session, output, force)
        _all_parts(session, start, questions, documents, predictions, corpus, output, oracle_type)
        return
    trial = EngineTrial(
        engine, llm, prompt, rounds, shots, shots_from, oracle_type, cassette, record, at_once,
        tuple(map(_named_step, step or ())), retriever, as_answered,
    )  # fmt: skip
    pinned = read_floors(floors, floor) if floors is not None else {}
    asked = drawn(load_questions(questions), sample, seed)
    workspace = session.workspace(corpus)
    trial = replace(trial, llm=trial.llm or workspace.settings.llm)
    drawn_by = seed if sample is not None else None
    with session.progress() as progress:
        records = measure_engine(workspace, documents, asked, trial, output, drawn_by, progress)
    if output is not None:
        read = {"questions": questions, "documents": documents, "shots": trial.shots_from}
        report_engine(workspace, output, read, start)
        session.note(f"records and report: {output / 'report.md'}")
    made, spans, told = asdict(engine_figures(records)), intervals(records), ", ".join(trial.told)
    value = {
        "figures": made,
        "intervals": {metric: [100 * one.low, 100 * one.high] for metric, one in spans.items()},
        "told": list(trial.told),
    }
    session.emit(
        trial.described(len(records), None) | value,
        f"engine {trial.engine}, model {trial.llm or 'none'}, {trial.shots} shots",
        figures("", {trial.engine: made}),
        f"told {told or 'nothing of the gold answers'}; 95% bootstrap intervals "
        + ", ".join(f"{metric} {interval(one)}" for metric, one in spans.items()),
    )
    if below := missed(engine_figures(records), pinned):
        raise FloorMissed(f"below the floors [{floor}] of {floors}: {'; '.join(below)}")


def _all_parts(
    session: Session, start: float, questions: Path, documents: Path | None, predictions: Path | None, corpus: str,
    output: Path | None, oracle_type: bool,
) -> None:  # fmt: skip
    """Score a prediction file, or read, retrieve and answer, each measured."""
    from clausegraph.app.services.evaluation import describe_run, evaluate_conditionalqa, score_predictions
    from clausegraph.eval.conditionalqa.dataset import load_questions

    asked = load_questions(questions)
    files: dict[str, Path | None] = {"questions": questions, "documents": documents, "predictions": predictions}
    workspace = None
    if predictions is not None:
        result = score_predictions(asked, predictions)
        del files["documents"]
    elif documents is not None:
        workspace = session.workspace(corpus)
        with session.progress() as progress:
            result = evaluate_conditionalqa(workspace, documents, asked, oracle_type=oracle_type, progress=progress)
    else:
        raise InputError("--documents is missing; give documents.json to run, or --predictions to score a file")
    if output is not None:
        from clausegraph.eval.conditionalqa.run import SYSTEM, write_evaluation

        run = describe_run("conditionalqa", files, start, (workspace, result.epoch) if workspace else None)
        if workspace is not None:
            run = replace(run, retrievers=tuple(result.retrieval), system=SYSTEM)
            run.settings["oracle_type"] = oracle_type
        write_evaluation(output, result, asked)
        write_run_report(session, output, run)
    _emit_scores(session, result)


def _named_step(text: str) -> tuple[str, str]:
    """``NAME=IMPLEMENTATION``."""
    name, _, implementation = text.partition("=")
    if not name or not implementation:
        raise InputError(f"--step {text!r} is no step and its implementation; give for example validate=oracle")
    return name, implementation


@command("eval compare")
def compare(
    session: Session,
    *,
    first: Annotated[Path, argument("Folder of a run, as --output named it.", show_default=False)],
    second: Annotated[Path, argument("Folder of the run to compare with it.", show_default=False)],
) -> None:
    """Compare two runs on the same questions: second minus first, with paired bootstrap intervals."""
    from clausegraph.eval.conditionalqa.figures import compared
    from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
    from clausegraph.eval.conditionalqa.run import ANSWERS_FILE
    from clausegraph.eval.files import read_records

    before, after = (read_records(folder / ANSWERS_FILE, QUESTION_RECORD) for folder in (first, second))
    found = compared(before, after)
    value = {
        name: {key: getattr(one, key) for key in ("mean", "low", "high", "excludes_zero")}
        for name, one in found.items()
    }
    session.emit(
        {"questions": len(before), "second_minus_first": value},
        f"{len(before)} questions, {second.name} minus {first.name}, 95% paired bootstrap interval:",
        *(f"{name}: {interval(one, '+')}{' *' if one.excludes_zero else ''}" for name, one in found.items()),
    )


def _emit_scores(session: Session, result: EvaluationResult) -> None:
    from clausegraph.eval.conditionalqa.figures import METRICS, answer_table
    from clausegraph.eval.conditionalqa.records import by_budget

    value: dict[str, Any] = {
        "questions": len(result.answers),
        "predictions": sum(record.has_prediction for record in result.answers),
        "retrieval": {
            name: {str(budget): round(sum(of.values()) / len(of), 4) for budget, of in by_budget(one).items()}
            for name, one in result.retrieval.items()
        },
    }
    items: list[Any] = []
    for name, head, records in (
        ("answers", "all answers", result.answers),
        ("asserted", "those asserted; the others are quoted", result.asserted if result.epoch is not None else ()),
        ("trivial", "of the trivial reader", result.trivial),
    ):
        if records:
            groups: Mapping[Any, Mapping[str, float]] = answer_table(records)
            value[name] = {str(group): _known(row) for group, row in groups.items()}
            chosen = ("questions", *METRICS)
            items += [figures(head, {group: {one: row[one] for one in chosen} for group, row in groups.items()}), ""]
    if result.epoch is not None:
        value["asserted"] = {"questions": len(result.asserted)} | value.get("asserted", {})
    items += [figures("evidence recall at", value["retrieval"])] if value["retrieval"] else []
    session.emit(value, *items)


def _known(row: Mapping[str, float]) -> dict[str, float | None]:
    """NaN is no JSON: an empty group has no mean."""
    return {str(key): None if value != value else value for key, value in row.items()}  # noqa: PLR0124


def interval(found: ConfidenceInterval, plus: str = "") -> str:
    """A mean with its interval, in percent; ``plus`` "+" writes the sign of a difference."""
    return f"{100 * found.mean:{plus}.2f} [{100 * found.low:{plus}.2f}, {100 * found.high:{plus}.2f}]"


def check_folder(session: Session, folder: Path | None, force: bool) -> None:
    """Before the work begins: an evaluation may take hours."""
    from clausegraph.core.output_files import check_output_folder
    from clausegraph.core.settings import load_settings

    if folder is not None:
        check_output_folder(folder, home=load_settings(home=session.home).home, replace=force)


def write_run_report(session: Session, folder: Path, run: Provenance) -> None:
    """Write ``run.json`` and the report into the folder of the records."""
    from clausegraph.eval.provenance import write_run
    from clausegraph.eval.report import write_report

    write_run(folder, run)
    write_report(folder)
    session.note(f"records and report: {folder / 'report.md'}")
