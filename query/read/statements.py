"""Retrieved elements, their statements sentence by sentence, and the hedges and dates by which they do not hold."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from functools import lru_cache

from clausegraph.core.language.clauses import after_number, sentence_spans
from clausegraph.core.language.conditions import ParsedClause, parse_conditions
from clausegraph.core.language.lexicon import MONTHS, WordTable
from clausegraph.core.language.propositions import split_proposition
from clausegraph.core.types import Element, Modality, PageKey
from clausegraph.query.read.evidence import introduction
from clausegraph.query.read.protocol import Pages
from clausegraph.query.retrieve.bank import Hit

_TABLE = WordTable(__file__)

_BUT = re.compile(r",\s+but\s+(?=(?:you|they|we|it|he|she|there)\b)", re.IGNORECASE)
_DATE_LINE = re.compile(r"(?:this )?(?:page|guide)?\s*(?:was )?last (?:updated|reviewed|changed)\b", re.IGNORECASE)
_CORRECT_AT = re.compile(r"\bcorrect (?:as )?(?:at|on|of) \d", re.IGNORECASE)
_LINE = 12  # words of a line that dates a page
_FORBIDS = re.compile(r"\b(?:cannot|can't|can’t|must not|may not|mustn't)\b", re.IGNORECASE)
_DATE = rf"(?:(?P<day>\d{{1,2}})\s+)?(?:(?P<month>{'|'.join(MONTHS)})\s+)?(?P<year>(?:19|20)\d\d)\b"
_STARTS = re.compile(rf"\b(?:from|after|since|starting|as of)\s+(?:on\s+)?{_DATE}", re.IGNORECASE)
_ENDS = re.compile(rf"\b(?:until|till|before|up to|to|ended(?: (?:on|in))?)\s+{_DATE}", re.IGNORECASE)
_HEDGES = _TABLE.pattern("hedges")
_UNCERTAIN = _TABLE.pattern("uncertain")
_TIMES = _TABLE.pattern("times")
BOUNDED = re.compile(r"\b(?:no|not) (?:more|less|later|earlier|fewer|longer) than\b", re.IGNORECASE)
"""A bound in words that deny: no more than."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A retrieved element. ``score`` orders candidates (higher is better, roughly 0 to 1); ``similarity``
    is the cosine of scenario with question and the element's passage, comparable across questions; None where the
    retriever compared no vectors."""

    page: PageKey
    element: Element
    score: float
    similarity: float | None
    parts: Mapping[str, float] = field(default_factory=dict)  # of the score, as the retriever names them


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """A place with the probability that it decides, among those that were ranked."""

    candidate: Candidate
    probability: float


def candidates(hits: Sequence[Hit], pages: Pages) -> list[Candidate]:
    """The elements of the hits, each once: a chunk is read element by element."""
    found: dict[tuple[PageKey, str], Candidate] = {}
    for hit in hits:
        similarity = hit.parts.get("element", hit.parts.get("chunk"))
        elements = {element.anchor: element for element in pages(hit.page).elements}
        for anchor in hit.anchors:
            found.setdefault(
                (hit.page, anchor), Candidate(hit.page, elements[anchor], hit.score, similarity, hit.parts)
            )
    return list(found.values())


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
    main: str  # the words without its conditions
    lead: str  # the last sentence of the lead-in, which introduces its list, or ""
    modality: Modality
    polarity: bool
    parsed: ParsedClause

    @property
    def place(self) -> tuple[str, int]:
        """Its element's anchor, and where it begins there."""
        return self.candidate.element.anchor, self.start

    @property
    def full(self) -> str:
        return f"{self.lead} {self.text}".strip()

    @property
    def positive(self) -> bool:
        """Whether it says that something is, may or must be."""
        return self.polarity and self.modality is not Modality.CANNOT

    @property
    def subject(self) -> str:
        """Of whom or what it, or the list that it is of, is said."""
        says = self.lead if self.lead.rstrip().endswith(":") else self.main
        return split_proposition(_STARTS.sub(" ", _ENDS.sub(" ", says)).strip(" ,")).subject


_proposition = lru_cache(maxsize=16384)(split_proposition)


@lru_cache(maxsize=16384)
def _parsed(text: str) -> tuple[tuple[int, int, ParsedClause], ...]:
    """The sentences of a text, or both halves where "but" begins a clause: "you can lend it, but you cannot …"."""
    spans = []
    for begin, end in sentence_spans(text):
        start = max(begin, min(after_number(text), end))
        but = _BUT.search(text, start, end)
        spans += [(start, end)] if but is None else [(start, but.start()), (but.end(), end)]
    kept = [(start, end) for start, end in spans if start < end and not _DATE_LINE.match(text[start:end])]
    return tuple((start, end, parse_conditions(text, "", start, end)) for start, end in kept)


def statements_of(candidate: Candidate, pages: Pages) -> list[ReadStatement]:
    """The sentences of one candidate; an item takes modality and polarity from its lead-in."""
    element = candidate.element
    lead = introduction(element, pages(candidate.page))
    found = []
    for start, end, parsed in _parsed(element.text):
        text = element.text[start:end]
        main = element.text[parsed.main[0] : parsed.main[1]] or text
        says = lead if lead.rstrip().endswith(":") else main
        said = _proposition(says)
        modality = Modality.SHOULD if said.exact is Modality.SHOULD else said.modality
        polarity = said.polarity
        if polarity and _FORBIDS.search(says):  # a clause whose verb was not found
            modality, polarity = Modality.CANNOT, False
        found.append(ReadStatement(candidate, start, end, text, main, lead, modality, polarity, parsed))
    return found


def is_hedged(text: str, question: str, today: date) -> bool:
    """Whether a text says that it does not plainly hold, or not now, in words that the question does not have."""
    hedges = {found[0].lower() for found in _HEDGES.finditer(text)} - {f[0].lower() for f in _HEDGES.finditer(question)}
    return bool(hedges) or not _is_in_force(text, today)


def is_uncertain(text: str) -> bool:
    """Whether the place of a value denies it, or says it only as possible, past or roughly."""
    return bool(_UNCERTAIN.search(BOUNDED.sub(" ", text)))


def is_of_now(text: str, question: str, today: date) -> bool:
    """Whether a row or sentence is not of a time that is over or to come, unless a question asks for such a time."""
    return bool(_TIMES.search(question)) or _is_in_force(text, today)


def is_time(text: str) -> bool:
    """Whether a text says from when or until when: "From 6 April 2026"."""
    return bool(_STARTS.search(text) or _ENDS.search(text))


def _is_in_force(text: str, today: date) -> bool:
    starts, ends = map(_day, _STARTS.finditer(text)), map(_day, _ENDS.finditer(text))
    return all(day <= today for day in starts) and all(day >= today for day in ends)


def _day(found: re.Match[str]) -> date:
    """The first day that a date can mean."""
    month = MONTHS.index(found["month"].lower()) + 1 if found["month"] else 1
    day = int(found["day"]) if found["day"] and found["month"] else 1
    return date(int(found["year"]), month, min(max(day, 1), 28))
