"""Pairs of pages that contradict each other, and pairs that only look so, each under titles of its own."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.indexes.contradictions.test_compare import conflicts

PAIRS: dict[str, list[dict[str, Any]]] = json.loads(Path(__file__).with_name("pairs.json").read_text(encoding="utf-8"))
LEAST = 151  # of 175: the others name a case that the other page does not, or are in other words throughout


def _found(pair: dict[str, Any]) -> bool:
    said = [("", "".join(text if text[0] == "<" else f"<p>{text}</p>" for text in pair[side]["said"])) for side in "ab"]
    return bool(conflicts(*said, titles=tuple(pair[side]["title"] for side in "ab")))


def test_what_contradicts_is_found_whatever_the_titles() -> None:
    assert sum(map(_found, PAIRS["contradictions"])) >= LEAST


@pytest.mark.parametrize("pair", PAIRS["compatible"], ids=lambda pair: pair["id"])
def test_what_both_hold_is_no_contradiction(pair: dict[str, Any]) -> None:
    assert not _found(pair)
