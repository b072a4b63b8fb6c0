"""What texts name: proper names and noun phrases, roles for "you", whole names for bare heads."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from clausegraph.core.language import lexicon
from clausegraph.core.language.address import READER, ROLES, Addressee, is_role, theirs, uncapitalised
from clausegraph.core.language.lexicon import WordTable, base_form, base_of_third_person, word_set
from clausegraph.core.language.normalise import entity_key, expand, plain, singular
from clausegraph.core.ontology import policy_ontology
from clausegraph.core.types import Mention

_TABLE = WordTable(__file__)

_WORD = re.compile(r"\([A-Z][A-Za-z0-9&/-]{1,9}\)|[A-Za-z][\w&/'-]*|[£$€]?\d[\d,.]*%?|[^\s\w]")
_CAPITALS = _TABLE.pattern("capitals")
_OPENS = lexicon.word_set("the a an your their his her its our my any each every another no")
_STOPS = lexicon.FUNCTION_WORDS | _TABLE.words("stops")
_HEADS = _TABLE.words("heads") | {*lexicon.MONTHS, *lexicon.WEEKDAYS, *lexicon.NUMBERS}
_LONGEST = 5
_NEAR = 60  # characters around a proper name that are looked at
_NO_PART = _STOPS | lexicon.CONTRACTED
_OPENS_SENTENCE = _STOPS | _OPENS | _HEADS | lexicon.IMPERATIVES
_AFTER_VERB = lexicon.DETERMINERS | lexicon.PRONOUNS | {"to"}
LONGEST_NAME = 7  # words of a phrase that names one thing
_DETERMINERS = word_set("a an the your our their his her its my any each every no")
_BODIES = word_set("council court tribunal university college government police")
_SOMEBODY = _BODIES | ROLES - word_set("person people adult staff agent holder dependant member")
_KINDS_OF_WORKER = word_set("social care key support case youth health outreach")
_GIVES = {form for base in ("give", "send", "offer", "show", "tell", "ask") for form in lexicon.forms(base)}
# What no short name has: it would be a clause, or lean on the text before it.
_IN_NO_NAME = (
    lexicon.AUXILIARIES | lexicon.PRONOUNS | lexicon.CONTRACTED | lexicon.RELATIVES | _TABLE.words("in_no_name")
) - {"need", "needs", "can", "will", "may", "one", "both", "either"}
_NEVER_LAST = word_set("online down back yourself themselves voluntarily")  # they say how something is done
_DANGLING = lexicon.PREPOSITIONS | lexicon.DETERMINERS | word_set("and or but to")
_STANDING = _TABLE.words("standing")


def _proper(text: str) -> list[str]:
    """Runs of capitalised words: several anywhere, or one inside a sentence that is not its first word."""
    found: list[str] = []
    for match in _CAPITALS.finditer(text):
        start, end = match.span()
        run, rest = match[0].split() if match[0][0] != "(" else [], text[end : end + _NEAR]
        opens = text[max(start - _NEAR, 0) : start].rstrip()[-1:] in ("", *".!?:;|")
        if run and opens and run[0].lower() in _OPENS_SENTENCE:
            run = run[1:]
        if run and run[-1].lower() in _HEADS:
            run = run[:-1] if len(run) > 2 else []
        ages = re.search(r"(?<!\S)\d{1,3}(?: to |-)\d{1,3} $", text[max(start - _NEAR, 0) : start])
        if run and ages:  # "16 to 19 Bursary Fund"
            run = [*ages[0].split(), *run]
        if " and " in " ".join(run) and re.search(r"[A-Z]\w+, $", text[:start]):
            run = []  # the end of "Foreign, Commonwealth and Development Office"
        number = re.match(r" (\d{1,4})(?![\w,.%])" if run and run[-1].isupper() else r" (\d{1,2})(?![\w,.%])", rest)
        if run and number:  # "Plan 2"
            run = [*run, number[1]]
        if len(run) == 1 and (not opens or run[0].isupper()):
            following = _WORD.findall(rest)[:2]
            if re.match(r", [A-Z]", rest):  # the first part of "Advisory, Conciliation and Arbitration Service"
                run = []
            elif rest[:1] == " " and _is_part([*following, "", ""], 0, -1) and not base_of_third_person(following[0]):
                run = [*run, following[0]]  # "VAT refund"
        alone = run and (not opens or (run[0].isupper() and len(run[0]) > 2))
        if (alone or len(run) > 1) and len(run) <= 8:
            found.append(" ".join(run))
    return found


def _determined(tokens: list[str]) -> list[str]:
    """The phrases of several words that stand after a determiner, up to the next word that is no part of a name."""
    found: list[str] = []
    for i, token in enumerate(tokens):
        if token.lower() not in _OPENS:
            continue
        end = i + 1
        while end < len(tokens) and end - i <= _LONGEST + 1 and _is_part(tokens, end, i + 1):
            end += 1
        gives = i > 0 and tokens[i - 1].lower() in _GIVES and is_role(tokens[i + 1])  # "give your employer notice"
        several = 1 < end - i - 1 <= _LONGEST or (end == i + 2 and tokens[i + 1].isupper())  # "the UK"
        if several and not gives:
            found.append(" ".join(tokens[i + 1 : end]))
    return found


def _is_part(tokens: list[str], at: int, first: int) -> bool:
    """Whether a word goes on with a noun phrase."""
    token, lowered = tokens[at], tokens[at].lower()
    if lowered in _NO_PART or not token[:1].isalpha():
        return False
    if at == first:
        return True
    verb = base_form(lowered) is not None and mention_type(lowered) == "thing"
    if verb and lowered not in lexicon.NOUN_VERB_FORMS:
        return False
    following = tokens[at + 1].lower() if at + 1 < len(tokens) else ""
    return not (base_of_third_person(lowered) and following in _AFTER_VERB)


@dataclass(frozen=True, slots=True)
class Scene:
    """What a sentence is read against: whom the page addresses, and the headings above."""

    address: Addressee
    headings: tuple[str, ...] = ()

    @property
    def topic(self) -> Mention:
        """What the page is about, by its title."""
        return Mention(self.address.title, entity_key(self.address.title) or self.address.title, "topic")

    @property
    def reader(self) -> Mention:
        """Whom the section addresses."""
        role = self.address.reader(self.headings)
        return Mention(role, entity_key(role), READER, "you")

    @property
    def person(self) -> Mention | None:
        """The person that "you" is: one that other pages name, too ("tenant"), or who asks for what the page is about;
        none where the page does not say whom it is for."""
        role = self.address.reader(self.headings)
        words = role.split()
        if is_role(role) and len(words) <= _LONGEST and {"and", "or", "person", "applicant"}.isdisjoint(words[:-1]):
            return Mention(role, entity_key(role), "person", "you")
        surface = f"{scheme_name(self.address.title).surface} applicant"
        applies = role.startswith("applicant for ") and _DETERMINERS.isdisjoint(surface.split())
        return Mention(surface, entity_key(surface), "person", "you") if applies else None

    @property
    def granted(self) -> Mention | None:
        """What the section grants: what its heading names, else the page, if its reader applies for that."""
        for heading in reversed(self.headings):
            how = re.match(
                r"(?:how to|when you can|who can) (?:get|claim|apply for) (?P<what>(?:the |a )?\w+ \w+.*)$",
                heading,
                re.IGNORECASE,
            )
            if how:
                return resolve(how["what"], self)
        role = self.address.reader(())
        return named(role.removeprefix("applicant for ")) if role.startswith("applicant for ") else None

    @property
    def heading(self) -> str:
        """The innermost heading that is not the title; "" without one."""
        return next((one for one in reversed(self.headings) if one != self.address.title), "")

    @property
    def section(self) -> Mention:
        """The section the sentence stands in, named with its page."""
        heading = self.heading
        return named(f"{heading} ({topic_name(self.address.title)})", "section") if heading else self.topic


def named(surface: str, kind: str = "", written: str = "") -> Mention:
    """A mention of this name; its type is that of the shipped ontology unless ``kind`` says another."""
    return Mention(surface, entity_key(surface), kind or mention_type(surface), written)


@lru_cache(maxsize=1024)
def topic_name(title: str) -> str:
    """A title as it stands in brackets: the name in its own brackets, else without them."""
    inner = re.search(r"\(([^()]{6,})\)$", title)
    bare = re.sub(r"\s*\([^()]*\)", "", title).strip()
    return inner[1] if inner and inner[1][:1].isupper() and " " in inner[1] else bare or title


@lru_cache(maxsize=1024)
def scheme_name(title: str) -> Mention:
    """What a page is about, named as other pages name it: "Apply for a council home" is about "council home", "Study
    Grant for further education" about "Study Grant"."""
    name = topic_name(title).split(": ")[0].split(" if you")[0].removeprefix("Your ")
    act = _ACT.match(name)
    first = act["verb"].lower() if act else ""
    acts = lexicon.is_base(first) or lexicon.base_of_gerund(first)
    names_it = act and (act["what"] or (acts and first.endswith("ing") and name[act.end()].isupper()))
    if act and (first in _ASKING or (acts and names_it)):
        words = re.split(r" (?:as an?|when you|out of) ", name[act.end() :], maxsplit=1)[0].split()
        while len(words) > 1 and words[0].lower() in lexicon.PREPOSITIONS | _DETERMINERS:
            words = words[1:]
        words = (
            words[:-1] if words[1:] and words[-1] == "bill" and words[0].istitle() else words
        )  # "Corporation Tax bill"
        several = len(words) > 1 or (act["what"] or "").startswith("as ")  # "Volunteer as a coastguard"
        name = " ".join(words) if several and is_name(" ".join(words)) else name
    whole = _CALLED.match(f"{name} ")
    name = whole["name"].strip() if whole else name
    return Mention(name, entity_key(name) or name, "topic")


