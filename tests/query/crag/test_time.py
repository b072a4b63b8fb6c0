"""What expressions of time mean on Tuesday, 5 March 2024, in California."""

from datetime import datetime
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError, QuestionError
from clausegraph.query.crag.times import parse_time, resolve
from clausegraph.query.crag.types import CragQuestion

AT = parse_time("03/05/2024, 23:18:31 PT")
TABLE = Path(__file__).with_name("times.txt").read_text("utf-8")


def test_a_hundred_expressions() -> None:
    rows = [line.split(" | ") for line in TABLE.strip().splitlines()]
    assert len(rows) >= 100
    found = {words: [one.iso for one in resolve(words, AT)][:1] for words, _ in rows}
    assert found == {words: [days] for words, days in rows}


@pytest.mark.parametrize(
    "words", ["may I know", "how many march there", "the sun", "room 2024b", "1000 miles", "who won"]
)
def test_words_that_are_no_time(words: str) -> None:
    assert resolve(words, AT) == []


def test_a_question_may_name_several_times() -> None:
    found = resolve("did it close higher last Friday than on January 31, 2024?", AT)
    assert [(one.text, one.iso) for one in found] == [
        ("last Friday", "2024-03-01"),
        ("on January 31, 2024", "2024-01-31"),
    ]


def test_a_day_that_no_calendar_has_is_no_time() -> None:
    assert [one.iso for one in resolve("on February 30, 2023", AT)] == ["2023-01-01/2023-12-31"]


@pytest.mark.parametrize(
    ("written", "meaning"),
    [
        ("03/05/2024, 23:18:31 PT", "2024-03-05T23:18:31-08:00"),
        ("07/05/2024, 10:00:00 PT", "2024-07-05T10:00:00-07:00"),
        ("2024-03-05T10:00-08:00", "2024-03-05T10:00:00-08:00"),
        ("2024-03-05T10:00Z", "2024-03-05T10:00:00+00:00"),
    ],
)
def test_query_times(written: str, meaning: str) -> None:
    assert parse_time(written).isoformat() == meaning


@pytest.mark.parametrize("written", ["2024-03-05T10:00", "yesterday", "13/45/2024, 10:00:00 PT", ""])
def test_a_time_without_zone_or_sense_is_refused(written: str) -> None:
    with pytest.raises(InputError, match="2024-03-05T10:00-08:00"):
        parse_time(written)


def test_a_question_needs_a_zone() -> None:
    with pytest.raises(QuestionError, match="no zone"):
        CragQuestion("who won", datetime(2024, 3, 5, 10, 0))
