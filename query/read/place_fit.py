"""How well a place says what the question says, and whether told figures were compared with its bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.normalise import content
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.figures import UserFigure, bounds_of, compare, figures
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.word_match import content_terms, missing_terms

_NUMBER = re.compile(r"\d[\d.,]*(?<=\d)")
_OF_THE_PAGE = ("amount", "age", "born")  # a limit of savings or age holds for all of a page


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
    words = content_terms(context.parts.asks)
    reading = context.pages(candidate.page)
    around = " ".join((reading.title or "", *candidate.element.headings))
    outside = missing_terms(words, own)
    missing = missing_terms(outside, around)
    case = missing_terms(content_terms(context.parts.case), f"{own} {around} {candidate.element.text}")
    return Fit(missing, case, outside, len(missing_terms(content_terms(context.scenario_text), own)), rank)


def figures_left(
    context: QuestionContext, candidate: Candidate, text: str, bounds: Iterable[str], met: Iterable[str] = ()
) -> bool:
    """Whether a told figure is compared with no bound of the place, though its section bounds figures of that kind.

    Args:
        text: the words of the place.
        bounds: its conditions, row and column names.
        met: conditions that the user text meets: a figure that stands with all words of one belongs to it.
    """
    said = [content(" ".join(content_terms(condition))) for condition in met]
    judged = [compare(bound, context.user_text, context.today) for bound in bounds]
    used = {one.figure.text for one in judged if one is not None}
    user_text = [one for one in figures(context.user_text) if not any(words and words <= one.about for words in said)]
    left = [one for one in user_text if one.text not in used and one.text.lower() not in text.lower()]
    page, section = (tuple(_sentences(context, candidate, whole=whole)) if left else () for whole in (True, False))
    if any(_may_matter(context, one, page if one.value.kind in _OF_THE_PAGE else section) for one in left):
        return True
    shown_there = {number for shown in (text, *used) for number in _NUMBER.findall(shown)}
    return any(number not in shown_there for number in _NUMBER.findall(context.form.sentence))


def _sentences(context: QuestionContext, candidate: Candidate, *, whole: bool) -> Iterator[str]:
    """The sentences of the page of a place, or only those under its headings."""
    for element in context.pages(candidate.page).elements:
        if (whole or element.headings == candidate.element.headings) and not element.is_heading:
            yield from (element.text[slice(*span)] for span in sentence_spans(element.text))


def _may_matter(context: QuestionContext, one: UserFigure, sentences: Iterable[str]) -> bool:
    """Whether some bound of its kind is near by and does not surely hold for it."""
    for sentence in sentences:
        if any(alike(one.value.kind, bound.kind) for bound in bounds_of(sentence)):
            compared = compare(sentence, context.user_text, context.today)
            if compared is None or compared.figure.text != one.text or not compared.holds:
                return True
    return False


_KIN = ({"age", "born", "number"}, {"duration", "since", "date"}, {"amount", "number"}, {"date", "born"})


def alike(user_text: str, bound: str) -> bool:
    """Whether figures of two kinds can be of one thing: an age and a date of birth."""
    return user_text == bound or any(user_text in kin and bound in kin for kin in _KIN)
