"""A main clause as a frame: who, a canonical relation, what; with modality and polarity apart from the relation.

Stricter than ``propositions``, which says of any clause what it permits or demands: a clause whose parts are not
surely found has no frame. A relation is a verb in the third person with what belongs to it ("applies for", "is paid
by", "tries to reach"); whether that may, must or cannot be is the modality's to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from clausegraph.core.language import words
from clausegraph.core.language.markers import plain
from clausegraph.core.language.modality import modal_phrase
from clausegraph.core.language.verbs import (
    base_form,
    base_of_gerund,
    base_of_participle,
    base_of_third_person,
    is_base,
    third_person,
)
from clausegraph.core.types import Modality

_CONTRACTIONS = (
    (re.compile(r"\bcan't\b", re.IGNORECASE), "cannot"),
    (re.compile(r"\bwon't\b", re.IGNORECASE), "will not"),
    (re.compile(r"(?<=\w)n't\b"), " not"),
    (re.compile(r"(?<=\w)'ll\b"), " will"),
    (re.compile(r"(?<=\w)'re\b"), " are"),
    (re.compile(r"(?<=\w)'ve\b"), " have"),
    (re.compile(r"\b(it|he|she|that|there|who)'s\b", re.IGNORECASE), r"\1 is"),
    (re.compile(r"\bcan not\b"), "cannot"),
)
_BRACKETS = re.compile(r"\s*\((?![A-Z][A-Za-z0-9&/ -]{0,14}\))[^()]*(?:\)|$)")  # an acronym's stay
_OPENERS = re.compile(
    r"^(?:but|and|or|so|also|however|otherwise|then|instead|for example|in addition|please|always|if so|similarly"
    r"|alternatively|additionally|once you've done this|in most cases|as well as this|remember)[,\s]\s*",
    re.IGNORECASE,
)
_HEDGES = words.word_set("usually normally sometimes often generally probably rarely")
_DROPPED = words.word_set(
    "also still then already automatically both either first now just therefore only always simply instead even"
    " immediately directly directly again first"
)
_SETTING = re.compile(
    r"(?P<purpose>to|for)\s+(?P<what>[^,]{3,80}?),\s+(?=\w)"
    r"|(?P<place>as an?|as the|in|under|outside|on|at|from|after|before|during|within|with|by|since|until)\s+"
    r"(?P<where>[^,]{2,60}?),\s+(?=\w)",
    re.IGNORECASE,
)
_UNMARKED_PURPOSE = re.compile(
    r"to\s+(?P<what>[a-z][^,:]{3,50}?)\s+(?=you(?:'ll)?\s+(?:will|must|need|can|should)\b)", re.IGNORECASE
)
_WORD = re.compile(r"\([^()]*\)|[A-Za-z][A-Za-z'-]*|[£$€]?\d[\d,.]*%?|[^\sA-Za-z\d]")
_SUBJECT_PRONOUNS = words.word_set("you we they it he she this these those everyone anyone someone nobody there")
_MODALS = words.word_set("can cannot could may might must should will would shall")
_BE = words.word_set("is are was were am be been")
_HAVE = words.word_set("has have had")
_DO = words.word_set("do does did")
_ADVERB = (
    r"(?:also|still|already|always|only|then|both|probably|currently|automatically|now|immediately|first|either|just"
    r"|therefore)"
)
_LATE_ADVERB = re.compile(rf"^((?:(?:will|would)\s+)?)(?:{_ADVERB}\s+)+", re.IGNORECASE)
_EARLY_ADVERB = re.compile(rf"(?:\s+{_ADVERB})+$", re.IGNORECASE)
_GERUND_NOUNS = words.word_set("training funding meeting hearing building housing savings working being living missing")
_GOES_ON = words.word_set("keep stop start continue begin avoid consider")  # verbs that take an -ing form
_ENDS_SUBJECT = words.word_set(", : ; - when how what whether if")
_OPENS_RELATIVE = words.RELATIVES | words.word_set("where you they we")
_LONGEST_SUBJECT = 9
_PLURALS = words.word_set("people children men women parents police staff")
_NOUN_STARTS = words.DETERMINERS | words.PREPOSITIONS | words.word_set("up more less you them us him her it what how")
_JOINED_VERB = re.compile(
    r"(?:^|,?\s+)(?P<joint>and|or)\s+(?:then\s+|also\s+)?(?P<verb>[a-z]+)(?=\s+(?P<after>[\w£$€]+))"
)
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
_STATIVE = {
    "eligible",
    "exempt",
    "liable",
    "available",
    "free",
    "valid",
    "taxable",
    "tax-free",
    "compulsory",
    "voluntary",
    "illegal",
    "legal",
}


@dataclass(frozen=True, slots=True)
class Frame:
    """``subject`` is as the clause has it, "" for what the page is about. ``rest`` is all that follows the
    relation; ``purpose`` ("qualify for it") and ``place`` ("in England") stood
    before the subject."""

    subject: str
    relation: str
    rest: str
    modality: Modality
    polarity: bool
    purpose: str = ""
    place: str = ""


def expand(text: str) -> str:
    """A clause with plain quotes and its contractions written out."""
    text = " ".join(_BRACKETS.sub("", plain(text)).split())
    for pattern, written in _CONTRACTIONS:
        text = pattern.sub(written, text)
    return text


def read_frames(text: str) -> list[Frame]:
    """The frames of a main clause, one for each verb that shares its subject ("sign and return the form")."""
    first = read_frame(text)
    if first is None:
        return []
    found: list[Frame] = []
    pending: list[Frame] = []  # verbs whose object stands with the next one: "download and fill in the form"
    frame = first
    while (joined := _joined(frame)) is not None:
        if frame.modality is Modality.IS or (joined["joint"].lower() == "or" and frame.modality is Modality.MUST):
            return []
        head, tail = frame.rest[: joined.start()].strip(" ,"), frame.rest[joined.start("verb") :]
        relation, rest = _verb_phrase(tail)
        if not relation:
            return found
        if head:
            found += [replace(one, rest=head) for one in (*pending, frame)]
            pending = []
        else:
            pending.append(frame)
        frame = replace(frame, relation=relation, rest=rest)
    return [*found, *(replace(one, rest=frame.rest) for one in pending), frame]


def _joined(frame: Frame) -> re.Match[str] | None:
    """Where another verb joins that of a frame: "and send it …"."""
    for found in _JOINED_VERB.finditer(frame.rest):
        verb = found["verb"]
        noun = verb in words.NOUN_VERBS and found["after"].lower() not in _NOUN_STARTS
        if is_base(verb) and not noun:
            return found
    return None


def read_frame(text: str) -> Frame | None:
    """The frame of a main clause; an imperative's subject is "you"; none where the parts are not surely found."""
    clause = re.sub(r"\s+in writing\b", "", expand(text)).strip(" .:;,!")
    if not clause or clause.endswith("?"):
        return None
    previous = None
    while previous != clause:
        previous, clause = clause, _OPENERS.sub("", clause)
    clause, purpose, place = _without_setting(clause)
    noun_first = clause.split()[0].lower() in words.NOUN_VERBS if clause else False  # "Rent Supplement helps …"
    found = (noun_first and _declared(clause)) or _imperative(clause) or _declared(clause)
    if found is None or not found.relation:
        return None
    return Frame(found.subject, found.relation, found.rest, found.modality, found.polarity, purpose, place)


