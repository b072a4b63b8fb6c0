"""Condition trees: the normal form, and the scores by hand."""

from typing import Any

import pytest

from benchmarks.conditions import TreeScores, normal_tree, score_trees

pytestmark = pytest.mark.long
Plain = dict[str, Any] | None


def leaf(text: str, element: str | None = None) -> dict[str, Any]:
    return {"leaf": text, "element": element or f"<li>{text}</li>"}


def scores(predicted: dict[str, Plain], gold: dict[str, Plain]) -> TreeScores:
    return score_trees(*({name: normal_tree(tree) for name, tree in trees.items()} for trees in (predicted, gold)))


A, B, C = leaf("you are over 18"), leaf("you live in the town"), leaf("you pay rent for it")


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ({"all": [A, {"all": [B, C]}]}, {"all": [C, B, A]}, True),
        ({"any": [A]}, A, True),
        ({"all": [{"any": [{"all": [A, B]}]}, C]}, {"all": [A, B, C]}, True),
        ({"not": {"any": [A]}}, {"not": A}, True),
        (leaf("Over 18, or", "<li>x</li>"), leaf("over  18", "<li> x </li>"), True),
        ({"all": [A, B]}, {"any": [A, B]}, False),
        ({"all": [A, {"any": [B, C]}]}, {"any": [B, {"all": [A, C]}]}, False),
        ({"not": {"not": A}}, A, False),
        (A, A | {"element": "<p>elsewhere</p>"}, False),
        (A, None, False),
    ],
)
def test_spellings_of_one_tree_are_equal_and_others_are_not(first: Plain, second: Plain, same: bool) -> None:
    assert (normal_tree(first) == normal_tree(second)) is same


def test_totals_by_hand() -> None:
    gold: dict[str, Plain] = {"s1": {"all": [A, B]}, "s2": {"not": C}, "s3": None, "s4": A, "s5": None}
    predicted: dict[str, Plain] = {"s1": {"any": [A, B, C]}, "s2": {"not": C}, "s3": None, "s4": B}  # s5 was not found
    found = scores(predicted, gold)
    assert found == TreeScores(5, 2 / 5, 3 / 5, 3 / 4, pytest.approx(2 / 3), 1.0)
    assert score_trees({}, {}).exact == 1.0
