"""Statements of table rows: one for each cell that is a value, qualified by the headers of its row and of its column.

A header names what its cells are ("weekly rate"), or a case ("Living with parents"); where all name cases, the heading
or the sentence above the table says what the cells are ("Rates for cars"). Nothing is stated where a sentence beside
the table says more of whom it is for, or a year that the table does not.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import join, parse_conditions
from clausegraph.core.language.lexicon import (
    DETERMINERS,
    MONTH,
    NOUN_VERBS,
    NOUNS_IN_ING,
    base_of_gerund,
    is_base,
    phrases,
)
from clausegraph.core.language.normalise import entity_key, lemmas, plain
from clausegraph.core.language.propositions import shorten
from clausegraph.core.language.values import effective_dates, find_values, value_kind
from clausegraph.core.types import Condition, Leaf, Literal, Mention, Span, Statement, leaves
from clausegraph.ingestion.extract.rules.address import theirs, uncapitalised
from clausegraph.ingestion.extract.rules.claims import LOSABLE
from clausegraph.ingestion.extract.rules.names import Scene, named, topic_name

# A table of where to turn: its rows name offices, not cases.
_REACH = phrases("e-?mail|(?:tele)?phone|address|contact|website")
_LONGEST_CASE = 14  # words of a row header that names a case; a longer one describes
_LONGEST_NAME = 8  # of one that names a thing
_LONGEST_CELL = 10  # words of a cell that is one value; what is longer explains
_NEAR_START = 18  # characters before the value of a case: "Between …", "Born before …"
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
# Says more of whom the table is for.
_EXCEPTS = phrases("if|unless|only|except|not|other than|depends?")
_DUTY = re.compile(r"You (?:must|need to|have to) [^.]+\.")
# Says what its reader may or must do, and is: not whom a table is for that does not follow it at once.
_OF_THE_READER = re.compile(r"[Yy]ou(?:'re|’re)? (?:can|cannot|may|must|need to|have to|are|live|have)\b")
_LEFT_OVER = phrases("elsewhere|others?|same|rest|above|below|any|all")
_RELATIVE = phrases("elsewhere|others?(?! than)|(?:every|any|all)(?:one)? else|rest|same|remaining")
_EXAMPLE = phrases("examples?")
_PLAIN_HEADING = phrases(  # names no thing that a row could be of
    "overview|eligibility|claim(?:ing)?|apply(?:ing)?|what|how|when|who|where|if|you|your|the|example|rates?"
    "|fees?|costs?|tables?"
)
_IS_BELOW = re.compile(r"(?:(?:The|Your) )?(?P<what>[\w' -]{3,60}?)(?:, [^.:]+,)? (?:is|are)(?: as follows)?:")
_RATES_OF = re.compile(
    r"(?:rates?|fees?|costs?|prices?|charges?|limits?) (?:of|for|on) (?P<what>[\w' -]+)", re.IGNORECASE
)
_PLAIN_LEAD = re.compile(r"\b(?:rates?|amounts?|figures?|following|this|these|it|they|you)$", re.IGNORECASE)
_PERIOD = phrases(r"\d|from|until|since|up to|after|before|between|on or")
_STEP = re.compile(r"^(?:step|stage|part|section) \d+[a-z]?[:.)]?\s*", re.IGNORECASE)
_OF_SOMEBODY = phrases(
    "you|your|they|their|someone|people|any|all|other|person|single|couple|under|over|from|before|after"
    "|between|up to|more|less"
)
_PROPERTY = re.compile(  # what a value can be: of "Registered before 2020" nobody knows without the page
    r"\b(?:rates?|fees?|prices?|costs?|amounts?|payments?|charges?|duty|tax|limits?|thresholds?|allowances?|notice"
    r"|lengths?|deadlines?|penalty|penalties|fines?|discounts?|e-?mail address|percentage|salary|wage|deposit"
    r"|refund|maximum|minimum|periods?|pay|times?|interest|leave|first day|at a time|relief)\b|\bwithin$",
    re.IGNORECASE,
)
_NO_PROPERTY = re.compile(
    r"\b(?:you|before(?! tax\b| \w+al\b)|after|until|registered|born|if|when|who)\b"
    r"|^(?:apply|paid|pay|get|studying|living)\b|[?]",
    re.IGNORECASE,
)
_YOURS = re.compile(
    r"\s+(?:that )?you (?:must|have to|need to|can|will|could) \w+$", re.IGNORECASE
)  # "Notice you must give"
_CASE_HEADER = re.compile(  # a column of those of whom this is so
    r"(?:(?P<is>registered|born|aged?|living|studying|working|married|employed|with|without|in|outside|inside|under|over"
    r"|up to|from)\b|(?P<does>apply|pay|claim|renew|book|register|buy)\b) ?",
    re.IGNORECASE,
)
_LASTING = re.compile(r"\d+ (?:days?|weeks?|months?|years?|hours?)", re.IGNORECASE)  # "6 months": for so long
_COUNTED = phrases("number|at a time")  # a header whose cells may be bare numbers
_SUMS = re.compile(  # what a heading says that the sums below it are
    r"\b(?P<what>(?:(?:minimum|maximum|weekly|monthly|yearly|annual|standard|basic) )*"
    r"(?:rate|fee|price|cost|charge|allowance|duty|fine|penalty|payment))s?\b"
    r"|\b(?P<get>(?:how much|what) you(?:'ll|’ll| will| could| can|'d|’d)? get|amounts?|how much is paid)\b",
    re.IGNORECASE,
)
_IN_FORCE = re.compile(  # from when a table holds
    r"(?:^|[.] )(?:The|These) (?:\w+ )?(?:rates?|prices?|fees?|figures?|amounts?|table|limits?|charges?)(?: below)? "
    r"(?:apply|applies|hold|are)(?: for the (?:tax |financial )?year)?"
    r" (?P<since>(?:from|since) \d{1,2} \w+ \d{4}(?: (?:to|until) \d{1,2} \w+ \d{4})?)[.]"
    r"|(?:^|[.] )(?P<first>From \d{1,2} \w+ \d{4}),? the "
    r"(?:\w+ )?(?:rates?|prices?|fees?|figures?|amounts?|limits?) (?:are|is):",
)
_OF_TABLES = phrases("rates?|prices?|fees?|figures?|amounts?|limits?|charges?|table|these|they")
_SORTED = phrases("kind|category")  # "Tax and duty" under "Kind of appeal" is a case
_EACH = {
    word: often
    for often, words in (
        ("yearly", "yearly annual annually year"),
        ("monthly", "monthly month"),
        ("weekly", "weekly week"),
        ("daily", "daily day"),
        ("nightly", "nightly night"),
        ("hourly", "hourly hour"),
    )
    for word in words.split()
}
_OFTEN = phrases(
    "(?:each|every|per|a) (?P<unit>year|month|week|day|night|hour)|(?P<so>yearly|annual|annually|monthly"
    "|weekly|daily|nightly|hourly)"
)
_ONCE = phrases("application|first|one-off|deposit|fine|penalty|cost")  # nothing that recurs
_HANGS_ON = phrases("depends?")  # said directly above a table, it is what the table is of
_VALUE_UNITS = re.compile(
    r"[£$€]|\d\s?(?:%|pence|p\b|per cent|days?|weeks?|months?|years?|hours?|miles?|metres?)|@[\w.-]+\.\w+$|^free$"
    rf"|^\d{{1,2}} {MONTH}\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class RowTable:
    """The rows of one table, and what stands beside it in its section."""

    headers: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    beside: str  # paragraphs and items of its section
    before: str  # those that stand before its first row, but for the last
    lead: InputElement | None = None  # that one
    heads: tuple[tuple[str, ...], ...] = ()  # headers of the tables around: a row that has their texts is theirs
    head: InputElement | None = None  # the row of its headers

    @property
    def keys(self) -> int:
        """How many columns tell the rows apart, from the first: one or two; 0 where more is needed, or the year is
        told by none of them, or a sentence says more of whom the table is for."""
        rows = [row for row in self.rows if len(row) == len(self.headers)]
        wide = len(self.headers)
        told = (count for count in (1, 2) if wide > count and len({row[:count] for row in rows}) == len(rows))
        count = next(told, 0)
        if not rows or not count or not all(all(row[:count]) for row in rows):
            return 0
        filled = [place for place in range(count, wide) if any(row[place] for row in rows)]
        named = [self.headers[place] for place in filled]
        if not all(named) or len(set(named)) < len(named) or (count > 1 and not all(self.headers[:count])):
            return 0
        return count if self._is_for_all([*self.headers, *(cell for row in rows for cell in row[:count])]) else 0

    def _is_for_all(self, keys: Sequence[str]) -> bool:
        """Whether nothing beside the table says more of whom, or of which year, it is for than its keys do."""
        lead = plain(self.lead.text) if self.lead is not None else ""
        told = any(map(_YEAR.search, keys)) or self.in_force != (None, None)
        case = " ".join(leaf.text for leaf in leaves(self.case))
        said = re.sub(r"^If\b", " ", _HANGS_ON.sub(" ", lead)) if case else _HANGS_ON.sub(" ", lead)
        about = lemmas(f"{' '.join(self.headers)} {lead}") - LOSABLE
        narrowed = any(_EXCEPTS.search(one) and lemmas(one) & about for one in _sentences(self.before))
        dated = (one for one in _sentences(self.beside) if _YEAR.search(one))
        of_a_year = not told and any(one in lead or lemmas(one) & about or _OF_TABLES.search(one) for one in dated)
        return not (narrowed or of_a_year or _EXCEPTS.search(said))

    @property
    def case(self) -> Condition | None:
        """The case that the sentence above it opens with: "If you have no fixed term, the notice is:"."""
        if self.lead is None or not re.match(r"If\b[^.]+:$", self.lead.text.strip()):
            return None
        return parse_conditions(self.lead.text, self.lead.label).condition

    @property
    def in_force(self) -> tuple[str | None, str | None]:
        """From and until when it holds, as a sentence beside it says."""
        found = _IN_FORCE.search(plain(self.beside))
        return effective_dates((found["since"] or found["first"]).lower()) if found else (None, None)


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
    own = tuple(element.headers)
    head = next((other for other in around if other.tag == "tr" and tuple(other.text.split(" | ")) == own), None)
    last = max(first - 1, 0)  # what stands directly before a table may lead in to it
    far = [other for other in around[:last] if not _OF_THE_READER.match(other.text)]
    lead = next((other for other in around[last:first] if not _DUTY.fullmatch(other.text)), None)
    return RowTable(element.headers, tuple(rows), _prose(around), _prose(far), lead, tuple(heads), head)


def _sentences(text: str) -> list[str]:
    return [plain(text[start:end]) for start, end in sentence_spans(text)]


def _prose(elements: Sequence[InputElement]) -> str:
    return " ".join(element.text for element in elements if element.tag in ("p", "li"))


def row_statements(element: InputElement, scene: Scene, table: RowTable) -> list[Statement]:
    """One statement for each value behind the row's header, or its first two cells; nothing for a header row.

    A row header that is a case ("£21,000 or less", "Under 18") is a condition of its cells, which are the section's;
    one that names a thing is what they are about. A column's header that is a case is a condition, too.
    """
    cells = _cells(element.text)
    texts = [element.text[start:end] for start, end in cells]
    keys = table.keys
    if not keys or _is_header(texts, table) or len(texts) != len(element.headers):
        return []
    if any(_EXAMPLE.search(heading) for heading in scene.headings):
        return []
    row = _Row(element, tuple(cells), tuple(texts), scene, table)
    found = [row.statement(place, keys) for place in range(keys, len(texts))]
    return [one for one in found if one is not None]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table, its cells with their spans and their texts."""

    element: InputElement
    cells: tuple[tuple[int, int], ...]
    texts: tuple[str, ...]
    scene: Scene
    table: RowTable

    def statement(self, place: int, keys: int) -> Statement | None:
        """What the cell of a column says; none where it is no value, or nobody knows of what."""
        text, header = self.texts[place], self.element.headers[place]
        if not text or text in "-–—" or not _is_value(text, header):
            return None
        named = _property(header)
        column = None if named else self._column_case(place)
        what = self._each(named or (self._sums() if column is not None else ""), text)
        subject, parts = self._thing_or_cases(keys)
        if not what or subject is None:
            return None
        parts = [one for one in (self.table.case, *parts, column) if one is not None]
        period = effective_dates(self.texts[0]) if _PERIOD.match(self.texts[0]) else (None, None)  # not "Born before …"
        since, until = period if period != (None, None) else self.table.in_force
        value = Literal(" ".join(theirs(text.split())), value_kind(text) or "text")
        span = (Span(self.element.label, self.cells[0][0], self.cells[place][1]),)
        condition = join("all", parts) if parts else None
        return Statement(
            subject, f"has {what}", value, span, condition=condition, effective_from=since, effective_to=until
        )

    def _each(self, what: str, text: str) -> str:
        """What a sum is, with how often it is so where only the sentences beside the table say it: "yearly rate"."""
        if not what or not _is_sum(text) or _OFTEN.search(f"{what} {text}") or _ONCE.search(what):
            return what
        heading = self.scene.headings[-1] if self.scene.headings else ""
        told = [one for one in (heading, *_sentences(self.table.beside)) if _OF_TABLES.search(one) or one == heading]
        found = {_EACH[(match["unit"] or match["so"]).lower()] for one in told for match in _OFTEN.finditer(one)}
        return f"{found.pop()} {what}" if len(found) == 1 else what

    def _thing_or_cases(self, keys: int) -> tuple[Mention | None, list[Condition]]:
        """What a row's values are of: the thing that it names, where no column is a case; else what the section is
        about, under what tells the row apart."""
        headers, first = self.element.headers, self.texts[0]
        columns = range(keys, len(headers))
        plainly = keys == 1 and not any(self._column_case(place) for place in columns if not _property(headers[place]))
        thing = (
            _thing(headers[0], first, self.scene)
            if plainly and not (first and (_SORTED.match(headers[0]) or _states_case(first)))
            else None
        )
        if thing is not None:
            return thing, []
        if any(map(_RELATIVE.search, self.texts[:keys])):  # "Pitch licence, elsewhere": than where?
            return None, []
        own = [self._key_case(place) for place in range(keys)]
        lead = self.table.lead.text if self.table.lead is not None else ""
        return (_topic(self.scene, lead) if headers[0] else None), own

    def _key_case(self, place: int) -> Condition:
        """A cell that tells the row apart, with what its column says that it is."""
        (start, end), text, header = self.cells[place], self.texts[place], self.element.headers[place]
        clear = not header or re.match(rf"you\b|your\b|{re.escape(header)}\b", text, re.IGNORECASE)
        return Leaf(self.element.label, start, end, text, "" if clear else f"{header}: {text}")

    def _column_case(self, place: int) -> Leaf | None:
        """The header of a column as a condition; none of one that only names something."""
        head, header = self.table.head, self.element.headers[place]
        case = _CASE_HEADER.match(header)
        lasting = _LASTING.fullmatch(header)
        if head is None or not (case or lasting or _counts(header)):
            return None
        start, end = _cells(head.text)[place]
        does = f"you {header[0].lower()}{header[1:]}" if case and case["does"] else ""
        return Leaf(head.label, start, end, header, f"for {header}" if lasting else does)

    def _sums(self) -> str:
        """What the sums of the table are, as its heading or the sentence above it says; "" where columns differ."""
        others = [place for place, header in enumerate(self.element.headers) if _property(header)]
        if any(_is_sum(row[place]) for row in self.table.rows for place in others if place < len(row)):
            return ""  # beside a column of "Weekly rate" one of "Living at home" says nothing sure
        lead = self.table.lead.text if self.table.lead is not None else ""
        for text in (self.scene.heading, lead):
            found = {(match["what"] or "amount").lower() for match in _SUMS.finditer(text)}
            if found:
                return found.pop() if len(found) == 1 else ""
        return ""