_ASKING = word_set("apply get claim request receive register renew order become")
_ACT = re.compile(
    r"(?P<verb>[A-Z][a-z]+) (?P<what>as an? |(?:(?:out|up|in|off) )?(?:an?|the|your) |(?:up|out) )?(?=\S)"
)
_CALLED = re.compile(r"(?P<name>(?:[A-Z][\w'’-]*\s){2,4})(?:for|in|on|from|to|if|when) ")


def entities_named(text: str, most: int) -> list[Mention]:
    """What a text names that other pages may name as well, each once: proper names without their brackets, and phrases
    of several words whose last one has a type ("decision letter")."""
    found: dict[str, Mention] = {}
    said = plain(text)
    proper = _proper(said)
    inside = " | ".join(proper)
    phrases = (phrase for phrase in _determined(_WORD.findall(said)) if phrase not in inside)
    for phrase in list(dict.fromkeys([*proper, *phrases]))[:most]:
        owner, _, owned = plain(phrase).partition("'s ")
        name = topic_name((owner if owned[:1].islower() else phrase).partition(" (")[0])
        words = name.split()
        while len(words) > 1 and (words[0] in lexicon.PREPOSITIONS or words[0].lower() in _DETERMINERS):
            words = words[1:]
        if len(words) > 1 and words[0].isupper() and words[-1].islower() and mention_type(words[-1]) == "thing":
            words = words[:-1]  # "ORS counter"
        capitals = sum(word[:1].isupper() for word in words)
        while capitals > 1 and words[-1][:1].islower():  # "Home Office team"
            words = words[:-1]
        name = " ".join(words).strip("'\" ")
        numbered = len(words) > 1 and len(words[-1]) < 3 and not words[-1].islower()  # "Band A", "Box 4"
        opening = words[-1] if name[:1].isdigit() else name  # "16 to 19 Bursary Fund"
        capital = opening[:1].isupper() and (len(words) > 1 or name[1:].isupper()) and not numbered
        typed = len(words) in (2, 3) and name.islower() and mention_type(words[-1]) != "thing" and words[-1] != "pays"
        if name in lexicon.PLACES:
            found.setdefault(name, named(name, "place"))
        elif capital or (typed and not _verbal(words) and singular(words[-1]) not in ROLES | _BODIES):
            found.setdefault(name, named(name))
    return list(found.values())


