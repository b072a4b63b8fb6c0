"""Yes, no, not answerable; determinism; no crash on garbage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.models.embedding import HashingEmbedder
from clausegraph.core.types import AnswerStatus, Chunk, Span
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.questions import QuestionKind, question_form
from clausegraph.query.read.statements import candidates
from tests.query.read.conftest import Pages, reading

pytestmark = pytest.mark.unit
READER = ExtractiveReader(asserted=0.0)


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
    result = READER.read(Inquiry(question, scenario), found.hits(), found)
    assert [a.text for a in result.alternatives] == [answer]
    assert result.alternatives[0].evidence[0].html == element
    assert result.reasons["kind_because"]


def test_nothing_found_is_not_answerable(page: Callable[..., Any]) -> None:
    result = READER.read(Inquiry("Can I claim?"), [], page("<p>x</p>"))
    assert (result.status, result.alternatives) == (AnswerStatus.NOT_ANSWERABLE, ())


def test_nothing_about_the_question_is_not_answerable(page: Callable[..., Any]) -> None:
    found = page("<p>Fishing is free on Sundays.</p>")
    question = "Could a hospital surgeon join our hearing by video link?"
    result = READER.read(Inquiry(question), found.hits(similarity=0.1), found)
    assert result.status is AnswerStatus.NOT_ANSWERABLE
    assert result.reasons["status_because"] == "nothing is about it"
    near = READER.read(Inquiry(question), found.hits(similarity=0.8), found)
    assert near.status is AnswerStatus.ANSWERED


def test_equal_input_gives_equal_output(page: Callable[..., Any]) -> None:
    found = page("<p>You can claim if:</p>", "<li>you are 18 or over</li>", "<li>you live here</li>")
    asked = (Inquiry("What must I be to claim?", "I am 20 years old."), found.hits(), found)
    assert ExtractiveReader(HashingEmbedder()).read(*asked) == ExtractiveReader(HashingEmbedder()).read(*asked)


_TEXT = st.text(alphabet=st.sampled_from("ab if:|£1-,.?’ unless\u00a0🙂\n"), max_size=60)


@given(question=_TEXT, scenario=_TEXT, texts=st.lists(_TEXT, max_size=4), tag=st.sampled_from(["p", "li", "tr", "h2"]))
def test_garbage_never_fails(question: str, scenario: str, texts: list[str], tag: str) -> None:
    clean = [" ".join(text.split()) for text in texts]
    key, made = reading(
        "page", [f"<p>Lead {i}:</p>" if tag == "li" and not i else f"<{tag}>{t}</{tag}>" for i, t in enumerate(clean)]
    )
    ranked = [Hit.of_element(key, element, 0.5, {"element": 0.5}) for element in made.elements]
    for start in ("?", "What "):  # an inquiry with no question at all never gets here
        result = READER.read(Inquiry(start + question, scenario), ranked, Pages({key: made}))
        texts_by_anchor = {element.anchor: element.text for element in made.elements}
        for alternative in result.alternatives:
            for evidence in alternative.evidence:
                cited = texts_by_anchor[evidence.span.anchor][evidence.span.start : evidence.span.end]
                assert alternative.text in ("yes", "no", cited)


def test_a_chunk_is_read_element_by_element_each_once() -> None:
    key, made = reading("page", ["<p>Fishing is free.</p>", "<p>You cannot claim a refund.</p>"])
    parts = tuple(Span(element.anchor, 0, len(element.text)) for element in made.elements)
    chunk = Hit.of_chunk(key, Chunk("c", (), parts, "all of it", "hash"), 0.9, {"chunk": 0.8})
    again = Hit.of_element(key, made.elements[1], 0.2, {"element": 0.1})
    found = candidates([chunk, again], {key: made}.__getitem__)
    assert [(c.element, c.score, c.similarity) for c in found] == [(element, 0.9, 0.8) for element in made.elements]
    result = READER.read(Inquiry("Can I claim a refund?"), [chunk], Pages({key: made}))
    assert [a.text for a in result.alternatives] == ["no"]


def test_a_given_rule_of_form_overrules_the_words(page: Callable[..., Any]) -> None:
    found = page("<p>You can claim a refund at any time.</p>")
    inquiry = Inquiry("Can I claim a refund?")
    told = replace(question_form(inquiry.question), kind=QuestionKind.SPAN, reason="told")
    result = ExtractiveReader(form=lambda _: told, asserted=0.0).read(inquiry, found.hits(), found)
    assert result.reasons["kind_because"] == "told"
    assert result.alternatives[0].text not in ("yes", "no")
