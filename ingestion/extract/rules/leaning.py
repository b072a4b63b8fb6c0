"""What a statement leans on though none of its words points there: a trigger, a purpose, whose or of what something is.

"Contact the council" (about what?), "You may take the case to a tribunal" (after what?), "tax on the rental income" (of
which property?) are sentences that a page can say, and lines that a graph cannot.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from clausegraph.core.language.normalise import singular
from clausegraph.core.language.standing import LOSABLE, stem, stems
from clausegraph.core.language.verbs import is_base
from clausegraph.core.language.words import word_set
from clausegraph.core.types import Condition, Leaf, Mention, Modality, Statement, leaves
from clausegraph.ingestion.extract.rules.address import READER, is_role
from clausegraph.ingestion.extract.rules.parts import target_text

_CONTACTS = re.compile(r"(?:contacts|calls|phones|emails|writes to|visits)$")
_ADVICE = re.compile(r"\b(?:contacts|calls|phones|emails)\b|\bgets\b.* (?:help|advice|support)\b")
_WHERE = re.compile(
    r"(?:you(?:'re| are)? )?(?:(?:live|work|study|are) )?(?:in|outside|from) (?:the )?[A-Z]", re.IGNORECASE
)
_DOES = re.compile(r"person (?!dealing with\b|having\b|getting\b|finding\b)(?P<verb>[a-z]+ing)\b")
_NEEDS_PURPOSE = re.compile(r"uses$")
_INCOMPLETE = re.compile(
    r"(?:includes|encloses|is made up of|consists of|comprises)$"
)  # in or with what? one part of several
_PENALTY = re.compile(r"\b(?:penalt(?:y|ies)|fines?|surcharges?)\b|\binterest\b(?! rate)", re.IGNORECASE)
_FALLS_DUE = re.compile(r"(?:pays|is charged|gets|owes|has to pay|is fined)\b")
_LENDS = re.compile(r"\b(?:loan|mortgage|savings|account)s?\b", re.IGNORECASE)  # interest is then no penalty
_REDRESS = re.compile(r"\b(?:tribunal|court|ombudsman|adjudicator)\b", re.IGNORECASE)
_SENTENCE = 1000  # characters of the longest that is looked at
_BEFORE_EXAMPLE = re.compile(r"\b(?:for example\b|such as\b|e\.g\.|eg\b\.?)[^.;:]*$", re.IGNORECASE)
_CUT_AFTER = re.compile(
    r"\s*(?:because|due to|as a result|in order to|by|after|before|through|since|so that|following|- or|- and)\b",
    re.IGNORECASE,
)
_GOES_ON = re.compile(  # "mail order goods, including internet sales, delivered abroad"
    r"\b(?:such as|including|for example|eg)\b[^.;]*,\s+(?:\w+ed|sent|\w+ing|that|which|who|if|when|unless|but)\b",
    re.IGNORECASE,
)
_OF_WHICH = re.compile(r"\b(?:of|on|from|to|for) the (?P<noun>(?:[a-z]+ )?[a-z]+)$")
_ANY = re.compile(r"\bany (?:request|decision|change|payment|claim|application|appeal|complaint|income)s?\b")
_BARE = word_set(  # nouns that are one of several on any page, where nothing before them says which
    "licence form account address map application certificate letter notice request document payment claim card copy"
    " evidence number details information money course job property vehicle case registration record"
)
_OF_IT = re.compile(r"(?:of|for|from|about|that|who|which|to (?:a|an)|with (?:a|an)|on (?:their|your))\b")
_ALONE = word_set(
    "uk eu government council court police public internet post state country world road law border water"
)  # there is one
_READERS_OWN = re.compile(r"\byour\b|\byou(?:['’]ve| have)\b", re.IGNORECASE)
_HELD = re.compile(  # no applicant any more
    r"you(?:'ve| have)? (?:stopped|already have|already hold|no longer)\b"
    r"|you(?:'re| are) (?:already )?(?:an? )?\w+-registered"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a statement was read: its main ``clause``, its ``element``'s text, what holds for its section, its page."""

    clause: str
    element: str
    scope: Condition | None
    title: str


