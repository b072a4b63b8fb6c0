"""Statements of table rows: one for each cell that is a value, qualified by the headers of its row and of its column.

A header names what its cells are ("weekly rate"), or a case ("Living with parents"); where all name cases, the heading
or the sentence above the table says what the cells are ("Rates for cars"). Nothing is stated where a sentence beside
the table says more of whom it is for, or a year that the table does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import accumulate

from clausegraph.core.extraction import InputElement
from clausegraph.core.language.address import theirs, uncapitalised
from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import join, parse_conditions
from clausegraph.core.language.lexicon import (
    DETERMINERS,
    NOUN_VERBS,
    NOUNS_IN_ING,
    WordTable,
    base_of_gerund,
    is_base,
    phrases,
    word_set,
)
from clausegraph.core.language.names import Scene, named, scheme_name, topic_name
from clausegraph.core.language.normalise import entity_key, lemmas, plain
from clausegraph.core.language.values import effective_dates, find_values, has_sum, value_kind
from clausegraph.core.types import Condition, Leaf, Literal, Mention, Span, Statement
from clausegraph.ingestion.extract.rules.facts import LOSABLE

_TABLE = WordTable(__file__)

_LONGEST_CASE = 14  # words of a row header that names a case; a longer one describes
_LONGEST_NAME = 8  # of one that names a thing
_LONGEST_CELL = 10  # words of a cell that is one value; what is longer explains
_NEAR_START = 18  # characters before the value of a case: "Between …", "Born before …"
_REACH = phrases("e-?mail|(?:tele)?phone|address|contact|website")  # of tables whose rows name offices, not cases
_YEAR = re.compile(r"\b(?:19|20)\d\d\b")
_EXCEPTS = phrases("if|unless|only|except|not|other than|depends?")  # says more of whom the table is for
_IN_FORCE = _TABLE.pattern("in_force")
_OFTEN = phrases("(?:each|every|per|a) (?:year|month|week|day)|yearly|annual(?:ly)?|monthly|weekly|daily")
_RECURS = re.compile(
    rf"{_OFTEN.pattern}|\b(?:application|first|one-off|deposit|fine|penalty|cost)\b", re.IGNORECASE
)  # or not
_EACH = {"year": "yearly", "annual": "yearly", "month": "monthly", "week": "weekly", "day": "daily", "dai": "daily"}
_OF_TABLES = phrases("rates?|prices?|fees?|figures?|amounts?|limits?|charges?|table|these|they")
# Says what its reader may or must do, and is: not whom a table is for that does not follow it at once.
_OF_THE_READER = re.compile(r"[Yy]ou(?:'re|’re)? (?:can|cannot|may|must|need to|have to|are|live|have)\b")
_RELATIVE = phrases("elsewhere|others?(?! than)|(?:every|any|all)(?:one)? else|rest|same|remaining")
_PLAIN_HEADING = _TABLE.pattern("plain_heading")
_RATES_OF = _TABLE.pattern("rates_of")
_IS_BELOW = re.compile(r"(?:(?:The|Your) )?(?P<what>[\w' -]{3,60}?) (?:is|are)(?: as follows)?:")
_SUMS_OF = word_set("rate rates fee fees cost costs price prices charge charges")  # "Fuel Duty rates"
_STEP = re.compile(r"^(?:step|stage|part|section) \d+[a-z]?[:.)]?\s*", re.IGNORECASE)
_OF_SOMEBODY = _TABLE.pattern("of_somebody")
_PROPERTY = _TABLE.pattern("property")
_CASE_HEADER = _TABLE.pattern("case_header")
_NO_PROPERTY = _TABLE.pattern("no_property")
_YOURS = re.compile(r"\s+(?:that )?you (?:must|have to|need to|can|will|could) \w+$", re.IGNORECASE)  # behind "Notice"
_LASTING = re.compile(r"\d+ (?:days?|weeks?|months?|years?|hours?)", re.IGNORECASE)  # "6 months": for so long
_SUMS = _TABLE.pattern("sums")
_SORTED = phrases("kind|category")  # "Tax and duty" under "Kind of appeal" is a case
_VALUE_UNITS = _TABLE.pattern("value_units")
_SENTENCES = re.compile(r"\.\s?[A-Z]|\.$|\(")


class Row:
    """A row of a table: its cells, the rows beside it, and what its section says of them."""

    def __init__(self, element: InputElement, elements: Sequence[InputElement], scene: Scene) -> None:
        around = [other for other in elements if other.headings == element.headings]
        rows = [other for other in around if other.tag == "tr"]
        first = around.index(rows[0])
        last = max(first - 1, 0)  # what stands directly before a table may lead in to it
        self._element, self._scene = element, scene
        self._cells, self._texts = _cells(element.text), element.text.split(" | ")
        self._headers = element.headers
        self._rows = [row.text.split(" | ") for row in rows if row.headers == element.headers]
        self._head = next((row for row in rows if tuple(row.text.split(" | ")) == element.headers), None)
        self._lead = "".join(other.text for other in around[last:first])
        leads = _leads(around[:first])
        self.lead = tuple(span for _, span in leads)
        self._told = [span for above, span in leads if above.is_own]
        self._case: Condition | None = None  # the one that the sentence above opens with
        for above, span in leads:
            if above.text[: span.end].endswith(":"):
                self._case = parse_conditions(above.text, above.label, span.start, span.end).condition
        self._before = _sentences(other for other in around[:last] if not _OF_THE_READER.match(other.text))
        self._beside = _sentences(around)
        heads = {other.headers for other in elements if other.tag == "tr"}
        self.is_header = any(tuple(self._texts) == head[: len(self._texts)] for head in heads if head)
        dated = (effective_dates(one.lower()) for one in self._beside if _IN_FORCE.match(one))
        self.dates = next(
            (one for one in (*dated, effective_dates(scene.heading)) if one != (None, None)), (None, None)
        )

    def statements(self) -> list[Statement]:
        """One for each value behind the row's header, or its first two cells; none for a header row.

        A row header that is a case ("£21,000 or less", "Under 18") is a condition of its cells, which are the
        section's; one that names a thing is what they are about. A column's header that is a case is one, too.
        """
        keys = self._keys()
        if not keys or self.is_header or len(self._texts) != len(self._headers):
            return []
        found = (self._statement(place, keys) for place in range(keys, len(self._texts)))
        return [one for one in found if one is not None]

    def case(self) -> Condition | None:
        """What the row's header may be a condition of, whether its cells are understood or not: its own "if", a case,
        or a short name under a header that sorts by it ("Tax and duty" under "Kind of appeal")."""
        (start, end), text = self._cells[0], self._texts[0]
        if self.is_header or _REACH.search(" ".join(self._headers[1:])) or not any(self._texts[1:]):
            return None
        parsed = parse_conditions(self._element.text, self._element.label, start, end)
        short = (not self._headers or bool(self._headers[0])) and len(text.split()) <= _LONGEST_NAME
        stated = text and (short or _states_case(text))
        own = parsed.condition or (self._key_case(0) if stated else None)
        return join("all", [self._case, own]) if self._case and own else own or self._case

    def _keys(self) -> int:
        """How many columns tell the rows apart, from the first: one or two; 0 where more is needed, or something beside
        the table says more of whom, or of which year, it is for than these do."""
        headers = self._headers
        rows = [row for row in self._rows if len(row) == len(headers)]
        apart = (n for n in (1, 2) if len(headers) > n and len({tuple(row[:n]) for row in rows}) == len(rows))
        count = next(apart, 0)
        named = [headers[place] for place in range(count, len(headers)) if any(row[place] for row in rows)]
        whole = all(all(row[:count]) for row in rows) and all(named) and len(set(named)) == len(named)
        if not rows or not count or not whole or (count > 1 and not all(headers[:count])):
            return 0
        lead = re.sub(r"\bdepends?\b|^If\b" if self._case else r"\bdepends?\b", " ", plain(self._lead))
        about = lemmas(f"{' '.join(headers)} {lead}") - LOSABLE
        narrowed = _EXCEPTS.search(lead) or any(_EXCEPTS.search(one) and lemmas(one) & about for one in self._before)
        cells = " ".join([*headers, *(cell for row in rows for cell in row[:count])])
        told = _YEAR.search(cells) or self.dates != (None, None)
        dated = (one for one in self._beside if _YEAR.search(one))
        of_a_year = not told and any(one in lead or lemmas(one) & about or _OF_TABLES.search(one) for one in dated)
        return 0 if narrowed or of_a_year else count

    def _statement(self, place: int, keys: int) -> Statement | None:
        """What the cell of a column says; none where it is no value, or nobody knows of what."""
        text, header = self._texts[place], self._headers[place]
        what, column = _property(header), None
        if not what:
            column = self._column_case(place)
            what = self._sums() if column else ""
        if not what or not _is_value(text, header):
            return None
        what = f"{self._often()} {what}".strip() if "£" in text and not _RECURS.search(f"{what} {text}") else what
        subject, cases = self._subject(keys)
        if subject is None:
            return None
        parts = [case for case in (self._case, *cases, column) if case is not None]
        value = Literal(" ".join(theirs(text.split())), value_kind(text) or "text")
        spans = (Span(self._element.label, self._cells[0][0], self._cells[place][1]), *self._told)
        dates = effective_dates(self._texts[0]) if not self._texts[0].startswith("Born") else (None, None)
        since, until = dates if dates != (None, None) else self.dates
        condition = join("all", parts) if parts else None
        made = Statement(subject, f"has {what}", value, spans, condition=condition)
        return replace(made, effective_from=since, effective_to=until)

    def _subject(self, keys: int) -> tuple[Mention | None, list[Condition]]:
        """What a row's values are of: the thing that it names, where no column is a case; else what the section is
        about, under what tells the row apart."""
        headers, first = self._headers, self._texts[0]
        cased = any(not _property(headers[place]) and self._column_case(place) for place in range(keys, len(headers)))
        if keys == 1 and not cased and not _SORTED.match(headers[0]) and not _states_case(first):
            thing = _thing(headers[0], first, self._scene)
            if thing is not None:
                return thing, []
        if not headers[0] or any(map(_RELATIVE.search, self._texts[:keys])):  # "Pitch licence, elsewhere": than where?
            return None, []
        return _topic(self._scene, self._lead), [self._key_case(place) for place in range(keys)]

    def _key_case(self, place: int) -> Condition:
        """A cell that tells the row apart, with what its column says that it is."""
        (start, end), text = self._cells[place], self._texts[place]
        header = self._headers[place] if place < len(self._headers) else ""
        clear = not header or re.match(rf"you\b|your\b|{re.escape(header)}\b", text, re.IGNORECASE)
        return Leaf(self._element.label, start, end, text, "" if clear else f"{header}: {text}")

    def _column_case(self, place: int) -> Leaf | None:
        """The header of a column as a condition; none of one that only names something."""
        header = self._headers[place]
        case, lasting = _CASE_HEADER.match(header), _LASTING.fullmatch(header)
        if self._head is None or not (case or lasting or _counts(header)):
            return None
        start, end = _cells(self._head.text)[place]
        does = f"you {uncapitalised(header)}" if case and case["does"] else ""
        return Leaf(self._head.label, start, end, header, f"for {header}" if lasting else does)

    def _often(self) -> str:
        """How often the sums of the table are so, as its heading or the sentences beside it say: "yearly"."""
        beside = (one for one in self._beside if _OF_TABLES.search(one))
        said = [self._scene.heading, *(one for one in beside if not has_sum(one))]  # "£30 a day" is a sum of its own
        times = (found[0].lower().split()[-1].removesuffix("ly") for one in said for found in _OFTEN.finditer(one))
        found = {_EACH[time] for time in times}
        return found.pop() if len(found) == 1 else ""

    def _sums(self) -> str:
        """What the sums of the table are, as its heading or the sentence above it says; "" where columns differ."""
        others = [place for place, header in enumerate(self._headers) if _property(header)]
        if any("£" in row[place] for row in self._rows for place in others if place < len(row)):
            return ""  # beside a column of "Weekly rate" one of "Living at home" says nothing sure
        for text in (self._scene.heading, self._lead):
            found = {(match["what"] or "amount").lower() for match in _SUMS.finditer(text)}
            if found:
                return found.pop() if len(found) == 1 else ""
        return ""


def _leads(above: Sequence[InputElement]) -> list[tuple[InputElement, Span]]:
    """The sentences above a table, in its section, that say of when or of whom it is: those that lead in to it, and
    those on its sums."""
    last = above[-1:] if above and above[-1].text.rstrip()[-1:] in ".:" else above[-2:]  # below a caption
    found = []
    for element in last if all(one.tag == "p" for one in last) else ():
        text = plain(element.text)
        spans = sentence_spans(text)
        for start, end in spans:
            opens = end == spans[-1][1] and text[start:end].endswith(":")
            if opens or (_OF_TABLES.search(text, start, end) and _YEAR.search(text, start, end)):
                found.append((element, Span(element.label, start, end)))
        if text.rstrip()[-1:] not in ".:":
            found.append((element, Span(element.label, 0, len(text))))
    return found


def _sentences(elements: Iterable[InputElement]) -> list[str]:
    texts = [other.text for other in elements if other.tag in ("p", "li")]
    return [plain(text[start:end]) for text in texts for start, end in sentence_spans(text)]


def _is_value(text: str, header: str) -> bool:
    """Whether a cell is one value, and not a sentence or several; bare numbers below what counts."""
    if text.isdigit():
        return re.search(r"number|at a time", header, re.IGNORECASE) is not None
    short = len(text.split()) <= _LONGEST_CELL and not _SENTENCES.search(text)
    valued = value_kind(text) in ("amount", "percent", "date", "duration") or _VALUE_UNITS.search(text)
    return short and bool(valued)


def _property(header: str) -> str:
    """A column's header as what its cells are: "weekly rate", "fee with a hearing"; "" where it names a case."""
    said = _YOURS.sub("", header)
    is_named = _PROPERTY.search(said) and not _NO_PROPERTY.search(said) and not _CASE_HEADER.match(said)
    return uncapitalised(said) if is_named and len(said.split()) <= 12 else ""


