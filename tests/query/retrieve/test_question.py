"""Questions: refused when empty or too long, cut without losing the question itself."""

from __future__ import annotations

import numpy as np
import pytest

from clausegraph.core.errors import QuestionError
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.tokens import count_tokens
from clausegraph.query.retrieve.question import MAX_CHARACTERS, WINDOW, Inquiry


@pytest.mark.parametrize("question", ["", "  \n\t"])
def test_an_empty_question_is_refused(question: str) -> None:
    with pytest.raises(QuestionError, match="empty"):
        Inquiry(question, "I own a boat.")


def test_an_over_long_question_is_refused_with_the_limit() -> None:
    assert Inquiry("x" * 10, "y" * (MAX_CHARACTERS - 10)).text
    with pytest.raises(QuestionError, match="10,000"):
        Inquiry("x" * 11, "y" * (MAX_CHARACTERS - 10))


def test_a_short_one_is_one_text_with_the_scenario_first() -> None:
    assert Inquiry("Can I  apply?", " I own a\nboat. ").parts() == ["I own a boat. Can I apply?"]


def test_a_long_scenario_is_cut_and_the_question_is_in_every_part() -> None:
    scenario = " ".join(f"word{n}" for n in range(400))
    parts = Inquiry("Can I apply for it?", scenario).parts()
    assert len(parts) > 1
    assert all(part.endswith("Can I apply for it?") for part in parts)
    assert " ".join(part.removesuffix(" Can I apply for it?") for part in parts) == scenario
    assert all(count_tokens(part) <= WINDOW for part in parts)


def test_a_long_question_is_cut_whole() -> None:
    question = " ".join(f"word{n}" for n in range(400))
    parts = Inquiry(question, "I own a boat.").parts()
    assert " ".join(parts) == f"I own a boat. {question}"
    assert all(count_tokens(part) <= WINDOW for part in parts)


def test_the_vector_of_many_parts_has_length_one() -> None:
    embedder = HashingEmbedder(64)
    vector = Inquiry("Can I apply?", "I own a boat and a stall. " * 100).embed(embedder)
    assert vector.shape == (64,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)
