"""A light clause split: who, does or may do what, to what; with modality and polarity.

No parser: the subject is what stands before the first finite verb, the relation the verb group, the object
the rest. Good enough to name a fact; the exact words stay in the cited span.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from clausegraph.core.language import lexicon
from clausegraph.core.language.lexicon import WordTable, base_form, base_of_third_person, third_person
from clausegraph.core.language.modals import modal_phrase
from clausegraph.core.language.normalise import plain
from clausegraph.core.types import Modality

_TABLE = WordTable(__file__)

_LONGEST = 12  # words of a subject or object
_VERB_GROUP = _TABLE.pattern("verb_group")
_REDUCED_RELATIVE = _TABLE.pattern("reduced_relative")
_SETTING = _TABLE.pattern("setting")
_NEGATION = re.compile(rf"\b{lexicon.DENIAL}\b|n't\b", re.IGNORECASE)
_DENYING_SUBJECTS = lexicon.word_set("no nobody none neither no-one")
_ADVERB = (
    r"(?:also|still|usually|normally|only|then|already|always|automatically|either|both|first|now|just|sometimes"
    r"|often|generally|(?!(?:apply|supply|reply|comply|rely|imply|early|family)\b)\w+ly)"
)
_LEADING_ADVERBS = re.compile(rf"^(?:{_ADVERB}\s+)+", re.IGNORECASE)
_CHAIN = _TABLE.pattern("chain")
_BE = re.compile(r"(?:be|been|being|is|are|was|were|gets?(?=\s+\w+ed\b)|have been|has been)\s+", re.IGNORECASE)
_OPENERS = _TABLE.pattern("openers")
_NAMED = _TABLE.pattern("named")
_NO_OBJECT = re.compile(r"(?:is|are|'re|'s|was|were|has|have)\s+no\b", re.IGNORECASE)
_PREFIX = {Modality.MAY: "may", Modality.MUST: "must", Modality.CANNOT: "cannot", Modality.IS: ""}
_PERFECT = re.compile(r"(?:will|would|shall|have|has|had)\s+(?=\w)", re.IGNORECASE)
_PARTICLE = re.compile(r"(?:up(?!\s+to\b)|out(?!\s+of\b)|off|back|over|down)\s+(?=[^\W\d])", re.IGNORECASE)
_PREPOSITION = _TABLE.pattern("preposition")
_AFTER_NOUN = lexicon.AUXILIARIES | {"for", "of"}
_BEFORE_NOUN = lexicon.DETERMINERS - {"this", "that", "all", "both", "these", "those"}
_LETTERS = re.compile(r"[A-Za-z]+(?![\w'])")
_FORBIDS = ("do not ", "don't ", "never ")
_NO_VERB = lexicon.word_set("will would shall may can must cannot not have has had do does did")
_DANGLING = lexicon.PREPOSITIONS | lexicon.DETERMINERS | lexicon.word_set("and or but is are you to that")
_BE_FORMS = lexicon.word_set("is are was were be been being am")
_PRONOUN_ACTS = re.compile(
    rf"(?:we|you|they|he|she|it) (?:{'|'.join(sorted(lexicon.VERB_FORMS - lexicon.AUXILIARIES))})\b[^,;:]*"
    r"\b(?:that|which|who|what|how|whether)\b",
    re.IGNORECASE,
)
_SHORT = re.compile(r"^(?:(?P<short>'ll|'re|'ve|'s|won't)\b|(?P<verb>\w+)n't\b)")
_WRITTEN = {"'ll": "will", "'re": "are", "'ve": "have", "'s": "is", "won't": "will"}
_DENIAL = re.compile(rf"^((?:\w+\s+){{1,2}}){lexicon.DENIAL}\s+")


@dataclass(frozen=True, slots=True)
class Proposition:
    """A main clause in three parts; ``object`` may be empty ("payments stop").

    ``modality`` and ``polarity`` are coarse: advice is a duty ("must"), "need not" is a denied duty, and what is
    possible is permitted ("may"). ``exact`` is the modality that the clause has; ``modal`` its first modal word.
    """

    subject: str
    relation: str
    object: str
    modality: Modality
    polarity: bool
    exact: Modality = Modality.IS
    modal: str = ""

    @property
    def verb(self) -> str:
        """The relation in the third person without what modality and polarity say: "is paid into"; "" where unknown."""
        words_of = self.relation.removeprefix(f"{_PREFIX[self.modality]} ").split()
        while len(words_of) > 1 and words_of[0] in _NO_VERB:
            words_of = words_of[1:]
        if not words_of:
            return ""
        first, *more = words_of
        base = "be" if first in _BE_FORMS else base_form(first)
        past = first in lexicon.PURE_PASTS or (first.endswith("ed") and base != first)
        return " ".join([third_person(base), *more]) if base and not past else ""


@lru_cache(maxsize=1024)
def split_proposition(text: str) -> Proposition:
    """Split a main clause; an imperative gets the subject "you", words without a verb the relation "is"."""
    clause = plain(text).strip(" .:;,?!")
    previous = None
    while previous != clause:
        previous = clause
        clause = _OPENERS.sub("", clause)
    setting = _SETTING.match(clause)
    if setting and len(clause[setting.end() :].split()) > 1:
        clause = clause[setting.end() :]
    imperative = _imperative(clause)
    if imperative:
        return imperative
    match = _first_verb(clause)
    if match is None or _PRONOUN_ACTS.match(clause, 0, match.start()):  # "We measure the way that a child can walk"
        return _plain_verb(clause) or Proposition("", "is", shorten(clause), Modality.IS, not _denies(clause))
    subject = clause[: match.start()].removesuffix("never ").strip()
    rest = clause[match.start() - 6 * clause[: match.start()].endswith(" never ") :]  # "you never have to pay"
    return _with_modality(subject, rest)


def _first_verb(clause: str) -> re.Match[str] | None:
    """The first auxiliary that is not inside a relative clause or a possessive."""
    for match in _VERB_GROUP.finditer(clause):
        before = clause[: match.start()]
        if match[0] == "May" and before.strip():  # the month
            continue
        if match[0].startswith("'s") and not re.search(r"\b(?:it|he|she|that|there|who|what)$", before, re.IGNORECASE):
            continue
        said = before.lower().replace("(", " ").split()
        relative = said[-1:] and (said[-1] in ("who", "which", "that") or said[-2:-1] == ["whose"])
        if relative and said[0] != "that" and len(said) > 1:
            continue
        if _REDUCED_RELATIVE.match(before) and _later_verb(clause[match.end() :]):
            continue
        if said or match[0].lower() not in ("need", "have", "do"):
            return match
    return None


def _denies(subject: str) -> bool:
    """Whether a subject is nothing or nobody."""
    first = lexicon.WORD.match(subject)
    return first is not None and first[0].lower() in _DENYING_SUBJECTS


def _later_verb(rest: str) -> bool:
    """Whether a finite verb is left for the main clause."""
    found = {word.lower() for word in lexicon.WORD.findall(rest)}
    return bool(_VERB_GROUP.search(rest)) or bool(found & lexicon.THIRD_PERSON)


def _with_modality(subject: str, rest: str) -> Proposition:
    """The proposition of a subject and the rest of its clause, which starts with the verb group."""
    negative = _denies(subject)
    phrase = modal_phrase(rest)
    if phrase is None or phrase.modality is Modality.IS:
        polarity = not _NEGATION.search(" ".join(rest.split()[:4])) and not _NO_OBJECT.match(rest)
        return _built(subject, _expand(rest), Modality.IS, polarity and not negative, "")
    modality, polarity = phrase.force
    following = rest[phrase.end :].lstrip()
    if negative and modality is Modality.MAY:
        modality = Modality.CANNOT
    elif _NEGATION.match(following):
        polarity = False
    built = _built(subject, f"{phrase.verb} {following}", modality, polarity and not negative, _PREFIX[modality])
    exact = phrase.modality
    if modality is Modality.CANNOT or (exact in (Modality.MAY, Modality.MUST) and not built.polarity):
        exact = Modality.NEED_NOT if modality is Modality.MUST else Modality.CANNOT
    return replace(built, exact=exact, modal=rest.split(maxsplit=1)[0].lower())


def _expand(rest: str) -> str:
    """Auxiliaries written out: "'ll be paid" is "will be paid", "isn't" is "is" (polarity says the rest)."""
    rest = _SHORT.sub(lambda found: found["verb"] or _WRITTEN[found["short"]], rest)
    rest = _DENIAL.sub(r"\1", rest)
    first, _, more = rest.partition(" ")
    return more if first in ("do", "does", "did") and more[:1].islower() else rest


def _built(subject: str, verb: str, modality: Modality, polarity: bool, prefix: str) -> Proposition:
    """Take the relation (prefix, auxiliaries, verb, particle, preposition) off ``verb``; the rest is the object."""
    taken: list[str] = [prefix] if prefix else []
    rest = verb.strip().removeprefix("to ") if prefix else verb.strip()
    rest = _LEADING_ADVERBS.sub("", rest, count=1)
    for pattern in (_PERFECT, _BE, _CHAIN, _BE):
        match = pattern.match(rest)
        if match:
            taken.append(match[0].strip())
            rest = _LEADING_ADVERBS.sub("", rest[match.end() :], count=1)
    head = lexicon.WORD.match(rest)
    if head and (taken in ([], [prefix]) or _is_verb(head[0].lower())):
        taken.append(head[0])
        rest = rest[head.end() :].strip()
    for pattern in (_PARTICLE, _PREPOSITION):
        match = pattern.match(rest)
        if match:
            taken.append(match[0].strip())
            rest = rest[match.end() :]
    relation = " ".join(" ".join(taken).lower().split())
    return Proposition(shorten(subject), relation or "is", shorten(rest), modality, polarity)


def _is_verb(word: str) -> bool:
    return word in lexicon.VERB_FORMS or word in lexicon.PARTICIPLES or (word.endswith("ed") and len(word) > 4)


def _imperative(clause: str) -> Proposition | None:
    """ "Send the form", "Do not drive", "Always tell us": a duty of the reader."""
    negative = next((words for words in _FORBIDS if clause.lower().startswith(words)), "")
    rest = clause[len(negative) :].lstrip()
    first = _LETTERS.match(rest)
    if not first or (negative in ("", "never ") and first[0].lower() not in lexicon.IMPERATIVES):
        return None
    after = next(iter(rest[first.end() :].split()), "").lower()
    is_noun = first[0].lower() in lexicon.NOUN_VERBS and after in _AFTER_NOUN | lexicon.THIRD_PERSON
    if named := _NAMED.match(rest):
        is_noun = is_noun or named["verb"] in lexicon.AUXILIARIES or base_of_third_person(named["verb"]) is not None
    is_noun = is_noun or re.match(r"\w+ (?:that|which) (?:is|are|was|were) ", rest) is not None  # "Rent that is late"
    if is_noun or re.match(
        r"\w+ (?!if\b|that\b|who\b|what\b)\w+ (?:must|cannot|may|should) ", rest
    ):  # "Live fish must"
        return None
    if negative:
        return replace(_built("you", rest, Modality.CANNOT, False, "cannot"), exact=Modality.CANNOT)
    return replace(_built("you", rest, Modality.MUST, True, "must"), exact=Modality.MUST)


def _plain_verb(clause: str) -> Proposition | None:
    """ "Payments stop after 28 days", "you get a tenancy": a full verb without auxiliary."""
    tokens = list(lexicon.WORD.finditer(clause))
    words = [token[0].lower() for token in tokens]
    for position, token in enumerate(tokens[:_LONGEST]):
        word, before = words[position], clause[: token.start()].strip()
        if position == 0 or word not in lexicon.VERB_FORMS or word.endswith("ing"):
            continue
        previous, following = words[position - 1], words[position + 1 : position + 2]
        if previous in _BEFORE_NOUN or previous in lexicon.PREPOSITIONS:
            continue
        is_pronoun = previous in lexicon.PRONOUNS
        if is_pronoun and _REDUCED_RELATIVE.match(before) and _later_verb(clause[token.end() :]):
            continue
        if word in lexicon.NOUN_VERB_FORMS and not is_pronoun and following and following[0] in ("of", "and", "or"):
            continue
        if is_pronoun or word in lexicon.THIRD_PERSON or not word.endswith("ed"):
            return _built(before, clause[token.start() :], Modality.IS, not _denies(before), "")
    return None


def shorten(text: str, longest: int = _LONGEST) -> str:
    """At most ``longest`` words, without dangling punctuation or function words at the cut."""
    text = text.strip(" ,;:.-")
    parts = text.split()
    if len(parts) <= longest:
        return text
    parts = parts[:longest]
    while len(parts) > 3 and parts[-1].lower().strip(",;") in _DANGLING:
        parts.pop()
    return " ".join(parts).strip(" ,;:.-(")
