"""What the pages say, where nothing is asserted: the three best places, each whole: a list, a table, some sentences.

The first two are the search's best and the one among its first five that holds what is asked for (a sum, a day), which
comes first where the best does not; the third is the one among its first twelve that bounds a figure that is told
("under 25"), else the one that says most of the question. A list or a table counts once. A fourth is the place with a
word that was asked or told and that these three lack. Chosen in view of scores.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import content, overlap
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.types import Element, Evidence, PageKey, Reading
from clausegraph.query.read.answerable import is_called
from clausegraph.query.read.evidence import beside_it, evidence_of, introduction, is_header, items_below, table_of
from clausegraph.query.read.figures import compare, figures
from clausegraph.query.read.places import alike, fit, is_typed, is_user_row, values_in
from clausegraph.query.read.question_context import QuestionContext
from clausegraph.query.read.questions import AnswerType, QuestionKind
from clausegraph.query.read.statements import FREE, Candidate
from clausegraph.query.read.word_match import content_terms, missing_terms

_MOST = 3
_FIRST, _DEPTH = 5, 12  # places that may come first for their kind; that are looked at for the third
_SHORT = 320  # characters of a paragraph that is quoted whole
_LIMITS = re.compile(r"\b(?:not|no|cannot|never|only|unless|except|limit)\b|n['’]t\b", re.IGNORECASE)
_NUMBERS = word_set("one two three four five six seven eight nine ten eleven twelve")
_MOST_PLACES = 4  # of a page that have a word which still tells them apart


def quotes(
    context: QuestionContext, ranked: Sequence[Candidate], replaced: Mapping[PageKey, Candidate]
) -> tuple[Evidence, ...]:
    """The best places, none of which another one shows already, and what they leave out.

    An item brings its list, a row its table.

    Args:
        replaced: pages that others replace, and the places that say so: they are quoted only where a question names
            one, behind that place.
    """
    found: list[Evidence] = []
    shown: set[tuple[PageKey, str | None]] = set()
    ordered = list(_in_force(context, _ordered(context, ranked), replaced))
    for candidate in ordered:
        if len(found) == _MOST:
            break
        _quote(context, candidate, found, shown, context.words)
    rest = _left_out(context, found, ordered[:_DEPTH]) if found else None
    if rest is not None:
        candidate, words = rest
        _quote(context, candidate, found, shown, content(" ".join(words)))
    return tuple(found)


def _quote(
    context: QuestionContext,
    candidate: Candidate,
    found: list[Evidence],
    shown: set[tuple[PageKey, str | None]],
    words: frozenset[str],
) -> None:
    """Quote a place, of a long one the part with most of the words, unless a quote shows it already."""
    element, page = candidate.element, candidate.page
    if element.is_heading or not element.text.strip() or {(page, element.anchor), (page, element.lead_in)} & shown:
        return
    reading = context.pages(page)
    if is_header(element, reading) and any((page, row.anchor) in shown for row in items_below(element, reading)):
        return
    element = _user_row(context, element, reading) or element
    quoted = evidence_of(page, reading, element, *_best_part(words, element))
    lead = reading.element(element.lead_in) if element.tag == "li" else None
    if lead is not None and len(lead.text) <= _SHORT:  # a sentence before the one that opens the list may decide
        quoted = replace(quoted, lead_in=lead.text)
    beside = beside_it(element, reading)
    found.append(beside.added_to(quoted))
    below = items_below(element, reading) if quoted.items else []
    anchors = (candidate.element.anchor, element.anchor, element.lead_in, element.parent)
    shown |= {(page, anchor) for anchor in anchors if anchor}
    shown |= {(page, other.anchor) for other in (*below, *(item for _, item in beside.items))}


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
    places = _apart([one for one in ranked if not one.element.is_heading])
    others = [*sorted(places[1:_FIRST], key=lambda one: _is_worse(context, one)), *places[_FIRST:]]
    two = sorted((*places[:1], *others[:1]), key=lambda one: _is_worse(context, one))
    searched = [*two, *others[1:]]
    page = searched[0].page if searched else None
    far = [one for one in searched[_DEPTH:] if one.page == page and _bounds_user_figure(context, one)]
    rest = [*searched[_MOST - 1 : _DEPTH], *far]

    def key(rank: int) -> tuple[bool, bool, int, int, int, int]:
        one = rest[rank]
        own = f"{introduction(one.element, context.pages(one.page))} {one.element.text}"
        found = fit(context, one, rank, own)
        return not _bounds_user_figure(context, one), not _holds_kind(context, one.element), *found.key, rank

    return [*searched[: _MOST - 1], *(rest[rank] for rank in sorted(range(len(rest)), key=key)), *searched[_DEPTH:]]


def _apart(ranked: Sequence[Candidate]) -> list[Candidate]:
    """The places in the order of the search, of each list or table only the best; then all others."""
    seen: set[tuple[PageKey, str | None]] = set()
    first: list[Candidate] = []
    others: list[Candidate] = []
    for one in ranked:
        own = {(one.page, one.element.anchor), (one.page, one.element.lead_in or one.element.anchor)}
        (others if own & seen else first).append(one)
        seen |= own
    return first + others


def _is_worse(context: QuestionContext, one: Candidate) -> tuple[bool, bool]:
    """Whether a place is not of a table with a row that is told, and whether it has no value of the kind asked for."""
    user_text = _user_row(context, one.element, context.pages(one.page)) is not None
    return not user_text, not _holds_kind(context, one.element)


def _holds_kind(context: QuestionContext, element: Element) -> bool:
    """Whether an element has a value of the kind that is asked for; any where none is."""
    form = context.form
    if form.kind is QuestionKind.YES_NO or not is_typed(form):
        return True
    free = form.type is AnswerType.AMOUNT and FREE.search(element.text)
    return bool(free) or any(True for _ in values_in(form, element))


def _bounds_user_figure(context: QuestionContext, one: Candidate) -> bool:
    """Whether a figure of the story lies within the band of a row, or within or outside of a bound of a sentence."""
    if not figures(context.scenario_text):
        return False
    if one.element.tag == "tr":
        return _is_band_of_user(context, one.element)
    spans = sentence_spans(one.element.text)
    return any(
        compare(one.element.text[slice(*span)], context.scenario_text, context.today) is not None for span in spans
    )


def _is_band_of_user(context: QuestionContext, row: Element) -> bool:
    """Whether a figure that is told lies within the band that a row is of: "£24,001 to £36,000"."""
    band = compare(" ".join((*row.headers[:1], row.text.split(" | ")[0])), context.user_text, context.today)
    return band is not None and band.holds


def _user_row(context: QuestionContext, element: Element, reading: Reading) -> Element | None:
    """The row of a row's table that is told, by its name or by its band; None where none is."""
    if element.tag != "tr" or _is_row_of_user(context, element, reading):
        return element if element.tag == "tr" else None
    return next((row for row in table_of(element, reading) if _is_row_of_user(context, row, reading)), None)


