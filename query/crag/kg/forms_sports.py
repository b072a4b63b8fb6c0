"""Forms of questions about games: who played whom, when, and how it ended, of the NBA and of soccer leagues."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.questions import (
    ApiFound,
    ApiSession,
    TimedText,
    aligned,
    likeness,
    month_before,
    month_of,
    nba_teams,
    number,
    plain,
)

_NBA, _SOCCER = "sports_nba_get_games_on_date", "sports_soccer_get_games_on_date"
_LOOK_BACK = 21  # days, where the API knows days but not the month
_SINGLY = 2  # days after the first that are asked for one by one
_LAST = r"\b(last|latest|(most )?recent(ly)?|previous)\b"
_NEXT = r"\b(next|upcoming)\b"
_POINTS = r"\b(points?|scor(e|es|ed|ing)|put up|rack(ed)? up)\b"
_FINAL = r"\b(final )?score of\b|\bfinal score\b"
_OPPONENT = (
    r"\b(opponents?|oppos\w+|against|play(ed)? (who|whom)|who (did|do|does|will) .*\b(play|face)\w*"
    r"|fac(e|ed|ing) off)\b"
)
_WON = r"\b(win|won|lose|lost|beat|victor\w*|result|outcome)\b"
_WHEN = r"\b(when|what (date|day)|which (date|day))\b"
_NUMBERS = {"rebounds": "reb", "assists": "ast", "steals": "stl", "blocks": "blk", "turnovers": "tov",
            "three[- ]pointers?": "fg3m", "free throws?": "ftm", "fouls": "pf"}  # fmt: skip
_GAME = (
    r"\b(games?|match(es)?|fixture|league|play(ed|s|ing)?|soccer|football|goals?|opponents?|kick[- ]?off|beat"
    r"|fac(e|ed))\b"
)
_SOCCER_FIELDS = {"captain": "Captain", "referee": "Referee", "attendance": "Attendance", "formation": "Formation",
                  "possession": "Poss", "venue": "venue", "kick[- ]?off": "time"}  # fmt: skip
_LEAGUES = {"premier league": "ENG-Premier League", "epl": "ENG-Premier League", "la liga": "ESP-La Liga",
            "bundesliga": "GER-Bundesliga", "serie a": "ITA-Serie A", "ligue 1": "FRA-Ligue 1"}  # fmt: skip
_SOCCER_WORDS = word_set(
    "game games match matches fixture played play plays playing face faced facing off against opponent opposing team"
    " club league win won lose lost result outcome score scored goals goal final soccer football season their captain"
    " referee attendance formation possession venue beat kickoff next upcoming previous"
)


@dataclass(frozen=True, slots=True)
class Game:
    """One row of a table of games."""

    day: date
    row: dict[str, Any]


def basketball(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """A question about a game of one NBA team."""
    teams = nba_teams(asked.text)
    if not teams:
        return None
    team = teams[0]
    rival = teams[1] if len(teams) > 1 else None
    game = next(_games(asked, api, _NBA, team, partial(_is_between, team=team, rival=rival)), None)
    if game is None:
        return None
    row, side = game.row, _side(game.row, team)
    other = "away" if side == "home" else "home"
    return ApiFound((_nba_words(game), *_statistics(asked, row)), (team,), _of_nba(asked, game, side, other))


def soccer(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """A question about a game of one soccer team."""
    if not asked.has(_GAME):
        return None
    league = next((full for short, full in _LEAGUES.items() if short in plain(asked.text)), "")
    leagues = "|".join(rf"(eng|esp|ger|ita|fra)?[- ]?{short}" for short in _LEAGUES)
    for name in asked.names(_SOCCER_WORDS, leagues)[:2]:
        team = name.title() if name.islower() else name
        game = next(_games(asked, api, _SOCCER, team, partial(_is_of, team=team, league=league)), None)
        if game is not None:
            return ApiFound((_soccer_words(game),), (game.row["team"],), _of_soccer(asked, game))
    return None


GAME_FORMS = (basketball, soccer)


def games_between(api: ApiSession, nba: bool, team: str, first: date, last: date) -> list[str]:
    """The games of a team between two days, in words, the latest last."""
    function, words = (_NBA, _nba_words) if nba else (_SOCCER, _soccer_words)
    fits = partial(_is_between, team=team, rival=None) if nba else partial(_is_of, team=team, league="")
    found: list[Game] = []
    if (last - first).days <= _SINGLY:
        for day in range((last - first).days + 1):
            found += _on(api, function, (first + timedelta(days=day)).isoformat(), team, fits)
    else:
        for month in dict.fromkeys(month_of(day) for day in (first, last)):
            found += _on(api, function, month, team, fits)
        if not found and api.lacks(function, month_of(last), team):
            found = list(_near(last, api, function, team, fits))
    return [words(game) for game in sorted(found, key=lambda one: one.day) if first <= game.day <= last]


def _is_between(row: dict[str, Any], team: str, rival: str | None) -> bool:
    return bool(_side(row, team)) and (rival is None or bool(_side(row, rival)))


def _is_of(row: dict[str, Any], team: str, league: str) -> bool:
    return likeness(row["team"], team) > 0.5 and league in row["league"]


def _games(asked: TimedText, api: ApiSession, function: str, team: str, fits: Any) -> Iterator[Game]:
    """Games of a team on the day that is named, or the nearest before or after the question, nearest first."""
    days = asked.days()
    if days:
        yield from _on(api, function, days[0].isoformat(), team, fits)
        return
    if asked.has(_NEXT):
        later = [game for game in _near(asked.today, api, function, team, fits, ahead=True) if game.day >= asked.today]
        yield from sorted(later, key=lambda game: game.day)
    elif asked.has(_LAST):
        yield from (game for game in _near(asked.today, api, function, team, fits) if game.day <= asked.today)


def _near(today: date, api: ApiSession, function: str, team: str, fits: Any, *, ahead: bool = False) -> Iterator[Game]:
    """By months; day by day only where the API has no answer to a month at all."""
    second = (today.replace(day=28) + timedelta(days=4)).replace(day=1) if ahead else month_before(today)
    for month in (month_of(today), month_of(second)):
        yield from reversed(list(_on(api, function, month, team, fits)))
    if api.lacks(function, month_of(today), team):
        step = 1 if ahead else -1
        for away in range(_LOOK_BACK):
            if api.failure:
                return
            yield from _on(api, function, (today + timedelta(days=step * away)).isoformat(), team, fits, widen=False)


def _on(api: ApiSession, function: str, when: str, team: str, fits: Any, *, widen: bool = True) -> Iterator[Game]:
    """The team's games, or all of that time looked through, by day."""
    rows = _rows(function, api.ask(function, when, team))
    if not rows and widen:
        rows = _rows(function, api.ask(function, when))
    for row in sorted(rows, key=lambda one: one["day"]):
        if fits(row):
            yield Game(row["day"], row)


