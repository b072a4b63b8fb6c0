"""Benchmarks over a workspace: read the pages, ask, measure; and what a report says of such a run."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.engines import make_engine, read_options
from clausegraph.app.models import opened_model
from clausegraph.app.process import version
from clausegraph.app.services.ingest import mirror_whole, run_ingest
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, require_extra
from clausegraph.core.hashing import content_hash
from clausegraph.core.models.replay import Cassette
from clausegraph.core.prompts import library
from clausegraph.core.settings import Settings
from clausegraph.eval.conditionalqa import run as conditionalqa
from clausegraph.eval.conditionalqa.dataset import Question, load_questions, read_predictions, write_questions
from clausegraph.eval.conditionalqa.oracles import ORACLE_STEPS, GoldEvidence, oracle_step
from clausegraph.eval.conditionalqa.records import QuestionRecord, make_record
from clausegraph.eval.conditionalqa.run import QUESTIONS_FILE, EvaluationResult, ask_all, oracle, shots
from clausegraph.eval.files import begin_run, check_same, read_description
from clausegraph.eval.passages import PassageQuestion, PassageResult, evaluate
from clausegraph.eval.provenance import (
    Benchmark,
    Provenance,
    corpus_facts,
    file_facts,
    program,
    relevant_settings,
    write_run,
)
from clausegraph.eval.report import write_report
from clausegraph.indexes.views import View
from clausegraph.ingestion.pipeline import Options, Progress, no_progress
from clausegraph.ingestion.report import RunReport
from clausegraph.ingestion.sources import PassagesSource
from clausegraph.query.engines.bank import ENGINES, Engine, EngineOptions
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.model.reader import ModelReader
from clausegraph.query.retrieve.spelling import corrected

if TYPE_CHECKING:
    from clausegraph.core.models.guard import GuardedLLM


Scalar = bool | int | float | str | None
STEPS = ("route", "validate", "comment")
DESCRIPTION = "engine.json"
_SHAPING = ("llm_budget_tokens", "llm_budget_money")
_FILES = ("reader_guide", "reader_examples")  # that settings name, and that shape answers


@dataclass(frozen=True, slots=True)
class EngineTrial:
    """What is measured, and how.

    ``shots_from`` has the training questions that examples are taken from. ``steps`` are single steps, by name, in
    place of the engine's own: names of ``query/steps/bank.py``, or oracles (``eval/conditionalqa/oracles.py``).
    ``retriever`` ranks text for engines that do not choose for themselves. ``as_answered`` measures what readers get,
    of which a mere quote and "not sure" answer nothing; else the engine asserts what it holds likeliest, as benchmarks
    expect.
    """

    engine: str
    llm: str | None = None
    prompt: str | None = None
    rounds: int | None = None
    shots: int = 0
    shots_from: Path | None = None
    oracle_type: bool = False
    cassette: Path | None = None
    record: bool = False
    at_once: int = 1
    steps: tuple[tuple[str, str], ...] = ()
    retriever: str | None = None
    as_answered: bool = False

    @property
    def told(self) -> tuple[str, ...]:
        """What of the gold answers the engine is told."""
        oracles = tuple(f"{step}={name}" for step, name in self.steps if name in ORACLE_STEPS.get(step, ()))
        return (("kind of answer, and whether it has conditions",) if self.oracle_type else ()) + oracles

    def described(self, questions: int, seed: int | None) -> dict[str, Any]:
        """What was asked for, by name."""
        return {
            "engine": self.engine,
            "llm": self.llm or "none",
            "prompt": self.prompt or "default",
            "rounds": self.rounds,
            "shots": self.shots,
            "oracle_type": self.oracle_type,
            "steps": dict(self.steps),
            "retriever": self.retriever or "default",
            "as_answered": self.as_answered,
            "questions": questions,
            "seed": seed,
        }


def measure_engine(
    workspace: Workspace,
    documents: Path | None,
    questions: tuple[Question, ...],
    trial: EngineTrial,
    folder: Path | None,
    seed: int | None,
    progress: Progress,
) -> tuple[QuestionRecord, ...]:
    """The records of an engine on the questions; with a folder they are kept there, and a killed run goes on.

    Args:
        documents: mirrored into the corpus before; none where it is there.

    Raises:
        InputError: the folder holds the records of another configuration, an option is wrong, or the extra ``eval`` is
            missing.
        ModelError: a document could not be extracted.
        SettingsError: the engine asks a language model, and there is none.
        ReplyMissing: a cassette lacks a reply.
    """
    require_extra("eval", "scoring answers")

    if trial.at_once < 1:
        raise InputError(f"{trial.at_once} questions cannot be asked at once; ask at least one")
    check_used(trial)
    described = _configuration(workspace.settings, trial, questions, seed)
    if folder is not None:
        check_same(folder / DESCRIPTION, described)  # before the pages are read, which may take long
    if documents is not None:
        mirror_whole(workspace, documents, progress)
    with ExitStack() as stack:
        view = stack.enter_context(workspace.view())
        engine = _engine(stack, workspace, view, questions, trial)
        path = None
        if folder is not None:
            described |= {"corpus": view.corpus, "epoch": view.epoch, "corpus_hash": corpus_facts(view).dump_sha256}
            path = begin_run(folder / DESCRIPTION, described)
            write_questions(folder / QUESTIONS_FILE, questions)
        return ask_all(engine, questions, path, progress, trial.at_once)


def check_used(trial: EngineTrial) -> None:
    """Refuse, by its option, what the engine would not look at: it would be told as measured."""
    name, entry = trial.engine, ENGINES[trial.engine]
    forms = entry.asks and not entry.free_text
    for given, used, option, why in (
        (trial.oracle_type, forms, "--oracle-type", "has no prompt for each kind of answer"),
        (trial.shots, forms, "--shots", "has no prompt with examples"),
        (trial.prompt is not None, not entry.asks, "--prompt", "has prompts of its own"),
        (trial.steps, entry.rounds, "--step", "has no such steps"),
        (trial.rounds is not None, entry.rounds, "--rounds", "has no rounds"),
        (trial.retriever is not None, not entry.asks, "--retriever", "chooses for itself what ranks text"),
    ):
        if given and not used:
            raise InputError(f"engine {name!r} {why}; leave out {option}")


def report_engine(workspace: Workspace, folder: Path, files: Mapping[str, Path | None], start: float) -> None:
    """Write the report of a run beside its records.

    Args:
        files: role to path, those that were read.
        start: of the run, as ``time.perf_counter`` has it.
    """
    described = read_description(folder / DESCRIPTION) or {}
    run = describe_run("conditionalqa", files, start, (workspace, described.get("epoch")))
    plain = {name: value if isinstance(value, Scalar) else str(value) for name, value in described.items()}
    write_run(folder, replace(run, settings=plain, system=f"engine {described.get('engine')}"))
    write_report(folder)


def _configuration(
    settings: Settings, trial: EngineTrial, questions: tuple[Question, ...], seed: int | None
) -> dict[str, Any]:
    """What makes the answers, by name: kept beside the records, and the same when a run goes on."""
    texts = [part for one in questions for part in (one.id, one.question, one.scenario)]
    files = {name: getattr(settings, name) for name in _FILES} | {"shots_from": trial.shots_from}
    asks = bool(trial.llm or settings.llm)
    made_by = program(version())
    return {
        **relevant_settings(settings),
        **{name: getattr(settings, name) for name in _SHAPING},
        **trial.described(len(questions), seed),
        "rounds": trial.rounds or EngineOptions().rounds,
        "questions_hash": content_hash(*texts),
        "prompts_hash": content_hash(*(one.digest for one in library(settings.prompts).all())) if asks else None,
        "version": version(),
        "commit": made_by.commit,
        "uncommitted_changes": made_by.dirty,
        **{name: file_facts(name, path.expanduser()).sha256 if path else None for name, path in files.items()},
    }


def _engine(
    stack: ExitStack, workspace: Workspace, view: View, questions: tuple[Question, ...], trial: EngineTrial
) -> Engine:
    if trial.shots and trial.shots_from is None:
        raise InputError("--shots needs --shots-from train.json, whose questions are the examples")
    settings = workspace.settings.model_copy(update={"llm": trial.llm} if trial.llm else {})
    llm = stack.enter_context(trial_model(settings, trial.cassette, record=trial.record))
    changes: dict[str, Any] = {"engine": trial.engine, "commits": not trial.as_answered}  # the scorer knows no quotes

    def read(text: str) -> str:
        return corrected(view, text)[0]

    changes["steps"] = _instead(trial, GoldEvidence.of(view, questions, read))
    chosen = {"rounds": trial.rounds, "retriever": trial.retriever}
    changes |= {name: value for name, value in chosen.items() if value is not None}
    if trial.oracle_type:
        changes["form"] = oracle(questions, read)
    if trial.shots and trial.shots_from:
        changes["shots"] = shots(load_questions(trial.shots_from), questions, trial.shots)
    if trial.prompt is not None:
        options = replace(read_options(settings, measured=questions), prompt=trial.prompt)
        changes["reader"] = partial(ModelReader, options=options)
    elif llm is None and not trial.as_answered:
        changes["reader"] = ExtractiveReader(workspace.embedder, asserted=0.0)  # the scorer knows no quotes
    return make_engine(
        view, workspace.embedder, settings, llm, reranker=workspace.reranker, measured=questions, **changes
    )


@contextmanager
def trial_model(settings: Settings, cassette: Path | None, *, record: bool) -> Iterator[GuardedLLM | None]:
    """The model of the settings, where they name one, before a cassette, where there is one."""
    if record and cassette is None:
        raise InputError("--record needs --cassette FILE, where it records")
    if settings.llm is None:
        yield None
        return
    with opened_model(settings, cassette=Cassette(cassette, record=record) if cassette else None) as llm:
        yield llm


def _instead(trial: EngineTrial, gold: GoldEvidence) -> dict[str, Any]:
    """The steps that the trial exchanges."""
    made: dict[str, Any] = {}
    for step, name in trial.steps:
        if step not in STEPS:
            raise InputError(f"--step {step}={name}: there is no step {step!r}; take one of {', '.join(STEPS)}")
        made[step] = oracle_step(step, name, gold) if name in ORACLE_STEPS.get(step, ()) else name
    return made


def score_predictions(questions: Sequence[Question], path: Path) -> EvaluationResult:
    """Records of a prediction file: no corpus, no model; errors as ``read_predictions``."""
    found = read_predictions(path, questions)
    return EvaluationResult(tuple(make_record(q, found[q.id].answers if q.id in found else None) for q in questions))


def evaluate_conditionalqa(
    workspace: Workspace,
    documents: Path,
    questions: Sequence[Question],
    *,
    oracle_type: bool = False,
    progress: Progress = no_progress,
) -> EvaluationResult:
    """Mirror the documents into the workspace's corpus, answer every question and measure every retriever."""
    mirror_whole(workspace, documents, progress)
    with workspace.view() as view:
        return conditionalqa.evaluate(
            view, workspace.embedder, questions, reranker=workspace.reranker, oracle_type=oracle_type, progress=progress
        )


