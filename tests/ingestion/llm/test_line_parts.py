"""The parts of a numbered line, and the letters that a prompt shows before them."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.ingestion.extract.llm.parts import marked, parts_of


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


@given(st.text(st.sampled_from("ab .,;:|if unless12\n(")), st.sampled_from(["p", "li", "tr", "h2"]))
def test_parts_lie_in_their_line_in_order(text: str, tag: str) -> None:
    parts = parts_of(text, tag)
    assert len(parts) != 1
    assert all(0 <= part.at <= part.start <= part.end <= len(text) for part in parts)
    assert all(one.end <= other.at for one, other in pairwise(parts))
    assert marked(text, tag).count("|") >= len(parts) - 1
