"""A report is made of a run's folder alone; it is one page, escapes whatever pages say, and shows every figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import lxml.html
import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.records import BudgetFigures, Quote, make_record
from clausegraph.eval.conditionalqa.run import EvaluationResult, write_evaluation
from clausegraph.eval.files import write_records
from clausegraph.eval.passages import PASSAGE_RECORD, PassageRecord
from clausegraph.eval.provenance import CorpusFacts, FileFacts, Program, Provenance, write_run
from clausegraph.eval.report import write_report

pytestmark = [pytest.mark.unit, pytest.mark.long]

A = ConditionalAnswer
Rendered = Callable[..., Path]
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
    baseline="dense",
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
    quotes = [(Quote(f"Page {text}", f"It says {text}"),)]
    answers = (
        make_record(questions[0], [A("yes")], milliseconds=100, quotes=quotes),
        make_record(questions[1], [A(f"ten {text}", (f"<li>{text}</li>",))], milliseconds=300, quotes=quotes),
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


@pytest.fixture(scope="module")
def rendered(tmp_path_factory: pytest.TempPathFactory) -> Rendered:
    """The folder of a benchmark's report with some text everywhere, made once: drawing takes a second or two."""

    @cache
    def make(benchmark: str, text: str = "plain") -> Path:
        folder = tmp_path_factory.mktemp(benchmark)
        {"conditionalqa": _conditionalqa, "passages": _passages}[benchmark](folder, text)
        write_report(folder)
        return folder

    return make


def _page(folder: Path) -> lxml.html.HtmlElement:
    return lxml.html.fromstring((folder / "report.html").read_text(encoding="utf-8"))


def _tables(page: lxml.html.HtmlElement) -> dict[str, list[str]]:
    """First cell of a row → the others, of all tables."""
    rows = [[" ".join(cell.text_content().split()) for cell in row] for row in page.iter("tr")]
    return {row[0]: row[1:] for row in reversed(rows)}


def test_the_page_shows_the_figures_with_their_intervals(rendered: Rendered) -> None:
    rows = _tables(_page(rendered("conditionalqa")))
    assert rows["all"][0] == "5"
    assert rows["all"][2].startswith("48.00 [")  # F1: 1, 0.4, 0, 0, 1
    assert rows["dense"][0] == "25.00 [0.0, 50.0]"
    assert rows["mixed minus dense"][0].startswith("+50.00 [")
    assert rows["all, ClauseGraph minus trivial"][1].startswith("+")
    assert rows["commit"] == ["c0ffee, with uncommitted changes"]
    assert rows["corpus"] == ["pages, epoch 3, 59 pages"]
    assert rows["setting: ask_elements"] == ["60"] and "setting: llm" not in rows
    assert rows["file: questions"] == [f"dev.json, 1,234 bytes, SHA-256 {'ab' * 32}"]


def test_errors_are_listed_with_what_can_be_known_of_them(rendered: Rendered) -> None:
    page = _page(rendered("conditionalqa"))
    cases = {case.find_class("id")[0].text: case for case in page.iter("article")}
    assert list(cases) == ["a", "b", "c", "d"]
    kinds = {name: [kind.text for kind in case.find_class("kind")] for name, case in cases.items()}
    assert kinds == {
        "a": ["wrong conditions"],
        "b": ["inexact span", "wrong conditions", "evidence not within 650", "evidence not within 1,300"],
        "c": ["failed"],
        "d": ["missed abstention"],
    }
    shown = " ".join(cases["b"].text_content().split())
    for words in ("10 days plain", "ten plain", "“It says plain”", "I rent b.", "within 650 tokens: 50.0% of it"):
        assert words in shown
    assert "failed: no reply plain" in cases["c"].text_content()
    picks = {pick.get("id"): pick.getnext().text for pick in page.find_class("pick")}
    assert picks["kind-0"] == "all (4)" and "wrong conditions (2)" in picks.values()
    chosen = next(name for name, text in picks.items() if text == "wrong conditions (2)")
    assert [name for name, case in cases.items() if chosen in case.get("class").split()] == ["a", "b"]
    assert f"#{chosen}:checked ~ .cases > :not(.{chosen})" in page.find(".//style").text


@pytest.mark.parametrize("benchmark", ["conditionalqa", "passages"])
def test_the_page_is_whole_in_itself_and_text_stays_text(rendered: Rendered, benchmark: str) -> None:
    shapes = []
    for text in ("plain", HOSTILE):
        source = (rendered(benchmark, text) / "report.html").read_text(encoding="utf-8")
        page = lxml.html.fromstring(source)
        shapes.append([(e.tag, sorted(e.attrib)) for e in page.iter() if isinstance(e.tag, str)])
        assert "script" not in {tag for tag, _ in shapes[-1]}
        outside = [link for _, _, link, _ in page.iterlinks() if not link.startswith(("data:image/png;base64,", "#"))]
        assert outside == []
        assert "default-src 'none'" in source
    assert " ".join(HOSTILE.split()) in " ".join(page.text_content().split())
    assert shapes[0] == shapes[1]  # hostile text makes no element and no attribute


@pytest.mark.parametrize("benchmark", ["conditionalqa", "passages"])
def test_markdown_has_its_pictures_beside_it_and_no_markup_from_pages(rendered: Rendered, benchmark: str) -> None:
    folder = rendered(benchmark, HOSTILE)
    text = (folder / "report.md").read_text(encoding="utf-8")
    pictures = [line.split("](")[1].removesuffix(")") for line in text.splitlines() if line.startswith("![")]
    assert pictures and all((folder / name).read_bytes().startswith(b"\x89PNG") for name in pictures)
    assert "<" not in text and "](javascript" not in text.replace("\\]", "")
    for table in (part for part in text.split("\n\n") if part.startswith("|")):
        columns = {line.replace("\\|", "").count("|") for line in table.strip().split("\n")}
        assert len(columns) == 1


def test_passages_have_intervals_differences_and_cases(rendered: Rendered) -> None:
    page = _page(rendered("passages"))
    rows = _tables(page)
    assert rows["mixed"] == ["5", "50.00 [0.0, 100.0]", "50.00 [0.0, 100.0]"]
    assert rows["mixed minus dense"][0] == "+0.00 [-50.0, +50.0]"
    (case,) = page.iter("article")
    assert [kind.text for kind in case.find_class("kind")] == ["none found", "not in the corpus", "lost"]
    assert "found by dense" in case.text_content()


def test_unfinished_folders_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"run\.json: cannot be read .* give a folder that `clausegraph eval"):
        write_report(tmp_path)
    _conditionalqa(tmp_path)
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(answers.read_text(encoding="utf-8").splitlines(keepends=True)[:-1]), encoding="utf-8")
    with pytest.raises(InputError, match=r"answers\.jsonl: 4 records are not those of the 5 questions"):
        write_report(tmp_path)
