"""The outline of a chunk: which elements are lead-ins, what their lists mean, and the conditions items state.

A list goes on from its lead-in: it fills the condition that the lead-in opens ("if:", "you must have
either:"), or it lists the objects of the lead-in's verb ("You cannot charge for:").
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from clausegraph.core.extraction import ExtractionInput, InputElement, introducer
from clausegraph.core.language.clauses import after_number, sentence_spans, starts_predicate, trim
from clausegraph.core.language.conditions import (
    LONGEST_SENTENCE,
    ParsedClause,
    Slot,
    join,
    leaves_of,
    parse_conditions,
    quantifier,
    split_item,
)
from clausegraph.core.language.lexicon import is_base
from clausegraph.core.language.normalise import plain
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.types import Condition, Leaf, Modality, Not, Span
from clausegraph.ingestion.extract.rules.restrictions import lists_requirements

_GRANT = re.compile(
    r"\b(?:get|claim|qualify|eligible|entitled|apply|join|receive|be paid|use"
    r"|be able|transfer|extend|register|appeal|count)\b"
)
_OPENS = re.compile(r"(?::|\b(?:and|or|if|unless|either|both))\s*$", re.IGNORECASE)  # of an item with a list of its own
_DEEPEST = 5  # lists within lists that are read
_LONGEST_LIST = 8  # elements of a list that a sentence below it goes on from
_GAP = 4  # a condition that ends this close to the colon is what the list goes on with
_NOUN_ITEM = re.compile(r"^(?:an?|the|their|your)\s+(?!\w+\s+(?:is|are|has|have|was|were)\b)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Lead:
    """The last sentence of a lead-in: its clause, its proposition and whether its list states conditions."""

    text: str
    parsed: ParsedClause
    proposition: Proposition
    start: int
    end: int
    lists_conditions: bool
    requires: bool = False  # its list states conditions without "if": "You must:"

    @property
    def main(self) -> str:
        """Its main clause."""
        return self.text[self.parsed.main[0] - self.start : self.parsed.main[1] - self.start]

    @property
    def refuses(self) -> bool:
        """Whether its list names what is refused: "You cannot get it if:", "We will not pay for:"."""
        denied = not self.proposition.polarity and self.proposition.modality is Modality.IS
        return denied or self.proposition.modality is Modality.CANNOT


class Outline:
    """The elements of one extraction input with their lists, in document order."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self.by_label = {element.label: element for element in chunk_input.elements}
        self._above = dict(zip([one.label for one in chunk_input.elements[1:]], chunk_input.elements, strict=False))
        self._leads: dict[str, Lead | None] = {}  # an item asks for the one above it, and for those above that
        self._items: dict[str, list[InputElement]] = {}
        self._lettered = dict(_lettered(chunk_input.elements))
        for element in chunk_input.elements:
            above = self.above(element)
            if above is not None:
                self._items.setdefault(above.label, []).append(element)

    def above(self, element: InputElement) -> InputElement | None:
        """The element that introduces the list ``element`` stands in, if it reads like a lead-in."""
        if element.tag != "li":
            return self._lettered.get(element.label)
        found = introducer(element, self.by_label)
        return found if found is not None and found.label != element.label and introduces(found.text) else None

    def items(self, element: InputElement) -> list[InputElement]:
        """The items of the list that ``element`` introduces, as far as they are in the input."""
        return self._items.get(element.label, [])

    def items_below(self, element: InputElement, depth: int = 0) -> list[InputElement]:
        """The items of the list that ``element`` introduces with those nested in them, in order."""
        items = self.items(element) if depth <= _DEEPEST else []
        return [one for item in items for one in (item, *self.items_below(item, depth + 1))]

    def before(self, element: InputElement, start: int) -> Iterator[tuple[str, tuple[Span, ...]]]:
        """What stands before ``start``, nearest first, each with its words: the sentences of the element, then its
        lead-in, else the paragraph or the list above it in its section."""
        for begin, end in sentences_before(element.text, start):
            yield element.text[begin:end], (Span(element.label, begin, end),)
        above = self.above(element) if element.tag == "li" else self._above.get(element.label)
        listed = [above] if above is not None else []
        while above is not None and above.tag == "li" and above.label in self._above and element.tag != "li":
            above = self._above[above.label]
            listed.append(above)
        if above is None or above.tag not in ("p", "li") or above.headings != element.headings:
            return
        told = readable_spans(above.text)
        if told and 1 < len(listed) <= _LONGEST_LIST:
            whole = [Span(one.label, 0, len(one.text)) for one in listed[:-1]]
            words = " ".join(one.text for one in reversed(listed))
            yield words, (Span(above.label, *told[-1]), *reversed(whole))
        elif len(listed) == 1:
            for begin, end in reversed(told):
                yield above.text[begin:end], (Span(above.label, begin, end),)

    def lead(self, element: InputElement) -> Lead | None:
        """``element`` as a lead-in; None when it introduces nothing."""
        if element.label not in self._leads:
            self._leads[element.label] = self._read_lead(element) if introduces(element.text) else None
        return self._leads[element.label]

    def _read_lead(self, element: InputElement) -> Lead:
        start, end = readable_spans(element.text)[-1]
        parsed = parse_conditions(element.text, element.label, start, end)
        if parsed.slot is None:  # "When you apply, you must:" sets a time; only "you can apply when:" is a condition
            parsed = parse_conditions(element.text, element.label, start, end, temporal=False)
        proposition = split_proposition(element.text[slice(*parsed.main)])
        requires = (
            parsed.slot is None
            and element.text.rstrip().endswith(":")
            and lists_requirements(proposition, element.text[start:end])
        )
        if requires:
            operator, negated = quantifier(element.text[start:end][-70:])
            parsed = ParsedClause(parsed.main, parsed.condition, Slot(operator, negated))
        if parsed.slot is not None and not parsed.main[0] < parsed.main[1] and are_acts(self.items(element)):
            closed = parse_conditions(element.text, element.label, start, element.text.rindex(":", start, end))
            parsed = (
                parsed if closed.condition is None else closed
            )  # "If you are buying a business:", and what to do then
        return Lead(element.text[start:end], parsed, proposition, start, end, parsed.slot is not None, requires)

    def list_condition(self, element: InputElement, lead: Lead) -> Condition | None:
        """The whole condition of a lead-in: its own and its list's; an unmarked list is taken for all."""
        items = self.items(element)
        operator = lead.parsed.slot.operator if lead.parsed.slot else None
        default = operator or self._default_operator(lead, items)
        stated = [self.item_condition(item, default) for item in items]
        return lead.parsed.with_items([c for c in stated if c is not None], default)

    def joins_surely(self, element: InputElement, lead: Lead) -> bool:
        """Whether the page says how the items of a list of conditions join: "all of these", "and"."""
        items, slot = self.items(element), lead.parsed.slot
        return slot is None or len(items) < 2 or slot.operator is not None or ending_operator(items) is not None

    def item_condition(self, item: InputElement, operator: str, depth: int = 0) -> Condition | None:
        """The condition that a list item states; an exception in it waives it ("all") or narrows it ("any")."""
        spans = readable_spans(item.text) or [(0, 0)]
        nested = self.items(item) if depth < _DEEPEST and _OPENS.search(item.text) else []
        start, end = spans[-1] if nested else spans[0]
        parsed = parse_conditions(item.text, item.label, start, end, temporal=bool(nested))
        if nested:
            return self._nested_condition(item, parsed, nested, depth)
        if parsed.condition is None:  # "died because of an accident at work"
            return leaf_tree(item, start, end)
        own = leaf_tree(item, *parsed.main)
        if own is None:
            return parsed.condition
        if operator == "all" and isinstance(parsed.condition, Not):
            return join("any", [own, parsed.condition.child])
        return join("all", [own, parsed.condition])

    def _nested_condition(
        self, item: InputElement, parsed: ParsedClause, nested: list[InputElement], depth: int
    ) -> Condition | None:
        """An item that introduces a list of its own: the list's tree, with what the item itself states."""
        texts = [one.text for one in nested]
        opened = split_item(plain(item.text), *readable_spans(item.text)[-1], texts) if parsed.slot is None else None
        slot = opened.slot if opened else parsed.slot
        named, negated = quantifier(item.text)
        operator = (slot.operator if slot else None) or (None if opened else named) or ending_operator(nested)
        operator = operator or (opened.slot.joined if opened else "any")
        found = (self.item_condition(one, operator, depth + 1) for one in nested)
        stated = [one for one in found if one is not None]
        if opened is None and parsed.slot is None:  # "you get one of these benefits:"
            stated = [_under(item.text, one) for one in stated]
        own = leaf_tree(item, opened.start, opened.end) if opened else leaf_tree(item, *parsed.main) if slot else None
        if (
            opened and opened.counts and isinstance(own, Leaf)
        ):  # "not above the limit after tax and:" counts the list, too
            listed = "; ".join(text.strip(" .;,") for text in texts)
            return replace(own, meaning=f"{item.text.strip()} {listed}")
        if parsed.slot is not None:
            rest = parsed.with_items(stated, operator)
        else:
            rest = join(operator, stated) if stated else None
            rest = Not(rest) if rest is not None and (opened.slot.negated if opened else negated) else rest
        parts = [part for part in (own, rest) if part is not None]
        return join(opened.slot.joined if opened else "all", parts) if parts else None

    def _default_operator(self, lead: Lead, items: list[InputElement]) -> str:
        """How an unmarked list joins: by an "or" or "and" that ends an item, else by what the lead-in does."""
        joined = ending_operator(items)
        if joined is not None:
            return joined
        if lead.parsed.slot is not None and lead.parsed.slot.negated:
            return "any"
        if items and sum(bool(_NOUN_ITEM.match(item.text)) for item in items) * 2 > len(items):
            return "any"
        whole = sum(" and " in item.text or " but " in item.text for item in items)  # cases: "visit us and live abroad"
        if whole * 2 > len(items) > 1:
            return "any"
        proposition = lead.proposition
        if proposition.modality is Modality.MAY and _GRANT.search(proposition.relation):
            return "all"
        return "all" if lead.requires and proposition.modality is Modality.MUST and proposition.polarity else "any"