def is_setting(text: str) -> bool:
    """Whether a text only sets the scene of the clause after it: "In England", "To qualify"."""
    clause = expand(text).strip(" ,")
    found = _SETTING.fullmatch(f"{clause}, ")
    return bool(found or _SETTING.match(f"{clause}, x")) and "," not in clause


def _without_setting(clause: str) -> tuple[str, str, str]:
    """The clause, the purpose and the place or time that stood before its subject."""
    hedged = re.match(r"(?:usually|normally|sometimes|currently|generally),?\s+", clause, re.IGNORECASE)
    if hedged:
        clause = clause[hedged.end() :]
    match = _SETTING.match(clause) or _UNMARKED_PURPOSE.match(clause)
    if match is None or len(clause[match.end() :].split()) < 2:
        return clause, "", ""
    groups = match.groupdict()
    rest = clause[match.end() :]
    if groups.get("place"):
        return rest, "", f"{groups['place'].lower()} {groups['where']}"
    if (groups.get("purpose") or "to").lower() == "to" and is_base((groups["what"].split() or [""])[0].lower()):
        return rest, groups["what"], ""
    return rest, "", f"for {groups['what']}" if (groups.get("purpose") or "").lower() == "for" else "?"


def _imperative(clause: str) -> Frame | None:
    """ "Send the form", "Do not drive": a duty of the reader."""
    negative = re.match(r"(?:do not|never)\s+", clause, re.IGNORECASE)
    rest = clause[negative.end() :] if negative else clause
    first = re.match(r"[A-Za-z]+", rest)
    if not first or first[0].lower() not in words.IMPERATIVES - {"do", "always", "never", "please"}:
        return None
    following = (_WORD.findall(rest[first.end() :]) or [""])[0].lower()
    if first[0].lower() in words.NOUN_VERBS and following in words.AUXILIARIES | {"for", "of", "and", ""}:
        return None
    relation, left = _verb_phrase(rest[0].lower() + rest[1:])
    modality = Modality.CANNOT if negative else Modality.MUST
    return Frame("you", relation, left, modality, not negative) if relation else None


