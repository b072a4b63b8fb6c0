"""A condition-aware reply turned into the statements of each chunk of its call. Pure: no model, no page."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, Reject, names_above
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.normalise import clean_name, entity_key
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.language.values import VALUE_KINDS
from clausegraph.core.models.json_text import JsonText, read_json
from clausegraph.core.types import Condition, Literal, Mention, Modality, Passage, Span, Statement
from clausegraph.ingestion.extract.llm.condition_reader import (
    ConditionReader,
    checked_meaning,
    without_pointers,
    without_repeated,
)
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    LONGEST_RELATION,
    UnusableItem,
    described,
    element_number,
    first_items,
    known_modality,
    left_of,
    relation_name,
    told,
    truth,
    type_name,
    without_modality,
)
from clausegraph.ingestion.extract.llm.numbering import Call
from clausegraph.ingestion.extract.llm.page_words import (
    BARE_PRONOUNS,
    YOU,
    ChunkTexts,
    ShownWords,
    numbers_of,
)

_TEXT = {"type": "string"}
_TEXT_OR_NULL = {"type": ["string", "null"]}
_NULL = {"type": "null"}
_CONDITION = {"$ref": "#/$defs/condition"}
_CONDITION_LIST = {"type": "array", "items": _CONDITION}
_LINE = {"type": "integer"}  # a condition that is a whole line
_CONDITIONS = ("if", "conditions", "condition")
_UNREADABLE = ("unless", "except", "exceptions", "only_if", "when")
_WE = word_set("we us our ours ourselves")
_PRONOUNS = BARE_PRONOUNS | YOU | _WE
_POSSESSIVE = re.compile(r"\b(?:your|their|our|his|her|its|my)\s+(?=\S)", re.IGNORECASE)
_PERSONS = word_set("role person people group")
_SPOKEN = phrases("you|we|your|us|our")
_OTHER = re.compile(
    r"(?:any |the |all )?others?\b(?! (?:side|party|parent|partner)\b)(?!.*\b(?:than|besides?|except)\b)", re.IGNORECASE
)
_NO_DOUBT = ("none", "no", "null", "n/a")
_MOST_CHUNKS = 4  # that one triple may be stated in
_LISTS = ("triples", "triplets", "facts", "statements")


def _object(**properties: Any) -> dict[str, Any]:
    """An object with exactly these keys: strict schemas know no optional ones."""
    return {"type": "object", "properties": properties, "required": list(properties), "additionalProperties": False}


_TRIPLE = _object(
    **dict.fromkeys(("subject", "subject_type", "relation", "object", "object_type"), _TEXT),
    elements={"type": "array", "items": _LINE},
    holds={"type": "boolean"},
    modality={"type": "string", "enum": [modality.value for modality in Modality]},
    **{
        "if": {"anyOf": [_CONDITION, _NULL]},
        "in_force": {"anyOf": [_object(**{"from": _TEXT_OR_NULL, "to": _TEXT_OR_NULL}), _NULL]},
    },
    doubt=_TEXT,
)
_FORMS = [
    _LINE,
    _object(element=_LINE, means=_TEXT),
    _object(element=_LINE, quote=_TEXT, means=_TEXT),
    _object(element=_LINE, quote=_TEXT),
    _object(all=_CONDITION_LIST),
    _object(any=_CONDITION_LIST),
    _object(**{"not": _CONDITION}),
]
CONDITIONAL_SCHEMA = _object(triples={"type": "array", "items": {"$ref": "#/$defs/triple"}}) | {
    "$defs": {"triple": _TRIPLE, "condition": {"anyOf": _FORMS}}
}


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What became of an item in a chunk: a statement, a passage in its place, or neither; and what is said of it."""

    item: dict[str, Any]
    statement: Statement | None
    notes: tuple[str, ...]
    passage: Passage | None = None


