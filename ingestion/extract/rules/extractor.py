"""Facts without a language model: statements and rules of policy English by rules, deterministic and fast.

An element is a table row, a list item or prose; each becomes statements. Prose is read sentence by sentence and clause
by clause; a list item goes on from its lead-in. A clause whose parts are not surely understood makes no statement; what
it rules is a rule, in its own words.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import islice

from clausegraph.core.extraction import Extraction, ExtractionInput, InputElement, extraction_inputs
from clausegraph.core.hashing import content_hash
from clausegraph.core.language.address import Addressee
from clausegraph.core.language.clauses import after_number
from clausegraph.core.language.conditions import (
    LONGEST_SENTENCE,
    independent_clauses,
    opening_case,
    opens_case,
    parse_conditions,
)
from clausegraph.core.language.headings import narrows
from clausegraph.core.language.lexicon import AUXILIARIES, PREPOSITIONS, phrases
from clausegraph.core.language.names import Scene
from clausegraph.core.language.normalise import plain
from clausegraph.core.language.references import leans_back, takes_up
from clausegraph.core.language.rule_kinds import RuledClause, kinds_of
from clausegraph.core.ontology import Ontology, policy_ontology
from clausegraph.core.types import PUBLISHER, Condition, Mention, Not, Reading, Rule, RuleKind, Span, Statement
from clausegraph.indexes.derive import with_anchors
from clausegraph.ingestion.extract.rules.facts import fact_of
from clausegraph.ingestion.extract.rules.outline import Lead, Outline, are_acts, readable_spans, sentences_from
from clausegraph.ingestion.extract.rules.ruling import Ruling, Rulings, both
from clausegraph.ingestion.extract.rules.sections import Scopes, excluded
from clausegraph.ingestion.extract.rules.tables import Row

_AROUND = 2000  # characters of an element that are looked at on either side of a clause
_FURTHEST = 3  # sentences, or a list, that a clause goes on from
_DEEPEST = 6  # lists within lists that are looked at
VERSION = 11  # raise it with every change of what the rules state: pages are then extracted again
_TAKEN_BACK = phrases(  # a later sentence says more of when something holds
    "must also|also need|however|except|unless|do(?:es)? not apply|only|instead|but|if not|otherwise|it depends"
    "|the amount"
)
_ELSE = re.compile(r"\W*(?:or|except|unless)\b", re.IGNORECASE)
_REQUIRES = phrases(r"you (?:must|need)\b[^.]* to (?:get|claim|receive|qualify)")
_SHORT = 7  # words that say nothing without what they lead in to
_QUALIFIES = ("To qualify", "To get", "To be eligible", "To be entitled")
_HEADINGS = ("h1", "h2", "h3")
_OF_THE_PAGE = frozenset({"role", "topic", "section", "page"})


@dataclass(slots=True)
class _Before:
    """What a paragraph said so far: the condition of the clause before."""

    condition: Condition | None = None
    conditioned: bool = False  # a sentence of it holds under a condition: what follows may, too


class ChunkReader:
    """Reads one input; keeps the statements and rules found so far, each once."""

    def __init__(self, chunk_input: ExtractionInput) -> None:
        self._elements = chunk_input.elements
        self._place = {element.label: place for place, element in enumerate(chunk_input.elements)}
        self.outline = Outline(chunk_input)
        said = " ".join(element.text for element in chunk_input.elements)
        self._title = chunk_input.title
        self._address = Addressee(chunk_input.title or next(iter(chunk_input.headings), ""), said)
        self._rulings = Rulings(chunk_input)
        self._scopes = Scopes(chunk_input)
        self.found: dict[Statement, None] = {}

    def read(self) -> Extraction:
        """All statements of the own elements, without repeats."""
        for element in self._elements:
            if element.is_own and element.text.strip():
                self._element(element)
            elif self.outline.items(element):  # a lead-in of an earlier chunk: its condition list, as far as it is here
                lead = self.outline.lead(element)
                if lead is not None and lead.lists_conditions:
                    self._lead(element, lead)
        return Extraction(tuple(self.found))

    def rules(self) -> list[Rule]:
        """What the own elements rule, once they were read."""
        return self._rulings.found()

    def _scene(self, element: InputElement) -> Scene:
        return Scene(self._address, tuple(heading[after_number(heading) :] for heading in element.headings))

    def _element(self, element: InputElement) -> None:
        if element.tag in _HEADINGS or element.text.lower().startswith(("example:", "examples:")):
            return  # names a section, or shows what comes of rules: states nothing
        if element.tag == "tr":
            self._row(element)
        elif self.outline.above(element) is not None:
            self._item(element)
        else:
            self._prose(element)

    def _row(self, element: InputElement) -> None:
        """A row of a table; the case that its header states is the condition of its rule."""
        row = Row(element, self._elements, self._scene(element))
        scope = self._scopes.of(element.headings)
        cells = (replace(one, condition=both(scope, one.condition)) for one in row.statements())
        self.found |= dict.fromkeys(cells)
        if not row.is_header:
            words = " ".join((element.text, *element.headers, *(self._words(span) for span in row.lead)))
            scope, headings = self._scopes.over(element.headings, words, None)
            said = Ruling((_whole(element), *row.lead, *map(_whole, headings)), element.text, both(scope, row.case()))
            self._rulings.row(element, said, row.dates, self._scene(element))

    def _prose(self, element: InputElement) -> None:
        """A paragraph, or an item without lead-in: sentence by sentence, clause by clause."""
        before = _Before()
        spans = readable_spans(element.text)
        following = self._elements[self._place[element.label] + 1 :][:1]
        if following and following[0].tag == "tr" and element.text.rstrip()[-1:].isalnum():
            return  # the caption of a table, which its rows have
        for start, end in spans:
            lead = self.outline.lead(element) if end == spans[-1][1] else None
            if lead is not None:
                self._lead(element, lead)
                continue
            for begin, stop in independent_clauses(plain(element.text), start, end):
                self._clause(element, begin, stop, before)

    def _clause(self, element: InputElement, start: int, end: int, before: _Before) -> None:
        """What one main clause rules; "otherwise" negates the condition of the clause before it."""
        text = element.text[start:end]
        parsed = parse_conditions(element.text, element.label, start, end)
        main = element.text[slice(*parsed.main)]
        condition = parsed.condition
        if before.condition is not None and text.lower().startswith("otherwise"):
            condition = both(Not(before.condition), condition)
        alone = (start, end) in readable_spans(element.text) and not (before.conditioned and condition is None)
        fact = main if alone and not self._taken_back(element, end) else ""
        self._rule_of(element, Ruling((Span(element.label, start, end),), text, condition, fact=fact))
        before.condition = condition
        before.conditioned |= condition is not None

    def _taken_back(self, element: InputElement, end: int) -> bool:
        """Whether what follows says more of when something holds, or refuses it."""
        if _TAKEN_BACK.search(element.text, end, end + LONGEST_SENTENCE):
            return True
        for one in self._elements[self._place[element.label] + 1 :]:
            if one.tag == "p" and one.headings == element.headings and _TAKEN_BACK.match(one.text):
                return True
            lead = self.outline.lead(one) if one.tag == "p" and one.headings == element.headings else None
            if (lead is not None and lead.refuses) or one.text.startswith(_QUALIFIES):
                return True
        return False

    def _rule_of(self, element: InputElement, said: Ruling, listed: Iterable[InputElement] = ()) -> None:
        """Keep what words rule, under what holds for all of their section and what their opening says it is for."""
        case = opening_case(element.text, element.label, said.spans[0].start, said.spans[0].end)
        own = both(case, said.condition)
        items = ", ".join(item.text for item in listed)
        above = self.outline.above(element)
        first = next((span for span in said.spans if above is not None and span.anchor == above.label), said.spans[0])
        before = self._context(self.outline.by_label[first.anchor], first.start, said.text, own)
        before += self._required(element, said.spans[0].end) if said.spans[0].anchor == element.label else []
        words = " ".join(self._words(span) for span in (*said.spans, *before))
        scope, headings = self._scopes.over(element.headings, words, own)
        spans = tuple(dict.fromkeys((*said.spans, *before, *map(_whole, headings))))
        made = replace(said, spans=spans, condition=both(scope, own), listed=items, is_cased=own is None)
        scene = self._scene(element)
        told = self._rulings.add(element, made, scene)
        if said.fact and not before and not any(narrows(one.text) for one in headings):
            rule = told()
            fact = fact_of(rule, said.fact, said.spans, scene) if rule is not None else None
            self.found |= {fact: None} if fact is not None else {}

    def _words(self, span: Span) -> str:
        return self.outline.by_label[span.anchor].text[span.start : span.end]

    def _context(self, element: InputElement, start: int, text: str, own: Condition | None) -> list[Span]:
        """What a clause goes on from: the beginning of its sentence, the sentences before it that it leans on, and a
        case right before it that may hold for what has no condition of its ``own``."""
        known = " ".join((self._title, *element.headings))
        found: list[Span] = []
        for said, spans in islice(self.outline.before(element, start), _FURTHEST):
            ended = said.rstrip("\"'”’)]").endswith((".", "!", ":"))  # "Lost a receipt? You can …"
            goes_on = spans[0].anchor == element.label and (not ended or (own is None and opens_case(said)))
            if not (goes_on or leans_back(text) or takes_up(text, said, known)):
                break
            found += spans
            text = said
        return found

    def _required(self, element: InputElement, end: int) -> list[Span]:
        """What else its sentence says ("…, or £35 if you pay at once"), and what the next one asks for ("You must be on
        Basic Support to receive it")."""
        found: list[Span] = []
        for start, stop in islice(sentences_from(element.text, end), 2):
            said, begin = (_ELSE.match, end) if start < end else (_REQUIRES.search, start)
            found += [Span(element.label, begin, stop)] if said(element.text, begin, stop) else []
            if start >= end:
                break
        return found

    def _lead(self, element: InputElement, lead: Lead) -> None:
        """A lead-in: with a condition list one statement over the whole list, else its own words alone."""
        items = [item for item in self.outline.items(element) if item.is_own]
        below = [item for item in self.outline.items_below(element) if item.is_own]
        spans = [Span(element.label, lead.start, lead.end)] if element.is_own else []
        if lead.lists_conditions:
            condition = self.outline.list_condition(element, lead)
            spans += map(_whole, below)
        elif not items:
            condition = lead.parsed.condition
        else:
            listed = [*spans, *map(_whole, below)] if spans else []
            excluding = excluded(self.outline, element, lead)
            if spans and (excluding is not None or not are_acts(items)):
                own = both(lead.parsed.condition, excluding)
                self._rule_of(element, Ruling(tuple(listed), lead.text, own, lead.main), () if excluding else below)
            return
        if not spans or (not items and _dangles(lead.text)):
            return
        kinds = kinds_of(RuledClause(lead.text))
        if not lead.requires:
            text = ", ".join([lead.text, *(item.text for item in below)])
            whole = not lead.lists_conditions or self.outline.joins_surely(element, lead)
            fact = lead.main.strip(" :") if whole and not self._taken_back(element, lead.end) else ""
            self._rule_of(element, Ruling(tuple(spans), text, condition, lead.main, fact=fact))
        elif kinds and (not are_acts(items) or RuleKind.ELIGIBILITY in kinds):
            own = lead.parsed.condition  # the list is what must be, and no condition
            self._rule_of(element, Ruling(tuple(spans), lead.text, own, lead.main), below)
        else:
            for item in items:
                self._item_ruled(item, lead, lead.parsed.condition)

    def _item(self, element: InputElement) -> None:
        """A list item: a condition of its lead-in, which states it, or what goes on from its lead-in."""
        leads: list[Lead] = []
        above = self.outline.above(element)
        while above is not None and len(leads) <= _DEEPEST:
            lead = self.outline.lead(above)
            leads += [lead] if lead is not None else []
            above = self.outline.above(above)
        if not leads:
            self._prose(element)
        elif not any(lead.lists_conditions for lead in leads):
            self._object_item(element, leads[0])

    def _object_item(self, element: InputElement, lead: Lead) -> None:
        """An item that goes on from the verb of its lead-in: when it holds, and its further sentences."""
        spans = readable_spans(element.text)
        start, end = spans[0]
        parsed = parse_conditions(element.text, element.label, start, end)
        own = parsed.condition
        if parsed.slot is not None:
            below = (self.outline.item_condition(item, "all") for item in self.outline.items(element))
            own = parsed.with_items([one for one in below if one])
        whole = both(lead.parsed.condition, own)
        self._item_ruled(element, lead, whole)
        before = _Before()
        for start, end in spans[1:]:
            self._clause(element, start, end, before)

    def _item_ruled(self, element: InputElement, lead: Lead, condition: Condition | None) -> None:
        """Keep what an item rules with its lead-in, where the items of its list each rule something by themselves."""
        above = self.outline.above(element)
        siblings = self.outline.items(above) if above is not None else []
        listed = ", ".join([lead.text, *(item.text for item in siblings)])
        bare = not kinds_of(RuledClause(lead.text if lead.requires else listed))  # such a list rules nothing as a whole
        alone = (bare or are_acts(siblings)) and above is not None and excluded(self.outline, above, lead) is None
        if above is not None and (alone or not above.is_own):
            below = (_whole(item) for item in self.outline.items_below(element) if item.is_own)
            spans = (_whole(element), *below, Span(above.label, lead.start, lead.end))
            text = f"{lead.main.rstrip(' :')} {element.text}"
            case = opening_case(above.text, above.label, lead.start, lead.end)
            self._rule_of(element, Ruling(spans, text, both(case, condition)))


def _dangles(text: str) -> bool:
    """Whether a lead-in without its list says nothing: "The rates are:", "Send it to:"."""
    *_, last = ["", *text.lower().rstrip(" :").split()]
    opens = last in AUXILIARIES | {"follows"} or (last in PREPOSITIONS and len(text.split()) <= _SHORT)
    return opens and text.rstrip().endswith(":")


def _whole(element: InputElement) -> Span:
    return Span(element.label, 0, len(element.text))


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
        """The statements of one chunk, in element order; nothing is rejected."""
        found = ChunkReader(chunk_input).read()
        if self._ontology is policy_ontology():
            return found
        return Extraction(tuple(self._typed(one) for one in found.statements))

    def _typed(self, statement: Statement) -> Statement:
        target = self._named(statement.object) if isinstance(statement.object, Mention) else statement.object
        return replace(statement, subject=self._named(statement.subject), object=target)

    def _named(self, name: Mention) -> Mention:
        return typed_by(self._ontology, name)


def read_rules(reading: Reading, ontology: Ontology | None = None) -> dict[Rule, str]:
    """The rules of a page's chunks with its anchors, each with the key of its chunk; whoever extracts the statements.
    An ``ontology`` gives names their types in the place of the shipped one."""
    found: dict[Rule, str] = {}
    for chunk, (chunk_input, anchors) in zip(reading.chunks, extraction_inputs(reading), strict=True):
        reader = ChunkReader(chunk_input)
        reader.read()
        for rule in reader.rules():
            found.setdefault(with_anchors(rule if ontology is None else _retyped(rule, ontology), anchors), chunk.key)
    return found


def _retyped(rule: Rule, ontology: Ontology) -> Rule:
    named = (replace(role, entity=typed_by(ontology, role.entity)) for role in rule.roles)
    return replace(rule, roles=tuple(named))


def typed_by(ontology: Ontology, name: Mention) -> Mention:
    """A name with the type of another ontology, but for what the rules know by the page."""
    known = name.type in _OF_THE_PAGE or name == PUBLISHER
    return name if known else replace(name, type=ontology.type_of(name.surface))
