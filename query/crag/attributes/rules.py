"""Attributes by the words of the question: said only where they are nearly always right."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from clausegraph.query.crag.kg.align import nba_teams
from clausegraph.query.crag.types import Attributes, CragKind, CragQuestion, Domain, Dynamism

_SURE = 0.95  # measured on the shipped questions: see tests/query/crag/attributes
_DOMAINS: Mapping[Domain, str] = {
    Domain.FINANCE: r"\b(stocks?|shares?|ticker|market cap\w*|dividends?|eps|earnings per share|p/e|ipo|nasdaq|nyse"
    r"|closing price|opening price|trading (day|at)|s&p|dow jones|acquisitions?|acquired?|revenue|ceo"
    r"|chief executive)\b",
    Domain.MUSIC: r"\b(songs?|albums?|singer|band|grammys?|billboard|hot 100|rapper|sang|drummer|guitarist|musician"
    r"|discography|(debut|hit) single)\b",
    Domain.MOVIE: r"\b(movies?|films?|oscars?|academy awards?|actors?|actress|box office|directed|starred|sequel"
    r"|cinemas?|best (picture|director))\b",
    Domain.SPORTS: r"\b(nba|nfl|nhl|mlb|premier league|la liga|serie a|bundesliga|champions league|super bowl|world cup"
    r"|olympics?|world series|wimbledon|grand slam|mvp|goals|playoffs?|championships?|match|coach(es)?|roster)\b",
}
_REAL_TIME = (
    r"\b(right now|at the moment|live score|currently (trading|winning|playing)|this (minute|second|instant))\b"
)
_FAST = (
    r"\b(today|tonight|yesterday|last night|this (morning|week|weekend|month)|(last|past|next) (week|month|\w+day|game"
    r"|match)|tomorrow|stock price|share price|market cap\w*|closing price|trading day)\b"
)
_PAST_YEAR = re.compile(r"\b(?:in|of|on|by|at|during|since)?\s*(?:the )?(1[5-9]\d\d|20\d\d)s?\b")
_FIXED = r"\b(born|die[ds]?|invented|founded|composed|painted|capital of|wrote|directed)\b"
_CHANGING = r"\b(latest|newest|recent\w*|now|current\w*|how many|has|have)\b"
_KINDS: Sequence[tuple[CragKind, str]] = (
    (
        CragKind.COMPARISON,
        r"\b(longer|shorter|older|younger|taller|higher|larger|bigger|heavier|earlier|cheaper|more|fewer|first"
        r"|better)\b[^?]*[,:]? \S+[^?]* or \S+|\bdid \S+ .* (before|after) \S+ (did|was|one)\b"
        r"|^between .+ and .+, which\b",
    ),
    (
        CragKind.POST_PROCESSING,
        r"\b(how old (was|were) .+ when|how many (years|days|months|hours|seconds) (passed|between|ago|until"
        r"|after|has it"
        r"|have|did|are left|does|faster)|percent(age)?|what share of|difference between|by how (many|much)"
        r"|average (rating|age) of|if i had)\b",
    ),
    (
        CragKind.AGGREGATION,
        r"^how many (?!points|goals|years|days|months|hours|people live|seconds|shares)\b|\baverage\b",
    ),
    (
        CragKind.SET,
        r"^(name|list) (the|all|some)\b|^(which|what) (are|were) (the|all)\b|^who (are|were) the\b"
        r"|^which \w+(?<!s)s (are|were|is|make|did|has|have|border|reached|starred|gained|scored|won)\b",
    ),
)


class AttributeRules:
    """Says what the words say surely, and nothing else."""

    def predict(self, question: CragQuestion) -> Attributes:
        """The attributes that the words show, each with the same confidence."""
        text = " ".join(question.text.lower().split())
        found = {"domain": _domain(text), "kind": _kind(text), "dynamism": _dynamism(text, question.time.year)}
        said = [name for name, value in found.items() if value is not None]
        return Attributes(
            found["domain"],  # type: ignore[arg-type]
            found["kind"],  # type: ignore[arg-type]
            found["dynamism"],  # type: ignore[arg-type]
            confidence=dict.fromkeys(said, _SURE),
            by=dict.fromkeys(said, "rules"),
        )


def _domain(text: str) -> Domain | None:
    """The one domain whose words stand there; none where two have some, or none has."""
    named = [domain for domain, pattern in _DOMAINS.items() if re.search(pattern, text)]
    if nba_teams(text) and Domain.SPORTS not in named:
        named.append(Domain.SPORTS)
    return named[0] if len(named) == 1 else None


def _kind(text: str) -> CragKind | None:
    """No rule says that a question is simple, or that its premise is false: that shows in what is found."""
    return next((kind for kind, pattern in _KINDS if re.search(pattern, text)), None)


def _dynamism(text: str, this_year: int) -> Dynamism | None:
    years = [int(match[1]) for match in _PAST_YEAR.finditer(text)]
    if re.search(_REAL_TIME, text):
        return Dynamism.REAL_TIME
    if re.search(_FAST, text):
        return None if years else Dynamism.FAST
    if years and max(years) < this_year - 1 and not re.search(r"\bsince\b", text):
        return Dynamism.STATIC
    return Dynamism.STATIC if re.search(_FIXED, text) and not re.search(_CHANGING, text) else None