class ChunkParser:
    """Turns the items of one chunk into statements that can be read without the page, passages, and rejects.

    What its own writer doubts is a passage, and no statement.
    """

    def __init__(self, call: Call, chunk: int, shown: ShownWords) -> None:
        source = call.inputs[chunk]
        source = replace(source, elements=(*source.above, *source.around, *source.elements))
        self._labels = call.labels[chunk]
        self._texts = ChunkTexts(source)
        self._shown = shown
        self._conditions = ConditionReader(self._labels, lambda label: self._texts.elements[label].text, self._clear)
        self.statements: list[Statement] = []
        self.passages: list[Passage] = []
        self.rejects: list[Reject] = []

    def read(self, item: dict[str, Any], numbers: list[int], bad: list[Any]) -> ReadItem:
        """Read an item that cites at least one own element of the chunk; nothing is kept of it yet.

        Of an item that is doubted its place, condition and names stay.
        """
        notes: list[str] = [f"left out citation {described(value)!r}: not an element number" for value in bad[:3]]
        own = self._own(numbers, notes)
        try:
            made = self._statement(item, own, notes)
        except UnusableItem as problem:
            return ReadItem(item, None, (str(problem),))
        doubt = item.get("doubt")
        said = doubt.strip().lower() if isinstance(doubt, str) else doubt
        if not said or said in _NO_DOUBT:
            return ReadItem(item, made, tuple(notes))
        return ReadItem(item, None, (*notes, f"the model doubts it: {described(doubt)}"), left_of(made))

    def keep(self, read: ReadItem) -> None:
        """Keep what became of an item."""
        if read.statement:
            self.statements.append(read.statement)
        if read.passage:
            self.passages.append(read.passage)
        if read.notes:
            what = described(read.item)
            self.rejects += [Reject(what, note) for note in read.notes]

    def _own(self, numbers: list[int], notes: list[str]) -> list[str]:
        own: list[str] = []
        for number in numbers:
            label = self._labels.get(number, "")
            if label.startswith("e"):
                own.append(label)
            elif not label:
                notes.append(f"left out citation {number}: not of this section")
        return own

    def _statement(self, item: dict[str, Any], own: list[str], notes: list[str]) -> Statement:
        subject = self._mention(item, "subject", own)
        target = self._object(item, own)
        relation = relation_name(item.get("relation", item.get("predicate")), LONGEST_RELATION)
        if relation is None:
            raise UnusableItem("its relation is missing, empty or too long")
        condition = self._condition(item)
        start, end = self._dates(item, notes)
        written = target.value if isinstance(target, Literal) else target.surface
        made = Statement(
            subject=subject,
            relation=relation,
            object=target,
            spans=self._spans(subject, relation, written, own),
            polarity=truth(item.get("holds")),
            modality=known_modality(item.get("modality")),
            condition=without_repeated(condition, (subject.surface, written)),
            effective_from=start,
            effective_to=end,
        )
        return without_modality(made)

    def _mention(self, item: dict[str, Any], role: str, own: list[str]) -> Mention:
        surface = self._name(item, role)
        if surface.lower() in _PRONOUNS:
            raise UnusableItem(f"its {role} is a pronoun: {surface!r}")
        if not self._shown.names(surface):
            raise UnusableItem(f"not stated: {role} {surface!r}")
        kind = type_name(item.get(f"{role}_type"))
        return Mention(surface, entity_key(surface), kind, self._written(surface, kind, own))

    def _name(self, item: dict[str, Any], role: str) -> str:
        surface = clean_name(item.get(role), LONGEST_NAME)
        if surface is None:
            raise UnusableItem(f"its {role} is missing, empty or too long")
        surface = clean_name(_POSSESSIVE.sub("", surface, count=1), LONGEST_NAME) or surface
        if _OTHER.match(surface):
            raise UnusableItem(f"its {role} does not say other than what: {surface!r}")
        return surface

    def _written(self, surface: str, kind: str, own: Iterable[str]) -> str:
        """The pronoun that the cited elements have where a person or an organisation is not named in them."""
        texts = [self._texts.texts[label] for label in own]
        wanted = (YOU,) if kind in _PERSONS else (_WE, YOU) if kind == "organisation" else ()
        if not wanted or any(text.holds(surface.lower()) for text in texts):
            return ""
        spoken = [found[0].lower() for text in texts for found in _SPOKEN.finditer(text.text)]
        return next((word for words in wanted for word in spoken if word in words), "")

    def _object(self, item: dict[str, Any], own: list[str]) -> Mention | Literal:
        kind = type_name(item.get("object_type"))
        value = item.get("object")
        if isinstance(value, str) and _iso_date(value):
            item = item | {"object": self._as_written_here(value)}
        if isinstance(value, int | float) and not isinstance(value, bool):
            item = item | {"object": f"{value:g}" if isinstance(value, float) else str(value)}
            kind = kind if kind in VALUE_KINDS else "number"
        if kind not in VALUE_KINDS:
            return self._mention(item, "object", own)
        surface = self._name(item, "object")
        if not self._states_value(surface, own):
            raise UnusableItem(f"not stated: value {surface!r}")
        return Literal(surface, kind)

    def _states_value(self, value: str, own: list[str]) -> bool:
        """Whether the cited elements have the value, or the section its numbers and the page most of its words."""
        if self._texts.states_value(value, own):
            return True
        elements = self._texts.elements.values()
        near = [text for element in elements for text in (element.text, *element.headers)]
        stated = frozenset(number for text in (*near, self._texts.all_text) for number in numbers_of(text))
        return stated.issuperset(numbers_of(value)) and self._shown.names(value)

    def _as_written_here(self, day: str) -> str:
        """A calendar date as the section has it; unchanged where it does not."""
        wanted = _bounds(day)
        for element in self._texts.elements.values():
            for one in find_quantities(element.text):
                words = element.text[one.start : one.end]
                if one.kind == "date" and _bounds(words) == wanted:
                    return words
        return day

    def _condition(self, item: dict[str, Any]) -> Condition | None:
        """What qualifies the triple; one that the reply puts where it is not asked for is not passed over."""
        if any(item.get(key) for key in _UNREADABLE):
            raise UnusableItem("its condition cannot be read")
        given = [item[key] for key in _CONDITIONS if item.get(key) not in (None, "", [], {})]
        condition = self._conditions.read(given[0] if len(given) == 1 else given)
        return condition and without_pointers(condition, self._introduces)

    def _introduces(self, label: str, below: str) -> bool:
        return label in names_above(self._texts.elements[below], self._texts.elements)

    def _clear(self, label: str, text: str, meaning: str) -> str:
        element = self._texts.elements[label]
        return checked_meaning(
            text, meaning, self._shown, own_clause=element.lead_in is None and element.parent is None
        )

    def _dates(self, item: dict[str, Any], notes: list[str]) -> tuple[str | None, str | None]:
        in_force = item.get("in_force")
        given = in_force if isinstance(in_force, dict) else item
        return self._date(given, "from", notes), self._date(given, "to", notes)

    def _date(self, given: dict[str, Any], key: str, notes: list[str]) -> str | None:
        value = given.get(key)
        if value in (None, ""):
            return None
        made = _iso_date(value) if isinstance(value, str) else None
        if made is None:
            notes.append(f'left out "{key}": not a date')
        elif made[:4] not in self._texts.all_text:
            notes.append(f'left out "{key}": the section does not name the year {made[:4]}')
            return None
        return made

    def _spans(self, subject: Mention, relation: str, target: str, own: list[str]) -> tuple[Span, ...]:
        texts = (self._texts.texts[label] for label in own)
        return tuple(span for text in texts for span in text.spans(subject.surface, target, relation))