def evaluate_passages(
    workspace: Workspace, passages: Path, questions: Sequence[PassageQuestion], *, progress: Progress = no_progress
) -> tuple[RunReport, PassageResult]:
    """Mirror the passages into the workspace's corpus and rank them for every question in every way."""
    report = run_ingest(workspace, workspace.settings.corpus, PassagesSource(passages), Options(), progress)
    with workspace.view() as view:
        return report, evaluate(view, workspace.embedder, questions, progress=progress)


def describe_run(
    benchmark: Benchmark, files: Mapping[str, Path | None], start: float, asked: tuple[Workspace, int | None] | None
) -> Provenance:
    """What a report says of the run that started at ``start`` (of ``time.perf_counter``).

    Args:
        files: role to path, those that were read.
        asked: the workspace and the epoch of its corpus; none where only predictions were scored.
    """
    seconds = round(time.perf_counter() - start, 1)
    corpus, settings = None, {}
    if asked is not None:
        workspace, epoch = asked
        settings = relevant_settings(workspace.settings)
        with workspace.view(epoch=epoch) as view:
            corpus = corpus_facts(view)
    return Provenance(
        benchmark=benchmark,
        program=program(version()),
        date=datetime.now(UTC).strftime("%Y-%m-%d %H:%M"),
        seconds=seconds,
        files=tuple(file_facts(role, path) for role, path in files.items() if path is not None),
        corpus=corpus,
        settings=settings,
    )
