"""What the last message of a conversation asks, and what goes with it from those before."""

import pytest

from clausegraph.core.language.follow_up import question_in_context

FIRST = "Could she get the grant? My mother is 84. She rents."
ASKED, TOLD = "Could she get the grant?", "My mother is 84. She rents."


@pytest.mark.parametrize(
    ("messages", "question", "scenario"),
    [
        ([FIRST], FIRST, ""),
        ([FIRST, "And if she pays her own fees?"], ASKED, f"{TOLD} she pays her own fees."),
        ([FIRST, "If she moves out?"], ASKED, f"{TOLD} she moves out."),
        ([FIRST, "what if she moves out"], ASKED, f"{TOLD} she moves out."),
        ([FIRST, "She lives in Dunwater."], ASKED, f"{TOLD} She lives in Dunwater."),
        ([FIRST, "And if she moves out?", "and if she dies?"], ASKED, f"{TOLD} she moves out. she dies."),
        ([FIRST, "and how much is it?"], "and how much is it?", f"{TOLD} {ASKED}"),
        ([FIRST, "What does a visa cost?"], "What does a visa cost?", TOLD),
        ([FIRST, "If I am 70, can I get it?"], "If I am 70, can I get it?", TOLD),
        (["I am 70.", "I rent."], "I rent.", "I am 70."),  # nothing was asked yet
        (["can I get it", "and if I rent?"], "can I get it", "I rent."),
        (["And if it rains?"], "And if it rains?", ""),
        (["?", "…"], "?", "…"),
    ],
)
def test_a_conversation_is_one_question(messages: list[str], question: str, scenario: str) -> None:
    assert question_in_context(messages, 10_000) == (question, scenario)


def test_what_was_told_first_is_left_out_beyond_the_limit() -> None:
    assert question_in_context(["I am 70. I rent.", "Can I get it?"], 21) == ("Can I get it?", "I rent.")
    assert question_in_context(["x" * 50], 20) == ("x" * 50, "")
