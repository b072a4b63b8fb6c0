"""Sentence boundaries."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.language.clauses import after_number, sentence_spans
from tests.harness.tables import rows


@pytest.mark.parametrize("sentences", rows(__file__, "sentences of a text"))
def test_boundaries(sentences: tuple[str, ...]) -> None:
    text = " ".join(sentences)
    assert [text[a:b] for a, b in sentence_spans(text)] == list(sentences)


@given(st.text(st.sampled_from("aB. !?\"'()1£…\t"), max_size=60))
def test_spans_cover_all_but_white_space(text: str) -> None:
    spans = sentence_spans(text)
    assert "".join("".join(text[a:b].split()) for a, b in spans) == "".join(text.split())
    assert all(text[a:b] == text[a:b].strip() for a, b in spans)
    assert all(before[1] <= after[0] for before, after in pairwise(spans))


@pytest.mark.parametrize(("text", "rest"), rows(__file__, "a clause, and what is behind its number"))
def test_a_clause_begins_behind_its_number(text: str, rest: str) -> None:
    assert text[after_number(text) :] == rest
