"""``train guide``: worded by the model, tested on questions held back, kept only where it helps, and marked by them."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.services.train import Trained, train_guide
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError, UnusableReply
from clausegraph.core.settings import Settings
from clausegraph.query.read.model.guide import Guide, read_guide
from tests.harness.fake_llm import FakeModelServer, FakeOptions

pytestmark = pytest.mark.integration

PAGES, HELD = 30, 4
TEXT = "Conditions. " + "Say what is open and nothing more. " * 10


def answered(text: str) -> dict[str, Any]:
    return {"answers": [{"text": text, "element": "e1", "evidence": ["e1"], "if": None}]}


@pytest.fixture(scope="module")
def server() -> Iterator[FakeModelServer]:
    with FakeModelServer(FakeOptions(replies="script", script=["{}"])) as running:
        yield running


@pytest.fixture
def questions(tmp_path: Path) -> Path:
    rows = [
        {
            "id": f"q{page}-{kind}", "url": f"/page-{page}", "scenario": "I rent.", "question": f"Can I get {page}?",
            "not_answerable": False, "answers": [["yes", []]], "evidences": [f"<p>You can get {page}.</p>"],
        }
        for page in range(PAGES) for kind in "ab"
    ]  # fmt: skip
    path = tmp_path / "questions.json"
    path.write_text(json.dumps(rows), "utf-8")
    return path


def train(server: FakeModelServer, tmp_path: Path, questions: Path, *replies: object, **changes: Any) -> Trained:
    server.reset()
    server.set(script=list(replies))
    changes = {"home": tmp_path / "home", "llm": "openai:fake", "llm_url": server.url, "llm_key": "x"} | changes
    settings = Settings(llm_cache_mb=0, **changes)
    with Workspace(settings) as workspace:
        return train_guide(workspace, questions, tmp_path / "mine.json", held=HELD)


def test_a_guide_that_helps_is_kept_with_what_it_saw(server: FakeModelServer, tmp_path: Path, questions: Path) -> None:
    made = train(server, tmp_path, questions, {"guide": TEXT}, *[answered("no")] * HELD, *[answered("yes")] * HELD)
    assert (made.before, made.after, made.helps, made.calls) == (0.0, 1.0, True, 1 + 2 * HELD)
    kept = read_guide(tmp_path / "mine.json")
    assert (kept.name, kept.text, kept.made_by) == ("mine", TEXT.strip(), "openai:fake")
    assert kept.rates["verdicts"] == kept.rates["verdicts_yes"] == 1.0
    assert kept.held_back == {"questions": HELD, "before": 0.0, "after": 1.0, "low": 1.0, "high": 1.0}
    assert len(kept.saw) == 2 * (PAGES - HELD) + HELD  # of a page held back only the question of the test was seen
    with pytest.raises(InputError, match="was learned from question"):
        kept.check_unseen([("dev-9", f"can I get {next(iter(kept.saw))[1:].split('-')[0]}?", "i rent.")])


def test_a_guide_that_does_not_help_is_not_kept(server: FakeModelServer, tmp_path: Path, questions: Path) -> None:
    made = train(server, tmp_path, questions, {"guide": TEXT}, answered("yes"))
    assert (made.before, made.after, made.helps) == (1.0, 1.0, False)
    assert not (tmp_path / "mine.json").exists()


def test_a_gain_that_may_be_chance_is_not_kept(server: FakeModelServer, tmp_path: Path, questions: Path) -> None:
    right, wrong = answered("yes"), answered("no")
    made = train(server, tmp_path, questions, {"guide": TEXT}, *[wrong] * HELD, right, *[wrong] * (HELD - 1))
    assert (made.before, made.after) == (0.0, 1 / HELD)
    assert made.change.low == 0.0 < made.change.high
    assert not made.helps and not (tmp_path / "mine.json").exists()


def test_a_guide_in_use_that_has_seen_those_held_back_is_no_measure(
    server: FakeModelServer, tmp_path: Path, questions: Path
) -> None:
    rows = json.loads(questions.read_text("utf-8"))
    guide = tmp_path / "old.json"
    guide.write_text(Guide("old", TEXT, saw={row["id"]: "0" for row in rows}).as_json(), "utf-8")
    with pytest.raises(InputError, match="guide 'old' was learned from question"):
        train(server, tmp_path, questions, {"guide": TEXT}, reader_guide=guide)
    assert server.counters()["requests"] == 0


@pytest.mark.parametrize(("said", "why"), [("no", "no JSON"), ({"guide": "short"}, "any length")])
def test_a_reply_without_a_guide_ends_it(
    server: FakeModelServer, tmp_path: Path, questions: Path, said: object, why: str
) -> None:
    with pytest.raises(UnusableReply, match=why):
        train(server, tmp_path, questions, said)
    with pytest.raises(UnusableReply, match="901 words"):
        train(server, tmp_path, questions, {"guide": "word " * 901})


def test_what_cannot_be_learned_from_is_told_before_any_call(
    server: FakeModelServer, tmp_path: Path, questions: Path
) -> None:
    few = json.loads(questions.read_text("utf-8"))[:5]
    questions.write_text(json.dumps(few), "utf-8")
    with pytest.raises(InputError, match="has 5 questions; a guide needs at least 20"):
        train(server, tmp_path, questions, {"guide": TEXT})
    (tmp_path / "mine.json").write_text("kept", "utf-8")
    with pytest.raises(InputError, match="is there already"):
        train(server, tmp_path, questions, {"guide": TEXT})
    assert server.counters()["requests"] == 0
