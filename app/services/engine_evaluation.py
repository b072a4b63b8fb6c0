"""An engine measured on ConditionalQA questions over a workspace."""

from __future__ import annotations

import json
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from clausegraph.app.services.ingest import run_ingest
from clausegraph.app.version import version
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.settings import Settings
    from clausegraph.eval.conditionalqa.dataset import Question
    from clausegraph.eval.records import QuestionRecord
    from clausegraph.indexes.views import View
    from clausegraph.ingestion.pipeline import Progress

RECORDS, DESCRIPTION = "answers.jsonl", "engine.json"
_SHAPING = (
    "step_route", "step_validate", "step_comment", "step_verify", "question_calls", "reader_facts",
    "llm_budget_tokens", "llm_budget_money",
)  # fmt: skip
_FILES = ("reader_guide", "reader_examples")  # that settings name, and that shape answers


@dataclass(frozen=True, slots=True)
class EngineTrial:
    """What is measured, and how. ``shots_from`` has the training questions that examples are taken from."""

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

    def described(self, questions: int, seed: int | None) -> dict[str, Any]:
        """What was asked for, by name."""
        return {
            "engine": self.engine,
            "llm": self.llm or "none",
            "prompt": self.prompt or "default",
            "rounds": self.rounds,
            "shots": self.shots,
            "oracle_type": self.oracle_type,
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
        InputError: the folder holds the records of another configuration, or an option is wrong.
        SettingsError: the engine asks a language model, and there is none.
        ReplyMissing: a cassette lacks a reply.
    """
    from clausegraph.eval.conditionalqa.engines import ask_all, check_same
    from clausegraph.eval.json_files import write_text
    from clausegraph.ingestion.pipeline import Options
    from clausegraph.ingestion.sources import open_source

    if trial.at_once < 1:
        raise InputError(f"{trial.at_once} questions cannot be asked at once; ask at least one")
    described = _configuration(workspace.settings, trial, questions, seed)
    written = _written(folder / DESCRIPTION) if folder is not None else None
    if folder is not None and written is not None:
        check_same(folder, described, written)  # before the pages are read, which may take long
    if documents is not None:
        run_ingest(workspace, workspace.settings.corpus, open_source(str(documents)), Options(), progress)
    with ExitStack() as stack:
        view = stack.enter_context(workspace.view())
        engine = _engine(stack, workspace, view, questions, trial)
        path = None
        if folder is not None:
            described |= {"corpus": view.corpus, "epoch": view.epoch}
            check_same(folder, described, described if written is None else written)
            write_text(folder / DESCRIPTION, json.dumps(described, indent=1) + "\n")
            path = folder / RECORDS
        return ask_all(engine, questions, path, progress, trial.at_once)


def _configuration(
    settings: Settings, trial: EngineTrial, questions: tuple[Question, ...], seed: int | None
) -> dict[str, Any]:
    """What makes the answers, by name: kept beside the records, and the same when a run goes on."""
    from clausegraph.core.hashing import content_hash
    from clausegraph.core.prompts import library
    from clausegraph.eval.provenance import file_facts, relevant_settings

    texts = [part for one in questions for part in (one.id, one.question, one.scenario)]
    files = {name: getattr(settings, name) for name in _FILES} | {"shots_from": trial.shots_from}
    asks = bool(trial.llm or settings.llm)
    return {
        **relevant_settings(settings),
        **{name: getattr(settings, name) for name in _SHAPING},
        **trial.described(len(questions), seed),
        "rounds": trial.rounds or settings.rounds,
        "questions_hash": content_hash(*texts),
        "prompts_hash": content_hash(*(one.digest for one in library(settings.prompts).all())) if asks else None,
        "version": version(),
        **{name: file_facts(name, path.expanduser()).sha256 if path else None for name, path in files.items()},
    }


def _written(path: Path) -> dict[str, Any] | None:
    """The configuration beside records that are there already; none where there is none."""
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read ({error}); name another folder") from error
    return found if isinstance(found, dict) else {}


def _engine(
    stack: ExitStack, workspace: Workspace, view: View, questions: tuple[Question, ...], trial: EngineTrial
) -> Any:
    from clausegraph.app.wiring import make_engine, opened_model
    from clausegraph.core.models.cassette import Cassette
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.eval.conditionalqa.engines import oracle, shots
    from clausegraph.query.engines.bank import ENGINES
    from clausegraph.query.read.extractive import ExtractiveReader
    from clausegraph.query.retrieve.spelling import corrected

    if trial.record and trial.cassette is None:
        raise InputError("--record needs --cassette FILE, where it records")
    if trial.shots and trial.shots_from is None:
        raise InputError("--shots needs --shots-from train.json, whose questions are the examples")
    settings = workspace.settings.model_copy(update={"llm": trial.llm} if trial.llm else {})
    cassette = Cassette(trial.cassette, record=trial.record) if trial.cassette else None
    llm = stack.enter_context(opened_model(settings, cassette=cassette)) if settings.llm else None
    changes: dict[str, Any] = {"engine": trial.engine}
    if trial.rounds is not None:
        changes["rounds"] = trial.rounds
    if trial.oracle_type and not ENGINES[trial.engine].asks:
        raise InputError(f"engine {trial.engine!r} has no prompt for each kind of answer; leave out --oracle-type")
    if trial.oracle_type:
        changes["form"] = oracle(questions, lambda text: corrected(view, text)[0])
    if trial.shots and trial.shots_from:
        changes["shots"] = shots(load_questions(trial.shots_from), questions, trial.shots)
    if trial.prompt is not None:
        changes["reader"] = _reader(settings, trial.prompt, questions)
    elif llm is None:
        changes["reader"] = ExtractiveReader(workspace.embedder, asserted=0.0)  # the scorer knows no quotes
    return make_engine(view, workspace.embedder, settings, llm, measured=questions, **changes)


def _reader(settings: Any, prompt: str, questions: tuple[Question, ...]) -> Any:
    """The reader with a model under another prompt."""
    from dataclasses import replace
    from functools import partial

    from clausegraph.app.reading import read_options
    from clausegraph.query.read.model.reader import ModelReader

    return partial(ModelReader, options=replace(read_options(settings, measured=questions), prompt=prompt))
