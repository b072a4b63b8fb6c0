"""Reads one chunk: an element is a table row, a list item or prose; each becomes statements.

Prose is read sentence by sentence and clause by clause; a list item goes on from its lead-in. The language
itself is in ``core.language``, the shape of lists in ``rules_outline``.
"""

from __future__ import annotations

from dataclasses import replace

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.clauses import independent_clauses
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.markers import plain
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.propositions import Proposition, shorten, split_proposition
from clausegraph.core.language.restrictions import (
    is_bounded_item,
    lists_bounds,
    lists_duties,
    lists_prohibitions,
    restricts,
)
from clausegraph.core.language.values import value_kind
from clausegraph.core.types import Condition, Literal, Mention, Not, Span, Statement, leaves
from clausegraph.ingestion.extract.rules.mentions import mention
from clausegraph.ingestion.extract.rules.outline import Lead, Outline, leaf_tree, readable_spans
from clausegraph.ingestion.extract.rules.sentences import Scene, clause_statement, combined, value_statements
from clausegraph.ingestion.extract.rules.tables import row_statements


class ChunkReader:
    """Reads one input; keeps the statements found so far, each once."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._elements = chunk_input.elements
        self.outline = Outline(chunk_input)
        self.topic = _topic(chunk_input)
        self.found: dict[Statement, None] = {}

    def statements(self) -> tuple[Statement, ...]:
        """All statements of the own elements, without repeats."""
        for element in self._elements:
            if element.is_own and element.text.strip():
                self._element(element)
            elif self.outline.items(element):
                self._context_lead(element)
        return tuple(self.found)

    def _element(self, element: InputElement) -> None:
        if element.tag in ("h1", "h2", "h3"):
            return  # names a section, states nothing
        if element.tag == "tr":
            self._add(*row_statements(element, self.topic))
        elif self.outline.above(element) is not None:
            self._item(element)
        else:
            self._prose(element)
        self._references(element)

    def _prose(self, element: InputElement) -> None:
        """A paragraph, or an item without lead-in: sentence by sentence, clause by clause."""
        last: Mention | None = None
        before: Statement | None = None
        spans = readable_spans(element.text)
        for start, end in spans:
            lead = self.outline.lead(element) if end == spans[-1][1] else None
            if lead is not None:
                self._lead(element, lead)
                continue
            for begin, stop in independent_clauses(plain(element.text), start, end):
                statement = self._clause(element, begin, stop, last, before)
                if statement is None:
                    continue
                before = statement
                last = statement.subject if statement.subject.key not in ("you", "we") else last

    def _clause(
        self, element: InputElement, start: int, end: int, last: Mention | None = None, before: Statement | None = None
    ) -> Statement | None:
        """The statement of one main clause; "otherwise" negates the condition of the statement ``before`` it."""
        text = element.text[start:end]
        parsed = parse_conditions(element.text, element.label, start, end)
        main = element.text[slice(*parsed.main)]
        proposition = split_proposition(main)
        if not (main.strip() and (proposition.subject or proposition.object)):
            self._depends(element, self.topic, start, end, parsed.condition)
            return None
        condition = parsed.condition
        if before is not None and before.condition is not None and text.lower().startswith("otherwise"):
            condition = combined(Not(before.condition), condition)
        span = (Span(element.label, start, end),)
        statement = clause_statement(proposition, condition, span, text, Scene(self.topic, last))
        if before is not None and not proposition.subject and value_kind(main):  # "…, or £35 if you pay early"
            value = Literal(main.strip(), value_kind(main) or "text")
            statement = replace(before, object=value, condition=condition, spans=span)
        self._add(statement, *value_statements(statement, main))
        if condition is None and restricts(proposition, main):
            self._depends(element, self.topic, *parsed.main)
        return statement

    def _lead(self, element: InputElement, lead: Lead) -> None:
        """A lead-in: with a condition list one statement over the whole list, else its own words alone."""
        items = [item for item in self.outline.items(element) if item.is_own]
        condition = self.outline.list_condition(element, lead) if lead.lists_conditions else lead.parsed.condition
        text = element.text[lead.start : lead.end]
        spans = [Span(element.label, lead.start, lead.end)] if element.is_own else []
        if lead.lists_conditions:
            spans += [Span(item.label, 0, len(item.text)) for item in items]
        if spans and (lead.lists_conditions or lead.proposition.object or not items):
            self._add(clause_statement(lead.proposition, condition, tuple(spans), text, Scene(self.topic)))
        refused = lead.lists_conditions and lead.parsed.condition is None and not lead.proposition.polarity
        if element.is_own and refused:  # "You cannot claim if:", "You do not have to pay if:"
            self._depends(element, self.topic, *lead.parsed.main)

    def _context_lead(self, element: InputElement) -> None:
        """A lead-in of an earlier chunk: its condition list as far as it is in this one."""
        lead = self.outline.lead(element)
        if lead is not None and lead.lists_conditions:
            self._lead(element, lead)

    def _item(self, element: InputElement) -> None:
        """A list item: a condition of its lead-in, or an object of the lead-in's verb."""
        above = self.outline.above(element)
        lead = self.outline.lead(above) if above is not None else None
        if above is None or lead is None:
            self._prose(element)
        elif lead.lists_conditions or self._within_conditions(above):
            self._condition_item(element, lead)
        else:
            self._object_item(element, lead)

    def _within_conditions(self, element: InputElement) -> bool:
        """Whether an introducing item stands in a condition list itself."""
        for _ in range(6):
            above = self.outline.above(element)
            if above is None:
                return False
            lead = self.outline.lead(above)
            if lead is not None and lead.lists_conditions:
                return True
            element = above
        return False

    def _condition_item(self, element: InputElement, lead: Lead) -> None:
        """What depends on the item: the lead-in's object, or the topic."""
        condition = self.outline.item_condition(element, "all")
        if condition is None or next(leaves(condition), None) is None:
            return
        proposition = lead.proposition
        about = mention(proposition.object, self.topic) if proposition.object else self.topic
        if proposition.subject.lower() not in ("", "you", "we"):
            about = mention(proposition.subject, self.topic)
        whole = (Span(element.label, 0, len(element.text)),)
        self._add(Statement(about, "depends on", Literal(element.text.strip(" ;,.")), whole, condition=condition))

    def _object_item(self, element: InputElement, lead: Lead) -> None:
        """An object of the lead-in's verb: subject and verb from the lead-in, object from the item."""
        spans = readable_spans(element.text)
        start, end = spans[0]
        parsed = parse_conditions(element.text, element.label, start, end)
        main = element.text[slice(*parsed.main)]
        own = parsed.condition
        if parsed.slot is not None:
            own = parsed.with_items(
                [c for c in (self.outline.item_condition(i, "all") for i in self.outline.items(element)) if c]
            )
        condition = combined(lead.parsed.condition, own)
        proposition = _continued(lead.proposition, main)
        whole = (Span(element.label, 0, len(element.text)),)
        statement = clause_statement(proposition, condition, whole, element.text, Scene(self.topic))
        self._add(statement, *value_statements(statement, main))
        if own is None and lists_prohibitions(lead.proposition):
            barred = leaf_tree(element, *parsed.main)
            self._depends(element, self.topic, *parsed.main, Not(barred) if barred is not None else None)
        elif own is None and (
            lists_duties(lead.proposition, lead.text)
            or lead.lists_examples
            or (is_bounded_item(main) and lists_bounds(lead.proposition, lead.text))
        ):
            self._depends(element, self.topic, *parsed.main)
        for start, end in spans[1:]:
            self._clause(element, start, end)

    def _depends(
        self, element: InputElement, about: Mention, start: int, end: int, condition: Condition | None = None
    ) -> None:
        """A requirement, a bound or a bare "if" clause: what the page is about depends on it."""
        text = element.text[start:end].strip(" .;,:")
        condition = condition or leaf_tree(element, start, end)
        if text and next(leaves(condition), None) is not None:
            self._add(
                Statement(about, "depends on", Literal(text), (Span(element.label, start, end),), condition=condition)
            )

    def _references(self, element: InputElement) -> None:
        """Links: the page refers to what they name."""
        for link in element.links:
            text = link.text.strip()
            if not text:
                continue
            start = max(element.text.find(text), 0)
            end = start + len(text) if element.text.startswith(text, start) else len(element.text)
            target = Mention(text, entity_key(text), "page")
            self._add(Statement(self.topic, "refers to", target, (Span(element.label, start, end),)))

    def _add(self, *statements: Statement) -> None:
        self.found |= dict.fromkeys(statements)


def _topic(chunk_input: ExtractionInput) -> Mention:
    """The page's title as a mention, else its outermost heading."""
    title = chunk_input.title.strip() or next(iter(chunk_input.headings), "") or "page"
    return Mention(title, entity_key(title) or title, "topic")


def _continued(lead: Proposition, item: str) -> Proposition:
    """The lead-in's subject and verb with an item as object; an item with its own verb under "you must:"."""
    if lead.object.lower() in (
        "",
        "either",
        "both",
        "the following",
        "any of the following",
        "all of the following",
        "one of the following",
    ):
        if lead.relation in ("may", "must", "cannot"):
            return split_proposition(f"{lead.subject} {lead.relation} {item}")
        return replace(lead, object=shorten(item))
    return replace(lead, object=shorten(item))
