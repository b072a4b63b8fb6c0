"""The condition language: small sentences, exact trees."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.language import lexicon
from clausegraph.core.language.clauses import independent_clauses
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import plain
from clausegraph.core.types import Leaf, leaves
from tests.ingestion.rules.sketch import written

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("text", "main", "tree"),
    [
        ("You can claim if you are over 18.", "You can claim", "you are over 18"),
        ("If you are over 18, you can claim.", "you can claim", "you are over 18"),
        ("If you have a record you can still volunteer.", "you can still volunteer", "you have a record"),
        ("You can join only if a friend asks you.", "You can join", "a friend asks you"),
        ("You can stay as long as you pay the rent.", "You can stay", "you pay the rent"),
        ("It goes ahead provided that you were told.", "It goes ahead", "you were told"),
        ("You must pay unless you are under 16.", "You must pay", "not(you are under 16)"),
        ("You get it, except where the driver is disabled.", "You get it", "not(the driver is disabled)"),
        ("You cannot fish while the gate is shut.", "You cannot fish", "the gate is shut"),
        ("You can go if it is dry, but not if it is windy.", "You can go", "all[it is dry; not(it is windy)]"),
        ("If you are 16, you need a form unless you work.", "you need a form", "all[you are 16; not(you work)]"),
        ("You may fish if it is free and the owner agrees.", "You may fish", "all[it is free; the owner agrees]"),
        ("You may go if you are ill or have been hurt.", "You may go", "any[you are ill; have been hurt]"),
        ("You get it if you rent a home or if you own one.", "You get it", "any[you rent a home; you own one]"),
        ("You get it if you are a parent or a carer.", "You get it", "you are a parent or a carer"),
        (
            "You get it if you live here, have a job and are not married.",
            "You get it",
            "all[you live here; have a job; are not married]",
        ),
        (
            "You lose it if you lie or you leave and you do not return.",
            "You lose it",
            "any[you lie; all[you leave; you do not return]]",
        ),
        ("an MOT certificate (if your vehicle needs one)", "an MOT certificate", "your vehicle needs one"),
        ("you live here (this does not apply if you are a refugee)", "you live here", "not(you are a refugee)"),
        (
            "You cannot withdraw if it was referred, but you must not go if you are ill.",
            "You cannot withdraw",
            "it was referred",
        ),
    ],
)
def test_a_sentence_has_its_tree(text: str, main: str, tree: str) -> None:
    parsed = parse_conditions(text)
    assert text[slice(*parsed.main)] == main
    assert written(parsed.condition) == tree


@pytest.mark.parametrize(
    "text",
    [
        "Check if you are eligible.",
        "Ask if they can help you.",
        "You can claim even if you work.",
        "You get it whether or not you work.",
        "This cannot be refused because you were late.",
        "It depends on where you live.",
        "the country where you live",
        "Help is provided by the council.",
    ],
)
def test_look_alikes_open_no_condition(text: str) -> None:
    assert parse_conditions(text).condition is None


@pytest.mark.parametrize(
    ("text", "closed", "operator", "negated"),
    [
        ("You can claim if:", "", None, False),
        ("You can claim if any of these apply:", "", "any", False),
        ("You can claim if all of the following are true:", "", "all", False),
        ("You can claim if you are an employee and either:", "you are an employee", "any", False),
        ("You must pay unless:", "", None, True),
        ("If you are 16, you can claim if you:", "you are 16", None, False),
    ],
)
def test_a_lead_in_leaves_a_slot(text: str, closed: str, operator: str | None, negated: bool) -> None:
    parsed = parse_conditions(text)
    assert written(parsed.condition) == closed
    assert parsed.slot is not None
    assert (parsed.slot.operator, parsed.slot.negated) == (operator, negated)


def test_items_fill_the_slot() -> None:
    parsed = parse_conditions("You can claim if you are an employee and either:")
    one, two = Leaf("e1", 0, 1, "a"), Leaf("e2", 0, 1, "b")
    assert written(parsed.with_items([one, two])) == "all[you are an employee; any[a; b]]"
    assert written(parse_conditions("You pay unless:").with_items([one, two], "any")) == "not(any[a; b])"
    assert written(parsed.with_items([])) == "you are an employee"


def test_clauses_with_a_subject_of_their_own_stand_alone() -> None:
    text = "You cannot send faxes unless they agreed, but you can send letters - you must keep a copy."
    assert [text[slice(*span)] for span in independent_clauses(text, 0, len(text))] == [
        "You cannot send faxes unless they agreed",
        "you can send letters",
        "you must keep a copy.",
    ]


@given(
    st.text(alphabet=st.sampled_from("if unless,:;.()-£1 you must or and when either only’“\n\t\u00a0é"), max_size=120)
)
def test_any_text_parses_into_exact_spans(text: str) -> None:
    parsed = parse_conditions(text)
    assert 0 <= parsed.main[0] <= parsed.main[1] <= len(text)
    for leaf in leaves(parsed.condition):
        assert leaf.text == text[leaf.start : leaf.end] != ""
    assert len(plain(text)) == len(text)
    assert parse_conditions(text) == parsed


_WORDS = lexicon.word_set(
    "if unless you we must can cannot get pay the a form home and or but not only , : . when either all of these"
)


@given(st.lists(st.sampled_from(sorted(_WORDS)), max_size=25))
def test_any_words_parse_into_exact_spans(parts: list[str]) -> None:
    text = " ".join(parts)
    for start, end in independent_clauses(text, 0, len(text)):
        parsed = parse_conditions(text, "e0", start, end)
        assert all(start <= leaf.start < leaf.end <= end for leaf in leaves(parsed.condition))
