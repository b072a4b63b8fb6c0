"""ConditionalQA as its authors define it: files of questions and predictions, and the metrics.

Source: Sun, Cohen, Salakhutdinov, "ConditionalQA: A Complex Reading Comprehension Dataset with
Conditional Answers", ACL 2022; files of haitian-sun/ConditionalQA, v1.0. The metrics are EM and F1, without and with
conditions, by the definitions of the official scorer (its evaluate.py in the last version), computed in polynomial
time: it tries every order of the predictions, we solve the assignment problem.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import TypeAdapter

from clausegraph.core.errors import InputError
from clausegraph.eval.files import read_json_list, write_text
from clausegraph.eval.metrics import best_pairs, normalise_answer, token_f1

Kind = Literal["yesno", "extractive", "not_answerable"]


class ConditionalAnswer(NamedTuple):
    """One answer and the page elements under which it holds: a pair, as the files write it."""

    text: str
    conditions: tuple[str, ...] = ()


@dataclass(frozen=True)
class Question:
    """One question. ``conditions`` and ``evidences`` are serialised elements of the page ``url``.

    A not answerable question has no answers, every other has at least one.
    """

    id: str
    url: str
    scenario: str
    question: str
    not_answerable: bool
    answers: tuple[ConditionalAnswer, ...]
    evidences: tuple[str, ...]

    @property
    def kind(self) -> Kind:
        """The kind as the official scorer sees it: by the exact texts of the gold answers."""
        if not self.answers:
            return "not_answerable"
        return "yesno" if any(a.text in ("yes", "no") for a in self.answers) else "extractive"

    @property
    def conditional(self) -> bool:
        """Whether any gold answer has a condition; orthogonal to ``kind``."""
        return any(answer.conditions for answer in self.answers)


@dataclass(frozen=True)
class Prediction:
    """The answers to one question. No answers at all means "not answerable".

    A question that failed has no Prediction: an empty one would be a claim about the page.
    """

    id: str
    answers: tuple[ConditionalAnswer, ...]


_QUESTIONS = TypeAdapter(tuple[Question, ...])
_PREDICTIONS = TypeAdapter(tuple[Prediction, ...])


def load_questions(path: Path) -> tuple[Question, ...]:
    """Read a question file (``train.json``, ``dev.json``), in its order.

    The public test split has no answers and is refused: it can only be scored by its authors.
    """
    questions = read_json_list(path, _QUESTIONS, advice="use the official train.json or dev.json")
    repeated = [name for name, count in Counter(question.id for question in questions).items() if count > 1]
    if repeated:
        raise InputError(
            f"{path}: id {repeated[0]!r} occurs more than once ({len(repeated)} such values); keep one record for each"
        )
    for question in questions:
        if question.not_answerable == bool(question.answers):
            raise InputError(
                f"{path}: question {question.id!r} has not_answerable="
                f"{question.not_answerable} and {len(question.answers)} answers; "
                "give answers if and only if it is answerable"
            )
    return questions


def write_questions(path: Path, questions: Iterable[Question]) -> None:
    """Write questions in the same form."""
    write_text(path, _QUESTIONS.dump_json(tuple(questions), indent=1).decode() + "\n")


def read_predictions(path: Path, questions: Iterable[Question]) -> dict[str, Prediction]:
    """Read a prediction file, by question id in the file's order; not every question needs one."""
    known = {question.id for question in questions}
    by_id: dict[str, Prediction] = {}
    advice = 'write [{"id": ..., "answers": [[text, [conditions]]]}]'
    for prediction in read_json_list(path, _PREDICTIONS, advice=advice):
        if prediction.id in by_id:
            raise InputError(f"{path}: id {prediction.id!r} is predicted twice; keep one")
        if prediction.id not in known:
            raise InputError(
                f"{path}: id {prediction.id!r} is none of the {len(known)} questions; "
                "remove it or score against the question file it belongs to"
            )
        by_id[prediction.id] = prediction
    return by_id


def write_predictions(path: Path, predictions: Iterable[Prediction]) -> None:
    """Write predictions for the official scorer."""
    rows = [{"id": one.id, "answers": [[a.text, list(a.conditions)] for a in one.answers]} for one in predictions]
    write_text(path, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")


@dataclass(frozen=True)
class Scores:
    """The four metrics, each from 0 to 1: of one question, or the mean over several."""

    em: float
    f1: float
    em_with_conditions: float
    f1_with_conditions: float


ZERO = Scores(0.0, 0.0, 0.0, 0.0)


def score_answers(predicted: Sequence[ConditionalAnswer], gold: Sequence[ConditionalAnswer]) -> Scores:
    """Score the answers to one question.

    Without gold answers (not answerable), everything is 1 if nothing was predicted and 0
    otherwise. Else, for each metric on its own, predictions and gold answers are paired so that
    the sum is greatest; the sum is divided by the number of gold answers and, where more was
    predicted, multiplied by exp(1 - predicted / gold). Missing predictions count as empty ones.
    """
    if not gold:
        return ZERO if predicted else Scores(1.0, 1.0, 1.0, 1.0)
    # An empty answer matches a gold text of articles only, so padding is not the same as zero.
    padding = [ConditionalAnswer("")] * (len(gold) - len(predicted))
    padded = [*predicted, *padding]
    discount = math.exp(1.0 - len(padded) / len(gold))

    def best(value: Callable[[ConditionalAnswer, ConditionalAnswer], float]) -> float:
        values = [[value(p, g) for g in gold] for p in padded]
        return discount * sum(values[p][g] for p, g in best_pairs(values)) / len(gold)

    return Scores(
        em=best(_exact),
        f1=best(_overlap),
        em_with_conditions=best(lambda p, g: _exact(p, g) * conditions_f1(p, g)),
        f1_with_conditions=best(lambda p, g: _overlap(p, g) * conditions_f1(p, g)),
    )


def conditions_f1(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    """Return the F1 of the two sets of conditions by exact string; 1 if both are empty."""
    ours, theirs = set(predicted.conditions), set(gold.conditions)
    if not ours and not theirs:
        return 1.0
    return 2.0 * len(ours & theirs) / (len(ours) + len(theirs))


def _exact(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    return float(normalise_answer(predicted.text) == normalise_answer(gold.text))


def _overlap(predicted: ConditionalAnswer, gold: ConditionalAnswer) -> float:
    return token_f1(predicted.text, gold.text)
