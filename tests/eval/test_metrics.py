"""What metrics are made of: equal elements, token F1, bootstrap intervals."""

import math

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.metrics import (
    element_key,
    element_text,
    mean_interval,
    paired_difference,
    token_f1,
)

pytestmark = pytest.mark.long


@pytest.mark.parametrize(
    ("element", "tag", "text"),
    [
        ("<p>A B&B costs £5</p>", "p", "A B&B costs £5"),
        ("<LI class='x'>be\n over&nbsp;18</LI>", "li", "be over 18"),
        ('<p>see <a href="/x">page</a>, or <b>a</b>b</p>', "p", "see page, or ab"),
        ("<p>one<br/>two</p>", "p", "one two"),
        ("<tr><th>Rate</th> <td>£5</td></tr>", "tr", "Rate | £5"),
        ("<p>if x < 5 and y > 3</p>", "p", "if x < 5 and y > 3"),
        ("no tag", "", "no tag"),
    ],
)
def test_tag_and_text_of_an_element(element: str, tag: str, text: str) -> None:
    assert element_key(element) == (tag, text)
    assert element_text(element) == text


@pytest.mark.parametrize(
    ("first", "second", "f1"),
    [
        ("within 10 days", "10 days of receipt", 4 / 7),  # 2 common tokens of 3 and 4
        ("no no yes", "no yes yes", 2 / 3),
        ("yes", "no", 0.0),
        ("", "the", 1.0),
        ("", "10", 0.0),
    ],
)
def test_token_f1_by_hand(first: str, second: str, f1: float) -> None:
    assert token_f1(first, second) == token_f1(second, first) == pytest.approx(f1)


def test_an_interval_is_that_of_its_values_whatever_their_order() -> None:
    values = {f"q{number}": (number * 7 % 5) / 5 for number in range(30)}
    found = mean_interval(values)
    assert found == mean_interval(dict(reversed(values.items())))
    assert found == paired_difference(dict.fromkeys(values, 0.0), values)
    assert found.low < found.mean < found.high
    assert not paired_difference(values, values).excludes_zero
    more = paired_difference(values, {name: value + 0.25 for name, value in values.items()})
    assert (more.mean, more.low, more.high, more.questions) == pytest.approx((0.25, 0.25, 0.25, 30))
    assert more.excludes_zero


@pytest.mark.parametrize(
    ("first", "second", "message"),
    [
        ({}, {}, "cannot pair 0 with 0"),
        ({"a": 1.0}, {"b": 1.0}, r"in one only: \['a', 'b'\]"),
        ({"a": math.nan}, {"a": 1.0}, "question 'a' has a value that is not finite"),
    ],
)
def test_what_cannot_be_paired(first: dict[str, float], second: dict[str, float], message: str) -> None:
    with pytest.raises(InputError, match=message):
        paired_difference(first, second)
