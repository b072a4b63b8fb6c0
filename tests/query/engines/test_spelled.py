"""Misspelt words of a question are read as the corpus writes them, and told; known words and names stay."""

from __future__ import annotations

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.retrieve.spelling import corrected
from tests.query.engines.conftest import World

pytestmark = pytest.mark.unit


def test_a_misspelt_word_of_the_corpus_is_read_and_told(world: World, view: View) -> None:
    typed, right = "Who can get the heatign graant?", "Who can get the heatign grant?"
    text, words = corrected(view, typed)
    assert text.endswith("grant?") and ("graant", "grant") in words
    answer = make_engine(view, world.embedder).ask(Inquiry(typed))
    assert answer.inquiry.question == typed and ("graant", "grant") in answer.corrected
    assert answer.alternatives == make_engine(view, world.embedder).ask(Inquiry(right)).alternatives


@pytest.mark.parametrize("question", ["Can my husband cohabit with Zbigniew?", "hi", "What is the capital of France?"])
def test_what_is_no_misspelling_stays(view: View, question: str) -> None:
    assert corrected(view, question) == (question, ())
