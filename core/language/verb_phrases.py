"""The verb phrase of a clause as a canonical relation: "will be paid into" is "is paid into".

A relation is a verb in the third person with what belongs to it: the verbs it chains ("applies to join"), its particle
("fills in"), its preposition ("applies for").
"""

from __future__ import annotations

from clausegraph.core.language import words
from clausegraph.core.language.verbs import (
    base_form,
    base_of_gerund,
    base_of_participle,
    base_of_third_person,
    is_base,
    third_person,
)

HEDGES = words.word_set("usually normally sometimes often generally probably rarely")
DROPPED = words.word_set(
    "also still then already automatically both either first now just therefore only always simply instead even"
    " immediately directly again yet currently"
)
_BE = words.word_set("is are was were am be been")
_HAVE = words.word_set("has have had")
_GERUND_NOUNS = words.word_set("training funding meeting hearing building housing savings working being living missing")
_GOES_ON = words.word_set("keep stop start continue begin avoid consider")  # verbs that take an -ing form
_NO_COMPLEMENT = words.word_set("going because when where how what why that if to")
_CHAINS = words.word_set(
    "want wish choose ask apply agree start continue try plan intend expect arrange decide fail refuse have help"
    " promise claim get begin need seem stop"
)
_PARTICLES = {
    "fill": "in out",
    "find": "out",
    "set": "up",
    "send": "back off",
    "give": "up back",
    "pay": "back off up in",
    "take": "out off up on over place part",
    "carry": "out on",
    "sign": "up in",
    "log": "in",
    "opt": "out in",
    "make": "up",
    "work": "out",
    "turn": "down up",
    "hand": "in over back",
    "get": "back",
    "cut": "off",
    "close": "down",
    "sort": "out",
    "end": "up",
    "bring": "back",
    "claim": "back",
    "use": "up",
    "build": "up",
    "look": "up after",
    "print": "off out",
    "go": "back ahead",
    "move": "out in",
    "write": "off down",
    "rule": "out",
    "keep": "up",
    "leave": "out",
    "read": "out",
    "stay": "on",
    "pass": "on",
    "add": "up",
    "buy": "back out",
    "wind": "up",
}
_PREPOSITIONS = words.word_set(
    "for to from in on at with by of into under about as against through within before after until during over between"
    " towards up onto without like around across beyond behind below above near inside outside"
)
_ADJECTIVES = words.word_set(
    "responsible eligible exempt liable available subject due worth entitled likely unlikely equal similar different"
    " separate free open valid related relevant necessary required able legal illegal taxable tax-free compulsory"
    " voluntary lower higher limited registered resident aware unable"
)
_ADJECTIVE_PREPOSITIONS = words.word_set("for to from of on in at with by as than until")


DROPPED_WORDS = DROPPED | HEDGES


def verb_phrase(text: str, finite: bool = False) -> tuple[str, str]:
    """The relation that opens a verb phrase and all that follows it; empty where there is no known verb."""
    tokens = text.split()
    hedge = ""
    while tokens and (tokens[0].lower().strip(",") in DROPPED_WORDS or _is_adverb(tokens[0])):
        hedge = tokens[0].lower() if tokens[0].lower() in HEDGES else hedge
        tokens = tokens[1:]
    if not tokens:
        return "", ""
    first = tokens[0].lower().strip(",:;")
    if first in _BE:
        relation, rest = _be(tokens[1:])
    elif first in _HAVE:
        relation, rest = _have(tokens[1:])
    else:
        base = (base_of_third_person(first) or (first if is_base(first) else None)) if finite else first
        if base is None or not is_base(base):
            return "", ""
        relation, rest = with_particles(base, third_person(base), tokens[1:])
    return (f"{hedge} {relation}".strip() if relation else ""), rest


def _is_adverb(token: str) -> bool:
    lowered = token.lower()
    return lowered.endswith("ly") and not base_form(lowered) and lowered not in ("early", "only", "family", "likely")


