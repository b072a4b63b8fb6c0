"""The verdict follows from the rule and its tree; assumptions change it without reading again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.presentation.wording import open_questions
from clausegraph.core.types import Answer, AnswerStatus, ConditionState, Element, PageKey, Reading, holds, leaves
from clausegraph.query.read.assume import assumed
from clausegraph.query.read.extractive import ExtractiveReader
from clausegraph.query.read.figures import compare
from tests.query.read.conftest import Pages, reading

pytestmark = pytest.mark.unit
READER = ExtractiveReader(asserted=0.0)
MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
GRANT = (
    "<p>You can get the heating grant if all of these apply:</p>",
    "<li>you were born on or before 30 September 1961</li>",
    "<li>you live in Lethmoor</li>",
)
CARE = "<p>You cannot get the heating grant if you live in a care home, unless you pay all of your own fees.</p>"
ASKED = "Can I get the heating grant?"


def answered(found: Pages, question: str, scenario: str) -> Any:
    result = READER.read(Inquiry(question, scenario), found.hits(), found)
    return result.alternatives[0]


def test_an_unmet_requirement_refutes(page: Callable[..., Any]) -> None:
    found = page(*GRANT, updated="2026-03-03")
    assert answered(found, ASKED, "I was born in 1972 and live in Lethmoor.").text == "no"
    assert answered(found, ASKED, "I am 50 years old.").text == "no"
    older = answered(found, ASKED, "I am 84 years old and live in Lethmoor.")
    assert (older.text, holds(older.condition)) == ("yes", MET)


def test_who_meets_the_exception_of_a_no_is_not_excluded(page: Callable[..., Any]) -> None:
    found = page(CARE)
    home = "My mother lives in a care home."
    assert answered(found, "Can she get the heating grant?", home).text == "no"
    paying = answered(found, "Can she get the heating grant?", f"{home} She pays all of her own fees.")
    assert paying.text == "not excluded" and holds(paying.condition) is not UNMET


_SAID = ("I live in a care home.", "I pay all of my own fees.", "I do not live in a care home.", "I am 84 years old.")
_MORE = ("I was born in 1972.", "I live in Lethmoor.", "I do not live in Lethmoor.", "I am 17.", "I like fishing.")
_PAGES = ((*GRANT, CARE), (CARE,), GRANT, ("<p>You must be 18 or over to get the heating grant.</p>", CARE))


@given(said=st.lists(st.sampled_from((*_SAID, *_MORE)), max_size=5), lines=st.sampled_from(_PAGES))
def test_no_verdict_is_refuted_by_its_own_tree(said: list[str], lines: tuple[str, ...]) -> None:
    key, made = reading("page", lines, "2026-03-03")
    pages = Pages({key: made})
    alternative = answered(pages, ASKED, " ".join(said))
    assert holds(alternative.condition) is not UNMET
    if holds(alternative.condition) is MET:
        assert alternative.open_conditions == ()


def test_a_value_whose_own_condition_is_not_met_is_not_asserted(page: Callable[..., Any]) -> None:
    found = page("<p>The heating grant is £210 if you are under 65.</p>", updated="2026-03-03")
    sure = ExtractiveReader(asserted=0.01)
    young = sure.read(Inquiry("How much is the heating grant?", "I am 40."), found.hits(), found)
    old = sure.read(Inquiry("How much is the heating grant?", "I am 70."), found.hits(), found)
    assert (young.status, old.status) == (AnswerStatus.ANSWERED, AnswerStatus.QUOTED)
    assert old.quotes


def test_an_assumption_is_evaluated_without_reading_again(page: Callable[..., Any]) -> None:
    found = page(CARE)
    inquiry = Inquiry("Can she get the heating grant?", "My mother lives in a care home.")
    result = READER.read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1)
    paying = assumed(answer, {"pay all of your own fees": MET}).alternatives[0]
    assert paying.text == "not excluded" and holds(paying.condition) is MET
    poor = assumed(answer, {"pay all of your own fees": UNMET}).alternatives[0]
    assert poor.text == "no" and holds(poor.condition) is MET
    with pytest.raises(
        InputError, match="no condition of the answer has the words 'rent'; its conditions are 'you live"
    ):
        assumed(answer, {"rent": MET})
    with pytest.raises(InputError, match="2 conditions of the answer have"):
        assumed(answer, {"you": MET})


def test_a_value_whose_condition_is_assumed_away_is_quoted(page: Callable[..., Any]) -> None:
    found = page("<p>The heating grant is £210 if you live alone.</p>")
    inquiry = Inquiry("How much is the heating grant?")
    result = READER.read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1)
    gone = assumed(answer, {"you live alone": UNMET})
    assert (gone.status, gone.alternatives) == (AnswerStatus.QUOTED, ())
    assert gone.quotes[0].quote == "The heating grant is £210 if you live alone."


def test_below_the_threshold_the_page_is_quoted_in_its_context(page: Callable[..., Any]) -> None:
    found = page(*GRANT)
    unsure = ExtractiveReader(asserted=1.01).read(Inquiry(ASKED, "I rent."), found.hits("you live"), found)
    assert (unsure.status, unsure.alternatives) == (AnswerStatus.QUOTED, ())
    (quote,) = unsure.quotes
    assert (quote.lead_in, quote.quote) == (
        "You can get the heating grant if all of these apply:",
        "you live in Lethmoor",
    )
    assert quote.items == ("you were born on or before 30 September 1961",)
    (lead,) = ExtractiveReader(asserted=1.01).read(Inquiry(ASKED), found.hits("You can"), found).quotes
    assert lead.items == ("you were born on or before 30 September 1961", "you live in Lethmoor")


def test_a_row_is_quoted_with_the_other_rows_of_its_table() -> None:
    headers = ("Licence", "1 day")
    rows = [Element(f"r{i}", "tr", "", text, ("Fees",), headers=headers) for i, text in enumerate(("A | £1", "B | £2"))]
    other = Element("r9", "tr", "", "C | £3", ("Fines",), headers=headers)
    key = PageKey("test", "page")
    pages = Pages({key: Reading("Licences", None, (*rows, other))})
    unsure = ExtractiveReader(asserted=1.01).read(Inquiry("How much is licence B?"), pages.hits("B", "A"), pages)
    (quote,) = unsure.quotes
    assert (quote.lead_in, quote.quote, quote.items) == ("Licence | 1 day", "B | £2", ("A | £1",))


@pytest.mark.parametrize(
    ("condition", "told", "within"),
    [
        ("you are 18 or over", "I am 20", True),
        ("you are at least 17", "can I apply, I'm 16", False),
        ("your turnover is over £85,000", "My turnover was £92,000", True),
        ("your income is £85,000 or less", "I earn 92k a year", False),
        ("you have less than £1,000 of savings", "I have debts of £75,000", None),
        ("you were born on or before 30 September 1961", "I was born in 1972", False),
        ("you were born on or before 30 September 1961", "My mother is 84", True),
        ("you were born on or before 30 September 1961", "I am 64", None),
        ("you have a child under 11", "I am 40 and my son is 7", True),
        ("you have worked there for at least 26 weeks", "I have worked there for three years.", True),
        ("you have been a resident for at least 3 years", "I have been a resident since 2019", True),
        ("you are aged 66 or over on 1 October", "I am 60.", False),
        ("you are aged 16 to 24", "I was born on 4 March 2001", True),
        ("you are 18 or over", "I was born on 3 March 2008", True),
        ("you have worked there for at least 1 month", "I have worked there since 2029", None),
        ("it is more than £300", "My yearly fee is £260.", False),
    ],
)
def test_figures_of_scenario_and_page_are_compared(condition: str, told: str, within: bool | None) -> None:
    found = compare(condition, told, date(2026, 3, 3))
    assert (None if found is None else found.holds) is within


def test_the_row_and_the_column_of_a_value_are_read(page: Callable[..., Any]) -> None:
    found = page("<p>Fees:</p>", "<tr>Pitch licence | £75 | £890</tr>", "<tr>Mobile licence | £50 | £260</tr>")
    key, made = next(iter(found.readings.items()))
    headers = ("Licence", "Application fee", "Yearly fee")
    elements = tuple(replace(e, headers=headers) if e.tag == "tr" else e for e in made.elements)
    found.readings[key] = replace(made, elements=elements)
    assert answered(found, "How much is the yearly fee for a mobile licence?", "").text == "£260"
    assert answered(found, "What is the application fee for a pitch licence?", "").text == "£75"


def test_what_a_sentence_requires_is_not_what_it_gives(page: Callable[..., Any]) -> None:
    found = page("<p>If your car cost more than £45,000, you pay an extra £320 a year.</p>")
    assert answered(found, "How much extra do I pay for a car that cost £50,000?", "").text == "£320 a year"


EITHER = (
    "<p>You can get the heating grant if any of these apply:</p>",
    "<li>you are 66 or over</li>",
    "<li>you have a disability</li>",
)


def test_an_assumption_reaches_branches_that_the_scenario_had_settled(page: Callable[..., Any]) -> None:
    found = page(*EITHER)
    inquiry = Inquiry(ASKED, "I am 70 years old.")
    result = READER.read(inquiry, found.hits(), found)
    answer = Answer(inquiry, result.status, result.alternatives, "test", 1)
    assert (answer.alternatives[0].text, open_questions(answer.alternatives[0])) == ("yes", [])
    other = assumed(answer, {"66 or over": UNMET}).alternatives[0]
    assert (other.text, open_questions(other)) == ("yes", ["Do you have a disability?"])
    neither = assumed(answer, {"66 or over": UNMET, "disability": UNMET}).alternatives[0]
    assert neither.text == "no"


def test_ages_count_from_the_day_of_the_question_not_of_the_page(page: Callable[..., Any]) -> None:
    found = page("<p>You can get the heating grant if you are 18 or over.</p>", updated="2020-05-01")
    asked = Inquiry(ASKED, "I was born on 3 May 2004.")
    assert READER.read(asked, found.hits(), found).alternatives[0].text == "yes"
    assert READER.read(replace(asked, as_of=date(2022, 5, 2)), found.hits(), found).alternatives[0].text == "no"


def test_leaves_that_are_settled_are_told_apart(page: Callable[..., Any]) -> None:
    found = page(*GRANT, updated="2026-03-03")
    shown = answered(found, ASKED, "I am 84 years old.")
    assert {one.leaf.text: one.state for one in leaves(shown.condition)} == {
        "you were born on or before 30 September 1961": MET,
        "you live in Lethmoor": UNKNOWN,
    }
