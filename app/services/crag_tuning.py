"""Fine-tuning data from questions with gold answers: what the engine finds, and a model's reasoning if it is right."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from clausegraph.app.services.crag_evaluation import CragTrial, check_trial, trial_engine, trial_model
from clausegraph.app.wiring import engine_options, reading_limits
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import SettingsError
from clausegraph.core.output_files import check_output
from clausegraph.eval.crag.dataset import read_cases
from clausegraph.eval.crag.judge import CragJudge
from clausegraph.eval.crag.tables import row_of
from clausegraph.eval.crag.tuning import TuningLine, tuning_lines
from clausegraph.eval.files import write_text

_ROW = "without-critic"  # references of one round


@dataclass(frozen=True, slots=True)
class ChatsWritten:
    """How many chats were written, how many of them with reasoning, and why questions are not among them."""

    chats: int
    reasoned: int
    failed: tuple[str, ...]


def write_chats(
    workspace: Workspace,
    questions: Path,
    output: Path,
    trial: CragTrial,
    *,
    replace_file: bool = False,
    told: Callable[[str, int, int], None] = lambda *_: None,
) -> ChatsWritten:
    """Write JSON lines of chats with their provenance.

    Raises:
        InputError: the questions cannot be read, or the output is there.
        SettingsError: no model is set, or a task has an API and no address is set.
    """
    from clausegraph.ingestion.once import page_readers

    settings = workspace.settings
    check_output(output, home=settings.home, replace=replace_file)
    cases = read_cases(questions, trial.at)
    row = row_of(_ROW)
    check_trial(settings, [row], trial)
    lines: list[TuningLine] = []
    with trial_model(settings, trial) as llm, page_readers(reading_limits(settings)) as readers:
        options = engine_options(settings, llm)
        if options.model is None:
            raise SettingsError("fine-tuning data needs a language model; set CLAUSEGRAPH_LLM")
        ask = trial_engine(workspace, row, trial, options, readers)
        judge = CragJudge(options.model if trial.judge else None)
        name = settings.llm or ""
        for line in tuning_lines(cases, lambda case: ask(case).references, options.model, judge, name):
            lines.append(line)
            told("chats", len(lines), len(cases))
    written = [line for line in lines if not line.failed]
    write_text(output, "".join(json.dumps(line.as_json(), ensure_ascii=False) + "\n" for line in written))
    failed = tuple(f"{line.provenance['question']}: {line.failed}" for line in lines if line.failed)
    return ChatsWritten(len(written), sum(line.is_reasoned for line in written), failed)