def somebody_named(text: str) -> list[Mention]:
    """The persons and bodies that a text names by a common word, each once; none of "visitor permit"."""
    tokens = _WORD.findall(plain(text))
    found: dict[str, Mention] = {}
    for at, token in enumerate(tokens):
        word = singular(token.lower().removesuffix("'s").removesuffix("s'"))
        before, following = ["", "", *tokens[:at]][-2:], tokens[at + 1 : at + 2]
        opens = before[1] in ("", ".", ":", ";", "!", "?") and following and following[0].islower()
        if word not in _SOMEBODY or not (token.islower() or opens):
            continue
        gives = before[0].lower() in _GIVES and before[1].lower() in _OPENS
        acts = following and following[0] in lexicon.VERB_FORMS and following[0].endswith("s")  # "your landlord moves"
        if word == "worker" and before[1].lower() in _KINDS_OF_WORKER:  # half a name: "social worker"
            continue
        if gives or acts or word != token.lower() or not following or not _is_part([*tokens, ""], at + 1, at):
            found.setdefault(word, named(word, "organisation" if word in _BODIES else "person"))
    return list(found.values())


def _verbal(words: Sequence[str]) -> bool:
    """Whether words before the last are no part of a name: a verb form or an adverb."""
    return any(word.endswith("ly") or word in lexicon.THIRD_PERSON or word in _NO_PART for word in words[:-1])


