"""What metrics are made of: equal elements, token F1, bootstrap intervals."""

import math

import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.metrics import (
    mean_interval,
    paired_difference,
)

pytestmark = pytest.mark.long


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
