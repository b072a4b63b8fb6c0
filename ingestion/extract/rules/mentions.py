"""Mentions of the rule extractor: what a subject or object phrase names, and of what type."""

from __future__ import annotations

import re

from clausegraph.core.language.normalise import entity_key
from clausegraph.core.language.propositions import shorten
from clausegraph.core.language.values import value_kind
from clausegraph.core.language.words import word_set
from clausegraph.core.types import Literal, Mention

_TYPES: tuple[tuple[str, re.Pattern[str]], ...] = tuple(
    (name, re.compile(rf"\b(?:{words})\b", re.IGNORECASE))
    for name, words in (
        (
            "person",
            r"you|someone|anyone|everyone|nobody|employees?|workers?|partners?|spouses?|husband|wife|child|children|parents?"
            r"|persons?|people|tenants?|landlords?|applicants?|carers?|students?|drivers?|executors?|directors?|owners?"
            r"|residents?|citizens?|apprentices?|members?|customers?|mother|father|relatives?",
        ),
        (
            "organisation",
            r"we|us|employers?|councils?|hmrc|dvla|government|office|agency|agencies|company|companies|courts?|tribunals?"
            r"|university|college|schools?|banks?|police|department|authority|authorities|service|panel|charity|charities",
        ),
        (
            "benefit",
            r"benefits?|allowances?|pensions?|grants?|credits?|loans?|payments?|reliefs?|support|bursary|bonus|compensation|pay",
        ),
        (
            "document",
            r"forms?|licen[cs]es?|certificates?|permits?|passports?|visas?|letters?|records?|statements?|returns?|notices?|contracts?",
        ),
        ("tax", r"tax|taxes|vat|duty|national insurance|stamp duty|fees?|fines?|charges?|penalty|penalties"),
    )
)
_PRONOUN_TOPIC = word_set("it this that they them these those there he she")


def mention(phrase: str, topic: Mention, last: Mention | None = None) -> Mention:
    """The mention a phrase names; an empty phrase or a bare pronoun names ``last`` or the topic."""
    surface = shorten(phrase.strip(" \"'“”‘’"))
    lowered = surface.lower()
    if lowered in ("you", "i", "yourself"):
        return Mention("you", "you", "person")
    if lowered in ("we", "us"):
        return Mention("we", "we", "organisation")
    if not surface or lowered in _PRONOUN_TOPIC:
        return last or topic
    return Mention(surface, entity_key(surface), mention_type(surface))


def mention_type(surface: str) -> str:
    """The type whose word stands last in the phrase: "employer's payment" is a benefit."""
    head = re.split(r"\b(?:who|which|that|of|for|from|with|in|on|at|to)\b", surface, maxsplit=1)[0] or surface
    best, found = -1, "thing"
    for name, pattern in _TYPES:
        for match in pattern.finditer(head):
            if match.start() > best:
                best, found = match.start(), name
    return found


def mention_or_literal(phrase: str, topic: Mention) -> Mention | Literal:
    """A literal when the phrase is one value, else a mention."""
    kind = value_kind(phrase) if phrase else None
    return Literal(phrase.strip(), kind) if kind else mention(phrase, topic)
