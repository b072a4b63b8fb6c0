"""Guides: read, refused where they cannot be used or were learned; rates counted of questions, and of how they open."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.query.read.model.guide import (
    FEWEST,
    MOST_WORDS,
    FormRates,
    Guide,
    benchmark_guide,
    forms_of,
    held_back,
    rates_by_form,
    rates_in_words,
    rates_of,
    read_guide,
    sample_cases,
    saw_of,
    usual_answers,
)
from clausegraph.query.read.model.labelled import LabelledAnswer, LabelledQuestion
from clausegraph.query.read.model.reader import ReadOptions
from clausegraph.query.read.model.shown import Shown

pytestmark = pytest.mark.unit

SEEN = LabelledQuestion("train-1", "/page", "Can I  claim?", "I rent.", (LabelledAnswer("yes"),), ())


def test_a_guide_is_read_as_it_was_written_and_that_of_the_benchmark_is_general(tmp_path: Path) -> None:
    found = benchmark_guide()
    assert 200 < len(found.text.split()) <= MOST_WORDS and not found.saw
    made = Guide("mine", "Be short.", made_by="openai:x", rates={"a": 0.5}, saw=saw_of([SEEN]), held_back={"f1": 1.0})
    (tmp_path / "g.json").write_text(made.as_json(), "utf-8")
    assert read_guide(tmp_path / "g.json") == made


@pytest.mark.parametrize(("name", "question"), [("train-1", "Another?"), ("dev-7", "can i claim?")])
def test_a_guide_is_refused_on_a_question_it_has_seen(name: str, question: str) -> None:
    guide = Guide("mine", "Be short.", saw=saw_of([SEEN]))
    guide.check_unseen([("dev-1", "May I claim?", "I rent.")])
    with pytest.raises(InputError, match="learned from question 'train-1'"):
        guide.check_unseen([("dev-1", "May I claim?", "I rent."), (name, question, "i RENT.")])


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (None, "cannot be read"),
        ("{", "cannot be read"),
        ("[]", "cannot be read"),
        (replace(Guide("g", "x"), form=9).as_json(), "has form 9"),
        (Guide("g", "word " * (MOST_WORDS + 1)).as_json(), "901 words"),
    ],
)
def test_a_file_that_is_no_guide_is_named(tmp_path: Path, content: str | None, why: str) -> None:
    path = tmp_path / "g.json"
    if content is not None:
        path.write_text(content, "utf-8")
    with pytest.raises(InputError, match=why):
        read_guide(path)


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
    told = usual_answers(found, "So, how much is a form?")
    assert told.startswith('Of 20 labelled questions that ask "how much …", 25% have more than one answer and 0% any')
    assert 'ask "how …"' in usual_answers(found, "How long?")
    assert usual_answers(found, "Who?") == ""


def test_a_reader_is_told_what_is_usual_of_the_question_asked() -> None:
    guide = Guide("mine", "Be short.", forms={"how": FormRates(40, 0.5, 0.1)})
    options, nothing = ReadOptions(guide=guide), Shown((), {})
    asked = options.inputs(Inquiry("How do I pay?"), nothing)
    assert "50% have more than one answer" in str(asked["usual"])
    assert replace(options, guide=benchmark_guide()).inputs(Inquiry("How do I pay?"), nothing)["usual"] == ""


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
    told = rates_in_words(found).splitlines()
    assert len(told) == len(found) and told[0] == "- 57% of the questions are answered yes or no"
    assert rates_of([]) == {} and rates_in_words({}) == ""


def test_a_sample_has_every_kind_and_what_is_held_back_is_of_its_own_pages() -> None:
    many = [
        asked(10 * i + n, *((a.text, a.conditions) for a in q.answers))
        for i in range(40)
        for n, q in enumerate(QUESTIONS)
    ]
    cases = sample_cases(many, 3)
    assert 60 <= len(cases) <= 84 and any(not case.answers for case in cases)
    assert cases == sample_cases(many, 3) != sample_cases(many, 4)
    tested = held_back(many, 10, 3)
    assert len({question.page for question in tested}) == len(tested) == 10
    assert len(held_back(many, 500, 3)) == len({question.page for question in many}) // 5
