"""What a place of a page has for a question: values of the kind asked for, the table cell that is told, fitting words.

A cell is told whose row and column somebody names, or has the figure of, and no other: "120 g/km, registered in March
2019" is one row (101 to 150) and one column (before 1 April 2020) of the rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import content
from clausegraph.core.language.quantities import Quantity, find_quantities
from clausegraph.core.types import Element, Evidence, PageKey, Reading
from clausegraph.query.read.evidence import evidence_of, table_of
from clausegraph.query.read.figures import UserFigure, bounds_of, compare, figures
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.questions import AnswerType, QuestionForm
from clausegraph.query.read.statements import Candidate
from clausegraph.query.read.word_match import content_terms, is_named, missing_terms

CELLS = " | "  # between the cells of a row
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
_DAY = re.compile(r"\b(?:what|which) (?:day|date)\b", re.IGNORECASE)
_CHANGES = re.compile(r"\b(?:half|extra|reduced|discount|free|instead|double|limit)\b", re.IGNORECASE)
_OTHERS = frozenset(("else", "others"))
_MOST_LIMITS = 2
_BY_FIGURE = 100  # more than a key has words
_NUMBER = re.compile(r"\d[\d.,]*(?<=\d)")
_OF_THE_PAGE = ("amount", "age", "born")  # a limit of savings or age holds for all of a page
_ALIKE = ({"age", "born", "number"}, {"duration", "since", "date"}, {"amount", "number"}, {"date", "born"})


def is_typed(form: QuestionForm) -> bool:
    """Whether the answer is one value."""
    return form.type in _KINDS or form.type is AnswerType.FORM


def values_in(form: QuestionForm, element: Element) -> Iterator[tuple[int, int]]:
    """The values of the asked kind in an element, each from its modifier's start to its end."""
    text = element.text
    if form.type is AnswerType.FORM:
        yield from (match.span() for match in _FORM.finditer(text))
        return
    kinds = ("date",) if form.type is AnswerType.DATE and _DAY.search(form.sentence) else _KINDS[form.type]
    counted = _HOW_MANY.search(form.sentence)
    cells = text.find(CELLS) if element.tag == "tr" else -1  # the first cell says what a row is about
    for quantity in find_quantities(text):
        if quantity.start >= cells and quantity.kind in kinds and _counts(quantity, counted, text):
            before = _MODIFIER.search(text, 0, quantity.start)
            after = _AFTER.match(text, quantity.end)
            yield before.start() if before else quantity.start, after.end() if after else quantity.end


def _counts(quantity: Quantity, counted: re.Match[str] | None, text: str) -> bool:
    """Whether a value counts what "how many" asks for: by its unit, or the words after it."""
    if counted is None:
        return quantity.kind != "number" or bool(quantity.unit)
    wanted = content(counted[1]) | content(counted[0].split()[2])
    return bool(wanted & content(text[quantity.start : quantity.end + 30]))


# --- tables ----------------------------------------------------------------------------------------


def is_user_cell(context: QuestionContext, row: Element, column: int, reading: Reading) -> bool:
    """Whether row and column are told, each where it has equals, and at least one of them beside what is asked.

    Args:
        column: the cell's number in its row, from 1: the first cell says what the row is about.
    """
    columns = list(row.headers[1:])
    if not 0 < column <= len(columns):
        return False
    both = ((_row_key(row), _row_keys(row, reading)), (row.headers[column], columns))
    several = [(key, keys) for key, keys in both if len(set(keys)) > 1]
    alone = bool(several) and all(_is_alone(context, key, keys) for key, keys in several)
    return alone and any(_met(key, context.scenario_text, context) for key, _ in several)


def is_user_row(context: QuestionContext, row: Element, reading: Reading) -> bool:
    """Whether what is told beside asking meets what a row is about, and no other row of its table."""
    if row.tag != "tr" or not any(row.headers) or not _met(_row_key(row), context.scenario_text, context):
        return False
    return _is_alone(context, _row_key(row), _row_keys(row, reading))


def is_band_of_user(context: QuestionContext, row: Element) -> bool:
    """Whether a figure that is told lies within the band that a row is of: "£24,001 to £36,000"."""
    band = compare(" ".join((*row.headers[:1], row.text.split(CELLS)[0])), context.user_text, context.today)
    return band is not None and band.holds


