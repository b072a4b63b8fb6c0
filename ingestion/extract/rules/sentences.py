"""Statements of one clause: its frame, whom and what it names, and the value by or within which it must be."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from clausegraph.core.language.conditions import join
from clausegraph.core.language.frames import Frame, expand, read_frame
from clausegraph.core.language.modality import shaded
from clausegraph.core.language.phrases import ObjectPhrase, Timing, object_phrase
from clausegraph.core.language.standing import LOSABLE, stems
from clausegraph.core.language.values import DATED, effective_dates, value_kind
from clausegraph.core.language.verb_phrases import with_particles
from clausegraph.core.language.verbs import is_base
from clausegraph.core.language.wording import relation_words
from clausegraph.core.language.words import PREPOSITIONS
from clausegraph.core.types import All, Condition, Leaf, Literal, Mention, Modality, Span, Statement, leaves
from clausegraph.ingestion.extract.rules.address import READER, is_role
from clausegraph.ingestion.extract.rules.names import (
    Scene,
    antecedent,
    mention_type,
    reader_mention,
    resolve,
    resolve_object,
)
from clausegraph.ingestion.extract.rules.pairs import things
from clausegraph.ingestion.extract.rules.parts import is_completed

_DUTIES = (Modality.MUST, Modality.SHOULD)
_SOMEBODY = frozenset({READER, "person", "organisation"})  # types of who can be allowed something
_FRONTED = re.compile(r"(?:but |and |so |or |however,? )?(?:if|when|where|once|unless)\b", re.IGNORECASE)
# Verbs without object, as the noun of what is done.
_ACTIONS = {
    "applies": "application",
    "claims": "claim",
    "appeals": "appeal",
    "complains": "complaint",
    "pays": "payment",
    "reapplies": "new application",
}
_GIVES = re.compile(
    r"^(?:usually |sometimes |normally )?(?:gives|sends|pays|offers|shows|costs|charges|grants|awards|lends|allows)$"
)
_TELLS = re.compile(r"^(?:tells|asks|informs|notifies|reminds|warns|advises)$")
_RECIPIENT = re.compile(r"^(?:you|us|them|him|her)\s+(?=\S)", re.IGNORECASE)
_NAMED_RECIPIENT = re.compile(
    r"^(?P<whom>(?:the |your |their )?(?:[A-Za-z]+ )?[A-Za-z]+)\s+"
    r"(?=(?:an?|the|your|their|at least|more than|written|extra|\d|£))",
    re.IGNORECASE,
)
_ENQUIRES = re.compile(r"^(?:asks|checks|checks with|finds out|sees)$")
_WHETHER = re.compile(r"^(?P<whom>[^,]{2,40}?\s)?(?:whether|if)\s+(?P<what>.+)$", re.IGNORECASE)
_ORDERS = re.compile(
    r"^(?:asks|tells|helps|allows|requires|advises|encourages|persuades|invites|orders|wants|lets|enables)$"
)
_ORDERED = re.compile(
    r"^(?P<whom>(?:(?!with\b|about\b|for\b|of\b|on\b)[\w'-]+\s){1,4}?)\s*to\s+(?P<verb>[a-z]+)\s*(?P<rest>.*)$",
    re.IGNORECASE,
)
_ABOUT = re.compile(r"^(?P<whom>[^,]{2,40}?)\s+(?P<how>about|for|of)\s+(?P<what>.+)$", re.IGNORECASE)
_UNCLEAR_PURPOSE = re.compile(r",|^\w+$|\b(?:if|whether|what|how|why|when|who)\b")
_REASON = re.compile(r"\b(?:just |only |simply )?because\b")
_DANGLES = re.compile(
    r"(?:(?:you|they|we|it|he|she|this|that)\s)?(?:do|does|did|are|is|was|were|have|has|can|cannot|will|would|so|not)"
    r"(?:\s(?:not|so|this|the case))?|(?:this|that|it) (?:happens|applies|is the case)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Setting:
    """Where a clause stands: its spans, its words, the condition it is under."""

    spans: tuple[Span, ...]
    text: str
    condition: Condition | None = None


def frame_statements(frame: Frame, setting: Setting, scene: Scene) -> list[Statement]:
    """The statements of a frame, the main one first; none where subject or object cannot be named."""
    given = _given(_undated(frame))
    phrase = object_phrase(given.rest) if given.rest else ObjectPhrase("")
    bare = _TELLS.match(given.relation) and phrase is not None and phrase.timing is None
    if phrase is None or (bare and (setting.condition is None or given.relation == "asks")):
        return []  # "tell us": what is not said
    if phrase.purpose and given.relation in ("is", "has", "gets", "takes") and value_kind(phrase.text) is not None:
        return []  # "has 28 days to appeal": what for is not said
    if dangles(setting.condition):
        return []
    if not given.polarity and _REASON.search(setting.text):
        return []  # "is not reduced because you work": it is the reason that is denied
    fronted = setting.condition is not None and _FRONTED.match(setting.text)
    if given.subject.lower() in ("it", "they") and setting.condition is not None and fronted:
        scene = replace(scene, last=_in_condition(setting.condition, given.subject.lower(), scene) or scene.last)
    subject = _subject(given, phrase, scene)
    if subject is None:
        return []
    effective_from, effective_to = effective_dates(_without(setting.text, setting.condition))
    personal = subject.type in _SOMEBODY
    modal = given.wording.split(maxsplit=1)[0] if given.wording else ""
    modality, polarity = shaded(given.modality, given.polarity, modal, given.relation, personal=personal)
    plain = Statement(
        subject=subject,
        relation=given.relation,
        object=subject,
        spans=setting.spans,
        polarity=polarity,
        modality=modality,
        condition=setting.condition,
        effective_from=effective_from,
        effective_to=effective_to,
    )
    return [_worded(found, given.wording) for found in _stated(plain, phrase, scene) if _differs(found)]


def _without(text: str, condition: Condition | None) -> str:
    """A clause without what its condition says: "if it was built before 1 January 2015" dates no rule."""
    for leaf in leaves(condition):
        text = text.replace(leaf.text, " ")
    return text


def _worded(statement: Statement, wording: str) -> Statement:
    """A statement with the page's words for its relation, where they are others."""
    return replace(statement, wording=wording) if wording and wording != relation_words(statement) else statement