def _lettered(elements: Iterable[InputElement]) -> Iterator[tuple[str, InputElement]]:
    """Paragraphs that are the items of a list, as statutes have it: "3.1 The fee shall be paid:", "(a) in full; or"."""
    lead: InputElement | None = None
    for element in elements:
        if element.tag == "p" and element.text.startswith("(") and after_number(element.text):
            if lead is not None and lead.headings == element.headings:
                yield element.label, lead
        else:
            lead = element if element.tag == "p" and element.text.rstrip().endswith(":") else None


def ending_operator(items: Sequence[InputElement]) -> str | None:
    """How a list joins by the "and" or "or" that ends one of its items."""
    for item in items[:-1]:
        ending = re.search(r"\b(and|or)[,;]?$", item.text.rstrip(" .;,"))
        if ending:
            return "any" if ending[1] == "or" else "all"
    return None


def _under(lead: str, stated: Condition) -> Condition:
    """What an item that only names something states with its lead-in."""
    bare = isinstance(stated, Leaf) and not stated.meaning and not starts_predicate(stated.text, "x x x")
    return replace(stated, meaning=f"{lead.strip()} {stated.text}") if isinstance(stated, Leaf) and bare else stated


@lru_cache(maxsize=64)  # asked for with every clause of an element
def readable_spans(text: str) -> tuple[tuple[int, int], ...]:
    """The sentences of an element, each cut to what ``parse_conditions`` reads of it; without a clause's number."""
    first = after_number(text)
    spans = ((max(start, first), end) for start, end in sentence_spans(text) if end > first)
    return tuple((start, min(end, start + LONGEST_SENTENCE)) for start, end in spans)


