"""A condition-aware reply turned into the statements of each chunk of its call. Pure: no model, no page."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.language.stated import BARE_PRONOUNS, ChunkTexts, clean_name, key_of
from clausegraph.core.language.values import VALUE_KINDS
from clausegraph.core.models.json_text import JsonText, read_json
from clausegraph.core.types import Condition, Literal, Mention, Modality, Span, Statement
from clausegraph.ingestion.extract.llm.conditional.conditions import ConditionReader, UnusableCondition
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    LONGEST_RELATION,
    described,
    element_number,
    first_items,
    relation_name,
    told,
    type_name,
)
from clausegraph.ingestion.extract.llm.numbering import Call

_LISTS = ("triples", "triplets", "facts", "statements")
_MODALITIES = {
    **{modality.value: modality for modality in Modality},
    "": Modality.IS,
    "can": Modality.MAY,
    "shall": Modality.MUST,
    **dict.fromkeys(("can not", "must not", "may not", "can't", "mustn't"), Modality.CANNOT),
}
_CONDITIONS = ("if", "conditions", "condition")
_UNREADABLE = ("unless", "except", "exceptions", "only_if", "when")
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False}


class _Unusable(Exception):
    """The item cannot be used, and why."""


def parse_conditional(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of each chunk of the call; none for a chunk that a cut-off reply does not cover.

    A triple belongs to the chunk whose input has most of the elements it cites, one of them its own (of several,
    the one cited first). A reply that breaks off covers the chunks before the last one it spoke of; a call of one
    chunk that was not ``cut_off`` keeps what is complete.

    Raises:
        UnusableReply: there is nothing in it that can be read.
    """
    read = read_json(text)
    items, unread = first_items(_items(read))
    if not items and not read.complete:
        raise UnusableReply(f"the model's reply has no complete triple: {read.problem}")
    parser = _CallParser(call)
    parser.lost += unread
    for item in items:
        parser.add(item)
    broken = not read.complete
    if cut_off or (broken and len(call.inputs) > 1):
        return parser.result(covered=parser.last_chunk)
    if broken:
        reason = f"the reply cannot be read to its end ({read.problem}); complete triples are kept"
        parser.lost.append(Reject("reply", reason))
    return parser.result(covered=len(call.inputs))


def _items(read: JsonText) -> list[Any]:
    """The triples of a reply: under a known key, as a bare list, as several objects, or a single one.

    Raises:
        UnusableReply: the value is none of these.
    """
    value = read.value
    if isinstance(value, list):
        lists = [_listed(item) if isinstance(item, dict) and "subject" not in item else None for item in value]
        return [one for item, inner in zip(value, lists, strict=True) for one in ([item] if inner is None else inner)]
    if "subject" in value:
        return [value] if read.complete else []
    listed = _listed(value)
    if listed is None:
        raise UnusableReply(f'the model\'s reply has no "triples": {described(value)}')
    return listed


def _listed(value: dict[str, Any]) -> list[Any] | None:
    named = [value[key] for key in _LISTS if isinstance(value.get(key), list)]
    others = [item for item in value.values() if isinstance(item, list)]
    return named[0] if named else others[0] if len(others) == 1 else None


