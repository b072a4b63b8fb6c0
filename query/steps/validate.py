"""Validation by rules: do the best hits have the names of the question, and something of the kind it asks for?"""

from __future__ import annotations

import re
from collections.abc import Sequence

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.quantities import find_quantities
from clausegraph.query.rank.hits import Hit
from clausegraph.query.read.protocol import Pages
from clausegraph.query.read.questions import AnswerType, QuestionKind, question_form
from clausegraph.query.retrieve.topics import Offer
from clausegraph.query.steps.protocol import Acceptance, Lack, LookedUp, Module, Route, StepNotes

LOOK_AT = 8  # hits that the reader decides by
_VALUES = {
    AnswerType.AMOUNT: ("amount", "percent"),
    AnswerType.DURATION: ("duration", "date", "number"),
    AnswerType.DATE: ("date", "duration"),
    AnswerType.AGE: ("age", "number", "duration"),
    AnswerType.NUMBER: ("number", "amount", "duration", "age", "percent"),
}
_ANY_DIGIT = re.compile(r"\d")


class RuleValidator:
    """Accepts what has them; otherwise says what is missing."""

    calls = 0
    last = False

    def __init__(self, pages: Pages) -> None:
        self.notes = StepNotes()
        self._pages = pages

    def validate(self, inquiry: Inquiry, offer: Offer, route: Route, found: LookedUp) -> Acceptance:
        """The first thing that is missing, or accepted."""
        if not found.hits or (found.met == 0 and route.module is not Module.TEXT):
            return Acceptance(False, "nothing is stated around the topics", Lack.NOTHING_FOUND)
        best = found.hits[:LOOK_AT]
        text = entity_key(" ".join(self._around(best)))
        names = [topic.key for topic in offer.named]
        missing = [name for name in names if f" {name} " not in f" {text} "]
        has_kind = has_value(inquiry, [hit.text for hit in best])
        score = (len(names) - len(missing)) / len(names) if names else 1.0
        score += has_kind / 2  # what is about something else answers nothing, whatever values it has
        if missing:
            return Acceptance(False, f"nothing found is about {missing[0]}", Lack.NAME, missing[0], score)
        if not has_kind:
            wanted = question_form(inquiry.question).type.value
            return Acceptance(False, f"nothing found has a value: {wanted}", Lack.KIND, wanted, score)
        return Acceptance(True, "names and kind are there", score=score)

    def _around(self, hits: Sequence[Hit]) -> list[str]:
        """The texts with their headings and the titles of their pages."""
        return [part for hit in hits for part in (self._pages(hit.page).title, *hit.headings, hit.text)]


def has_value(inquiry: Inquiry, texts: Sequence[str]) -> bool:
    """Whether a text has a value of the type that the question asks for; true where it asks for none."""
    form = question_form(inquiry.question)
    kinds = _VALUES.get(form.type)
    if form.kind is QuestionKind.YES_NO or kinds is None:
        return True
    if form.type in (AnswerType.NUMBER, AnswerType.AGE) and any(_ANY_DIGIT.search(text) for text in texts):
        return True
    return any(quantity.kind in kinds for text in texts for quantity in find_quantities(text))
