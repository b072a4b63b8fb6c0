"""Evaluations: runs to look at, one with its figures, two side by side; question files; and a new run on a server."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

from clausegraph.app.services import Key, Record, Slice, numbered_slice
from clausegraph.core.errors import InputError, NotFoundError
from clausegraph.core.settings import Settings
from clausegraph.core.text import checked_name, counted
from clausegraph.indexes.files import file_errors, write_whole
from clausegraph.indexes.hidden import LONGEST_REASON

if TYPE_CHECKING:
    from clausegraph.eval.provenance import Provenance
    from clausegraph.eval.report import Report
    from clausegraph.ingestion.tools import Progress


JUDGED, _QUESTIONS = "judged", "questions"
May = Callable[[str | None], bool]  # whether somebody may see the runs of a corpus; None: of a file of predictions


class EvaluationOrder(BaseModel):
    """What is measured: an engine on the questions of a file that the server has, or on ``judged`` answers."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    questions: str = Field(min_length=1, max_length=200, description=f"A question file, or {JUDGED!r}.")
    engine: str = Field(default="loop", max_length=100)
    sample: int | None = Field(default=None, ge=1, le=1_000_000, description="Ask only so many; none: all.")
    reason: str = Field(default="", max_length=LONGEST_REASON, description="The audit log keeps it.")


class ListedEvaluation(Record):
    """A run of `eval`."""

    name: str
    benchmark: str
    system: str
    date: str
    seconds: float
    version: str
    corpus: str | None
    epoch: int | None