def _is_row_of_user(context: QuestionContext, row: Element, reading: Reading) -> bool:
    return is_user_row(context, row, reading) or (bool(figures(context.user_text)) and _is_band_of_user(context, row))


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
    """The place with most of the rare words that are asked or told and that nothing quoted has, and these words.

    None without one.

    Args:
        found: the quotes; the page of the first governs.
        ranked: places of the search that may be taken, too, for a word of the question.
    """
    shown = " ".join(
        text for one in found for text in (one.title or "", *one.headings, one.lead_in, one.quote, *one.items)
    )
    asking = missing_terms(content_terms(context.form.sentence) - _NUMBERS, shown)
    user_text = missing_terms(content_terms(context.scenario_text) - _NUMBERS, shown)
    governing = list(_places_of(context, found[0]))
    others = [one for one in ranked if one.page != found[0].page]
    for words, places in ((asking, [*governing, *others]), (user_text, governing)):
        if (best := _best_place(words, places)) is not None:
            return best, words
    return _bounding(context, found[0], shown)


def _bounding(context: QuestionContext, quoted: Evidence, shown: str) -> tuple[Candidate, frozenset[str]] | None:
    """The first place beside the first quote with a limit of the kind of a figure that is told, on a thing that is."""
    kinds = {one.value.kind for one in figures(context.scenario_text)} - {"number"}
    user_text = content_terms(context.scenario_text) - _NUMBERS
    for one in _places_of(context, quoted):
        text = one.element.text
        if one.element.headings != quoted.headings or one.element.tag in ("tr", "li") or text in shown:
            continue
        bounded = any(alike(kind, value.kind) for kind in kinds for value in find_quantities(text))
        words = user_text - missing_terms(user_text, text)
        if bounded and words and _LIMITS.search(text):
            return one, words
    return None


def _places_of(context: QuestionContext, quoted: Evidence) -> Iterator[Candidate]:
    for element in context.pages(quoted.page).elements:
        if not element.is_heading and element.text.strip():
            yield Candidate(quoted.page, element, 0.0, None)


def _best_place(words: Iterable[str], places: Sequence[Candidate]) -> Candidate | None:
    """The place that has most of the words, a word the more the fewer places have it; of equals the first."""
    scores: dict[tuple[PageKey, str], float] = {}
    first: dict[tuple[PageKey, str], Candidate] = {}
    for word in sorted(words):
        having = [one for one in places if not missing_terms(frozenset((word,)), one.element.text)]
        for one in having if len(having) <= _MOST_PLACES else ():
            key = (one.page, one.element.anchor)
            first.setdefault(key, one)
            scores[key] = scores.get(key, 0.0) + 1.0 / len(having)
    return first[max(scores, key=lambda key: scores[key])] if scores else None
