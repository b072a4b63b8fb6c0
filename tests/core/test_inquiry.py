"""Inquiries: refused when empty, too long or malformed; engines refuse what they cannot use."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any

import pytest

from clausegraph.core.errors import QuestionError
from clausegraph.core.inquiry import MAX_CHARACTERS, Inquiry

pytestmark = pytest.mark.unit


@pytest.mark.parametrize("question", ["", "  \n\t"])
def test_an_empty_question_is_refused(question: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        Inquiry(question, "I own a boat.")


def test_an_over_long_question_is_refused_with_the_limit() -> None:
    assert Inquiry("x" * 10, "y" * (MAX_CHARACTERS - 10)).text
    with pytest.raises(QuestionError, match="10,000"):
        Inquiry("x" * 11, "y" * (MAX_CHARACTERS - 10))
    with pytest.raises(QuestionError, match="10,000"):
        Inquiry("x", assumptions=("y" * MAX_CHARACTERS,))


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        ({"as_of": "2026-01-01"}, "no date"),
        ({"as_of": datetime(2026, 1, 1, 12)}, "no date"),
        ({"assumptions": "I rent."}, "no tuple"),
        ({"assumptions": ("I rent.", " ")}, "no tuple"),
    ],
)
def test_a_malformed_inquiry_is_refused(wrong: dict[str, Any], problem: str) -> None:
    with pytest.raises(QuestionError, match=problem):
        Inquiry("Can I?", **wrong)


def test_what_an_engine_cannot_use_is_refused_by_name() -> None:
    Inquiry("Can I?", "I rent.").require_plain("plain")
    with pytest.raises(QuestionError, match=r"'plain' cannot use as_of and assumptions"):
        Inquiry("Can I?", as_of=date(2026, 1, 1), assumptions=("I rent.",)).require_plain("plain")
