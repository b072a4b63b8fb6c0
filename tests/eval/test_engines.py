"""An engine measured: records as they come, runs that go on, cassettes that replay to the same figures, floors."""

import json
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.services import evaluation
from clausegraph.app.services.evaluation import EngineTrial, evaluate_conditionalqa, measure_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, ReplyMissing
from clausegraph.core.settings import Settings, load_settings
from clausegraph.eval.conditionalqa.dataset import ConditionalAnswer, Question
from clausegraph.eval.conditionalqa.figures import compared, engine_figures, missed, read_floors
from clausegraph.eval.conditionalqa.records import make_record
from clausegraph.eval.conditionalqa.run import drawn, shots
from clausegraph.eval.files import RECORDS_FILE
from clausegraph.eval.provenance import Program
from clausegraph.ingestion.pipeline import no_progress
from clausegraph.query.engines.prompt import AnswerForm
from clausegraph.query.read.model.guide import Guide
from tests.harness.fake_llm import FakeModelServer
from tests.harness.fake_model import fake_with

pytestmark = [pytest.mark.integration, pytest.mark.long]

PAGE = Path(__file__).parents[2] / "examples" / "corpus" / "appeal-a-decision.html"


def question(name: str, text: str, *answers: ConditionalAnswer, evidence: tuple[str, ...] = ()) -> Question:
    return Question(name, "", "I was refused.", text, not answers, answers, evidence)


QUESTIONS = (
    question("a", "How long do I have to appeal to the Panel?", ConditionalAnswer("42 days")),
    question("b", "Can I appeal to the Panel?", ConditionalAnswer("yes", ("<p>if so</p>",))),
    question("c", "What is the capital of France?"),
)


@pytest.fixture
def fake() -> FakeModelServer:
    return fake_with(replies="script", script={"Answer the question": "42 days"})


@pytest.fixture
def settings(tmp_path: Path, fake: FakeModelServer) -> Settings:
    loaded = load_settings(home=tmp_path / "home", corpus="appeals")
    changes: dict[str, Any] = {"embedding_model": "hashing", "llm_url": fake.url, "llm_cache_mb": 0, "llm_attempts": 1}
    return loaded.model_copy(update=changes | {"extractor": "rules"})


TRIAL = EngineTrial("vector-only", llm="openai:fake-small", oracle_type=True)


def measured(
    settings: Settings, trial: EngineTrial, folder: Path | None = None, questions: tuple[Question, ...] = QUESTIONS
) -> Any:
    with Workspace(settings) as workspace:
        return measure_engine(workspace, PAGE, questions, trial, folder, None, no_progress)


def test_a_run_that_was_killed_goes_on(settings: Settings, fake: FakeModelServer, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    first = measured(settings, TRIAL, folder)
    assert [record.predicted is not None for record in first] == [True, False, True]  # "42 days" is neither yes nor no
    assert first[0].scores.f1 == 1.0
    assert (first[0].calls, first[0].money) == (1, 0.0)
    assert first[1].error is not None and "neither yes nor no" in first[1].error
    asked = fake.counters()["requests"]
    path = folder / RECORDS_FILE
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) - 20])  # killed in the middle of the last line
    (tmp_path / "old").hardlink_to(path)
    again = measured(settings, TRIAL, folder)
    assert (tmp_path / "old").read_bytes() == whole[: len(whole) - 20]  # replaced, never rewritten in place
    assert fake.counters()["requests"] == asked + 2  # the one that failed, and the one that was cut off
    assert [record.predicted for record in again] == [record.predicted for record in first]
    with pytest.raises(InputError, match="a run with shots 0, this one has 4"):
        measured(settings, replace(TRIAL, shots=4), folder)


