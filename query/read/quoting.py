"""What the pages say, where nothing is asserted: the three best places, each whole: a list, a table, some sentences.

The first two are the search's best and the one among its first five that holds what is asked for (a sum, a day), which
comes first where the best does not; the third is the one among its first twelve that bounds a figure that is told
("under 25"), else the one that says most of the question. A list or a table counts once. A fourth is the place with a
word that was asked or told and that these three lack.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.types import Element, Evidence, PageKey, Reading
from clausegraph.query.read.answerable import is_called
from clausegraph.query.read.evidence import beside_it, evidence_of, introduction, is_header, items_below, table_of
from clausegraph.query.read.figures import compare, figures
from clausegraph.query.read.places import CELLS, alike, fit, is_typed, is_user_row, values_in
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.questions import AnswerType, QuestionKind
from clausegraph.query.read.statements import Candidate
from clausegraph.query.read.word_match import content_terms, missing_terms

_MOST = 3
_FIRST, _DEPTH = 5, 12  # places that may come first for their kind; that are looked at for the third
_SHORT = 320  # characters of a paragraph that is quoted whole
_FREE = re.compile(r"\b(?:free|no (?:fee|charge|cost)|not (?:have to )?pay)\b", re.IGNORECASE)
_NUMBERS = word_set("one two three four five six seven eight nine ten eleven twelve")
_LIMITS = re.compile(r"\b(?:not|no|cannot|never|only|unless|except|limit)\b|n['’]t\b", re.IGNORECASE)
_MOST_PLACES = 4  # of a page that have a word which still tells them apart

Place = tuple[PageKey, str | None]


def quotes(
    context: QuestionContext, ranked: Sequence[Candidate], replaced: Mapping[PageKey, Candidate]
) -> tuple[Evidence, ...]:
    """The best places, none of which another one shows already, and what they leave out.

    An item brings its list, a row its table.

    Args:
        replaced: pages that others replace, and the places that say so: they are quoted only where a question names
            one, behind that place.
    """
    quoted = _Quotes(context)
    ordered = list(_in_force(context, _ordered(context, ranked), replaced))
    for candidate in ordered:
        if len(quoted.found) < _MOST:
            quoted.add(candidate, context.words)
    if quoted.found and (left := _left_out(context, quoted.found, ordered[:_DEPTH])) is not None:
        quoted.add(*left)
    return tuple(quoted.found)


@dataclass(slots=True)
class _Quotes:
    """What is quoted so far, and the elements that it shows."""

    context: QuestionContext
    found: list[Evidence] = field(default_factory=list)
    shown: set[Place] = field(default_factory=set)

    def add(self, candidate: Candidate, words: frozenset[str]) -> None:
        """Quote a place, of a long one the part with most of the words, unless a quote shows it already."""
        element, page = candidate.element, candidate.page
        if (
            element.is_heading
            or not element.text.strip()
            or {(page, element.anchor), (page, element.lead_in)} & self.shown
        ):
            return
        reading = self.context.pages(page)
        if is_header(element, reading) and any(
            (page, row.anchor) in self.shown for row in items_below(element, reading)
        ):
            return
        element = _user_row(self.context, element, reading) or element
        quoted = evidence_of(page, reading, element, *_best_part(words, element))
        lead = reading.element(element.lead_in) if element.tag == "li" else None
        if lead is not None and len(lead.text) <= _SHORT:  # a sentence before the one that opens the list may decide
            quoted = replace(quoted, lead_in=lead.text)
        beside = beside_it(element, reading)
        self.found.append(beside.added_to(quoted))
        others = [*(items_below(element, reading) if quoted.items else []), *(item for _, item in beside.items)]
        anchors = (candidate.element.anchor, element.anchor, element.lead_in, element.parent)
        self.shown |= {(page, anchor) for anchor in (*anchors, *(other.anchor for other in others)) if anchor}


def _in_force(
    context: QuestionContext, ordered: Sequence[Candidate], replaced: Mapping[PageKey, Candidate]
) -> Iterator[Candidate]:
    """The places without those of replaced pages; of one that the question names, behind what says that it is."""
    for one in ordered:
        if one.page not in replaced:
            yield one
        elif is_called(context.pages(one.page), context.user_text):
            yield replaced[one.page]
            yield one


def _ordered(context: QuestionContext, ranked: Sequence[Candidate]) -> list[Candidate]:
    """The places in the order in which they are quoted."""
    places = _apart([one for one in ranked if not one.element.is_heading])
    first = [*places[:1], *sorted(places[1:_FIRST], key=lambda one: _is_worse(context, one))[:1]]
    first.sort(key=lambda one: _is_worse(context, one))
    rest = [one for one in places if one not in first]

    def key(one: Candidate) -> tuple[bool, bool, int, int, int]:
        own = f"{introduction(one.element, context.pages(one.page))} {one.element.text}"
        kind = _holds_kind(context, one.element)
        return not _bounds_user_figure(context, one), not kind, *fit(context, one, 0, own).key

    near, far = rest[: _DEPTH - len(first)], rest[_DEPTH - len(first) :]
    near += [one for one in far if one.page == first[0].page and _bounds_user_figure(context, one)]
    return [*first, *sorted(near, key=key), *far]


def _apart(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The places in the order of the search, of each list or table only the best; then all others."""
    seen: set[Place] = set()
    first: list[Candidate] = []
    others: list[Candidate] = []
    for one in ranked:
        own: set[Place] = {(one.page, one.element.anchor), (one.page, one.element.lead_in or one.element.anchor)}
        (others if own & seen else first).append(one)
        seen |= own
    return first + others