def sentences_before(text: str, start: int) -> Iterator[tuple[int, int]]:
    """Those that begin before ``start``, nearest first, cut off there."""
    spans = readable_spans(text)
    for place in range(bisect_left(spans, (start, 0)) - 1, -1, -1):
        begin, end = spans[place]
        yield begin, min(end, start)


def sentences_from(text: str, start: int) -> Iterator[tuple[int, int]]:
    """That in which ``start`` lies, and those after it."""
    spans = readable_spans(text)
    for place in range(max(0, bisect_left(spans, (start, 0)) - 1), len(spans)):
        if spans[place][1] > start:
            yield spans[place]


def introduces(text: str) -> bool:
    """Whether a text leads into the list below it: it ends in a colon, or in no stop at all."""
    ending = text.rstrip()[-1:]
    return ending == ":" or bool(ending and ending not in ".?!")


def are_acts(items: Iterable[InputElement]) -> bool:
    """Whether each item of a list says something by itself: most begin with a verb."""
    firsts = [plain(item.text).lower().split()[:1] for item in items]
    acts = [words for words in firsts if words and (is_base(words[0]) or words[0] in ("not", "be", "have", "do"))]
    return len(acts) * 2 > len(firsts)


def leaf_tree(element: InputElement, start: int, end: int) -> Condition | None:
    """The leaves that ``element.text[start:end]`` states when it stands as a condition itself."""
    begin, stop = trim(plain(element.text), start, end)
    if begin >= stop:
        return None
    return leaves_of(element.text, element.label, begin, stop)