def _is_sum(text: str) -> bool:
    return re.search(r"[£$€%]", text) is not None


def _is_value(text: str, header: str) -> bool:
    """Whether a cell is one value, and not a sentence or several; bare numbers below what counts."""
    if text.isdigit():
        return _COUNTED.search(header) is not None
    short = len(text.split()) <= _LONGEST_CELL and re.search(r"[a-z]\.\s?[A-Z]|\.$|\(", text) is None
    valued = value_kind(text) in ("amount", "percent", "date", "duration")
    return short and (valued or _VALUE_UNITS.search(text) is not None)


def _property(header: str) -> str:
    """A column's header as what its cells are: "weekly rate", "fee with a hearing"; "" where it names a case."""
    said = _YOURS.sub("", header)
    named = _PROPERTY.search(said) is not None and _NO_PROPERTY.search(said) is None
    return shorten(uncapitalised(said), 12) if named else ""


def _topic(scene: Scene, lead: str) -> Mention | None:
    """What rows of cases are about: what the sentence above the table names ("Sick pay is:"), or the section, where its
    heading names a thing, else what the page is about."""
    above = _IS_BELOW.fullmatch(plain(lead).strip())
    of = topic_name(scene.address.title)
    if above and not _PLAIN_LEAD.search(above["what"]):
        whole = of.lower() in above["what"].lower()
        return named(above["what"] if whole else f"{uncapitalised(above['what'])} ({of})", "section")
    heading = scene.heading
    rated = _RATES_OF.fullmatch(heading)
    if rated or (heading and not _PLAIN_HEADING.match(heading)):
        return _section(rated["what"] if rated else heading, scene)
    name, _, rest = scene.address.title.partition(": ")  # "Heating Help: a guide for older residents"
    if rest and " and " in name:  # "Tanks and wells: permits and rules": a fee of which?
        return None
    first = name.split()[0].lower()
    if base_of_gerund(first) and first not in NOUNS_IN_ING:  # "Ending a tenancy" is no thing
        return None
    if is_base(first) and scene.granted is not None:  # "Get a fishing licence"
        name = re.sub(r"^(?:an?|the) ", "", scene.granted.surface)
    return Mention(name, entity_key(name) or name, "topic")


