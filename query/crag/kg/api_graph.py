"""The mock API as a graph of things and relations: each getter is a relation of the type that it takes."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from datetime import date, timedelta
from itertools import islice
from typing import Any

from clausegraph.query.crag.kg.forms_other import fields_of, summary_of
from clausegraph.query.crag.kg.forms_sports import games_between
from clausegraph.query.crag.kg.plan import DayRange, GraphFact, GraphThing, SchemaRelation
from clausegraph.query.crag.kg.questions import CANDIDATES, ApiSession, candidates, listed, nba_teams, number, plain

API_NAME = "CRAG API"
_MOST_ROWS = 12  # of a table that is filtered by days
_MOST_LISTED = 40
_FILM = ("release_date", "length", "budget", "revenue", "rating", "original_language", "genres", "director", "crew",
         "cast", "oscar_awards")  # fmt: skip
_GETTERS: dict[str, dict[str, tuple[str, str]]] = {
    "company": {
        "market_capitalization": ("finance_get_market_capitalization", ""),
        "earnings_per_share": ("finance_get_eps", ""),
        "price_to_earnings_ratio": ("finance_get_pe_ratio", ""),
    },
    "artist": {
        "birth_place": ("music_get_artist_birth_place", ""),
        "birth_date": ("music_get_artist_birth_date", ""),
        "members": ("music_get_members", "artist"),
        "lifespan": ("music_get_lifespan", ""),
        "works": ("music_get_artist_all_works", "song"),
        "grammy_count": ("music_grammy_get_award_count_by_artist", ""),
        "grammy_years": ("music_grammy_get_award_date_by_artist", ""),
    },
    "song": {
        "author": ("music_get_song_author", "artist"),
        "release_date": ("music_get_song_release_date", ""),
        "release_country": ("music_get_song_release_country", ""),
        "grammy_count": ("music_grammy_get_award_count_by_song", ""),
    },
    "year": {
        "grammy_best_new_artist": ("music_grammy_get_best_artist_by_year", "artist"),
        "grammy_song_of_the_year": ("music_grammy_get_best_song_by_year", "song"),
        "grammy_album_of_the_year": ("music_grammy_get_best_album_by_year", ""),
    },
}
_SPECIAL: dict[str, dict[str, str]] = {
    "company": {"price_history": "", "dividends": "", "company_info": ""},
    "film": dict.fromkeys(_FILM, "") | {"cast": "person", "director": "person"},
    "person": {"birthday": "", "acted_movies": "film", "oscar_awards": ""},
    "year": {"oscar_awards": ""},
    "nba team": {"games": ""},
    "soccer team": {"games": ""},
    "entity": {"summary": "", "facts": ""},
}
_SEARCH = {
    "artist": "music_search_artist_entity_by_name",
    "song": "music_search_song_entity_by_name",
    "entity": "open_search_entity_by_name",
}


class ApiGraph:
    """The API for one question. What was fetched of a film or a person is kept for its relations."""

    name = API_NAME

    def __init__(self, api: ApiSession) -> None:
        self._api = api
        self._records: dict[tuple[str, str], dict[str, Any]] = {}

    def schema(self) -> Sequence[SchemaRelation]:
        """Types and relations of all five domains."""
        plain_ = [
            SchemaRelation(name, kind, gives)
            for kind, getters in _GETTERS.items()
            for name, (_, gives) in getters.items()
        ]
        special = [
            SchemaRelation(name, kind, gives) for kind, known in _SPECIAL.items() for name, gives in known.items()
        ]
        return [*plain_, *special]

    def find(self, name: str, kind: str) -> list[GraphThing]:
        """By the API's own search where it has one."""
        match kind:
            case "company":
                return self._companies(name)
            case "film" | "person":
                return self._film_things(name, kind)
            case "year":
                return [GraphThing(name, name, kind)] if name.isdigit() else []
            case "nba team":
                return [GraphThing(team, team, kind) for team in nba_teams(name)]
            case "soccer team":
                return [GraphThing(name, name, kind)]
            case _:
                return self._searched(name, kind if kind in _SEARCH else "entity")

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Those of the relations that the thing's type has, a call each."""
        found: list[GraphFact] = []
        known = [*_GETTERS.get(thing.type, {}), *_SPECIAL.get(thing.type, {})]
        for relation in known if relations is None else relations:
            getter = _GETTERS.get(thing.type, {}).get(relation)
            if getter is not None:
                found += self._gotten(thing, relation, *getter)
            elif relation in _SPECIAL.get(thing.type, {}):
                found += islice(self._special(thing, relation, days), _MOST_LISTED)
        return found

    # --- finding ----------------------------------------------------------------------------------

    def _companies(self, name: str) -> list[GraphThing]:
        known = self._api.ask("finance_get_company_name", name)
        found = []
        for company in candidates(name, known) if isinstance(known, list) else []:
            ticker = self._api.ask("finance_get_ticker_by_name", company)
            if isinstance(ticker, str):
                found.append(GraphThing(ticker, company, "company"))
        if not found and name.isalpha() and len(name) <= 5:
            found = [GraphThing(name.upper(), name.upper(), "company")]
        return found

    def _film_things(self, name: str, kind: str) -> list[GraphThing]:
        function, field = ("movie_get_movie_info", "title") if kind == "film" else ("movie_get_person_info", "name")
        known = self._api.ask(function, name)
        records = {str(one.get(field)): one for one in known or [] if isinstance(one, dict)}
        found = []
        for called in candidates(name, records):
            thing = GraphThing(str(records[called].get("id", called)), called, kind)
            self._records[kind, thing.key] = records[called]
            found.append(thing)
        return found

    def _searched(self, name: str, kind: str) -> list[GraphThing]:
        known = self._api.ask(_SEARCH[kind], name)
        if isinstance(known, list):
            return [GraphThing(one, one, kind) for one in candidates(name, map(str, known), CANDIDATES)]
        return [GraphThing(name, name, kind)] if self._api.lacks(_SEARCH[kind], name) else []

    # --- facts ------------------------------------------------------------------------------------

    def _gotten(self, thing: GraphThing, relation: str, function: str, gives: str) -> Iterator[GraphFact]:
        value = self._api.ask(function, int(thing.key) if thing.type == "year" else thing.key)
        if value is None or value in ("NO", [None, None]):
            return
        values = value if isinstance(value, list) and gives else [value]
        for one in values[:_MOST_LISTED]:
            said = number(one) if isinstance(one, (int, float)) else listed(one)
            other = GraphThing(said, said, gives) if gives else None
            yield self._fact(f"{relation.replace('_', ' ')} of {thing.name}: {said}.", relation, other)

    def _special(self, thing: GraphThing, relation: str, days: DayRange | None) -> Iterator[GraphFact]:
        makers: dict[str, Callable[[], Iterator[GraphFact]]] = {
            "price_history": lambda: self._prices(thing, days),
            "dividends": lambda: self._dividends(thing),
            "games": lambda: self._games(thing, days),
            "summary": lambda: self._entity(thing, relation),
            "facts": lambda: self._entity(thing, relation),
        }
        if relation in makers:
            yield from makers[relation]()
        elif thing.type == "company":
            yield from self._fields(thing, relation, self._api.ask("finance_get_info", thing.key))
        elif thing.type == "year":
            record = self._api.ask("movie_get_year_info", thing.key)
            yield from self._of_record(thing, relation, record if isinstance(record, dict) else {})
        else:
            yield from self._of_record(thing, relation, self._record(thing))

    def _record(self, thing: GraphThing) -> dict[str, Any]:
        """Of a film or a person; one that another led to is fetched by its id."""
        key = thing.type, thing.key
        if key not in self._records:
            function = "movie_get_movie_info_by_id" if thing.type == "film" else "movie_get_person_info_by_id"
            found = self._api.ask(function, thing.key)
            self._records[key] = found if isinstance(found, dict) else {}
        return self._records[key]

    def _of_record(self, thing: GraphThing, relation: str, record: dict[str, Any]) -> Iterator[GraphFact]:
        called = str(record.get("title") or record.get("name") or thing.name)
        value = record.get("crew" if relation == "director" else relation)
        if relation == "director":
            value = [one for one in value or [] if one.get("job") == "Director"]
        for one in value if isinstance(value, list) else [value] if value not in (None, "") else []:
            if relation == "oscar_awards":
                won = "won" if one.get("winner") else "was nominated for"
                text = f"{one.get('name')} {won} the Oscar for {one.get('category')} with {one.get('film')} in "
                yield self._fact(f"{text}{one.get('year_ceremony')}.", relation)
            elif relation == "cast":
                other = GraphThing(str(one.get("id")), str(one.get("name")), "person")
                yield self._fact(f"{one.get('name')} played {one.get('character')} in {called}.", relation, other)
            elif relation in ("crew", "director"):
                other = GraphThing(str(one.get("id")), str(one.get("name")), "person")
                yield self._fact(f"{one.get('job')} of {called}: {one.get('name')}.", relation, other)
            elif relation == "acted_movies":
                yield self._fact(f"{called} acted in film {one}.", relation, GraphThing(str(one), str(one), "film"))
            else:
                said = one.get("name") if isinstance(one, dict) else one
                yield self._fact(f"{relation.replace('_', ' ')} of {called}: {said}.", relation)

    def _prices(self, thing: GraphThing, days: DayRange | None) -> Iterator[GraphFact]:
        """Those of the days asked for, and of the last day traded before them."""
        history = self._api.ask("finance_get_price_history", thing.key)
        if not isinstance(history, dict):
            return
        first, last = days or (date.min, date.max)
        inside = [key for key in history if first.isoformat() <= key[:10] <= last.isoformat()]
        before = [key for key in history if key[:10] < first.isoformat()][-1:]
        for key in [*before, *inside][-_MOST_ROWS:]:
            said = ", ".join(f"{column.lower()} {number(value)}" for column, value in history[key].items())
            yield self._fact(f"{thing.name} ({thing.key}) on {key[:10]}: {said}.", "price_history")

    def _dividends(self, thing: GraphThing) -> Iterator[GraphFact]:
        paid = self._api.ask("finance_get_dividends_history", thing.key)
        for key in list(paid)[-_MOST_ROWS:] if isinstance(paid, dict) else []:
            yield self._fact(f"{thing.name} paid {number(paid[key])} per share on {key[:10]}.", "dividends")

    def _games(self, thing: GraphThing, days: DayRange | None) -> Iterator[GraphFact]:
        if days is None:
            return
        first, last = days if (days[1] - days[0]).days <= 60 else (days[1] - timedelta(days=60), days[1])
        for said in games_between(self._api, thing.type == "nba team", thing.key, first, last):
            yield self._fact(said, "games")

    def _entity(self, thing: GraphThing, relation: str) -> Iterator[GraphFact]:
        entity = self._api.ask("open_get_entity", thing.key)
        if isinstance(entity, dict):
            texts = [summary_of(entity)] if relation == "summary" else fields_of(thing.name, entity)
            for text in texts:
                if text:
                    yield self._fact(text, relation)

    def _fields(self, thing: GraphThing, relation: str, record: Any) -> Iterator[GraphFact]:
        for field, value in record.items() if isinstance(record, dict) else ():
            if isinstance(value, (str, int, float)) and plain(str(value)) and len(str(value)) < 1000:
                yield self._fact(f"{field} of {thing.name}: {value}.", relation)

    def _fact(self, text: str, relation: str, other: GraphThing | None = None) -> GraphFact:
        return GraphFact(text, relation, other, self._api.calls[-1].words if self._api.calls else "")