def _topic(scene: Scene, lead: str) -> Mention | None:
    """What rows of cases are about: what the sentence above names ("Sick pay is:"), else the section, where its heading
    names a thing, else what the page is about."""
    of = scheme_name(scene.address.title).surface
    above = _IS_BELOW.fullmatch(plain(lead).strip())
    if above and not _OF_TABLES.search(above["what"]):
        return named(f"{uncapitalised(above['what'])} ({of})", "section")
    heading = scene.heading
    rated = _RATES_OF.fullmatch(heading)
    if rated or (heading and not _PLAIN_HEADING.match(heading)):
        return _section(rated["what"] if rated else heading, scene)
    title = scene.address.title.partition(": ")[0]  # "Heating Help: a guide for older residents"
    if " and " in title and title != scene.address.title:  # "Tanks and wells: permits and rules": a fee of which?
        return None
    name = title
    if _acts(title):
        granted = re.sub(r"^(?:an?|the) ", "", scene.granted.surface) if scene.granted is not None else ""
        name = granted or scheme_name(title).surface  # "Get a fishing licence"
    return None if _acts(name) else Mention(name, entity_key(name) or name, "topic")


def _section(heading: str, scene: Scene) -> Mention | None:
    """What a heading names, with its page; none of what only says what to do: "Step 2: pay the fee"."""
    thing = _STEP.sub("", _without_sums(heading))
    return (
        None if not thing or _acts(thing) else named(f"{thing} ({scheme_name(scene.address.title).surface})", "section")
    )


