"""The rules of a whole page, from those of its chunks: whose they are, which belong to which, what is worth a node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import without
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.normalise import WORD, content, entity_key
from clausegraph.core.language.references import points_back
from clausegraph.core.types import (
    LITERAL,
    PUBLISHER,
    Mention,
    Reading,
    Role,
    RoleName,
    Rule,
    RuleKind,
    RuleLink,
    RuleLinkName,
    Span,
    Statement,
    leaves,
)

_EXCEPTS = word_set("however but except unless otherwise")
_REFUSES = phrases(  # the very thing that an eligibility grants
    r"(?:cannot|not|never|no longer|refuse)\s(?:\w+\s){0,3}?(?:get|claim|apply(?! to)|application|join|qualify|receive"
    "|entitled|eligible|be paid)"
)
_CLAUSE = re.compile(r"\b(?:clause|section|paragraph|rule|step|part|condition)s? (\d+(?:\.\d+)*)")
_NUMBER = re.compile(r"\d[\d.]{0,20}")
_SHORT = 3  # words of a name that is a node by itself, where it has a type
_OF_THE_PAGE = ("thing", "role", "topic", "section")
_FIXED = (RoleName.ABOUT, RoleName.ACTOR)


def page_rules(rules: Sequence[Rule], reading: Reading) -> list[Rule]:
    """The rules in page order, with the publisher by name, without entities that only one rule of the page names in
    lower case, also in part ("US bank"), or as a code ("P45"), and with links between them.

    Args:
        rules: with the page's anchors.
    """
    place = {element.anchor: number for number, element in enumerate(reading.elements)}
    ordered = sorted(rules, key=lambda rule: (place[rule.spans[0].anchor], rule.spans[0].start, -rule.spans[0].end))
    publisher = publisher_of(reading)
    placed = [_under(_as_step(rule), publisher) for rule in ordered]
    often = Counter(role.entity.key for rule in placed for role in rule.roles)
    kept = [
        replace(rule, roles=tuple(role for role in rule.roles if often[role.entity.key] > 1 or _is_shared(role)))
        for rule in placed
    ]
    above, linked = _Above(reading), []
    for rule in kept:
        linked.append(replace(rule, links=tuple(above.links(rule))))
        above.add(rule)
    return linked


@dataclass(frozen=True, slots=True)
class PageNodes:
    """The nodes that a page's statements may be of: the entities of its rules, and the scheme that all are about."""

    shared: frozenset[str]
    scheme: str = ""
    reader: str = ""  # the person that "you" is, else the scheme

    @classmethod
    def of(cls, rules: Sequence[Rule]) -> PageNodes:
        """Those of the rules; none of a page without any, whose statements keep their names."""
        about = Counter(role.entity.key for rule in rules for role in rule.roles if role.name is RoleName.ABOUT)
        scheme = about.most_common(1)[0][0] if about else ""
        readers = Counter(
            role.entity.key
            for rule in rules
            for role in rule.roles
            if role.name is RoleName.ACTOR and role.entity.written
        )
        reader = readers.most_common(1)[0][0] if readers else scheme
        return cls(frozenset(role.entity.key for rule in rules for role in rule.roles), scheme, reader)

    def placed(self, statement: Statement) -> Statement:
        """The statement with the nodes of its ends: its subject is of the scheme where it names nothing shared, its
        object then a value."""
        if not self.shared:
            return statement
        target = statement.object
        if isinstance(target, Mention):
            target = replace(target, node=self._node(target, LITERAL + target.key))
        otherwise = self.reader if statement.subject.type == "role" else self.scheme
        subject = replace(statement.subject, node=self._node(statement.subject, otherwise))
        return replace(statement, subject=subject, object=target)

    def _node(self, end: Mention, otherwise: str) -> str:
        """The longest shared name within a name; "" where that is the whole one, or it is short and has a type."""
        words = end.key.split()
        short = len(words) <= _SHORT and end.type not in _OF_THE_PAGE and "(" not in end.surface
        if end.key in self.shared or short:
            return ""
        if end.type == "role":
            return otherwise
        spans = ((first, stop) for first in range(len(words)) for stop in range(first + 1, len(words) + 1))
        parts = (" ".join(words[slice(*span)]) for span in sorted(spans, key=lambda span: (span[0] - span[1], span)))
        return next((part for part in parts if part in self.shared), otherwise)


def publisher_of(reading: Reading) -> Mention | None:
    """Who publishes a page: the site's name, else the host of its address."""
    host = (urlsplit(reading.url).hostname or "").removeprefix("www.") if reading.url else ""
    name = reading.publisher or host
    return Mention(name, entity_key(name), "organisation", "we") if name else None


