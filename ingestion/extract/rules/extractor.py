"""Facts without a language model: statements and passages of policy English by rules, deterministic and fast.

An element is a table row, a list item or prose; each becomes statements. Prose is read sentence by sentence and clause
by clause; a list item goes on from its lead-in. A clause whose parts are not surely understood makes no statement; the
condition that it states, or what it names, is kept as a passage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from clausegraph.core.extraction import Extraction, ExtractionInput, InputElement
from clausegraph.core.hashing import content_hash
from clausegraph.core.language.clauses import after_number, independent_clauses
from clausegraph.core.language.conditions import parse_conditions
from clausegraph.core.language.lexicon import PREPOSITIONS, phrases
from clausegraph.core.language.normalise import entity_key, plain
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.language.values import value_kind
from clausegraph.core.ontology import Ontology, policy_ontology
from clausegraph.core.types import (
    Condition,
    Literal,
    Mention,
    Modality,
    Not,
    Passage,
    PassageKind,
    Span,
    Stated,
    Statement,
    leaves,
)
from clausegraph.ingestion.extract.rules.address import Addressee
from clausegraph.ingestion.extract.rules.claims import Clause, claims, combined, is_simple, unquoted, within
from clausegraph.ingestion.extract.rules.names import Scene, named, resolve, things_named
from clausegraph.ingestion.extract.rules.outline import Lead, Outline, readable_spans
from clausegraph.ingestion.extract.rules.restrictions import (
    instructs,
    is_bounded_item,
    lists_bounds,
    lists_duties,
    lists_prohibitions,
    restricts,
)
from clausegraph.ingestion.extract.rules.sections import Outcomes, Requirements, Scopes, beyond, excluded, excludes
from clausegraph.ingestion.extract.rules.tables import Row

_SETS_CASE = phrases("if|when|once|after|where|this|these")  # for what stands after it, too
_DANGLES = re.compile(  # only points to what was told before: "if you do not"
    r"(?:(?:you|they|we|it|he|she|this|that)\s)?(?:do|does|did|are|is|was|were|have|has|can|cannot|will|would|so|not)"
    r"(?:\s(?:not|so|this|the case))?|(?:this|that|it) (?:happens|applies|is the case)",
    re.IGNORECASE,
)
_AROUND = 2000  # characters of an element that are looked at on either side of a clause
VERSION = 2  # raise it with every change of what the rules state: pages are then extracted again
_OF_THE_PAGE = frozenset({"role", "topic", "section", "page"})


@dataclass(slots=True)
class _Before:
    """What a paragraph said so far: the condition and the statement of the clause before."""

    condition: Condition | None = None
    statement: Statement | None = None
    conditioned: bool = False  # a sentence of it holds under a condition: what follows may, too


class ChunkReader:
    """Reads one input; keeps the statements and passages found so far, each once."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._elements = chunk_input.elements
        self.outline = Outline(chunk_input)
        said: dict[tuple[str, ...], str] = {}
        for element in chunk_input.elements:
            said[element.headings] = f"{said.get(element.headings, '')} {element.text}"
        self._address = Addressee(chunk_input.title or next(iter(chunk_input.headings), ""), said)
        self._required = Requirements()
        self._outcomes = Outcomes()
        self._excluded: list[Passage] = []
        self._scopes = Scopes(chunk_input)
        self.found: dict[Statement, None] = {}
        self.left: dict[Passage, None] = {}
        self._says: set[str] = set()  # labels of elements with a simple clause: they are found, whatever they name

    def read(self) -> Extraction:
        """All statements of the own elements, and the passages that none of them holds, without repeats."""
        for element in self._elements:
            if element.is_own and element.text.strip():
                self._element(element)
            elif self.outline.items(element):  # a lead-in of an earlier chunk: its condition list, as far as it is here
                lead = self.outline.lead(element)
                if lead is not None and lead.lists_conditions:
                    self._lead(element, lead)
        every: list[Stated] = [*self.found, *self.left]
        told = {span.anchor for one in every for span in one.spans}
        for element in self._elements:
            if element.is_own and element.tag not in ("h1", "h2", "h3"):
                self._name(element, told if element.parent is None else set())
        self.left |= dict.fromkeys([*self._required.passages(), *self._excluded])
        statements = dict.fromkeys(map(self._outcomes.bounded, self.found))
        return Extraction(tuple(statements), passages=tuple(dict.fromkeys(map(self._outcomes.bounded, self.left))))

    def _scene(self, element: InputElement) -> Scene:
        return Scene(self._address, tuple(heading[after_number(heading) :] for heading in element.headings))

    def _element(self, element: InputElement) -> None:
        if element.tag in ("h1", "h2", "h3"):
            return  # names a section, states nothing
        if element.tag == "tr":
            self._row(element)
        elif self.outline.above(element) is not None:
            self._item(element)
        else:
            self._prose(element)

    def _row(self, element: InputElement) -> None:
        """A row of a table; the case that its header states is kept where the row is not understood."""
        row = Row(element, self._elements, self._scene(element))
        found = row.statements()
        self._state(element, found)
        condition = row.case()
        if condition is not None and not any(one.condition for one in found):
            self._leave(element, Passage(PassageKind.RULE, (Span(element.label, 0, len(element.text)),), condition))

    def _prose(self, element: InputElement) -> None:
        """A paragraph, or an item without lead-in: sentence by sentence, clause by clause."""
        before = _Before()
        spans = readable_spans(element.text)
        for start, end in spans:
            lead = self.outline.lead(element) if end == spans[-1][1] else None
            if lead is not None:
                self._lead(element, lead)
                continue
            for begin, stop in independent_clauses(plain(element.text), start, end):
                self._clause(element, begin, stop, before)

    def _clause(self, element: InputElement, start: int, end: int, before: _Before) -> None:
        """The statements of one main clause; "otherwise" negates the condition of the clause before it."""
        text = element.text[start:end]
        parsed = parse_conditions(element.text, element.label, start, end)
        main = element.text[slice(*parsed.main)]
        proposition = split_proposition(main)
        condition = parsed.condition
        if before.condition is not None and text.lower().startswith("otherwise"):
            condition = combined(Not(before.condition), condition)
        spans = (Span(element.label, start, end),)
        another = _another_value(main, before.statement) if not proposition.subject else None
        if before.statement is not None and another is not None:  # "…, or £35 if you pay early"
            found = [replace(before.statement, object=another, condition=condition, spans=spans)]
            self._otherwise(before.statement, condition)
        else:
            said = re.sub(r"^otherwise,?\s+", "", main, flags=re.IGNORECASE)  # its condition says so
            found = self._claims(element, said, spans, condition, inherits=before.conditioned)
        stated = self._state(element, found) or self._rule(element, spans, text, condition, proposition)
        self._grant(element, main, proposition, stated)
        self._scopes.read(element, start, end)
        if condition is None and main.strip() and restricts(proposition, main):
            self._required.add(element, start, end)
        before.condition = condition
        before.conditioned |= condition is not None or _SETS_CASE.match(text) is not None
        before.statement = found[0] if found else None

    def _otherwise(self, first: Statement, condition: Condition | None) -> None:
        """A value that another takes the place of under a condition: "£70, or £35 if you pay early" is £70 if not."""
        if condition is None or first.condition is not None:
            return
        scope = self._scopes.of(next(e.headings for e in self._elements if e.label == first.spans[0].anchor))
        kept = replace(first, condition=scope)
        again = replace(first, condition=combined(scope, Not(condition)))
        self.found = {again if one == kept else one: None for one in self.found}

    def _claims(
        self,
        element: InputElement,
        main: str,
        spans: tuple[Span, ...],
        condition: Condition | None,
        *,
        inherits: bool = False,
    ) -> list[Statement]:
        """The statement of a main clause, where it is plain."""
        own = next((span for span in spans if span.anchor == element.label), Span(element.label, 0, len(element.text)))
        earlier = element.text[max(after_number(element.text), own.start - _AROUND) : own.start]
        later = element.text[own.end : own.end + _AROUND]
        clause = Clause(
            unquoted(main),
            spans,
            element.text[own.start : own.end],
            condition,
            earlier,
            later,
            inherits,
            self._scopes.of(element.headings),
        )
        return claims(clause, self._scene(element))

    def _rule(
        self,
        element: InputElement,
        spans: tuple[Span, ...],
        text: str,
        condition: Condition | None,
        proposition: Proposition,
    ) -> list[Passage]:
        """Keep the condition of a clause that makes no statement, or of all in its section."""
        instruction = instructs(proposition)
        self._says |= {element.label} if is_simple(proposition, self._scene(element)) else set()
        rules = proposition.modality is not Modality.IS or element.label in self._says
        cased = rules and not instruction and self._scopes.of(element.headings) is not None
        if not spans or (condition is None and not cased) or _dangles(condition):
            return []
        for leaf in leaves(condition):  # what the rule is on stands beside its condition
            text = text.replace(leaf.text, ";")
        names = () if instruction else tuple(self._named(text, self._scene(element), 1))
        kind = PassageKind.INSTRUCTION if instruction else PassageKind.RULE
        return [self._leave(element, Passage(kind, spans, condition, names))]

    def _named(self, text: str, scene: Scene, most: int) -> list[Mention]:
        """Things that a text surely names, but not the page itself: no single common nouns but of known kinds."""
        found = (resolve(name, scene) for name in things_named(text, 2 * most))
        named = (one for one in found if one is not None and one.key not in (scene.topic.key, scene.section.key))
        kinds = (one for one in named if one.type != "thing" or not (one.written or one.surface.islower()))
        return list(islice(kinds, most))

    def _name(self, element: InputElement, told: set[str]) -> None:
        """Keep an element that is not ``told``, and says something or names things, links among them."""
        if element.label in told:
            return
        linked = (link.text.strip() for link in element.links)
        pages = [named(text, "page") for text in linked if entity_key(text)]
        names = tuple(dict.fromkeys([*self._named(element.text, self._scene(element), 2), *pages]))
        if names or element.label in self._says:
            self._leave(None, Passage(PassageKind.NAMES, (Span(element.label, 0, len(element.text)),), None, names))

    def _requirement(
        self, element: InputElement, spans: tuple[Span, ...], condition: Condition | None, lead: Lead
    ) -> bool:
        """Keep the list of "You must:": what must be met for what the section grants."""
        if condition is None or not (lead.lists_conditions and lead.requires):
            return False
        self._leave(element, Passage(PassageKind.LIST, spans, condition))
        return True

    def _lead(self, element: InputElement, lead: Lead) -> None:
        """A lead-in: with a condition list one statement over the whole list, else its own words alone."""
        items = [item for item in self.outline.items(element) if item.is_own]
        condition = self.outline.list_condition(element, lead) if lead.lists_conditions else lead.parsed.condition
        spans = [Span(element.label, lead.start, lead.end)] if element.is_own else []
        if lead.lists_conditions:
            spans += [Span(item.label, 0, len(item.text)) for item in self.outline.items_below(element) if item.is_own]
        if spans and (lead.lists_conditions or not items):
            main = element.text[slice(*lead.parsed.main)]
            sure_of_list = not lead.lists_conditions or self.outline.joins_surely(element, lead)
            found = self._claims(element, main, tuple(spans), condition) if sure_of_list else []
            stated: Sequence[Statement | Passage] = self._state(element, found)
            if not found and not self._requirement(element, tuple(spans), condition, lead):
                stated = self._rule(element, tuple(spans), lead.text, condition, lead.proposition)
            self._grant(element, main, lead.proposition, stated)
        elif spans and excludes(lead):
            self._exclusion(element, lead, spans + [Span(item.label, 0, len(item.text)) for item in items])
        if lead.lists_conditions and lead.refuses and condition is not None:
            self._outcomes.refuse(element, lead.main, condition)

    def _exclusion(self, element: InputElement, lead: Lead, spans: list[Span]) -> None:
        """A list of cases in which something is refused or not asked for: any of them is enough."""
        condition = excluded(self.outline, element, lead)
        if condition is None:
            return
        names = tuple(self._named(lead.main, self._scene(element), 1))
        whole = combined(self._scopes.of(element.headings), combined(lead.parsed.condition, condition))
        self._excluded.append(Passage(PassageKind.LIST, tuple(spans), whole, names))
        if lead.refuses:
            self._outcomes.refuse(element, lead.main, condition)

    def _grant(
        self, element: InputElement, main: str, proposition: Proposition, stated: Sequence[Statement | Passage]
    ) -> None:
        """Keep what a clause allows, for what is refused of it below."""
        if proposition.modality is Modality.MAY and proposition.polarity:
            for one in stated:
                self._outcomes.grant(element, main, one)

    def _item(self, element: InputElement) -> None:
        """A list item: a condition of its lead-in, which states it, or a passage that goes on from its lead-in."""
        above = self.outline.above(element)
        lead = self.outline.lead(above) if above is not None else None
        if above is None or lead is None:
            self._prose(element)
        elif not (lead.lists_conditions or self._within_conditions(above)):
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

    def _object_item(self, element: InputElement, lead: Lead) -> None:
        """An item that goes on from the verb of its lead-in: what it says of when it holds, and what it requires."""
        spans = readable_spans(element.text)
        start, end = spans[0]
        parsed = parse_conditions(element.text, element.label, start, end)
        main = element.text[slice(*parsed.main)]
        own = parsed.condition
        if parsed.slot is not None:
            below = (self.outline.item_condition(item, "all") for item in self.outline.items(element))
            own = parsed.with_items([one for one in below if one])
        whole = (Span(element.label, 0, len(element.text)),)
        self._rule(element, whole, element.text, combined(lead.parsed.condition, own), lead.proposition)
        if own is None and lists_prohibitions(lead.proposition):
            self._required.add(element, *parsed.main, barred=True)
        elif own is None and (
            lists_duties(lead.proposition, lead.text)
            or lead.lists_examples
            or (is_bounded_item(main) and lists_bounds(lead.proposition, lead.text))
        ):
            self._required.add(element, *parsed.main)
        before = _Before()
        for start, end in spans[1:]:
            self._clause(element, start, end, before)

    def _state(self, element: InputElement, statements: list[Statement]) -> list[Statement]:
        """Keep statements under what holds for all of their section; as they are kept."""
        scope = self._scopes.of(element.headings)
        kept = [replace(one, condition=within(beyond(scope, one.subject), one.condition)) for one in statements]
        self.found |= dict.fromkeys(kept)
        return kept

    def _leave(self, element: InputElement | None, passage: Passage) -> Passage:
        """Keep a passage, under what holds for all of the element's section; as it is kept."""
        scope = self._scopes.of(element.headings) if element is not None else None
        kept = passage if scope is None else replace(passage, condition=combined(scope, passage.condition))
        self.left[kept] = None
        return kept


