"""A reply of rules, one a line, turned into the extraction of each chunk of its call. Pure: no model, no page.

``benefit: A Heating Grant; F Basic Support`` names entities; ``3b eligibility actor E if 3a and not 3c: E may get A``
is a rule: where it stands, its kinds, its roles, when it holds, and the fact that it comes to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import dropwhile, pairwise, takewhile

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.language.conditions import without
from clausegraph.core.language.lexicon import word_set
from clausegraph.core.language.normalise import clean_name, entity_key, tokens
from clausegraph.core.language.references import leans_back
from clausegraph.core.language.rule_kinds import RuledClause
from clausegraph.core.language.values import effective_dates, value_kind
from clausegraph.core.types import (
    PUBLISHER,
    Condition,
    Literal,
    Mention,
    Modality,
    Role,
    RoleName,
    Rule,
    RuleKind,
    Span,
    Statement,
    leaves,
)
from clausegraph.ingestion.extract.llm.condition_reader import ConditionReader
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    UnusableItem,
    described,
    first_items,
    known_modality,
    relation_name,
    told,
    type_name,
    without_modality,
)
from clausegraph.ingestion.extract.llm.lines import LONGEST_LINE
from clausegraph.ingestion.extract.llm.numbering import Call
from clausegraph.ingestion.extract.llm.page_words import (
    BARE_PRONOUNS,
    YOU,
    ShownWords,
    has_words,
    numbers_of,
    section_texts,
    shown_texts,
)
from clausegraph.ingestion.extract.llm.parts import Places, covers, line_number
from clausegraph.ingestion.extract.llm.whole_facts import gap_of

_ONE_PLACE = r"\d{1,7}[a-z]?(?:\"[^\"]*\")?"
_RULE = re.compile(rf"({_ONE_PLACE}(?:\s*[,-]\s*{_ONE_PLACE})*)\s*:?\s+([a-z].*)", re.IGNORECASE | re.ASCII)
_PLACE = re.compile(r"(\d+)([a-z]?)(?:\"([^\"]*)\")?(?:\s*-\s*(\d+))?", re.IGNORECASE | re.ASCII)
_MARK = re.compile(r"\bif\b|:", re.IGNORECASE)  # what begins a condition or a fact
_BETWEEN = str.maketrans(",;|", "   ")
_ROLE = re.compile(
    r"\b((?i:about|actor|counterparty|authority|object|document|place))\s+([A-Z]{1,2}(?:\s+[A-Z]{1,2})*)(?!\S)"
)
_FACT = re.compile(r"([A-Z]{1,2})\s+([^\"]{1,200}?)\s+(?:([A-Z]{1,2})|\"([^\"]{1,300})\")")
_TOPIC, _READER = "A", "B"  # the reader is the person whom the page addresses
_MOST_PLACES = 60  # lines of one rule
_KINDS = {kind.value: kind for kind in RuleKind} | {"step": RuleKind.STEP}
_NOTHING = word_set("none nothing")
_WE = word_set("we us our ours ourselves")
_PRONOUNS = BARE_PRONOUNS | YOU
_ANYBODY = word_set(
    "anyone anybody everyone everybody someone somebody nobody any every each all no those other another whoever"
)
_PERSONS = word_set("role person people group")
_UNTIL = word_set("unless when except only while once")
_TYPES = {"role": "person"}  # a role is what a person is to a rule
_BARRING = (RuleKind.EXCLUSION, RuleKind.PROHIBITION)
_MODALITIES = {  # of a rule whose line says nothing else
    RuleKind.ELIGIBILITY: Modality.MAY,
    RuleKind.PERMISSION: Modality.MAY,
    RuleKind.EXCLUSION: Modality.CANNOT,
    RuleKind.PROHIBITION: Modality.CANNOT,
    RuleKind.DUTY: Modality.MUST,
    RuleKind.STEP: Modality.MUST,
}


@dataclass(frozen=True, slots=True)
class _Line:
    """A line of a reply that says a rule, taken apart but not yet looked up."""

    text: str
    places: tuple[tuple[str, str], ...]  # each as number with letter, and the words quoted of it
    kinds: tuple[RuleKind, ...]
    roles: tuple[tuple[str, str], ...] = ()  # each with the letters of its entities
    strength: str = ""  # what says how strongly it holds
    conditions: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()


@dataclass(slots=True)
class _Reply:
    """What a reply says: names by letter, rules in their order, and what could not be read."""

    names: dict[str, Mention] = field(default_factory=dict)
    lines: list[_Line] = field(default_factory=list)
    unread: list[Reject] = field(default_factory=list)
    is_empty: bool = False  # it says that there is no rule

    def add(self, text: str) -> None:
        """Take in a line."""
        line = " ".join(text.split()).lstrip("-*• ")
        if not line or line.startswith("```") or (line.isupper() and line[0].isalpha()):
            return
        if len(line) > LONGEST_LINE:
            self.unread.append(Reject(described(line), "the line is too long"))
        elif line.lower().strip(".") in _NOTHING:
            self.is_empty = True
        elif rule := _RULE.fullmatch(line):
            try:
                self._rule(line, rule)
            except UnusableItem as problem:
                self.unread.append(Reject(described(line), str(problem)))
        elif not self._entities(line):
            self.unread.append(Reject(described(line), "it names no entities and is no rule"))

    def _entities(self, line: str) -> bool:
        """Take in the names of a type; whether the line has any."""
        kind, _, named = line.partition(":")
        told = [parts for one in named.split(";") if len(parts := one.replace("=", " ", 1).split(maxsplit=1)) > 1]
        told = [
            parts
            for parts in told
            if len(parts[0]) <= 2 and parts[0].isascii() and parts[0].isalpha() and parts[0].isupper()
        ]
        for letters, written in told:
            if surface := clean_name(written, LONGEST_NAME):
                entity = Mention(surface, entity_key(surface), _TYPES.get(kind, type_name(kind)))
                self.names[letters] = PUBLISHER if surface.lower() in _WE else entity
        return bool(told)

    def _rule(self, text: str, found: re.Match[str]) -> None:
        rest = found[2]
        parts = rest.split('"')
        parts[1::2] = ["_" * len(part) for part in parts[1::2]]  # what is quoted begins nothing
        bounds = [*(mark.start() for mark in _MARK.finditer('"'.join(parts))), len(rest)]
        head = rest[: bounds[0]].translate(_BETWEEN)
        words = _ROLE.sub(" ", head).lower().replace("procedure step", "step").split()
        kinds = tuple(dict.fromkeys(_KINDS[word] for word in takewhile(_KINDS.__contains__, words)))
        if not kinds:
            raise UnusableItem(f"its kind is none of {', '.join(_KINDS)}: {described(' '.join(words[:1]))}")
        places = tuple(_places(found[1]))
        said = [rest[slice(*span)].strip(" |") for span in pairwise(bounds)]
        strength = " ".join(dropwhile(_KINDS.__contains__, words))
        conditions = tuple(one[2:] for one in said if one[:2].lower() == "if")
        facts = tuple(one[1:].strip(" .") for one in said if one.startswith(":"))
        roles = tuple((role.lower(), letters) for role, letters in _ROLE.findall(head))
        self.lines.append(_Line(text, places, kinds, roles, strength, conditions, facts))


def _places(text: str) -> Iterator[tuple[str, str]]:
    """ "4,6-8" as 4, 6, 7, 8."""
    for number, letter, quote, last in _PLACE.findall(text):
        yield number + letter.lower(), quote
        if last:
            if not int(number) < int(last) < int(number) + _MOST_PLACES:
                raise UnusableItem(f"it has no lines {number} to {last}")
            yield from ((str(line), "") for line in range(int(number) + 1, int(last) + 1))


class _Chunk:
    """One chunk of a call: what its rules are checked against, and what was made of them."""

    def __init__(self, call: Call, place: int, shown: ShownWords, names: dict[str, Mention]) -> None:
        source = call.inputs[place]
        elements = {one.label: one for one in (*source.above, *source.around, *source.elements)}
        self._places = Places(call.labels[place], elements, {item.number: item.element for item in call.printed})
        self._shown, self._section = shown, ShownWords(section_texts(source))
        self._names, self._title = names, source.title
        self.rules: dict[Rule, None] = {}
        self.statements: dict[Statement, None] = {}
        self.rejects: list[Reject] = []

    def read(self, line: _Line) -> None:
        """Keep what a line that cites an own element says, or why it cannot be used."""
        conditions = ConditionReader(self._places, self._shown)
        try:
            rule, facts = self._rule(line, conditions)
        except UnusableItem as problem:
            self.rejects.append(Reject(described(line.text), str(problem)))
            return
        self.rejects += [Reject(described(line.text), note) for note in conditions.notes]
        self.rules[rule] = None
        self.statements |= dict.fromkeys(facts)

    def extraction(self, more: Sequence[Reject]) -> Extraction:
        """What was kept, with rejects that belong to no chunk."""
        rejects = told([*self.rejects, *more])
        return Extraction(tuple(self.statements), rejects, tuple(self.rules))

    def _rule(self, line: _Line, conditions: ConditionReader) -> tuple[Rule, list[Statement]]:
        own, others = self._spans(line, conditions.notes)
        condition = conditions.read(" and ".join(f"({one})" for one in line.conditions), own)
        others += [one for one in self._places.heads(own) if not any(covers(leaf, one) for leaf in leaves(condition))]
        modality = self._strength(line, conditions.notes)
        facts = list(self._facts(line, (own, *others), condition, conditions.notes))
        modality = next((fact.modality for fact, _ in facts if fact.modality is not Modality.IS), modality)
        within = (one for one in leaves(condition) if one.anchor == own.anchor and not covers(one, own))
        words = without(self._places.text(own), within)
        holds = facts[0][0].polarity if facts else line.kinds[0] not in _BARRING
        wide = self._places.around(own, leaves(condition))
        rule = Rule(
            line.kinds,
            (wide, *(one for one in dict.fromkeys(others) if not (_overlap(one, wide) and one.end <= wide.end))),
            tuple(self._in_line(role, own) for role in self._roles(line, words, conditions.notes)),
            tuple(dict.fromkeys(Literal(one.text, one.kind) for one in RuledClause(words).values)),
            holds and modality not in (Modality.CANNOT, Modality.NEED_NOT),
            modality,
            condition,
            *effective_dates(words),
        )
        return rule, [replace(fact, spans=rule.spans) for fact, is_kept in facts if is_kept]

    def _spans(self, line: _Line, notes: list[str]) -> tuple[Span, list[Span]]:
        """The rule's own words, and the rest of them: those of an item go on from its lead-in."""
        found = [self._places.find(*place) for place in line.places]
        spans = [span for span in found if span is not None and span.anchor.startswith("e")]
        if not spans or found[0] is None:
            raise UnusableItem("it cites a line that its section does not have")
        lost = [place for (place, _), span in zip(line.places, found, strict=True) if span is None]
        notes += [f"left out: its section does not have what it cites of {place}" for place in lost]
        first = self._places.elements[spans[0].anchor]
        lead_in = self._places.elements.get(first.lead_in or "")
        if lead_in is not None and all(span.anchor != lead_in.label for span in spans):
            spans.append(Span(lead_in.label, 0, len(lead_in.text)))
        own, *others = spans
        if line.places[0][1]:  # words of a sentence, which may lack its subject
            others += [one for one in self._places.opening(own) if not any(map(partial(_overlap, one), others))]
        if not others and leans_back(self._places.text(own)):
            others += self._places.before(own)
        return own, others

    def _strength(self, line: _Line, notes: list[str]) -> Modality:
        """How strongly the rule holds; what the line says of it and is not understood may be a condition."""
        try:
            return known_modality(line.strength or _MODALITIES.get(line.kinds[0], Modality.IS))
        except UnusableItem as problem:
            if any(map(str.isdigit, line.strength)) or line.strength.split()[0] in _UNTIL:
                raise
            notes.append(f"left out: {problem}")
            return _MODALITIES.get(line.kinds[0], Modality.IS)

    def _roles(self, line: _Line, words: str, notes: list[str]) -> list[Role]:
        """The roles that a line says; else it is about the topic, the reader acts where its words address one, and the
        publisher is named where they say "we"."""
        clause, given, reader = RuledClause(words), list(line.roles), self._names.get(_READER)
        said = {name for name, _ in given}
        if RoleName.ABOUT not in said and _TOPIC in self._names:
            given.insert(0, (RoleName.ABOUT, _TOPIC))
        addressed = reader is not None and reader.type in _PERSONS and (clause.subject == "you" or clause.orders)
        if addressed and RoleName.ACTOR not in said:
            given.append((RoleName.ACTOR, _READER))
        roles: dict[Role, None] = {}
        for name, letters in given:
            for one in letters.split():
                try:
                    roles[Role(RoleName(name), self._named(one))] = None
                except UnusableItem as problem:
                    notes.append(f"left out: {problem}")
        if not _WE.isdisjoint(tokens(words)) and all(role.entity != PUBLISHER for role in roles):
            roles[Role(min(clause.part_of(replace(PUBLISHER, surface=one)) for one in ("we", "us")), PUBLISHER)] = None
        return list(roles)

    def _named(self, letters: str) -> Mention:
        name = self._names.get(letters)
        if name is None:
            raise UnusableItem(f"it names {letters}, which the reply does not say")
        if name == PUBLISHER:
            return name
        if name.surface.lower() in _PRONOUNS:
            raise UnusableItem(f"it names a pronoun: {name.surface!r}")
        if name.surface.lower().split()[0] in _ANYBODY:
            raise UnusableItem(f"it names nobody that other pages could: {name.surface!r}")
        is_reader = letters == _READER and name.type in _PERSONS and name.surface.islower()  # whom a page need not name
        if not is_reader and not self._shown.names(name.surface):
            raise UnusableItem(f"not stated: {name.surface!r}")
        return name

    def _in_line(self, role: Role, own: Span) -> Role:
        """The role with "you" where the line has that in the place of a person's name."""
        entity, text = role.entity, self._places.elements[own.anchor].text
        spoken = entity.type in _PERSONS and not YOU.isdisjoint(tokens(text)) and not has_words(text, entity.surface)
        return replace(role, entity=replace(entity, written="you")) if spoken else role

    def _facts(
        self, line: _Line, spans: tuple[Span, ...], condition: Condition | None, notes: list[str]
    ) -> Iterator[tuple[Statement, bool]]:
        """The facts that a line says, each with whether it is kept; one about the publisher, whose name only the page's
        rules get, is not."""
        clause = self._places.clause(spans[0], leaves(condition))
        for part in line.facts:
            try:
                fact = self._fact(part, spans, condition)
            except UnusableItem as problem:  # the rule stands without it, unless it may be a condition
                if part[:1].isdigit():
                    raise
                notes.append(f"left out: {problem}")
                continue
            own = PUBLISHER in (fact.subject, fact.object)
            gap = "" if own else gap_of(fact, clause, self._title)
            notes += [f"left out: its fact does not say {gap}: {described(part)}"] if gap else []
            yield without_modality(fact), not (own or gap)

    def _fact(self, part: str, spans: tuple[Span, ...], condition: Condition | None) -> Statement:
        found = _FACT.fullmatch(part)
        relation = relation_name(found[2]) if found else None
        if found is None or relation is None:
            raise UnusableItem(f"its fact cannot be read: {described(part)}")
        subject = self._named(found[1])
        target = self._named(found[3]) if found[3] else self._value(found[4], spans)
        return Statement(subject, relation, target, spans, condition=condition)

    def _value(self, text: str, spans: tuple[Span, ...]) -> Literal:
        surface = clean_name(text, LONGEST_NAME)
        here = surface and any(has_words(self._places.elements[span.anchor].text, surface) for span in spans)
        if not surface or not (here or (self._section.numbers >= numbers_of(surface) and self._shown.names(surface))):
            raise UnusableItem(f"not stated: value {surface!r}")
        return Literal(surface, value_kind(surface) or "text")