def _be(tokens: list[str]) -> tuple[str, str]:
    """After a form of "be": a passive, an adjective with its preposition, or what something is."""
    hedge = ""
    while tokens and (tokens[0].lower() in DROPPED_WORDS or _is_adverb(tokens[0])):
        hedge = f"{tokens[0].lower()} " if tokens[0].lower() in HEDGES else hedge
        tokens = tokens[1:]
    if not tokens:
        return "", ""
    first = tokens[0].lower().strip(",;")
    if first in _NO_COMPLEMENT or first in ("being", "been"):
        return ("", "") if first in _NO_COMPLEMENT else _be(tokens[1:])
    if first in _ADJECTIVES:
        return _adjective(hedge, first, tokens)
    base = first if first in ("based", "set", "left") else base_of_participle(first)
    if base is not None:
        return _passive(f"{hedge}is", first, base, tokens[1:])
    going_on = base_of_gerund(first)
    if (
        going_on and len(tokens) > 1 and (first not in _GERUND_NOUNS or tokens[1].lower() in _PREPOSITIONS)
    ):  # "you are applying for"
        return with_particles(going_on, third_person(going_on), tokens[1:])
    return f"{hedge}is", " ".join(tokens)


def _adjective(hedge: str, first: str, tokens: list[str]) -> tuple[str, str]:
    """ "is responsible for", "is free to leave", or what something is."""
    following = tokens[1].lower() if len(tokens) > 1 else ""
    if following == "to" and len(tokens) > 2 and is_base(tokens[2].lower()):
        return with_particles(tokens[2].lower(), f"is {first} to {tokens[2].lower()}", tokens[3:])
    if following in _ADJECTIVE_PREPOSITIONS:
        return f"{hedge}is {first} {following}", " ".join(tokens[2:])
    return f"{hedge}is", " ".join(tokens)


def _passive(be: str, word: str, base: str, rest: list[str]) -> tuple[str, str]:
    lower = [token.lower() for token in rest[:2]]
    if lower[:1] == ["to"] and len(lower) > 1 and is_base(lower[1]):
        return with_particles(lower[1], f"{be} {word} to {lower[1]}", rest[2:])
    relation, left = with_particles(base, f"{be} {word}", rest)
    return (relation, left) if left else (be, relation.removeprefix(f"{be} "))


def _have(tokens: list[str]) -> tuple[str, str]:
    """After a form of "have": what something has, or has done."""
    while tokens and tokens[0].lower() in DROPPED:
        tokens = tokens[1:]
    if not tokens:
        return "", ""
    first = tokens[0].lower()
    if first == "been":
        return _be(tokens[1:])
    if first == "to" and len(tokens) > 1 and is_base(tokens[1].lower()):
        return with_particles(tokens[1].lower(), f"has to {tokens[1].lower()}", tokens[2:])
    if base_of_participle(first) and len(tokens) > 1 and first not in ("limited", "disabled"):
        return with_particles(base_of_participle(first) or "", f"has {first}", tokens[1:])
    return "has", " ".join(tokens)


def with_particles(base: str, relation: str, tokens: list[str]) -> tuple[str, str]:
    """Chain ("applies to join"), particle ("fills in") and preposition ("applies for") taken into the relation."""
    lower = [token.lower().strip(",;:") for token in tokens]
    if base in _CHAINS and lower[:1] == ["to"] and len(lower) > 1 and is_base(lower[1]):
        return with_particles(lower[1], f"{relation} to {lower[1]}", tokens[2:])
    if base == "get" and lower and tokens[0].islower() and base_of_participle(lower[0]) and lower[0] not in ("left",):
        return with_particles(base_of_participle(lower[0]) or "", f"{relation} {lower[0]}", tokens[1:])
    going_on = base_of_gerund(lower[0]) if base in _GOES_ON and lower else None
    if going_on:
        return with_particles(going_on, f"{relation} {lower[0]}", tokens[1:])
    if lower[:2] == ["up", "to"]:
        return relation, " ".join(tokens)
    if lower and lower[0] in _PARTICLES.get(base, "").split():
        relation, tokens, lower = f"{relation} {lower[0]}", tokens[1:], lower[1:]
    if lower[:2] in (["at", "least"], ["at", "most"]):
        return relation, " ".join(tokens)
    purpose = lower[:1] == ["to"] and len(lower) > 1 and is_base(lower[1])
    manner = len(lower) > 1 and base_of_gerund(lower[1]) and lower[0] in ("by", "without", "before", "after")
    if len(lower) > 1 and lower[0] in _PREPOSITIONS and not (purpose or manner):
        relation, tokens = f"{relation} {lower[0]}", tokens[1:]
    return relation, " ".join(tokens)