def stands_alone(one: Statement, place: Place) -> bool:
    """Whether a statement leaves nothing out that only the page around it tells."""
    return not (
        _lacks_a_trigger(one, place.scope)
        or _lacks_a_purpose(one)
        or _is_somebody_elses(one)
        or _is_one_of_several(one, place)
        or _GOES_ON.search(place.clause)
        or any(_is_cut(leaf, one, place.element) for leaf in leaves(one.condition))
    )


def _has_a_purpose(subject: Mention) -> bool:
    """Whether a reader is known by what they do: "person reporting a change"."""
    return subject.type == READER and _DOES.match(subject.surface) is not None


def _lacks_a_trigger(one: Statement, scope: Condition | None) -> bool:
    """Whether something is done or due only when something else happened, and that is not told."""
    own = [leaf for leaf in leaves(one.condition) if not _WHERE.match(leaf.text)]
    if own:
        return False
    said = f"{one.relation} {target_text(one)}"
    due = (
        _FALLS_DUE.match(one.relation) and _PENALTY.search(said) and not _LENDS.search(f"{one.subject.surface} {said}")
    )
    redress = one.modality in (Modality.MAY, Modality.CAN) and _REDRESS.search(said)
    reader = one.subject.type == READER
    asked = reader and _CONTACTS.match(one.relation) and not _has_a_purpose(one.subject)
    advised = scope is not None and _ADVICE.search(said) and reader
    return bool((reader and due and one.polarity) or redress or asked or advised)


def _lacks_a_purpose(one: Statement) -> bool:
    """Whether something is used, put into or with something, and it is not told for or with what."""
    if _INCOMPLETE.match(one.relation):
        return True
    used = _NEEDS_PURPOSE.match(one.relation) and one.condition is None and one.subject.type == READER
    given = one.relation == "gives" and one.modality is Modality.MUST and " to " not in target_text(one)  # to whom?
    paid = one.relation == "pays" and re.match(r"(?:a )?(?:fee|charge|deposit)(?: \(|$)", target_text(one))
    first = target_text(one).split()[0].lower()
    done = one.relation.endswith(" to") and is_base(first) and isinstance(one.object, Mention)  # "decides to refer …"
    return bool((used and not _has_a_purpose(one.subject)) or given or paid or done)


def _is_somebody_elses(one: Statement) -> bool:
    """Whether the reader is spoken of where the statement is about somebody else, or as who they are no longer."""
    written = one.object.written if isinstance(one.object, Mention) else one.object.value
    if one.subject.type != READER and re.search(r"\byou(?:r|rs|rself)?\b", f"{written} {one.wording}", re.IGNORECASE):
        return True
    texts = [leaf.text for leaf in leaves(one.condition)]
    if one.subject.type != READER and is_role(one.subject.surface) and any(_READERS_OWN.search(text) for text in texts):
        return True  # "your landlord must …, if you have a lease": who has?
    return one.subject.surface.startswith("applicant for ") and any(
        _HELD.match(text.replace("’", "'")) for text in texts
    )


def _is_one_of_several(one: Statement, place: Place) -> bool:
    """Whether the object is, or is of, something that is definite on the page alone."""
    if not isinstance(one.object, Mention):
        return False
    surface = one.object.surface
    known = stems(f"{place.title} {one.subject.surface} {one.relation}")
    first, _, rest = surface.partition(" ")
    definite = first in _BARE and re.search(rf"\b(?:the|your) {first}\b", place.clause)
    if definite and stem(first) not in known and not _OF_IT.match(rest):
        return True
    named = _OF_WHICH.search(surface)
    if named is None:
        return _ANY.search(surface) is not None
    head = named["noun"].split()[-1]
    return not (is_role(head) or stems(named["noun"]) - LOSABLE & known or singular(head) in _ALONE)


def _is_cut(leaf: Leaf, one: Statement, written: str) -> bool:
    """Whether a condition is part of an example, or cut from its reason."""
    if leaf.anchor != one.spans[0].anchor:
        return False
    before = written[max(0, leaf.start - _SENTENCE) : leaf.start]  # not all there is: time would be quadratic
    return bool(_BEFORE_EXAMPLE.search(before) or _CUT_AFTER.match(written, leaf.end))
