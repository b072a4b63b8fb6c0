"""Games of one team, of the NBA and of soccer leagues: who played whom, when, and how it ended."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from clausegraph.query.crag.kg.api import ApiSession, number
from clausegraph.query.crag.kg.names import aligned, likeness

Row = dict[str, Any]
_LOOK_BACK = 21  # days, where the API knows days but not the month
_SINGLY = 2  # days after the first that are asked for one by one
_RESULTS = {"W": ("won", "win"), "L": ("lost", "loss"), "D": ("drew", "draw")}


@dataclass(frozen=True, slots=True)
class Sport:
    """How games of a sport are asked for and worded, and what one was for a team."""

    function: str
    day: str  # the column
    is_of: Callable[[Row, str, str], bool]  # of a team, and of a rival or in a league
    words: Callable[[Row], str]
    values: Callable[[Row, str], Row]


def _side(row: Row, team: str) -> str:
    return next((side for side in ("home", "away") if aligned(team, [str(row.get(f"team_name_{side}"))])), "")


def _nba_words(row: Row) -> str:
    return (
        f"On {row['day']}, {row['team_name_home']} ({number(row['pts_home'])} points) played at home against "
        f"{row['team_name_away']} ({number(row['pts_away'])} points)."
    )


def _nba_values(row: Row, team: str) -> Row:
    side = _side(row, team)
    home, away = row["team_name_home"], row["team_name_away"]
    own = {name.removesuffix(f"_{side}"): value for name, value in row.items() if name.endswith(f"_{side}")}
    return own | {
        "opponent": away if side == "home" else home,
        "score": f"{home} {number(row['pts_home'])}, {away} {number(row['pts_away'])}",
        "winner": home if row.get("wl_home") == "W" else away,
        "won": "yes" if own.get("wl") == "W" else "no",
        "lost": "yes" if own.get("wl") == "L" else "no",
        "date": row["day"].isoformat(),
    }


def _soccer_words(row: Row) -> str:
    result = _RESULTS.get(str(row.get("result")), ("has not yet played", ""))[0]
    told = f"On {row['day']}, {row['team']} ({row['league']}, {row.get('venue', '').lower()}) played {row['opponent']}"
    return f"{told} and {result}, {row.get('GF')} to {row.get('GA')}." if row.get("result") else f"{told}: {result}."


def _soccer_values(row: Row, _: str) -> Row:
    known = row | {"date": row["day"].isoformat()}
    if not row.get("result"):
        return {name: value for name, value in known.items() if name != "GF"}
    return known | {
        "score": f"{row['GF']}-{row['GA']}",
        "outcome": _RESULTS.get(row["result"], ("", ""))[1],
        "won": "yes" if row["result"] == "W" else "no",
        "lost": "yes" if row["result"] == "L" else "no",
    }


NBA = Sport(
    "sports_nba_get_games_on_date",
    "game_date",
    lambda row, team, rival: bool(_side(row, team)) and (not rival or bool(_side(row, rival))),
    _nba_words,
    _nba_values,
)
SOCCER = Sport(
    "sports_soccer_get_games_on_date",
    "date",
    lambda row, team, league: likeness(row["team"], team) > 0.5 and league in row["league"],
    _soccer_words,
    _soccer_values,
)


class TeamGames:
    """Looks up the games of one team, against a rival or in a league where one is given."""

    def __init__(self, api: ApiSession, sport: Sport, team: str, other: str = "") -> None:
        self._api, self._sport, self._team, self._other = api, sport, team, other

    def on(self, day: date) -> Row | None:
        """The first game of a day."""
        return next(self._on(day.isoformat()), None)

    def nearest(self, today: date, *, ahead: bool) -> Row | None:
        """The last game up to a day, or the first from it on."""
        if not ahead:
            return next((game for game in self._near(today) if game["day"] <= today), None)
        later = [game for game in self._near(today, ahead=True) if game["day"] >= today]
        return min(later, key=lambda game: game["day"], default=None)

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
