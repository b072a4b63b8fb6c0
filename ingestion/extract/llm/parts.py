"""The parts of a numbered line: sentences, what of them is a condition, cells. A prompt marks all but the first.

``3 Once your boat is insured, |b you can get a permit |c unless it is over 9 metres.``: a reply cites ``3b``
under ``3a and not 3c`` and quotes nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from string import ascii_lowercase
from types import MappingProxyType

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.clauses import after_number, sentence_spans
from clausegraph.core.language.conditions import parse_conditions, without
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import WORD
from clausegraph.core.language.quotes import Quotable
from clausegraph.core.types import Leaf, Span, leaves

_BETWEEN = " | "  # cells
_JOINING = word_set("if only unless when where while once until except and or but so as long provided that even")
_EDGES = " ,;:–-"
_OPENING_EDGES = _EDGES + "("  # a bracket belongs to what it opens
_CACHED = 1024  # lines whose parts are kept: a page's


@dataclass(frozen=True, slots=True)
class LinePart:
    """Characters ``[start, end)`` of a line; its letter stands at ``at``, before the word that joins it."""

    at: int
    start: int
    end: int
    is_condition: bool = False


@lru_cache(maxsize=_CACHED)
def parts_of(text: str, tag: str) -> tuple[LinePart, ...]:
    """The parts of a line in their order; none where it has one alone. Those after the 26th belong to that."""
    if tag == "tr":
        found, start = [], 0
        for cell in text.split(_BETWEEN):
            found += [LinePart(start, start, start + len(cell))] if cell else []
            start += len(cell) + len(_BETWEEN)
    else:
        found = [part for start, end in sentence_spans(text) for part in _clauses(text, start, end)]
    if len(found) > len(ascii_lowercase):
        last = found[len(ascii_lowercase) - 1]
        found[len(ascii_lowercase) - 1 :] = [LinePart(last.at, last.start, len(text))]
    return tuple(found) if len(found) > 1 else ()


def _clauses(text: str, start: int, end: int) -> list[LinePart]:
    """The conditions of a sentence and what stands between them."""
    start += after_number(text[start:end])  # which is no part
    own = sorted((leaf.start, leaf.end) for leaf in leaves(parse_conditions(text, "", start, end).condition))
    bounds = [start, *(bound for span in own for bound in span), end]
    found: list[LinePart] = []
    joined = start  # where the words begin that join the next part
    for place, span in enumerate(pairwise(bounds)):
        if place % 2:
            gap = text[joined : span[0]]
            found.append(LinePart(joined + len(gap) - len(gap.lstrip(_OPENING_EDGES)), *span, is_condition=True))
            joined = span[1]
            continue
        own_start, own_end = _without_joining(text, *span, opens=place == 0, closes=span[1] == end)
        if WORD.search(text, own_start, own_end):
            found.append(LinePart(own_start, own_start, own_end))
            joined = own_end
    return found


def _without_joining(text: str, start: int, end: int, *, opens: bool, closes: bool) -> tuple[int, int]:
    """What stands between two conditions, without the words that join it to them."""
    words = list(WORD.finditer(text, start, end))
    while words and words[-1][0].lower() in _JOINING and not closes:
        end = words.pop().start()
    while words and words[0][0].lower() in _JOINING and not opens:
        start = words.pop(0).end()
    between = text[start:end]
    return start + len(between) - len(between.lstrip(_EDGES)), start + len(between.rstrip(_OPENING_EDGES))


def marked(text: str, tag: str) -> str:
    """The line with a bar and a letter before each of its parts but the first."""
    parts = parts_of(text, tag)
    bounds = [0, *(part.at for part in parts[1:]), len(text)]
    pieces = [text[slice(*span)].strip() for span in pairwise(bounds)]
    if tag == "tr":  # whose bars are there
        pieces[:-1] = [piece.removesuffix("|").rstrip() for piece in pieces[:-1]]
    return pieces[0] + "".join(
        f" |{letter} {piece}" for letter, piece in zip(ascii_lowercase[1:], pieces[1:], strict=False)
    )


class Places:
    """The lines that one chunk of a call may cite, and their parts; ``printed`` are all lines of the call."""

    def __init__(
        self,
        labels: Mapping[int, str],
        elements: Mapping[str, InputElement],
        printed: Mapping[int, InputElement] = MappingProxyType({}),
    ) -> None:
        self.labels, self.elements, self._printed = labels, elements, printed
        self._quotables: dict[str, Quotable] = {}

    def find(self, place: str, quote: str = "") -> Span | None:
        """The span of a line ("3"), of a part of it ("3b"), or of words in it; none where there is no such place."""
        label = self.labels.get(line_number(place))
        return None if label is None else self._within(self.elements[label], place, quote)

    def elsewhere(self, place: str, quote: str = "") -> tuple[InputElement, Span] | None:
        """A place that another section of the call prints, and its element; none where there is none."""
        number = line_number(place)
        element = None if number in self.labels else self._printed.get(number)
        span = None if element is None else self._within(element, place, quote)
        return None if element is None or span is None else (element, span)

    def _within(self, element: InputElement, place: str, quote: str) -> Span | None:
        """Words of a line, a part of it, or all of it."""
        if quote:
            found = self._quoted(element.text, quote)
            return Span(element.label, *found) if found else None
        parts = parts_of(element.text, element.tag) if place[-1].isalpha() else ()
        number = ascii_lowercase.index(place[-1]) if parts else 0
        if not element.text or number > len(parts) - 1 >= 0:
            return None
        start, end = (parts[number].start, parts[number].end) if parts else (0, len(element.text))
        return Span(element.label, start, end)

    def _quoted(self, text: str, quote: str) -> tuple[int, int] | None:
        """Where a quote stands; of ``first…last`` all from its first to its last words."""
        first, between, last = quote.replace("...", "…").partition("…")
        opening = self._quotables.setdefault(text, Quotable(text)).find(first)
        if opening is None or not (between and last.strip()):
            return opening
        rest, last = text[opening[1] :], last.strip()
        closing = Quotable(rest).find(last) or (0, rest.find(last) + len(last) if last in rest else 0)  # "…540"
        return (opening[0], opening[1] + closing[1]) if closing[1] else None

    def text(self, span: Span) -> str:
        """The words of a span."""
        return self.elements[span.anchor].text[span.start : span.end]

    def before(self, span: Span) -> list[Span]:
        """The sentence before that in which a span of a paragraph or item begins; none of its first."""
        element = self.elements[span.anchor]
        ended = [one for one in sentence_spans(element.text) if one[1] <= span.start] if element.tag != "tr" else []
        return [Span(element.label, *one) for one in ended[-1:]]

    def opening(self, span: Span) -> list[Span]:
        """What of its sentence stands before a span; nothing of a row."""
        element = self.elements[span.anchor]
        begins = max((start for start, _ in sentence_spans(element.text) if start <= span.start), default=span.start)
        said = element.text[begins : span.start].rstrip(_EDGES)
        return [Span(element.label, begins, begins + len(said))] if said and element.tag != "tr" else []

    def clause(self, span: Span, conditions: Iterable[Leaf]) -> str:
        """The parts of a line that a span lies in, without the conditions that are stated beside it; of a cell also
        its heads."""
        element = self.elements[span.anchor]
        said = [part for part in parts_of(element.text, element.tag) if not part.is_condition]
        touched = [part for part in said if part.start < span.end and span.start < part.end]
        start, end = min([span.start, *(one.start for one in touched)]), max([span.end, *(one.end for one in touched)])
        beside = (one for one in conditions if not covers(one, span))
        return " ".join([without(element.text[start:end], beside), *map(self.text, self.heads(span))])

    def heads(self, span: Span) -> list[Span]:
        """The first cell of the row and the head of the column of a cell; none of another span."""
        element = self.elements[span.anchor]
        column = element.text.count(_BETWEEN, 0, span.start)
        if element.tag != "tr" or not column or _BETWEEN in self.text(span):
            return []
        first = Span(element.label, 0, element.text.index(_BETWEEN))
        above = next((one for one in self.elements.values() if _BETWEEN.join(element.headers) == one.text), None)
        cells = above.text.split(_BETWEEN) if above is not None and above is not element else []
        found = [first] if first.end else []
        if above is not None and column < len(cells) and cells[column]:
            start = sum(len(cell) + len(_BETWEEN) for cell in cells[:column])
            found.append(Span(above.label, start, start + len(cells[column])))
        return found

    def headed(self, element: InputElement, span: Span) -> str:
        """A cell with the head of its column, which says what it measures; empty for another span or without one."""
        column, cells = element.text.count(_BETWEEN, 0, span.start), element.text.split(_BETWEEN)
        cell, heads = element.text[span.start : span.end], element.headers
        is_cell = element.tag == "tr" and len(heads) == len(cells) and cells[column] == cell and tuple(cells) != heads
        return f"{heads[column]}: {cell}" if is_cell and heads[column] else ""

    def around(self, span: Span, conditions: Iterable[Leaf]) -> Span:
        """The span out to the conditions of its sentence, with the words that join them; a cell stays alone."""
        element = self.elements[span.anchor]
        sentence = next((one for one in sentence_spans(element.text) if one[0] <= span.start < one[1]), None)
        if element.tag == "tr" or sentence is None:
            return span
        here = (one for one in conditions if one.anchor == span.anchor and not covers(one, span))
        near = [one for one in here if sentence[0] <= one.start < sentence[1]]
        start, end = min([span.start, *(one.start for one in near)]), max([span.end, *(one.end for one in near)])
        parts = parts_of(element.text, element.tag)
        inside = [one for one in parts if one.start == start or (start < span.start and one.start < start < one.end)]
        return Span(span.anchor, inside[0].at if inside else start, end)


def covers(leaf: Leaf, span: Span) -> bool:
    """Whether a condition has all words of a span: its rule's own, where it is kept for another section's."""
    return leaf.anchor == span.anchor and leaf.start <= span.start and span.end <= leaf.end


def is_condition(element: InputElement, span: Span) -> bool:
    """Whether a span of an element is nothing but a condition, as far as its form tells."""
    parts = parts_of(element.text, element.tag)
    return element.tag != "p" or any(part.is_condition and part.end >= span.end > part.start for part in parts)


def line_number(place: str) -> int:
    """The number of a place's line: 3 of "3b"."""
    return int(place.rstrip(ascii_lowercase)[:9])