def dangles(condition: Condition | None, of: Callable[[Iterable[bool]], bool] = any) -> bool:
    """Whether any leaf, or all leaves, of a condition only point to what was told before: "if you do not"."""
    pointing = [_DANGLES.fullmatch(leaf.text.strip()) is not None for leaf in leaves(condition)]
    return bool(pointing) and of(pointing)


def _undated(frame: Frame) -> Frame:
    """A frame without the dates from or until which it holds, where more than these is left: "is £200 until …"."""
    rest = DATED.sub("", frame.rest).strip()
    return replace(frame, rest=rest) if rest and rest != frame.rest else frame


def _in_condition(condition: Condition, pronoun: str, scene: Scene) -> Mention | None:
    """What a pronoun after "if" stands for: "If you have a contract, it …", "If the court agrees, they …"."""
    first = next(leaves(condition), None)
    frame = read_frame(first.text) if first is not None else None
    if frame is None:
        return None
    if re.match(r"(?:it|they|this|these|their|its|neither|no|nobody|none)\b", frame.subject, re.IGNORECASE):
        return None
    own = frame.subject.lower() in ("you", "we")
    named = None if own else resolve(frame.subject, scene)
    phrase = object_phrase(frame.rest) if own and frame.rest else None
    if phrase is not None and phrase.text:
        named = resolve(phrase.text, scene)
    return named if named is not None and antecedent(pronoun, named) else None