def _another_value(main: str, before: Statement | None) -> Literal | None:
    """The value that takes the place of a statement's: "and £200", "and by 30 June" after "apply by 31 May"."""
    last = before.relation.split()[-1] if before is not None else ""
    value = main.strip().removeprefix(f"{last} ") if last in PREPOSITIONS else main.strip()
    kind = value_kind(value) if before is not None else None
    return Literal(value, kind) if kind else None


def _dangles(condition: Condition | None) -> bool:
    """Whether all that a condition says only points to what was told before."""
    pointing = [_DANGLES.fullmatch(leaf.text.strip()) is not None for leaf in leaves(condition)]
    return bool(pointing) and all(pointing)


class RuleExtractor:
    """The extractor of first resort: no model, no network, the same output everywhere."""

    def __init__(self, ontology: Ontology | None = None) -> None:
        """Types are those of the shipped ontology, or of another that takes its place."""
        self._ontology = ontology or policy_ontology()

    @cached_property
    def fingerprint(self) -> str:
        """``rules:``, the version of the rules, and a hash of the types that they give to names."""
        return f"rules:{VERSION}:{content_hash(self._ontology.digest)[:12]}"

    def extract(self, chunk_input: ExtractionInput) -> Extraction:
        """The statements and passages of one chunk, in element order; nothing is rejected."""
        found = ChunkReader(chunk_input).read()
        if self._ontology is policy_ontology():
            return found
        passages = (replace(one, names=tuple(self._named(name) for name in one.names)) for one in found.passages)
        return Extraction(tuple(self._typed(one) for one in found.statements), passages=tuple(passages))

    def _typed(self, statement: Statement) -> Statement:
        target = self._named(statement.object) if isinstance(statement.object, Mention) else statement.object
        return replace(statement, subject=self._named(statement.subject), object=target)

    def _named(self, name: Mention) -> Mention:
        """A name with the type of another ontology, but for what the rules know by the page."""
        return name if name.type in _OF_THE_PAGE else replace(name, type=self._ontology.type_of(name.surface))
