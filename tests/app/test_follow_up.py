"""What follows an answer: another question of the same person, and the same question after its pages changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.app.services.ask import answer
from clausegraph.app.services.follow_up import ask_again_now, conversation, follow_up
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.core.types import ConditionState
from tests.harness.home import filled, run

PAGE = """<title>Grant</title><main><h1>Heating grant</h1>
<p>You can get the grant if you are over {age} and live in Lethmoor.</p><p>The grant is £{money} a year.</p></main>"""
ASKED = Inquiry("Can I get the heating grant?", "I live in Lethmoor.")


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "grant.html").write_text(PAGE.format(age=60, money=100), "utf-8")
    return filled(tmp_path / "home", tmp_path / "pages")


def asked(settings: Settings, **supposed: ConditionState) -> AskedQuestion:
    with Workspace(settings) as workspace:
        found = answer(workspace, "default", ASKED)
    return AskedQuestion("1", "me", "default", ASKED, None).answered(found)


@pytest.mark.parametrize(
    ("said", "question", "told"),
    [
        ("And if I am 70?", ASKED.question, "I am 70."),
        ("what if I don't live here", ASKED.question, "I don't live here."),
        ("and for my partner?", f"{ASKED.question} and for my partner?", ""),
        ("What about a lodger?", f"{ASKED.question} What about a lodger?", ""),
        ("How much is it?", "How much is it?", ""),
        ("If I am 70, how much is it?", "If I am 70, how much is it?", ""),
        ("and if I work can I still get it?", f"{ASKED.question} and if I work can I still get it?", ""),
    ],
)
def test_what_is_said_after_an_answer(said: str, question: str, told: str) -> None:
    found = follow_up(AskedQuestion("1", "me", "default", ASKED, None), said)
    assert found == Inquiry(question, "\n".join(filter(None, (ASKED.scenario, told))))


@pytest.mark.parametrize(
    ("said", "question", "told"),
    [
        ((), "Could she get it?", ""),
        (("And if she pays her own fees?",), "Could she get it?", "\nShe pays her own fees."),
        (("She pays them. And how much is it?",), "Could she get it? And how much is it?", "\nShe pays them."),
        (("She pays them.", "I rent."), "Could she get it?", "\nShe pays them.\nI rent."),
        (("how much is it",), "how much is it", ""),
    ],
)
def test_a_conversation_is_one_question(said: tuple[str, ...], question: str, told: str) -> None:
    found = conversation(["Could she get it? My mother is 84.", *said])
    assert found == Inquiry(question, f"My mother is 84.{told}")
    assert conversation(["I am 70.", "I rent."]) == Inquiry("I rent.", "I am 70.")
    assert conversation(["I am 70.", "Can I get it?"]) == Inquiry("Can I get it?", "I am 70.")


def test_what_was_settled_goes_on_until_it_is_told_otherwise(settings: Settings) -> None:
    before = asked(settings)
    (over, *_) = [words for words in before.conditions() if "over 60" in words]
    settled = AskedQuestion("1", "me", "default", ASKED, None, {over: ConditionState.MET}, before.answer)
    kept = follow_up(settled, "How much is it?")
    assert kept.scenario.startswith(ASKED.scenario) and "over 60? Yes." in kept.scenario
    again = follow_up(settled, "And if I am not over 60?")
    assert again.scenario == f"{ASKED.scenario}\nI am not over 60."


def test_the_same_question_now_tells_what_changed_on_its_pages(settings: Settings, tmp_path: Path) -> None:
    before = asked(settings)
    with Workspace(settings) as workspace:
        same, _ = ask_again_now(workspace, before)
        assert (same.differences, same.rules, same.since, same.epoch) == ([], [], 1, 1)
    (tmp_path / "pages" / "grant.html").write_text(PAGE.format(age=66, money=100), "utf-8")
    (tmp_path / "pages" / "other.html").write_text("<h1>Bins</h1><p>The fee for a bin is £5.</p>", "utf-8")
    run(settings, tmp_path / "pages")
    with Workspace(settings) as workspace:
        found, now = ask_again_now(workspace, before)
    assert (found.since, found.epoch, now.epoch) == (1, 2, 2)
    assert any("60" in one.old and "66" in one.new for one in found.differences)
    assert [(one.kind, one.page, [each.what for each in one.differences]) for one in found.rules] == [
        ("changed", "pages:grant.html", ["value"])
    ]
