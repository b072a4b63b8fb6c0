"""Evaluations that a server is asked for: the question files that it has, and an engine measured on one of them."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.settings import Settings
from clausegraph.core.text import checked_name, counted
from clausegraph.indexes.corpora import EVALUATION, get_corpus
from clausegraph.indexes.files import file_errors, write_whole
from clausegraph.indexes.hidden import LONGEST_REASON

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.ingestion.progress import Gauge
    from clausegraph.ingestion.tools import Progress

JUDGED, _QUESTIONS = "judged", "questions"


class EvaluationOrder(BaseModel):
    """What is measured: an engine on the questions of a file that the server has, or on ``judged`` answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: str = Field(min_length=1, max_length=200, description=f"A question file, or {JUDGED!r}.")
    engine: str = Field(default="loop", max_length=100)
    sample: int | None = Field(default=None, ge=1, le=1_000_000, description="Ask only so many; none: all.")
    reason: str = Field(default="", max_length=LONGEST_REASON, description="The audit log keeps it.")


def question_files(settings: Settings) -> list[str]:
    """The names of the question files that the server has: of the folder "questions" in that of the evaluations."""
    folder = settings.evaluations_folder / _QUESTIONS
    return sorted(path.name for path in folder.glob("*.json") if path.is_file())


def keep_questions(settings: Settings, name: str, data: bytes) -> list[str]:
    """Keep a question file in ConditionalQA's form; the names of all there are.

    Raises:
        InputError: it is none, or there is one of that name.
    """
    from clausegraph.eval.conditionalqa.dataset import load_questions

    folder = settings.evaluations_folder / _QUESTIONS
    path = folder / checked_name(Path(name).name, "question file", "give it another, as questions.json")
    if path.suffix != ".json":
        raise InputError(f"question file {name[:80]!r} has no name as questions.json; rename it")
    if path.exists():
        raise InputError(f"there is a question file {path.name!r} already; give this one another name")
    with file_errors(folder):
        folder.mkdir(parents=True, exist_ok=True)
    write_whole(path, data)
    try:
        load_questions(path)
    except InputError:
        path.unlink()
        raise
    return question_files(settings)


def start_evaluation(
    workspace: Workspace, corpus: str, queue: Callable[..., dict[str, Any]], order: EvaluationOrder, by: str
) -> dict[str, Any]:
    """Measure an engine on questions, as a run whose figures have its id as their name; ``queue`` is that of ``Jobs``,
    and errors are its and those of :func:`check_evaluation`."""
    settings = workspace.settings
    row = get_corpus(workspace.ledger, corpus)
    check_evaluation(settings, order)

    def measure(gauge: Gauge, run_id: str) -> dict[str, object]:
        return {"said": run_evaluation(settings, row.name, order, run_id, gauge)}

    return queue(row, EVALUATION, order.questions, order, by, measure)


def check_evaluation(settings: Settings, order: EvaluationOrder) -> None:
    """Refuse what cannot be measured before anything runs.

    Raises:
        InputError: no such engine.
        NotFoundError: no such question file.
    """
    from clausegraph.query.engines.bank import ENGINES

    ENGINES[order.engine]
    if order.questions not in (there := [JUDGED, *question_files(settings)]):
        raise NotFoundError(f"no question file {order.questions[:80]!r}; there are: {', '.join(there)}")


def run_evaluation(settings: Settings, corpus: str, order: EvaluationOrder, name: str, progress: Progress) -> str:
    """Measure an engine on a corpus, and keep the figures as a run of that name; says in a sentence what was measured.

    The workspace is its own: an evaluation takes the corpus of the settings, and may take hours.
    """
    from clausegraph.app.services.evaluation import EngineTrial, measure_engine, report_engine
    from clausegraph.app.services.questions import export
    from clausegraph.app.workspace import Workspace
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.eval.conditionalqa.run import drawn

    folder, start = settings.evaluations_folder / name, time.perf_counter()
    with file_errors(folder):
        folder.mkdir(parents=True)
    try:
        with Workspace(settings.model_copy(update={"corpus": corpus})) as workspace:
            path = settings.evaluations_folder / _QUESTIONS / order.questions
            if order.questions == JUDGED:
                path = folder / f"{JUDGED}.json"
                export(workspace, corpus, path)
            asked, seed = drawn(load_questions(path), order.sample, 0), 0 if order.sample else None
            trial = EngineTrial(order.engine, settings.llm, as_answered=order.questions == JUDGED)
            records = measure_engine(workspace, None, asked, trial, folder, seed, progress)
            report_engine(workspace, folder, {"questions": path}, start)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # half of it is no figure
        raise
    return f"{order.engine} was measured on {counted(len(records), 'question')}."
