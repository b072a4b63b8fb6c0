"""Whom a page addresses: what "you" stands for in a section.

From the title the role of the whole page ("applicant for Housing Benefit", "agency worker", "person paying their
Corporation Tax bill"), from a heading that of its section ("When you're an agency worker").
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache

from clausegraph.core.language import lexicon
from clausegraph.core.language.lexicon import (
    NOUNS_IN_ING,
    base_of_gerund,
    gerund,
    is_base,
    phrases,
    third_person,
    word_set,
)
from clausegraph.core.language.normalise import expand, singular

READER = "role"  # type of a mention that stands for "you"
ROLES = word_set(
    "employee employer worker tenant landlord applicant claimant carer student driver executor director owner resident"
    " citizen apprentice member customer parent mother father relative guardian attorney deputy trustee charity casc"
    " business company trader instructor volunteer patient pensioner refugee partner spouse husband wife child person"
    " people contractor supplier seller buyer agent adviser donor keeper farmer leaseholder homeowner lodger visitor"
    " traveller passenger sponsor taxpayer freelancer accountant solicitor shareholder adopter nominee dependant holder"
    " club widow widower veteran teacher nurse doctor councillor seafarer teenager adult staff manager worker"
)
# What a page is about that people ask for.
_ASKED_FOR = phrases(
    "payments?|allowances?|benefits?|loans?|grants?|pensions?|credits?|reliefs?|supplement|bursary|leave|pay"
    "|permission|licen[cs]es?|permits?|passport|visa|certificate|support|funding|refund|help|registration"
    "|award"
)
_AS_ROLE = re.compile(
    r"\b(?:as|you're|you are|become|becoming)\s+(?:an?|the)\s+(?P<role>[\w' -]+?)"
    r"(?=[,.:;()]|\s+(?:and|or|who|in|on|at|with|under|for|from|if|when|you|but)\b|$)",
    re.IGNORECASE,
)
_ROLE_FIRST = re.compile(
    r"^(?P<role>[\w' -]+?)(?:s'|'s|s)?(?::|'\s|\s)\s*(?:your\s)?(?:rights?|duties|responsibilities)$", re.IGNORECASE
)
_RULES_FOR = re.compile(  # "Rules for traders"
    r"(?:rules|duties|advice|guidance|help|information|responsibilities|rights)?\s?for\s(?P<role>[\w' -]+)",
    re.IGNORECASE,
)
_OPPOSITES = {
    "landlord": "tenant",
    "tenant": "landlord",
    "employer": "employee",
    "employee": "employer",
    "staff": "employer",
}
_YOUR = re.compile(rf"\byour\s(?P<whom>(?:{'|'.join(_OPPOSITES)})s?)\b", re.IGNORECASE)
_UNTOLD = "person dealing with"  # of a page whose title says of no side whom it is for
_TITLE_ROLES = (  # in this order
    re.compile(r"^(?P<role>[\w ]+)'s\s"),  # "Director's loans"
    re.compile(r"\bas an? (?P<role>\w+ or (?:an? )?\w+)$"),
    _AS_ROLE,
    re.compile(r"^(?P<role>[\w ]+):\s"),  # "Deputies: manage an account"
    re.compile(r"\b(?:for|to)\s+(?P<role>[\w-]+(?:\s[\w-]+)?)$", re.IGNORECASE),
    re.compile(r"^(?P<role>[\w-]+(?:\s[\w-]+)?)\s(?:suspension|disqualification|dismissal|removal|retirement)\b", re.I),
)
_NO_ROLE_BEGINS = lexicon.PREPOSITIONS | lexicon.DETERMINERS - {"your"} | {"and"}
_ON_WHAT = re.compile(
    r"[\w ]*?\btax on (?P<what>.+) you (?P<verb>[a-z]+)$", re.IGNORECASE
)  # "Tax on shares you inherit"
_MODALS = word_set("can cannot could may might must should will would shall do did need")
_AFTER_VERBS = word_set("as against to land someone of out up")  # what makes of a noun that opens a title a verb
_THEIRS = {"your": "their", "yourself": "themselves", "yours": "theirs", "you": "they", "our": "the publisher's"}
_AFTER_THEM = lexicon.PREPOSITIONS | lexicon.DETERMINERS | {"and", "or"}


def singular_phrase(phrase: str) -> str:
    """The last word in the singular: "foster parents" is "foster parent"."""
    *before, last = phrase.split()
    return " ".join([*before, singular(last)])


def is_role(phrase: str) -> bool:
    """Whether a phrase names a kind of person or body: its last word does."""
    last = phrase.lower().split()[-1:] or [""]
    return singular(last[0]) in ROLES


def third_party(clause: str) -> str | None:
    """What is said of "you" as said of somebody else: "you are ill and your partner works" is "is ill and their …"."""
    tokens = expand(clause).split()
    if len(tokens) < 2 or tokens[0].lower() != "you":
        return None
    verb = tokens[1].lower()
    rest = tokens[2:]
    if verb in ("are", "have", "were"):
        head = {"are": "is", "have": "has", "were": "was"}[verb]
    elif verb == "do":
        head = "does"
    elif verb in _MODALS or verb == "had":
        head = verb
    elif is_base(verb):
        head = third_person(verb)
    elif verb.endswith("ed") or verb in lexicon.PURE_PASTS:
        head = verb
    else:
        return None
    joined = {"have": "has", "are": "is"}
    if head in ("is", "has"):  # "you're in the UK and have a visa"
        rest = [joined.get(t, t) if i and rest[i - 1] in ("and", "or") else t for i, t in enumerate(rest)]
    if len(rest) > 1 and rest[0] in ("or", "and") and is_base(rest[1]) and head == third_person(verb):
        rest[1] = third_person(rest[1])
    return " ".join([head, *theirs(rest)])


def theirs(tokens: list[str]) -> list[str]:
    """Words about "you" as about somebody else."""
    found = [_THEIRS.get(token.lower(), token) for token in tokens]
    for i, word in enumerate(found[:-1]):  # "help you to" is "help them to", "you normally work" "they normally work"
        if word == "they" and i and found[i + 1].lower() in _AFTER_THEM:
            found[i] = "them"
    for i, word in enumerate(found[1:], 1):  # "finding you work" is "finding them work"
        if word == "they" and base_of_gerund(found[i - 1].lower()):
            found[i] = "them"
    if found and found[-1] == "they":
        found[-1] = "them"
    return found


def doing(purpose: str) -> str:
    """ "report a change" is "reporting a change"."""
    first, *rest = purpose.split()
    if rest and rest[0].lower() == "you":
        rest[0] = "them"
    return " ".join([gerund(first.lower()), *theirs(rest)])


class Addressee:
    """What a page's title and the headings above a text say of its reader and of its publisher."""

    def __init__(self, title: str, said: Mapping[tuple[str, ...], str] | None = None) -> None:
        """``said``: the text below each heading path, which may name the other side: "your landlord"."""
        self.title = " ".join(title.split()) or "page"
        self._role = _role_of_title(self.title)
        self._said = said or {}
        self._sections: dict[tuple[str, ...], str] = {}

    def reader(self, headings: tuple[str, ...]) -> str:
        """The role that a section addresses."""
        if headings not in self._sections:
            self._sections[headings] = self._section(headings)
        return self._sections[headings]

    def _section(self, headings: tuple[str, ...]) -> str:
        for heading in reversed(headings):
            named = _named_role(expand(heading).strip(" .?")) if heading != self.title else None
            if named:
                return named
        if not self._role.startswith(_UNTOLD):
            return self._role
        return _opposite(self._said.get(headings, "")) or _opposite(" ".join(self._said.values())) or self._role