def parse_rules(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of each chunk of the call; none for a chunk that a cut-off reply does not cover.

    A rule belongs to the chunk that owns the first line it cites. A reply that breaks off covers the chunks before the
    last one it spoke of. One in which nothing can be read raises ``UnusableReply``.
    """
    reply = _Reply()
    lines, unread = first_items(text.splitlines())
    reply.unread += unread
    for line in lines[:-1] if cut_off else lines:
        reply.add(line)
    if not (reply.lines or reply.names or reply.is_empty):
        raise UnusableReply(f"the model's reply has no rule: {described(text)}")
    headings = [text for source in call.inputs for text in (source.title, *source.headings)]
    shown = ShownWords([*headings, *(text for one in call.printed for text in shown_texts(one.element))])
    chunks = [_Chunk(call, place, shown, reply.names) for place in range(len(call.inputs))]
    last = 0  # the chunk of the last rule that could be placed
    for rule in reply.lines:
        owner = _owner(rule, call)
        if owner is None:
            reply.unread.append(Reject(described(rule.text), "it cites no line of its own section"))
            continue
        last = owner
        chunks[last].read(rule)
    covered = last if cut_off else len(chunks)
    made = [chunk.extraction(reply.unread if place == 0 else ()) for place, chunk in enumerate(chunks)]
    return tuple(one if place < covered else None for place, one in enumerate(made))


def _overlap(one: Span, other: Span) -> bool:
    return one.anchor == other.anchor and one.start < other.end and other.start < one.end


def _owner(rule: _Line, call: Call) -> int | None:
    """The chunk of a call that owns the first cited line that one owns."""
    cited = (line_number(place) for place, _ in rule.places)
    owning = (
        chunk for number in cited for chunk, labels in enumerate(call.labels) if labels.get(number, "")[:1] == "e"
    )
    return next(owning, None)
