"""What the elements that a sentence cites say, with all that is read along with them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import cached_property

from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.amounts import atoms
from clausegraph.core.language.known_values import KnownValues
from clausegraph.core.language.sentences import sentence_spans
from clausegraph.core.language.terms import content
from clausegraph.core.pages.lists import names_above
from clausegraph.core.types import Element, Evidence, Reading
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.model.shown import ShownElement
from clausegraph.query.read.protocol import Pages

_ENOUGH_TERMS = 4  # that a sentence shares with another to be quoted for it
_WORD = re.compile(r"[\w’'-]+")


def cited_words(text: str) -> frozenset[str]:
    """The words of a text in lower case, without apostrophes and a last "s", by which names are looked up."""
    return frozenset(re.sub("[’']", "", word.lower()).strip("-").rstrip("s") for word in _WORD.findall(text))


@dataclass(frozen=True)
class CitedSupport:
    """Cited elements of the pages, and what the person said.

    ``told`` is question, scenario and assumptions in one text, ``today`` the day of the question.
    """

    cited: tuple[ShownElement, ...]
    told: str
    today: date
    pages: Pages

    @cached_property
    def statements(self) -> tuple[str, ...]:
        """The cited texts, what introduces them and what they introduce: all that evidence shows of them."""
        found: dict[str, None] = {}
        leads = {(one.page, one.element.lead_in) for one in self.cited} | {
            (one.page, one.element.parent) for one in self.cited
        }
        for shown in self.cited:
            whole = (shown.page, shown.element.anchor) not in leads  # else its cited items alone count
            found |= dict.fromkeys(_read_along(shown, self.pages(shown.page), items=whole))
        return tuple(text for text in found if text)

    @cached_property
    def text(self) -> str:
        return "\n".join(self.statements)

    @cached_property
    def context(self) -> str:
        """Titles, headings, dates and link targets: what places the cited texts, and states nothing itself."""
        found: dict[str, None] = {}
        for shown in self.cited:
            reading = self.pages(shown.page)
            links = (link.href for link in shown.element.links)
            named = (reading.title, *shown.element.headings, reading.updated or "", reading.url or "", *links)
            found |= dict.fromkeys(named)
        return "\n".join(found)

    @cached_property
    def values(self) -> KnownValues:
        """Of the cited texts and of what the person said; a title or heading may name a year."""
        known = KnownValues(*self.statements, self.context)
        known.add_typed(self.told)
        known.add(f"{self.today.day} {self.today:%B %Y}")
        return known

    @cached_property
    def names(self) -> frozenset[str]:
        return cited_words(f"{self.text}\n{self.context}\n{self.told}")

    @cached_property
    def terms(self) -> frozenset[str]:
        return content(self.text) | content(self.context)

    @cached_property
    def told_terms(self) -> frozenset[str]:
        return content(self.told)

    def nearest(self, sentence: str) -> str:
        """The sentence of the cited texts with most of another sentence's terms."""
        wanted = content(sentence)
        parts = [text[s:e] for text in self.statements for s, e in sentence_spans(text)]
        return max(parts, key=lambda part: len(wanted & content(part)), default="")

    def near(self, words: str) -> str:
        """The sentences of the cited texts with at least half as many of some words' terms as the best has, and the
        lines that introduce lists: "You can apply if:" holds for each of its items."""
        wanted = content(words)
        parts = [
            (len(wanted & content(text[s:e])), text[s:e]) for text in self.statements for s, e in sentence_spans(text)
        ]
        best = max((shared for shared, _ in parts), default=0)
        introductions = [text for text in self.statements if text.endswith(":")]
        return " ".join([*(part for shared, part in parts if 2 * shared >= best), *introductions])

    def values_only_bounded(self, sentence: str, bound: re.Pattern[str]) -> bool:
        """Whether a value of the sentence stands in the cited texts only behind a word that bounds it."""
        for value in atoms(sentence):
            places = [
                (text, one)
                for text in (*self.statements, self.told)
                for one in atoms(text)
                if (one.kind, one.unit, one.low) == (value.kind, value.unit, value.low)
            ]
            if value.kind == "amount" and places and all(_is_bounded(text, one.start, bound) for text, one in places):
                return True
        return False

    def evidence(self, sentence: str) -> tuple[Evidence, ...]:
        """A quote for each cited element: its sentences that have most of what the sentence says."""
        return tuple(_quoted(shown, self.pages(shown.page), sentence) for shown in self.cited)


def told_by(inquiry: Inquiry) -> str:
    """All that the person said."""
    return "\n".join([inquiry.question, inquiry.scenario, *inquiry.assumptions])


def _read_along(shown: ShownElement, reading: Reading, *, items: bool) -> list[str]:
    """The text of an element, of what introduces it, its column heads, and the items or rows that it introduces."""
    element = shown.element
    by_anchor = {one.anchor: one for one in reading.elements}
    above = [by_anchor[name].text for name in names_above(element, by_anchor)]
    quote = evidence_of(shown.page, reading, element)
    below = quote.items if items and element.tag != "tr" else ()  # the head of a table is no evidence of its rows
    return [element.text, *above, quote.lead_in, *below]


def _quoted(shown: ShownElement, reading: Reading, sentence: str) -> Evidence:
    element = shown.element
    spans = sentence_spans(element.text)
    if len(spans) < 2 or element.tag in ("li", "tr"):
        return evidence_of(shown.page, reading, element)
    start, end = _best_span(element, spans, sentence)
    return evidence_of(shown.page, reading, element, start, end)


def _best_span(element: Element, spans: Sequence[tuple[int, int]], sentence: str) -> tuple[int, int]:
    """From the first to the last sentence that states a value of the other sentence or has enough of its terms."""
    wanted, known = content(sentence), KnownValues(sentence)
    shared = [len(wanted & content(element.text[s:e])) for s, e in spans]
    stated = [_states_a_value(element.text[s:e], known) for s, e in spans]
    best = max(shared)
    enough = min(best, _ENOUGH_TERMS)
    kept = [at for at in range(len(spans)) if shared[at] >= enough or (stated[at] and shared[at])]
    return spans[kept[0]][0], spans[kept[-1]][1]


def _is_bounded(text: str, start: int, bound: re.Pattern[str]) -> bool:
    """Whether the three words before a place bound what stands there."""
    return bound.search(" ".join(text[:start].split()[-3:])) is not None


def _states_a_value(text: str, known: KnownValues) -> bool:
    missing = len(list(known.missing(text)))
    return missing < len(list(KnownValues().missing(text)))