def _under(rule: Rule, publisher: Mention | None) -> Rule:
    """The rule with its publisher by name: also "the council" of a page that a council publishes."""
    words = {word.lower() for word in WORD.findall(publisher.surface)} if publisher else set()
    roles: dict[tuple[str, bool], Role] = {}
    for role in sorted(rule.roles, key=lambda role: role.name is RoleName.NAMES):  # what has a part is not named again
        own = role.entity == PUBLISHER or (role.entity.type == "organisation" and role.entity.key in words)
        entity = publisher if own else role.entity
        if entity is not None:
            roles.setdefault((entity.key, role.name is RoleName.ABOUT), replace(role, entity=entity))
    return replace(rule, roles=tuple(roles.values()))


def _as_step(rule: Rule) -> Rule:
    """What stands in a procedure is a step of it before all else."""
    kinds = (RuleKind.STEP, *(kind for kind in rule.kinds if kind is not RuleKind.STEP))
    return rule if rule.step is None else replace(rule, kinds=kinds)


def _is_shared(role: Role) -> bool:
    """Whether other pages may name an entity: a scheme, a person, a proper name."""
    entity = role.entity
    coded = any(map(str.isdigit, entity.surface))
    fixed = role.name in _FIXED or entity.type == "person" or entity.written == PUBLISHER.written
    proper = all(word[:1].isupper() or word in ("and", "for", "in", "of") for word in entity.surface.split())
    return fixed or (proper and not coded)


class _Above:
    """What a rule may lead to, of those above it, by what it is looked for."""

    def __init__(self, reading: Reading) -> None:
        self._elements = {element.anchor: element for element in reading.elements}
        self._last: dict[tuple[str, ...], Rule] = {}  # heading path: its last rule
        self._granting: list[tuple[Rule, frozenset[str], tuple[str, ...]]] = []  # eligibilities, their words, where
        self._steps: dict[str, list[Rule]] = {}  # procedure: its steps so far
        self._numbered: dict[str, Rule] = {}  # number, or its beginning: the first rule of an element that it opens

    def links(self, rule: Rule) -> Iterator[RuleLink]:
        """To rules above: what it is an exception of, the step that it follows, the numbered clauses that it names."""
        own = rule.spans[0]
        element = self._elements[own.anchor]
        begins = max((start for start, _ in sentence_spans(element.text) if start <= own.start), default=own.start)
        first = WORD.match(element.text, begins)
        before = self._last.get(element.headings)
        excludes = rule.kind is RuleKind.EXCLUSION
        goes_on = first is not None and (first[0].lower() in _EXCEPTS or (excludes and points_back(first[0])))
        narrowed = before if goes_on and before is not None else self._granted(rule) if excludes else None
        if narrowed is not None:
            yield _link(RuleLinkName.EXCEPTION_OF, narrowed)
        if rule.step is not None:
            steps = reversed(self._steps.get(rule.step.procedure, []))
            earlier = next((one for one in steps if one.step is not None and one.step.number < rule.step.number), None)
            if earlier is not None:
                yield _link(RuleLinkName.STEP_AFTER, earlier)
        for number in dict.fromkeys(_CLAUSE.findall(element.text[own.start : own.end].lower())):
            named = self._numbered.get(number)
            if named is not None and named.spans[0].anchor != own.anchor:
                yield _link(RuleLinkName.REFERS_TO, named)

    def _granted(self, rule: Rule) -> Rule | None:
        """The eligibility that an exclusion narrows: with most of its words; none where it may be of something else."""
        said = without(self._said(rule.spans[:1]), leaves(rule.condition))
        words = content(said) - content("cannot apply")
        section = self._elements[rule.spans[0].anchor].headings
        ranked = ((len(words & own), where == section, -at) for at, (_, own, where) in enumerate(self._granting))
        most, _, at = max(ranked, default=(0, False, 0))
        of_it = self._granting and (most * 2 >= max(len(words), 1) or (most and _REFUSES.search(said)))
        return self._granting[-at][0] if of_it else None

    def _said(self, spans: Iterable[Span]) -> str:
        return " ".join(self._elements[span.anchor].text[span.start : span.end] for span in spans)

    def add(self, rule: Rule) -> None:
        """Go on below a rule."""
        element = self._elements[rule.spans[0].anchor]
        self._last[element.headings] = rule
        if rule.kind is RuleKind.ELIGIBILITY:
            self._granting.append((rule, content(self._said(rule.spans)), element.headings))
        if rule.step is not None:
            self._steps.setdefault(rule.step.procedure, []).append(rule)
        opening = _NUMBER.match(element.text)
        for end in range(1, opening.end() + 1) if opening else ():
            self._numbered.setdefault(element.text[:end], rule)


def _link(name: RuleLinkName, other: Rule) -> RuleLink:
    return RuleLink(name, other.spans[0].anchor, other.spans[0].start)
