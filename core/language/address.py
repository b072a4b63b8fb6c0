"""Whom a page addresses: what "you" stands for in a section.

From the title the role of the whole page ("applicant for Housing Benefit", "agency worker", "person paying their
Corporation Tax bill"), from a heading that of its section ("When you're an agency worker").
"""

from __future__ import annotations

import re
from functools import lru_cache

from clausegraph.core.language import lexicon
from clausegraph.core.language.lexicon import WordTable, base_of_gerund, gerund, is_base, third_person, word_set
from clausegraph.core.language.normalise import expand, singular

_TABLE = WordTable(__file__)

READER = "role"  # type of a mention that stands for "you"
ROLES = _TABLE.words("roles")
_ASKED_FOR = _TABLE.pattern("asked_for")
_HEADING_ROLES, _TITLE_ROLES = (
    [re.compile(pattern, re.IGNORECASE) for pattern in _TABLE.file[name]] for name in ("heading_roles", "title_roles")
)  # each in this order
_OPPOSITES = {
    "landlord": "tenant",
    "tenant": "landlord",
    "employer": "employee",
    "employee": "employer",
    "staff": "employer",
}
_YOUR = re.compile(rf"\byour ({'|'.join(_OPPOSITES)})s?\b", re.IGNORECASE)
_UNTOLD = "person dealing with"  # of a page whose title says of no side whom it is for
_NO_ROLE_BEGINS = lexicon.PREPOSITIONS | lexicon.DETERMINERS - {"your"} | {"and"}
_AFTER_VERBS = lexicon.DETERMINERS | word_set("as against to land someone of out up")  # "claim as …": a noun acts
_THIRD = {"are": "is", "have": "has", "were": "was"}
_THEIRS = {"your": "their", "yourself": "themselves", "yours": "theirs", "you": "they", "our": "the publisher's"}
_AFTER_THEM = lexicon.PREPOSITIONS | lexicon.DETERMINERS | {"and", "or", ""}


def is_role(phrase: str) -> bool:
    """Whether a phrase names a kind of person or body: its last word does."""
    last = phrase.lower().split()[-1:] or [""]
    return singular(last[0]) in ROLES


def third_party(clause: str) -> str | None:
    """What is said of "you" as said of somebody else: "you change your job" is "changes their job"."""
    who, verb, *rest = [*expand(clause).split(), "", ""]
    if who.lower() != "you" or not (verb in _THIRD or is_base(verb)):
        return None
    return " ".join([_THIRD.get(verb) or third_person(verb), *theirs(rest)]).strip()


def theirs(tokens: list[str]) -> list[str]:
    """Words about "you" as about somebody else: "help you to" is "help them to", "you work" is "they work"."""
    found = [_THEIRS.get(token.lower(), token) for token in tokens]
    for i, (word, following) in enumerate(zip(found, [*found[1:], ""], strict=False)):
        after = found[i - 1].lower() if i else ""
        ends = (i > 0 or not following) and following.lower() in _AFTER_THEM
        if word == "they" and (ends or base_of_gerund(after)):
            found[i] = "them"
    return found


def uncapitalised(title: str) -> str:
    """A title as it stands inside a sentence: "Planning permission" is not a name, "Housing Benefit" is."""
    first, *rest = title.split() or [""]
    lowers = first[1:].islower() and (not rest or rest[0][:1].islower())
    return title[0].lower() + title[1:] if lowers else title


class Addressee:
    """What a page's title and the headings above a text say of its reader."""

    def __init__(self, title: str, said: str = "") -> None:
        """``said``: what stands below the headings, which may name the other side: who has a landlord is a tenant."""
        self.title = " ".join(title.split()) or "page"
        sides = {_OPPOSITES[whom.lower()] for whom in _YOUR.findall(said)}
        role = _role_of_title(self.title)
        self._role = sides.pop() if role.startswith(_UNTOLD) and len(sides) == 1 else role

    def reader(self, headings: tuple[str, ...]) -> str:
        """The role that a section addresses."""
        named = (_heading_role(heading) for heading in reversed(headings) if heading != self.title)
        return next((role for role in named if role), self._role)


@lru_cache(maxsize=1024)
def _heading_role(heading: str) -> str | None:
    """ "When you're an agency worker", "Landlord's responsibilities"."""
    said = expand(heading).strip(" .?")
    if said.lower().startswith("your ") or len(said.split()) > 8:
        return None
    found = next((match for pattern in _HEADING_ROLES if (match := pattern.search(said))), None)
    return _singular(found["role"]) if found and is_role(found["role"]) and len(found["role"].split()) <= 4 else None


def _singular(role: str) -> str:
    """A role in the singular: "Foster parents" is "foster parent"."""
    *before, last = role.removeprefix("your ").split()
    words = " ".join([*before, singular(last)])
    return words[0].lower() + words[1:]


@lru_cache(maxsize=64)
def _role_of_title(title: str) -> str:
    """The role of a page by its title: a named role, an asker, a doer, else whoever deals with it."""
    said = uncapitalised(re.sub(r":\s*your rights$|\s*\([^()]*\)(?=$|\s)", "", expand(title)))
    for pattern in _TITLE_ROLES:
        match = pattern.search(said)
        role = match["role"].lower() if match else ""
        first = role.split()[0] if role else ""
        if is_role(role) and first not in _NO_ROLE_BEGINS and not (pattern is _TITLE_ROLES[0] and is_base(first)):
            return f"{'prospective ' * said.lower().startswith('become')}{_singular(role)}"
    case = re.search(r"\b(?:if|when) (?P<case>you .+)$", said)
    if case and third_party(case["case"]):
        return f"person who {third_party(case['case'])}"
    said = said.partition(": ")[0]  # "Carer Payment: leaflet", "Septic tanks: permits"
    first, *rest = said.split() or [title]
    if rest and first in ("get", "request", "apply", "receive"):
        return f"applicant for {' '.join(theirs(rest if rest[0] != 'for' else rest[1:]))}"
    acts = first == "claim" or first not in lexicon.NOUN_VERBS or not _AFTER_VERBS.isdisjoint(rest[:1])
    does = gerund(first) if is_base(first) and acts else first if first not in lexicon.NOUNS_IN_ING else ""
    if rest and base_of_gerund(does):
        return f"person {' '.join([does, *theirs(rest)])}"
    if _ASKED_FOR.search(said) and not re.match(r"your\b|tax\b(?! credits?\b)", said):
        return f"applicant for {said}"
    return f"{_UNTOLD} {' '.join(theirs(said.removeprefix('your ').split()))}"