def _is_worse(context: QuestionContext, one: Candidate) -> tuple[bool, bool]:
    """Whether a place is not of a table with a row that is told, and whether it has no value of the kind asked for."""
    told = _user_row(context, one.element, context.pages(one.page)) is not None
    return not told, not _holds_kind(context, one.element)


def _holds_kind(context: QuestionContext, element: Element) -> bool:
    """Whether an element has a value of the kind that is asked for; any where none is."""
    form = context.form
    if form.kind is QuestionKind.YES_NO or not is_typed(form):
        return True
    free = form.type is AnswerType.AMOUNT and _FREE.search(element.text)
    return bool(free) or any(True for _ in values_in(form, element))


def _bounds_user_figure(context: QuestionContext, one: Candidate) -> bool:
    """Whether a figure of the story lies within the band of a row, or within or outside of a bound of a sentence."""
    if not figures(context.scenario_text) or one.element.tag == "tr":
        return bool(figures(context.scenario_text)) and _is_band_of_user(context, one.element)
    sentences = (one.element.text[slice(*span)] for span in sentence_spans(one.element.text))
    return any(compare(sentence, context.scenario_text, context.today) is not None for sentence in sentences)


def _is_band_of_user(context: QuestionContext, row: Element) -> bool:
    """Whether a figure that is told lies within the band that a row is of: "£24,001 to £36,000"."""
    band = compare(" ".join((*row.headers[:1], row.text.split(CELLS)[0])), context.user_text, context.today)
    return band is not None and band.holds


def _user_row(context: QuestionContext, element: Element, reading: Reading) -> Element | None:
    """The row of a row's table that is told, by its name or by its band, that row itself first; None where none is."""
    rows = [element, *table_of(element, reading)] if element.tag == "tr" else []
    told = (row for row in rows if is_user_row(context, row, reading) or _is_band_of_user(context, row))
    return next(told, None)


def _best_part(words: frozenset[str], element: Element) -> tuple[int, int]:
    """All of a short element, else the sentence with most of the words and the one after it."""
    spans = sentence_spans(element.text)
    if len(element.text) <= _SHORT or len(spans) < 3:
        return 0, len(element.text)
    best = max(range(len(spans)), key=lambda i: (overlap(words, element.text[slice(*spans[i])]), -i))
    return spans[best][0], spans[min(best + 1, len(spans) - 1)][1]


def _left_out(
    context: QuestionContext, found: Sequence[Evidence], ranked: Sequence[Candidate]
) -> tuple[Candidate, frozenset[str]] | None:
    """The place with most of the rare words that are asked or told and that nothing quoted has, and these words' stems.

    A word that is told is looked for on the page of the first quote, one that is asked for in ``ranked``, too. Else the
    first place beside the first quote with a limit of the kind of a figure that is told; None without one.
    """
    shown = " ".join(
        text for one in found for text in (one.title or "", *one.headings, one.lead_in, one.quote, *one.items)
    )
    page = found[0].page
    elements = [one for one in context.pages(page).elements if not one.is_heading and one.text.strip()]
    governing = [Candidate(page, element, 0.0, None) for element in elements]
    others = [one for one in ranked if one.page != page]
    for text, places in ((context.form.sentence, [*governing, *others]), (context.scenario_text, governing)):
        words = missing_terms(content_terms(text) - _NUMBERS, shown)
        if (best := _best_place(words, places)) is not None:
            return best, content(" ".join(words))
    told = content_terms(context.scenario_text) - _NUMBERS
    kinds = {one.value.kind for one in figures(context.scenario_text)} - {"number"}
    for one in governing:
        text, tag = one.element.text, one.element.tag
        beside = one.element.headings == found[0].headings and tag not in ("tr", "li") and text not in shown
        limits = beside and _LIMITS.search(text) and missing_terms(told, text) != told
        if limits and any(alike(kind, value.kind) for kind in kinds for value in find_quantities(text)):
            return one, content(" ".join(told))
    return None


def _best_place(words: frozenset[str], places: Sequence[Candidate]) -> Candidate | None:
    """The place that has most of the words, a word the more the fewer places have it; of equals the first."""
    scores = [0.0] * len(places)
    for word in sorted(words):
        having = [at for at, one in enumerate(places) if not missing_terms(frozenset((word,)), one.element.text)]
        for at in having if len(having) <= _MOST_PLACES else ():
            scores[at] += 1.0 / len(having)
    best = max(range(len(places)), key=lambda at: scores[at], default=0)
    return places[best] if places and scores[best] else None
