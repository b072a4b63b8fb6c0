"""What a phrase names, so that it can be read without the page: roles for pronouns, whole names for bare heads."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from clausegraph.core.language import words
from clausegraph.core.language.frames import expand
from clausegraph.core.language.normalise import entity_key, singular
from clausegraph.core.language.phrases import without_asides
from clausegraph.core.language.values import TELLING_KINDS, opening_value, value_kind
from clausegraph.core.language.verbs import is_base
from clausegraph.core.language.words import word_set
from clausegraph.core.ontology import policy_ontology
from clausegraph.core.types import Literal, Mention
from clausegraph.ingestion.extract.rules.address import READER, ROLES, Addressee, theirs, uncapitalised

_READER = word_set("you i yourself yourselves")
_SPEAKER = word_set("we us ourselves")
_SINGULAR = word_set("it one")
_PLURAL = word_set("they them")
_NOBODY = word_set(
    "this that these those anyone someone everyone nobody anybody somebody everybody people others one ones"
    " something anything everything"
    " nothing who which what he she him her there here some all both each none either neither another other most many"
    " few several following more less others rest lot example examples things thing way ways number kind type"
    " yes no not only such same now online today step"
)
_OPEN = word_set("following there it they we you this i he she")
_POINTING = word_set("this these those")
_PRONOUNS = _READER | _SPEAKER | _SINGULAR | _PLURAL
_UNNAMED = re.compile(
    r"(?:how|what|which|who|where|when|why|whether|if|once|after|before|from|to)\b"
    r"|no (?:more|less|fewer) |more than |only one of|examples? of\b",
    re.IGNORECASE,
)
_DETERMINERS = word_set("a an the your our their his her its my this these those that any every each no own")
# Nouns that need no page to be understood; any other that stands alone is completed by the topic.
_QUANTIFYING = word_set("over under up about around above below near inside outside past")  # may open a name
_STANDING = word_set(
    "tax vat rent wage salary income passport visa money pension council court tribunal police hmrc dvla government"
    " parliament university college school bank embassy hospital doctor gp solicitor barrister accountant dentist"
    " england scotland wales uk eu ireland britain crown interest inheritance savings property cash cheque bacs chaps"
    " alcohol tobacco petrol diesel food clothing electricity gas water fishing tree animal dog vehicle car ship"
    " school job home house holiday pregnancy marriage divorce race sex age disability religion asbestos"
    " mediation redundancy bereavement adoption sickness illness injury death dismissal discrimination harassment"
    " payslip payroll paye post phone telephone email letter cash text fax staff internet spain france"
    " prison euthanasia online mortgage wine beer cider spirits cigarettes"
)
_NAMES_NOTHING = _OPEN | (words.PREPOSITIONS - _QUANTIFYING)
_NOBODY_ALONE = _NOBODY | _DETERMINERS
_NEEDS_NO_PAGE = ROLES | _STANDING
_FOR_WHAT = re.compile(r"(?P<name>[A-Z][\w'’-]*(?: [A-Z][\w'’-]*){1,3}) (?:for|in|on|from|to|if|when) ")
_FROM_WHAT = re.compile(r"\s+(?:of|after|before|from|following)\s")
_HEAD_BREAK = re.compile(r"\b(?:who|which|that|of|for|from|with|in|on|at|to|as|by|about|under|within|during)\b")


@dataclass(frozen=True, slots=True)
class Scene:
    """What a sentence is read against: whom the page addresses, the headings above, and what was named before."""

    address: Addressee
    headings: tuple[str, ...] = ()
    last: Mention | None = None

    @property
    def topic(self) -> Mention:
        """What the page is about, by its title."""
        return Mention(self.address.title, entity_key(self.address.title) or self.address.title, "topic")

    @property
    def reader(self) -> Mention:
        """Whom the section addresses."""
        return reader_mention(self.address.reader(self.headings))

    @property
    def granted(self) -> Mention | None:
        """What the section grants: what its heading names, else the page, if its reader asks for that."""
        for heading in reversed(self.headings):
            how = re.match(
                r"(?:how to|when you can|who can) (?:get|claim|apply for) (?P<what>(?:the |a )?\w+ \w+.*)$",
                heading,
                re.IGNORECASE,
            )
            if how:
                return resolve(how["what"], self)
            if len(heading.split()) > 1 and all(word[:1].isupper() for word in heading.split() if word.isalpha()):
                return Mention(heading, entity_key(heading), mention_type(heading))
        role = self.address.reader(())
        if not role.startswith("applicant for "):
            return None
        name = role.removeprefix("applicant for ")
        return Mention(name, entity_key(name), mention_type(name))

    @property
    def section(self) -> Mention:
        """The section the sentence stands in, named with its page."""
        heading = next((found for found in reversed(self.headings) if found != self.address.title), None)
        if heading is None:
            return Mention(self.address.title, self.topic.key, "topic")
        surface = f"{heading} ({topic_name(self.address.title)})"
        return Mention(surface, entity_key(surface), "section")


def reader_mention(role: str) -> Mention:
    """Whom the page addresses, as a mention."""
    return Mention(role, entity_key(role), READER)


@lru_cache(maxsize=1024)
def topic_name(title: str) -> str:
    """A title as it stands in brackets: the name in its own brackets, else without them."""
    inner = re.search(r"\(([^()]{6,})\)$", title)
    bare = re.sub(r"\s*\([^()]*\)", "", title).strip()
    return inner[1] if inner and inner[1][:1].isupper() and " " in inner[1] else bare or title


def resolve(phrase: str, scene: Scene) -> Mention | None:
    """What a noun phrase names; none where that cannot be said without the page."""
    text = without_asides(expand(phrase).strip(" \"'"))
    if not text:
        return None
    if text not in ("US", "IT") and text.lower() in _PRONOUNS:
        named = _pronoun(text.lower(), scene)
        return replace(named, written=text.lower()) if named is not None else None
    tokens = _bare(text)
    if _is_unnamed(text, [token.lower() for token in tokens]):
        return None
    said = " ".join(tokens)
    generic = tokens == text.split() and len(tokens) == 1 and singular(tokens[0].lower()) != tokens[0].lower()
    words_of = " ".join(theirs(tokens))
    surface = words_of if generic else _completed(words_of, scene)  # "hens" are any; "the hens" are those of the page
    if text.split()[0].lower() in _POINTING and (surface == said or surface.endswith(")")) and surface[:1].islower():
        return None  # "this money": what was told before
    return Mention(surface, entity_key(surface), mention_type(surface), said if said != surface else "")


def _is_unnamed(text: str, lower: list[str]) -> bool:
    """Whether a phrase names nothing by itself: a clause, a setting, what only points."""
    if lower[0] in _NAMES_NOTHING or _UNNAMED.match(text):
        return True
    alone = len(lower) == 1 and lower[0] in _NOBODY_ALONE
    return alone or not _POINTING.isdisjoint(lower[1:])


def _pronoun(lowered: str, scene: Scene) -> Mention | None:
    """What a pronoun stands for."""
    if lowered in _READER:
        return scene.reader
    if lowered in _SPEAKER:
        return Mention(scene.address.speaker, entity_key(scene.address.speaker), "organisation")
    return scene.last if scene.last is not None and antecedent(lowered, scene.last) else None


def _bare(text: str) -> list[str]:
    """The words of a phrase without its determiners."""
    tokens = text.split()
    if len(tokens) == 1 and re.fullmatch(r"[A-Z][a-z]{2,}[^s\W]s", text):
        return [text.lower()]  # a plural that opens its sentence
    while len(tokens) > 1 and tokens[0].lower() in _DETERMINERS:
        tokens = tokens[1:]
    return tokens


def resolve_object(phrase: str, scene: Scene, *, property_of: bool = False) -> Mention | Literal | None:
    """A value, or what the phrase names; ``property_of``: what something "is" may be an adjective."""
    kind = value_kind(phrase)
    if kind in TELLING_KINDS or (kind == "number" and len(phrase.split()) == 1):
        return Literal(phrase.strip(), kind or "text")
    counted = opening_value(phrase)
    if counted is not None and counted.kind == "duration" and _FROM_WHAT.match(phrase, counted.end):
        return Literal(phrase.strip(), "duration")  # "28 days of the site meeting"
    if counted is not None and "whichever" in phrase:
        return Literal(phrase.strip(), counted.kind)
    first = phrase.split(maxsplit=1)[0].lower()
    if property_of and first not in words.DETERMINERS and len(phrase.split()) <= 4:
        return Literal(" ".join(theirs(expand(phrase).split())), "text")
    return resolve(phrase, scene)


def antecedent(pronoun: str, named: Mention) -> bool:
    """Whether a pronoun can stand for what was named: it fits in number; nobody is "it"."""
    if named.type in (READER, "topic"):
        return False
    if named.type in ("person", "organisation"):
        return pronoun in _PLURAL
    head = named.surface.split(" (")[0].split()[-1].lower()
    return (singular(head) != head or head in ("people", "children", "police")) is (pronoun in _PLURAL)


def _completed(surface: str, scene: Scene) -> str:
    """A bare head as the page means it: "the loan" on "Master's Loan" is that, "fees" on "Planning permission" are
    "fees (Planning permission)"."""
    tokens = surface.split()
    head = singular(tokens[-1].lower())
    if (
        len(tokens) > 1
        or not surface.islower()
        or head in _NEEDS_NO_PAGE
        or any(c.isdigit() or c in "@." for c in surface)
    ):
        return surface
    for heading in (*reversed(scene.headings), scene.address.title):
        name = topic_name(heading).split(": ")[0]
        named = _FOR_WHAT.match(name)  # "Study Grant for further and higher education"
        if named and singular(named["name"].split()[-1].lower()) == head:
            return named["name"]
        if (
            singular(name.split()[-1].lower()) == head
            and 1 < len(name.split()) <= 5
            and not (_is_done(name) or re.search(r"\b(?:and|or)\b", name))
            and not re.match(
                r"(?:if|when|how|what|who|where|your|you|apply|get|claim|check|report|pay|make|use|other)\b"
                r"|(?-i:[A-Z]?[a-z]+ing [a-z])",
                name,
                re.IGNORECASE,
            )
        ):
            found = re.sub(r"^(?:the|an?)\s+", "", name, flags=re.IGNORECASE)
            return found if found[:1].isupper() and found.split()[1][:1].isupper() else uncapitalised(found)
    return f"{surface} ({topic_name(scene.address.title)})"


def _is_done(heading: str) -> bool:
    """Whether a heading says what to do: "Negotiate an agreement" is no name of an agreement."""
    first, second = heading.lower().split()[:2]
    return is_base(first) and (second in words.DETERMINERS or first not in words.NOUN_VERBS)


@lru_cache(maxsize=4096)
def mention_type(surface: str) -> str:
    """The type of the shipped ontology that a name has."""
    return policy_ontology().type_of(surface)