def _opposite(text: str) -> str | None:
    """Whom a text addresses by whom it calls "your": who has a landlord is a tenant. None where it has two sides."""
    found = {_OPPOSITES[singular(match["whom"].lower())] for match in _YOUR.finditer(text)}
    return found.pop() if len(found) == 1 else None


def _named_role(heading: str) -> str | None:
    """ "When you're an agency worker", "Landlord's responsibilities"."""
    if heading.lower().startswith("your "):
        return None
    match = _AS_ROLE.search(heading) if re.match(r"(?:if|when|as|you)\b", heading, re.IGNORECASE) else None
    match = match or _ROLE_FIRST.match(heading) or _RULES_FOR.fullmatch(heading)
    if match is None or len(heading.split()) > 8:
        return None
    role = match["role"].strip().removesuffix("'s").removesuffix("'")
    whole = match.end() >= len(heading) - 1
    return singular_phrase(role[0].lower() + role[1:]) if whole and is_role(role) and len(role.split()) <= 4 else None


@lru_cache(maxsize=64)
def _role_of_title(title: str) -> str:
    """The role of a page by its title: an asker, a doer, a named role, else whoever deals with it."""
    plain = uncapitalised(re.sub(r":\s*your rights$|\s*\([^()]*\)(?=$|\s)", "", expand(title)))
    named = _title_role(plain)
    if named:
        return named
    head, _, aside = plain.partition(": ")
    plain = head if aside and _ASKED_FOR.search(head) else plain  # "Carer Payment: leaflet"
    first, *rest = plain.split() or [title]
    bare = first.lower()
    if rest and bare in ("get", "request", "apply", "receive"):
        return f"applicant for {' '.join(theirs(rest if rest[0].lower() != 'for' else rest[1:]))}"
    if (
        rest
        and is_base(bare)
        and (bare in lexicon.IMPERATIVES or bare in ("renounce", "challenge", "nominate", "volunteer", "raise"))
        and (bare not in lexicon.NOUN_VERBS or rest[0].lower() in lexicon.DETERMINERS | _AFTER_VERBS or bare == "claim")
    ):
        return f"person {doing(plain)}"
    if rest and base_of_gerund(bare) and bare not in NOUNS_IN_ING:
        return f"person {' '.join([bare, *theirs(rest)])}"
    if _ASKED_FOR.search(plain) and not re.match(r"your\b|tax\b(?! credits?\b)", plain, re.IGNORECASE):
        return f"applicant for {plain}"
    return f"{_UNTOLD} {' '.join(theirs(plain.removeprefix('your ').split()))}"


