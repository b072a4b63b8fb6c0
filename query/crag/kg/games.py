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
_RESULTS = {"W": "won", "L": "lost", "D": "drew"}


@dataclass(frozen=True, slots=True)
class Sport:
    """How games of a sport are asked for and worded."""

    function: str
    day: str  # the column
    is_of: Callable[[Row, str], bool]  # of a team
    words: Callable[[Row], str]


def _nba_words(row: Row) -> str:
    return (
        f"On {row['day']}, {row['team_name_home']} ({number(row['pts_home'])} points) played at home against "
        f"{row['team_name_away']} ({number(row['pts_away'])} points)."
    )


def _soccer_words(row: Row) -> str:
    result = _RESULTS.get(str(row.get("result")), "has not yet played")
    told = f"On {row['day']}, {row['team']} ({row['league']}, {row.get('venue', '').lower()}) played {row['opponent']}"
    return f"{told} and {result}, {row.get('GF')} to {row.get('GA')}." if row.get("result") else f"{told}: {result}."


NBA = Sport(
    "sports_nba_get_games_on_date",
    "game_date",
    lambda row, team: any(aligned(team, [str(row.get(f"team_name_{side}"))]) for side in ("home", "away")),
    _nba_words,
)
SOCCER = Sport(
    "sports_soccer_get_games_on_date",
    "date",
    lambda row, team: likeness(row["team"], team) > 0.5,
    _soccer_words,
)


class TeamGames:
    """Looks up the games of one team."""

    def __init__(self, api: ApiSession, sport: Sport, team: str) -> None:
        self._api, self._sport, self._team = api, sport, team

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

    def _near(self, today: date) -> Iterator[Row]:
        """Backwards by months; day by day only where the API has no answer to a month at all."""
        for month in (today, today.replace(day=1) - timedelta(days=1)):
            yield from reversed(list(self._on(f"{month:%Y-%m}")))
        if self._lacks(today):
            for away in range(_LOOK_BACK):
                if self._api.failure:
                    return
                yield from self._on((today - timedelta(days=away)).isoformat(), widen=False)

    def _lacks(self, day: date) -> bool:
        return self._api.lacks(self._sport.function, f"{day:%Y-%m}", self._team)

    def _on(self, when: str, *, widen: bool = True) -> Iterator[Row]:
        """The team's games, or all of that time looked through, by day."""
        rows = self._rows(self._api.ask(self._sport.function, when, self._team))
        if not rows and widen:
            rows = self._rows(self._api.ask(self._sport.function, when))
        games = sorted(rows, key=lambda one: one["day"])
        yield from (row for row in games if self._sport.is_of(row, self._team))

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
