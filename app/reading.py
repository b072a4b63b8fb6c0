"""The reader with a language model as the settings have it: guide and examples, read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from clausegraph.core.settings import Settings

if TYPE_CHECKING:
    from clausegraph.eval.conditionalqa.dataset import Question
    from clausegraph.query.read.model.labelled import Examples, LabelledQuestion
    from clausegraph.query.read.model.reader import ReadOptions


def labelled(question: Question) -> LabelledQuestion:
    """A question of a ConditionalQA file as the reader with a model takes it."""
    from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion

    answers = tuple(LabelledAnswer(answer.text, tuple(answer.conditions)) for answer in question.answers)
    return LabelledQuestion(
        question.id, question.url, question.question, question.scenario, answers, tuple(question.evidences)
    )


def read_options(settings: Settings, *, measured: Sequence[Question] = ()) -> ReadOptions:
    """How a model is asked to read.

    Args:
        measured: questions of a benchmark that are about to be asked: nothing of them may help, their guide is that of
            the benchmark unless the settings name one, and they are told no date.

    Raises:
        InputError: the guide or the examples cannot be read, or the guide was learned from one of ``measured``.
    """
    from clausegraph.query.read.model.guide import benchmark_guide, read_guide
    from clausegraph.query.read.model.reader import ReadOptions

    own = read_guide(settings.reader_guide.expanduser()) if settings.reader_guide else None
    guide = own or (benchmark_guide() if measured else None)
    options = ReadOptions(guide=guide, examples=_examples(settings), dated=not measured)
    return options.measured_on([labelled(question) for question in measured])


def _examples(settings: Settings) -> Examples | None:
    if settings.reader_examples is None:
        return None
    from clausegraph.eval.conditionalqa.dataset import load_questions
    from clausegraph.query.read.model.labelled import Examples

    return Examples(map(labelled, load_questions(settings.reader_examples.expanduser())))
