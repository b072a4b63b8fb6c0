"""Where quotes stand in a text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.language.quotes import Quotable

TEXT = "You can’t apply if you’re under 18,  unless your Partner (or spouse) is 25 or over – and lives\u00a0in the UK."


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("under 18", "under 18"),
        ("UNDER 18", "under 18"),
        ("can't apply", "can’t apply"),
        ("under 18, unless your partner", "under 18,  unless your Partner"),
        ("25 or over - and lives in the UK.", "25 or over – and lives\u00a0in the UK"),
        ("unless your partner or spouse is 25 or over", "unless your Partner (or spouse) is 25 or over"),
        ('"under 18"...', "under 18"),
        ("under 19", None),
        ("nder 18", None),
        ("can apply if you’re under 18", None),
        ("over 18, unless your Partner (or spouse) is 25", None),
        ("x", None),
        ("", None),
        ("…", None),
        ("a quote of something else altogether", None),
    ],
)
def test_find(quote: str, found: str | None) -> None:
    place = Quotable(TEXT).find(quote)
    assert (None if place is None else TEXT[slice(*place)]) == found


def test_a_quote_of_more_than_the_element() -> None:
    assert Quotable("you are over 65").find("you are over 65 ,,") == (0, 15)
    assert Quotable("you are over 65").find("all of these apply: you are over 65") is None


def test_one_character_is_quoted_as_a_whole_cell_only() -> None:
    row = Quotable("Band A | 0 | £0")
    assert (row.find("0"), row.find("A"), row.find("|")) == ((9, 10), None, None)
    assert Quotable("A | 10").find("a ") is None and Quotable("A | 10").find("A") == (0, 1)


@given(st.text(), st.text())
def test_any_text(text: str, quote: str) -> None:
    place = Quotable(text).find(quote)
    assert place is None or 0 <= place[0] < place[1] <= len(text)


@given(st.text(st.sampled_from("abz .,’'ßİ①ﬁ\u200b\t19"), min_size=1))
def test_a_text_has_itself(text: str) -> None:
    for quote in (text, text.upper().lower()):
        place = Quotable(text).find(quote)
        assert place is None or 0 <= place[0] < place[1] <= len(text)
    if sum(c.isalnum() for c in text.strip(" \t\n\"'“”‘’….,;:")[:8]) >= 2:
        assert Quotable(text).find(text) is not None
