"""Misspelt words of a question are read as the corpus writes them, and told; known words and names stay."""

from __future__ import annotations

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.retrieve.spelling import corrected

pytestmark = pytest.mark.unit


def test_a_misspelt_word_of_the_corpus_is_read_and_told(sample: View, hashing: HashingEmbedder) -> None:
    typed, right = "How much is a fishing licnece for trout?", "How much is a fishing licence for trout?"
    assert corrected(sample, typed) == (right, (("licnece", "licence"),))
    engine = make_engine(sample, hashing)
    answer, wanted = engine.ask(Inquiry(typed)), engine.ask(Inquiry(right))
    assert (answer.inquiry.question, answer.corrected) == (typed, (("licnece", "licence"),))
    assert (answer.alternatives, answer.quotes) == (wanted.alternatives, wanted.quotes)


@pytest.mark.parametrize(
    "question",
    [
        "Can my husband cohabit with Zbigniew?",
        "dont shouldnt cant",
        "My grantie?",
        "hi",
        "What is the capital of France?",
    ],
)
def test_what_is_no_misspelling_stays(sample: View, question: str) -> None:
    assert corrected(sample, question) == (question, ())


def test_of_words_with_one_stem_the_nearest_as_it_is_written_is_read(sample: View) -> None:
    assert corrected(sample, "How do I send an aplication?")[1] == (("aplication", "application"),)
    assert corrected(sample, "How do I send my aplications?")[1][0][1].lower().startswith("application")


def test_a_letter_left_out_comes_before_one_put_for_another(sample: View) -> None:
    assert corrected(sample, "carer pament how much")[1] == (("pament", "payment"),)
    assert corrected(sample, "where is my certifcate")[1] == (("certifcate", "certificate"),)  # it begins with the stem
