"""The cell of a table that is told: whose row and column one names, or has the figure of, and no other row or column.

"120 g/km, registered in March 2019" is one row (101 to 150) and one column (before 1 April 2020) of the rates.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.types import Element, Evidence, PageKey, Reading
from clausegraph.query.read.evidence import evidence_of, table_of
from clausegraph.query.read.figures import compare
from clausegraph.query.read.listed_cases import is_named
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.word_match import content_terms, missing_terms

_CELLS = " | "
_LIMITS = re.compile(
    r"\b(?:if|unless|except|only|cannot|not|no|never|half|extra|reduced|discount|free|limit|instead|more|most|less|least"
    r"|double|older|under|over|extended)\b|n['’]t\b",
    re.IGNORECASE,
)
_CHANGES = re.compile(r"\b(?:half|extra|reduced|discount|free|instead|double|limit)\b", re.IGNORECASE)
_OTHERS = frozenset(("else", "others"))
_MOST_LIMITS = 2
_BY_FIGURE = 100  # more than a key has words


def is_user_cell(context: QuestionContext, row: Element, column: int, reading: Reading) -> bool:
    """Whether row and column are told, each where it has equals, and at least one of them beside what is asked.

    Args:
        column: the cell's number in its row, from 1: the first cell says what the row is about.
    """
    rows = [_row_key(other) for _, other in table_of(row, reading)]
    columns = list(row.headers[1:])
    if not 0 < column <= len(columns):
        return False
    both = ((_row_key(row), rows), (row.headers[column], columns))
    several = [(key, keys) for key, keys in both if len(set(keys)) > 1]
    if not several or not all(_alone(context, key, keys) for key, keys in several):
        return False
    return any(_met(key, context.scenario_text, context) for key, _ in several)


def is_user_row(context: QuestionContext, row: Element, reading: Reading) -> bool:
    """Whether what is told beside asking meets what a row is about, and no other row of its table."""
    if row.tag != "tr" or not any(row.headers) or not _met(_row_key(row), context.scenario_text, context):
        return False
    return _alone(context, _row_key(row), [_row_key(other) for _, other in table_of(row, reading)])


def limits_of(page: PageKey, row: Element, reading: Reading) -> list[Evidence]:
    """The first sentences under the heading of a table that limit it: "A car of more than £45,000 costs £320 more"."""
    beside = [e for e in reading.elements if e.headings == row.headings]
    found = []
    for element, sentence in _limiting(beside, _CHANGES):
        start = element.text.index(sentence)
        found.append(evidence_of(page, reading, element, start, start + len(sentence)))
    return found[:_MOST_LIMITS]


def _limiting(elements: Iterable[Element], cue: re.Pattern[str] = _LIMITS) -> Iterator[tuple[Element, str]]:
    for element in elements:
        if element.tag == "tr" or element.is_heading or not cue.search(element.text):
            continue
        for start, end in sentence_spans(element.text):
            if cue.search(element.text, start, end):
                yield element, element.text[start:end]


def _row_key(row: Element) -> str:
    return f"{' '.join(row.headers[:1])}: {row.text.split(_CELLS)[0]}"


def _alone(context: QuestionContext, key: str, keys: list[str]) -> bool:
    """Whether what is told meets a row's or a column's key, and each of its equals less, if at all."""
    met = _met(key, context.user_text, context)
    return met > 0 and all(_met(other, context.user_text, context) < met for other in keys if other != key)


def _met(key: str, user_text: str, context: QuestionContext) -> int:
    """How surely what is told meets a key: by a figure within it, all of its words, or one of the cases it names; 0."""
    if not user_text.strip():
        return 0
    compared = compare(key, user_text, context.today)
    if compared is not None:
        return _BY_FIGURE if compared.holds else 0
    named = key.split(": ", 1)[-1]
    words = content_terms(named) - _OTHERS
    if words and not missing_terms(words, user_text):
        return 1 + len(words)
    return int(bool(words) and is_named(named, user_text))
