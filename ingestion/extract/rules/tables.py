"""Statements of table rows: one a cell, qualified by the headers of its row and of its column.

Only where a cell is a value, all columns but the first hold values, and nothing beside the table says for which year it
is: a table of sentences, or one whose rows need two columns to be told apart, makes none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.propositions import shorten
from clausegraph.core.language.values import effective_dates, find_values, value_kind
from clausegraph.core.language.verbs import is_base
from clausegraph.core.language.words import DETERMINERS, NOUN_VERBS
from clausegraph.core.types import Condition, Leaf, Literal, Mention, Span, Statement
from clausegraph.ingestion.extract.rules.address import theirs, uncapitalised
from clausegraph.ingestion.extract.rules.names import Scene, topic_name

# A table of where to turn: its rows name offices, not cases.
_REACH = re.compile(r"\b(?:e-?mail|(?:tele)?phone|address|contact|website)\b", re.IGNORECASE)
_LONGEST_CASE = 14  # words of a row header that names a case; a longer one describes
_LONGEST_NAME = 8  # of one that names a thing
_LONGEST_CELL = 10  # words of a cell that is one value; what is longer explains
_NEAR_START = 18  # characters before the value of a case: "Between …", "Born before …"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# Says more of whom the table is for.
_EXCEPTS = re.compile(r"\b(?:if|unless|only|except|not|other than|depends?)\b", re.IGNORECASE)
_DUTY = re.compile(r"You (?:must|need to|have to) [^.]+\.")
# Says what its reader may or must do, and is: not whom a table is for that does not follow it at once.
_OF_THE_READER = re.compile(r"[Yy]ou(?:'re|’re)? (?:can|cannot|may|must|need to|have to|are|live|have)\b")
_LEFT_OVER = re.compile(r"\b(?:elsewhere|others?|same|rest|above|below|any|all)\b", re.IGNORECASE)
_EXAMPLE = re.compile(r"\bexamples?\b", re.IGNORECASE)
_PLAIN_HEADING = re.compile(  # names no thing that a row could be of
    r"(?:overview|eligibility|claim(?:ing)?|apply(?:ing)?|what|how|when|who|where|if|you|your|the|example|rates?|fees?|costs?|tables?)\b",
    re.IGNORECASE,
)
_PERIOD = re.compile(r"(?:\d|from|until|since|up to|after|before|between|on or)\b", re.IGNORECASE)
_STEP = re.compile(r"^(?:step|stage|part|section) \d+[a-z]?[:.)]?\s*", re.IGNORECASE)
_OF_SOMEBODY = re.compile(
    r"(?:you|your|they|their|someone|people|any|all|other|person|single|couple|under|over|from|before|after"
    r"|between|up to|more|less)\b",
    re.IGNORECASE,
)
_PROPERTY = re.compile(  # what a value can be: of "Registered before 2020" nobody knows without the page
    r"\b(?:rates?|fees?|prices?|costs?|amounts?|payments?|charges?|duty|tax|limits?|thresholds?|allowances?|notice"
    r"|lengths?|deadlines?|penalty|penalties|fines?|discounts?|e-?mail address|percentage|salary|wage|deposit"
    r"|refund)\b",
    re.IGNORECASE,
)
_NO_PROPERTY = re.compile(
    r"\b(?:you|before|after|until|registered|born|if|when|who)\b|^(?:apply|paid|pay|get|studying|living)\b|[?]",
    re.IGNORECASE,
)
_VALUE_UNITS = re.compile(
    r"[£$€]|\d\s?(?:%|pence|p\b|per cent|days?|weeks?|months?|years?|hours?|miles?|metres?)|@[\w.-]+\.\w+$|^free$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RowTable:
    """The rows of one table, and what stands beside it in its section."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    beside: str  # paragraphs and items of its section
    before: str  # those that stand before its first row
    heads: tuple[tuple[str, ...], ...] = ()  # headers of the tables around: a row that has their texts is theirs

    @property
    def is_told(self) -> bool:
        """Whether each row is told by its first cell, each column by its header, and the year by one of both."""
        columns = list(zip(*(row for row in self.rows if len(row) == len(self.headers)), strict=True))
        firsts = columns[0] if columns else ()
        if len(self.headers) < 2 or len(set(firsts)) < len(firsts) or not all(firsts):
            return False
        named = [header for header, cells in zip(self.headers[1:], columns[1:], strict=True) if any(cells)]
        if not all(named) or len(set(named)) < len(named):
            return False
        told = any(map(_YEAR.search, [*self.headers, *firsts]))
        return (told or not _YEAR.search(self.beside)) and not _EXCEPTS.search(self.before)


