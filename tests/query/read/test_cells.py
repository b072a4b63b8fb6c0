"""Tables: the cell whose row and column are told is the answer, with what limits it; else its row is quoted first."""

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Alternative, AnswerStatus, Element, PageKey, Reading
from clausegraph.query.read.protocol import ReadResult
from tests.query.read.conftest import READER, Pages

KEY = PageKey("test", "mooring")
RATES = ("Length (m)", "Built before 1 May 2010", "Built on or after 1 May 2010")
DUES = ("Who moors", "Weekly due", "Deposit")


def rows(name: str, headers: tuple[str, ...], section: tuple[str, ...], *lines: str) -> list[Element]:
    head = Element(f"{name}-h", "tr", "<tr></tr>", " | ".join(headers), section)
    below = [Element(f"{name}-{i}", "tr", "<tr></tr>", t, section, None, None, headers) for i, t in enumerate(lines)]
    return [head, *below]


TAX = ("Boat tax", "Rates for boats")
ELEMENTS = [
    Element(
        "p0", "p", "<p></p>", "You must tax your boat before you use it. You will be fined £80 if you do not.", TAX[:1]
    ),
    Element("p1", "p", "<p></p>", "The yearly rate depends on the length and on the day on which it was built.", TAX),
    *rows("rate", RATES, TAX, "0 to 5 | £35 | £95", "6 to 9 | £140 | £190", "Over 9 | £290 | £410"),
    Element("p2", "p", "<p></p>", "A boat with a petrol engine pays an extra £320 a year.", TAX),
    Element("p3", "p", "<p></p>", "A pensioner who gets Harbour Credit pays half.", ("Boat tax", "Who need not pay")),
]
PAGE = Pages({KEY: Reading("Boat tax", None, tuple(ELEMENTS))})


def read(question: str, scenario: str = "", found: Pages = PAGE, *first: str) -> ReadResult:
    return READER.read(Inquiry(question, scenario), found.hits(*first), found)


def only(result: ReadResult) -> Alternative:
    (answer,) = result.alternatives
    return answer


@pytest.mark.parametrize(
    ("scenario", "answer"),
    [
        ("It is 7 m in length and was built in March 2004.", "£140"),
        ("It was built in 2019 and has a length of 4 m.", "£95"),
        ("Its length is 12 m. It was built in 2019.", "£410"),
    ],
)
def test_the_cell_whose_row_and_column_are_told_is_asserted_with_what_limits_it(scenario: str, answer: str) -> None:
    made = only(read("how much tax do i pay for my boat", scenario))
    assert made.text == answer
    assert answer in made.evidence[0].quote and made.evidence[0].lead_in == " | ".join(RATES)
    assert "A boat with a petrol engine pays an extra £320 a year." in [one.quote for one in made.evidence]
    assert not made.open_conditions


@pytest.mark.parametrize(
    "scenario",
    [
        "It is 7 m in length.",  # no column
        "It was built in 2004.",  # no row
        "It is 7 m in length and was built in 2010.",  # both columns may be meant
        "It holds 7 litres and was built in March 2004.",  # another unit than metres
    ],
)
def test_a_cell_that_is_not_surely_told_or_is_limited_is_quoted(scenario: str) -> None:
    result = read("how much tax do i pay for my boat", scenario)
    assert result.status is AnswerStatus.QUOTED
    assert any(RATES[0] in quote.lead_in for quote in result.quotes)


def test_a_row_is_told_by_its_name_and_stands_first_of_its_quotes() -> None:
    lines = ("A guest | £12 | £30", "You own the boat, or share it | £7 | £90", "You hire the boat | £9 | £150")
    table = [
        Element("l", "p", "<p></p>", "You may moor for £2 a day if you also fish."),
        *rows("due", DUES, (), *lines),
    ]
    found = Pages({KEY: Reading("Mooring", None, tuple(table))})
    first = read("how much is it to moor", "I hire a boat.", found, "You may", "A guest").quotes[0]
    assert first.quote == lines[2] and set(first.items) == set(lines[:2])


def test_a_limit_that_is_asked_for_is_a_column_like_any_other() -> None:
    head = ("Boat", "Fee a year", "Earnings limit")
    table = rows("t", head, (), "Barge | £20 a year | £600 a year", "Skiff | £40 a year | £900 a year")
    found = Pages({KEY: Reading("Help with the fee", None, tuple(table))})
    assert only(read("how much is the earnings limit", "I have a skiff.", found)).text == "£900 a year"
