"""The plan over a knowledge graph (KERAG) measured on questions with the path that leads to their answer."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from clausegraph.app.crag import crag_options
from clausegraph.app.services.crag_evaluation import CragTrial, kept_records, trial_model
from clausegraph.app.version import version
from clausegraph.app.wiring import engine_options
from clausegraph.core.errors import SettingsError

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.eval.crag.run import CragRecord
    from clausegraph.query.crag.kg.lookup import GraphLookup
    from clausegraph.query.crag.switches import CragSwitches
    from clausegraph.query.steps.model import StepModel


def measure_kgqa(
    workspace: Workspace,
    questions: Path,
    triples: Path,
    trial: CragTrial,
    output: Path | None = None,
    told: Callable[[str, int, int], None] = lambda *_: None,
) -> dict[str, list[CragRecord]]:
    """Records by row.

    Raises:
        InputError: a file cannot be read, a row is unknown, or ``output`` holds a run of something else.
        SettingsError: no model is set: a plan is made by one.
    """
    from clausegraph.eval.crag.dataset import read_paths, read_triples
    from clausegraph.eval.crag.judge import CragJudge
    from clausegraph.eval.crag.run import run_cases
    from clausegraph.eval.crag.tables import row_of
    from clausegraph.query.crag.engine import CragEngine
    from clausegraph.query.crag.kg.lookup import GraphLookup
    from clausegraph.query.crag.time.clock import now

    settings = workspace.settings
    rows = [row_of(name) for name in trial.rows]
    if settings.llm is None:
        raise SettingsError(
            "a plan over a knowledge graph is made by a language model, and none is set; set CLAUSEGRAPH_LLM"
        )
    cases, graph = read_paths(questions, trial.at or now()), read_triples(triples)

    def lookup(switches: CragSwitches, model: StepModel | None) -> GraphLookup | None:
        if model is None:
            return None
        return GraphLookup(lambda: nullcontext(graph), model, switches.hops, filtered=switches.filtered)

    found = {}
    with trial_model(settings, trial) as llm:
        options = engine_options(settings, llm)
        judge = CragJudge(options.model if trial.judge else None)
        made = crag_options(settings)
        for row in rows:
            switches = replace(row.applied(made.switches), seconds=trial.seconds)
            parts = replace(made.parts, graph=partial(lookup, switches))
            engine = CragEngine(replace(made, switches=switches, parts=parts), options.model, options.question)
            described = {
                "version": version(),
                "questions": questions.name,
                "triples": triples.name,
                "llm": settings.llm,
                "row": row.name,
                "judge": trial.judge,
                "seconds": trial.seconds,
            }
            kept = kept_records(output, row.name, described) if output is not None else None
            found[row.name] = run_cases(
                cases,
                lambda case, engine=engine: engine.answer(case.question, None),  # type: ignore[misc]
                judge,
                kept=kept,
                seconds=trial.seconds,
                at_once=trial.at_once,
                told=partial(_tell, told, row.name, len(cases)),
            )
    return found


def _tell(told: Callable[[str, int, int], None], row: str, total: int, done: int) -> None:
    told(row, done, total)
