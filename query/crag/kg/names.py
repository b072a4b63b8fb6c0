"""Names of things as questions and knowledge graphs write them: likeness, candidates, and the NBA's teams."""

from __future__ import annotations

from collections.abc import Iterable

from clausegraph.core.language.normalise import tokens

CANDIDATES = 3
SAME = 0.82  # likeness from which two spellings are one name
_LEAST = 0.3  # below which nothing is offered

_TEAMS = """Atlanta Hawks|Boston Celtics|Brooklyn Nets|Charlotte Hornets|Chicago Bulls|Cleveland Cavaliers
Dallas Mavericks|Denver Nuggets|Detroit Pistons|Golden State Warriors|Houston Rockets|Indiana Pacers
LA Clippers|Los Angeles Lakers|Memphis Grizzlies|Miami Heat|Milwaukee Bucks|Minnesota Timberwolves
New Orleans Pelicans|New York Knicks|Oklahoma City Thunder|Orlando Magic|Philadelphia 76ers|Phoenix Suns
Portland Trail Blazers|Sacramento Kings|San Antonio Spurs|Toronto Raptors|Utah Jazz|Washington Wizards"""
_SHORT = {"cavs": "Cleveland Cavaliers", "mavs": "Dallas Mavericks", "sixers": "Philadelphia 76ers",
          "wolves": "Minnesota Timberwolves", "blazers": "Portland Trail Blazers", "knickerbockers": "New York Knicks",
          "philly": "Philadelphia 76ers", "okc": "Oklahoma City Thunder", "dubs": "Golden State Warriors"}  # fmt: skip


def plain(name: str) -> str:
    """A name without case, accents, punctuation and possessive."""
    return " ".join(word.removesuffix("'s").replace("'", "").replace("-", " ") for word in tokens(name))


def likeness(one: str, other: str) -> float:
    """Share of three-letter pieces that two names have in common (Dice), 0 to 1."""
    first, second = _pieces(plain(one)), _pieces(plain(other))
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0


def _pieces(name: str) -> set[str]:
    name = name if name.partition(" ")[0] not in ("the", "a", "an") else name.partition(" ")[2]
    padded = f"  {name} "
    return {padded[at : at + 3] for at in range(len(padded) - 2)} if name else set()


def candidates(name: str, known: Iterable[str], most: int = CANDIDATES) -> list[str]:
    """The known names most like one, best first; equals before the rest, in the order given."""
    scored = [(likeness(name, one), one) for one in dict.fromkeys(known)]
    return [one for score, one in sorted(scored, key=lambda item: -item[0]) if score >= _LEAST][:most]


def aligned(name: str, known: Iterable[str]) -> str | None:
    """The known name that is meant beyond doubt, else none: "Rings" is not "The Lord of the Rings"."""
    best = candidates(name, known, 2)
    if not best or likeness(name, best[0]) < SAME:
        return None
    if len(best) == 2 and plain(best[0]) != plain(name) and likeness(name, best[1]) == likeness(name, best[0]):
        return None
    return best[0]


def nba_teams(text: str) -> list[str]:
    """The NBA teams that a text names, by full name, nickname or a city that has one team, in the text's order."""
    padded, found = f" {plain(text)} ", dict[str, int]()
    for team in (name for line in _TEAMS.splitlines() for name in line.split("|")):
        forms = [plain(team), plain(team).split()[-1], *(short for short, full in _SHORT.items() if full == team)]
        places = [place for form in forms if (place := padded.find(f" {form} ")) >= 0]
        if places:
            found[team] = min(places)
    return sorted(found, key=found.__getitem__)