def _rows(function: str, table: Any) -> list[dict[str, Any]]:
    """A table by columns, as the API has it, row by row."""
    if not isinstance(table, dict) or not table:
        return []
    keys = next(iter(table.values()))
    rows = [{column: values.get(key) for column, values in table.items() if isinstance(values, dict)} for key in keys]
    for key, row in zip(keys, rows, strict=True):
        row["day"] = date.fromisoformat(str(row.get("game_date" if function == _NBA else "date"))[:10])
        if function == _SOCCER:
            row["league"], _, row["team"], *_ = (*re.findall(r"'([^']*)'", key), "", "", "")
    return rows


def _side(row: dict[str, Any], team: str) -> str:
    return next((side for side in ("home", "away") if aligned(team, [str(row.get(f"team_name_{side}"))])), "")


def _statistics(asked: TimedText, row: dict[str, Any]) -> Iterator[str]:
    for word, column in _NUMBERS.items():
        if asked.has(word) and f"{column}_home" in row:
            yield (
                f"{word.replace('[- ]', '-').rstrip('?')}: {row['team_name_home']} {number(row[f'{column}_home'])}, "
                f"{row['team_name_away']} {number(row[f'{column}_away'])}."
            )


def _of_nba(asked: TimedText, game: Game, side: str, other: str) -> str | None:
    """The one thing that is asked of a game, most special first."""
    row = game.row
    counted = next((column for word, column in _NUMBERS.items() if asked.has(word)), None)
    answer: str | None = None
    if counted is not None:
        answer = number(row[f"{counted}_{side}"]) if f"{counted}_{side}" in row else None
    elif asked.has(_FINAL):
        answer = ", ".join(f"{row[f'team_name_{one}']} {number(row[f'pts_{one}'])}" for one in ("home", "away"))
    elif asked.has(_OPPONENT) and not asked.has(_POINTS):
        answer = str(row[f"team_name_{other}"])
    elif asked.has(r"\bhow many\b|\boutput\b|\btotal\b") and asked.has(_POINTS):
        answer = number(row[f"pts_{side}"])
    elif asked.has(_WON):
        winner = row["team_name_home"] if row["wl_home"] == "W" else row["team_name_away"]
        won = "yes" if row[f"wl_{side}"] == _wanted(asked) else "no"
        answer = str(winner) if asked.has(r"\bwh(o|ich)\b") else won
    elif asked.has(_WHEN):
        answer = game.day.isoformat()
    return answer


def _wanted(asked: TimedText) -> str:
    return "L" if asked.has(r"\b(lose|lost)\b") else "W"


def _nba_words(game: Game) -> str:
    row = game.row
    return (
        f"On {game.day}, {row['team_name_home']} ({number(row['pts_home'])} points) played at home against "
        f"{row['team_name_away']} ({number(row['pts_away'])} points)."
    )


def _soccer_words(game: Game) -> str:
    row = game.row
    result = {"W": "won", "L": "lost", "D": "drew"}.get(str(row.get("result")), "has not yet played")
    told = f"On {game.day}, {row['team']} ({row['league']}, {row.get('venue', '').lower()}) played {row['opponent']}"
    return f"{told} and {result}, {row.get('GF')} to {row.get('GA')}." if row.get("result") else f"{told}: {result}."


def _of_soccer(asked: TimedText, game: Game) -> str | None:
    """The one thing that is asked of a game, most special first."""
    row = game.row
    field = next((column for word, column in _SOCCER_FIELDS.items() if asked.has(word)), None)
    played = row.get("result")
    answer: str | None = None
    if field is not None:
        answer = None if row.get(field) is None else str(row[field])
    elif asked.has(_WHEN):
        answer = game.day.isoformat()
    elif asked.has(r"\bscore\b"):
        answer = f"{row['GF']}-{row['GA']}" if played else None
    elif asked.has(r"how many goals"):
        answer = str(row["GF"]) if played else None
    elif asked.has(_OPPONENT):
        answer = str(row["opponent"])
    elif asked.has(_WON) and played and asked.has(r"\bresult|outcome\b"):
        answer = {"W": "win", "L": "loss", "D": "draw"}.get(str(played))
    elif asked.has(_WON) and played:
        answer = "yes" if played == _wanted(asked) else "no"
    return answer
