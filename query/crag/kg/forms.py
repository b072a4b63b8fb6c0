"""CRAG's API asked: by forms of questions without a model (``forms.toml``), or along a model's plan."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from clausegraph.core.errors import StoreUnavailable
from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.api import API_NAME, ApiSession, api_session, number
from clausegraph.query.crag.kg.api_graph import ApiGraph
from clausegraph.query.crag.kg.games import NBA, SOCCER, TeamGames
from clausegraph.query.crag.kg.names import aligned, nba_teams, plain
from clausegraph.query.crag.kg.plan import HOPS, GraphFact, GraphThing, SchemaPlan, kg_reference
from clausegraph.query.crag.times import resolve
from clausegraph.query.crag.types import Attributes, CragFault, CragFeedback, CragQuestion, KgFound
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE

_TABLE: Mapping[str, Any] = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
_GROUPS: Sequence[Mapping[str, Any]] = _TABLE["groups"]
_COMMON, _INSIDE = (word_set(_TABLE["words"][name]) for name in ("common", "inside"))
_LEAGUES = {
    "premier league": "ENG-Premier League",
    "epl": "ENG-Premier League",
    "la liga": "ESP-La Liga",
    "bundesliga": "GER-Bundesliga",
    "serie a": "ITA-Serie A",
    "ligue 1": "FRA-Ligue 1",
}
_NO_NAMES = re.compile(
    rf"(?:eng|esp|ger|ita|fra)?[- ]?(?:{'|'.join(_LEAGUES)})", re.IGNORECASE
)  # expressions of several words that are no part of a name
_YEAR = re.compile(r"\b(1[89]\d\d|20\d\d)\b")
_QUOTED = re.compile(r"[\"“]([^\"”]{2,80})[\"”]")
_NEXT, _LAST = r"\b(next|upcoming)\b", r"\b(last|latest|(most )?recent(ly)?|previous)\b"
_LIKELY = 2  # names of a question that are looked for
_CLOSED = timedelta(days=5)  # that no exchange is closed in a row
_MOST = 8  # fields of an entity that a question is told


class TimedText:
    """A question and the moment it is asked; ``days`` are the single ones that it names."""

    def __init__(self, text: str, at: datetime) -> None:
        self.text, self.today = text, at.date()
        self._times = resolve(text, at)
        self.days = [one.start for one in self._times if one.start is not None and one.start == one.end]

    def has(self, pattern: str) -> bool:
        """Whether the question has it, in any case."""
        return re.search(pattern, self.text, re.IGNORECASE) is not None

    def names(self, words: str) -> list[str]:
        """What stands between words that a form expects, as a name may; quoted ones first, then the longest."""
        known, text = word_set(words) | _COMMON, self.text
        for one in self._times:
            text = text.replace(one.text, " | ")
        spans: list[list[str]] = [[]]
        for word in re.sub(r"['’]s?\b|[?!,;:]", " | ", _NO_NAMES.sub(" | ", text)).split():
            said = plain(word)
            if not said or (said in known and not (said in _INSIDE and spans[-1])):
                spans.append([])
            else:
                spans[-1].append(word)
        for span in spans:
            while span and plain(span[-1]) in _COMMON:
                span.pop()
        ranked = sorted((" ".join(span) for span in spans if span), key=lambda name: -len(name))
        return list(dict.fromkeys((*_QUOTED.findall(self.text), *ranked)))


@dataclass(frozen=True, slots=True)
class ApiFound:
    """Facts, the names they are about, and the answer where one fact is it."""

    facts: tuple[str, ...]
    entities: tuple[str, ...] = ()
    answer: str | None = None


def found_by_rules(asked: TimedText, api: ApiSession, domain: str | None = None) -> ApiFound | None:
    """What the first form that fits finds; none where none does, or the API does not know."""
    graph = ApiGraph(api)
    for group in sorted(_GROUPS, key=lambda one: one["domain"] != domain):  # the likely domain first
        if (group["domain"] == "open" and domain not in (None, "open")) or not asked.has(group.get("about", "")):
            continue
        form = next((one for one in group["forms"] if asked.has(one["asked"])), None)
        for thing in _linked(asked, group, graph) if form else ():
            if form and (facts := _facts(asked, thing, form["relation"], graph, api)):
                answer = _answer(form, facts) if form.get("answers", True) else None
                return ApiFound(tuple(fact.text for fact in facts), (thing.name,), answer)
    return None


def _linked(asked: TimedText, group: Mapping[str, Any], graph: ApiGraph) -> Iterator[GraphThing]:
    """The things of the group's type that the question names beyond doubt."""
    of, names = group["of"], asked.names(group.get("words", ""))[:_LIKELY]
    if of == "nba team":
        names = nba_teams(asked.text)[:1]
    elif of == "year":
        years = set(_YEAR.findall(asked.text))
        names = list(years) if len(years) == 1 else []  # a range of years is several questions
    for name in names:
        found = graph.find(name.title() if of == "soccer team" and name.islower() else name, of)
        begins = [one.name for one in found if plain(one.name).startswith(plain(name))] if of == "company" else []
        meant = aligned(name, [one.name for one in found]) or next(iter(begins), None)
        yield from [one for one in found if one.name == meant][:1]


