"""How well a place says what the question says, and whether told figures were compared with its bounds."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.language.terms import content
from clausegraph.query.read.answers import Asked
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.figures import ToldFigure, bounds_of, compare, figures
from clausegraph.query.read.meeting import telling, uncovered

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


def fit(asked: Asked, candidate: Candidate, rank: int, own: str) -> Fit:
    """How well a place fits; ``own`` is its sentence with what introduces it."""
    words = telling(asked.parts.asks)
    reading = asked.pages(candidate.page)
    around = " ".join((reading.title or "", *candidate.element.headings))
    outside = uncovered(words, own)
    missing = uncovered(outside, around)
    case = uncovered(telling(asked.parts.case), f"{own} {around} {candidate.element.text}")
    return Fit(missing, case, outside, len(uncovered(telling(asked.story), own)), rank)


def figures_left(asked: Asked, candidate: Candidate, text: str, bounds: Iterable[str], met: Iterable[str] = ()) -> bool:
    """Whether a told figure is compared with no bound of the place, though its section bounds figures of that kind.

    Args:
        text: the words of the place.
        bounds: its conditions, row and column names.
        met: conditions that the user text meets: a figure that stands with all words of one belongs to it.
    """
    said = [content(" ".join(telling(condition))) for condition in met]
    judged = [compare(bound, asked.told, asked.today) for bound in bounds]
    used = {one.told.text for one in judged if one is not None}
    told = [one for one in figures(asked.told) if not any(words and words <= one.about for words in said)]
    left = [one for one in told if one.text not in used and one.text.lower() not in text.lower()]
    page, section = (tuple(_sentences(asked, candidate, whole=whole)) if left else () for whole in (True, False))
    if any(_may_matter(asked, one, page if one.value.kind in _OF_THE_PAGE else section) for one in left):
        return True
    shown_there = {number for shown in (text, *used) for number in _NUMBER.findall(shown)}
    return any(number not in shown_there for number in _NUMBER.findall(asked.form.sentence))


def _sentences(asked: Asked, candidate: Candidate, *, whole: bool) -> Iterator[str]:
    """The sentences of the page of a place, or only those under its headings."""
    for element in asked.pages(candidate.page).elements:
        if (whole or element.headings == candidate.element.headings) and not element.is_heading:
            yield from (element.text[slice(*span)] for span in sentence_spans(element.text))


def _may_matter(asked: Asked, one: ToldFigure, sentences: Iterable[str]) -> bool:
    """Whether some bound of its kind is near by and does not surely hold for it."""
    for sentence in sentences:
        if any(alike(one.value.kind, bound.kind) for bound in bounds_of(sentence)):
            compared = compare(sentence, asked.told, asked.today)
            if compared is None or compared.told.text != one.text or not compared.holds:
                return True
    return False


_KIN = ({"age", "born", "number"}, {"duration", "since", "date"}, {"amount", "number"}, {"date", "born"})


def alike(told: str, bound: str) -> bool:
    """Whether figures of two kinds can be of one thing: an age and a date of birth."""
    return told == bound or any(told in kin and bound in kin for kin in _KIN)
