"""Paired bootstrap: known cases, reproducibility, coverage, refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from clausegraph.core.errors import InputError
from clausegraph.eval.comparison import mean_interval, paired_difference

pytestmark = pytest.mark.unit


def test_a_constant_difference_has_no_width() -> None:
    first = {f"q{number}": number / 10 for number in range(8)}
    second = {name: value + 0.25 for name, value in first.items()}
    result = paired_difference(first, second)
    assert (result.mean, result.low, result.high) == pytest.approx((0.25, 0.25, 0.25))
    assert result.questions == 8
    assert result.excludes_zero
    assert paired_difference(second, first).high == pytest.approx(-0.25)


def test_the_interval_is_near_the_normal_one_for_many_questions() -> None:
    rng = np.random.default_rng(7)
    first = {f"q{number}": float(value) for number, value in enumerate(rng.random(400))}
    second = {name: float(rng.random()) for name in first}
    differences = [second[name] - first[name] for name in first]
    half_width = 1.96 * float(np.std(differences)) / math.sqrt(400)
    result = paired_difference(first, second)
    assert result.mean == pytest.approx(float(np.mean(differences)))
    assert result.low == pytest.approx(result.mean - half_width, abs=0.004)
    assert result.high == pytest.approx(result.mean + half_width, abs=0.004)


def test_same_seed_same_interval_whatever_the_order() -> None:
    first = {f"q{number}": (number * 7 % 5) / 5 for number in range(30)}
    second = {f"q{number}": (number * 3 % 4) / 4 for number in range(30)}
    result = paired_difference(first, second, seed=3)
    assert result == paired_difference(dict(reversed(first.items())), second, seed=3)
    assert result != paired_difference(first, second, seed=4)
    assert not paired_difference(first, first).excludes_zero


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


def test_a_mean_has_the_interval_of_its_difference_from_nothing() -> None:
    values = {f"q{number}": (number * 7 % 5) / 5 for number in range(30)}
    found = mean_interval(values)
    assert found == paired_difference(dict.fromkeys(values, 0.0), values)
    assert found.low < found.mean < found.high
    with pytest.raises(InputError, match="no question to draw from"):
        mean_interval({})


@pytest.mark.parametrize("bad", [{"resamples": 0}, {"confidence": 1.0}])
def test_bad_parameters(bad: dict[str, int]) -> None:
    with pytest.raises(InputError, match="use at least 1, and between 0 and 1"):
        paired_difference({"a": 1.0}, {"a": 0.0}, **bad)