def uncapitalised(title: str) -> str:
    """A title as it stands inside a sentence: "Planning permission" is not a name, "Housing Benefit" is."""
    first, *rest = title.split() or [""]
    lowers = first[1:].islower() and (not rest or rest[0][:1].islower())
    return title[0].lower() + title[1:] if lowers else title


def _title_role(title: str) -> str | None:
    """A role that the title names: "Your rights as an agency worker", "Deputies: manage …", "… for foster parents"."""
    for pattern in _TITLE_ROLES:
        match = pattern.search(title)
        role = match["role"].lower() if match else ""
        first = role.split()[0] if role else ""
        if not is_role(role) or first in _NO_ROLE_BEGINS or (pattern is _TITLE_ROLES[0] and is_base(first)):
            continue
        prospective = pattern is _AS_ROLE and title.lower().startswith("become")
        return f"{'prospective ' * prospective}{singular_phrase(role).removeprefix('your ')}"
    return _role_of_case(title)


def _role_of_case(title: str) -> str | None:
    """Whom a title is for by what they do: "… if you're disabled", "Tax on property you inherit"."""
    match = _ON_WHAT.match(title)
    if match and is_base(match["verb"].lower()):
        return f"person who {third_person(match['verb'].lower())} {' '.join(theirs(match['what'].split()))}"
    match = re.search(r"\b(?:if|when) you (?P<case>.+)$", title)
    said = third_party(f"you {match['case']}") if match else None
    return f"person who {said}" if said else None
