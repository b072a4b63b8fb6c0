"""CRAG's mock API as a graph: each getter is a relation of the type that it takes."""

from __future__ import annotations

import ast
import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import date, timedelta
from itertools import islice
from typing import Any

from clausegraph.core.errors import StoreUnavailable
from clausegraph.query.crag.kg import games
from clausegraph.query.crag.kg.api import API, API_NAME, ApiSession, api_session, in_words, number
from clausegraph.query.crag.kg.names import candidates, nba_teams, plain
from clausegraph.query.crag.kg.plan import HOPS, DayRange, GraphFact, GraphLookup, GraphThing, SchemaRelation
from clausegraph.query.crag.types import Attributes, CragFeedback, CragQuestion, KgFound
from clausegraph.query.steps.model import StepModel

_MOST_ROWS = 12  # of a table that is filtered by days
_MOST_LISTED = 40
_MOST_DAYS = timedelta(days=60)  # in which games are looked for
_GETTERS: Mapping[str, Mapping[str, Sequence[str]]] = API["getters"]  # function and type, by type and relation
_SPECIAL: Mapping[str, Mapping[str, str]] = API["special"]  # the type that it leads to, by type and relation
_SEARCH: Mapping[str, str] = API["search"]
_RECORD_WORDS = {
    "oscar_awards": "{name} {won} the Oscar for {category} with {film} in {year_ceremony}.",
    "cast": "{name} played {character} in {called}.",
    "crew": "{job} of {called}: {name}.",
    "director": "{job} of {called}: {name}.",
    "acted_movies": "{called} acted in film {name}.",
}  # else "relation of film: value."
_SUMMARY = 800  # characters of it
_LONGEST = 20_000  # characters of structured facts that are read
_MARKUP = re.compile(r"<ref[^>]*>.*?(</ref>|$)|<[^>]+>|\{\{[^{}]*\}\}|\[\[(?:[^|\]]*\|)?|\]\]|'{2,}", re.DOTALL)


