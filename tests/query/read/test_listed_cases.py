"""What is told of a condition: one of the cases that it lists, when something happened, and what is not asked again."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest

from clausegraph.app.render import answer_markdown
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, ConditionState
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.word_match import is_named

pytestmark = pytest.mark.unit
READER = ExtractiveReader()
MET, UNMET = ConditionState.MET, ConditionState.UNMET
BERTH = (
    "<p>You must pay back the berth grant if you leave the harbour, unless you left because of storm damage, pregnancy"
    " or a death in the family.</p>"
)


def shown(found: Any, question: str, scenario: str = "") -> tuple[str | None, str]:
    """What is asserted, and all that is printed."""
    inquiry = Inquiry(question, scenario, as_of=date(2026, 11, 22))
    result = READER.read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1, quotes=result.quotes)
    return (result.alternatives[0].text if result.alternatives else None), answer_markdown(answer)


@pytest.mark.parametrize(
    ("scenario", "answer"),
    [
        ("I left because I am pregnant.", "no"),
        ("My uncle died so I left.", "no"),
        ("I left after my holiday.", None),
        ("", "yes"),
    ],
)
def test_one_of_the_cases_of_a_condition_is_enough(page: Callable[..., Any], scenario: str, answer: str | None) -> None:
    text, printed = shown(page(BERTH), "Do I have to pay back the berth grant if I leave the harbour?", scenario)
    assert text == answer
    assert ("You said: you left because of storm damage" in printed) == (answer == "no")


@pytest.mark.parametrize(
    ("text", "told", "named"),
    [
        ("a barge used only for farming, dredging or gritting", "I use it only for dredging.", True),
        ("a barge used only for farming, dredging or gritting", "I use it for trips.", False),
        ("you were in prison or hospital", "I was in hospital.", True),
        ("a red or blue boat", "my oars are blue", False),
    ],
)
def test_what_governs_the_first_of_a_list_governs_the_others(text: str, told: str, *, named: bool) -> None:
    about = "Do I pay the levy on a barge?"
    assert is_named(text, f"{told} {about}", about=about) is named


def test_what_is_required_is_no_condition_of_itself(page: Callable[..., Any]) -> None:
    found = page(
        "<p>You can claim Pilot Pay if all of these apply:</p>",
        "<li>you are aged 16 or over</li>",
        "<li>you spend at least 30 hours a week steering the boat</li>",
    )
    text, printed = shown(found, "How many hours must I steer the boat to claim Pilot Pay?")
    assert text == "at least 30 hours a week" and "open" not in printed
