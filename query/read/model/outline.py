"""What belongs together on a page: sections, lists, tables with their header, footnotes, and where its links lead."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import takewhile

from clausegraph.core.extraction import names_above
from clausegraph.core.types import Element, Reading

LONGEST_LIST = 15  # items; of a longer list only what was found is shown
LONGEST_NESTED = 40  # items with all that is nested in them
_FIRST_SENTENCES = 2  # elements that a heading brings of its section
_NOTES_WITHIN = 8  # elements below a table in which its notes stand
_ID = re.compile(r'^<\w+\b[^>]*?\sid="([^"]+)"')
_FOOTNOTE = re.compile(r'^<\w+\b[^>]*?\srole="doc-footnote"')
_NOTE_START = re.compile(r"(?:\[\w{1,3}\]|[*†‡]+|notes?\b)", re.IGNORECASE)
_MARK = re.compile(r"\[\w{1,3}\]|[*†‡]+")
_FIRST_WORD = re.compile(r"(\w{1,3})[.)]?\s")
_MOST_MARKS = 10  # of one element
_POINTER = re.compile(
    r"\b(?:see|read|described (?:in|under)|listed (?:in|under)|set out (?:in|under))\b", re.IGNORECASE
)
_SHORTEST_NAME = 8  # characters of a heading that a text points to by its words


class PageOutline:
    """The elements of a reading by their positions, indexed once."""

    def __init__(self, reading: Reading) -> None:
        self.elements = reading.elements
        self.at = {element.anchor: position for position, element in enumerate(reading.elements)}
        self._by_anchor = {element.anchor: element for element in reading.elements}
        self._above: list[tuple[int, ...]] = []
        self._headings: list[int] = []
        self._members: dict[str, list[int]] = defaultdict(list)
        self._ids: dict[str, int] = {}
        opened: tuple[int, ...] = ()
        for position, element in enumerate(reading.elements):
            if element.is_heading:
                opened = tuple(p for p in opened if self.elements[p].tag < element.tag)
            self._above.append(opened)
            if element.is_heading:
                opened = (*opened, position)
                self._headings.append(position)
            if element.tag == "li":
                for name in {element.lead_in, element.parent} - {None}:
                    self._members[str(name)].append(position)
            if found := _ID.match(element.html):
                self._ids.setdefault(found[1], position)

    def leads(self, position: int) -> list[int]:
        """What an element is not understood without: lead-ins, parent items, the header of its table, headings."""
        element = self.elements[position]
        above = [self.at[name] for name in names_above(element, self._by_anchor)]
        rows = self.table(position) if element.headers else []
        header = takewhile(lambda row: not self.elements[row].headers, rows)
        return [*above, *header, *self._headings_of(position, above)]

    def _headings_of(self, position: int, above: list[int]) -> list[int]:
        return list(dict.fromkeys(p for place in (position, *above) for p in self._above[place]))

    def companions(self, position: int) -> list[int]:
        """The list that an element introduces or stands in, its notes, and the first sentences under a heading."""
        element = self.elements[position]
        own = self.items(position)
        lead = self.at.get(element.lead_in or element.parent or "") if element.tag == "li" else None
        beside = self.items(lead) if lead is not None else []
        first = self.first_sentences(position) if element.is_heading else []
        return [*own, *beside, *first, *self.notes(position)]

    def items(self, position: int) -> list[int]:
        """The items that an element introduces, with what is nested in them; none of a list that is too long."""
        direct = self._members.get(self.elements[position].anchor, [])
        if len(direct) > LONGEST_LIST:
            return []
        found = dict.fromkeys(direct)
        pending = list(direct)
        while pending:
            below = self._members.get(self.elements[pending.pop()].anchor, [])
            new = [p for p in below if p not in found]
            if len(found) + len(new) > LONGEST_NESTED:
                return direct
            found |= dict.fromkeys(new)
            pending += new
        return list(found)

    def first_sentences(self, heading: int) -> list[int]:
        """The first texts of a heading's section, each with its items and the headings between."""
        texts = [p for p in self.section(heading) if not self.elements[p].is_heading][:_FIRST_SENTENCES]
        return [p for text in texts for p in (*self._above[text], text, *self.items(text))]

    def section(self, heading: int) -> range:
        """What stands under a heading, up to the next of its level or above it."""
        tag = self.elements[heading].tag
        later = self._headings[bisect_right(self._headings, heading) :]
        end = next((p for p in later if self.elements[p].tag <= tag), len(self.elements))
        return range(heading + 1, end)

    def stretch(self, position: int) -> range:
        """The elements between the heading above an element and the next heading."""
        next_heading = bisect_right(self._headings, position)
        start = self._headings[next_heading - 1] + 1 if next_heading else 0
        end = self._headings[next_heading] if next_heading < len(self._headings) else len(self.elements)
        return range(start, end)

    def after(self, position: int, count: int) -> list[int]:
        """The next texts of the same section, behind the list or table of an element, with their items."""
        held = {position, *self.companions(position), *self.table(position)}
        found: list[int] = []
        texts = 0
        for place in range(position + 1, self.stretch(position).stop):
            if place in held or place in found:
                continue
            if texts == count:
                break
            texts += 1
            found += [place, *self.items(place)]
        return found

    def table(self, position: int) -> list[int]:
        """The rows of the table that a row stands in, its header row first; none for other elements."""
        if self.elements[position].tag != "tr":
            return []
        return self._tables[position]

    @cached_property
    def _tables(self) -> dict[int, list[int]]:
        """Row → the rows of its table: neighbours, until a row without headers follows one that has some."""
        tables: dict[int, list[int]] = {}
        rows: list[int] = []
        for position, element in enumerate(self.elements):
            if element.tag != "tr":
                rows = []
                continue
            if rows and self.elements[rows[-1]].headers and not element.headers:
                rows = []
            rows.append(position)
            tables[position] = rows
        return tables

    def notes(self, position: int) -> list[int]:
        """The notes that an element's marks stand for; of a row also those under its table."""
        marks = list(dict.fromkeys(_MARK.findall(self.elements[position].text)))[:_MOST_MARKS]
        if not marks and self.elements[position].tag != "tr":
            return []
        rows = self.table(position)
        below = range(rows[-1] + 1, min(rows[-1] + 1 + _NOTES_WITHIN, self.stretch(position).stop)) if rows else ()
        under = [p for p in below if self._is_note(p) and self._is_meant(p, marks)]
        return [*under, *(self._footnotes[mark] for mark in marks if mark in self._footnotes)]

    def _is_note(self, position: int) -> bool:
        element = self.elements[position]
        return bool(_FOOTNOTE.match(element.html) or _NOTE_START.match(element.text))

    def _is_meant(self, position: int, marks: list[str]) -> bool:
        """Whether a note under a table is about a row with these marks: one that begins with another mark is not."""
        own = _MARK.match(self.elements[position].text)
        return own is None or own[0] in marks

    @cached_property
    def _footnotes(self) -> dict[str, int]:
        """Mark, as "[1]" or "*" → the first footnote that begins with it, or is the list's item of that number."""
        notes: dict[str, int] = {}
        for position, element in enumerate(self.elements):
            if _FOOTNOTE.match(element.html):
                own, word = _MARK.match(element.text), _FIRST_WORD.match(element.text)
                marks = [own[0]] if own else [f"[{word[1]}]"] if word else []
                for mark in [*marks, f"[{element.number}]"]:
                    notes.setdefault(mark, position)
        return notes

    def target(self, fragment: str, name: str) -> int | None:
        """Where a link leads on this page: to the element with that id, else to the heading with those words."""
        if fragment in self._ids:
            return self._ids[fragment]
        return self._named.get(_plain(name))

    @cached_property
    def _named(self) -> dict[str, int]:
        named: dict[str, int] = {}
        for position in self._headings:
            named.setdefault(_plain(self.elements[position].text), position)
        return named

    def headings_named(self, element: Element) -> Iterator[int]:
        """The headings of the page that a text names after "see"."""
        pointer = _POINTER.search(element.text)
        if pointer is None or element.is_heading:
            return
        rest = _plain(element.text[pointer.end() :])
        yield from (p for name, p in self._named.items() if len(name) >= _SHORTEST_NAME and name in rest)


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
