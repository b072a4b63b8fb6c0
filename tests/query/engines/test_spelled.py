"""Misspelt words of a question are read as the corpus writes them, and told; known words and names stay."""

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.indexes.views import View
from clausegraph.query.engines.bank import make_engine
from clausegraph.query.retrieve.spelling import corrected


def test_a_misspelt_word_of_the_corpus_is_read_and_told(sample: View, hashing: HashingEmbedder) -> None:
    typed, right = "How much is a fishing licnece for trout?", "How much is a fishing licence for trout?"
    assert corrected(sample, typed) == (right, (("licnece", "licence"),))
    engine = make_engine(sample, hashing)
    answer, wanted = engine.ask(Inquiry(typed)), engine.ask(Inquiry(right))
    assert (answer.inquiry.question, answer.corrected) == (typed, (("licnece", "licence"),))
    assert (answer.alternatives, answer.quotes) == (wanted.alternatives, wanted.quotes)


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Can my husband cohabit with Zbigniew?", ()),
        ("dont shouldnt cant", ()),
        ("My grantie?", ()),
        ("hi", ()),
        ("What is the capital of France?", ()),
        ("How do I send an aplication?", (("aplication", "application"),)),  # of one stem the nearest as it is written
        ("carer pament how much", (("pament", "payment"),)),  # a letter left out before one put for another
        ("where is my certifcate", (("certifcate", "certificate"),)),  # it begins with the stem
    ],
)
def test_what_is_read_as_another_word(sample: View, question: str, read: tuple[tuple[str, str], ...]) -> None:
    assert corrected(sample, question)[1] == read
