"""The engine for open questions measured on CRAG's questions."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from datetime import datetime
from pathlib import Path

from clausegraph.app.engines import crag_options, crag_switches, engine_options
from clausegraph.app.process import version
from clausegraph.app.services.ask_web import pages_text, read_pages, read_until
from clausegraph.app.services.evaluation import trial_model
from clausegraph.app.services.ingest import reading_limits
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, SettingsError
from clausegraph.core.settings import Settings
from clausegraph.eval.crag.dataset import CragCase, read_cases
from clausegraph.eval.crag.judge import CragJudge
from clausegraph.eval.crag.run import Ask, CragRecord, run_cases
from clausegraph.eval.crag.tables import CragRow, row_of
from clausegraph.eval.files import begin_run
from clausegraph.ingestion.once import PageReaders, page_readers
from clausegraph.ingestion.pipeline import Progress, no_progress
from clausegraph.query.crag.engine import CragEngine
from clausegraph.query.crag.types import CragAnswer
from clausegraph.query.engines.bank import EngineOptions

_SPARE = 1.0  # seconds before the limit at which an answer is out
_PAGES = {1: 5, 2: 5, 3: 50}  # of a question, by CRAG's task; from 2 on there is the API too


@dataclass(frozen=True, slots=True)
class CragTrial:
    """What is measured: CRAG's task (1: five pages; 2: and the API; 3: fifty pages and the API), rows, and how.

    ``judge``: whether a model grades what is worded otherwise than the gold answer. ``seconds``: 0 is no limit.
    """

    task: int = 2
    rows: tuple[str, ...] = ("as-set",)
    judge: bool = True
    seconds: float = 30.0
    at: datetime | None = None
    cassette: Path | None = None
    record: bool = False
    at_once: int = 1


def measure_crag(
    workspace: Workspace, questions: Path, trial: CragTrial, output: Path | None = None, told: Progress = no_progress
) -> dict[str, list[CragRecord]]:
    """Records by row.

    Raises:
        InputError: the questions cannot be read, a row is unknown, or ``output`` holds a run of something else.
        SettingsError: no model is set, or a task has an API and no address is set.
    """
    cases, settings = read_cases(questions, trial.at), workspace.settings
    rows = [row_of(name) for name in trial.rows]
    _check_trial(settings, trial)
    # The address of the API is left out: a replay's port changes
    known = settings.model_dump(mode="json", exclude={"crag_graph_url"}).items()
    described = {
        "version": version(),
        "embedding": workspace.embedder.fingerprint,
        "task": trial.task,
        "at": trial.at.isoformat() if trial.at else None,
        "settings": {name: value for name, value in known if name.startswith("crag_")},
        "questions": questions.name,
        "llm": settings.llm,
        "judge": trial.judge,
        "seconds": trial.seconds,
    }
    found = {}
    with (
        page_readers(reading_limits(settings)) as readers,
        trial_model(settings, trial.cassette, record=trial.record) as llm,
    ):
        options = engine_options(settings, llm)
        judge = CragJudge(options.model if trial.judge else None)
        for row in rows:
            kept = output and begin_run(output / row.name / "run.json", described | {"row": row.name})

            def counted(done: int, name: str = row.name) -> None:
                told(name, done, len(cases))

            found[row.name] = run_cases(
                cases,
                _trial_engine(workspace, row, trial, options, readers),
                judge,
                kept=kept,
                seconds=trial.seconds,
                at_once=trial.at_once,
                told=counted,
            )
    return found


def _trial_engine(
    workspace: Workspace, row: CragRow, trial: CragTrial, options: EngineOptions, readers: PageReaders
) -> Ask:
    """What asks one question of the file; reading its pages is part of its time."""
    settings = workspace.settings
    switches = replace(row.applied(crag_switches()), seconds=max(trial.seconds - _SPARE, 0.9 * trial.seconds))
    if trial.task == 1:
        switches = replace(switches, graph="off")
    engine = CragEngine(crag_options(settings, switches), options.model, options.question)

    def ask(case: CragCase) -> CragAnswer:
        began = time.monotonic()
        given = case.pages[: _PAGES[trial.task]] if switches.pages else ()
        _, pages = read_pages(readers, given, (), read_until(began, switches.seconds))
        text = pages_text(workspace, pages, switches) if pages else None
        return engine.answer(case.question, text, begun=began)

    return ask


def _check_trial(settings: Settings, trial: CragTrial) -> None:
    if trial.task not in _PAGES:
        raise InputError(f"CRAG has tasks 1, 2 and 3, not {trial.task}")
    if settings.llm is None:
        raise SettingsError("eval crag asks a language model, and none is set; set CLAUSEGRAPH_LLM")
    if trial.task > 1 and settings.crag_graph_url is None:
        raise SettingsError(
            f"task {trial.task} has CRAG's API; set CLAUSEGRAPH_CRAG_GRAPH_URL (`clausegraph dev crag-api` replays "
            "recorded responses), or measure task 1"
        )
