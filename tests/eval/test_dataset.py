"""Loading questions, documents and predictions: the official format, and what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, load_questions
from clausegraph.eval.conditionalqa.predictions import Prediction, read_predictions, write_predictions

pytestmark = pytest.mark.unit


def _question(**changes: Any) -> dict[str, Any]:
    question = {
        "id": "q-0",
        "url": "https://example.org/fees",
        "scenario": "I am 17.",
        "question": "Can I apply?",
        "not_answerable": False,
        "answers": [["no", ["<p>You must be 18.</p>"]]],
        "evidences": ["<p>You must be 18.</p>"],
    }
    return question | changes


def _write(path: Path, records: Any) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def test_a_question_is_read_as_the_file_has_it(tmp_path: Path) -> None:
    (question,) = load_questions(_write(tmp_path / "q.json", [_question(extra=1)]))
    assert question.answers == (ConditionalAnswer("no", ("<p>You must be 18.</p>",)),)
    assert question.evidences == ("<p>You must be 18.</p>",)
    assert (question.kind, question.conditional) == ("yesno", True)


@pytest.mark.parametrize(
    ("answers", "kind", "conditional"),
    [
        ([], "not_answerable", False),
        ([["yes", []]], "yesno", False),
        ([["£20", []], ["no", ["<p>c</p>"]]], "yesno", True),
        ([["Yes", []]], "extractive", False),
        ([["10 days", []]], "extractive", False),
    ],
)
def test_kind_follows_the_exact_gold_texts(tmp_path: Path, answers: list[Any], kind: str, conditional: bool) -> None:
    record = _question(answers=answers, not_answerable=not answers)
    (question,) = load_questions(_write(tmp_path / "q.json", [record]))
    assert (question.kind, question.conditional) == (kind, conditional)


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([_question(), _question()], r"id 'q-0' occurs more than once .* keep one record"),
        ([_question(not_answerable="no")], r"record 0 .*'q-0'.* not_answerable 'no'"),
        ([_question(answers=[["no", "c"]])], r"record 0 .*'q-0'\), field answers\.0\.1"),
        ([_question(not_answerable=True)], r"'q-0' has not_answerable=True and 1 answers"),
        ([_question(answers=[])], r"'q-0' has not_answerable=False and 0 answers"),
        ([{"id": "t-1"}], r"record 0 .*'t-1'.*Field required.*official train\.json or dev\.json"),
        ([3], r"record 0 \(from 0\)"),
        ({"id": "q-0"}, r"the record.*(array|tuple)"),
    ],
)
def test_a_wrong_question_file_is_refused(tmp_path: Path, records: Any, message: str) -> None:
    path = _write(tmp_path / "q.json", records)
    with pytest.raises(InputError, match=message) as caught:
        load_questions(path)
    assert str(caught.value).startswith(str(path))


def test_what_is_no_json_file_is_refused(tmp_path: Path) -> None:
    broken = tmp_path / "q.json"
    broken.write_text("[{", encoding="utf-8")
    with pytest.raises(InputError, match=r"q\.json.*JSON"):
        load_questions(broken)
    broken.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        load_questions(broken)
    with pytest.raises(InputError, match="cannot be read"):
        load_questions(tmp_path / "absent.json")


def test_predictions_survive_a_round_trip_in_question_order(tmp_path: Path) -> None:
    records = [_question(id=f"q-{number}") for number in range(3)]
    questions = load_questions(_write(tmp_path / "q.json", records))
    predictions = {
        "q-2": Prediction("q-2", (ConditionalAnswer("§ 3", ("<p>c</p>",)), ConditionalAnswer("no"))),
        "q-0": Prediction("q-0", ()),
    }
    path = tmp_path / "new" / "p.json"
    write_predictions(path, predictions, questions)
    assert json.loads(path.read_text(encoding="utf-8")) == [
        {"id": "q-0", "answers": []},
        {"id": "q-2", "answers": [["§ 3", ["<p>c</p>"]], ["no", []]]},
    ]
    assert read_predictions(path, questions) == predictions


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([{"id": "q-0", "answers": []}] * 2, "'q-0' is predicted twice; keep one"),
        ([{"id": "x", "answers": []}], "'x' is none of the 1 questions; remove it"),
        ([{"id": "q-0", "answers": ["yes"]}], r"record 0 .*'q-0'\), field answers\.0 'yes'"),
        ([{"id": "q-0"}], r"field answers: Field required; write \["),
    ],
)
def test_wrong_predictions_are_refused(tmp_path: Path, records: Any, message: str) -> None:
    questions = load_questions(_write(tmp_path / "q.json", [_question()]))
    with pytest.raises(InputError, match=message):
        read_predictions(_write(tmp_path / "p.json", records), questions)


def test_writing_refuses_unknown_ids_and_impossible_places(tmp_path: Path) -> None:
    questions = load_questions(_write(tmp_path / "q.json", [_question()]))
    with pytest.raises(InputError, match="'x' is none of"):
        write_predictions(tmp_path / "p.json", {"x": Prediction("x", ())}, questions)
    with pytest.raises(InputError, match="cannot be written"):
        write_predictions(tmp_path / "q.json" / "p.json", {}, questions)