class _CallParser:
    """Collects the statements of a call, chunk by chunk."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._owner = {
            number: chunk
            for chunk, labels in enumerate(call.labels)
            for number, label in labels.items()
            if label.startswith("e")
        }
        self._chunks: dict[int, _ChunkParser] = {}
        self.last_chunk = 0  # of the last item that could be placed
        self.lost: list[Reject] = []  # rejects that belong to no chunk

    def add(self, item: Any) -> None:
        """Take one item of the reply."""
        numbers, bad = _cited(item)
        chunk = self._chunk_of(numbers)
        if chunk is None:
            reason = "not an object" if not isinstance(item, dict) else "it cites no element of its own section"
            self.lost.append(Reject(described(item), reason))
            return
        self.last_chunk = chunk
        if chunk not in self._chunks:
            self._chunks[chunk] = _ChunkParser(self._call, chunk)
        self._chunks[chunk].add(item, numbers, bad)

    def _chunk_of(self, numbers: Sequence[int]) -> int | None:
        owners = dict.fromkeys(self._owner[number] for number in numbers if number in self._owner)
        if len(owners) < 2:
            return next(iter(owners), None)
        labels = self._call.labels
        return max(owners, key=lambda chunk: sum(number in labels[chunk] for number in numbers))

    def result(self, *, covered: int) -> tuple[Extraction | None, ...]:
        """The extractions of the first ``covered`` chunks; rejects without a chunk go to the first."""
        made: list[Extraction | None] = []
        for chunk in range(len(self._call.inputs)):
            parser = self._chunks.get(chunk)
            statements = tuple(dict.fromkeys(parser.statements)) if parser else ()
            rejects = [*(parser.rejects if parser else ()), *(self.lost if chunk == 0 else ())]
            made.append(Extraction(statements, told(rejects)) if chunk < covered else None)
        return tuple(made)


def _cited(item: Any) -> tuple[list[int], list[Any]]:
    """The element numbers an item cites, each once, and what stands among them that is no number."""
    if not isinstance(item, dict):
        return [], []
    given = item.get("elements", item.get("element"))
    values = given if isinstance(given, list) else [] if given is None else [given]
    numbers = [element_number(value) for value in values]
    bad = [value for value, number in zip(values, numbers, strict=True) if number is None]
    return list(dict.fromkeys(number for number in numbers if number is not None)), bad


class _ChunkParser:
    """Turns the items of one chunk into statements and rejects."""

    def __init__(self, call: Call, chunk: int) -> None:
        self._labels = call.labels[chunk]
        self._texts = ChunkTexts(call.inputs[chunk])
        self._conditions = ConditionReader(self._labels, lambda label: self._texts.elements[label].text)
        self.statements: list[Statement] = []
        self.rejects: list[Reject] = []

    def add(self, item: dict[str, Any], numbers: list[int], bad: list[Any]) -> None:
        """Read an item that cites at least one own element of the chunk."""
        notes: list[str] = [f"left out citation {described(value)!r}: not an element number" for value in bad[:3]]
        own = self._own(numbers, notes)
        try:
            self.statements.append(self._statement(item, own, notes))
        except (_Unusable, UnusableCondition) as problem:
            notes = [str(problem)]
        if notes:
            what = described(item)
            self.rejects += [Reject(what, note) for note in notes]

    def _own(self, numbers: list[int], notes: list[str]) -> list[str]:
        own: list[str] = []
        for number in numbers:
            label = self._labels.get(number, "")
            if label.startswith("e"):
                own.append(label)
            else:
                kind = "context only" if label else "not of this section"
                notes.append(f"left out citation {number}: {kind}")
        return own

    def _statement(self, item: dict[str, Any], own: list[str], notes: list[str]) -> Statement:
        subject = self._mention(item, "subject", own)
        target = self._object(item, own)
        relation = relation_name(item.get("relation", item.get("predicate")), LONGEST_RELATION)
        if relation is None:
            raise _Unusable("its relation is missing, empty or too long")
        condition = self._condition(item)
        start, end = (self._date(item, key, notes) for key in ("from", "to"))
        return Statement(
            subject=subject,
            relation=relation,
            object=target,
            spans=self._spans(subject, relation, target, own),
            polarity=_truth(item.get("holds")),
            modality=_modality(item.get("modality")),
            condition=condition,
            effective_from=start,
            effective_to=end,
        )

    def _mention(self, item: dict[str, Any], role: str, own: list[str]) -> Mention:
        surface = clean_name(item.get(role), LONGEST_NAME)
        if surface is None:
            raise _Unusable(f"its {role} is missing, empty or too long")
        if surface.lower() in BARE_PRONOUNS:
            raise _Unusable(f"its {role} is a pronoun: {surface!r}")
        if not self._texts.states_name(surface, own):
            raise _Unusable(f"not stated: {role} {surface!r}")
        return Mention(surface, key_of(surface), type_name(item.get(f"{role}_type")))

    def _object(self, item: dict[str, Any], own: list[str]) -> Mention | Literal:
        kind = type_name(item.get("object_type"))
        value = item.get("object")
        if isinstance(value, int | float) and not isinstance(value, bool):
            item = item | {"object": f"{value:g}" if isinstance(value, float) else str(value)}
            kind = kind if kind in VALUE_KINDS else "number"
        if kind not in VALUE_KINDS:
            return self._mention(item, "object", own)
        surface = clean_name(item.get("object"), LONGEST_NAME)
        if surface is None:
            raise _Unusable("its object is missing, empty or too long")
        if not self._texts.states_value(surface, own):
            raise _Unusable(f"not stated: value {surface!r}")
        return Literal(surface, kind)

    def _condition(self, item: dict[str, Any]) -> Condition | None:
        """What qualifies the triple; one that the reply puts where it is not asked for is not passed over."""
        if any(item.get(key) for key in _UNREADABLE):
            raise _Unusable("its condition cannot be read")
        given = [item[key] for key in _CONDITIONS if item.get(key) not in (None, "", [], {})]
        return self._conditions.read(given[0] if len(given) == 1 else given)

    def _date(self, item: dict[str, Any], key: str, notes: list[str]) -> str | None:
        value = item.get(key)
        if value in (None, ""):
            return None
        made = _iso_date(value) if isinstance(value, str) else None
        if made is None:
            notes.append(f'left out "{key}": not a date')
        elif made[:4] not in self._texts.all_text:
            notes.append(f'left out "{key}": the section does not name the year {made[:4]}')
            return None
        return made

    def _spans(self, subject: Mention, relation: str, target: Mention | Literal, own: list[str]) -> tuple[Span, ...]:
        other = target.surface if isinstance(target, Mention) else target.value
        texts = (self._texts.texts[label] for label in own)
        return tuple(span for text in texts for span in text.spans(subject.surface, other, relation))


def _truth(value: Any) -> bool:
    if value is None or isinstance(value, bool):
        return value is not False
    found = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise _Unusable('its "holds" is neither true nor false')
    return found


def _modality(value: Any) -> Modality:
    if value is None:
        return Modality.IS
    found = _MODALITIES.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise _Unusable("its modality is none of is, may, must and cannot")
    return found


@lru_cache(maxsize=1024)
def _iso_date(text: str) -> str | None:
    """A calendar date as YYYY-MM-DD, and nothing else."""
    try:
        return text if date.fromisoformat(text).isoformat() == text else None
    except ValueError:
        return None