def is_name(phrase: str) -> bool:
    """Whether a phrase is short and reads as one thing: no clause, no pronoun, nothing dangling."""
    lower = phrase.lower().split()
    return (
        0 < len(lower) <= LONGEST_NAME
        and not re.search(r"[,;:?!\"]", phrase)
        and _IN_NO_NAME.isdisjoint(lower)
        and lower[0] not in _DANGLING - _DETERMINERS
        and lower[-1] not in _DANGLING | _NEVER_LAST
        and not lower[-1].endswith("ly")
    )


def resolve(phrase: str, scene: Scene) -> Mention | None:
    """What a noun phrase names; none where that cannot be said without the page."""
    text = expand(phrase).strip(" \"'.,;:")
    if text.lower() == "you":
        return scene.reader
    tokens = text.split()
    while len(tokens) > 1 and tokens[0].lower() in _DETERMINERS:
        tokens = tokens[1:]
    generic = tokens == text.split() and len(tokens) == 1 and singular(text.lower()) != text.lower()
    if generic and text[1:].islower():
        tokens = [text.lower()]  # a plural that opens its sentence
    said = " ".join(tokens)
    if not is_name(said) or tokens[0].lower() in lexicon.PREPOSITIONS:
        return None
    words_of = " ".join(theirs(tokens))
    surface = words_of if generic else _completed(words_of, scene)  # "hens" are any; "the hens" are those of the page
    return named(surface, written=said if said != surface else "")


def _completed(surface: str, scene: Scene) -> str:
    """A bare head as the page means it: "the loan" on "Master's Loan" is that, "fees" on "Planning permission" are
    "fees (Planning permission)"."""
    tokens = surface.split()
    head = singular(tokens[-1].lower())
    if len(tokens) > 1 or not surface.islower() or head in ROLES | _STANDING or re.search(r"[\d@.]", surface):
        return surface
    for heading in (*reversed(scene.headings), scene.address.title):
        name = topic_name(heading).split(": ")[0]
        parts = name.split()
        named_so = 1 < len(parts) <= 5 and all(word[:1].isupper() or word in ("of", "for") for word in parts)
        if named_so and singular(parts[-1].lower()) == head:
            return uncapitalised(re.sub(r"^(?:The|An?) ", "", name))
        whole = _CALLED.match(f"{name} ")
        if whole and singular(whole["name"].split()[-1].lower()) == head:
            return whole["name"].strip()  # "Study Grant for further and higher education"
    return f"{surface} ({topic_name(scene.address.title)})"


@lru_cache(maxsize=4096)
def mention_type(surface: str) -> str:
    """The type of the shipped ontology that a name has."""
    return policy_ontology().type_of(surface)
