"""The model calls the API's functions by itself: one list of calls, possibly empty. A baseline of KERAG's plan."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from clausegraph.core.errors import InputError, StoreUnavailable, UnusableReply
from clausegraph.query.crag.kg.api.client import ApiSession
from clausegraph.query.crag.kg.api.functions import FUNCTIONS
from clausegraph.query.crag.kg.api.lookup import API_NAME, ApiAddress
from clausegraph.query.crag.kg.protocol import GraphFact
from clausegraph.query.crag.kg.references import kg_reference
from clausegraph.query.crag.kg.relevance import nearest
from clausegraph.query.crag.types import Attributes, CragFeedback, CragQuestion, KgFound
from clausegraph.query.steps.llm.reply import UNUSABLE, object_of, object_schema
from clausegraph.query.steps.model import StepModel

PROMPT = "crag-kg-tools"
MOST_CALLS = 8
_DEEP = 6
_MOST_VALUES = 4000  # of one result that are looked at
_CALL: dict[str, Any] = {
    "type": "object",
    "properties": {"function": {"type": "string"}, "arguments": {"type": "array"}},
    "required": ["function", "arguments"],
    "additionalProperties": False,
}
SCHEMA = object_schema("calls", calls={"type": "array", "items": _CALL})
Call = tuple[str, tuple[Any, ...]]


def parse_calls(text: str) -> list[Call]:
    """The calls of a reply; of functions that there are, with arguments that fit.

    Raises:
        UnusableReply: it has no list of calls, or none of them can be made.
    """
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
        """Facts of the calls that the model asks for.

        Raises:
            StoreUnavailable: the API did not answer.
        """
        inputs: dict[str, object] = {
            "question": question.text,
            "time": f"{question.time:%A, %Y-%m-%d %H:%M %Z}".strip(),
            "functions": "\n".join(
                f"{one.name}({', '.join(f'{arg.name}: {arg.type}' for arg in one.arguments)}): {one.gives}"
                for one in FUNCTIONS.values()
            ),
            "feedback": "; ".join(map(str, feedback)),
        }
        try:
            calls = self._model.ask(PROMPT, inputs, parse_calls, schema=SCHEMA).value
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
    for number, (path, value) in enumerate(_values(result, (), _DEEP)):
        if number == _MOST_VALUES:
            return
        where = " ".join(path) or "result"
        yield GraphFact(f"{call}: {where} = {value}", where, None, call)


def _values(value: Any, path: tuple[str, ...], deep: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """What a result holds, a record or a list of plain values each."""
    if isinstance(value, dict) and deep and any(isinstance(one, (dict, list)) for one in value.values()):
        for key, one in value.items():
            yield from _values(one, (*path, str(key)), deep - 1)
    elif isinstance(value, list) and deep and any(isinstance(one, (dict, list)) for one in value):
        for one in value:
            yield from _values(one, path, deep - 1)
    elif value not in (None, "", [], {}):
        yield path, value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)[:400]
