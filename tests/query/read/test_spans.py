"""What a reader that always asserts gives: exact spans of the pages, and never a crash."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import AnswerStatus, Chunk, Span
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.questions import QuestionKind, question_form
from clausegraph.query.retrieve.bank import Hit
from tests.harness.tables import rows
from tests.query.read.conftest import ALWAYS, Pages, ask, page, reading

REFUND = "Can I claim a refund?"


@pytest.mark.parametrize(
    ("element", "question", "answer"), rows(__file__, "a line of a page, a question, and the answer")
)
def test_the_answer_is_a_verdict_or_the_minimal_value(element: str, question: str, answer: str) -> None:
    found = page(element)
    result = ALWAYS.read(Inquiry(question), found.hits(), found)
    assert (result.status, [one.text for one in result.alternatives]) == (AnswerStatus.ANSWERED, [answer])
    (evidence,) = result.alternatives[0].evidence
    cited = element[evidence.span.start : evidence.span.end]
    assert evidence.quote in element and cited == (evidence.quote if answer in ("yes", "no") else answer)
    assert result.reasons["kind_because"]


def test_the_row_and_the_column_of_a_value_are_read() -> None:
    rows = ("<tr>Pitch licence | £75 | £890</tr>", "<tr>Mobile licence | £50 | £260</tr>")
    found = page("Fees:", *rows, headers=("Licence", "Application fee", "Yearly fee"))
    for question, answer in (
        ("How much is the yearly fee for a mobile licence?", "£260"),
        ("What is the application fee for a pitch licence?", "£75"),
    ):
        assert ask(found, question, reader=ALWAYS).alternatives[0].text == answer


def test_a_list_gives_several_answers() -> None:
    documents = ("your passport", "a recent bank statement", "proof of your address")
    found = page("To apply you need these documents:", *(f"- {one}" for one in documents))
    ranked = found.hits(*documents, "To apply")
    result = ALWAYS.read(Inquiry("What documents do I need to apply?"), ranked, found)
    assert {a.text for a in result.alternatives} == set(documents)


def test_nothing_about_the_question_is_not_answerable() -> None:
    found, question = page("Fishing is free on Sundays."), "Could a hospital surgeon join our hearing by video link?"
    result = ALWAYS.read(Inquiry(question), found.hits(similarity=0.1), found)
    assert result.status is AnswerStatus.NOT_ANSWERABLE
    assert result.reasons["status_because"] == "nothing is about it"
    assert ALWAYS.read(Inquiry(question), found.hits(similarity=0.8), found).status is AnswerStatus.ANSWERED
    assert ALWAYS.read(Inquiry(question), [], found).status is AnswerStatus.NOT_ANSWERABLE


_TEXT = st.text(alphabet=st.sampled_from("ab if:|£1-,.?’ unless\u00a0🙂\n"), max_size=60)


@given(question=_TEXT, scenario=_TEXT, texts=st.lists(_TEXT, max_size=4), tag=st.sampled_from(["p", "li", "tr", "h2"]))
def test_garbage_never_fails(question: str, scenario: str, texts: list[str], tag: str) -> None:
    clean = [" ".join(text.split()) for text in texts]
    key, made = reading(
        "page", [f"<p>Lead {i}:</p>" if tag == "li" and not i else f"<{tag}>{t}</{tag}>" for i, t in enumerate(clean)]
    )
    ranked = [Hit.of_element(key, element, 0.5, {"element": 0.5}) for element in made.elements]
    for start in ("?", "What "):  # an inquiry with no question at all never gets here
        result = ALWAYS.read(Inquiry(start + question, scenario), ranked, Pages({key: made}))
        texts_by_anchor = {element.anchor: element.text for element in made.elements}
        for alternative in result.alternatives:
            for evidence in alternative.evidence:
                cited = texts_by_anchor[evidence.span.anchor][evidence.span.start : evidence.span.end]
                assert alternative.text in ("yes", "no", cited)


def test_a_chunk_is_read_element_by_element() -> None:
    key, made = reading("page", ["Fishing is free.", "You cannot claim a refund."])
    parts = tuple(Span(element.anchor, 0, len(element.text)) for element in made.elements)
    chunk = Hit.of_chunk(key, Chunk("c", (), parts, "all of it", "hash"), 0.9, {"chunk": 0.8})
    result = ALWAYS.read(Inquiry(REFUND), [chunk], Pages({key: made}))
    assert [a.text for a in result.alternatives] == ["no"]


def test_a_given_rule_of_form_overrules_the_words() -> None:
    found = page("You can claim a refund at any time.")
    told = replace(question_form(REFUND), kind=QuestionKind.SPAN, reason="told")
    result = ExtractiveReader(form=lambda _: told, asserted=0.0).read(Inquiry(REFUND), found.hits(), found)
    assert result.reasons["kind_because"] == "told"
    assert result.alternatives[0].text not in ("yes", "no")