class ApiGraph:
    """The API for one question. What was fetched of a film or a person is kept for its relations."""

    name = API_NAME

    def __init__(self, api: ApiSession) -> None:
        self._api = api
        self._records: dict[tuple[str, str], dict[str, Any]] = {}

    def schema(self) -> Sequence[SchemaRelation]:
        """Types and relations of all five domains."""
        getters = [(kind, name, gives) for kind, known in _GETTERS.items() for name, (_, gives) in known.items()]
        special = [(kind, name, gives) for kind, known in _SPECIAL.items() for name, gives in known.items()]
        return [SchemaRelation(name, kind, gives) for kind, name, gives in (*getters, *special)]

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
        records = {str(one.get(field)): one for one in self._api.ask(function, name) or [] if isinstance(one, dict)}
        found = [
            GraphThing(str(records[called].get("id", called)), called, kind) for called in candidates(name, records)
        ]
        self._records |= {(kind, thing.key): records[thing.name] for thing in found}
        return found

    def _searched(self, name: str, kind: str) -> list[GraphThing]:
        known = self._api.ask(_SEARCH[kind], name)
        if isinstance(known, list):
            return [GraphThing(one, one, kind) for one in candidates(name, map(str, known))]
        return [GraphThing(name, name, kind)] if self._api.lacks(_SEARCH[kind], name) else []

    def facts(self, thing: GraphThing, relations: Collection[str] | None, days: DayRange | None) -> list[GraphFact]:
        """Those of the relations that the thing's type has, a call each."""
        getters, special = _GETTERS.get(thing.type, {}), _SPECIAL.get(thing.type, {})
        found: list[GraphFact] = []
        for relation in [*getters, *special] if relations is None else relations:
            if relation in getters:
                found += self._gotten(thing, relation, *getters[relation])
            elif relation in special:
                found += islice(self._special(thing, relation, days), _MOST_LISTED)
        return found

    def _gotten(self, thing: GraphThing, relation: str, function: str, gives: str) -> Iterator[GraphFact]:
        value = self._api.ask(function, int(thing.key) if thing.type == "year" else thing.key)
        if value is None or value in ("NO", [None, None]):
            return
        for one in (value if isinstance(value, list) and gives else [value])[:_MOST_LISTED]:
            said = number(one) if isinstance(one, (int, float)) else in_words(one)
            other = GraphThing(said, said, gives) if gives else None
            yield self._fact(f"{relation.replace('_', ' ')} of {thing.name}: {said}.", relation, other)

    def _special(self, thing: GraphThing, relation: str, days: DayRange | None) -> Iterator[GraphFact]:
        makers: dict[str, Callable[[], Iterator[str]]] = {
            "price_history": lambda: self._prices(thing, days),
            "dividends": lambda: self._dividends(thing),
            "company_info": lambda: self._company_info(thing),
            "games": lambda: self._games(thing, days),
            "summary": lambda: self._entity(thing, relation),
            "facts": lambda: self._entity(thing, relation),
        }
        if relation in makers:
            yield from (self._fact(said, relation) for said in makers[relation]())
        else:
            yield from self._of_record(thing, relation, self._record(thing))

    def _record(self, thing: GraphThing) -> dict[str, Any]:
        """Of a film, a person or a year; one that another led to is fetched by its id."""
        key = thing.type, thing.key
        if key not in self._records:
            by_type = {"film": "movie_get_movie_info_by_id", "year": "movie_get_year_info"}
            found = self._api.ask(by_type.get(thing.type, "movie_get_person_info_by_id"), thing.key)
            self._records[key] = found if isinstance(found, dict) else {}
        return self._records[key]

    def _of_record(self, thing: GraphThing, relation: str, record: dict[str, Any]) -> Iterator[GraphFact]:
        called = str(record.get("title") or record.get("name") or thing.name)
        value = record.get("crew" if relation == "director" else relation)
        if relation == "director":
            value = [one for one in value or [] if one.get("job") == "Director"]
        words = _RECORD_WORDS.get(relation, f"{relation.replace('_', ' ')} of {{called}}: {{name}}.")
        for one in value if isinstance(value, list) else [value] if value not in (None, "") else []:
            fields = defaultdict(lambda: None, one if isinstance(one, dict) else {"name": one})
            fields |= {"called": called, "won": "won" if fields["winner"] else "was nominated for"}
            other, name = None, str(fields["name"])
            if relation in ("cast", "crew", "director"):
                other = GraphThing(str(fields["id"]), name, "person")
            elif relation == "acted_movies":
                other = GraphThing(name, name, "film")
            yield self._fact(words.format_map(fields), relation, other)

    def _prices(self, thing: GraphThing, days: DayRange | None) -> Iterator[str]:
        """Those of the days asked for, and of the last day traded before them."""
        history = self._api.ask("finance_get_price_history", thing.key)
        if not isinstance(history, dict):
            return
        first, last = days or (date.min, date.max)
        inside = [key for key in history if first.isoformat() <= key[:10] <= last.isoformat()]
        before = [key for key in history if key[:10] < first.isoformat()][-1:]
        for key in [*before, *inside][-_MOST_ROWS:]:
            said = ", ".join(f"{column.lower()} {number(value)}" for column, value in history[key].items())
            yield f"{thing.name} ({thing.key}) on {key[:10]}: {said}."

    def _dividends(self, thing: GraphThing) -> Iterator[str]:
        paid = self._api.ask("finance_get_dividends_history", thing.key)
        for key in list(paid)[-_MOST_ROWS:] if isinstance(paid, dict) else []:
            yield f"{thing.name} paid {number(paid[key])} per share on {key[:10]}."

    def _games(self, thing: GraphThing, days: DayRange | None) -> Iterator[str]:
        if days is not None:
            sport = games.NBA if thing.type == "nba team" else games.SOCCER
            first = max(days[0], days[1] - _MOST_DAYS)
            yield from games.TeamGames(self._api, sport, thing.key).between(first, days[1])

    def _entity(self, thing: GraphThing, relation: str) -> Iterator[str]:
        """Its summary, cut at a sentence, or its structured facts, which the API writes as a Python literal."""
        entity = self._api.ask("open_get_entity", thing.key)
        if not isinstance(entity, dict):
            return
        if relation == "summary":
            text = str(entity.get("summary_text") or "")
            if text:
                yield text if len(text) <= _SUMMARY else text[:_SUMMARY].rsplit(". ", 1)[0] + "."
            return
        try:
            fields = ast.literal_eval(str(entity.get("summary_structured") or "{}")[:_LONGEST])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return
        for field, value in fields.items() if isinstance(fields, dict) else ():
            if said := " ".join(_MARKUP.sub(" ", str(value)).split())[:200]:
                yield f"{str(field).replace('_', ' ')} of {thing.name}: {said}."

    def _company_info(self, thing: GraphThing) -> Iterator[str]:
        record = self._api.ask("finance_get_info", thing.key)
        for field, value in record.items() if isinstance(record, dict) else ():
            if isinstance(value, (str, int, float)) and plain(str(value)) and len(str(value)) < 1000:
                yield f"{field} of {thing.name}: {value}."

    def _fact(self, text: str, relation: str, other: GraphThing | None = None) -> GraphFact:
        return GraphFact(text, relation, other, self._api.calls[-1].words if self._api.calls else "")


class ApiLookup:
    """KERAG over the API of functions: its calls are told, and an API that did not answer is a failure."""

    def __init__(self, url: str, model: StepModel, hops: int = HOPS, *, filtered: bool = True) -> None:
        self._url, self._model, self._hops, self._filtered = url, model, hops, filtered

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts along the plan; nothing where no plan can be made."""
        with api_session(self._url) as api:
            opened = nullcontext(ApiGraph(api))
            planned = GraphLookup(lambda: opened, self._model, self._hops, filtered=self._filtered)
            found = planned.lookup(question, attributes, feedback)
            if not found.references and api.failure:
                raise StoreUnavailable(api.failure)
            return replace(found, calls=(*found.calls, *api.words), looked_into=api.functions or found.looked_into)
