"""Evidence recall at budgets, and when two elements are the same."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from clausegraph.core.errors import InputError
from clausegraph.eval.metrics import element_key, element_text
from clausegraph.eval.retrieval import BudgetFigures, evidence_at_budgets, summarise_retrieval

pytestmark = pytest.mark.unit


def _words(text: str) -> int:
    return len(text.split())


# --- elements -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("element", "tag", "text"),
    [
        ("<p>A B&B costs £5</p>", "p", "A B&B costs £5"),
        ("<LI class='x'>be\n over&nbsp;18</LI>", "li", "be over 18"),
        ('<p>see <a href="/x">page</a>, or <b>a</b>b</p>', "p", "see page, or ab"),
        ("<p>one<br/>two</p>", "p", "one two"),
        ("<tr><th>Rate</th> <td>£5</td></tr>", "tr", "Rate | £5"),
        ("<tr>Rate | £5</tr>", "tr", "Rate | £5"),
        ("<p>if x < 5 and y > 3</p>", "p", "if x < 5 and y > 3"),
        ("no tag", "", "no tag"),
        ("<p></p>", "p", ""),
    ],
)
def test_tag_and_text_of_an_element(element: str, tag: str, text: str) -> None:
    assert (element_key(element)[0], element_text(element)) == (tag, text)


def test_what_counts_as_the_same_element() -> None:
    assert element_key("<p>a &amp; b</p>") == element_key("<p class='x'> a  & b </p>")
    assert element_key("<p>a</p>") != element_key("<li>a</li>")
    assert element_key("<p>a</p>") != element_key("<p>A</p>")
    assert element_key("<p><img src='1'></p>") != element_key("<p><img src='2'></p>")


# --- one question ---------------------------------------------------------------------------------


def test_units_are_taken_whole_until_the_first_that_does_not_fit() -> None:
    units = [["<h1>one</h1>", "<p>two three</p>"], ["<p>four five six</p>"], ["<p>seven</p>"]]
    evidence = ["<p>two three</p>", "<p>seven</p>"]
    figures = evidence_at_budgets(units, evidence, _words, budgets=(2, 3, 5, 6, 7))
    # At 5 the second unit does not fit and the third, which would, is not taken either.
    assert [(f.tokens, f.units, f.recall) for f in figures] == [
        (0, 0, 0.0),
        (3, 1, 0.5),
        (3, 1, 0.5),
        (6, 2, 0.5),
        (7, 3, 1.0),
    ]
    assert [figure.complete for figure in figures] == [False, False, False, False, True]


def test_repeated_elements_cost_once_within_and_across_units() -> None:
    units = [["<p>one two</p>", "<p>one  two</p>"], ["<p>one two</p>"], ["<p>one two</p>", "<p>three</p>"]]
    (figures,) = evidence_at_budgets(units, ["<p>three</p>"], _words, budgets=(3,))
    assert figures == BudgetFigures(budget=3, tokens=3, units=3, recall=1.0)


def test_repeated_evidence_counts_once() -> None:
    evidence = ["<p>a</p>", "<p>a</p>", "<p>b</p>"]
    (figures,) = evidence_at_budgets([["<p>a</p>"]], evidence, _words, budgets=(9,))
    assert figures.recall == 0.5


def test_nothing_found_nothing_to_find_and_a_bad_budget() -> None:
    (empty,) = evidence_at_budgets([], ["<p>a</p>"], _words, budgets=(9,))
    assert (empty.recall, empty.tokens) == (0.0, 0)
    (no_evidence,) = evidence_at_budgets([["<p>a</p>"]], [], _words, budgets=(9,))
    assert no_evidence.recall is None
    assert not no_evidence.complete
    with pytest.raises(InputError, match="budget 0 is not positive"):
        evidence_at_budgets([], [], _words, budgets=(0,))


_ELEMENT = st.integers(0, 12).map(lambda number: f"<p>{'w ' * (number % 4)}{number}</p>")


@settings(deadline=None)  # a slow machine is no failure
@given(
    units=st.lists(st.lists(_ELEMENT, max_size=4), max_size=8),
    evidence=st.lists(_ELEMENT, min_size=1, max_size=4),
)
def test_a_larger_budget_never_shows_less(units: list[list[str]], evidence: list[str]) -> None:
    figures = evidence_at_budgets(units, evidence, _words, budgets=(1, 5, 10, 1000))
    recalls = [figure.recall for figure in figures]
    assert all(figure.tokens <= figure.budget for figure in figures)
    assert recalls == sorted(recalls, key=lambda recall: recall or 0.0)
    everything = {element for unit in units for element in unit}
    assert recalls[-1] == len(everything & set(evidence)) / len(set(evidence))


# --- many questions -------------------------------------------------------------------------------


def test_means_are_over_the_questions_that_have_evidence() -> None:
    questions = [
        [BudgetFigures(650, 600, 3, 1.0), BudgetFigures(1300, 1200, 6, 1.0)],
        [BudgetFigures(650, 600, 3, 0.5), BudgetFigures(1300, 1200, 6, 1.0)],
        [BudgetFigures(650, 600, 3, None), BudgetFigures(1300, 1200, 6, None)],
        [BudgetFigures(650, 0, 0, 0.0), BudgetFigures(1300, 1200, 6, 0.25)],
    ]
    small, large = summarise_retrieval(questions)
    assert (small.budget, small.questions, small.recall, small.complete) == (650, 3, 0.5, 1 / 3)
    assert (large.budget, large.questions, large.recall, large.complete) == (1300, 3, 0.75, 2 / 3)
    (nothing,) = summarise_retrieval([[BudgetFigures(650, 0, 0, None)]])
    assert (nothing.questions, nothing.recall, nothing.complete) == (0, None, None)
