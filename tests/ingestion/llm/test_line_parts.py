"""The parts of a numbered line, and the letters that a prompt shows before them."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.types import Leaf
from clausegraph.ingestion.extract.llm.parts import Places, is_condition, marked, parts_of
from tests.ingestion.llm.calls import element

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "tag", "shown"),
    [
        ("You can get it.", "p", "You can get it."),  # one part has no letter
        ("You get £5. It is paid in May.", "p", "You get £5. |b It is paid in May."),
        ("You get £5 if you rent.", "p", "You get £5 |b if you rent."),
        ("If you rent, you get £5.", "p", "If you rent, |b you get £5."),
        (
            "Once your boat is insured, you can get a permit unless it is over 9 metres. Send us form M2 by 1 May.",
            "p",
            "Once your boat is insured, |b you can get a permit |c unless it is over 9 metres. "
            "|d Send us form M2 by 1 May.",
        ),
        ("Single | £12", "tr", "Single |b £12"),
        ("Single |  | £12", "tr", "Single | |b £12"),  # an empty cell is no part
        ("a | b", "p", "a | b"),
        ("4.2 If you rent, you get £5.", "p", "4.2 If you rent, |b you get £5."),  # the number is no part
        ("(a) If you rent, you get £5.", "p", "(a) If you rent, |b you get £5."),
        ("Who can get it", "h2", "Who can get it"),
        ("", "p", ""),
    ],
)
def test_marks(text: str, tag: str, shown: str) -> None:
    assert marked(text, tag) == shown


def test_the_26th_part_has_the_rest() -> None:
    row = " | ".join(f"cell {number}" for number in range(1, 31))
    parts = parts_of(row, "tr")
    assert len(parts) == 26
    assert row[parts[25].start : parts[25].end] == "cell 26 | cell 27 | cell 28 | cell 29 | cell 30"
    assert marked(row, "tr").endswith("|z cell 26 | cell 27 | cell 28 | cell 29 | cell 30")


LINES = {
    "e0": element("e0", "You get £5 if you rent, unless you are in prison."),
    "e1": element("e1", "you rent", "li"),
    "e2": element("e2", "Single | £12", "tr"),
    "e3": element("e3", ""),
}
PLACES = Places({1: "e0", 2: "e1", 3: "e2", 4: "e3"}, LINES)


@pytest.mark.parametrize(
    ("place", "quote", "words"),
    [
        ("1", "", "You get £5 if you rent, unless you are in prison."),
        ("1a", "", "You get £5"),
        ("1b", "", "you rent"),
        ("1c", "", "you are in prison"),
        ("1", "if YOU rent", "if you rent"),
        ("1b", "in prison", "in prison"),  # the words say more than the letter
        ("2a", "", "you rent"),  # the one part of a line
        ("3b", "", "£12"),
        ("1d", "", None),
        ("1", "you own a boat", None),
        ("4", "", None),
        ("5", "", None),
        ("99999999999999999999", "", None),
    ],
)
def test_places(place: str, quote: str, words: str | None) -> None:
    found = PLACES.find(place, quote)
    assert (None if found is None else PLACES.text(found)) == words


def test_a_rules_words_go_out_to_the_conditions_of_its_sentence() -> None:
    pays, rent, prison = (PLACES.find(f"1{letter}") for letter in "abc")
    assert pays is not None and rent is not None and prison is not None
    assert PLACES.around(pays, []) == pays
    leaf = Leaf("e0", rent.start, rent.end, "you rent")
    assert PLACES.text(PLACES.around(pays, [leaf])) == "You get £5 if you rent"
    assert PLACES.text(PLACES.around(prison, [])) == "unless you are in prison"
    cell = PLACES.find("3b")
    assert cell is not None and PLACES.around(cell, [Leaf("e2", 0, 6, "Single")]) == cell


@pytest.mark.parametrize(("place", "is_one"), [("1a", False), ("1b", True), ("1", False), ("2", True), ("3a", True)])
def test_whether_a_place_is_a_condition(place: str, is_one: bool) -> None:
    found = PLACES.find(place)
    assert found is not None and is_condition(LINES[found.anchor], found) is is_one


@given(st.text(st.sampled_from("ab .,;:|if unless12\n(")), st.sampled_from(["p", "li", "tr", "h2"]))
def test_parts_lie_in_their_line_in_order(text: str, tag: str) -> None:
    parts = parts_of(text, tag)
    assert len(parts) != 1
    assert all(0 <= part.at <= part.start <= part.end <= len(text) for part in parts)
    assert all(one.end <= other.at for one, other in pairwise(parts))
    assert marked(text, tag).count("|") >= len(parts) - 1
