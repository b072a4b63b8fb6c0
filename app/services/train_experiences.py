"""Experiences for the commentor with a model, from labelled questions about a corpus that is there."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.output_files import check_output
from clausegraph.eval.conditionalqa.dataset import Question, load_questions
from clausegraph.eval.conditionalqa.experiences import collect
from clausegraph.eval.conditionalqa.gold import GoldEvidence
from clausegraph.eval.elements import element_key
from clausegraph.eval.json_files import write_text
from clausegraph.indexes.views import View
from clausegraph.ingestion.pipeline import Progress, no_progress
from clausegraph.query.retrieve.bank import make_retriever
from clausegraph.query.steps.bank import StepParts
from clausegraph.query.steps.experiences import Experiences
from clausegraph.query.steps.look import Lookup

COUNT = 30  # as HybGRAG


def train_experiences(
    workspace: Workspace,
    questions: Path,
    output: Path,
    *,
    count: int = COUNT,
    seed: int = 13,
    replace_file: bool = False,
    progress: Progress | None = None,
) -> Experiences:
    """Make experiences and write them. No model is asked: each feedback is tried, and kept where it leads to the gold
    evidence of its question.

    Raises:
        InputError: the files cannot be used, or the corpus has the evidence of none of the questions.
    """
    told = progress or no_progress
    check_output(output, home=workspace.settings.home, replace=replace_file)
    every = load_questions(questions)
    with workspace.view() as view:
        known = _of_corpus(view, every)
        if not known:
            raise InputError(
                f"corpus {view.corpus!r} has the evidence of none of the {len(every)} questions of {questions}; give "
                "labelled questions about its pages"
            )
        retriever = make_retriever("hybrid", view, workspace.embedder)
        lookup = Lookup(view, workspace.embedder, retriever, workspace.settings.ask_elements)
        parts = StepParts(view, workspace.embedder, lookup)
        gold = GoldEvidence.of(view, known)
        done = partial(told, "try feedback")
        made = collect(output.stem, parts, gold, known, count, seed, lambda number: done(number, len(known)))
    if not made.experiences:
        raise InputError(f"no feedback led to the evidence of any of {len(known)} questions; give more questions")
    write_text(output, made.as_json())
    return made


def _of_corpus(view: View, questions: tuple[Question, ...]) -> list[Question]:
    """The questions all of whose evidence stands on the view's pages."""
    there = {element_key(element.html) for page in view.page_keys() for element in view.reading(page).elements}
    return [one for one in questions if one.evidences and {element_key(line) for line in one.evidences} <= there]
