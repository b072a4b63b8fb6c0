"""``eval conditionalqa``, ``compare`` and ``table``: engines measured on ConditionalQA's questions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, command
from clausegraph.core.errors import FloorMissed, InputError, require_extra

if TYPE_CHECKING:
    from clausegraph.app.services.engine_tables import TableRow
    from clausegraph.app.services.evaluation import EngineTrial
    from clausegraph.eval.conditionalqa.records import QuestionRecord
    from clausegraph.eval.conditionalqa.run import EvaluationResult
    from clausegraph.eval.metrics import ConfidenceInterval
    from clausegraph.eval.provenance import Provenance

ForceOption = Annotated[bool, typer.Option("--force", help="Replace the files of a folder that is not empty.")]
EvalCorpusOption = Annotated[str, typer.Option("--corpus", "-c", help="Name of the corpus to read into.")]
OutputOption = Annotated[
    Path | None, typer.Option("--output", "-o", help="Folder for records, plots and report.html.", show_default="none")
]
SampleOption = Annotated[int | None, typer.Option("--sample", help="Ask only so many questions.", show_default="all")]
SeedOption = Annotated[int, typer.Option("--seed", help="By which a sample is drawn.")]
AtOnceOption = Annotated[int, typer.Option("--at-once", help="Questions that are open at once.")]
_CORPUS = "conditionalqa"


@command("eval conditionalqa", stores=True)
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
    sample: SampleOption = None,
    seed: SeedOption = 0,
    cassette: Annotated[
        Path | None, typer.Option("--cassette", help="Replay a model's replies from this file.", show_default="none")
    ] = None,
    record: Annotated[bool, typer.Option("--record", help="Record them there instead.")] = False,
    at_once: AtOnceOption = 1,
    retriever: Annotated[
        str | None, typer.Option("--retriever", help="What ranks text for the loop.", show_default="hybrid")
    ] = None,
    step: Annotated[
        list[str] | None,
        typer.Option(
            "--step",
            help="A step in place of the engine's own, as validate=llm; oracles: validate=oracle, "
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
        from clausegraph.app.services.evaluation import EngineTrial

        trial = EngineTrial(
            engine, llm, prompt, rounds, shots, shots_from, oracle_type, cassette, record, at_once,
            tuple(map(_named_step, step or ())), retriever,
        )  # fmt: skip
        _run_engine(
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
    check_folder(session, output, force)
    asked = load_questions(questions)
    files = {"questions": questions, "documents": documents, "predictions": predictions}
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
        from clausegraph.eval.conditionalqa.run import BASELINE, SYSTEM, write_evaluation

        run = describe_run("conditionalqa", files, start, (workspace, result.epoch) if workspace else None)
        if workspace is not None:
            run = replace(run, retrievers=tuple(result.retrieval), system=SYSTEM, baseline=BASELINE)
            run.settings["oracle_type"] = oracle_type
        write_evaluation(output, result, asked)
        write_run_report(session, output, run)
    _emit_scores(session, result)


def _run_engine(
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
    with session.progress() as progress:
        records = measure_engine(workspace, documents, asked, trial, output, drawn_by, progress or no_progress)
    if output is not None:
        read = {"questions": questions, "documents": documents, "shots": trial.shots_from}
        report_engine(workspace, output, read, start)
        session.note(f"records and report: {output / 'report.html'}")
    _emit_engine(session, trial, records)
    below = missed(engine_figures(records), pinned)
    if below:
        raise FloorMissed(f"below the floors [{floor}] of {floors}: {'; '.join(below)}")


def _named_step(text: str) -> tuple[str, str]:
    """``NAME=IMPLEMENTATION``.

    Raises:
        InputError: it has another form.
    """
    name, _, implementation = text.partition("=")
    if not name or not implementation:
        raise InputError(f"--step {text!r} is no step and its implementation; give for example validate=oracle")
    return name, implementation


@command("eval compare")
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
        *(f"{name}: {interval(one, '+')}{' *' if one.excludes_zero else ''}" for name, one in found.items()),
    )


@command("eval table", stores=True)
def table_of_runs(
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
    sample: SampleOption = None,
    seed: SeedOption = 0,
    at_once: AtOnceOption = 1,
    record: Annotated[bool, typer.Option("--record", help="Keep each row's replies on a cassette.")] = False,
    existing: Annotated[bool, typer.Option("--existing", help="Only show rows whose runs are there.")] = False,
) -> None:
    """Measure the rows of a published table, or show those that were; a run that is there is gone on with."""
    from clausegraph.app.services.engine_tables import TABLES, check_rows, chosen_rows, measure_rows
    from clausegraph.app.services.evaluation import measure_engine
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
            with session.progress() as progress:
                return measure_engine(workspace, documents, asked, trial, place, by, progress or no_progress)

        found = measure_rows(rows, output, shots_from, ask, record=record)
    _emit_table(session, TABLES[name].about, found, {one.name: one.trial.told for one in rows})


# --- figures in words --------------------------------------------------------------------------------


def _emit_scores(session: Session, result: EvaluationResult) -> None:
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
        recalls = [[name, *(percent(at[b]) for b in budgets)] for name, at in retrieval.items()]
        items += ["", table(("evidence recall at", *budgets), recalls)]
    session.emit(value, *items)


def _retrieval(result: EvaluationResult) -> dict[str, Any]:
    from clausegraph.eval.conditionalqa.records import by_budget

    return {
        name: {str(budget): round(sum(of.values()) / len(of), 4) for budget, of in by_budget(records).items()}
        for name, records in result.retrieval.items()
    }


def _rows(groups: Mapping[Any, Mapping[str, float]], metrics: Sequence[str]) -> list[list[Any]]:
    return [[group, int(row["questions"]), *(percent(row[m]) for m in metrics)] for group, row in groups.items()]


def _known(row: Mapping[str, float]) -> dict[str, float | None]:
    """NaN is no JSON: an empty group has no mean."""
    return {str(key): None if value != value else value for key, value in row.items()}  # noqa: PLR0124


def percent(value: float) -> str:
    """A share in percent; a dash for NaN."""
    return "-" if value != value else f"{100 * value:.2f}"  # noqa: PLR0124


def _emit_engine(session: Session, trial: EngineTrial, records: tuple[QuestionRecord, ...]) -> None:
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
        "95% bootstrap intervals: " + ", ".join(f"{name} {interval(found)}" for name, found in sure.items()),
        table(
            ("calls", "prompt tokens", "tokens", "money", "seconds"), [[*costs, f"{figures.milliseconds / 1000:.2f}"]]
        ),
        *_rounds(by_round, BUDGET),
    )


def _rounds(by_round: list[tuple[float, float]], budget: int) -> list[Any]:
    """Which share of questions had all evidence after each round."""
    if not by_round:
        return []
    rows = [
        [f"{number}", f"{100 * found:.1f}", f"{100 * near:.1f}"] for number, (found, near) in enumerate(by_round, 1)
    ]
    return [table(("round", f"all evidence in the first {budget} word pieces", "in the subgraph"), rows)]


def _emit_table(
    session: Session, about: str, found: dict[str, tuple[QuestionRecord, ...]], told: dict[str, tuple[str, ...]]
) -> None:
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
    items: list[Any] = [about, table(heads, rows)]
    if rounds:
        most = max(map(len, rounds))
        named = ("all evidence found / in the subgraph", *(f"round {number}" for number in range(1, most)))
        items.append(table(named, [[*cells, *[""] * (most - len(cells))] for cells in rounds]))
    gold = [f"{name}: told {', '.join(what)}" for name, what in told.items() if what and name in found]
    session.emit({"table": about, "rows": value}, *items, *gold)


def _shares(by_round: list[tuple[float, float]]) -> list[str]:
    return [f"{100 * found:.1f} / {100 * near:.1f}" for found, near in by_round]


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.2f}"  # noqa: PLR0124


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
    session.note(f"records, plots and report: {folder / 'report.html'}")
