"""``eval conditionalqa``, ``compare`` and ``table``: engines measured on ConditionalQA's questions."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import Session, argument, command, option
from clausegraph.core.errors import FloorMissed, InputError, require_extra

if TYPE_CHECKING:
    from clausegraph.app.services.engine_tables import TableRow
    from clausegraph.eval.conditionalqa.records import QuestionRecord
    from clausegraph.eval.conditionalqa.run import EvaluationResult
    from clausegraph.eval.metrics import ConfidenceInterval
    from clausegraph.eval.provenance import Provenance

ForceOption = Annotated[bool, option("Replace the files of a folder that is not empty.")]
EvalCorpusOption = Annotated[str, option("Name of the corpus to read into.", "--corpus", "-c")]
OutputOption = Annotated[Path | None, option("Folder for records, plots and report.html.", "--output", "-o")]
CassetteOption = Annotated[Path | None, option("Replay a model's replies from this file.")]
SampleOption = Annotated[int | None, option("Ask only so many questions.", show_default="all")]
SeedOption = Annotated[int, option("By which a sample is drawn.")]
AtOnceOption = Annotated[int, option("Questions that are open at once.")]
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
    sample: SampleOption = None,
    seed: SeedOption = 0,
    cassette: CassetteOption = None,
    record: Annotated[bool, option("Record them there instead.")] = False,
    at_once: AtOnceOption = 1,
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
    from clausegraph.eval.conditionalqa.figures import engine_figures, missed, read_floors
    from clausegraph.eval.conditionalqa.run import drawn

    if engine is None:
        check_folder(session, output, force)
        _all_parts(session, start, questions, documents, predictions, corpus, output, oracle_type)
        return
    trial = EngineTrial(
        engine, llm, prompt, rounds, shots, shots_from, oracle_type, cassette, record, at_once,
        tuple(map(_named_step, step or ())), retriever,
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
        session.note(f"records and report: {output / 'report.html'}")
    about = trial.described(len(records), None)
    told = f"told {', '.join(trial.told)}" if trial.told else "told nothing of the gold answers"
    head = f"engine {trial.engine}, model {trial.llm or 'none'}, {trial.shots} shots, {told}"
    _emit_engine(session, about, head, records, trial.told)
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
        from clausegraph.eval.conditionalqa.run import BASELINE, SYSTEM, write_evaluation

        run = describe_run("conditionalqa", files, start, (workspace, result.epoch) if workspace else None)
        if workspace is not None:
            run = replace(run, retrievers=tuple(result.retrieval), system=SYSTEM, baseline=BASELINE)
            run.settings["oracle_type"] = oracle_type
        write_evaluation(output, result, asked)
        write_run_report(session, output, run)
    _emit_scores(session, result)


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
    first: Annotated[Path, argument("Folder of a run, as --output named it.", show_default=False)],
    second: Annotated[Path, argument("Folder of the run to compare with it.", show_default=False)],
) -> None:
    """Compare two runs on the same questions: second minus first, with paired bootstrap intervals."""
    from clausegraph.eval.conditionalqa.figures import compared
    from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
    from clausegraph.eval.conditionalqa.run import ANSWERS_FILE
    from clausegraph.eval.files import read_records

    runs = [read_records(folder / ANSWERS_FILE, QUESTION_RECORD) for folder in (first, second)]
    found = compared(*runs)
    value = {
        name: {key: getattr(one, key) for key in ("mean", "low", "high", "excludes_zero")}
        for name, one in found.items()
    }
    session.emit(
        {"questions": len(runs[0]), "second_minus_first": value},
        f"{len(runs[0])} questions, {second.name} minus {first.name}, 95% paired bootstrap interval:",
        *(f"{name}: {interval(one, '+')}{' *' if one.excludes_zero else ''}" for name, one in found.items()),
    )


_TABLE = argument("systems, triplets, critics, ablations, facts or steps.", show_default=False)


@command("eval table", stores=True)
def table_of_runs(
    session: Session,
    *,
    name: Annotated[str, _TABLE],
    output: Annotated[Path, option("Folder of the runs, one a row.", "--output", "-o")],
    questions: Annotated[Path | None, option("dev.json; not needed with --existing.")] = None,
    documents: Annotated[Path | None, option("documents.json, where they are not read yet.")] = None,
    corpus: Annotated[str, option("Name of the corpus.", "--corpus", "-c")] = _CORPUS,
    llm: Annotated[str | None, option("The language model.", **_LLM)] = None,
    shots_from: Annotated[Path | None, option("train.json, for rows with examples.")] = None,
    row: Annotated[list[str] | None, option("Only these rows.", show_default="all")] = None,
    sample: SampleOption = None,
    seed: SeedOption = 0,
    at_once: AtOnceOption = 1,
    record: Annotated[bool, option("Keep each row's replies on a cassette.")] = False,
    existing: Annotated[bool, option("Only show rows whose runs are there.")] = False,
) -> None:
    """Measure the rows of a published table, or show those that were; a run that is there is gone on with."""
    from clausegraph.app.services.engine_tables import TABLES, check_rows, chosen_rows, measure_rows
    from clausegraph.app.services.evaluation import measure_engine
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.eval.conditionalqa.run import drawn

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
                return measure_engine(workspace, documents, asked, trial, place, by, progress)

        found = measure_rows(rows, output, shots_from, ask, record=record)
    _emit_table(session, TABLES[name].about, found, {one.name: one.trial.told for one in rows})


# --- figures in words --------------------------------------------------------------------------------


def _emit_scores(session: Session, result: EvaluationResult) -> None:
    from clausegraph.eval.conditionalqa.figures import METRICS, answer_table
    from clausegraph.eval.conditionalqa.records import by_budget

    def scores(head: str, records: Sequence[QuestionRecord]) -> tuple[dict[str, Any], Any]:
        groups: Mapping[Any, Mapping[str, float]] = answer_table(records)
        rows = [(group, int(row["questions"]), *(percent(row[m]) for m in METRICS)) for group, row in groups.items()]
        return {str(group): _known(row) for group, row in groups.items()}, table((head, "questions", *METRICS), rows)

    records, asserted = result.answers, result.asserted
    retrieval = {
        name: {str(budget): round(sum(of.values()) / len(of), 4) for budget, of in by_budget(one).items()}
        for name, one in result.retrieval.items()
    }
    predicted = sum(record.has_prediction for record in records)
    value: dict[str, Any] = {"questions": len(records), "predictions": predicted, "retrieval": retrieval}
    value["answers"], drawn = scores("group", records)
    items: list[Any] = [drawn]
    if result.epoch is not None:
        figures, drawn = scores("of those asserted", asserted) if asserted else ({}, "")
        value["asserted"] = {"questions": len(asserted)} | figures
        items += ["", f"What people get: {len(asserted)} of {len(records)} answers asserted, the others quoted"]
        items += [drawn] if asserted else []
    if result.trivial:
        value["trivial"], drawn = scores("trivial reader", result.trivial)
        items += ["", drawn]
    if retrieval:
        budgets = list(next(iter(retrieval.values())))
        recalls = [(name, *(percent(at[b]) for b in budgets)) for name, at in retrieval.items()]
        items += ["", table(("evidence recall at", *budgets), recalls)]
    session.emit(value, *items)


def _known(row: Mapping[str, float]) -> dict[str, float | None]:
    """NaN is no JSON: an empty group has no mean."""
    return {str(key): None if value != value else value for key, value in row.items()}  # noqa: PLR0124


def percent(value: float) -> str:
    """A share in percent; a dash for NaN."""
    return _number(100 * value)


def _number(value: float) -> str:
    return "-" if value != value else f"{value:.2f}"  # noqa: PLR0124


def _measured(records: Sequence[QuestionRecord], told: Sequence[str]) -> dict[str, Any]:
    """What a run says of an engine, beside its figures: intervals in percent, what it was told, evidence by round."""
    from clausegraph.eval.conditionalqa.figures import intervals
    from clausegraph.eval.conditionalqa.oracles import evidence_by_round

    spans = {metric: [100 * one.low, 100 * one.high] for metric, one in intervals(records).items()}
    return {"intervals": spans, "told": list(told), "evidence_by_round": evidence_by_round(records)}


_SCORES = ("f1", "yes_no", "span", "f1_with_conditions")


def _emit_engine(
    session: Session, about: dict[str, Any], head: str, records: Sequence[QuestionRecord], told: Sequence[str]
) -> None:
    from clausegraph.eval.conditionalqa.figures import engine_figures, intervals
    from clausegraph.eval.conditionalqa.oracles import BUDGET

    figures, measured = engine_figures(records), _measured(records, told)
    costs = [f"{figures.calls:g}", f"{figures.prompt_tokens:,.0f}", f"{figures.tokens:,.0f}", f"{figures.money:.5f}"]
    costs.append(f"{figures.milliseconds / 1000:.2f}")
    spans = ", ".join(f"{name} {interval(found)}" for name, found in intervals(records).items())
    items: list[Any] = [
        f"{head}; {figures.questions} questions, {figures.failed} failed",
        table(("F1", "yes/no", "span", "F1 with conditions"), [[f"{getattr(figures, name):.2f}" for name in _SCORES]]),
        f"95% bootstrap intervals: {spans}",
        table(("calls", "prompt tokens", "tokens", "money", "seconds"), [costs]),
    ]
    if by_round := measured["evidence_by_round"]:
        rows = [(f"{at}", f"{100 * found:.1f}", f"{100 * near:.1f}") for at, (found, near) in enumerate(by_round, 1)]
        items.append(table(("round", f"all evidence in the first {BUDGET} word pieces", "in the subgraph"), rows))
    session.emit(about | {"figures": asdict(figures)} | measured, *items)


def _emit_table(
    session: Session, about: str, found: dict[str, tuple[QuestionRecord, ...]], told: dict[str, tuple[str, ...]]
) -> None:
    from clausegraph.eval.conditionalqa.figures import engine_figures

    value: dict[str, Any] = {}
    rows, rounds = [], []
    for name, records in found.items():
        figures, measured = engine_figures(records), _measured(records, told[name])
        value[name] = asdict(figures) | measured
        scores = [_number(getattr(figures, metric)) for metric in _SCORES]
        costs = [f"{figures.calls:g}", f"{figures.prompt_tokens:,.0f}", f"{figures.money:.5f}"]
        rows.append([name, f"{figures.questions}", f"{figures.failed}", *scores, *costs])
        if by_round := measured["evidence_by_round"]:
            rounds.append([name, *(f"{100 * all_of:.1f} / {100 * near:.1f}" for all_of, near in by_round)])
    heads = ("", "questions", "failed", "F1", "yes/no", "span", "with conditions", "calls", "prompt tokens", "money")
    items: list[Any] = [about, table(heads, rows)]
    if rounds:
        most = max(map(len, rounds))
        named = ("all evidence found / in the subgraph", *(f"round {number}" for number in range(1, most)))
        items.append(table(named, [[*cells, *[""] * (most - len(cells))] for cells in rounds]))
    gold = [f"{name}: told {', '.join(what)}" for name, what in told.items() if what and name in found]
    session.emit({"table": about, "rows": value}, *items, *gold)


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
