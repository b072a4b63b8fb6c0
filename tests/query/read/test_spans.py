"""Candidate spans are exact parts of the text, and the minimal one wins."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.spans import span_candidates

pytestmark = pytest.mark.unit
READER = ExtractiveReader(asserted=0.0)


@given(st.text(max_size=200))
def test_spans_are_within_the_text(text: str) -> None:
    for span in span_candidates(text):
        assert 0 <= span.start <= span.end <= len(text)


def test_spans_do_not_cross_the_cells_of_a_row() -> None:
    row = "Trout, up to 2 rods | £6.80 | £14.20 | £35"
    texts = {row[s.start : s.end] for s in span_candidates(row)}
    assert {"£6.80", "£14.20", "£35"} <= texts
    assert not any("|" in text for text in texts)


@pytest.mark.parametrize(
    ("element", "question", "answer"),
    [
        ("<p>A certified copy costs £20 each if you apply by post.</p>", "How much does a certified copy cost?", "£20"),
        ("<p>It takes 6 weeks to issue a collective passport.</p>", "How long does it take to issue one?", "6 weeks"),
        ("<p>You must pay by 31 January.</p>", "When do I have to pay?", "31 January"),
    ],
)
def test_minimal_value(page: Callable[..., Any], element: str, question: str, answer: str) -> None:
    found = page(element)
    result = READER.read(Inquiry(question), found.hits(), found)
    assert result.status is AnswerStatus.ANSWERED
    assert answer in result.alternatives[0].text
    assert len(result.alternatives[0].text) <= len(answer) + 8


def test_an_answer_is_quoted_exactly(page: Callable[..., Any]) -> None:
    found = page("<p>Send it to us. You must tell the council within 21 days of moving.</p>")
    alternative = READER.read(Inquiry("How soon must I tell the council?"), found.hits(), found).alternatives[0]
    evidence = alternative.evidence[0]
    text = found.reading(evidence.page).elements[0].text
    assert text[evidence.span.start : evidence.span.end] == alternative.text
    assert evidence.quote == "You must tell the council within 21 days of moving."


def test_a_list_gives_several_answers(page: Callable[..., Any]) -> None:
    found = page(
        "<p>To apply you need these documents:</p>",
        "<li>your passport</li>",
        "<li>a recent bank statement</li>",
        "<li>proof of your address</li>",
    )
    ranked = found.hits("your passport", "a recent", "proof of", "To apply")
    result = READER.read(Inquiry("What documents do I need to apply?"), ranked, found)
    assert {a.text for a in result.alternatives} == {
        "your passport",
        "a recent bank statement",
        "proof of your address",
    }
    assert result.reasons["alternatives_because"] == "items of one list"