def _given(frame: Frame) -> Frame:
    """A frame whose recipient belongs to the verb: "tells HMRC about", "gives your employer"."""
    if _GIVES.match(frame.relation):
        rest = _RECIPIENT.sub("", frame.rest)
        named = _NAMED_RECIPIENT.match(rest)
        if named and (is_role(named["whom"]) or mention_type(named["whom"]) == "organisation"):
            whom = re.sub(r"^(?:the|your|their)\s", "", named["whom"], flags=re.IGNORECASE)
            return replace(frame, relation=f"{frame.relation} {whom}", rest=rest[named.end() :])
        return replace(frame, rest=rest)
    asked = _WHETHER.match(frame.rest) if _ENQUIRES.match(frame.relation) else None
    if asked:
        return _enquired(frame, asked)
    ordered = _ORDERED.match(frame.rest) if _ORDERS.match(frame.relation) else None
    if ordered and is_base(ordered["verb"]):
        whom = re.sub(r"^(?:the|your|their|an?)\s", "", ordered["whom"].strip(), flags=re.IGNORECASE)
        verb = ordered["verb"]
        relation, rest = with_particles(verb, f"{frame.relation} {whom} to {verb}", ordered["rest"].split())
        return replace(frame, relation=relation, rest=rest if whom.lower() not in ("you", "them", "us") else "how")
    about = _ABOUT.match(frame.rest) if _TELLS.match(frame.relation) else None
    if about:
        whom = re.sub(r"^(?:the|your|their|an?)\s", "", about["whom"], flags=re.IGNORECASE)
        whom = "publisher" if whom.lower() == "us" else whom
        if len(whom.split()) <= 3 and whom.lower() not in ("you", "them"):
            return replace(frame, relation=f"{frame.relation} {whom} {about['how'].lower()}", rest=about["what"])
    return frame


def _enquired(frame: Frame, asked: re.Match[str]) -> Frame:
    """ "Ask your supplier whether they offer a discount": it is the discount that is asked about."""
    inner = read_frame(asked["what"])
    whom = re.sub(r"^(?:the|your|their|an?)\s", "", (asked["whom"] or "").strip(), flags=re.IGNORECASE)
    if inner is None or not inner.rest:
        return replace(frame, rest="whether")
    relation = f"{frame.relation} {whom} about" if whom else "finds out about"
    return replace(frame, relation=relation, rest=inner.rest)


def _subject(frame: Frame, phrase: ObjectPhrase, scene: Scene) -> Mention | None:
    """Who or what the clause is about; a purpose makes of the reader somebody who has it."""
    purpose = frame.purpose
    if not frame.subject:
        return scene.topic if not purpose and not frame.place else None
    if frame.subject.lower() != "you":
        if purpose or (frame.place and effective_dates(frame.place) == (None, None)) or frame.place == "?":
            return None
        return None if phrase.purpose and frame.modality in _DUTIES else resolve(frame.subject, scene)
    if not purpose and phrase.purpose and frame.modality in _DUTIES:
        purpose = phrase.purpose
    if frame.place == "?" or len(purpose.split()) > 9 or _UNCLEAR_PURPOSE.search(purpose):
        return None
    placed = _placed(frame.place, scene) if frame.place else scene.reader
    found = _purposeful(purpose, scene) if purpose else placed
    return replace(found, written=frame.subject.lower()) if found is not None else None


def _purposeful(purpose: str, scene: Scene) -> Mention | None:
    """The reader as somebody who has a purpose."""
    if re.search(r"\b(?:it|this|them|that|these|one)\b", purpose):
        return scene.reader if re.match(r"(?:get|claim|qualify for|apply for)\s+it$", purpose) else None
    return reader_mention(scene.address.with_purpose(purpose, scene.topic.surface))


def _placed(place: str, scene: Scene) -> Mention | None:
    """The reader in a role ("as an employee"), or at a place ("in England"); a date says nothing of her."""
    if place.startswith("as "):
        role = place.split(" ", 2)[-1]
        return reader_mention(role) if is_role(role) else None
    if effective_dates(place) != (None, None):
        return scene.reader
    somewhere = place.startswith(("in ", "under ", "outside "))
    return reader_mention(f"{scene.reader.surface} {place}") if somewhere else None


