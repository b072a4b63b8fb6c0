"""What is searched for: cut without losing the question itself."""

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.tokens import count_tokens
from clausegraph.query.retrieve.nearest import WINDOW, parts


def test_a_short_one_is_one_text_with_the_scenario_first() -> None:
    assert parts(Inquiry("Can I  apply?", " I own a\nboat. ")) == ["I own a boat. Can I apply?"]


def test_a_long_scenario_is_cut_and_the_question_is_in_every_part() -> None:
    scenario = " ".join(f"word{n}" for n in range(400))
    cut = parts(Inquiry("Can I apply for it?", scenario))
    assert len(cut) > 1
    assert all(part.endswith("Can I apply for it?") for part in cut)
    assert " ".join(part.removesuffix(" Can I apply for it?") for part in cut) == scenario
    assert all(count_tokens(part) <= WINDOW for part in cut)


def test_a_long_question_is_cut_whole() -> None:
    question = " ".join(f"word{n}" for n in range(400))
    cut = parts(Inquiry(question, "I own a boat."))
    assert " ".join(cut) == f"I own a boat. {question}"
    assert all(count_tokens(part) <= WINDOW for part in cut)
