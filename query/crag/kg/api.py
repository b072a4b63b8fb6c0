"""CRAG's mock API of functions as a graph lookup: calls by rules, under a plan, or as a model asks for them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from clausegraph.core.errors import InputError, StoreUnavailable, UnusableReply
from clausegraph.query.crag.kg.api_functions import FUNCTIONS
from clausegraph.query.crag.kg.api_graph import API_NAME, ApiGraph
from clausegraph.query.crag.kg.endpoints import Endpoint, EndpointLimits
from clausegraph.query.crag.kg.forms_media import FILM_FORMS, MUSIC_FORMS
from clausegraph.query.crag.kg.forms_other import COMPANY_FORMS, ENTITY_FORMS
from clausegraph.query.crag.kg.forms_sports import GAME_FORMS
from clausegraph.query.crag.kg.plan import HOPS, GraphFact, SchemaPlan, kg_reference, nearest, planned_facts
from clausegraph.query.crag.kg.questions import ApiClient, ApiFound, ApiSession, Form, TimedText
from clausegraph.query.crag.types import Attributes, CragFault, CragFeedback, CragQuestion, KgFound
from clausegraph.query.steps.model import StepModel
from clausegraph.query.steps.reply import UNUSABLE, object_of, object_schema

_FORMS: dict[str, Sequence[Form]] = {
    "sports": GAME_FORMS,
    "finance": COMPANY_FORMS,
    "movie": FILM_FORMS,
    "music": MUSIC_FORMS,
    "open": ENTITY_FORMS,
}
MOST_CALLS = 8
_DEEP = 6
_MOST_VALUES = 4000  # of one result that are looked at


def found_by_rules(asked: TimedText, api: ApiSession, domain: str | None = None) -> ApiFound | None:
    """What the first form finds that fits; none where none does, or the API does not know."""
    for name in sorted(_FORMS, key=lambda one: one != domain):  # a stable order, the likely domain first
        if name == "open" and domain not in (None, "open"):
            continue
        for form in _FORMS[name]:
            found = form(asked, api)
            if found is not None:
                return found
    return None


@dataclass(frozen=True, slots=True)
class ApiAddress:
    """Where the API is, and what a request to it may take."""

    url: str
    limits: EndpointLimits = field(default_factory=EndpointLimits)

    @contextmanager
    def session(self) -> Iterator[ApiSession]:
        """The calls of one look-up."""
        with Endpoint(self.url, self.limits) as endpoint:
            yield ApiSession(ApiClient(endpoint).call)


class RuleLookup:
    """Asks what the form of the question says."""

    def __init__(self, api: ApiAddress) -> None:
        self._api = api

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts, and the answer where one of them is it."""
        domain = attributes.domain.value if attributes.domain else None
        for told in feedback:
            domain = told.value if told.fault is CragFault.DOMAIN and told.value else domain
        with self._api.session() as api:
            found = found_by_rules(TimedText(question.text, question.time), api, domain)
            if found is None and api.failure:
                raise StoreUnavailable(api.failure)
            return in_references(found, api)


def in_references(found: ApiFound | None, api: ApiSession) -> KgFound:
    """What was found with all calls; a fact is cited by the last call that gave something."""
    if found is None:
        return KgFound(calls=api.words, looked_into=api.functions)
    source = next((call.words for call in reversed(api.calls) if call.outcome == "found"), "")
    references = tuple(kg_reference(fact, API_NAME, source, found.entities) for fact in found.facts)
    return KgFound(references, api.words, found.entities, found.answer, api.functions)


_CALL = object_schema("call", function={"type": "string"}, arguments={"type": "array"})[1]
SCHEMA = object_schema("calls", calls={"type": "array", "items": _CALL})
Call = tuple[str, tuple[Any, ...]]


def parse_calls(text: str) -> list[Call]:
    """The calls of a reply; of functions that there are, with arguments that fit."""
    given = object_of(text).get("calls")
    if not isinstance(given, list):
        raise UnusableReply("the reply has no list of calls")
    calls = []
    for one in given[:MOST_CALLS]:
        function = FUNCTIONS.get(str(one.get("function"))) if isinstance(one, dict) else None
        args = one.get("arguments") if isinstance(one, dict) else None
        if function is not None and isinstance(args, list):
            try:
                function.body(args)
            except InputError:
                continue
            calls.append((function.name, tuple(args)))
    if given and not calls:
        raise UnusableReply("no call of the reply can be made")
    return calls


class ToolLookup:
    """Asks for calls, makes them, and gives what is nearest of their results."""

    def __init__(self, api: ApiAddress, model: StepModel) -> None:
        self._api, self._model = api, model

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts of the calls that the model asks for."""
        inputs: dict[str, object] = {
            "question": question.text,
            "time": question.moment,
            "functions": "\n".join(
                f"{one.name}({', '.join(f'{arg.name}: {arg.type}' for arg in one.arguments)}): {one.gives}"
                for one in FUNCTIONS.values()
            ),
            "feedback": "; ".join(map(str, feedback)),
        }
        try:
            calls = self._model.ask("crag-kg-tools", inputs, parse_calls, schema=SCHEMA).value
        except UNUSABLE as error:
            return KgFound(calls=(f"none: {error}",))
        with self._api.session() as api:
            facts = [fact for name, args in calls for fact in _facts(api, name, args)]
            if not facts and api.failure:
                raise StoreUnavailable(api.failure)
        names = [str(arg) for _, args in calls for arg in args if isinstance(arg, str)]
        references = tuple(kg_reference(one.text, API_NAME, one.source) for one in nearest(facts, question, names))
        return KgFound(references, api.words, tuple(dict.fromkeys(names)), looked_into=api.functions)


def _facts(api: ApiSession, name: str, args: tuple[Any, ...]) -> Iterator[GraphFact]:
    result = api.ask(name, *args)
    if result is None:
        return
    call = api.calls[-1].words
    for number, (path, value) in enumerate(_leaves(result, (), _DEEP)):
        if number == _MOST_VALUES:
            return
        where = " ".join(path) or "result"
        yield GraphFact(f"{call}: {where} = {value}", where, None, call)


def _leaves(value: Any, path: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a result holds, a record or a list of plain values each."""
    if isinstance(value, dict) and deep and any(isinstance(one, (dict, list)) for one in value.values()):
        for key, one in value.items():
            yield from _leaves(one, (*path, str(key)), deep - 1)
    elif isinstance(value, list) and deep and any(isinstance(one, (dict, list)) for one in value):
        for one in value:
            yield from _leaves(one, path, deep - 1)
    elif value not in (None, "", [], {}):
        yield path, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:400]


class PlannedLookup:
    """KERAG over the API of functions; where a plan cannot be made, the calls that rules build."""

    def __init__(self, api: ApiAddress, model: StepModel, hops: int = HOPS, *, filtered: bool = True) -> None:
        self._api, self._model, self._hops, self._filtered = api, model, hops, filtered

    def lookup(
        self, question: CragQuestion, attributes: Attributes, feedback: tuple[CragFeedback, ...] = ()
    ) -> KgFound:
        """Facts along the plan."""
        with self._api.session() as api:
            plan = SchemaPlan(self._model, ApiGraph(api), self._hops, filtered=self._filtered)
            try:
                found = planned_facts(plan, API_NAME, question, feedback)
            except UNUSABLE as error:
                found = RuleLookup(self._api).lookup(question, attributes, feedback)
                return replace(found, calls=(f"no plan ({error})", *found.calls))
            if not found.references and api.failure:
                raise StoreUnavailable(api.failure)
            return replace(found, calls=(*found.calls, *api.words), looked_into=api.functions or found.looked_into)
