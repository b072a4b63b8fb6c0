"""ConditionalQA: files and what is refused, scores by hand and by brute force, records, figures."""

import json
import math
from dataclasses import astuple
from pathlib import Path
from typing import Any

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import (
    ConditionalAnswer,
    Prediction,
    Question,
    load_questions,
    read_predictions,
    score_answers,
    write_predictions,
)
from clausegraph.eval.conditionalqa.figures import answer_table
from clausegraph.eval.conditionalqa.records import (
    QUESTION_RECORD,
    BudgetFigures,
    QuestionRecord,
    by_budget,
    evidence_at_budgets,
    make_record,
)
from clausegraph.eval.files import read_records, write_records

pytestmark = pytest.mark.long

A = ConditionalAnswer
YES, NO, IF = A("yes"), A("no"), "<p>If you\u2028live here: B&B</p>"


def raw(**changes: Any) -> dict[str, Any]:
    condition = "<p>You must be 18.</p>"
    question = {"id": "q-0", "url": "https://example.org/fees", "scenario": "I am 17.", "question": "Can I apply?"}
    gold = {"not_answerable": False, "answers": [["no", [condition]]], "evidences": [condition]}
    return question | gold | changes


def written(path: Path, records: Any) -> Path:
    path.write_text(json.dumps(records), encoding="utf-8")
    return path


def question(name: str, *answers: A) -> Question:
    return Question(name, "u", "", "?", not answers, answers, ())


def record(gold: list[A], predicted: list[A] | None, error: str | None = None) -> QuestionRecord:
    return make_record(question("q", *gold), predicted, error=error)


# --- files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("records", "message"),
    [
        ([raw(), raw()], r"id 'q-0' occurs more than once .* keep one record"),
        ([raw(not_answerable="no")], r"record 0 .*'q-0'.* not_answerable 'no'"),
        ([raw(answers=[["no", "c"]])], r"record 0 .*'q-0'\), field answers\.0\.1"),
        ([raw(not_answerable=True)], r"'q-0' has not_answerable=True and 1 answers"),
        ([{"id": "t-1"}], r"record 0 .*'t-1'.*Field required.*official train\.json or dev\.json"),
        ([3], r"record 0 \(from 0\)"),
        ({"id": "q-0"}, r"the record.*(array|tuple)"),
    ],
)
def test_a_wrong_question_file_is_refused(tmp_path: Path, records: Any, message: str) -> None:
    path = written(tmp_path / "q.json", records)
    with pytest.raises(InputError, match=message) as caught:
        load_questions(path)
    assert str(caught.value).startswith(str(path))


def test_predictions_survive_a_round_trip(tmp_path: Path) -> None:
    questions = load_questions(written(tmp_path / "q.json", [raw(id=f"q-{number}") for number in range(3)]))
    made = [Prediction("q-0", ()), Prediction("q-2", (A("§ 3", ("<p>c</p>",)), A("no")))]
    path = tmp_path / "new" / "p.json"
    write_predictions(path, made)
    assert json.loads(path.read_text(encoding="utf-8"))[1] == {
        "id": "q-2",
        "answers": [["§ 3", ["<p>c</p>"]], ["no", []]],
    }
    assert list(read_predictions(path, questions).values()) == made
    with pytest.raises(InputError, match="cannot be written"):
        write_predictions(tmp_path / "q.json" / "p.json", made)


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
    with pytest.raises(InputError, match=message):
        read_predictions(written(tmp_path / "p.json", records), [question("q-0", YES)])


def test_the_real_files_load_and_published_predictions_get_the_official_figures(conditionalqa: Path) -> None:
    questions = load_questions(conditionalqa / "dev.json")
    documents = {page["url"]: page for page in json.loads((conditionalqa / "documents.json").read_bytes())}
    assert (len(documents), len(load_questions(conditionalqa / "train.json"))) == (59, 2338)
    assert all(set(q.evidences) <= set(documents[q.url]["contents"]) for q in questions)
    found = read_predictions(conditionalqa / "baselines" / "gpt-4o_text-prompt_4-shot.json", questions)
    groups = answer_table([make_record(q, found[q.id].answers if q.id in found else None) for q in questions])
    expected = {
        "total": (143, 58.53, 42.04),
        "yesno": (73, 78.77, 56.28),
        "extractive": (66, 39.70, 28.84),
        "conditional": (31, 41.50, 10.71),
    }
    for group in ("total", "yesno", "extractive", "conditional"):
        for prefix in ("", "official_"):
            figures = [round(100 * groups[group][f"{prefix}{name}"], 2) for name in ("f1", "f1_with_conditions")]
            assert (groups[group]["questions"], *figures) == expected[group], group


