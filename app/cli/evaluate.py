"""``clausegraph eval``: ``conditionalqa`` scores predictions or measures the whole engine, ``passages`` measures
retrieval for multi-hop questions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.eval.comparison import PairedDifference
    from clausegraph.eval.conditionalqa.dataset import Question
    from clausegraph.eval.conditionalqa.run import EvaluationResult
    from clausegraph.eval.passages import PassageQuestion, PassageResult
    from clausegraph.eval.records import QuestionRecord

_CORPUS = "conditionalqa"
_PASSAGES_CORPUS = "passages"


def conditionalqa(
    session: Session,
    *,
    questions: Annotated[Path, typer.Option("--questions", help="train.json or dev.json.")],
    documents: Annotated[
        Path | None, typer.Option("--documents", help="documents.json; not needed to score predictions.")
    ] = None,
    predictions: Annotated[Path | None, typer.Option("--predictions", help="Only score this file.")] = None,
    oracle_type: Annotated[bool, typer.Option("--oracle-type", help="Tell the engine the gold answer kind.")] = False,
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Folder for records, report and plots.")] = None,
    corpus: CorpusOption = None,
) -> None:
    """Score a prediction file, or read the documents into a corpus, answer every question and measure it."""
    from clausegraph.eval.conditionalqa.dataset import load_questions

    asked = load_questions(questions)
    if predictions is not None:
        records = _score(asked, predictions)
        _emit(session, records, "predictions", {}, output)
        return
    if documents is None:
        raise InputError("--documents is missing; give documents.json to run, or --predictions to score a file")
    workspace = session.workspace(corpus or _CORPUS)
    settings = workspace.settings
    result = _run(session, workspace, documents, asked, oracle_type)
    if output is not None:
        from clausegraph.eval.conditionalqa.run import write_evaluation

        notes = [f"questions: {questions}", f"model: {settings.embedding_model}", f"oracle type: {oracle_type}"]
        write_evaluation(output, result, asked, notes)
    _emit(session, result.answers, "answers", _retrieval(result), None, result.trivial)
    if output is not None:
        session.note(f"records, report and plots: {output}")


def passages(
    session: Session,
    *,
    passages: Annotated[Path, typer.Option("--passages", help="JSON list of passages with their triples.")],
    questions: Annotated[Path, typer.Option("--questions", help="JSON list of questions with supporting passages.")],
    corpus: CorpusOption = None,
) -> None:
    """Read passages with their triples into a corpus and measure how well supporting passages are found."""
    from clausegraph.eval.passages import AT, load_questions

    asked = load_questions(questions)
    workspace = session.workspace(corpus or _PASSAGES_CORPUS, extractor="given")
    result = _run_passages(session, workspace, passages, asked)
    rows = [
        [by, _percent(figures.recall), _percent(figures.complete), f"{figures.milliseconds:.0f}"]
        for by, figures in result.figures.items()
    ]
    from clausegraph.app.cli.output import table

    session.emit(
        _passages_json(result),
        f"{result.questions} questions, {result.supporting} supporting passages, {result.unmatched} not in the corpus",
        table(("ranking", f"recall@{AT}", f"all in top {AT}", "ms"), rows),
        f"hybrid minus vectors, 95% bootstrap interval: recall@{AT} {_interval(result.recall_difference)}, "
        f"all in top {AT} {_interval(result.complete_difference)}",
    )


def _run_passages(
    session: Session, workspace: Workspace, path: Path, questions: Sequence[PassageQuestion]
) -> PassageResult:
    from clausegraph.ingestion.sources import PassagesSource

    source = PassagesSource(path)
    from clausegraph.app.services.ingest import run_ingest
    from clausegraph.eval.passages import evaluate
    from clausegraph.ingestion.pipeline import Options, no_progress

    with progress_bars(session) as progress:
        report = run_ingest(workspace, workspace.settings.corpus, source, Options(), progress)
        if report.rejects:
            session.note(f"{len(report.rejects)} triples or passages not used: clausegraph show {report.run_id}")
        with workspace.view() as view:
            return evaluate(view, workspace.embedder, questions, progress=progress or no_progress)


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


def _interval(difference: PairedDifference) -> str:
    return f"{100 * difference.mean:+.2f} [{100 * difference.low:+.2f}, {100 * difference.high:+.2f}]"


def _score(questions: Sequence[Question], path: Path) -> list[QuestionRecord]:
    """Records of a prediction file: no corpus, no model."""
    from clausegraph.eval.conditionalqa.predictions import read_predictions
    from clausegraph.eval.records import make_record

    found = read_predictions(path, questions)
    return [make_record(q, found[q.id].answers if q.id in found else None) for q in questions]


def _run(
    session: Session, workspace: Workspace, documents: Path, questions: Sequence[Question], oracle_type: bool
) -> EvaluationResult:
    from clausegraph.ingestion.sources import open_source

    source = open_source(str(documents))
    from clausegraph.app.services.ingest import run_ingest
    from clausegraph.eval.conditionalqa.run import evaluate
    from clausegraph.ingestion.pipeline import Options

    with progress_bars(session) as progress:
        run_ingest(workspace, workspace.settings.corpus, source, Options(), progress)
        with workspace.view() as view:
            watched = {} if progress is None else {"progress": progress}
            return evaluate(view, workspace.embedder, questions, oracle_type=oracle_type, **watched)


def _retrieval(result: EvaluationResult) -> dict[str, Any]:
    from clausegraph.eval.report import retrieval_table

    tables = {name: retrieval_table(records) for name, records in result.retrieval.items()}
    return {
        name: {str(budget): round(float(row["recall"]), 4) for budget, row in t.iterrows()}
        for name, t in tables.items()
    }


def _emit(
    session: Session,
    records: Sequence[QuestionRecord],
    title: str,
    retrieval: dict[str, Any],
    output: Path | None,
    trivial: Sequence[QuestionRecord] = (),
) -> None:
    from clausegraph.app.cli.output import table
    from clausegraph.eval.records import write_records
    from clausegraph.eval.report import METRICS, answer_table, write_report

    if output is not None:
        write_records(output / f"{title}.jsonl", records)
        write_report(output / "report.md", records, title=f"ConditionalQA: {title}")
    by_group: dict[Any, dict[Any, float]] = answer_table(records).to_dict(orient="index")
    value = {
        "questions": len(records),
        "predictions": sum(record.has_prediction for record in records),
        "answers": {str(group): _known(row) for group, row in by_group.items()},
        "retrieval": retrieval,
    }
    items: list[Any] = [table(("group", "questions", *METRICS), _rows(by_group, METRICS))]
    if trivial:
        plain: dict[Any, dict[Any, float]] = answer_table(trivial).to_dict(orient="index")
        value["trivial"] = {str(group): _known(row) for group, row in plain.items()}
        items += ["", table(("trivial reader", "questions", *METRICS), _rows(plain, METRICS))]
    if retrieval:
        budgets = list(next(iter(retrieval.values())))
        recalls = [[name, *(_percent(at[b]) for b in budgets)] for name, at in retrieval.items()]
        items += ["", table(("evidence recall at", *budgets), recalls)]
    session.emit(value, *items)


def _rows(groups: dict[Any, dict[Any, float]], metrics: Sequence[str]) -> list[list[Any]]:
    return [[group, int(row["questions"]), *(_percent(row[m]) for m in metrics)] for group, row in groups.items()]


def _known(row: dict[Any, float]) -> dict[str, float | None]:
    """NaN is no JSON: an empty group has no mean."""
    return {str(key): None if value != value else value for key, value in row.items()}  # noqa: PLR0124


def _percent(value: float) -> str:
    return "-" if value != value else f"{100 * value:.2f}"  # noqa: PLR0124


def register(app: typer.Typer) -> None:
    """Add the command."""
    group = typer.Typer(no_args_is_help=True, help="Measure the engine.")
    group.callback()(_group)
    command(group, "conditionalqa")(conditionalqa)
    command(group, "passages")(passages)
    app.add_typer(group, name="eval")


def _group() -> None:
    """Measure the engine on a benchmark."""
