"""The rules of a whole page, from those of its chunks: whose they are, which belong to which, what is worth a node."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

from clausegraph.core.language.clauses import sentence_spans
from clausegraph.core.language.conditions import without
from clausegraph.core.language.lexicon import WordTable, word_set
from clausegraph.core.language.normalise import WORD, content, entity_key
from clausegraph.core.language.references import points_back
from clausegraph.core.types import (
    LITERAL,
    PUBLISHER,
    Mention,
    Modality,
    Reading,
    Role,
    RoleName,
    Rule,
    RuleKind,
    RuleLink,
    RuleLinkName,
    Statement,
    leaves,
)

_TABLE = WordTable(__file__)

_EXCEPTS = word_set("however but except unless")
_REFUSES = _TABLE.pattern("refuses")
_GRANTS = _TABLE.pattern("grants")
_BARE = _TABLE.pattern("bare")
_VERBS = content("get claim apply join qualify receive take have")
_NOT = word_set("not no cannot")
_BESIDES = word_set("still also extra")
_NARROWS = word_set("apply cover include extend count paid payable")
_OF_WHOM = word_set("eligible qualify apply join claim")  # what ends "Bank workers are not eligible"
_POINTS = word_set("it them this that one")
_FEW = 2  # further words of a clause that grants the same
_ASKED = content(_TABLE.file["words"]["asked"])
_CLAUSE = re.compile(r"\b(?:clause|section|paragraph|rule|step|part|condition)s? (\d+(?:\.\d+)*)")
_NUMBER = re.compile(r"\d[\d.]{0,20}")
_SHORT = 3  # words of a name that is a node by itself, where it has a type
_OF_THE_PAGE = ("thing", "role", "topic", "section")
_OF_A_SITE = word_set("staff employee student handbook intranet website site portal online")
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
    links, linked = _Links(reading), []
    for rule in kept:
        linked.append(replace(rule, links=tuple(links.of(rule))))
        links.add(rule)
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
    stated = reading.publisher if reading.publisher and ":" not in reading.publisher else ""  # else a title
    label = host.partition(".")[0].replace("-", " ")
    words = stated.split()
    while words and words[-1].lower() in _OF_A_SITE:  # "Brackwell Instruments staff handbook"
        words.pop()
    stated = " ".join(words)
    key = label if not stated and " " in label else entity_key(stated or host)  # "dale-council.example", "Dale Council"
    return Mention(stated or host, key, "organisation", "we") if key else None


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


class _Links:
    """What a rule of a page may lead to, of those above it, by what it is looked for."""

    def __init__(self, reading: Reading) -> None:
        self._elements = {element.anchor: element for element in reading.elements}
        self._scheme = content(reading.title) - _ASKED
        self._granting: dict[RuleKind, list[_Grant]] = {RuleKind.ELIGIBILITY: [], RuleKind.DUTY: []}  # above
        self._last: dict[tuple[str, ...], Rule] = {}  # heading path: its last rule above
        self._steps: dict[str, list[Rule]] = {}  # procedure: its steps so far
        self._numbered: dict[str, Rule] = {}  # number, or its beginning: the first rule of an element that it opens

    def of(self, rule: Rule) -> Iterator[RuleLink]:
        """What it is an exception of, the step above that it follows, the numbered clauses above that it names."""
        own = rule.spans[0]
        element = self._elements[own.anchor]
        begins = max((start for start, _ in sentence_spans(element.text) if start <= own.start), default=own.start)
        first = WORD.match(element.text, begins)
        before = self._last.get(element.headings)
        excludes = rule.kind is RuleKind.EXCLUSION and not _NARROWS.isdisjoint(_said(self._clause(rule)))
        goes_on = first is not None and (first[0].lower() in _EXCEPTS or (excludes and points_back(first[0])))
        narrowed = before if goes_on and before is not None else self._granted(rule)
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
        """What an exclusion or exemption narrows, in whatever section: the eligibility, or the duty, of the very thing
        that its clause names; where it names none ("You cannot claim"), that of the page, or of its own section."""
        exempts = rule.modality is Modality.NEED_NOT
        if not exempts and not (rule.kind is RuleKind.EXCLUSION and _REFUSES.search(self._clause(rule))):
            return None
        said = _said(self._clause(rule).partition(" unless")[0])
        words = frozenset() if said[-1] in _OF_WHOM else self._words(rule)
        section, headings = self._section(rule), self._headings(rule)
        of_scheme = words <= self._scheme or 2 * len(words & self._scheme) > len(self._scheme)
        exact = words if len(words) > 1 or words & self._scheme else None  # enough to know which duty it is
        found = []
        for at, one in enumerate(self._granting[RuleKind.DUTY if exempts else RuleKind.ELIGIBILITY]):
            here = self._headings(one.rule) == headings
            if exempts:
                fits = exact is not None and exact <= one.words and (here or _POINTS.isdisjoint(said))
            elif words:
                fits = words <= one.words or (of_scheme and self._is_whole(one.words))
            else:
                fits = here or (one.section == section and self._is_whole(one.words))
            if fits and one.section <= section and one.rule.spans[0] != rule.spans[0]:
                more = len(one.words - words - self._scheme) > _FEW
                found.append((one.is_besides, more, one.rule.condition is None, not here, at, one.rule))
        if found or exempts or not self._granting[RuleKind.ELIGIBILITY]:
            return min(found, key=lambda one: one[:5])[5] if found else None
        last = self._granting[RuleKind.ELIGIBILITY][-1]  # "You can claim for fuel. You cannot claim for paint."
        alike = content(self._clause(rule)) & content(self._clause(last.rule)) & _VERBS
        beside = self._last.get(headings) is last.rule and not last.is_besides
        return last.rule if beside and alike else None

    def _is_whole(self, words: frozenset[str]) -> bool:
        """Whether a clause grants what the page is about, and not some part of it."""
        return words <= self._scheme or (self._scheme <= words and len(words - self._scheme) <= len(self._scheme))

    def _granted_words(self, rule: Rule) -> frozenset[str]:
        """What a clause grants or asks for: nothing by name, where it says only when ("You can apply if …"); of an item
        what its lead-in names ("To qualify for the Grant you must:")."""
        own, *others = self._texts(rule)
        if _BARE.search(own):
            return frozenset()
        lead = next((text for text in others if text.rstrip().endswith(":") and _GRANTS.search(text)), "")
        return content(lead) - _ASKED if lead else self._words(rule)

    def _section(self, rule: Rule) -> frozenset[str]:
        """What the headings above a rule name; nothing below such as "Who cannot claim"."""
        return content(" ".join(self._headings(rule))) - self._scheme - _ASKED

    def _headings(self, rule: Rule) -> tuple[str, ...]:
        return self._elements[rule.spans[0].anchor].headings

    def _texts(self, rule: Rule) -> list[str]:
        return [self._elements[one.anchor].text[one.start : one.end] for one in rule.spans]

    def _clause(self, rule: Rule) -> str:
        """Its own words without its condition, and its lead-in."""
        own, *others = self._texts(rule)
        leads = (text for text in others if text.rstrip().endswith(":"))
        main = own.replace("–", "-").partition(" - ")[0]
        return without(" ".join((main, *leads)), leaves(rule.condition))

    def _words(self, rule: Rule) -> frozenset[str]:
        """The content words of its clause, without those by which somebody asks for something."""
        return content(self._clause(rule)) - _ASKED

    def add(self, rule: Rule) -> None:
        """Go on below a rule."""
        element = self._elements[rule.spans[0].anchor]
        self._last[element.headings] = rule
        said = _said(self._clause(rule))
        grants = rule.kind is RuleKind.DUTY or _GRANTS.search(" ".join(said))
        if rule.kind in self._granting and grants and _NOT.isdisjoint(said):
            besides = not _BESIDES.isdisjoint(said)
            self._granting[rule.kind].append(_Grant(rule, self._granted_words(rule), self._section(rule), besides))
        if rule.step is not None:
            self._steps.setdefault(rule.step.procedure, []).append(rule)
        opening = _NUMBER.match(element.text)
        for end in range(1, opening.end() + 1) if opening else ():
            self._numbered.setdefault(element.text[:end], rule)


@dataclass(frozen=True, slots=True)
class _Grant:
    """What lets or obliges somebody, by the words of its clause and of the headings above it."""

    rule: Rule
    words: frozenset[str]
    section: frozenset[str]
    is_besides: bool  # "You can still claim …": not what somebody is refused


def _said(text: str) -> list[str]:
    return WORD.findall(text.lower()) or [""]


def _link(name: RuleLinkName, other: Rule) -> RuleLink:
    return RuleLink(name, other.spans[0].anchor, other.spans[0].start)
