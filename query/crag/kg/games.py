"""Questions about games: who played whom, when, and how it ended, of the NBA and of soccer leagues."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from clausegraph.query.crag.kg.api import ApiSession
from clausegraph.query.crag.kg.forms import TABLE, ApiFound, Row, TimedText, number
from clausegraph.query.crag.kg.names import aligned, likeness, nba_teams, plain

_LOOK_BACK = 21  # days, where the API knows days but not the month
_SINGLY = 2  # days after the first that are asked for one by one
_LAST = r"\b(last|latest|(most )?recent(ly)?|previous)\b"
_NEXT = r"\b(next|upcoming)\b"
_POINTS = r"\b(points?|scor(e|es|ed|ing)|put up|rack(ed)? up)\b"
_OPPONENT = (
    r"\b(opponents?|oppos\w+|against|play(ed)? (who|whom)|who (did|do|does|will) .*\b(play|face)\w*"
    r"|fac(e|ed|ing) off)\b"
)
_WON = r"\b(win|won|lose|lost|beat|victor\w*|result|outcome)\b"
_WHEN = r"\b(when|what (date|day)|which (date|day))\b"
_GAME = (
    r"\b(games?|match(es)?|fixture|league|play(ed|s|ing)?|soccer|football|goals?|opponents?|kick[- ]?off|beat"
    r"|fac(e|ed))\b"
)


@dataclass(frozen=True, slots=True)
class Sport:
    """How games of a sport are asked for and worded; whether a row is one of a team (and a rival, or in a league)."""

    function: str
    day: str  # the column
    is_of: Callable[[Row, str, str], bool]
    words: Callable[[Row], str]


def _side(row: Row, team: str) -> str:
    return next((side for side in ("home", "away") if aligned(team, [str(row.get(f"team_name_{side}"))])), "")


def _nba_words(row: Row) -> str:
    return (
        f"On {row['day']}, {row['team_name_home']} ({number(row['pts_home'])} points) played at home against "
        f"{row['team_name_away']} ({number(row['pts_away'])} points)."
    )


def _soccer_words(row: Row) -> str:
    result = {"W": "won", "L": "lost", "D": "drew"}.get(str(row.get("result")), "has not yet played")
    told = f"On {row['day']}, {row['team']} ({row['league']}, {row.get('venue', '').lower()}) played {row['opponent']}"
    return f"{told} and {result}, {row.get('GF')} to {row.get('GA')}." if row.get("result") else f"{told}: {result}."


NBA = Sport(
    "sports_nba_get_games_on_date",
    "game_date",
    lambda row, team, rival: bool(_side(row, team)) and (not rival or bool(_side(row, rival))),
    _nba_words,
)
SOCCER = Sport(
    "sports_soccer_get_games_on_date",
    "date",
    lambda row, team, league: likeness(row["team"], team) > 0.5 and league in row["league"],
    _soccer_words,
)


class TeamGames:
    """Looks up the games of one team, against a rival or in a league where one is given."""

    def __init__(self, api: ApiSession, sport: Sport, team: str, other: str = "") -> None:
        self._api, self._sport, self._team, self._other = api, sport, team, other

    def asked_for(self, asked: TimedText) -> Row | None:
        """The first game of the day that is named, or the nearest before or after the question."""
        games: Iterator[Row] = iter(())
        if asked.days:
            games = self._on(asked.days[0].isoformat())
        elif asked.has(_NEXT):
            later = [game for game in self._near(asked.today, ahead=True) if game["day"] >= asked.today]
            games = iter(sorted(later, key=lambda game: game["day"]))
        elif asked.has(_LAST):
            games = (game for game in self._near(asked.today) if game["day"] <= asked.today)
        return next(games, None)

    def between(self, first: date, last: date) -> list[str]:
        """The games between two days, in words, the latest last."""
        days = (last - first).days
        if days <= _SINGLY:
            times = [(first + timedelta(days=day)).isoformat() for day in range(days + 1)]
        else:
            times = list(dict.fromkeys(f"{day:%Y-%m}" for day in (first, last)))
        found = [game for when in times for game in self._on(when)]
        if days > _SINGLY and not found and self._lacks(last):
            found = list(self._near(last))
        inside = (game for game in found if first <= game["day"] <= last)
        return [self._sport.words(game) for game in sorted(inside, key=lambda game: game["day"])]

    def _near(self, today: date, *, ahead: bool = False) -> Iterator[Row]:
        """By months; day by day only where the API has no answer to a month at all."""
        second = (today.replace(day=28) + timedelta(days=4)) if ahead else today.replace(day=1) - timedelta(days=1)
        for month in (today, second):
            yield from reversed(list(self._on(f"{month:%Y-%m}")))
        if self._lacks(today):
            for away in range(_LOOK_BACK):
                if self._api.failure:
                    return
                day = today + timedelta(days=away if ahead else -away)
                yield from self._on(day.isoformat(), widen=False)

    def _lacks(self, day: date) -> bool:
        return self._api.lacks(self._sport.function, f"{day:%Y-%m}", self._team)

    def _on(self, when: str, *, widen: bool = True) -> Iterator[Row]:
        """The team's games, or all of that time looked through, by day."""
        rows = self._rows(self._api.ask(self._sport.function, when, self._team))
        if not rows and widen:
            rows = self._rows(self._api.ask(self._sport.function, when))
        games = sorted(rows, key=lambda one: one["day"])
        yield from (row for row in games if self._sport.is_of(row, self._team, self._other))

    def _rows(self, table: object) -> list[Row]:
        """A table by columns, as the API has it, row by row."""
        if not isinstance(table, dict) or not table:
            return []
        columns = {name: values for name, values in table.items() if isinstance(values, dict)}
        rows = []
        for key in next(iter(table.values())):
            row: Row = {name: values.get(key) for name, values in columns.items()}
            row["day"] = date.fromisoformat(str(row.get(self._sport.day))[:10])
            if self._sport is SOCCER:
                row["league"], _, row["team"], *_ = (*re.findall(r"'([^']*)'", key), "", "", "")
            rows.append(row)
        return rows