def table_of(element: InputElement, elements: Sequence[InputElement]) -> RowTable:
    """The table of a row among the elements of a chunk: rows under the same headers and headings."""
    rows = [
        tuple(other.text.split(" | "))
        for other in elements
        if other.tag == "tr" and (other.headers, other.headings) == (element.headers, element.headings)
    ]
    around = [other for other in elements if other.headings == element.headings]
    first = next((place for place, other in enumerate(around) if other.tag == "tr"), 0)
    heads = dict.fromkeys(other.headers for other in elements if other.tag == "tr")
    last = max(first - 1, 0)  # what stands directly before a table may lead in to it
    far = [other for other in around[:last] if not _OF_THE_READER.match(other.text)]
    before = [*far, *(other for other in around[last:first] if not _DUTY.fullmatch(other.text))]
    return RowTable(element.headers, tuple(rows), _prose(around), _prose(before), tuple(heads))


def _prose(elements: Sequence[InputElement]) -> str:
    return " ".join(element.text for element in elements if element.tag in ("p", "li"))


def row_statements(element: InputElement, scene: Scene, table: RowTable) -> list[Statement]:
    """One statement for each value after the row header; nothing for a header row.

    A row header that is a case ("£21,000 or less", "Under 18") is the condition of its cells, which are the section's;
    one that names a thing is what they are about.
    """
    cells = _cells(element.text)
    texts = [element.text[start:end] for start, end in cells]
    headers = element.headers
    if _is_header(texts, table) or len(texts) != len(headers) or not table.is_told:
        return []
    if any(_EXAMPLE.search(heading) for heading in scene.headings) or not all(map(_is_value, texts[1:])):
        return []
    case = _case(element, cells[0], headers[0])
    subject = _topic(scene) if case is not None else _thing(headers[0], texts[0], scene)
    if subject is None or (case is not None and (not headers[0] or re.search(r"\byou\b", headers[0], re.IGNORECASE))):
        return []
    since, until = effective_dates(texts[0]) if _PERIOD.match(texts[0]) else (None, None)  # not "Born before 1946"
    sorted_by = " ".join(theirs(uncapitalised(headers[0]).split()))
    by = f" by {sorted_by}" if case is not None else ""  # what "£21,000 or less" is of
    return [
        Statement(
            subject,
            f"has {_property(headers[position])}{by}",
            Literal(text, value_kind(text) or "text"),
            (Span(element.label, cells[0][0], end),),
            condition=case,
            effective_from=since,
            effective_to=until,
        )
        for position, ((_, end), text) in enumerate(zip(cells, texts, strict=True))
        if position and text and text not in "-–—" and _property(headers[position])
    ]


def _is_value(text: str) -> bool:
    """Whether a cell is empty, or one value, and not a sentence or several."""
    short = len(text.split()) <= _LONGEST_CELL and re.search(r"[a-z]\.\s?[A-Z]|\.$|\(", text) is None
    return not text or text in "-–—" or (short and _VALUE_UNITS.search(text) is not None)


def _property(header: str) -> str:
    """A column's header as what its cells are: "weekly rate", "fee with a hearing"; "" where it names a case."""
    named = _PROPERTY.search(header) is not None and _NO_PROPERTY.search(header) is None
    return shorten(uncapitalised(header), 12) if named else ""


