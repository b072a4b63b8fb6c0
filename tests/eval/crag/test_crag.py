"""CRAG's evaluation: question files, verdicts, the judge, runs that go on, rows and figures."""

import bz2
import json
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.engines import engine_options
from clausegraph.app.services.crag_evaluation import (
    CragTrial,
    measure_crag,
)
from clausegraph.app.services.evaluation import trial_model
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, SettingsError
from clausegraph.core.settings import load_settings
from clausegraph.eval.crag.dataset import read_cases
from clausegraph.eval.crag.judge import CragJudge, by_rules
from clausegraph.eval.crag.run import by_group, calls_by_step, crag_figures
from clausegraph.eval.crag.tables import ROWS, row_of
from clausegraph.query.crag.times import parse_time
from clausegraph.query.crag.types import CragSwitches
from tests.harness.fake_model import fake_with
from tests.harness.tables import rows

pytestmark = [pytest.mark.integration, pytest.mark.long]
PAGE = "<html><body><main><h1>Alder</h1><p>The Alder bridge opened in 1931.</p></main></body></html>"


def _case(name: str, query: str, answer: str, **more: Any) -> dict[str, Any]:
    case = {"interaction_id": name, "query_time": "05/14/2031, 10:00:00 PT", "query": query, "answer": answer}
    return case | {"domain": "sports", "question_type": "simple", "static_or_dynamic": "static"} | more


QUESTIONS = [
    _case("a", "how many points did the jazz score on 2031-05-02?", "101"),
    _case("b", "how many points did the suns score on 2031-05-02?", "98", domain="open"),
    _case(
        "c",
        "when did the alder bridge open?",
        "in the year 1931",
        alternative_answers='["1931"]',
        search_results=[{"page_url": "https://alder.example/", "page_name": "Alder", "page_result": PAGE}],
    ),
    _case("d", "who sang at the opening of the bridge?", "Mara Vell", domain="music"),
]


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("questions") / "crag.jsonl.bz2"
    file.write_bytes(bz2.compress("\n".join(map(json.dumps, QUESTIONS)).encode()))
    return file


def _workspace(tmp_path: Path, **settings: Any) -> Workspace:
    return Workspace(load_settings(home=tmp_path / "home", embedding_model="hashing", **settings))


def test_question_files(questions: Path, tmp_path: Path) -> None:
    cases = read_cases(questions)
    assert [case.question.id for case in cases] == ["a", "b", "c", "d"]
    assert cases[2].answers == ("in the year 1931", "1931")
    assert (cases[2].pages[0].name, cases[2].labels["kind"]) == ("Alder", "simple")
    assert cases[0].question.time.isoformat() == "2031-05-14T10:00:00-07:00"
    bare = tmp_path / "bare.jsonl"
    bare.write_text('{"query": "who?", "answer": "she"}\n')
    with pytest.raises(InputError, match=r"line 1 .*--at"):
        read_cases(bare)
    assert read_cases(bare, parse_time("2031-05-14T10:00-07:00"))[0].question.id == "1"


@pytest.mark.parametrize(("answer", "gold", "verdict"), rows(__file__, "an answer, the right one, and the verdict"))
def test_exact_rules(answer: str, gold: str, verdict: str) -> None:
    graded = by_rules(answer, (gold,))
    assert (graded.verdict if graded else "") == verdict


def test_a_run_goes_on_where_it_was_killed(questions: Path, tmp_path: Path) -> None:
    said = {"sub_problems": [], "used": ["r1"], "false_premise": False, "answer": "1931", "answerable": True}
    fake = fake_with(replies="script", script={"Answer the question from": said})
    llm = {"llm": "openai:fake-small", "llm_url": f"{fake.url}/v1", "llm_key": "none"}
    with _workspace(tmp_path, **llm) as workspace:
        trial = CragTrial(task=1, rows=("text-only",))
        records = measure_crag(workspace, questions, trial, tmp_path / "out")["text-only"]
        assert [one.verdict for one in records] == ["missing", "missing", "correct", "missing"]
        figures = crag_figures(records)
        assert (figures.accuracy, figures.hallucination, figures.missing, figures.score) == (0.25, 0.0, 0.75, 0.25)
        assert by_group(records)["domain: music"].score == 0.0
        assert calls_by_step(records) == {"crag-answer": 0.25}
        kept = tmp_path / "out" / "text-only" / "answers.jsonl"
        assert QUESTIONS[0]["query"] not in kept.read_text()  # data of others is not copied
        kept.write_text("".join(f"{line}\n" for line in kept.read_text().splitlines()[:3]))
        again = measure_crag(workspace, questions, trial, tmp_path / "out")["text-only"]
        assert [one.verdict for one in again] == [one.verdict for one in records]
        assert fake.counters()["requests"] == 1  # what was done is not asked again
        with pytest.raises(InputError, match="a run with task 1, this one has 2"):
            trial = CragTrial(task=2, rows=("text-only",))
            with _workspace(tmp_path, crag_graph_url=fake.url, **llm) as other:
                measure_crag(other, questions, trial, tmp_path / "out")
        late = CragTrial(task=1, rows=("text-only",), seconds=1e-9)
        assert {one.verdict for one in measure_crag(workspace, questions, late)["text-only"]} == {"missing"}


def test_what_a_task_needs_is_told_before_anything_is_asked(questions: Path, tmp_path: Path) -> None:
    with _workspace(tmp_path) as workspace, pytest.raises(SettingsError, match="eval crag asks a language model"):
        measure_crag(workspace, questions, CragTrial(task=1))
    llm = {"llm": "openai:fake-small", "llm_url": "http://127.0.0.1:9/v1", "llm_key": "none"}
    with _workspace(tmp_path, **llm) as workspace:
        with pytest.raises(SettingsError, match="CRAG_GRAPH_URL"):
            measure_crag(workspace, questions, CragTrial())
        with pytest.raises(InputError, match="tasks 1, 2 and 3"):
            measure_crag(workspace, questions, CragTrial(task=4))


def test_each_row_is_a_set_of_switches() -> None:
    for row in ROWS.values():
        row.applied(CragSwitches())
    ours = [row_of(f"ustc-{name}").applied(CragSwitches()) for name in ("plain", "self-check", "graph-first")]
    assert [(one.self_check, one.trust) for one in ours] == [
        (False, "together"),
        (True, "together"),
        (True, "kg-first"),
    ]
    with pytest.raises(InputError, match="take one of"):
        row_of("best")


def test_the_judge_is_asked_about_other_wordings_alone(tmp_path: Path) -> None:
    fake = fake_with(replies="script", script=[{"explanation": "same", "score": 1}])
    llm = {"llm": "openai:fake-small", "llm_url": f"{fake.url}/v1", "llm_key": "none"}
    with _workspace(tmp_path, **llm) as workspace, trial_model(workspace.settings, None, record=False) as model:
        judge = CragJudge(engine_options(workspace.settings, model).model)
        said = [judge.grade("when?", ("1931",), answer) for answer in ("1931", "i don't know", "in the year 1931")]
    assert fake.counters()["distinct_prompts"] == 1
    assert [(one.verdict, one.by) for one in said] == [
        ("correct", "rules"),
        ("missing", "rules"),
        ("correct", "judge"),
    ]