# --- scores -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("predicted", "gold", "scores"),
    [
        ([], [], [1.0] * 4),
        ([YES], [], [0.0] * 4),  # not answerable: right only when nothing is predicted
        ([A("")], [], [0.0] * 4),
        ([A("Yes.", ("c",))], [A("yes", ("c", "d"))], [1.0, 1.0, 2 / 3, 2 / 3]),
        ([], [YES], [0.0] * 4),
        ([A("10 days")], [A("20 days"), A("10 days"), A("5 weeks")], [1 / 3] * 4),
        ([], [A("The")], [1.0] * 4),  # the padding is a real answer: it equals a gold text of articles only
        ([NO, A("yes", ("c",)), A("maybe")], [A("yes", ("c",))], [math.exp(-2)] * 4),
        # Each metric has its own best assignment. Straight, EM's conditions are wrong; crossed, F1 shares "days".
        ([A("10 days", ("d",)), A("20 days", ("c",))], [A("10 days", ("c",)), A("20 days", ("d",))], [1, 1, 0, 1 / 2]),
    ],
)
def test_scores_by_hand(predicted: list[A], gold: list[A], scores: list[float]) -> None:
    assert list(astuple(score_answers(predicted, gold))) == pytest.approx(scores)


# --- evidence at budgets ----------------------------------------------------------------------------


def words(text: str) -> int:
    return len(text.split())


def test_units_are_taken_whole_until_the_first_that_does_not_fit() -> None:
    units = [["<h1>one</h1>", "<p>two three</p>"], ["<p>four five six</p>"], ["<p>seven</p>"]]
    figures = evidence_at_budgets(units, ["<p>two three</p>", "<p>seven</p>"], words, budgets=(2, 3, 5, 6, 7))
    # At 5 the second unit does not fit and the third, which would, is not taken either.
    expected = [(0, 0, 0.0), (3, 1, 0.5), (3, 1, 0.5), (6, 2, 0.5), (7, 3, 1.0)]
    assert [(one.tokens, one.units, one.recall) for one in figures] == expected


def test_repeated_elements_cost_and_count_once() -> None:
    units = [["<p>one two</p>", "<p>one  two</p>"], ["<p>one two</p>"], ["<p>one two</p>", "<p>three</p>"]]
    (figures,) = evidence_at_budgets(units, ["<p>three</p>", "<p>three</p>"], words, budgets=(3,))
    assert figures == BudgetFigures(budget=3, tokens=3, units=3, recall=1.0)
    (nothing,) = evidence_at_budgets([], ["<p>a</p>"], words, budgets=(9,))
    assert (nothing.recall, nothing.tokens) == (0.0, 0)
    (no_evidence,) = evidence_at_budgets([["<p>a</p>"]], [], words, budgets=(9,))
    assert no_evidence.recall is None


# --- records ----------------------------------------------------------------------------------------


def records() -> list[QuestionRecord]:
    found = (BudgetFigures(650, 600, 4, 1.0), BudgetFigures(1300, 1250, 8, None))
    missed = (BudgetFigures(650, 640, 4, 0.0), BudgetFigures(1300, 1250, 8, 0.5))
    return [
        make_record(question("a", A("yes", (IF,))), [YES], retrieval=found, milliseconds=100),
        make_record(question("b", A("10 days")), [A("10 days")], retrieval=missed, milliseconds=300.5),
        make_record(question("c", NO), None, error="ModelError: no reply\nafter 3 attempts"),
        make_record(question("d"), []),
    ]


def test_records_hold_the_scores_and_survive_a_round_trip(tmp_path: Path) -> None:
    yes, days, failed, nothing = made = records()
    assert (yes.kind, yes.conditional, yes.scores.f1, yes.scores.f1_with_conditions) == ("yesno", True, 1.0, 0.0)
    assert days.scores.f1_with_conditions == 1.0
    assert (failed.has_prediction, failed.scores.f1) == (False, 0.0)
    assert (nothing.has_prediction, nothing.scores.f1) == (True, 1.0)
    assert by_budget(made) == {650: {"a": 1.0, "b": 0.0}, 1300: {"b": 0.5}}
    total = answer_table(made)["total"]
    assert (total["questions"], total["predictions"], total["f1"], total["official_f1"]) == (4, 3, 0.75, 1.0)
    write_records(tmp_path / "run" / "r.jsonl", made, QUESTION_RECORD)
    assert read_records(tmp_path / "run" / "r.jsonl", QUESTION_RECORD) == tuple(made)


def test_broken_record_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, records(), QUESTION_RECORD)
    whole = path.read_text(encoding="utf-8")
    for text, problem in (
        (whole[:-20], r"r\.jsonl, line 4: .*JSON.*delete the line and run that question again"),
        (whole + whole.split("\n")[0], r"line 5: id 'a' was recorded before"),
        (whole.replace('"yesno"', '"maybe"'), r"line 1: field kind 'maybe'"),
    ):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(InputError, match=problem):
            read_records(path, QUESTION_RECORD)
    with pytest.raises(InputError, match="cannot be written"):
        write_records(path / "x.jsonl", records(), QUESTION_RECORD)
