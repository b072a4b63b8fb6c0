"""Values as numbers with unit, period, bound and trigger, and how two compare."""

from datetime import date

import pytest

from clausegraph.core.language.quantities import Quantity, find_quantities, lies_within
from tests.harness.tables import rows


def day(year: int, month: int, number: int) -> float:
    return float(date(year, month, number).toordinal())


READ = {
    "£20": Quantity("amount", 20, 20, "GBP"),
    "up to £600 a year": Quantity("amount", None, 600, "GBP", period="year"),
    "at least £1,500": Quantity("amount", 1500, None, "GBP"),
    "£1.5 million": Quantity("amount", 1.5e6, 1.5e6, "GBP"),
    "50p": Quantity("amount", 0.5, 0.5, "GBP"),
    "€100": Quantity("amount", 100, 100, "EUR"),
    "between £100 and £200": Quantity("amount", 100, 200, "GBP"),
    "£100 to £200 per week": Quantity("amount", 100, 200, "GBP", period="week"),
    "more than £16,000": Quantity("amount", 16000, None, "GBP", low_included=False),
    "£8,000 or less": Quantity("amount", None, 8000, "GBP"),
    "£20 for each child": Quantity("amount", 20, 20, "GBP", per="child"),
    "about £500": Quantity("amount", 500, 500, "GBP", about=True),
    "no more than 5% of your income": Quantity("percent", None, 5, "%"),
    "18 or over": Quantity("age", 18, None, "year"),
    "over 18": Quantity("age", 18, None, "year", low_included=False),
    "aged 16 to 24": Quantity("age", 16, 24, "year"),
    "aged between 16 and 24": Quantity("age", 16, 24, "year"),
    "under the age of 25": Quantity("age", None, 25, "year", high_included=False),
    "your 16th birthday": Quantity("age", 16, 16, "year"),
    "17 years old or over": Quantity("age", 17, None, "year"),
    "I am 17": Quantity("age", 17, 17, "year"),
    "a 6 month old baby": Quantity("age", 0.5, 0.5, "year"),
    "over 50 employees": Quantity("number", 50, None, "employee", low_included=False),
    "two or more children": Quantity("number", 2, None, "child"),
    "3 times a year": Quantity("number", 3, 3, "time", period="year"),
    "within 30 days of the decision": Quantity("duration", None, 30, "day", relation="of", trigger="the decision"),
    "28 days after you get the letter": Quantity(
        "duration", 28, 28, "day", relation="after", trigger="you get the letter"
    ),
    "a year after the death": Quantity("duration", 12, 12, "month", relation="after", trigger="the death"),
    "within 10 working days": Quantity("duration", None, 10, "working day"),
    "6 weeks": Quantity("duration", 42, 42, "day"),
    "2 years and 6 months": Quantity("duration", 30, 30, "month"),
    "5 to 10 years": Quantity("duration", 60, 120, "month"),
    "half a day": Quantity("duration", 0.5, 0.5, "day"),
    "16 hours a week": Quantity("duration", 16, 16, "hour", period="week"),
    "in the last 12 months": Quantity("duration", 12, 12, "month", trigger="now"),
    "2 weeks ago": Quantity("duration", 14, 14, "day", relation="before", trigger="now"),
    "6 April 2026": Quantity("date", day(2026, 4, 6), day(2026, 4, 6), "date"),
    "2026-04-06": Quantity("date", day(2026, 4, 6), day(2026, 4, 6), "date"),
    "April 2026": Quantity("date", day(2026, 4, 1), day(2026, 4, 30), "date"),
    "after 6 April 2026": Quantity("date", day(2026, 4, 6), None, "date", low_included=False),
    "in 2019": Quantity("date", day(2019, 1, 1), day(2019, 12, 31), "date"),
    "before 6 April": Quantity("date", None, 406, "day of any year", high_included=False),
    "1 January 2021 to 31 December 2021": Quantity("date", day(2021, 1, 1), day(2021, 12, 31), "date"),
}


@pytest.mark.parametrize(("text", "meant"), READ.items(), ids=list(READ))
def test_a_value_is_an_interval_with_a_unit(text: str, meant: Quantity) -> None:
    found = list(find_quantities(text))
    assert len(found) == 1
    one = found[0]
    assert 0 <= one.start < one.end <= len(text)
    assert one == Quantity(
        *(getattr(meant, name) for name in Quantity.__slots__ if name not in ("start", "end")), one.start, one.end
    )


@pytest.mark.parametrize(
    "text",
    [
        "",
        "one of these",
        "form SA100",
        "phone 0300 123 4567",
        "8am to 6pm",
        "31 April 2026",
        "once a year",
    ],
)
def test_what_is_no_value_is_none(text: str) -> None:
    assert not list(find_quantities(text))


def quantity(text: str) -> Quantity:
    (found,) = find_quantities(text)
    return found


@pytest.mark.parametrize(("value", "bound", "within"), rows(__file__, "a value, a bound, and whether it meets it"))
def test_a_value_meets_a_bound_or_not_or_cannot_be_said(value: str, bound: str, within: str) -> None:
    assert lies_within(quantity(value), quantity(bound)) is {"yes": True, "no": False, "": None}[within]


def test_a_long_text_has_all_its_values() -> None:
    text = "between 1 and 2 years after the day that you began, £3 a week or more, " * 400
    assert len(list(find_quantities(text))) == 800
