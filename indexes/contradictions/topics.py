"""What a text is about, as words that two texts can share: stems, with one word for those of one meaning."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from Stemmer import Stemmer

from clausegraph.core.language.lexicon import (
    BASE_VERBS,
    MONTHS,
    NOUN_VERBS,
    NUMBERS,
    PREPOSITIONS,
    PRONOUNS,
    base_form,
    word_set,
)
from clausegraph.core.language.normalise import lemma, singular, tokens
from clausegraph.core.language.propositions import split_proposition

Roots = frozenset[str]

_EMPTY = word_set(  # and measures, which values have
    "a an the this that these those any all each every some no not never you your yours you're you'll you've their "
    "they them they're it its it's his her he she we our us i my me who whom whose which what there here then is are "
    "am be been being was were will would shall do does did done don't doesn't won't can could cannot can't may "
    "might must mustn't should has have had having need needs needed needn't if when while where as so also still "
    "already and or but than to of in on at by for from with into about until within after before during since upon "
    "per via up out only just again however otherwise unless except once people person anyone someone everyone one "
    "ones day days week weeks month months year years yearly annual annually weekly monthly daily hourly hour hours "
    "minute minutes calendar working consecutive old age aged least most more less fewer over under above below "
    "older younger quarter quarterly fortnight fortnightly pound pounds p pence half am pm noon midday midnight "
    "twice times million billion percent cent third thirds exceed exceeding later earlier next total around "
    "permitted back " + " ".join((*NUMBERS, *MONTHS))
)
_PAGES = word_set(
    "guide guidance guidelines leaflet handbook booklet help information overview introduction news rate rates fee fees"
    " charge charges price prices change changes rule rules policy apply applying get getting claim claiming use using"
    " check find out how much what who can cost costs work works page pages form forms explained basics summary update"
    " updates do step steps notes note eligibility deadline deadlines faq questions faqs answers conditions terms"
)
# Words in their base forms that rules use for one thing, which is told by the first of them.
_ALIKE = """
get receive give take make provide have allow entitle entitlement eligible eligibility qualify able usual usually
normal normally new standard worth write currently automatically want wish choose service scheme accompany accompanied
reach turn complete do carry require required necessary optional compulsory mandatory entitled allowed permitted
prohibit prohibited forbid forbidden ban banned threshold ceiling obtain issue offer carry prior advance
own self extra additional further simply individual somebody anybody everybody run | pay paid payment payable cost fee
charge price rate amount repay repayment sum surcharge tariff contribute contribution |
apply application applicant claim claimant request |
last valid validity stay remain continue keep expire expiry period time date deadline long close closing due retain
length duration lapse | discount reduce reduction reduced cheaper | tell inform notify notification report contact |
employee staff worker colleague | job employment | employer company firm | start begin commence | refuse reject refusal
rejection | send submit hand lodge deliver | buy purchase | house home property | flat apartment | car vehicle | bike
bicycle cycle | child kid | pupil student learner | attend come | income earn earnings salary wage | fix repair mend |
sick ill illness sickness | exam examination | waste rubbish | help support assistance | borrow lend loan | die death |
proof evidence | phone telephone call ring | online internet website | fine penalty | post mail | permission consent
approval authorisation | household family | rent rental let letting lease hire | enter entry access | destroy delete
erase | swap exchange | refund reimburse reimbursement | end cancel cancellation terminate termination cease stop |
collect collection pickup empty | doctor gp | trip journey | holiday leave vacation | guest visitor | complaint
grievance | manager supervisor | luggage baggage | parcel package | trader vendor seller | savings capital | contract
agreement | photo photograph picture | licence license | book booking reserve reservation | probation probationary |
dismiss dismissal sack | resign resignation | join enrol enrolment | reply respond response answer | late overdue
lateness | lose missing | fit install | renew renewal | check inspect inspection | certify certificate certification |
building premises | tenant renter | member membership |
register registration | arrive arrival | spend spent
"""
_FIRST = {word: row.split()[0] for row in _ALIKE.split("|") for word in row.split()}
_LABEL = re.compile(r"\b(?:band|zone|group|class|category|level|tier|grade|stage|schedule|type|part)s? ([A-Z]|\d+)\b")
CLAUSE = "*"  # behind a preposition that opens a clause: "before you"
_PARTS = re.compile(r"\s*(?:[:|–—]|\s-\s)\s*")
_NARROWED = re.compile(r"\s(?:who|whose|aged|under|over|living|with|without|in|of|from|on|at|for)\s")
_READERS = word_set(  # whom a page speaks to as "you"
    "employee staff worker tenant applicant claimant customer member visitor resident user holder carer volunteer"
    " driver student parent patient passenger traveller apprentice borrower trader household family landlord employer"
    " owner occupier worker candidate participant council company school university college landlady"
)
_stemmer = functools.cache(lambda: Stemmer("english"))


@functools.lru_cache(maxsize=65536)
def _root(word: str) -> str:
    """The stem of a word, or of the one that it is taken for."""
    return str(_stemmer().stemWord(_FIRST.get(word) or _FIRST.get(lemma(word), word)))


@functools.lru_cache(maxsize=16384)
def roots(text: str) -> Roots:
    """The stems of the content words of a text, without numbers and measures but with labels ("band 2")."""
    stems = (_root(word) for word in _words(text) if word not in _EMPTY and word and not any(map(str.isdigit, word)))
    labels = (f"<{found[1]}>" for found in _LABEL.finditer(text))
    return frozenset((*stems, *labels))


def _words(text: str) -> list[str]:
    """The words of a text without their possessives; compounds in their parts ("half-price"), but for "part-time"."""
    parts = (part for word in tokens(text) for part in ([word] if word.endswith("-time") else word.split("-")))
    return [part.removesuffix("'s").removesuffix("'") for part in parts]


@dataclass(frozen=True, slots=True)
class Place:
    """Where a root stands: behind which preposition or root, before which root, and right beside which roots."""

    root: str
    before: str
    after: str
    beside: Roots


@dataclass(frozen=True, slots=True)
class RuleClause:
    """Who acts in a text: the roots of its subject, the person whom that names ("new employees"), of its main
    and of all verbs, and the places of its roots."""

    subject: Roots
    person: Roots
    relation: Roots
    verbs: Roots
    places: tuple[Place, ...]


@functools.lru_cache(maxsize=8192)
def read_clause(text: str) -> RuleClause:
    """The clause that a text begins with."""
    parts = split_proposition(text)
    subject = _NARROWED.split(parts.subject.lower())[0]
    person = {singular(subject.split(" ")[-1])} & _READERS
    words = _words(text)
    acts = (word for word in words if word.endswith(("ed", "ing")) and base_form(word))
    relation = roots(parts.relation)
    return RuleClause(roots(subject), of_meaning(person), relation, relation | of_meaning(acts), tuple(_places(words)))


def _places(words: list[str]) -> Iterator[Place]:
    found = [min(roots(word), default="") for word in words]
    for at, root in enumerate(found):
        if root:
            behind = (
                found[n] or words[n] + CLAUSE * (words[n + 1] in PRONOUNS)
                for n in range(at - 1, -1, -1)
                if found[n] or words[n] in PREPOSITIONS or words[n].isdigit()
            )
            ahead = (found[n] for n in range(at + 1, len(found)) if found[n])
            beside = {*found[max(0, at - 1) : at], *found[at + 1 : at + 2]} - {""}
            yield Place(
                root, ("#" if (before := next(behind, "")).isdigit() else before), next(ahead, ""), frozenset(beside)
            )


def topic(title: str) -> Roots:
    """What a page or section is about: its title without words that are about pages and asking.

    Only the first part of "Carer Payment: leaflet" counts, unless nothing is left of it.
    """
    for part in [*_PARTS.split(title.strip()), title]:
        if found := roots(" ".join(word for word in tokens(part) if word not in _PAGES)):
            return found
    return frozenset()


def of_meaning(words: Iterable[str]) -> Roots:
    """The words as they stand among those of :func:`roots`."""
    return frozenset(map(_root, words))


VERBS = of_meaning(BASE_VERBS - NOUN_VERBS)
PLAIN = of_meaning({"get"})
LIGHT = {  # what says nothing beside a value of a kind
    kind: of_meaning({"get", word})
    for kind, word in (("amount", "pay"), ("percent", "pay"), ("age", "apply"), ("duration", "last"), ("date", "last"))
}
FREE = of_meaning({"free", "charge"})
BOUNDS = of_meaning({"minimum", "maximum", "lowest", "highest"})
COMMON = of_meaning(  # what many rules have in common that are not about one thing
    word_set(
        "pay apply last tell send appeal decision reply notice letter form day complain complaint meeting return"
        " register use need ask check start end change"
    )
)
USUAL = COMMON | of_meaning(_FIRST.values())
PERSONS = of_meaning(_READERS)
