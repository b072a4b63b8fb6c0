"""A report is made of a run's folder alone, escapes whatever pages say, and shows every figure."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.records import BudgetFigures, make_record
from clausegraph.eval.conditionalqa.run import EvaluationResult, write_evaluation
from clausegraph.eval.files import write_records
from clausegraph.eval.passages import PASSAGE_RECORD, PassageRecord
from clausegraph.eval.provenance import CorpusFacts, FileFacts, Program, Provenance, write_run
from clausegraph.eval.report import write_report

pytestmark = pytest.mark.long

A = ConditionalAnswer
HOSTILE = (
    "</title></style><script>alert(1)</script><img src=x onerror=alert(1)>\"' onmouseover='alert(1)' "
    "{{ 7*7 }} {% raw %} [x](javascript:alert(1)) | ![y](http://x.example/y.png) \u2028 end"
)
RUN = Provenance(
    benchmark="conditionalqa",
    program=Program("1.2.3", "c0ffee", dirty=True),
    date="2026-01-02 03:04",
    seconds=61.4,
    files=(FileFacts("questions", "dev.json", 1234, "ab" * 32),),
    corpus=CorpusFacts("pages", 3, 59, "minilm@1", ("rules@7",), "cd" * 32),
    settings={"ask_elements": 60, "llm": None, "oracle_type": False},
    retrievers=("dense", "mixed"),
    system="mixed",
)


def _question(name: str, *answers: ConditionalAnswer, evidence: tuple[str, ...] = ()) -> Question:
    return Question(
        name, f"https://x.example/{name}", f"I rent {name}.", f"May I {name}?", not answers, answers, evidence
    )


def _conditionalqa(folder: Path, text: str = "plain") -> None:
    condition = f"<p>If {text}</p>"
    questions = (
        _question("a", A("yes", (condition,)), evidence=(condition,)),
        _question("b", A(f"10 days {text}"), evidence=("<p>x</p>",)),
        replace(_question("c", A("no")), question=f"Why {text}?", scenario=f"Because {text}"),
        _question("d"),
        _question("e", A("yes")),
    )
    answers = (
        make_record(questions[0], [A("yes")], milliseconds=100),
        make_record(questions[1], [A(f"ten {text}", (f"<li>{text}</li>",))], milliseconds=300),
        make_record(questions[2], None, error=f"no reply {text}"),
        make_record(questions[3], [A("no")]),
        make_record(questions[4], [A("yes")]),
    )
    trivial = tuple(make_record(question, [A("yes")]) for question in questions)
    recalls = {"dense": (0.0, 0.5), "mixed": (1.0, 0.5)}
    retrieval = {
        name: tuple(
            make_record(question, None, retrieval=[BudgetFigures(650, 9, 1, recall), BudgetFigures(1300, 9, 1, recall)])
            for question, recall in zip(questions, (*found, None, None, None), strict=True)
        )
        for name, found in recalls.items()
    }
    write_evaluation(folder, EvaluationResult(answers, trivial, retrieval), questions)
    write_run(folder, RUN)


def _passages(folder: Path, text: str = "plain") -> None:
    records = [
        PassageRecord(
            id=str(number),
            question=f"Who {text}?",
            supporting=(f"First {text}", "Second"),
            missing=(False, number == 1),
            found={"dense": (True, False), "mixed": (number == 0, number == 0)},
            best={"dense": (f"First {text}",), "mixed": ("Other", f"First {text}")},
            milliseconds={"dense": 3.0, "mixed": 5.0},
        )
        for number in range(2)
    ]
    write_records(folder / "passages.jsonl", records, PASSAGE_RECORD)
    write_run(folder, replace(RUN, benchmark="passages"))


def _lines(folder: Path) -> dict[str, list[str]]:
    """First cell of a row → the others, of all tables of the report."""
    write_report(folder)
    text = (folder / "report.md").read_text(encoding="utf-8")
    rows = [line.strip("| ").replace("\\", "").split(" | ") for line in text.splitlines() if line.startswith("|")]
    return {row[0]: row[1:] for row in reversed(rows)}


def test_the_report_shows_figures_with_their_intervals_and_what_went_wrong(tmp_path: Path) -> None:
    _conditionalqa(tmp_path)
    rows = _lines(tmp_path)
    assert rows["total"][1].startswith("48.00 [")  # F1: 1, 0.4, 0, 0, 1
    assert rows["dense"][0] == "25.00 [0.0, 50.0]"
    assert rows["mixed minus dense"][0].startswith("+50.00 [")
    assert rows["ClauseGraph minus trivial reader"][1].startswith("+")
    assert rows["commit"] == ["c0ffee, with uncommitted changes"]
    assert rows["corpus"] == ["pages, epoch 3, 59 pages"]
    assert rows["setting: ask_elements"] == ["60"]
    assert rows["file: questions"] == [f"dev.json, 1,234 bytes, SHA-256 {'ab' * 32}"]
    wrong = {name: cells for name, cells in rows.items() if name in "abcde"}
    assert list(wrong) == ["d", "c", "b", "a"]  # e is right
    assert wrong["b"][1:] == ["10 days plain", "ten plain, if plain"]
    assert [wrong[name][-1] for name in "acd"] == ["yes", "failed: no reply plain", "no"]


def test_passages_have_intervals_differences_and_cases(tmp_path: Path) -> None:
    _passages(tmp_path)
    rows = _lines(tmp_path)
    assert [cell.partition(" ")[0] for cell in rows["mixed"]] == ["50.00", "50.00"]
    assert rows["mixed minus dense"][0].startswith("+0.00 ")
    assert "First plain: found by dense" in rows["question 1"][1]


@pytest.mark.parametrize("write", [_conditionalqa, _passages])
def test_hostile_text_makes_no_markup(tmp_path: Path, write: Callable[[Path, str], None]) -> None:
    write(tmp_path, HOSTILE)
    write_report(tmp_path)
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "<" not in text and "](javascript" not in text.replace("\\]", "")
    for table in (part for part in text.split("\n\n") if part.startswith("|")):
        columns = {line.replace("\\|", "").count("|") for line in table.strip().split("\n")}
        assert len(columns) == 1


def test_unfinished_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\.json: cannot be read .* give a folder that `clausegraph eval"):
        write_report(tmp_path)
    _conditionalqa(tmp_path)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(answers.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match=r"answers\.jsonl: 4 records are not those of the 5 questions"):
        write_report(tmp_path)
