"""What follows an answer: another question of the same person, and the same question after its pages changed."""

from __future__ import annotations

from pathlib import Path

import pytest

from clausegraph.app.services import statements
from clausegraph.app.services.ask import answer
from clausegraph.app.services.entities import run_apply
from clausegraph.app.services.explore import find_facts
from clausegraph.app.services.follow_up import ask_again_now, conversation, follow_up
from clausegraph.app.services.kept import AskedQuestion
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.settings import Settings
from clausegraph.core.types import AnswerStatus, ConditionState
from tests.harness.home import filled, run

PAGE = """<title>Grant</title><main><h1>Heating grant</h1>
<p>You can get the grant if you are over {age} and live in Lethmoor.</p><p>The grant is £{money} a year.</p></main>"""
OLD = "it is an old price"
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


@pytest.mark.parametrize("way", ["edit", "hide"])
def test_an_answer_that_a_contradiction_blocked_is_given_once_a_side_is_edited_or_hidden(
    tmp_path: Path, way: str
) -> None:
    """And what did it is told; what unblocks nothing is told as the same answer."""
    folder = tmp_path / "pages"
    folder.mkdir()
    page = "<title>{0}</title><main><h1>{0}</h1><p>The Blue Permit costs £{1} a year.</p></main>"
    for name, money in (("Permits", 20), ("Prices", 40)):
        (folder / f"{name}.html").write_text(page.format(name, money), "utf-8")
    settings = filled(tmp_path / "home", folder)
    question = Inquiry("How much is the Blue Permit?")
    with Workspace(settings) as workspace:
        blocked = answer(workspace, "default", question)
        assert (blocked.status, len(blocked.contradictions)) == (AnswerStatus.QUOTED, 1)
        before = AskedQuestion("1", "me", "default", question, None).answered(blocked)
        if way == "hide":
            (wrong,) = [
                one for one in find_facts(workspace, "default", name="blue permit")["facts"] if "20" in one.object
            ]
            statements.hide(workspace, "default", wrong.id, OLD, "ann")
            assert ask_again_now(workspace, before)[0].differences == []  # until the next publish
            run_apply(workspace, "default")
    if way == "edit":
        (folder / "Permits.html").write_text(page.format("Permits", 40), "utf-8")
        run(settings, folder)
    with Workspace(settings) as workspace:
        found, now = ask_again_now(workspace, before)
    assert now.contradictions == () and "£40" in now.alternatives[0].text
    assert ("quoted", "answered") in [(one.old, one.new) for one in found.differences if one.what == "status"]
    told = [(one.page, one.differences[0].new) for one in found.rules], [one.reason for one in found.hidden]
    assert told == (([("pages:Permits.html", "£40 a year")], []) if way == "edit" else ([], [OLD]))