def _without_sums(heading: str) -> str:
    """What the sums are of that a heading names: "Fuel Duty rates"."""
    name, _, last = heading.rpartition(" ")
    return name if name and last in _SUMS_OF else heading


def _acts(text: str) -> bool:
    """Whether a text says what to do, and names no thing: "Pay the fee", "Ending a tenancy"."""
    first, *more = text.lower().split()[:2]
    verbal = is_base(first) and (first not in NOUN_VERBS or not DETERMINERS.isdisjoint(more))
    return verbal or (base_of_gerund(first) is not None and first not in NOUNS_IN_ING)


def _thing(header: str, text: str, scene: Scene) -> Mention | None:
    """What a row is about, with what it is of: "Cigars (Tobacco Duty)", "Lower rate (Carer Payment)"."""
    coded = header and not re.search(r"[A-Za-z]{3}", text)  # "16" under "Area"
    thing = f"{header} {text}" if coded else text
    sized = len(text.split()) <= _LONGEST_NAME and re.search(r"[A-Za-z]{3}", thing)
    if not sized or has_sum(text) or _RELATIVE.search(text) or re.search(r"[.;:?!]", text):
        return None
    heading = scene.heading
    plain_one = not heading or _PLAIN_HEADING.match(heading)
    of = scheme_name(scene.address.title).surface if plain_one else topic_name(_without_sums(heading))
    return named(thing if of.lower() in thing.lower() else f"{thing} ({of})", "thing")


def _cells(text: str) -> list[tuple[int, int]]:
    """Spans of the cells of a row."""
    lengths = [len(part) for part in text.split(" | ")]
    ends = accumulate(length + 3 for length in lengths)
    return [(end - length - 3, end - 3) for end, length in zip(ends, lengths, strict=True)]


def _counts(text: str) -> bool:
    """Whether a text is or bounds a value: "Up to £24,000", "Born before 1 October 1946"."""
    return any(value.start < _NEAR_START for value in find_values(text) if value.kind != "number")


def _states_case(text: str) -> bool:
    """Whether a row header is a value, a clause, or words that go on from its column's: "66 to 79", "monthly"."""
    if len(text.split()) > _LONGEST_CASE or re.fullmatch(r"\d+[a-z]?", text):
        return False
    return _counts(text) or text[:1].islower() or text[:1].isdigit() or _OF_SOMEBODY.match(text) is not None
