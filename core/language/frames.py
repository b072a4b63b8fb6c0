"""A main clause as a frame: who, a canonical relation, what; with modality and polarity apart from the relation.

Stricter than ``propositions``, which says of any clause what it permits or demands: a clause whose parts are not
surely found has no frame. A relation is a verb in the third person with what belongs to it ("applies for", "is paid
by", "tries to reach"); whether that may, must or cannot be is the modality's to say.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from clausegraph.core.language import words
from clausegraph.core.language.main_verbs import NOUN_STARTS, WORD, main_verb
from clausegraph.core.language.markers import plain
from clausegraph.core.language.modality import ModalPhrase, modal_phrase
from clausegraph.core.language.values import DATED
from clausegraph.core.language.verb_phrases import verb_phrase
from clausegraph.core.language.verbs import is_base
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
_SETTING = re.compile(
    r"(?P<purpose>to|for)\s+(?P<what>[^,]{3,80}?),\s+(?=\w)"
    r"|(?P<place>as an?|as the|in|under|outside|on|at|from|after|before|during|within|with|by|since|until)\s+"
    r"(?P<where>[^,]{2,60}?),\s+(?=\w)",
    re.IGNORECASE,
)
_UNMARKED_PURPOSE = re.compile(
    r"to\s+(?P<what>[a-z][^,:]{3,50}?)\s+(?=you(?:'ll)?\s+(?:will|must|need|can|should)\b)", re.IGNORECASE
)
_IN_CLAUSE = re.compile(r"\b(?:that|which|who|what|how|whether|why|where|when)\b")
_DO = words.word_set("do does did")
_ADVISES = re.compile(  # where to turn and what to look at is advice, told in the form of a duty
    r"(?:contacts|reads|checks|finds|sees|calls|phones|asks|talks|speaks|considers|visits|looks|tries|makes sure)\b"
)
_ADVERB = (
    r"(?:also|still|already|always|only|then|both|probably|currently|automatically|now|immediately|first|either|just"
    r"|therefore)"
)
_LATE_ADVERB = re.compile(rf"^((?:(?:will|would)\s+)?)(?:{_ADVERB}\s+)+", re.IGNORECASE)
_EARLY_ADVERB = re.compile(rf"(?:\s+{_ADVERB})+$", re.IGNORECASE)
_JOINED_VERB = re.compile(
    r"(?:^|,?\s+)(?P<joint>and|or)\s+(?:then\s+|also\s+)?(?P<verb>[a-z]+)(?=\s+(?P<after>[\w£$€]+))"
)


_ORDERS = words.IMPERATIVES - {"do", "always", "never", "please"}
_AFTER_NOUN = words.AUXILIARIES | {"for", "of", "and", ""}
_WILL_OR_DO = _DO | {"will", "would", "shall"}
_IN_WRITING = re.compile(r"\s+in writing\b")
_HEDGED = re.compile(r"(?:usually|normally|sometimes|currently|generally),?\s+", re.IGNORECASE)
_HEDGE_LAST = re.compile(r"\s(usually|normally|sometimes|often|generally|rarely)$", re.IGNORECASE)
_FORBIDS = re.compile(r"(?:do not|never)\s+", re.IGNORECASE)
_LETTERS = re.compile(r"[A-Za-z]+")
_NOBODY = re.compile(r"(?:no(?! more| less| fewer)|nobody|none|neither)\b", re.IGNORECASE)
_DENIED = re.compile(r"(?:not|never|no longer)\b")
_DENIES = re.compile(r"^(?:not|never|no longer)\s+")


@dataclass(frozen=True, slots=True)
class Frame:
    """``subject`` is as the clause has it, "" for what the page is about. ``rest`` is all that follows the
    relation; ``purpose`` ("qualify for it") and ``place`` ("in England") stood before the subject. ``wording`` is the
    clause's own verb group ("may also need to apply for")."""

    subject: str
    relation: str
    rest: str
    modality: Modality
    polarity: bool
    purpose: str = ""
    place: str = ""
    wording: str = ""


@lru_cache(maxsize=4096)
def expand(text: str) -> str:
    """A clause with plain quotes and its contractions written out."""
    text = plain(text)
    text = " ".join((_BRACKETS.sub("", text) if "(" in text else text).split())
    if "'" in text or "can not" in text:
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
        if frame.modality is Modality.IS or (
            joined["joint"].lower() == "or" and frame.modality in (Modality.MUST, Modality.SHOULD)
        ):
            return []
        head, tail = frame.rest[: joined.start()].strip(" ,"), frame.rest[joined.start("verb") :]
        relation, rest = verb_phrase(tail)
        if not relation:
            return found
        if head:
            found += [replace(one, rest=head) for one in (*pending, frame)]
            pending = []
        else:
            pending.append(frame)
        frame = replace(frame, relation=relation, rest=rest, wording=tail.removesuffix(rest).strip(" ,"))
    return [*found, *(replace(one, rest=frame.rest) for one in pending), frame]


def _joined(frame: Frame) -> re.Match[str] | None:
    """Where another verb joins that of a frame: "and send it …"."""
    for found in _JOINED_VERB.finditer(frame.rest):
        if _IN_CLAUSE.search(frame.rest, 0, found.start()):  # "that you've visited and want to …": not its verb
            return None
        verb = found["verb"]
        noun = verb in words.NOUN_VERBS and found["after"].lower() not in NOUN_STARTS
        if is_base(verb) and not noun:
            return found
    return None