def _section(heading: str, scene: Scene) -> Mention | None:
    """What a heading names, with its page; none of what only says what to do: "Step 2: pay the fee"."""
    thing = _STEP.sub("", heading)
    first, second = [*thing.lower().split(), "", ""][:2]
    if not first or (is_base(first) and (second in DETERMINERS or first not in NOUN_VERBS)):
        return None
    return named(f"{thing} ({topic_name(scene.address.title)})", "section")


def _thing(header: str, text: str, scene: Scene) -> Mention | None:
    """What a row is about, with what it is of: "Cigars (Tobacco Duty)", "Lower rate (Carer Payment)"."""
    if (
        _LEFT_OVER.search(text)
        or len(text.split()) > _LONGEST_NAME
        or re.search(r"[.;:?!]", text)
        or any(v.kind == "amount" for v in find_values(text))
    ):
        return None
    coded = header and not re.search(r"[A-Za-z]{3}", text)  # "16" under "Area"
    thing = f"{header} {text}" if coded else text
    if not re.search(r"[A-Za-z]{3}", thing):
        return None
    heading = scene.heading
    of = topic_name(heading if heading and not _PLAIN_HEADING.match(heading) else scene.address.title)
    return named(thing if of.lower() in thing.lower() else f"{thing} ({of})", "thing")


def _cells(text: str) -> list[tuple[int, int]]:
    """Spans of the cells of a row."""
    ends = list(accumulate(len(part) + 3 for part in text.split(" | ")))
    return [(end - len(part) - 3, end - 3) for end, part in zip(ends, text.split(" | "), strict=True)]


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
