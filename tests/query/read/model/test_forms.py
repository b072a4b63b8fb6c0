"""How a question opens, and what is usual of such questions: counted, told where enough ask alike."""

from __future__ import annotations

from dataclasses import replace

import pytest

from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.model.guide import (
    FEWEST,
    FormRates,
    Guide,
    benchmark_guide,
    forms_of,
    rates_by_form,
    told_form,
)
from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion
from clausegraph.query.read.model.reader import ReadOptions
from clausegraph.query.read.model.shown import Shown

pytestmark = pytest.mark.unit


@pytest.mark.parametrize(
    ("question", "forms"),
    [
        ("How much will I get?", ("how much", "how")),
        ("Can I claim?", ("can i", "can")),
        ("If I moved out, do I still have to pay?", ("do i", "do")),
        ("As a landlord, and at my age, what documents do I need?", ("what documents", "what")),
        ("Is it allowed? I have never asked before.", ("is it", "is")),
        ("To whom do I write?", ("whom do", "whom")),
        ("Why?", ("why",)),
        ("I would like to know my rate", ()),
        ("", ()),
    ],
)
def test_a_form_is_how_the_question_opens(question: str, forms: tuple[str, ...]) -> None:
    assert forms_of(question) == forms


def labelled(number: int, question: str, *answers: str, condition: str = "") -> LabelledQuestion:
    conditions = (condition,) if condition else ()
    return LabelledQuestion(str(number), "/p", question, "", tuple(LabelledAnswer(a, conditions) for a in answers), ())


def test_rates_are_of_answered_questions_and_of_forms_that_enough_have() -> None:
    many = [labelled(i, "How much is it?", "£5", *(["£6"] if i % 4 == 0 else [])) for i in range(FEWEST)]
    few = [labelled(i, "How long is it?", "a day", condition="<p>x</p>") for i in range(FEWEST // 4)]
    none = [labelled(i, "How much is it?") for i in range(FEWEST)]
    found = rates_by_form([*many, *few, *none])
    assert found == {"how": FormRates(25, 0.2, 0.2), "how much": FormRates(20, 0.25, 0.0)}
    told = told_form(found, "So, how much is a form?")
    assert told.startswith('Of 20 labelled questions that ask "how much …", 25% have more than one answer and 0% any')
    assert 'ask "how …"' in told_form(found, "How long?")
    assert told_form(found, "Who?") == ""


def test_a_reader_is_told_what_is_usual_of_the_question_asked() -> None:
    guide = Guide("mine", "Be short.", forms={"how": FormRates(40, 0.5, 0.1)})
    options, nothing = ReadOptions(guide=guide), Shown((), {})
    asked = options.inputs(Inquiry("How do I pay?"), nothing)
    assert "50% have more than one answer" in str(asked["usual"])
    shipped = replace(options, guide=benchmark_guide()).inputs(Inquiry("How do I pay?"), nothing)
    assert shipped["usual"] == ""