@lru_cache(maxsize=256)
def read_frame(text: str) -> Frame | None:
    """The frame of a main clause; an imperative's subject is "you"; none where the parts are not surely found."""
    clause = _IN_WRITING.sub("", expand(text)).strip(" .:;,!")
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
    return replace(found, purpose=purpose, place=place) if purpose or place else found


def is_setting(text: str) -> bool:
    """Whether a text only sets the scene of the clause after it: "In England", "To qualify"."""
    clause = expand(text).strip(" ,")
    found = _SETTING.fullmatch(f"{clause}, ")
    return bool(found or _SETTING.match(f"{clause}, x")) and "," not in clause


def _without_setting(clause: str) -> tuple[str, str, str]:
    """The clause, the purpose and the place or time that stood before its subject."""
    hedged = _HEDGED.match(clause)
    if hedged:
        clause = clause[hedged.end() :]
    dated = DATED.match(clause)  # "From 1 April 2026 a permit costs £15"
    if dated and clause[dated.end() :].strip(" ,"):
        return clause[dated.end() :].strip(" ,"), "", dated[0].strip(" ,").lower()
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
    negative = _FORBIDS.match(clause)
    rest = clause[negative.end() :] if negative else clause
    first = _LETTERS.match(rest)
    if not first or first[0].lower() not in _ORDERS:
        return None
    following = (WORD.findall(rest[first.end() :]) or [""])[0].lower()
    if first[0].lower() in words.NOUN_VERBS and following in _AFTER_NOUN:
        return None
    relation, left = verb_phrase(rest[0].lower() + rest[1:])
    if not relation:
        return None
    modality = Modality.CANNOT if negative else (Modality.SHOULD if _ADVISES.match(relation) else Modality.MUST)
    return Frame("you", relation, left, modality, not negative, wording=clause.removesuffix(left).strip(" ,").lower())


def _declared(clause: str) -> Frame | None:
    """A clause with a subject of its own."""
    at = main_verb(clause)
    if at is None:
        return None
    subject, group = clause[:at].strip(), _LATE_ADVERB.sub(r"\1", clause[at:])
    subject = _EARLY_ADVERB.sub("", subject)
    hedged = _HEDGE_LAST.search(subject)
    if hedged:
        subject = subject[: hedged.start()]
    if not subject:
        return None
    if subject.lower() == "there":
        return _existing(group)
    negative = _NOBODY.match(subject) is not None
    phrase = modal_phrase(group)
    stated = _stated(subject, group, negative) if phrase is None else _modal(subject, group, phrase, negative)
    if stated is None:
        return None
    relation = f"{hedged[1].lower()} {stated.relation}" if hedged else stated.relation
    whole = clause[at:].strip()
    wording = whole.removesuffix(stated.rest).strip(" ,") if stated.rest and whole.endswith(stated.rest) else ""
    words_of = wording if stated.rest else whole
    return Frame(stated.subject, relation, stated.rest, stated.modality, stated.polarity, wording=words_of)


def _modal(subject: str, group: str, phrase: ModalPhrase, negative: bool) -> Frame | None:
    """A clause that permits, requires or forbids; ``negative``: its subject is nobody."""
    following = _after_modal(group, phrase.end, phrase.verb)
    if following is None:
        return None
    denied = _DENIED.match(following) is not None
    relation, rest = verb_phrase(_DENIES.sub("", following))
    if not relation:
        return None
    modality, polarity = phrase.modality, phrase.polarity and not denied and not negative
    if (denied and modality in (Modality.MAY, Modality.MUST)) or (
        negative and modality in (Modality.MAY, Modality.CAN)
    ):
        modality = Modality.CANNOT
    elif negative and modality is Modality.MUST:
        modality = Modality.NEED_NOT
    return Frame(subject, relation, rest, modality, polarity)


def _existing(group: str) -> Frame | None:
    """ "There is no age limit": what the page is about has none."""
    found = re.match(r"(?:is|are|will be)\s+(?P<none>no\s+|not\s+)?(?P<what>.+)", group)
    return Frame("", "has", found["what"], Modality.IS, not found["none"]) if found else None


def _after_modal(group: str, end: int, verb: str) -> str | None:
    """The verb phrase after modal words: their own verb where none follows ("entitled to leave" is "get leave")."""
    following = group[end:].strip()
    words_after = WORD.findall(following.lower())
    if verb and words_after and re.search(r"\bto$", group[:end].strip()) and is_base(words_after[0]):
        return following
    if verb:
        return f"{verb} {following}" if following else verb
    return following or None


def _stated(subject: str, group: str, negative: bool) -> Frame | None:
    """A clause that says what is: "will be paid", "do not count", "is", "costs"."""
    tokens = group.split()
    first = tokens[0].lower()
    auxiliary = first in _WILL_OR_DO
    start = 1 if auxiliary else 0
    denied = [i for i, token in enumerate(tokens[1:3], 1) if token.lower() in ("not", "never")]
    if not denied and [t.lower() for t in tokens[1:3]] == ["no", "longer"]:
        tokens = tokens[:1] + tokens[3:]
        denied = [-1]
    elif denied:
        tokens = tokens[: denied[0]] + tokens[denied[0] + 1 :]
    relation, rest = verb_phrase(" ".join(tokens[start:]), finite=not auxiliary)
    if not relation:
        return None
    none = bool(re.match(r"no\s", rest)) and relation in ("is", "has")
    rest = rest[3:] if none else rest
    return Frame(subject, relation, rest, Modality.IS, not (denied or negative or none))
