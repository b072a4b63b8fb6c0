"""The condition language: small sentences, exact trees."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clausegraph.core.language import lexicon
from clausegraph.core.language.conditions import independent_clauses, parse_conditions
from clausegraph.core.language.normalise import plain
from clausegraph.core.types import Leaf, RuleKind, leaves
from clausegraph.ingestion.extract.rules.extractor import ChunkReader
from tests.harness.tables import rows
from tests.ingestion.rules.sketch import page, written


@pytest.mark.parametrize(("text", "main", "tree"), rows(__file__, "a sentence, its main clause, and its tree"))
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
    rows(__file__, "a lead-in: what it closes, its operator, if it negates"),
)
def test_a_lead_in_leaves_a_slot(text: str, closed: str, operator: str, negated: str) -> None:
    parsed = parse_conditions(text)
    assert written(parsed.condition) == closed
    assert parsed.slot is not None
    assert (parsed.slot.operator or "", parsed.slot.negated) == (operator, negated == "yes")


@pytest.mark.parametrize(("phrase", "tree"), rows(__file__, "a condition phrase, and what it makes of its clause"))
def test_a_phrase_sets_the_condition_of_a_rule_at_either_end(phrase: str, tree: str) -> None:
    clause = "you can get the Heating Grant"
    for text in (
        f"{phrase.capitalize()} you rent a flat, {clause}.",
        f"{clause.capitalize()}, {phrase} you rent a flat.",
        f"However, {phrase} you rent a flat, {clause}.",
    ):
        reader = ChunkReader(page(text))
        (fact,) = reader.read().statements
        (rule,) = reader.rules()
        assert (rule.kinds, written(rule.condition)) == ((RuleKind.ELIGIBILITY,), tree), text
        assert written(fact.condition) == tree, text


def test_items_fill_the_slot() -> None:
    parsed = parse_conditions("You can claim if you are an employee and either:")
    one, two = Leaf("e1", 0, 1, "a"), Leaf("e2", 0, 1, "b")
    assert written(parsed.with_items([one, two])) == "all[you are an employee; any[a; b]]"
    assert written(parse_conditions("You pay unless:").with_items([one, two], "any")) == "not(any[a; b])"
    assert written(parsed.with_items([])) == "you are an employee"


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
