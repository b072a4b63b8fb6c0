"""The functions that CRAG's mock API has, with typed arguments: the published list in our own words."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clausegraph.core.errors import InputError

ArgumentType = Literal["text", "integer", "date", "texts"]


@dataclass(frozen=True, slots=True)
class Argument:
    """An argument; a date is ``YYYY-MM-DD``, for games also ``YYYY-MM`` or ``YYYY``."""

    name: str
    type: ArgumentType = "text"
    required: bool = True
    choices: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ApiFunction:
    """One function: what it takes, and what it gives in one line."""

    name: str
    gives: str
    arguments: tuple[Argument, ...]

    @property
    def path(self) -> str:
        """Of the POST."""
        parts = self.name.split("_", 2)
        folders = parts[:2] if parts[0] == "sports" else parts[:1]
        return "/" + "/".join((*folders, self.name.removeprefix("_".join(folders) + "_")))

    def wire_names(self) -> tuple[str, ...]:
        """What the arguments are called in the body."""
        if len(self.arguments) == 1 and self.arguments[0].type != "texts":
            return ("query",)
        return tuple(argument.name for argument in self.arguments)

    def body(self, args: Sequence[Any]) -> dict[str, Any]:
        """The body of a call."""
        least = sum(argument.required for argument in self.arguments)
        if not least <= len(args) <= len(self.arguments):
            raise InputError(f"{self.name} takes {least} to {len(self.arguments)} arguments, not {len(args)}")
        for argument, value in zip(self.arguments, args, strict=False):
            _check(self.name, argument, value)
        given = [*args, *[None] * (len(self.arguments) - len(args))]
        return dict(zip(self.wire_names(), given, strict=True))

    def args(self, body: Mapping[str, Any]) -> tuple[Any, ...]:
        """The arguments of a body, without optional ones at the end that are not given."""
        found = [body.get(name) for name in self.wire_names()]
        while found and found[-1] is None:
            found.pop()
        return tuple(found)


def _check(function: str, argument: Argument, value: object) -> None:
    if value is None and not argument.required:
        return
    right = {
        "text": isinstance(value, str),
        "date": isinstance(value, str),
        "integer": isinstance(value, int) and not isinstance(value, bool),
        "texts": isinstance(value, (list, tuple)) and all(isinstance(one, str) for one in value),
    }[argument.type]
    if not right or (argument.choices and value not in argument.choices):
        wanted = f"one of {', '.join(argument.choices)}" if argument.choices else f"a {argument.type}"
        raise InputError(f"argument {argument.name} of {function} is {wanted}, not {value!r:.80}")


def _one(name: str, gives: str, argument: str, kind: ArgumentType = "text") -> ApiFunction:
    return ApiFunction(name, gives, (Argument(argument, kind),))


_DATE, _TEAM = Argument("date", "date"), Argument("team_name", required=False)
_FUNCTIONS = (
    _one("open_search_entity_by_name", "names of entities most like the given one, 10 at most", "query"),
    _one("open_get_entity", "summary, structured facts and source text of an entity, by its exact name", "entity"),
    _one("movie_get_person_info", "people of films by name: birthday, films acted in, Oscars", "person_name"),
    _one("movie_get_movie_info", "films by title: dates, money, runtime, rating, cast, crew, Oscars", "movie_name"),
    _one("movie_get_year_info", "films and Oscars of a year between 1990 and 2021", "year"),
    _one("movie_get_movie_info_by_id", "the film with that id", "movie_id"),
    _one("movie_get_person_info_by_id", "the person with that id", "person_id"),
    _one("finance_get_company_name", "full names of companies most like the given one", "query"),
    _one("finance_get_ticker_by_name", "ticker of a company, by its full name", "query"),
    _one("finance_get_price_history", "open, high, low, close and volume of each day of a year", "ticker_name"),
    _one("finance_get_detailed_price_history", "the same for each minute of the last five days", "ticker_name"),
    _one("finance_get_dividends_history", "dividends per share by date", "ticker_name"),
    _one("finance_get_market_capitalization", "market capitalisation", "ticker_name"),
    _one("finance_get_eps", "earnings per share", "ticker_name"),
    _one("finance_get_pe_ratio", "price-to-earnings ratio", "ticker_name"),
    _one("finance_get_info", "address, industry, officers, employees and key figures of a company", "ticker_name"),
    _one("music_search_artist_entity_by_name", "names of artists most like the given one", "artist_name"),
    _one("music_search_song_entity_by_name", "names of songs most like the given one", "song_name"),
    ApiFunction(
        "music_get_billboard_rank_date",
        "songs and artists that had a rank of the Billboard chart, on a date or ever",
        (Argument("rank", "integer"), Argument("date", "date", required=False)),
    ),
    ApiFunction(
        "music_get_billboard_attributes",
        "how a song stood in the Billboard chart on a date",
        (
            _DATE,
            Argument("attribute", choices=("rank_last_week", "weeks_in_chart", "top_position", "rank")),
            Argument("song_name"),
        ),
    ),
    _one("music_grammy_get_best_artist_by_year", "Best New Artist of a year, 1958 to 2019", "year", "integer"),
    _one("music_grammy_get_award_count_by_artist", "number of Grammys of an artist, 1958 to 2019", "artist_name"),
    _one("music_grammy_get_award_count_by_song", "number of Grammys of a song, 1958 to 2019", "song_name"),
    _one("music_grammy_get_best_song_by_year", "Song of the Year of a year, 1958 to 2019", "year", "integer"),
    _one("music_grammy_get_award_date_by_artist", "years in which an artist won Grammys", "artist_name"),
    _one("music_grammy_get_best_album_by_year", "Album of the Year of a year, 1958 to 2019", "year", "integer"),
    ApiFunction("music_grammy_get_all_awarded_artists", "all Best New Artists, 1958 to 2019, without years", ()),
    _one("music_get_artist_birth_place", "country of birth of an artist, as two letters", "artist_name"),
    _one("music_get_artist_birth_date", "date of birth of an artist", "artist_name"),
    _one("music_get_members", "members of a band", "band_name"),
    _one("music_get_lifespan", "dates of birth and death of an artist", "artist_name"),
    _one("music_get_song_author", "who wrote a song", "song_name"),
    _one("music_get_song_release_country", "country where a song was released, as two letters", "song_name"),
    _one("music_get_song_release_date", "date when a song was released", "song_name"),
    _one("music_get_artist_all_works", "all works of an artist", "artist_name"),
    ApiFunction(
        "sports_soccer_get_games_on_date",
        "soccer games on a day, in a month or a year: opponent, venue, result, goals",
        (_DATE, _TEAM),
    ),
    ApiFunction(
        "sports_nba_get_games_on_date",
        "NBA games on a day, in a month or a year: teams, points, who won",
        (_DATE, _TEAM),
    ),
    _one("sports_nba_get_play_by_play_data_by_game_ids", "play by play of NBA games, by ids", "game_ids", "texts"),
)
FUNCTIONS: Mapping[str, ApiFunction] = {function.name: function for function in _FUNCTIONS}


def function_of(name: str) -> ApiFunction:
    """The function of that name."""
    if name not in FUNCTIONS:
        raise InputError(f"the API has no function {name[:80]!r}; its functions are {', '.join(FUNCTIONS)}")
    return FUNCTIONS[name]
