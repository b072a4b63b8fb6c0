"""Anything else: the entity that is named, its summary, and the field of its facts that is asked for."""

from __future__ import annotations

import ast
import re
from typing import Any

from clausegraph.core.language.lexicon import word_set
from clausegraph.query.crag.kg.align import aligned, plain
from clausegraph.query.crag.kg.api.asked import TimedText
from clausegraph.query.crag.kg.api.client import ApiSession
from clausegraph.query.crag.kg.api.found import ApiFound

_WORDS = word_set(
    "population capital area motto nickname founded established founder born died height website mayor leader governor"
    " elevation code zip postal county state country city town located big large old tall high happen happened name"
)
_SUMMARY = 800  # characters of it
_FIELDS = {"population": "population_total", "area": "area_total", "elevation": "elevation", "mayor": "leader_name"}
_MARKUP = re.compile(r"<ref[^>]*>.*?(</ref>|$)|<[^>]+>|\{\{[^{}]*\}\}|\[\[(?:[^|\]]*\|)?|\]\]|'{2,}", re.DOTALL)
_MOST = 8  # fields that a question is told
_LONGEST = 20_000  # characters of structured facts that are read


def entities(asked: TimedText, api: ApiSession) -> ApiFound | None:
    """Facts of one entity whose name stands in the question; never an answer by itself: fields are not checked."""
    for name in asked.names(_WORDS)[:2]:
        known = api.ask("open_search_entity_by_name", name)
        same = aligned(name, [str(one) for one in known]) if isinstance(known, list) else None
        entity = api.ask("open_get_entity", same or name) if same or known is None else None
        if isinstance(entity, dict):
            facts = (summary_of(entity), *_fields(asked, same or name, entity))
            return ApiFound(tuple(fact for fact in facts if fact), (same or name,))
    return None


FORMS = (entities,)


def summary_of(entity: dict[str, Any]) -> str:
    text = str(entity.get("summary_text") or "")
    return text if len(text) <= _SUMMARY else text[:_SUMMARY].rsplit(". ", 1)[0] + "."


def fields_of(name: str, entity: dict[str, Any]) -> list[str]:
    """Its structured facts in words; the API writes them as a Python literal."""
    return [fact for _, fact in _structured(name, entity)]


def _fields(asked: TimedText, name: str, entity: dict[str, Any]) -> list[str]:
    """Those whose field has a word of the question."""
    words = set(plain(asked.text).split())
    wanted = {_FIELDS[word] for word in words if word in _FIELDS}
    facts = _structured(name, entity)
    return [fact for field, fact in facts if field in wanted or words & set(field.split("_")) - {"name", "type"}][
        :_MOST
    ]


def _structured(name: str, entity: dict[str, Any]) -> list[tuple[str, str]]:
    try:
        facts = ast.literal_eval(str(entity.get("summary_structured") or "{}")[:_LONGEST])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return []
    found = []
    for field, value in facts.items() if isinstance(facts, dict) else ():
        said = " ".join(_MARKUP.sub(" ", str(value)).split())[:200]
        if said:
            found.append((str(field), f"{str(field).replace('_', ' ')} of {name}: {said}."))
    return found
