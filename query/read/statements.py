"""The statements of retrieved elements: sentence by sentence, with modality, polarity, exception and words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from clausegraph.core.language.clauses import after_number, sentence_spans
from clausegraph.core.language.conditions import ParsedClause, parse_conditions
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.types import Element, Modality, Not, Reading, leaves
from clausegraph.query.read.candidates import Candidate
from clausegraph.query.read.protocol import Pages

_BUT = re.compile(r",\s+but\s+(?=(?:you|they|we|it|he|she|there)\b)", re.IGNORECASE)
_DATE_LINE = re.compile(r"(?:this )?(?:page|guide)?\s*(?:was )?last (?:updated|reviewed|changed)\b", re.IGNORECASE)
_CORRECT_AT = re.compile(r"\bcorrect (?:as )?(?:at|on|of) \d", re.IGNORECASE)
_LINE = 12  # words of a line that dates a page
_FORBIDS = re.compile(r"\b(?:cannot|can't|can’t|must not|may not|mustn't)\b", re.IGNORECASE)


def is_furniture(text: str) -> bool:
    """Whether an element only dates its page: "Last updated: 20 March 2026" answers nothing but when it was."""
    return bool(_DATE_LINE.match(text) or _CORRECT_AT.search(text)) and len(text.split()) <= _LINE


@dataclass(frozen=True, slots=True)
class ReadStatement:
    """One sentence ``[start, end)`` of a candidate; modality and polarity with its lead-in taken into account."""

    candidate: Candidate
    start: int
    end: int
    text: str
    lead: str  # text of the lead-in, or ""
    modality: Modality
    polarity: bool
    parsed: ParsedClause

    @property
    def full(self) -> str:
        return f"{self.lead} {self.text}".strip()

    @property
    def exceptions(self) -> tuple[str, ...]:
        """Texts of the leaves that stand under "unless" or "except"."""
        return tuple(_negated(self.parsed.condition))


def _negated(condition: object) -> Iterable[str]:
    match condition:
        case Not(child):
            yield from (leaf.text for leaf in leaves(child))
        case _:
            for child in getattr(condition, "children", ()):
                yield from _negated(child)


@lru_cache(maxsize=16384)
def _proposition(text: str) -> tuple[Modality, bool]:
    proposition = split_proposition(text)
    return proposition.modality, proposition.polarity


@lru_cache(maxsize=16384)
def _parsed(text: str) -> tuple[tuple[int, int, ParsedClause], ...]:
    return tuple(
        (start, end, parse_conditions(text, "", start, end))
        for begin, stop in sentence_spans(text)
        for start, end in _halves(text, max(begin, min(after_number(text), stop)), stop)
        if start < end and not _DATE_LINE.match(text[start:end])
    )


def _halves(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """A sentence, or both of its halves where "but" begins a clause of its own: "you can lend it, but you cannot …"."""
    but = _BUT.search(text, start, end)
    return [(start, end)] if but is None else [(start, but.start()), (but.end(), end)]


def _forbids(text: str) -> bool:
    return bool(_FORBIDS.search(text))


def lead_in_text(element: Element, reading: Reading) -> str:
    """The text of the lead-in of a list item or row, or ""."""
    lead = reading.element(element.lead_in)
    return lead.text if lead is not None else ""


def statements_of(candidate: Candidate, pages: Pages) -> list[ReadStatement]:
    """The sentences of one candidate; an item takes modality and polarity from its lead-in."""
    element = candidate.element
    lead = lead_in_text(element, pages(candidate.page)) if element.tag in ("li", "tr") else ""
    # Only the last sentence of a lead-in introduces the list.
    spans = sentence_spans(lead)
    lead = lead[spans[-1][0] :] if spans else ""
    found = []
    for start, end, parsed in _parsed(element.text):
        text = element.text[start:end]
        main = element.text[parsed.main[0] : parsed.main[1]] or text
        says = lead if lead.rstrip().endswith(":") else main
        modality, polarity = _proposition(says)
        if polarity and _forbids(says):  # a clause whose verb was not found
            modality, polarity = Modality.CANNOT, False
        found.append(ReadStatement(candidate, start, end, text, lead, modality, polarity, parsed))
    return found