def _stated(plain: Statement, phrase: ObjectPhrase, scene: Scene) -> list[Statement]:
    """The statement of the object, and the one of the value it happens by."""
    timing = phrase.timing
    if phrase.often and not (phrase.text or timing):  # "is paid every month"
        how, value = phrase.often.rsplit(maxsplit=1)
        return [replace(plain, relation=f"{plain.relation} {how}", object=Literal(value, "duration"))]
    if phrase.often:
        plain = replace(plain, relation=_repeated(plain.relation, phrase.often))
    relation = plain.relation
    if not phrase.text:
        if timing is not None:
            return [replace(plain, relation=f"{relation} {timing.how}", object=Literal(timing.value, timing.kind))]
        return _acted(plain, scene)
    property_of = relation.split()[-1] == "is"
    named = things(phrase.text, plain.modality, polarity=plain.polarity)
    targets = [resolve_object(one, scene, property_of=property_of) for one in named]
    whole = [replace(plain, object=target) for target in targets if target is not None]
    if not named or len(whole) < len(named) or (len(named) > 1 and any(map(is_completed, whole))):
        return []
    if timing is not None:
        return _timed(plain, whole[0], phrase, timing) if len(whole) == 1 else []
    return whole


def _repeated(relation: str, often: str) -> str:
    """A relation with how often it is so, before what ties it to its object: "is paid each year in"."""
    *verb, last = relation.split()
    return " ".join([*verb, often, last] if last in PREPOSITIONS else [relation, often])


def _timed(plain: Statement, whole: Statement, phrase: ObjectPhrase, timing: Timing) -> list[Statement]:
    """What happens to the object by or within a value: one statement, since neither is true without the other."""
    relation, value = plain.relation, Literal(timing.value, timing.kind)
    if phrase.text.lower() in ("you", "us", "them"):
        return [replace(plain, relation=f"{relation.removesuffix(' to')} {timing.how}", object=value)]
    named = whole.object.surface if isinstance(whole.object, Mention) else whole.object.value
    return (
        [replace(plain, relation=f"{relation} {named} {timing.how}", object=value)] if len(named.split()) <= 6 else []
    )


def _acted(plain: Statement, scene: Scene) -> list[Statement]:
    """A verb without object: "can appeal" is "may make an appeal"."""
    asked = plain.subject.type == READER and plain.relation in ("gets", "claims", "applies")
    if asked and scene.granted is not None:
        relation = "applies for" if plain.relation == "applies" else plain.relation
        return [replace(plain, relation=relation, object=scene.granted)]
    action = _ACTIONS.get(plain.relation)
    target = resolve(action, scene) if action else None
    return [replace(plain, relation="makes", object=target)] if target is not None else []


def _differs(statement: Statement) -> bool:
    """Whether the object is not the subject again."""
    return not (isinstance(statement.object, Mention) and statement.object.key == statement.subject.key)


def within(scope: Condition | None, own: Condition | None) -> Condition | None:
    """What holds for a section and for a clause of it; once, where both say it: "if you stop for good"."""
    above = scope.children if isinstance(scope, All) else () if scope is None else (scope,)
    said = [_gist(leaf) for leaf in leaves(own)]
    kept = [part for part in above if not (isinstance(part, Leaf) and any(_gist(part) <= one for one in said))]
    again = isinstance(own, Leaf) and any(isinstance(part, Leaf) and said[0] <= _gist(part) for part in kept)
    return combined(join("all", kept) if kept else None, None if again else own)


def _gist(leaf: Leaf) -> set[str]:
    return stems(expand(leaf.text)) - LOSABLE - {"think"} or {leaf.text}


def combined(first: Condition | None, second: Condition | None) -> Condition | None:
    """Both conditions, where there are two."""
    parts = [part for part in (first, second) if part is not None]
    return join("all", parts) if parts else None
