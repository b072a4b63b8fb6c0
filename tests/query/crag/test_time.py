"""What expressions of time mean on Tuesday, 5 March 2024, in California."""

from __future__ import annotations

from datetime import date, datetime

import pytest

from clausegraph.core.errors import InputError, QuestionError
from clausegraph.query.crag.times import is_trading_day, last_trading_day, parse_time, resolve
from clausegraph.query.crag.types import CragQuestion

pytestmark = pytest.mark.unit

AT = parse_time("03/05/2024, 23:18:31 PT")
TABLE = """
today | 2024-03-05
tonight | 2024-03-05
this morning | 2024-03-05
right now | 2024-03-05
currently | 2024-03-05
as of today | 2024-03-05
these days | 2024-03-05
yesterday | 2024-03-04
yesterday's close | 2024-03-04
last night | 2024-03-04
the day before yesterday | 2024-03-03
tomorrow | 2024-03-06
the day after tomorrow | 2024-03-07
last Tuesday | 2024-02-27
last tues | 2024-02-27
last Friday | 2024-03-01
previous Wednesday | 2024-02-28
on last Monday | 2024-02-26
this Friday | 2024-03-08
this Monday | 2024-03-04
next Friday | 2024-03-15
next Monday | 2024-03-11
on Monday | 2024-03-04
on Friday | 2024-03-01
Tuesday | 2024-03-05
will it open on Saturday | 2024-03-09
last week | 2024-02-26/2024-03-03
past week | 2024-02-27/2024-03-05
this week | 2024-03-04/2024-03-10
next week | 2024-03-11/2024-03-17
last weekend | 2024-03-02/2024-03-03
this weekend | 2024-03-09/2024-03-10
last month | 2024-02-01/2024-02-29
past month | 2024-02-05/2024-03-05
this month | 2024-03-01/2024-03-31
next month | 2024-04-01/2024-04-30
last quarter | 2023-10-01/2023-12-31
this quarter | 2024-01-01/2024-03-31
last year | 2023-01-01/2023-12-31
past year | 2023-03-05/2024-03-05
this year | 2024-01-01/2024-12-31
next year | 2025-01-01/2025-12-31
last decade | 2010-01-01/2019-12-31
so far this year | 2024-01-01/2024-03-05
earlier this month | 2024-03-01/2024-03-05
year to date | 2024-01-01/2024-03-05
over the past 5 years | 2019-03-05/2024-03-05
in the last three months | 2023-12-05/2024-03-05
the last 10 days | 2024-02-24/2024-03-05
within the past couple of weeks | 2024-02-20/2024-03-05
past two decades | 2004-03-05/2024-03-05
the next 7 days | 2024-03-05/2024-03-12
in the next two years | 2024-03-05/2026-03-05
3 days ago | 2024-03-02
two weeks ago | 2024-02-20
a week ago | 2024-02-27
two months ago | 2024-01-01/2024-01-31
a year ago | 2023-01-01/2023-12-31
five years ago | 2019-01-01/2019-12-31
10 days from now | 2024-03-15
in 2019 | 2019-01-01/2019-12-31
2019 | 2019-01-01/2019-12-31
since 2010 | 2010-01-01/2024-03-05
before 2000 | ../1999-12-31
prior to 1990 | ../1989-12-31
after 2015 | 2016-01-01/..
by 2030 | ../2030-12-31
between 2015 and 2018 | 2015-01-01/2018-12-31
from 2015 to 2018 | 2015-01-01/2018-12-31
2019-2021 | 2019-01-01/2021-12-31
2019/20 | 2019-01-01/2020-12-31
1998–2003 | 1998-01-01/2003-12-31
in February | 2024-02-01/2024-02-29
in November | 2023-11-01/2023-11-30
in March | 2024-03-01/2024-03-31
in March 2020 | 2020-03-01/2020-03-31
May 2019 | 2019-05-01/2019-05-31
last November | 2023-11-01/2023-11-30
last January | 2024-01-01/2024-01-31
last March | 2023-03-01/2023-03-31
next June | 2024-06-01/2024-06-30
next January | 2025-01-01/2025-01-31
will it rain in June | 2024-06-01/2024-06-30
since January | 2024-01-01/2024-03-05
on February 14 | 2024-02-14
on December 24 | 2023-12-24
Feb 14, 2023 | 2023-02-14
14 February 2023 | 2023-02-14
the 3rd of May 2021 | 2021-05-03
2024-02-01 | 2024-02-01
3/4/2024 | 2024-03-04
since March 1, 2024 | 2024-03-01/2024-03-05
before 2/1/2024 | ../2024-01-31
after January 31, 2024 | 2024-02-01/..
between Feb 1 and Feb 14, 2024 | 2024-02-01/2024-02-14
Q3 2023 | 2023-07-01/2023-09-30
the third quarter of 2022 | 2022-07-01/2022-09-30
Q4 | 2023-10-01/2023-12-31
the first half of 2023 | 2023-01-01/2023-06-30
early 2020 | 2020-01-01/2020-04-30
late 2019 | 2019-09-01/2019-12-31
summer of 2022 | 2022-06-01/2022-08-31
winter 2021 | 2021-12-01/2022-02-28
last summer | 2023-06-01/2023-08-31
the 1990s | 1990-01-01/1999-12-31
the 90s | 1990-01-01/1999-12-31
the 19th century | 1801-01-01/1900-12-31
upcoming | 2024-03-05/..
from now on | 2024-03-05/..
the last trading day | 2024-03-04
the previous close | 2024-03-04
"""


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


def test_the_exchange_is_closed_on_its_holidays() -> None:
    assert last_trading_day(date(2024, 2, 20)) == date(2024, 2, 16)  # Presidents' Day, and a weekend
    assert not is_trading_day(date(2024, 3, 29))  # Good Friday
    assert not is_trading_day(date(2021, 7, 5))  # the Fourth fell on a Sunday
    assert is_trading_day(date(2021, 12, 31))  # New Year's Day on a Saturday closes no Friday


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
