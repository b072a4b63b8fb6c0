"""Base rates are counts: of questions, answers and conditions."""

from __future__ import annotations

import pytest

from clausegraph.query.read.model.guide import held_back, rates_of, sampled, told_rates
from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion

pytestmark = pytest.mark.unit


def asked(number: int, *answers: tuple[str, tuple[str, ...]], question: str = "Can I?") -> LabelledQuestion:
    made = tuple(LabelledAnswer(text, conditions) for text, conditions in answers)
    return LabelledQuestion(f"q{number}", f"/{number // 2}", question, "", made, ("<p>Yes:</p>",))


QUESTIONS = [
    asked(0, ("yes", ())),
    asked(1, ("yes", ("<li>a</li>", "<p>All of:</p>"))),
    asked(2, ("no", ()), question="Is it so?"),
    asked(3, ("yes", ()), ("no", ("<li>b</li>",))),
    asked(4, ("form A", ()), question="Which form?"),
    asked(5, ("within two weeks", ()), ("£5 a day", ("<tr>x</tr>",)), question="When and what?"),
    asked(6),
]


def test_rates_are_shares_of_what_they_say() -> None:
    found = rates_of(QUESTIONS)
    assert found == {
        "verdicts": 0.571, "unanswerable": 0.143, "verdicts_single": 0.75, "verdicts_both": 0.25, "verdicts_yes": 0.667,
        "verdicts_conditional": 0.333, "asked_can_conditional": 0.5, "spans_single": 0.5,
        "spans_single_conditional": 0.0, "spans_several_conditional": 0.5, "conditions_items": 0.5,
        "conditions_lead_ins": 0.25, "conditions_single": 0.667, "span_words_median": 3,
        "span_words_ninth_decile": 3.0, "several_median": 2, "conditions_median": 1,
    }  # fmt: skip
    told = told_rates(found).splitlines()
    assert len(told) == len(found) and told[0] == "- 57% of the questions are answered yes or no"


def test_what_there_is_nothing_of_has_no_rate() -> None:
    assert rates_of([]) == {}
    assert told_rates({}) == ""


def test_a_sample_has_every_kind_and_what_is_held_back_is_of_its_own_pages() -> None:
    many = [
        asked(10 * i + n, *((a.text, a.conditions) for a in q.answers))
        for i in range(40)
        for n, q in enumerate(QUESTIONS)
    ]
    cases = sampled(many, 3, most=36)
    assert 30 <= len(cases) <= 42 and any(not case.answers for case in cases)
    assert cases == sampled(many, 3, most=36) != sampled(many, 4, most=36)
    tested = held_back(many, 10, 3)
    assert len({question.page for question in tested}) == len(tested) == 10
    assert len(held_back(many, 500, 3)) == len({question.page for question in many}) // 5
