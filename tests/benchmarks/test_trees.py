"""Condition trees: the normal form, and the metrics by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks.tree_scores import TreeResult, score_trees, summarise_trees
from benchmarks.trees import PlainTree, leaf_text, leaves, normal_tree
from clausegraph.core.errors import InputError
from clausegraph.eval.conditionalqa.dataset import load_questions

pytestmark = pytest.mark.unit

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def _leaf(text: str, element: str | None = None) -> dict[str, Any]:
    return {"leaf": text, "element": element or f"<li>{text}</li>"}


A, B, C = _leaf("you are over 18"), _leaf("you live in the town"), _leaf("you pay rent for it")


def _same(first: PlainTree, second: PlainTree) -> bool:
    return normal_tree(first, where="first") == normal_tree(second, where="second")


def _one(predicted: PlainTree, gold: PlainTree) -> TreeResult:
    (result,) = score_trees({"s": predicted}, {"s": gold})
    return result


# --- normal form ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("You  are\nover 18; or", "you are over 18"),
        ("you live here, and.", "you live here"),
        ("you have a brand", "you have a brand"),
        ("a floor", "a floor"),
        ("or", "or"),
        ("paid (in full)", "paid (in full)"),
    ],
)
def test_leaf_text(text: str, expected: str) -> None:
    assert leaf_text(text) == expected
    assert leaf_text(expected) == expected


def test_spellings_of_one_tree_are_equal() -> None:
    assert _same({"all": [A, {"all": [B, C]}]}, {"all": [C, B, A]})
    assert _same({"any": [A]}, A)
    assert _same({"all": [{"any": [{"all": [A, B]}]}, C]}, {"all": [A, B, C]})
    assert _same({"not": {"any": [A]}}, {"not": A})
    assert _same(_leaf("Over 18, or", "<li>x</li>"), _leaf("over  18", "<li> x </li>"))
    assert normal_tree(None, where="x") is None


def test_different_trees_are_not() -> None:
    assert not _same({"all": [A, B]}, {"any": [A, B]})
    assert not _same({"all": [A, {"any": [B, C]}]}, {"any": [B, {"all": [A, C]}]})
    assert not _same({"not": A}, A)
    assert not _same({"not": {"not": A}}, A)
    assert not _same(A, A | {"element": "<p>elsewhere</p>"})
    assert not _same(A, None)


@pytest.mark.parametrize(
    "bad",
    [
        {},
        {"all": []},
        {"all": A},
        {"not": [A]},
        {"not": None},
        {"leaf": "x"},
        {"leaf": "x", "element": None},
        {"xor": [A, B]},
        {"all": [A], "any": [B]},
    ],
)
def test_what_is_no_tree_is_refused(bad: PlainTree) -> None:
    with pytest.raises(InputError, match=r"labelled tree s, any 1.* is no condition tree; write"):
        score_trees({}, {"s": {"any": [A, bad]}})


_TREES = st.recursive(
    st.sampled_from(["a", "b", "c", "d"]).map(_leaf),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3).map(lambda children: {"all": children}),
        st.lists(inner, min_size=1, max_size=3).map(lambda children: {"any": children}),
        inner.map(lambda child: {"not": child}),
    ),
    max_leaves=8,
)


def _reversed(tree: dict[str, Any]) -> dict[str, Any]:
    """The same tree with all children in the opposite order, each wrapped once more."""
    ((key, value), *_) = tree.items()
    if key == "leaf":
        return tree
    if key == "not":
        return {"not": {"any": [_reversed(value)]}}
    return {key: [{key: [_reversed(child)]} for child in reversed(value)]}


@settings(deadline=None)  # a slow machine is no failure
@given(tree=_TREES)
def test_order_and_wrapping_never_matter(tree: dict[str, Any]) -> None:
    result = _one(_reversed(tree), tree)
    assert result.exact
    assert result.operators
    assert result.matched == result.gold_leaves == result.predicted_leaves
    # Equal leaves may be under a "not" here and not there, and any of them may be paired.
    if len({leaf for leaf, _ in leaves(normal_tree(tree, where="x"))}) == result.gold_leaves:
        assert result.exceptions_found == result.exceptions


# --- one statement --------------------------------------------------------------------------------


def test_a_leaf_matches_by_element_and_four_fifths_of_its_tokens() -> None:
    element = "<p>You can apply if you live in the town now.</p>"
    gold = _leaf("you live in the town now", element)  # 5 tokens without the article
    assert _one(_leaf("you live in town now", element), gold).matched == 1
    assert _one(_leaf("you live in town", element), gold).matched == 1  # F1 8/9
    assert _one(_leaf("you live town", element), gold).matched == 0  # F1 6/8
    assert _one(_leaf("you live in the town now", "<p>Other.</p>"), gold).matched == 0
    near = _one(_leaf("you live in town", element), gold)
    assert (near.exact, near.operators) == (False, True)


def test_leaves_are_assigned_so_that_most_match() -> None:
    element = "<p>x</p>"
    gold = {"all": [_leaf("a1 b c d e", element), _leaf("a1 b c d f", element)]}
    # The first fits both gold leaves, the second only the first of them.
    predicted = {"all": [_leaf("a1 b c d", element), _leaf("b c d e", element)]}
    result = _one(predicted, gold)
    assert (result.matched, result.operators) == (2, True)


def test_the_skeleton_is_judged_over_matched_leaves_only() -> None:
    gold = {"all": [A, {"any": [B, C]}]}
    assert _one({"all": [A, B]}, gold).operators  # C is missing, which recall tells
    assert _one({"all": [A, {"any": [B, C, _leaf("noise")]}]}, gold).operators
    assert not _one({"any": [A, B, C]}, gold).operators
    assert not _one({"all": [A, B, C]}, gold).operators
    assert not _one({"all": [A, {"not": B}]}, gold).operators
    assert not _one({"all": [_leaf("noise"), _leaf("more")]}, gold).operators
    assert not _one(None, gold).operators
    assert _one(None, None).operators
    assert not _one(A, None).operators


def test_exceptions_must_be_found_as_exceptions() -> None:
    gold = {"all": [A, {"not": {"any": [B, C]}}]}
    result = _one({"all": [A, {"not": B}, C]}, gold)
    assert (result.exceptions, result.exceptions_found, result.matched) == (2, 1, 3)
    assert _one({"not": {"not": B}}, gold).exceptions_found == 0


# --- many statements ------------------------------------------------------------------------------


def test_totals_by_hand() -> None:
    gold: dict[str, PlainTree] = {"s1": {"all": [A, B]}, "s2": {"not": C}, "s3": None, "s4": A, "s5": None}
    predicted: dict[str, PlainTree] = {
        "s1": {"any": [A, B, C]},  # 2 of 3 leaves, wrong operator
        "s2": {"not": C},  # right
        "s3": None,  # right
        "s4": B,  # 0 of 1 leaves
    }  # s5 was not found
    scores = summarise_trees(score_trees(predicted, gold))
    assert scores.statements == 5
    assert scores.exact == 2 / 5
    assert scores.leaf_precision == 3 / 5
    assert scores.leaf_recall == 3 / 4
    assert scores.leaf_f1 == pytest.approx(2 / 3)
    assert scores.operators == 2 / 5
    assert scores.compound_operators == 1 / 2
    assert scores.exceptions_recall == 1.0


def test_nothing_to_divide_by_and_unlabelled_statements() -> None:
    scores = summarise_trees(score_trees({"s": None}, {"s": None}))
    assert (scores.exact, scores.leaf_f1, scores.exceptions_recall) == (1.0, None, None)
    assert summarise_trees([]).exact is None
    with pytest.raises(InputError, match=r"predicted statements \['x'\] .* are not labelled"):
        score_trees({"x": None}, {"s": None})


def test_the_shipped_labels_are_readable_and_agree_with_themselves() -> None:
    statements = json.loads((EXAMPLES / "statements.json").read_text(encoding="utf-8"))
    gold = {statement["id"]: statement["condition"] for statement in statements}
    scores = summarise_trees(score_trees(gold, gold))
    assert scores.statements == len(statements) > 100
    assert {scores.exact, scores.leaf_f1, scores.operators, scores.exceptions_recall} == {1.0}
    assert load_questions(EXAMPLES / "questions.json")
