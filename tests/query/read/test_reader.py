"""Yes, no, not answerable; determinism; no crash on garbage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import AnswerStatus
from clausegraph.query.read.reader import ExtractiveReader
from clausegraph.query.read.types import Candidate
from tests.query.read.conftest import Pages, reading

pytestmark = pytest.mark.unit
READER = ExtractiveReader()


@pytest.mark.parametrize(
    ("element", "question", "scenario", "answer"),
    [
        ("<p>You can claim a refund at any time.</p>", "Can I claim a refund?", "", "yes"),
        ("<p>You cannot claim a refund.</p>", "Can I claim a refund?", "", "no"),
        ("<p>You do not need a licence to fish here.</p>", "Do I need a licence to fish here?", "", "no"),
        ("<p>You must have a licence to fish here.</p>", "Do I need a licence to fish here?", "", "yes"),
    ],
)
def test_polarity(page: Callable[..., Any], element: str, question: str, scenario: str, answer: str) -> None:
    found = page(element)
    result = READER.read(question, scenario, found.candidates(), found)
    assert [a.text for a in result.alternatives] == [answer]
    assert result.alternatives[0].evidence[0].html == element
    assert result.reasons["polarity_because"]


def test_nothing_found_is_not_answerable(page: Callable[..., Any]) -> None:
    result = READER.read("Can I claim?", "", [], page("<p>x</p>"))
    assert (result.status, result.alternatives) == (AnswerStatus.NOT_ANSWERABLE, ())


def test_nothing_about_the_question_is_not_answerable(page: Callable[..., Any]) -> None:
    found = page("<p>Fishing is free on Sundays.</p>")
    question = "Could a hospital surgeon join our hearing by video link?"
    result = READER.read(question, "", found.candidates(similarity=0.1), found)
    assert result.status is AnswerStatus.NOT_ANSWERABLE
    assert result.reasons["status_because"] == "nothing is about it"
    near = READER.read(question, "", found.candidates(similarity=0.8), found)
    assert near.status is AnswerStatus.ANSWERED


def test_equal_input_gives_equal_output(page: Callable[..., Any]) -> None:
    found = page("<p>You can claim if:</p>", "<li>you are 18 or over</li>", "<li>you live here</li>")
    asked = ("What must I be to claim?", "I am 20 years old.", found.candidates(), found)
    assert ExtractiveReader(HashingEmbedder()).read(*asked) == ExtractiveReader(HashingEmbedder()).read(*asked)


_TEXT = st.text(alphabet=st.sampled_from("ab if:|£1-,.?’ unless\u00a0🙂\n"), max_size=60)


@given(question=_TEXT, scenario=_TEXT, texts=st.lists(_TEXT, max_size=4), tag=st.sampled_from(["p", "li", "tr", "h2"]))
def test_garbage_never_fails(question: str, scenario: str, texts: list[str], tag: str) -> None:
    clean = [" ".join(text.split()) for text in texts]
    key, made = reading(
        "page", [f"<p>Lead {i}:</p>" if tag == "li" and not i else f"<{tag}>{t}</{tag}>" for i, t in enumerate(clean)]
    )
    ranked = [Candidate(key, element, 0.5, 0.5) for element in made.elements]
    for kind in ("", "What "):
        result = READER.read(kind + question, scenario, ranked, Pages({key: made}))
        texts_by_anchor = {element.anchor: element.text for element in made.elements}
        for alternative in result.alternatives:
            for evidence in alternative.evidence:
                cited = texts_by_anchor[evidence.span.anchor][evidence.span.start : evidence.span.end]
                assert alternative.text in ("yes", "no", cited)