class Evaluations:
    """The runs in the folder of the settings. Reports are made when they are asked for.

    Raises, from everything:
        InputError: a run's files are damaged or do not belong together.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.evaluations

    def listed(self, may: May) -> list[ListedEvaluation]:
        """The finished runs that somebody may see, newest first, without their figures."""
        found = [(name, run) for name, run in self._runs().items() if may(_corpus(run))]
        found.sort(key=lambda pair: (pair[1].date, pair[0]), reverse=True)
        return [_described(name, run) for name, run in found]

    def report(self, name: str, may: May) -> tuple[ListedEvaluation, Report]:
        """A run with its report."""
        from clausegraph.eval.report import read_report

        run = self._runs().get(name)
        if run is None or not may(_corpus(run)):
            raise NotFoundError(f"there is no evaluation {name[:80]!r}; the list of evaluations has those you may see")
        assert self._folder is not None
        return _described(name, run), read_report(self._folder / name)

    def compared(self, name: str, other: str, may: May) -> list[dict[str, Any]]:
        """The headlines of two runs beside each other, and where both answered the same questions of ConditionalQA,
        ``difference``: the second minus the first with its paired interval.
        """
        runs = [self.report(one, may) for one in (name, other)]
        figures = [{one.label: one for one in report.headline} for _, report in runs]
        differences = self._differences(name, other) if all(r.benchmark == "conditionalqa" for r, _ in runs) else {}
        return [
            {
                "figure": label,
                "first": asdict(figures[0][label]) if label in figures[0] else None,
                "second": asdict(figures[1][label]) if label in figures[1] else None,
                "difference": differences.get(label),
            }
            for label in dict.fromkeys([*figures[0], *figures[1]])
        ]

    def _differences(self, name: str, other: str) -> dict[str, dict[str, Any]]:
        """By the label of a headline; nothing where the questions are not the same."""
        from clausegraph.eval.conditionalqa.figures import METRIC_NAMES, compared
        from clausegraph.eval.conditionalqa.records import QUESTION_RECORD
        from clausegraph.eval.conditionalqa.run import ANSWERS_FILE
        from clausegraph.eval.files import read_records

        assert self._folder is not None
        first, second = (read_records(self._folder / one / ANSWERS_FILE, QUESTION_RECORD) for one in (name, other))
        if {one.id for one in first} != {one.id for one in second}:
            return {}
        return {
            f"{METRIC_NAMES[metric]}, percent": asdict(found) | {"excludes_zero": found.excludes_zero}
            for metric, found in compared(first, second, METRIC_NAMES).items()
        }

    def _runs(self) -> dict[str, Provenance]:
        """Every run of the folder, by the name of its own folder; what is no finished run is passed over."""
        from clausegraph.eval.provenance import RUN_FILE, read_run

        if self._folder is None or not self._folder.exists():  # the first run makes it
            return {}
        try:
            folders = [one for one in self._folder.iterdir() if (one / RUN_FILE).is_file()]
        except OSError as error:
            said = f"the folder of evaluations cannot be read ({error}); see the setting evaluations"
            raise InputError(said) from error
        return {one.name: read_run(one) for one in sorted(folders)}


def question_files(settings: Settings) -> list[str]:
    """The names of the question files that the server has: of the folder "questions" in that of the evaluations."""
    folder = settings.evaluations and settings.evaluations / _QUESTIONS
    return sorted(path.name for path in folder.glob("*.json") if path.is_file()) if folder else []


def keep_questions(settings: Settings, name: str, data: bytes) -> list[str]:
    """Keep a question file in ConditionalQA's form; the names of all there are.

    Raises:
        InputError: it is none, there is one of that name, or the settings name no folder for it.
    """
    from clausegraph.eval.conditionalqa.dataset import load_questions

    folder = _folder(settings) / _QUESTIONS
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


def check_evaluation(settings: Settings, order: EvaluationOrder) -> None:
    """Refuse what cannot be measured before anything runs.

    Raises:
        InputError: no such engine, or the settings name no folder for the figures.
        NotFoundError: no such question file.
    """
    from clausegraph.query.engines.bank import ENGINES

    ENGINES[order.engine]
    _folder(settings)
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

    folder, start = _folder(settings) / name, time.perf_counter()
    with file_errors(folder):
        folder.mkdir(parents=True)
    try:
        with Workspace(settings.model_copy(update={"corpus": corpus})) as workspace:
            path = _folder(settings) / _QUESTIONS / order.questions
            if order.questions == JUDGED:
                path = folder / f"{JUDGED}.json"
                export(workspace, corpus, path)
            asked, seed = drawn(load_questions(path), order.sample, 0), 0 if order.sample else None
            trial = EngineTrial(order.engine, settings.llm)
            records = measure_engine(workspace, None, asked, trial, folder, seed, progress)
            report_engine(workspace, folder, {"questions": path}, start)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)  # half of it is no figure
        raise
    return f"{order.engine} was measured on {counted(len(records), 'question')}."


def _folder(settings: Settings) -> Path:
    if settings.evaluations is None:
        raise InputError(f"there is no folder for evaluations. {evaluations_of(None)}")
    return settings.evaluations


def case_slice(report: Report, limit: int, after: Key | None = None) -> Slice:
    """The wrong answers of a report."""
    part = numbered_slice(report.cases, limit, after)
    return Slice([asdict(case) for case in part.items], part.after)


def report_record(report: Report) -> dict[str, Any]:
    """A report as JSON values, without its cases."""
    found = asdict(replace(report, cases=()))
    return {name: found[name] for name in ("title", "questions", "about", "headline", "sections")}


def _corpus(run: Provenance) -> str | None:
    return run.corpus.name if run.corpus is not None else None


def _described(name: str, run: Provenance) -> ListedEvaluation:
    corpus = run.corpus
    return ListedEvaluation.of(
        run,
        name=name,
        system=run.system or ("predictions of a file" if corpus is None else "all parts"),
        version=run.program.version,
        corpus=_corpus(run),
        epoch=corpus and corpus.epoch,
    )


def evaluations_of(folder: Path | None) -> str:
    """What to do where there are none, in words."""
    if folder is None:
        return "Set CLAUSEGRAPH_EVALUATIONS to a folder, and start the server again"
    return f"`clausegraph eval conditionalqa … --output {folder.name}/NAME` makes one"
