"""Records survive the disk; tables, report and plots are computed from them alone."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.plots import plot_f1_by_kind, plot_recall_by_budget
from clausegraph.eval.records import QuestionRecord, append_record, make_record, read_records, write_records
from clausegraph.eval.report import answer_table, cost_table, markdown_report, retrieval_table, write_report
from clausegraph.eval.retrieval import BudgetFigures

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


def test_records_survive_a_round_trip_written_or_appended(tmp_path: Path) -> None:
    records = _records()
    write_records(tmp_path / "run" / "written.jsonl", records)
    for record in records:
        append_record(tmp_path / "new" / "appended.jsonl", record)
    assert read_records(tmp_path / "run" / "written.jsonl") == tuple(records)
    assert read_records(tmp_path / "new" / "appended.jsonl") == tuple(records)


def test_broken_record_files_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "r.jsonl"
    write_records(path, _records())
    whole = path.read_text(encoding="utf-8")
    path.write_text(whole[:-20], encoding="utf-8")
    with pytest.raises(InputError, match=r"r\.jsonl, line 4: .*JSON.*delete the line and run that question again"):
        read_records(path)
    path.write_text(whole + whole.split("\n")[0], encoding="utf-8")
    with pytest.raises(InputError, match=r"line 5: id 'a' was recorded before"):
        read_records(path)
    path.write_text(whole.replace('"yesno"', '"maybe"'), encoding="utf-8")
    with pytest.raises(InputError, match=r"line 1: field kind 'maybe'"):
        read_records(path)
    with pytest.raises(InputError, match="cannot be written"):
        append_record(path / "x.jsonl", _records()[0])


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


def test_the_report_shows_every_section_and_failure(tmp_path: Path) -> None:
    write_report(tmp_path / "new" / "r.md", _records(), title="Run 7", notes=["model: scripted"])
    text = (tmp_path / "new" / "r.md").read_text(encoding="utf-8")
    assert text.startswith("# Run 7\n\n- model: scripted\n\n## Answers\n")
    assert "| total | 4 | 3 | 75.00 | 75.00 | 50.00 | 50.00 | 100.00 |" in text
    assert "| 650 | 2 | 50.00 | 50.00 |" in text
    assert "| milliseconds | 2 | 200 | 290 | 400 |" in text
    assert "## Failures (1)\n\n- `c`: ModelError: no reply after 3 attempts\n" in text


def test_sections_without_data_are_left_out() -> None:
    only_retrieval = make_record(_question("a", A("x")), None, retrieval=[BudgetFigures(650, 1, 1, 1.0)])
    text = markdown_report([only_retrieval], title="T")
    assert "## Retrieval" in text
    for section in ("## Answers", "## Time", "## Failures"):
        assert section not in text
    assert "| extractive | 0 | 0 | - |" in markdown_report([_records()[0]], title="T")


def test_plots_are_png_files_and_leave_the_backend_alone(tmp_path: Path) -> None:
    runs = {"one": _records(), "two": _records()[:2]}
    plot_f1_by_kind(runs, tmp_path / "new" / "f1.png")
    plot_recall_by_budget(runs, tmp_path / "recall.png")
    for path in (tmp_path / "new" / "f1.png", tmp_path / "recall.png"):
        assert path.read_bytes().startswith(b"\x89PNG")


def test_nothing_to_plot(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"the runs \['one'\] have no records"):
        plot_f1_by_kind({"one": []}, tmp_path / "f1.png")
    with pytest.raises(InputError, match=r"none of the runs .* has retrieval figures"):
        plot_recall_by_budget({"one": _records()[2:]}, tmp_path / "recall.png")
    with pytest.raises(InputError, match="cannot be written"):
        plot_f1_by_kind({"one": _records()}, tmp_path)
