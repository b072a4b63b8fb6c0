"""What is searched for: cut without losing the question itself."""

from __future__ import annotations

import numpy as np
import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.tokens import count_tokens
from clausegraph.query.retrieve.nearest import WINDOW, embed, parts


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


def test_the_vector_of_many_parts_has_length_one() -> None:
    embedder = HashingEmbedder(64)
    vector = embed(Inquiry("Can I apply?", "I own a boat and a stall. " * 100), embedder)
    assert vector.shape == (64,)
    assert vector.dtype == np.float32
    assert np.linalg.norm(vector) == pytest.approx(1.0, abs=1e-6)
