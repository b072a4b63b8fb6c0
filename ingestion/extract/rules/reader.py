"""Reads one chunk: an element is a table row, a list item or prose; each becomes statements.

Prose is read sentence by sentence and clause by clause; a list item goes on from its lead-in. The language
itself is in ``core.language``, the shape of lists in ``outline``. A clause whose parts are not surely understood makes
no statement; a condition that it states is kept, as that of a rule which its section has.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from clausegraph.core.extraction import ExtractionInput, InputElement
from clausegraph.core.language.clauses import independent_clauses
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.frames import is_setting, read_frames
from clausegraph.core.language.markers import plain
from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.nouns import things_named
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.language.restrictions import (
    HAS_INSTRUCTION,
    HAS_RULE,
    HAS_RULE_FOR,
    MENTIONS,
    MET,
    instructs,
    is_bounded_item,
    lists_bounds,
    lists_duties,
    lists_prohibitions,
    restricts,
)
from clausegraph.core.language.slots import quantifier
from clausegraph.core.language.values import value_kind
from clausegraph.core.types import Condition, Literal, Mention, Modality, Not, Span, Statement, leaves
from clausegraph.ingestion.extract.rules.address import READER, Addressee
from clausegraph.ingestion.extract.rules.names import Scene, resolve
from clausegraph.ingestion.extract.rules.outline import Lead, Outline, continued, readable_spans
from clausegraph.ingestion.extract.rules.requirements import Requirements
from clausegraph.ingestion.extract.rules.scope import Scopes
from clausegraph.ingestion.extract.rules.sentences import Setting, combined, dangles, frame_statements
from clausegraph.ingestion.extract.rules.tables import row_statements


@dataclass(slots=True)
class _Before:
    """What a paragraph said so far: the thing named last, the clause before."""

    last: Mention | None = None
    condition: Condition | None = None
    statement: Statement | None = None


class ChunkReader:
    """Reads one input; keeps the statements found so far, each once."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._elements = chunk_input.elements
        self.outline = Outline(chunk_input)
        self._address = Addressee(chunk_input.title or next(iter(chunk_input.headings), ""))
        self._required = Requirements()
        self._scopes = Scopes(chunk_input)
        self._headed = {element.headers for element in chunk_input.elements if element.tag == "tr"}
        self.found: dict[Statement, None] = {}

    def statements(self) -> tuple[Statement, ...]:
        """All statements of the own elements, without repeats."""
        for element in self._elements:
            if element.is_own and element.text.strip():
                self._element(element)
            elif self.outline.items(element):
                self._context_lead(element)
        for element in self._elements:
            if element.is_own and element.tag not in ("h1", "h2", "h3"):
                self._mentions(element)
        self._add(*self._required.statements())
        return tuple(self.found)

    def _scene(self, element: InputElement, last: Mention | None = None) -> Scene:
        return Scene(self._address, element.headings, last)

    def _element(self, element: InputElement) -> None:
        if element.tag in ("h1", "h2", "h3"):
            return  # names a section, states nothing
        if element.tag == "tr":
            self._state(element, row_statements(element, self._scene(element), self._headed))
        elif self.outline.above(element) is not None:
            self._item(element)
        else:
            self._prose(element)
        self._references(element)

    def _prose(self, element: InputElement) -> None:
        """A paragraph, or an item without lead-in: sentence by sentence, clause by clause."""
        before = _Before()
        spans = readable_spans(element.text)
        for start, end in spans:
            lead = self.outline.lead(element) if end == spans[-1][1] else None
            if lead is not None:
                self._lead(element, lead)
                continue
            scene_set = ""
            for begin, stop in independent_clauses(plain(element.text), start, end):
                self._clause(element, begin, stop, before, scene_set)
                scene_set = element.text[begin:stop] if is_setting(element.text[begin:stop]) else ""

    def _clause(self, element: InputElement, start: int, end: int, before: _Before, scene_set: str = "") -> None:
        """The statements of one main clause; "otherwise" negates the condition of the clause before it.

        Args:
            scene_set: what stood before the clause and goes with it ("In England").
        """
        text = element.text[start:end]
        parsed = parse_conditions(element.text, element.label, start, end)
        main = element.text[slice(*parsed.main)]
        proposition = split_proposition(main)
        condition = parsed.condition
        if before.condition is not None and text.lower().startswith("otherwise"):
            condition = combined(Not(before.condition), condition)
        setting = Setting((Span(element.label, start, end),), text, condition)
        if (
            before.statement is not None and not proposition.subject and value_kind(main)
        ):  # "…, or £35 if you pay early"
            value = Literal(main.strip(), value_kind(main) or "text")
            found = [replace(before.statement, object=value, condition=condition, spans=setting.spans)]
        else:
            scene = self._scene(element, before.last)
            said = f"{scene_set}, {main}" if scene_set else main
            found = [s for frame in read_frames(said) for s in frame_statements(frame, setting, scene)]
        self._state(element, found or self._rule(element, setting, proposition))
        self._scopes.read(element, start, end)
        if condition is None and main.strip() and restricts(proposition, main):
            self._required.add(element, self._scene(element), start, end)
        before.condition = condition
        before.statement = found[0] if found else None
        if found and found[0].subject.type != READER:
            before.last = found[0].subject

    def _rule(self, element: InputElement, setting: Setting, proposition: Proposition) -> list[Statement]:
        """The condition of a clause that is not understood, or of all in its section: that of a rule it has."""
        rule = proposition.modality is not Modality.IS and not instructs(proposition)
        cased = rule and self._scopes.of(element.headings) is not None
        if not setting.spans or (setting.condition is None and not cased) or dangles(setting.condition, all):
            return []
        scene = self._scene(element)
        if instructs(proposition):
            return [Statement(scene.section, HAS_INSTRUCTION, scene.reader, setting.spans, condition=setting.condition)]
        beside = setting.text
        for leaf in leaves(setting.condition):  # what the rule is on stands beside its condition
            beside = beside.replace(leaf.text, ";")
        named = next(iter(self._named(beside, scene, 1)), None)
        relation = HAS_RULE if named is not None else HAS_RULE_FOR
        return [Statement(scene.section, relation, named or scene.reader, setting.spans, condition=setting.condition)]

    def _named(self, text: str, scene: Scene, most: int) -> list[Mention]:
        """Things that a text surely names, but not the page itself: no single common nouns but of known kinds."""
        found = (resolve(name, scene) for name in things_named(text, 2 * most))
        named = [one for one in found if one is not None and one.key not in (scene.topic.key, scene.section.key)]
        return [one for one in named if one.type != "thing" or not (one.written or one.surface.islower())][:most]

    def _mentions(self, element: InputElement) -> None:
        """What an element names of which nothing was understood: that its section mentions it."""
        if any(span.anchor == element.label for statement in self.found for span in statement.spans):
            return
        scene = self._scene(element)
        span = (Span(element.label, 0, len(element.text)),)
        self._add(*(Statement(scene.section, MENTIONS, thing, span) for thing in self._named(element.text, scene, 2)))

    def _requirement(self, element: InputElement, setting: Setting, lead: Lead) -> list[Statement]:
        """ "You must:" with its list: who meets the requirements of the section, if the list is met."""
        if setting.condition is None or not (lead.lists_conditions and lead.requires):
            return []
        scene = self._scene(element)
        who = resolve(lead.proposition.subject, scene) if lead.proposition.subject else None
        return [Statement(who or scene.reader, MET, scene.section, setting.spans, condition=setting.condition)]

    def _lead(self, element: InputElement, lead: Lead) -> None:
        """A lead-in: with a condition list one statement over the whole list, else its own words alone."""
        items = [item for item in self.outline.items(element) if item.is_own]
        condition = self.outline.list_condition(element, lead) if lead.lists_conditions else lead.parsed.condition
        spans = [Span(element.label, lead.start, lead.end)] if element.is_own else []
        if lead.lists_conditions:
            spans += [Span(item.label, 0, len(item.text)) for item in items]
        setting = Setting(tuple(spans), lead.text, condition)
        if spans and (lead.lists_conditions or not items):
            frames = read_frames(element.text[slice(*lead.parsed.main)])
            found = [s for frame in frames for s in frame_statements(frame, setting, self._scene(element))]
            found = found or self._requirement(element, setting, lead) or self._rule(element, setting, lead.proposition)
            self._state(element, found)

    def _context_lead(self, element: InputElement) -> None:
        """A lead-in of an earlier chunk: its condition list as far as it is in this one."""
        lead = self.outline.lead(element)
        if lead is not None and lead.lists_conditions:
            self._lead(element, lead)

    def _item(self, element: InputElement) -> None:
        """A list item: a condition of its lead-in, which states it, or an object of the lead-in's verb."""
        above = self.outline.above(element)
        lead = self.outline.lead(above) if above is not None else None
        if above is None or lead is None:
            self._prose(element)
        elif not (lead.lists_conditions or self._within_conditions(above)):
            self._object_item(element, lead)
        elif lead.requires:
            self._duty_item(element, lead)

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

    def _duty_item(self, element: InputElement, lead: Lead) -> None:
        """An item of "You must:", which is a condition, and a statement of its own unless one of them is enough."""
        if quantifier(lead.text)[0] == "any":
            return
        start, end = readable_spans(element.text)[0]
        parsed = parse_conditions(element.text, element.label, start, end)
        frame = continued(lead, element.text[slice(*parsed.main)])
        setting = Setting((Span(element.label, start, end),), element.text[start:end], parsed.condition)
        self._state(element, frame_statements(frame, setting, self._scene(element)) if frame else [])

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
        whole = (Span(element.label, 0, len(element.text)),)
        setting = Setting(whole, element.text, combined(lead.parsed.condition, own))
        frame = continued(lead, main)
        if (
            frame is not None
            and frame.modality in (Modality.MUST, Modality.SHOULD)
            and quantifier(lead.text)[0] == "any"
        ):
            frame = None  # "You need one of the following": no item is a duty by itself
        found = frame_statements(frame, setting, self._scene(element)) if frame else []
        self._state(element, found or self._rule(element, setting, lead.proposition))
        if own is None and lists_prohibitions(lead.proposition):
            self._required.add(element, self._scene(element), *parsed.main, barred=True)
        elif own is None and (
            lists_duties(lead.proposition, lead.text)
            or lead.lists_examples
            or (is_bounded_item(main) and lists_bounds(lead.proposition, lead.text))
        ):
            self._required.add(element, self._scene(element), *parsed.main)
        before = _Before()
        for start, end in spans[1:]:
            self._clause(element, start, end, before)

    def _references(self, element: InputElement) -> None:
        """Links: the page refers to what they name."""
        for link in element.links:
            text = link.text.strip()
            if not text:
                continue
            start = max(element.text.find(text), 0)
            end = start + len(text) if element.text.startswith(text, start) else len(element.text)
            target = Mention(text, entity_key(text), "page")
            self._add(Statement(self._scene(element).topic, "refers to", target, (Span(element.label, start, end),)))

    def _state(self, element: InputElement, statements: list[Statement]) -> None:
        """Keep statements under what holds for all of their section."""
        scope = self._scopes.of(element.headings)
        self._add(*(replace(one, condition=combined(scope, one.condition)) for one in statements))

    def _add(self, *statements: Statement) -> None:
        self.found |= dict.fromkeys(statements)
