"""The fact that a rule comes to, where it is plain: who may get, must or cannot do what, or what has which value.

A fact has all words of its rule's clause, and is clear without its page: its ends are the entities of the rule or one
of its values, its condition is the rule's. Any other rule makes none, and says what it rules in its own words.
"""

from __future__ import annotations

import re

from clausegraph.core.language.address import ROLES
from clausegraph.core.language.clauses import starts_predicate
from clausegraph.core.language.lexicon import WordTable, phrases
from clausegraph.core.language.modals import shaded
from clausegraph.core.language.names import Scene, named, resolve, topic_name
from clausegraph.core.language.normalise import entity_key, expand, lemmas, plain
from clausegraph.core.language.propositions import Proposition, split_proposition
from clausegraph.core.language.references import leans_back, takes_up
from clausegraph.core.language.values import DATED, TELLING_KINDS, opening_value, value_kind
from clausegraph.core.types import (
    All,
    AnyOf,
    Condition,
    Leaf,
    Literal,
    Mention,
    Modality,
    Not,
    Rule,
    RuleKind,
    Span,
    Statement,
    leaves,
)

_TABLE = WordTable(__file__)

LOSABLE = _TABLE.words("losable")
_HANGS = _TABLE.pattern("hangs")
_COUNTED = re.compile(r"\s+(?:of|after|before|from|following)\s+(?:the|an?|your)\s+\w+(?:\s+\w+){0,4}$")
_BY_VALUE = re.compile(r"(?P<how>within|by|for|from|until|before|after|at least|no later than)\s+(?P<value>.+)$")
_ASKS_FOR = {"gets": "gets", "claims": "claims", "applies": "applies for"}  # its object may be what the page grants
_HALF = _TABLE.pattern("half")
_LONGEST = 40  # words of a condition
_LONGEST_NAME = 4  # of what a value is of, where no rule names it
_EXAMPLE = phrases("examples?|case stud(?:y|ies)|scenario|quiz")


def fact_of(rule: Rule, main: str, spans: tuple[Span, ...], scene: Scene) -> Statement | None:
    """The fact of a rule whose main clause (``main``, without its condition) stands by itself; none where it is not
    plain. ``spans`` are where it is said."""
    bare = " ".join(plain(main).split()).strip(" .:;,")
    said, title = expand(bare), scene.address.title
    dated = DATED.match(said)  # "From 1 April 2026 a permit costs £15"
    parts = split_proposition(said[dated.end() :] if dated else said)
    told_to = not parts.modal and parts.exact is not Modality.IS  # "Ask us": an invitation, or a step among others
    if RuleKind.CONTACT in rule.kinds or told_to:
        return None
    subject = _subject(parts.subject, rule, scene)
    unclear = _HANGS.search(_COUNTED.sub("", said)) or _HALF.search(bare) or any(map(_EXAMPLE.search, scene.headings))
    leans = leans_back(said) or takes_up(said, "", " ".join((title, *scene.headings)))
    stand = all(_stands(leaf, title) for leaf in leaves(rule.condition)) and not _waives_part(rule.condition)
    found = _object(parts, rule, scene) if subject is not None and parts.verb and stand else None
    if subject is None or found is None or unclear or leans or found[1] == subject:
        return None
    relation, target = found
    somebody = subject.type in ("role", "person", "organisation")
    modality, polarity = shaded(parts.exact, parts.polarity, parts.modal, parts.verb, personal=somebody)
    dates = rule.effective_from, rule.effective_to
    made = Statement(subject, relation, target, spans, polarity, modality, rule.condition, *dates)
    end = target.value if isinstance(target, Literal) else f"{target.surface} {target.written}"
    told = lemmas(DATED.sub(" ", said) if any(dates) else said) - LOSABLE
    return made if told <= lemmas(f"{subject.surface} {subject.written} {relation} {end}") else None


def _subject(text: str, rule: Rule, scene: Scene) -> Mention | None:
    """Whom or what a clause is about: the reader, where the page says who that is, an entity of the rule, or a thing
    of the page that has a value: "application fee (Street trading licence)"."""
    if text.lower() == "you":
        return scene.reader if scene.person is not None else None
    entity = _role(text, rule, scene)
    if entity is not None or RuleKind.AMOUNT not in rule.kinds:
        return entity
    thing = resolve(text, scene)
    if thing is None or len(thing.surface.split()) > _LONGEST_NAME or not thing.surface.islower():
        return None
    return named(f"{thing.surface} ({topic_name(scene.address.title)})", written=thing.written or thing.surface)


def _role(text: str, rule: Rule, scene: Scene) -> Mention | None:
    """The entity of a rule that a noun phrase names as a whole."""
    keys = {role.entity.key for role in rule.roles}
    found = resolve(text, scene)
    if found is None:
        return None
    topic = topic_name(scene.address.title)
    if scene.granted is not None and found.surface == f"{scene.granted.key.split()[-1]} ({topic})":
        return scene.granted  # "a licence" of a page on how to get one
    told = f"{topic} {' '.join(scene.headings)}".lower()
    if text.lower() == f"the {found.key}" and found.key in ROLES and found.key not in told:  # "The manager": of whom?
        return None
    whole = entity_key(text) in keys or found.key in keys or topic == found.surface
    return found if whole else None


def _object(parts: Proposition, rule: Rule, scene: Scene) -> tuple[str, Mention | Literal] | None:
    """The relation and what it leads to: a value, an entity of the rule, or what the page grants."""
    rest = DATED.sub("", parts.object).strip() or parts.object
    if not rest and parts.subject.lower() == "you" and scene.granted is not None and parts.verb in _ASKS_FOR:
        return _ASKS_FOR[parts.verb], scene.granted
    kind = _kind(rest)
    of_what = kind == "duration" and parts.subject.lower() == "you"  # "You must take 4 weeks"
    if kind is not None and not of_what:
        return parts.verb, Literal(rest, kind)
    timed = _BY_VALUE.match(rest)
    kind = _kind(timed["value"]) if timed else None
    if timed is not None and kind is not None:
        return f"{parts.verb} {timed['how']}", Literal(timed["value"], kind)
    target = _role(rest, rule, scene) if parts.verb != "is" else None
    return (parts.verb, target) if target is not None and parts.exact is not Modality.IS else None


def _kind(text: str) -> str | None:
    """The kind of a text that is one telling value, or a duration with what it is counted from."""
    kind = value_kind(text)
    if kind in TELLING_KINDS:
        return kind
    first = opening_value(text)
    return (
        "duration" if first is not None and first.kind == "duration" and _COUNTED.fullmatch(text, first.end) else None
    )


def _waives_part(condition: Condition | None) -> bool:
    """Whether an exception is of some part of the clause, and no case: "except for a language course"."""
    match condition:
        case Not(Leaf() as leaf):
            return not starts_predicate(leaf.text, "x x x")
        case Not(child):
            return _waives_part(child)
        case All(children) | AnyOf(children):
            return any(map(_waives_part, children))
    return False


def _stands(leaf: Leaf, known: str) -> bool:
    """Whether a condition is whole, and can be met without the page, of which the title is ``known``."""
    text = expand(leaf.text)
    whole = 1 < len(text.split()) <= _LONGEST and not _HALF.search(text)
    return whole and not leans_back(text) and not takes_up(text, "", known)