def limits_of(page: PageKey, row: Element, reading: Reading) -> list[Evidence]:
    """The first sentences under the heading of a table that limit it: "A car of more than £45,000 costs £320 more"."""
    texts = [e for e in reading.elements if e.headings == row.headings and e.tag != "tr" and not e.is_heading]
    spans = ((element, span) for element in texts for span in sentence_spans(element.text))
    limiting = (one for one in spans if _CHANGES.search(one[0].text, *one[1]))
    return [evidence_of(page, reading, element, *span) for element, span in islice(limiting, _MOST_LIMITS)]


def _row_key(row: Element) -> str:
    return f"{' '.join(row.headers[:1])}: {row.text.split(CELLS)[0]}"


def _row_keys(row: Element, reading: Reading) -> list[str]:
    return [_row_key(other) for other in table_of(row, reading)]


def _is_alone(context: QuestionContext, key: str, keys: list[str]) -> bool:
    """Whether what is told meets a row's or a column's key, and each of its equals less, if at all."""
    met = _met(key, context.user_text, context)
    return met > 0 and all(_met(other, context.user_text, context) < met for other in keys if other != key)


def _met(key: str, user_text: str, context: QuestionContext) -> int:
    """How surely what is told meets a key: by a figure within it, all of its words, or one of the cases it names; 0."""
    compared = compare(key, user_text, context.today)
    if compared is not None:
        return _BY_FIGURE if compared.holds else 0
    named = key.split(": ", 1)[-1]
    words = content_terms(named) - _OTHERS
    if words and not missing_terms(words, user_text):
        return 1 + len(words)
    return int(bool(words) and is_named(named, user_text))


# --- the words and figures of the question ---------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fit:
    """How well a place says what the question says: the words of what is asked, and of the case it is asked for, that
    nothing there says; those that are said only around it; and how many words of the story it does not have."""

    missing: frozenset[str]
    case: frozenset[str]
    only_around: frozenset[str]
    untold: int
    rank: int

    @property
    def lacking(self) -> int:
        """The words that nothing there says."""
        return len(self.missing) + len(self.case)

    @property
    def key(self) -> tuple[int, int, int]:
        """Smaller is better; of equals the search decides."""
        return self.lacking, len(self.only_around), self.untold


def fit(context: QuestionContext, candidate: Candidate, rank: int, own: str) -> Fit:
    """How well a place fits; ``own`` is its sentence with what introduces it."""
    reading = context.pages(candidate.page)
    around = " ".join((reading.title or "", *candidate.element.headings))
    outside = missing_terms(content_terms(context.parts.asks), own)
    case = missing_terms(content_terms(context.parts.case), f"{own} {around} {candidate.element.text}")
    untold = len(missing_terms(content_terms(context.scenario_text), own))
    return Fit(missing_terms(outside, around), case, outside, untold, rank)


def figures_left(
    context: QuestionContext, candidate: Candidate, text: str, bounds: Iterable[str], met: Iterable[str] = ()
) -> bool:
    """Whether a told figure is compared with no bound of the place, though its section bounds figures of that kind.

    Args:
        text: the words of the place.
        bounds: its conditions, row and column names.
        met: conditions that the user text meets: a figure that stands with all words of one belongs to it.
    """
    said = [words for condition in met if (words := content(" ".join(content_terms(condition))))]
    judged = [compare(bound, context.user_text, context.today) for bound in bounds]
    used = {one.figure.text for one in judged if one is not None}
    left = [one for one in figures(context.user_text) if one.text not in used and one.text.lower() not in text.lower()]
    if any(_may_matter(context, one, candidate) for one in left if not any(words <= one.about for words in said)):
        return True
    shown_there = {number for shown in (text, *used) for number in _NUMBER.findall(shown)}
    return any(number not in shown_there for number in _NUMBER.findall(context.form.sentence))


def _may_matter(context: QuestionContext, one: UserFigure, candidate: Candidate) -> bool:
    """Whether some bound of its kind is near by, in the section or on the page, and does not surely hold for it."""
    for element in context.pages(candidate.page).elements:
        near = one.value.kind in _OF_THE_PAGE or element.headings == candidate.element.headings
        for span in sentence_spans(element.text) if near and not element.is_heading else ():
            sentence = element.text[slice(*span)]
            if any(alike(one.value.kind, bound.kind) for bound in bounds_of(sentence)):
                compared = compare(sentence, context.user_text, context.today)
                if compared is None or compared.figure.text != one.text or not compared.holds:
                    return True
    return False


def alike(kind: str, other: str) -> bool:
    """Whether figures of two kinds can be of one thing: an age and a date of birth."""
    return kind == other or any({kind, other} <= kinds for kinds in _ALIKE)
