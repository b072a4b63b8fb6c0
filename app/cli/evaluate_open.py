"""``eval crag``, ``passages`` and ``report``."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from clausegraph.app.cli.evaluate import (
    CassetteOption,
    EvalCorpusOption,
    ForceOption,
    OutputOption,
    check_folder,
    interval,
    write_run_report,
)
from clausegraph.app.cli.output import figures, table
from clausegraph.app.cli.session import Session, argument, command, option
from clausegraph.core.errors import InputError, require_extra

if TYPE_CHECKING:
    from clausegraph.eval.crag.run import CragRecord
    from clausegraph.eval.passages import PassageResult

_PASSAGES_CORPUS = "passages"
_SHOWN = 100  # characters of an answer and of a reason
_ROW = option("A set of switches, see --rows; several.", show_default="as-set")


@command("eval crag")
def crag(
    session: Session,
    *,
    questions: Annotated[Path | None, option("CRAG's JSON lines, plain or .bz2.")] = None,
    task: Annotated[int, option("1: five pages; 2: and the API; 3: fifty pages and the API.")] = 2,
    row: Annotated[list[str] | None, _ROW] = None,
    rows: Annotated[bool, option("List the sets of switches, and end.")] = False,
    at: Annotated[str | None, option("When questions are asked whose file does not say so.")] = None,
    seconds: Annotated[float, option("Limit of an answer; 0: none.", min=0)] = 30.0,
    judge: Annotated[bool, option("Whether the model grades other wordings.", "--judge/--no-judge")] = True,
    output: Annotated[Path | None, option("Folder of records; gone on with.", "--output", "-o")] = None,
    cassette: CassetteOption = None,
    record: Annotated[bool, option("Record replies that the cassette lacks.")] = False,
    at_once: Annotated[int, option("Questions that are open together.", "--at-once", min=1, max=64)] = 1,
) -> None:
    """Measure the engine for open questions: accuracy, hallucination, missing, score; calls and tokens by step."""
    from clausegraph.app.services.crag_evaluation import CragTrial, measure_crag
    from clausegraph.eval.crag.tables import ROWS
    from clausegraph.query.crag.times import parse_time

    if rows:
        listed = {name: one.about for name, one in ROWS.items()}
        session.emit(listed, table(("row", "what it is"), listed.items()))
        return
    if questions is None:
        raise InputError("--questions is missing; give a file of CRAG's questions (or --rows)")
    asked = parse_time(at) if at else None
    trial = CragTrial(task, tuple(row or ["as-set"]), judge, seconds, asked, cassette, record, at_once)
    with session.progress() as progress:
        found = measure_crag(session.workspace(None), questions, trial, output, progress)
    _emit_crag(session, found)


def _first(head: str, what: str, reasons: Sequence[str]) -> list[str]:
    """How many questions met a misfortune, and the first reason; nothing where none did."""
    said = [reason for reason in reasons if reason]
    return [f"{head}{len(said)} {what}: {said[0][:200]}"] if said else []


@command("eval passages", stores=True)
def passages(
    session: Session,
    *,
    passages: Annotated[Path, option("JSON list of passages with their triples.")],
    questions: Annotated[Path, option("JSON list of questions with supporting passages.")],
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
    check_folder(session, output, force)
    asked = load_questions(questions)
    workspace = session.workspace(corpus, extractor="given")
    with session.progress() as progress:
        ingested, result = evaluate_passages(workspace, passages, asked, progress=progress)
    if ingested.rejects:
        session.note(f"{len(ingested.rejects)} triples or passages not used: `clausegraph show {ingested.run_id}`")
    if output is not None:
        from clausegraph.eval.files import write_records
        from clausegraph.eval.passages import PASSAGE_RECORD, RECORDS_FILE

        run = describe_run("passages", {"passages": passages, "questions": questions}, start, (workspace, result.epoch))
        write_records(output / RECORDS_FILE, result.records, PASSAGE_RECORD)
        run = replace(run, retrievers=tuple(result.figures), system=SYSTEM)
        write_run_report(session, output, run)
    value = _passages_json(result)
    session.emit(
        value,
        f"{result.questions} questions, {result.supporting} supporting passages, {result.unmatched} not in the corpus",
        figures(f"found in the first {AT}", value["rankings"]),
        f"{SYSTEM} minus {BASELINE}, 95% bootstrap interval: recall@{AT} {interval(result.recall_difference, '+')}, "
        f"all in top {AT} {interval(result.complete_difference, '+')}",
    )


@command("eval report")
def report(
    session: Session, *, folder: Annotated[Path, argument("Folder that --output named.", show_default=False)]
) -> None:
    """Make report.md of an evaluation anew from its records; no model is used."""
    require_extra("eval", "`clausegraph eval`")
    from clausegraph.eval.report import write_report

    check_folder(session, folder, force=True)
    write_report(folder)
    session.emit({"report": str(folder / "report.md")}, f"report: {folder / 'report.md'}")


def _emit_crag(session: Session, found: dict[str, list[CragRecord]]) -> None:
    """Figures by row and group, calls by step, and what was not right."""
    from clausegraph.eval.crag.run import by_group, calls_by_step, crag_figures

    value: dict[str, Any] = {}
    items: list[Any] = []
    for name, records in found.items():
        value[name] = {
            "figures": asdict(crag_figures(records)),
            "groups": {group: asdict(one) for group, one in by_group(records).items()},
            "calls_by_step": calls_by_step(records),
            "answers": [asdict(record) for record in records],
        }
        items += ["", figures(name, value[name]["groups"])] if value[name]["groups"] else []
        steps = ", ".join(f"{task} {count:.1f}" for task, count in value[name]["calls_by_step"].items())
        items += ["", f"calls a question by step, {name}: {steps or 'none'}"]
        wrong = [one for one in records if one.verdict != "correct"]
        rows = [(one.id, one.verdict, one.by, one.answer[:_SHOWN], one.why[:_SHOWN]) for one in wrong]
        items.append(table(("not right", "verdict", "by", "answer", "why"), rows))
        if unjudged := value[name]["figures"]["unjudged"]:
            items.append(f"{unjudged} answers are worded otherwise and were not judged: they count as wrong")
        sources = ["; ".join(one.failed_sources[:1]) for one in records]
        items += _first("", "questions went on without a source that failed", sources)
        items += _first("", "questions failed", [one.failed for one in records])
    session.emit(value, figures("row", {name: one["figures"] for name, one in value.items()}), *items)


def _passages_json(result: PassageResult) -> dict[str, Any]:
    differences = {"recall": result.recall_difference, "complete": result.complete_difference}
    digits = {"recall": 4, "complete": 4, "milliseconds": 1}
    return {
        "questions": result.questions,
        "supporting": result.supporting,
        "unmatched": result.unmatched,
        "rankings": {
            by: {name: round(getattr(figures, name), places) for name, places in digits.items()}
            for by, figures in result.figures.items()
        },
        "hybrid_minus_vectors": {
            name: {key: round(getattr(found, key), 4) for key in ("mean", "low", "high")}
            for name, found in differences.items()
        },
    }