def _declared(clause: str) -> Frame | None:
    """A clause with a subject of its own."""
    at = _main_verb(clause)
    if at is None:
        return None
    subject, group = clause[:at].strip(), _LATE_ADVERB.sub(r"\1", clause[at:])
    subject = _EARLY_ADVERB.sub("", subject)
    hedged = re.search(r"\s(usually|normally|sometimes|often|generally|rarely)$", subject, re.IGNORECASE)
    if hedged:
        subject = subject[: hedged.start()]
    if not subject:
        return None
    if subject.lower() == "there":
        return _existing(group)
    negative = bool(re.match(r"(?:no(?! more| less| fewer)|nobody|none|neither)\b", subject, re.IGNORECASE))
    phrase = modal_phrase(group)
    if phrase is not None:
        following = _after_modal(group, phrase.end, phrase.verb)
        if following is None:
            return None
        polarity = phrase.polarity and not re.match(r"(?:not|never|no longer)\b", following)
        modality = phrase.modality
        if not polarity and modality is Modality.MAY:
            modality = Modality.MAY if re.match(r"might|may", group) else Modality.CANNOT
        if (negative and modality is Modality.MAY) or (
            phrase.polarity and not polarity and modality is Modality.MUST  # "must also not be"
        ):
            modality, polarity = Modality.CANNOT, False
        relation, rest = _verb_phrase(re.sub(r"^(?:not|never|no longer)\s+", "", following))
        relation = f"{hedged[1].lower()} {relation}" if hedged and relation else relation
        return Frame(subject, relation, rest, modality, polarity and not negative) if relation else None
    found = _stated(subject, group, negative)
    return replace(found, relation=f"{hedged[1].lower()} {found.relation}") if found and hedged else found


def _existing(group: str) -> Frame | None:
    """ "There is no age limit": what the page is about has none."""
    found = re.match(r"(?:is|are|will be)\s+(?P<none>no\s+|not\s+)?(?P<what>.+)", group)
    return Frame("", "has", found["what"], Modality.IS, not found["none"]) if found else None


def _after_modal(group: str, end: int, verb: str) -> str | None:
    """The verb phrase after modal words: their own verb where none follows ("entitled to leave" is "get leave")."""
    following = group[end:].strip()
    words_after = _WORD.findall(following.lower())
    if verb and words_after and re.search(r"\bto$", group[:end].strip()) and is_base(words_after[0]):
        return following
    if verb:
        return f"{verb} {following}" if following else verb
    return following or None


def _stated(subject: str, group: str, negative: bool) -> Frame | None:
    """A clause that says what is: "will be paid", "do not count", "is", "costs"."""
    tokens = group.split()
    first = tokens[0].lower()
    auxiliary = first in {"will", "would", "shall"} | _DO
    start = 1 if auxiliary else 0
    denied = [i for i, token in enumerate(tokens[1:3], 1) if token.lower() in ("not", "never")]
    if not denied and [t.lower() for t in tokens[1:3]] == ["no", "longer"]:
        tokens = tokens[:1] + tokens[3:]
        denied = [-1]
    elif denied:
        tokens = tokens[: denied[0]] + tokens[denied[0] + 1 :]
    relation, rest = _verb_phrase(" ".join(tokens[start:]), finite=not auxiliary)
    if not relation:
        return None
    none = bool(re.match(r"no\s", rest)) and relation in ("is", "has")
    rest = rest[3:] if none else rest
    return Frame(subject, relation, rest, Modality.IS, not (denied or negative or none))


def _main_verb(clause: str) -> int | None:
    """Where the finite verb of the clause starts; none where it cannot be told from a noun."""
    tokens = list(_WORD.finditer(clause))
    lower = [token[0].lower() for token in tokens]
    if not lower:
        return None
    if lower[0] in _SUBJECT_PRONOUNS:
        at = _after_pronoun(lower)
        if at is not None or lower[0] not in ("this", "these", "those"):
            return None if at is None else tokens[at].start()
    for i in range(1, min(len(lower), _LONGEST_SUBJECT + 1)):
        if lower[i] in _ENDS_SUBJECT:
            return None
        if lower[i] in _OPENS_RELATIVE:
            return _after_relative(tokens, lower, i)
        k = i - 1
        while k > 0 and (lower[k] in _DROPPED | _HEDGES or lower[k][:1] in "('\"" or lower[k] == "currently"):
            k -= 1
        if _is_finite(lower, i, lower[k]):
            return tokens[i].start()
    return None


def _after_pronoun(lower: list[str]) -> int | None:
    """The place of the verb group after a pronoun: of the verb, or of the adverb before its auxiliary."""
    at = 1
    while at < len(lower) and (lower[at] in _DROPPED | _HEDGES or lower[at].endswith("ly")):
        at += 1
    if at >= len(lower) or not (lower[at] in words.AUXILIARIES or base_form(lower[at])):
        return None
    return 1 if lower[at] in words.AUXILIARIES else at