def _topic(scene: Scene) -> Mention | None:
    """What rows of cases are about: the section, where its heading names a thing, else what the page is about."""
    heading = next((one for one in reversed(scene.headings) if one != scene.address.title), "")
    if heading and not _PLAIN_HEADING.match(heading):
        return _section(heading, scene)
    name, _, rest = scene.address.title.partition(": ")  # "Heating Help: a guide for older residents"
    if rest and " and " in name:  # "Tanks and wells: permits and rules": a fee of which?
        return None
    return Mention(name, entity_key(name) or name, "topic")


def _section(heading: str, scene: Scene) -> Mention | None:
    """What a heading names, with its page; none of what only says what to do: "Step 2: pay the fee"."""
    named = _STEP.sub("", heading)
    first, second = [*named.lower().split(), "", ""][:2]
    if not first or (is_base(first) and (second in DETERMINERS or first not in NOUN_VERBS)):
        return None
    surface = f"{named} ({topic_name(scene.address.title)})"
    return Mention(surface, entity_key(surface), "section")


def _thing(header: str, text: str, scene: Scene) -> Mention | None:
    """What a row is about, with what it is of: "Cigars (Tobacco Duty)", "Lower rate (Carer Payment)"."""
    words = text.split()
    if (
        _LEFT_OVER.search(text)
        or len(words) > _LONGEST_NAME
        or re.search(r"[.;:?!]", text)
        or any(v.kind == "amount" for v in find_values(text))
    ):
        return None
    coded = header and not re.search(r"[A-Za-z]{3}", text)  # "16" under "Area"
    named = f"{header} {text}" if coded else text
    if not re.search(r"[A-Za-z]{3}", named):
        return None
    heading = next((one for one in reversed(scene.headings) if one != scene.address.title), "")
    of = topic_name(heading if heading and not _PLAIN_HEADING.match(heading) else scene.address.title)
    surface = named if of.lower() in named.lower() else f"{named} ({of})"
    return Mention(surface, entity_key(surface), "thing")


def _cells(text: str) -> list[tuple[int, int]]:
    """Spans of the cells of a row."""
    spans: list[tuple[int, int]] = []
    position = 0
    for part in text.split(" | "):
        spans.append((position, position + len(part)))
        position += len(part) + 3
    return spans


def _case(element: InputElement, cell: tuple[int, int], header: str) -> Condition | None:
    """The condition that a row header is, where it is a case and no thing's name."""
    start, end = cell
    text = element.text[start:end]
    sorted_by = re.match(r"(?:kind|category)\b", header, re.IGNORECASE) is not None  # "Tax and duty": kind of appeal
    return Leaf(element.label, start, end, text) if text and (sorted_by or _states_case(text)) else None


def row_case(element: InputElement, table: RowTable) -> Condition | None:
    """What a row's header may be a condition of, whether its cells are understood or not: its own "if", a case, or a
    short name under a header that sorts by it ("Tax and duty" under "Kind of appeal")."""
    cells = _cells(element.text)
    texts = [element.text[start:end] for start, end in cells]
    start, end = cells[0]
    if _is_header(texts, table) or _REACH.search(" ".join(element.headers[1:])) or not any(texts[1:]):
        return None
    parsed = parse_conditions(element.text, element.label, start, end)
    if parsed.condition is not None:
        return parsed.condition
    sorted_by = not element.headers or bool(element.headers[0])
    short = sorted_by and len(texts[0].split()) <= _LONGEST_NAME
    return Leaf(element.label, start, end, texts[0]) if texts[0] and (short or _states_case(texts[0])) else None


def _is_header(texts: Sequence[str], table: RowTable) -> bool:
    headed = (table.headers, *table.heads)
    return any(tuple(texts) == other[: len(texts)] for other in headed if other)


def _counts(text: str) -> bool:
    """Whether a text is or bounds a value: "Up to £24,000", "Born before 1 October 1946"."""
    return any(value.start < _NEAR_START for value in find_values(text) if value.kind != "number")


def _states_case(text: str) -> bool:
    """Whether a row header is a value, a clause, or words that go on from its column's: "66 to 79", "monthly"."""
    if len(text.split()) > _LONGEST_CASE or re.fullmatch(r"\d+[a-z]?", text):
        return False
    return _counts(text) or text[:1].islower() or text[:1].isdigit() or _OF_SOMEBODY.match(text) is not None