def _bounds(text: str) -> list[tuple[float | None, float | None]]:
    return [(one.low, one.high) for one in find_quantities(text)]


@lru_cache(maxsize=1024)
def _iso_date(text: str) -> str | None:
    """A calendar date as YYYY-MM-DD, and nothing else."""
    try:
        return text if date.fromisoformat(text).isoformat() == text else None
    except ValueError:
        return None


def parse_conditional(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of each chunk of the call; none for a chunk that a cut-off reply does not cover.

    A triple belongs to the chunk whose input has most of the elements it cites, one of them its own (of several,
    the one cited first); where none has all of them, to each chunk that can read it: a page that says the same in two
    places is cited in both. A reply that breaks off covers the chunks before the last one it spoke of; a call of one
    chunk that was not ``cut_off`` keeps what is complete.

    Raises:
        UnusableReply: there is nothing in it that can be read.
    """
    parser = _CallParser(call)
    read = read_json(text)
    items, unread = first_items(_items(read))
    if not items and not read.complete:
        raise UnusableReply(f"the model's reply has no complete triple: {read.problem}")
    parser.lost += unread
    for item in items:
        parser.add(item)
    broken = not read.complete
    if cut_off or (broken and parser.chunks > 1):
        return parser.result(covered=parser.last_chunk)
    if broken:
        reason = f"the reply cannot be read to its end ({read.problem}); complete triples are kept"
        parser.lost.append(Reject("reply", reason))
    return parser.result(covered=parser.chunks)


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
        self._call, self._shown = call, ShownWords(call)
        self.chunks = len(call.inputs)
        self._owner = {
            number: chunk
            for chunk, labels in enumerate(call.labels)
            for number, label in labels.items()
            if label.startswith("e")
        }
        self._parsers: dict[int, ChunkParser] = {}
        self.last_chunk = 0  # of the last item that could be placed
        self.lost: list[Reject] = []  # rejects that belong to no chunk

    def add(self, item: Any) -> None:
        """Take one item of the reply."""
        numbers, bad = _cited(item)
        chunks = self._chunks_of(numbers)
        if not chunks:
            reason = "not an object" if not isinstance(item, dict) else "it cites no element of its own section"
            self.lost.append(Reject(described(item), reason))
            return
        self.last_chunk = min(chunks)
        elsewhere = {number for number in numbers if len(chunks) > 1 and number in self._owner}
        found = []
        for chunk in chunks:
            mine = [number for number in numbers if number in self._call.labels[chunk] or number not in elsewhere]
            found.append((self._parser(chunk), self._parser(chunk).read(item, mine, bad)))
        for parser, one in [(parser, one) for parser, one in found if one.statement] or found[:1]:
            parser.keep(one)

    def _parser(self, chunk: int) -> ChunkParser:
        if chunk not in self._parsers:
            self._parsers[chunk] = ChunkParser(self._call, chunk, self._shown)
        return self._parsers[chunk]

    def _chunks_of(self, numbers: Sequence[int]) -> list[int]:
        owners = list(dict.fromkeys(self._owner[number] for number in numbers if number in self._owner))
        if len(owners) < 2:
            return owners
        had = {chunk: sum(self._has(chunk, number) for number in numbers) for chunk in owners}
        best = max(owners, key=lambda chunk: had[chunk])
        return [best] if had[best] == len(numbers) else owners[:_MOST_CHUNKS]

    def _has(self, chunk: int, number: int) -> bool:
        """Whether an element is a chunk's own or its context; what only stands around it is another's to state."""
        return not self._call.labels[chunk].get(number, "s").startswith("s")

    def result(self, *, covered: int) -> tuple[Extraction | None, ...]:
        """The extractions of the first ``covered`` chunks; rejects without a chunk go to the first."""
        made: list[Extraction | None] = []
        for chunk in range(self.chunks):
            parser = self._parsers.get(chunk)
            statements = tuple(dict.fromkeys(parser.statements)) if parser else ()
            rejects = [*(parser.rejects if parser else ()), *(self.lost if chunk == 0 else ())]
            passages = tuple(dict.fromkeys(parser.passages)) if parser else ()
            made.append(Extraction(statements, told(rejects), passages) if chunk < covered else None)
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
