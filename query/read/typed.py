"""Values of the kind that a question asks for in an element: an amount, date, duration, age, number or form."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from clausegraph.core.language.normalise import content
from clausegraph.core.language.quantities import Quantity, find_quantities
from clausegraph.core.types import Element, PageKey
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.questions import AnswerType, QuestionForm

_KINDS: dict[AnswerType, tuple[str, ...]] = {
    AnswerType.AMOUNT: ("amount", "percent"),
    AnswerType.DURATION: ("duration",),
    AnswerType.DATE: ("date", "duration"),
    AnswerType.AGE: ("age",),
    AnswerType.NUMBER: ("number", "duration", "age"),
}
_MODIFIER = re.compile(
    r"\b(?:(?:within|at least|at most|up to|no more than|more than|less than|over|under|after|before|by|between|from"
    r"|until|a maximum of|a minimum of|aged?)\s+){1,2}$",
    re.IGNORECASE,
)
_AFTER = re.compile(r"\s*(?:or (?:over|under|older|younger|more|less)|a (?:week|month|year|day)|each)\b", re.IGNORECASE)
_FORM = re.compile(r"(?:\bform\s+)?\b[A-Z]{1,6}\d+[A-Z0-9/]*\b(?:\s+form)?")
_HOW_MANY = re.compile(r"\bhow many\s+(?:\w+\s+)?(\w+)", re.IGNORECASE)
_CUT = re.compile(r"[,;:](?=\s)|\s(?:and|but|or|if|unless)\s")


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value ``[start, end)`` of an element, and its kind."""

    candidate: Candidate
    start: int
    end: int
    kind: str

    @property
    def text(self) -> str:
        return self.candidate.element.text[self.start : self.end]

    @property
    def place(self) -> tuple[PageKey, str]:
        return self.candidate.page, self.candidate.element.anchor


def is_typed(form: QuestionForm) -> bool:
    """Whether the answer is one value."""
    return form.type in _KINDS or form.type is AnswerType.FORM


def values_in(form: QuestionForm, element: Element) -> Iterator[tuple[int, int, str]]:
    """The values of the asked kind in an element: start and end, with its modifiers, and kind."""
    text = element.text
    if form.type is AnswerType.FORM:
        yield from ((match.start(), match.end(), "form") for match in _FORM.finditer(text))
        return
    counted = _HOW_MANY.search(form.sentence)
    cells = text.find(" | ") if element.tag == "tr" else -1
    for quantity in find_quantities(text):
        if quantity.start < cells:  # the first cell says what a row is about
            continue
        if quantity.kind in _KINDS[form.type] and _counts(quantity, counted, text):
            before = _MODIFIER.search(text, 0, quantity.start)
            after = _AFTER.match(text, quantity.end)
            start = before.start() if before else quantity.start
            yield start, after.end() if after else quantity.end, quantity.kind


def _counts(quantity: Quantity, counted: re.Match[str] | None, text: str) -> bool:
    """Whether a value counts what "how many" asks for: by its unit, or the words after it."""
    if counted is None:
        return quantity.kind != "number" or bool(quantity.unit)
    wanted = content(counted[1]) | content(counted[0].split()[2])
    return bool(wanted & content(text[quantity.start : quantity.end + 30]))


def row_and_column(element: Element, position: int) -> tuple[str, str]:
    """The first cell of a row, and the header of the cell at a position."""
    cells = element.text.split(" | ")
    column = element.text[:position].count(" | ")
    header = element.headers[column] if column < len(element.headers) else ""
    return ("" if column == 0 else cells[0]), header


def clause_around(text: str, sentence: tuple[int, int], span: tuple[int, int]) -> str:
    """What stands around a value between commas, "and", "or", "if" and "unless"."""
    cuts = [match.span() for match in _CUT.finditer(text, *sentence)]
    left = max((b for _, b in cuts if b <= span[0]), default=sentence[0])
    return text[left : min((a for a, _ in cuts if a >= span[1]), default=sentence[1])]