def _facts(asked: TimedText, thing: GraphThing, relation: str, graph: ApiGraph, api: ApiSession) -> Sequence[GraphFact]:
    """What a relation of a thing says to the question."""
    day = next(iter(asked.days), asked.today)
    if relation == "ticker":
        return [GraphFact(f"The ticker of {thing.name} is {thing.key}.", relation, value=thing.key)]
    if relation == "games":
        return _game(asked, thing, api)
    facts = graph.facts(thing, [relation], (day, day))
    if relation == "price_history":
        return [fact for fact in facts[-1:] if day - fact.value["day"] < _CLOSED]
    if relation == "dividends":
        return [fact for fact in facts if fact.value["day"] <= asked.today]
    if relation in ("summary", "facts"):
        words = set(plain(asked.text).split()) - {"name", "type"}
        fields = graph.facts(thing, ["facts"], None)
        told = [fact for fact in fields if words & set(plain(fact.text.partition(f" of {thing.name}:")[0]).split())]
        return [*graph.facts(thing, ["summary"], None), *told[:_MOST]]
    return facts


def _game(asked: TimedText, thing: GraphThing, api: ApiSession) -> list[GraphFact]:
    """The game of the day that is named, or the nearest before or after the question."""
    sport = NBA if thing.type == "nba team" else SOCCER
    rival = next(iter(nba_teams(asked.text)[1:2]), "")
    league = next((full for short, full in _LEAGUES.items() if short in plain(asked.text)), "")
    games = TeamGames(api, sport, thing.key, rival if sport is NBA else league)
    row = None
    if asked.days:
        row = games.on(asked.days[0])
    elif asked.has(_NEXT) or asked.has(_LAST):
        row = games.nearest(asked.today, ahead=asked.has(_NEXT))
    return [GraphFact(sport.words(row), "games", value=sport.values(row, thing.key))] if row else []


def _answer(form: Mapping[str, Any], facts: Sequence[GraphFact]) -> str | None:
    """The value of what was found; of a row the form's field."""
    if form["relation"] == "dividends":
        facts = facts[-1:]
    values = [fact.value.get(form["field"]) if "field" in form else fact.value for fact in facts]
    said = [value if isinstance(value, str) else number(value, form.get("unit", "")) for value in values if value]
    return ", ".join(said) if said and said != ["XW"] else None  # no country


class RuleLookup:
    """Asks what the form of the question says."""

    def __init__(self, url: str) -> None:
        self._url = url

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts, cited by the last call that gave something, and the answer where one of them is it."""
        domain = attributes.domain.value if attributes.domain else None
        for told in feedback:
            domain = told.value if told.fault is CragFault.DOMAIN and told.value else domain
        with api_session(self._url) as api:
            found = found_by_rules(TimedText(question.text, question.time), api, domain)
            if found is None and api.failure:
                raise StoreUnavailable(api.failure)
            found = found or ApiFound(())
            source = next((call.words for call in reversed(api.calls) if call.outcome == "found"), "")
            references = tuple(kg_reference(fact, API_NAME, source, found.entities) for fact in found.facts)
            return KgFound(references, api.words, found.entities, found.answer, api.functions)


class PlannedLookup:
    """KERAG over the API of functions; where a plan cannot be made, the calls that rules build."""

    def __init__(self, url: str, model: StepModel, hops: int = HOPS, *, filtered: bool = True) -> None:
        self._url, self._model, self._hops, self._filtered = url, model, hops, filtered

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts along the plan."""
        with api_session(self._url) as api:
            try:
                plan = SchemaPlan(self._model, ApiGraph(api), self._hops, filtered=self._filtered)
                found = plan.run(question, feedback)
            except UNUSABLE as error:
                found = RuleLookup(self._url).lookup(question, attributes, feedback)
                return replace(found, calls=(f"no plan ({error})", *found.calls))
            if not found.references and api.failure:
                raise StoreUnavailable(api.failure)
            return replace(found, calls=(*found.calls, *api.words), looked_into=api.functions or found.looked_into)