def _after_relative(tokens: list[re.Match[str]], lower: list[str], start: int) -> int | None:
    """The main verb after a relative clause: the second verb group, where that is sure."""
    groups = 0
    i = start + 1
    while i < min(len(lower), start + 14):
        word, before = lower[i], lower[i - 1]
        if word in (",", ":", ";", "-", "(", "and", "or", "if"):
            return None
        auxiliary = word in words.AUXILIARIES and word != "not" and before not in words.DETERMINERS
        verb = (
            base_form(word) and word not in words.PARTICIPLES and before not in words.DETERMINERS | words.PREPOSITIONS
        )
        if auxiliary or (groups == 0 and base_form(word)) or (verb and word in words.BASE_VERBS | words.THIRD_PERSON):
            groups += 1
            after = lower[i + 1] if i + 1 < len(lower) else ""
            plain_verb = not auxiliary and (after in _NOUN_STARTS or after[:1] in "£$€0123456789") and after
            if groups == 2:
                return tokens[i].start() if word in _MODALS or word in ("is", "are") or plain_verb else None
            while (
                auxiliary
                and i + 1 < len(lower)
                and (lower[i + 1] in words.AUXILIARIES | _DROPPED or base_form(lower[i + 1]))
            ):
                i += 1
        i += 1
    return None


def _is_finite(lower: list[str], i: int, before: str) -> bool:
    """Whether the i-th word, after the noun phrase before it, is the finite verb."""
    word, after = lower[i], lower[i + 1] if i + 1 < len(lower) else ""
    if before.endswith(("'s", "s'")):  # "your employer's own scheme"
        return False
    if word in ("need", "needs"):
        return after == "to" or after in words.DETERMINERS
    if word in words.AUXILIARIES and word not in ("not", "be", "been"):
        return before not in words.DETERMINERS | {"to"}
    if before in words.DETERMINERS | words.PREPOSITIONS | {"to", "and", "or"}:
        return False
    return word in words.THIRD_PERSON or _is_verb_by_its_company(word, before, after)


def _is_verb_by_its_company(word: str, before: str, after: str) -> bool:
    """Whether a word that may be a noun is a verb: by number, and by what follows."""
    opens = after in _NOUN_STARTS or after[:1] in "£$€0123456789" or not after
    if base_of_third_person(word):
        return opens and not before.endswith("s") and after not in ("of", "for", "")
    plural = (before.endswith("s") and not before.endswith(("ss", "us", "is"))) or before in _PLURALS
    return is_base(word) and plural and (opens or word not in words.NOUN_VERBS) and after != "of"


def _verb_phrase(text: str, finite: bool = False) -> tuple[str, str]:
    """The relation that opens a verb phrase and all that follows it; empty where there is no known verb."""
    tokens = text.split()
    hedge = ""
    while tokens and (tokens[0].lower().strip(",") in _DROPPED | _HEDGES or _is_adverb(tokens[0])):
        hedge = tokens[0].lower() if tokens[0].lower() in _HEDGES else hedge
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
    while tokens and (tokens[0].lower() in _DROPPED | _HEDGES or _is_adverb(tokens[0])):
        hedge = f"{tokens[0].lower()} " if tokens[0].lower() in _HEDGES else hedge
        tokens = tokens[1:]
    if not tokens:
        return "", ""
    first = tokens[0].lower().strip(",;")
    if first in _NO_COMPLEMENT | {"being", "been"}:
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
    while tokens and tokens[0].lower() in _DROPPED:
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
    if base == "get" and lower and base_of_participle(lower[0]) and lower[0] not in ("left",):
        return with_particles(base_of_participle(lower[0]) or "", f"{relation} {lower[0]}", tokens[1:])
    going_on = base_of_gerund(lower[0]) if base in _GOES_ON and lower else None
    if going_on:
        return with_particles(going_on, f"{relation} {lower[0]}", tokens[1:])
    if lower[:2] == ["up", "to"]:
        return relation, " ".join(tokens)
    if lower and lower[0] in _PARTICLES.get(base, "").split():
        relation, tokens, lower = f"{relation} {lower[0]}", tokens[1:], lower[1:]
    purpose = lower[:1] == ["to"] and len(lower) > 1 and is_base(lower[1])
    manner = len(lower) > 1 and base_of_gerund(lower[1]) and lower[0] in ("by", "without", "before", "after")
    if len(lower) > 1 and lower[0] in _PREPOSITIONS and not (purpose or manner):
        relation, tokens = f"{relation} {lower[0]}", tokens[1:]
    return relation, " ".join(tokens)