def basketball(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """A question about a game of one NBA team."""
    team, rival = (*nba_teams(asked.text), "", "")[:2]
    row = TeamGames(api, NBA, team, rival).asked_for(asked) if team else None
    if row is None:
        return None
    home, away = row["team_name_home"], row["team_name_away"]
    facts = [
        f"{word.replace('[- ]', '-').rstrip('?')}: {home} {number(row[f'{column}_home'])}, "
        f"{away} {number(row[f'{column}_away'])}."
        for column, word in TABLE["nba_numbers"].items()
        if asked.has(word) and f"{column}_home" in row
    ]
    return ApiFound((_nba_words(row), *facts), (team,), _nba_answer(asked, row, _side(row, team)))


def _nba_answer(asked: TimedText, row: Row, side: str) -> str | None:
    """The one thing that is asked of a game, most special first."""
    counted, home, away = asked.first("nba_numbers"), row["team_name_home"], row["team_name_away"]
    answer: str | None = None
    if counted is not None:
        answer = number(row[f"{counted}_{side}"]) if f"{counted}_{side}" in row else None
    elif asked.has(r"\b(final )?score of\b|\bfinal score\b"):
        answer = f"{home} {number(row['pts_home'])}, {away} {number(row['pts_away'])}"
    elif asked.has(_OPPONENT) and not asked.has(_POINTS):
        answer = str(away if side == "home" else home)
    elif asked.has(r"\bhow many\b|\boutput\b|\btotal\b") and asked.has(_POINTS):
        answer = number(row[f"pts_{side}"])
    elif asked.has(_WON):
        winner = home if row["wl_home"] == "W" else away
        answer = str(winner) if asked.has(r"\bwh(o|ich)\b") else _yes_no(asked, row[f"wl_{side}"])
    elif asked.has(_WHEN):
        answer = row["day"].isoformat()
    return answer


def soccer(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """A question about a game of one soccer team."""
    if not asked.has(_GAME):
        return None
    league = next((full for short, full in TABLE["leagues"].items() if short in plain(asked.text)), "")
    leagues = "|".join(rf"(eng|esp|ger|ita|fra)?[- ]?{short}" for short in TABLE["leagues"])
    for name in asked.names("soccer", leagues)[:2]:
        row = TeamGames(api, SOCCER, name.title() if name.islower() else name, league).asked_for(asked)
        if row is not None:
            return ApiFound((_soccer_words(row),), (row["team"],), _soccer_answer(asked, row))
    return None


def _soccer_answer(asked: TimedText, row: Row) -> str | None:
    """The one thing that is asked of a game, most special first."""
    field, played = asked.first("soccer_fields"), row.get("result")
    answer: str | None = None
    if field is not None:
        answer = None if row.get(field) is None else str(row[field])
    elif asked.has(_WHEN):
        answer = row["day"].isoformat()
    elif asked.has(r"\bscore\b|how many goals"):
        goals = f"{row['GF']}-{row['GA']}" if asked.has(r"\bscore\b") else str(row["GF"])
        answer = goals if played else None
    elif asked.has(_OPPONENT):
        answer = str(row["opponent"])
    elif asked.has(_WON) and played:
        known: Mapping[str, str] = {"W": "win", "L": "loss", "D": "draw"}
        answer = known.get(str(played)) if asked.has(r"\bresult|outcome\b") else _yes_no(asked, played)
    return answer


def _yes_no(asked: TimedText, result: object) -> str:
    return "yes" if result == ("L" if asked.has(r"\b(lose|lost)\b") else "W") else "no"


FORMS = (basketball, soccer)