def test_a_run_goes_on_only_as_it_began(settings: Settings, fake: FakeModelServer, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    examples = tmp_path / "train.json"
    examples.write_text("[]")
    trial = replace(TRIAL, shots_from=examples)
    measured(settings, trial, folder)
    before = (folder / RECORDS_FILE).read_bytes()
    asked = fake.counters()["requests"]
    for change in ({"llm_max_output": 500}, {"llm_budget_tokens": 5_000_000}):
        (name,) = change
        with pytest.raises(InputError, match=f"a run with {name} "):
            measured(settings.model_copy(update=change), trial, folder)
    other = replace(QUESTIONS[2], scenario="I was not.")
    with pytest.raises(InputError, match="a run with questions_hash"):
        measured(settings, trial, folder, (*QUESTIONS[:2], other))
    examples.write_text("[ ]")
    with pytest.raises(InputError, match="a run with shots_from"):
        measured(settings, trial, folder)
    assert (folder / RECORDS_FILE).read_bytes() == before
    assert fake.counters()["requests"] == asked


def test_a_run_goes_on_only_with_the_same_program_and_corpus(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another home has epoch 1, too; a checkout has one version over many commits."""
    folder = tmp_path / "run"
    measured(settings, TRIAL, folder)
    page = tmp_path / "pages" / PAGE.name
    page.parent.mkdir()
    page.write_text(PAGE.read_text("utf-8").replace("42 days", "43 days"), "utf-8")
    elsewhere = settings.model_copy(update={"home": tmp_path / "elsewhere"})
    with Workspace(elsewhere) as workspace, pytest.raises(InputError, match="a run with corpus_hash"):
        measure_engine(workspace, page, QUESTIONS, TRIAL, folder, None, no_progress)
    monkeypatch.setattr(evaluation, "program", lambda version: Program(version, "0" * 40, dirty=False))
    with pytest.raises(InputError, match="a run with commit"):
        measured(settings, TRIAL, folder)


@pytest.mark.parametrize("fault", ["none", "500"])
def test_a_recorded_run_is_replayed_to_the_same_records(
    settings: Settings, fake: FakeModelServer, tmp_path: Path, fault: str
) -> None:
    def told(records: tuple[Any, ...]) -> list[Any]:
        return [(r.id, r.predicted, r.scores, r.calls, r.prompt_tokens, r.model_tokens) for r in records]

    fake.set(fault=fault)
    trial = replace(TRIAL, cassette=tmp_path / "tape.jsonl")
    fresh = measured(settings, replace(trial, record=True))
    assert all(record.error for record in fresh) is (fault == "500")
    fake.set(fault="hang")
    replayed = measured(settings, trial)
    assert told(replayed) == told(fresh)
    if fault == "500":
        assert all("failed when cassette" in (one.error or "") for one in replayed)
    else:
        with pytest.raises(ReplyMissing, match="no reply to this call of answer-span"):
            measured(settings, replace(trial, engine="kg-only"))


@pytest.mark.parametrize(("engine", "prompt"), [("loop", None), ("single-pass", "read-direct")])
def test_a_guide_that_was_learned_from_a_measured_question_is_refused_before_any_call(
    settings: Settings, fake: FakeModelServer, tmp_path: Path, engine: str, prompt: str | None
) -> None:
    guide = tmp_path / "guide.json"
    guide.write_text(json.dumps(asdict(Guide("mine", "Be short.", saw={QUESTIONS[2].id: "0"}))), "utf-8")
    learned = settings.model_copy(update={"reader_guide": guide})
    with pytest.raises(InputError, match="guide 'mine' was learned from question 'c'"):
        measured(learned, EngineTrial(engine, llm="openai:fake-small", prompt=prompt))
    assert fake.counters()["requests"] == 0


def test_what_goes_together_is_asked_together(settings: Settings) -> None:
    for trial, problem in (
        (replace(TRIAL, record=True), "--record needs --cassette"),
        (replace(TRIAL, shots=4), "--shots needs --shots-from"),
        (EngineTrial("loop", oracle_type=True), "has no prompt for each kind"),
        (EngineTrial("plain-rag", oracle_type=True), "has no prompt for each kind"),
        (EngineTrial("plain-rag", shots=4), "has no prompt with examples"),
        (EngineTrial("loop", shots=4), "has no prompt with examples; leave out --shots"),
        (replace(TRIAL, prompt="read-direct"), "has prompts of its own; leave out --prompt"),
        (replace(TRIAL, steps=(("validate", "oracle"),)), "has no such steps; leave out --step"),
        (EngineTrial("single-pass", rounds=2), "has no rounds; leave out --rounds"),
        (replace(TRIAL, engine="hybgrag", retriever="hybrid"), "chooses for itself .*; leave out --retriever"),
    ):
        with pytest.raises(InputError, match=problem):
            measured(settings, trial)


MISSPELT = question("m", "Can I apeal to the Panel?", ConditionalAnswer("42 days"))


def test_the_oracle_knows_a_question_whose_spelling_was_corrected(settings: Settings) -> None:
    """The gold kind of an engine with prompts, and of the extractive reader: the words ask for yes or no."""
    (record,) = measured(settings, TRIAL, questions=(MISSPELT,))
    assert (record.error, record.scores.f1) == (None, 1.0)
    with Workspace(settings) as workspace:
        (told,) = evaluate_conditionalqa(workspace, PAGE, (MISSPELT,), oracle_type=True).answers
    assert told.predicted is not None
    assert not {answer.text for answer in told.predicted} & {"yes", "no"}


def test_examples_are_never_among_the_questions_asked() -> None:
    training = [question(f"t{n}", f"Why {n}?", ConditionalAnswer(f"x{n}"), evidence=("<p>p</p>",)) for n in range(6)]
    made = shots(training, QUESTIONS, 4)
    assert list(made) == [AnswerForm.SPAN]
    assert [f"x{n}" in made[AnswerForm.SPAN] for n in range(6)] == [True] * 4 + [False] * 2
    for given in (QUESTIONS[0], replace(QUESTIONS[0], id="other")):  # by id and by text
        with pytest.raises(InputError, match="is asked and given as an example"):
            shots([given], QUESTIONS)


def test_a_sample_is_the_same_for_a_seed() -> None:
    assert drawn(QUESTIONS, 2, 7) == drawn(QUESTIONS, 2, 7)
    assert len(drawn(QUESTIONS, 2, 7)) == 2
    with pytest.raises(InputError, match="a sample of 4 cannot be drawn from 3"):
        drawn(QUESTIONS, 4, 0)


def test_floors_and_what_is_missed(tmp_path: Path) -> None:
    right = make_record(QUESTIONS[0], QUESTIONS[0].answers)
    wrong = make_record(QUESTIONS[1], (ConditionalAnswer("no"),))
    records = [replace(right, calls=2), replace(wrong, calls=4)]
    figures = engine_figures(records)
    assert (figures.f1, figures.yes_no, figures.span, figures.calls) == (50.0, 0.0, 100.0, 3)
    failed = make_record(QUESTIONS[2], None, error="no reply")
    both = engine_figures([*records, failed, failed, failed])
    assert (both.failed, both.calls, both.most_calls) == (3, 3, 4)  # what failed does not pull costs down
    assert missed(engine_figures([failed]), {"calls": 0}) == ["calls is nan, pinned is at most 0"]
    path = tmp_path / "floors.toml"
    path.write_text("[floors]\nquestions = 2\nf1 = 50\ncalls = 3\nmost_calls = 4\n")
    assert missed(figures, read_floors(path)) == []
    path.write_text("[floors]\nquestions = 3\nf1 = 50.1\ncalls = 2\n")
    assert missed(figures, read_floors(path)) == [
        "questions is 2.00, pinned is exactly 3",
        "f1 is 50.00, pinned is at least 50.1",
        "calls is 3.00, pinned is at most 2",
    ]
    for text, problem in (
        ("f1 = 3", "no table"),
        ("[floors]\nbleu = 3", "bleu = 3 is no floor"),
        ("[", "cannot be read"),
    ):
        path.write_text(text)
        with pytest.raises(InputError, match=problem):
            read_floors(path)


def test_two_runs_are_compared_question_by_question() -> None:
    wrong = [make_record(one, (ConditionalAnswer("no"),)) for one in QUESTIONS]
    right = [make_record(one, one.answers) for one in QUESTIONS]
    found = compared(wrong, right)["f1"]
    assert (found.mean, found.low > 0, found.excludes_zero) == (1.0, True, True)
    with pytest.raises(InputError, match="cannot pair"):
        compared(wrong, right[:2])
