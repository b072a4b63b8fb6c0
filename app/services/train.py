"""Learning from labelled questions: a guide for the reader with a model, and classifiers of open questions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean

from clausegraph.app.engines import labelled, read_options
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, require_extra
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.output_files import check_output
from clausegraph.core.prompts import library
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, load_questions, score_answers
from clausegraph.eval.files import write_text
from clausegraph.eval.metrics import ConfidenceInterval, paired_difference
from clausegraph.ingestion.pipeline import Progress, no_progress
from clausegraph.query.read.model.guide import Guide, held_back, learned_guide, saw_of
from clausegraph.query.read.model.labelled import CitedPages, LabelledQuestion
from clausegraph.query.read.model.reader import ModelReader, ReadOptions
from clausegraph.query.steps.model import ModelSteps, QuestionMeter

HELD = 40  # questions to test a guide on
FEWEST = 20  # questions that a guide can be learned from
CONFIDENCE = 0.8  # of the interval that must lie above zero


@dataclass(frozen=True, slots=True)
class Trained:
    """A guide, what it is worth, and whether it was kept.

    ``before`` and ``after``: mean F1 with conditions on the held-back questions, with the guide in use and the new one;
    ``change``: their paired difference with its interval.
    """

    guide: Guide
    before: float
    after: float
    change: ConfidenceInterval
    calls: int

    @property
    def helps(self) -> bool:
        """Whether the interval of the difference lies above zero: chance alone does that one time in ten."""
        return self.change.low > 0


def train_guide(
    workspace: Workspace,
    questions: Path,
    output: Path,
    *,
    held: int = HELD,
    seed: int = 13,
    replace_file: bool = False,
    progress: Progress | None = None,
) -> Trained:
    """Learn a guide from a question file, test it on questions held back, and write it where it helps.

    Raises:
        InputError: the files cannot be used, there are too few questions, or the guide in use has seen those held back.
        SettingsError: no model is set.
        ModelError: a call has no usable reply.
    """
    require_extra("eval", "testing a guide")
    told = progress or no_progress
    check_output(output, home=workspace.settings.home, replace=replace_file)
    every = load_questions(questions)
    known = [labelled(question) for question in every]
    if len(known) < FEWEST:
        raise InputError(f"{questions} has {len(known)} questions; a guide needs at least {FEWEST} to learn from")
    tested = held_back(known, held, seed)
    pages = {question.page for question in tested}
    in_use = replace(read_options(workspace.settings), examples=None).measured_on(tested)
    steps = ModelSteps(workspace.model, library(workspace.settings.prompts))
    meter = QuestionMeter()
    told("word the guide", 0, 1)
    guide = learned_guide(steps.question(meter), output.stem, [q for q in known if q.page not in pages], seed)
    cited = CitedPages.of(known)
    gold = {question.id: question.answers for question in every}
    scores: list[dict[str, float]] = []
    calls = meter.usage().calls
    for stage, option in (("test the guide in use", in_use), ("test the new guide", replace(in_use, guide=guide))):
        found, used = _scores(steps, option, tested, cited, gold, partial(_tell, told, stage, len(tested)))
        scores.append(found)
        calls += used
    change = paired_difference(*scores, confidence=CONFIDENCE)
    before, after = (fmean(found.values()) for found in scores)
    guide = replace(
        guide,
        saw=dict(guide.saw) | saw_of(tested),
        held_back={
            "questions": len(tested), "before": round(before, 4), "after": round(after, 4),
            "low": round(change.low, 4), "high": round(change.high, 4),
        },
    )  # fmt: skip
    made = Trained(guide, before, after, change, calls)
    if made.helps:
        write_text(output, guide.as_json())
    return made


def _tell(progress: Progress, stage: str, total: int, done: int) -> None:
    progress(stage, done, total)


def _scores(
    steps: ModelSteps,
    options: ReadOptions,
    questions: Sequence[LabelledQuestion],
    pages: CitedPages,
    gold: dict[str, tuple[ConditionalAnswer, ...]],
    done: Callable[[int], None],
) -> tuple[dict[str, float], int]:
    """F1 with conditions by question, and all calls made; the model's own limit says how many are in flight."""

    def score(question: LabelledQuestion) -> tuple[float, int]:
        meter = QuestionMeter()
        reader = ModelReader(None, steps.question(meter), options)
        read = reader.read(Inquiry(question.question, question.scenario), pages.hits(question), pages)
        predicted = [ConditionalAnswer(a.text, a.open_conditions) for a in read.alternatives]
        return score_answers(predicted, gold[question.id]).f1_with_conditions, meter.usage().calls

    found: list[tuple[float, int]] = []
    with ThreadPoolExecutor(max_workers=len(questions)) as workers:
        for one in workers.map(score, questions):
            found.append(one)
            done(len(found))
    return {q.id: value for q, (value, _) in zip(questions, found, strict=True)}, sum(calls for _, calls in found)
