"""What counts as another answer to one question, and what is only another wording of it."""

from __future__ import annotations

import pytest

from clausegraph.app.services.answer_changes import answer_differences
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import (
    All,
    Alternative,
    Answer,
    AnswerStatus,
    ConditionState,
    Evidence,
    JudgedLeaf,
    Leaf,
    Not,
    PageKey,
    Span,
)

pytestmark = pytest.mark.unit
RULE = "You must apply within two weeks of 3 March, or by post for £90."
FREE = RULE.replace("must", "need not")


def _evidence(quote: str, page: str = "permit.html") -> Evidence:
    return Evidence(PageKey("pages", page), "Permit", (), Span("p-1", 0, 9), quote, f"<p>{quote}</p>")


def _leaf(words: str, state: str = "unknown") -> JudgedLeaf:
    return JudgedLeaf(Leaf("p-1", 0, 9, words), ConditionState(state), _evidence(f"You can get it if {words}."))


def _answer(
    text: str = "yes", quote: str = RULE, *, when: JudgedLeaf | All[JudgedLeaf] | None = None, status: str = "answered",
    page: str = "permit.html", score: float = 1.0,
) -> Answer:  # fmt: skip
    one = Alternative(text, when, (_evidence(quote, page),), score)
    return Answer(Inquiry("May I?"), AnswerStatus(status), (one,), "default", 1)


@pytest.mark.parametrize(
    ("before", "after", "differs"),
    [
        (_answer(), _answer(score=0.2), {}),
        (_answer(), _answer(quote="Within 14 days of 3 March you have to apply, or by post for £90."), {}),
        (_answer("You must apply by post", when=_leaf("you are over 60")),
         _answer("You have to apply by post", when=_leaf("you are over 60")), {}),
        (_answer(), _answer(status="quoted"), {"status": ("answered", "quoted")}),
        (_answer(), _answer("no"), {"answer": ("yes", "no")}),
        (_answer("within 42 days"), _answer("within six weeks"), {}),
        (_answer("£90"), _answer("£95"), {"value": ("£90", "£95")}),
        (_answer("3 March 2026"), _answer("3 May 2026"), {"value": ("3 March 2026", "3 May 2026")}),
        (_answer("on Monday"), _answer("on Friday"), {"value": ("on Monday", "on Friday")}),
        (_answer(), _answer(quote=RULE.replace("two", "three")), {"value": ("two weeks", "three weeks")}),
        (_answer(), _answer(quote=FREE), {"source": (RULE, FREE)}),
        (_answer("£5 or £9"), _answer("£9 or £5"), {"answer": ("£5 or £9", "£9 or £5")}),
        (_answer(), _answer(page="new.html"),
         {"source": (f"pages:permit.html: {RULE}", f"pages:new.html: {RULE}")}),
        (_answer(when=All((_leaf("you live here"), Not(_leaf("you are a guest"))))),
         _answer(when=_leaf("you live here")),
         {"condition": ("(you live here and not you are a guest)", "you live here"),
          "source": ("pages:permit.html: You can get it if you are a guest.", "")}),
        (_answer(when=_leaf("you live here", "met")), _answer(when=_leaf("you live here")),
         {"condition": ("met: you live here", "unknown: you live here")}),
        (_answer(), _answer(when=_leaf("you are a student")),
         {"condition": ("", "you are a student"),
          "source": ("", "pages:permit.html: You can get it if you are a student.")}),
    ],
)  # fmt: skip
def test_answers_differ_in_what_they_say_and_not_in_how(
    before: Answer, after: Answer, differs: dict[str, tuple[str, str]]
) -> None:
    assert {one.what: (one.old, one.new) for one in answer_differences(before, after)} == differs
    assert {one.what: (one.new, one.old) for one in answer_differences(after, before)} == differs


def test_a_condition_in_another_order_is_the_same() -> None:
    parts = (_leaf("you are over 60"), _leaf("you live here"))
    orders = (_answer(when=All(parts)), _answer(when=All(parts[::-1])))
    assert answer_differences(*orders) == []
