"""Condition trees in words: one function; Neo4j's rows keep the brackets they were written with."""

from __future__ import annotations

import pytest

from clausegraph.core.language.wording import condition_words
from clausegraph.core.types import All, AnyOf, Leaf, Not

pytestmark = pytest.mark.unit

RENT, OLD, WORK = (Leaf("p", 0, 3, text) for text in ("you rent", "you are\n 70", "you work"))
TREE = All((RENT, AnyOf((OLD, Not(WORK))), Not(AnyOf((OLD, WORK)))))


def test_a_tree_on_one_line() -> None:
    assert condition_words(TREE) == "(you rent and (you are 70 or not you work) and not (you are 70 or you work))"
    assert condition_words(None) == ""


def test_brackets_around_every_part() -> None:
    words = "you rent and (you are 70 or (not (you work))) and (not (you are 70 or you work))"
    assert condition_words(TREE, parts_in_brackets=True) == words
    assert condition_words(WORK, parts_in_brackets=True) == "you work"
