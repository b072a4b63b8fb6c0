"""Records survive the disk; tables are computed from them alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.records import (
    PASSAGE_RECORD,
    QUESTION_RECORD,
    PassageRecord,
    QuestionRecord,
    Quote,
    make_record,
    read_records,
    write_records,
)
from clausegraph.eval.retrieval import BudgetFigures
from clausegraph.eval.tables import answer_table, cost_table, retrieval_table

pytestmark = pytest.mark.unit

A = ConditionalAnswer
_CONDITION = "<p>If you\u2028live here: B&B</p>"


def _question(name: str, *answers: ConditionalAnswer) -> Question:
    return Question(name, "u", "", "?", not answers, answers, ())


def _records() -> list[QuestionRecord]:
    found = (BudgetFigures(650, 600, 4, 1.0), BudgetFigures(1300, 1250, 8, 1.0))
    missed = (BudgetFigures(650, 640, 4, 0.0), BudgetFigures(1300, 1250, 8, 0.5))
    return [
        make_record(
            _question("a", A("yes", (_CONDITION,))), [A("yes")], retrieval=found, milliseconds=100, model_tokens=50
        ),
        make_record(_question("b", A("10 days")), [A("10 days")], retrieval=missed, milliseconds=300.5),
        make_record(_question("c", A("no")), None, error="ModelError: no reply\nafter 3 attempts"),
        make_record(_question("d"), []),
    ]


def test_a_record_holds_the_scores() -> None:
    yes, days, failed, nothing = _records()
    assert (yes.kind, yes.conditional, yes.scores.f1, yes.scores.f1_with_conditions) == ("yesno", True, 1.0, 0.0)
    assert days.scores.f1_with_conditions == 1.0
    assert (failed.has_prediction, failed.scores.f1) == (False, 0.0)
    assert (nothing.has_prediction, nothing.scores.f1) == (True, 1.0)
    with pytest.raises(InputError, match=r"'q' has 0 answers and the error 'x'; give predicted=None"):
        make_record(_question("q"), [], error="x")


def test_records_survive_a_round_trip(tmp_path: Path) -> None:
    quoted = make_record(_question("q", A("yes")), [A("yes")], quotes=[(Quote("Grant", "You\u2028can."),)])
    records = [*_records(), quoted]
    write_records(tmp_path / "run" / "r.jsonl", records, QUESTION_RECORD)
    assert read_records(tmp_path / "run" / "r.jsonl", QUESTION_RECORD) == tuple(records)
    passage = PassageRecord("0", "?", ("A", "B"), (False, True), {"x": (True, False)}, {"x": ("A",)}, {"x": 1.5})
    write_records(tmp_path / "p.jsonl", [passage], PASSAGE_RECORD)
    assert read_records(tmp_path / "p.jsonl", PASSAGE_RECORD) == (passage,)
    assert passage.recall("x") == 0.5


def test_a_record_without_quotes_is_read(tmp_path: Path) -> None:
    line = (
        '{"id":"a","kind":"yesno","conditional":false,"gold":[["yes",[]]],"predicted":[["yes",[]]],'
        '"scores":{"em":1.0,"f1":1.0,"em_with_conditions":1.0,"f1_with_conditions":1.0}}'
    )
    (tmp_path / "r.jsonl").write_text(line, encoding="utf-8")
    assert read_records(tmp_path / "r.jsonl", QUESTION_RECORD) == (make_record(_question("a", A("yes")), [A("yes")]),)


def test_broken_record_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, _records(), QUESTION_RECORD)
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[:-20], encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.jsonl, line 4: .*JSON.*delete the line and run that question again"):
        read_records(path, QUESTION_RECORD)
    path.write_text(whole + whole.split("\n")[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"line 5: id 'a' was recorded before"):
        read_records(path, QUESTION_RECORD)
    path.write_text(whole.replace('"yesno"', '"maybe"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: field kind 'maybe'"):
        read_records(path, QUESTION_RECORD)
    with pytest.raises(InputError, match="cannot be written"):
        write_records(path / "x.jsonl", _records(), QUESTION_RECORD)


def test_the_tables_by_hand() -> None:
    answers = answer_table(_records())
    total = answers.loc["total"]
    assert (total["questions"], total["predictions"]) == (4, 3)
    assert (total["f1"], total["official_f1"]) == (0.75, 1.0)
    assert total["f1_with_conditions"] == 0.5
    assert answers["f1"]["yesno"] == 0.5
    assert math.isnan(answer_table([])["f1"]["total"])

    retrieval = retrieval_table(_records())
    assert list(retrieval.index) == [650, 1300]
    assert list(retrieval["recall"]) == [0.5, 0.75]
    assert list(retrieval["complete"]) == [0.5, 0.5]
    assert retrieval_table([]).empty

    costs = cost_table(_records())
    assert costs["median"]["milliseconds"] == 200.25
    assert (costs["questions"]["model_tokens"], costs["sum"]["model_tokens"]) == (1, 50)
