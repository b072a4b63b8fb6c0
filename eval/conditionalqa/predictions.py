"""Predictions in the official format: a list of ``{"id", "answers": [[text, [condition, ...]]]}``."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from pydantic import TypeAdapter

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.json_files import read_json_list, write_text


@dataclass(frozen=True)
class Prediction:
    """The answers to one question. No answers at all means "not answerable".

    A question that failed has no Prediction: an empty one would be a claim about the page.
    """

    id: str
    answers: tuple[ConditionalAnswer, ...]


_PREDICTIONS = TypeAdapter(tuple[Prediction, ...])


def read_predictions(path: Path, questions: Iterable[Question]) -> dict[str, Prediction]:
    """Read a prediction file, by question id in the file's order; not every question needs one.

    Raises:
        InputError: unreadable file, a record of another form, a repeated or unknown id.
    """
    predictions = read_json_list(path, _PREDICTIONS, advice='write [{"id": ..., "answers": [[text, [conditions]]]}]')
    return check_predictions(predictions, questions, where=str(path))


def check_predictions(
    predictions: Iterable[Prediction], questions: Iterable[Question], *, where: str
) -> dict[str, Prediction]:
    """Return the predictions by id; ``where`` starts the messages.

    Raises:
        InputError: an id occurs twice or belongs to no question.
    """
    known = {question.id for question in questions}
    by_id: dict[str, Prediction] = {}
    for prediction in predictions:
        if prediction.id in by_id:
            raise InputError(f"{where}: id {prediction.id!r} is predicted twice; keep one")
        if prediction.id not in known:
            raise InputError(
                f"{where}: id {prediction.id!r} is none of the {len(known)} questions; "
                "remove it or score against the question file it belongs to"
            )
        by_id[prediction.id] = prediction
    return by_id


def write_predictions(path: Path, predictions: Mapping[str, Prediction], questions: Iterable[Question]) -> None:
    """Write predictions for the official scorer, in the order of ``questions``.

    Raises:
        InputError: a prediction belongs to no question, or the file cannot be written.
    """
    questions = tuple(questions)
    checked = check_predictions(predictions.values(), questions, where=str(path))
    rows = [
        {"id": q.id, "answers": [[a.text, list(a.conditions)] for a in checked[q.id].answers]}
        for q in questions
        if q.id in checked
    ]
    write_text(path, json.dumps(rows, ensure_ascii=False, indent=1) + "\n")
