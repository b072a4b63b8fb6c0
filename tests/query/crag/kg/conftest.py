"""A recording of invented calls, replayed over a socket."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from clausegraph.app.dev.crag_api import RecordedCalls, ReplayServer
from clausegraph.query.crag.kg.api_graph import RuleLookup
from clausegraph.query.crag.types import CragQuestion

AT = datetime.fromisoformat("2031-05-14T10:00:00-07:00")


def _nba(day: str, home: str, away: str, home_points: float, away_points: float, key: str = "0") -> dict[str, Any]:
    row = {
        "game_date": f"{day} 00:00:00", "team_name_home": home, "team_name_away": away, "pts_home": home_points,
        "pts_away": away_points, "wl_home": "W" if home_points > away_points else "L",
        "wl_away": "L" if home_points > away_points else "W", "reb_home": 51.0, "reb_away": 40.0,
    }  # fmt: skip
    return {column: {key: value} for column, value in row.items()}


def _soccer(day: str, team: str, opponent: str, result: str | None, goals: tuple[int, int]) -> dict[str, Any]:
    key = f"('ENG-Premier League', '3031', '{team}', '{day} {team}-{opponent}')"
    row = {
        "date": f"{day}T00:00:00.000", "venue": "Home", "result": result, "GF": str(goals[0]), "GA": str(goals[1]),
        "opponent": opponent, "Captain": "Ann Other", "Referee": "Bo Whistle",
    }  # fmt: skip
    return {column: {key: value} for column, value in row.items()}


def _film(title: str, length: int, **more: Any) -> dict[str, Any]:
    return {"title": title, "length": length, "release_date": "2027-03-01", "budget": 1_000_000, **more}


_DAYS = {
    f"2031-05-{day:02} 00:00:00 EST": {"Open": 10.0 + day, "High": 20.0, "Low": 9.126, "Close": 11.5, "Volume": 1000}
    for day in (8, 9, 12, 13)
}
_HARBOUR = _film(
    "The Glass Harbour",
    121,
    crew=[{"name": "Ida Lens", "job": "Director"}],
    cast=[{"name": "Tom Reel", "character": "Captain Bly"}],
)
CALLS: list[tuple[str, list[Any], Any]] = [
    ("sports_nba_get_games_on_date", ["2031-05-02"], _nba("2031-05-02", "Utah Jazz", "Phoenix Suns", 101.0, 99.0)),
    ("sports_nba_get_games_on_date", ["2031-05-04", "Utah Jazz"], None),
    (
        "sports_soccer_get_games_on_date",
        ["2031-05", "Northbrook"],
        {
            column: {**values, **_soccer("2031-05-20", "Northbrook", "Eastham", None, (0, 0))[column]}
            for column, values in _soccer("2031-05-10", "Northbrook", "Westford", "W", (3, 1)).items()
        },
    ),
    ("finance_get_company_name", ["quillfeather"], ["Quillfeather Inc. Common Stock", "Quill Foods Corp"]),
    ("finance_get_ticker_by_name", ["Quillfeather Inc. Common Stock"], "QLF"),
    ("finance_get_price_history", ["QLF"], _DAYS),
    ("finance_get_market_capitalization", ["QLF"], 1234567.0),
    ("finance_get_dividends_history", ["QLF"], {"2031-01-03 00:00:00 EST": 0.5, "2031-04-03 00:00:00 EST": 0.75}),
    ("music_search_artist_entity_by_name", ["mara vell"], ["Mara Vell", "Mara"]),
    ("music_get_artist_birth_date", ["Mara Vell"], "1999-02-03"),
    ("music_search_artist_entity_by_name", ["tin owls"], ["The Tin Owls", "Tin Owl"]),
    ("music_get_members", ["The Tin Owls"], ["Ada", "Ben"]),
    ("music_grammy_get_best_song_by_year", [2011], ["Invented Tune"]),
    ("music_get_billboard_rank_date", [1, "2031-05-10"], [["Paper Moon Two"], ["Mara Vell"]]),
    *(
        ("movie_get_movie_info", [name], [_HARBOUR, _film("Glass", 90)])
        for name in ("the glass harbour", "glass harbour")
    ),
    ("movie_get_movie_info", ["salt and slate"], [_film("Salt and Slate", 95)]),
    ("movie_get_movie_info", ["slate"], [_film("Salt and Slate", 95), _film("The Slate Roof", 100)]),
    ("open_search_entity_by_name", ["brackwater"], ["Brackwater", "Brackwater (river)"]),
    (
        "open_get_entity",
        ["Brackwater"],
        {
            "summary_text": "Brackwater is a town.",
            "summary_structured": "{'name': 'Brackwater', 'population_total': '4,210<ref>census</ref>'}",
        },
    ),
]


@pytest.fixture(scope="session")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("crag") / "calls.jsonl"
    lines = [
        json.dumps({"function": name, "args": args, "response": {"result": result}}) for name, args, result in CALLS
    ]
    file.write_text("\n".join(lines) + "\n", "utf-8")
    return file


@pytest.fixture(scope="session")
def replay(recorded: Path) -> Iterator[ReplayServer]:
    with ReplayServer(RecordedCalls.read(recorded)) as server:
        yield server


@pytest.fixture
def rules(replay: ReplayServer) -> RuleLookup:
    return RuleLookup(replay.url)


def asked(text: str) -> CragQuestion:
    return CragQuestion(text, AT)
