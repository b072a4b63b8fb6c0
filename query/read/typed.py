"""Answers that are one value (an amount, a date, a duration, an age, a number, a form): which value of which sentence.

Every value of the asked kind among the elements found is weighed by the words of the question in what the value belongs
to: its clause, its sentence with lead-in and headings, or the row and the column of its cell; and by how near
its element is to the best one of the search. A row or a column whose own bound the scenario does not meet is left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.quantities import Quantity, find_quantities
from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.language.terms import content, overlap
from clausegraph.core.types import Element, PageKey, leaves
from clausegraph.query.read.candidates import Candidate, nearness
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.figures import compare
from clausegraph.query.read.protocol import Pages
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
_DEPTH = 25
_NEAR, _CLAUSE, _BOUND_MET, _BOUND_UNMET, _CONDITION = 1.2, 0.4, 0.4, -2.0, -0.3


@dataclass(frozen=True, slots=True)
class TypedValue:
    """A value ``[start, end)`` of an element, its worth as the answer, and the share of the question around it."""

    candidate: Candidate
    start: int
    end: int
    worth: float
    words: float
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


def typed_values(
    form: QuestionForm, asked: frozenset[str], told: str, today: date | None, ranked: Sequence[Candidate], pages: Pages
) -> list[TypedValue]:
    """The values of the asked kind, best first; ties by rank and place."""
    found = []
    for candidate, near in zip(ranked[:_DEPTH], nearness(ranked[:_DEPTH]), strict=True):
        if candidate.element.is_heading:
            continue
        for start, end, kind in values_in(form, candidate.element):
            worth, words = _worth(candidate, (start, end), asked, told, today, pages)
            found.append(TypedValue(candidate, start, end, worth + _NEAR * near, words, kind))
    return sorted(found, key=lambda value: -value.worth)


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


def _worth(
    candidate: Candidate, span: tuple[int, int], asked: frozenset[str], told: str, today: date | None, pages: Pages
) -> tuple[float, float]:
    """The worth of a value without its rank, and the share of the question's words in its context."""
    element, reading = candidate.element, pages(candidate.page)
    around = f"{reading.title} {' '.join(element.headings[-1:])}"
    if element.tag == "tr":
        row, column = row_and_column(element, span[0])
        words = overlap(asked, f"{row} {column} {around}")
        named = " ".join(element.headers[:1])
        bound = sum(_fits(part, told, today) for part in (f"{named} {row}", column) if part.strip())
        return (1 + _CLAUSE) * overlap(asked, f"{row} {column}") + bound, words
    start, end = next(((s, e) for s, e in sentence_spans(element.text) if s <= span[0] < e), (0, len(element.text)))
    sentence, lead = element.text[start:end], introduction(element, reading)
    clause = clause_around(element.text, (start, end), span)
    words = overlap(asked, f"{lead} {sentence} {around}")
    worth = 0.75 * overlap(asked, f"{lead} {sentence}") + 0.25 * words + _CLAUSE * overlap(asked, clause)
    return worth + (_CONDITION if _in_condition(element.text, (start, end), span) else 0.0), words


def _in_condition(text: str, sentence: tuple[int, int], span: tuple[int, int]) -> bool:
    """Whether a value belongs to what a sentence requires, rather than to what it gives."""
    condition = parse_conditions(text, "", *sentence).condition
    return any(leaf.start <= span[0] < leaf.end for leaf in leaves(condition))


def row_and_column(element: Element, position: int) -> tuple[str, str]:
    """The first cell of a row, and the header of the cell at a position."""
    cells = element.text.split(" | ")
    column = element.text[:position].count(" | ")
    header = element.headers[column] if column < len(element.headers) else ""
    return ("" if column == 0 else cells[0]), header


def _fits(bound: str, told: str, today: date | None) -> float:
    compared = compare(bound, told, today) if bound else None
    return 0.0 if compared is None else _BOUND_MET if compared.holds else _BOUND_UNMET


def clause_around(text: str, sentence: tuple[int, int], span: tuple[int, int]) -> str:
    """What stands around a value between commas, "and", "or", "if" and "unless"."""
    cuts = [match.span() for match in _CUT.finditer(text, *sentence)]
    left = max((b for _, b in cuts if b <= span[0]), default=sentence[0])
    return text[left : min((a for a, _ in cuts if a >= span[1]), default=sentence[1])]
