"""A condition-aware reply turned into the statements of each chunk of its call. Pure: no model, no page."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from clausegraph.core.errors import UnusableReply
from clausegraph.core.extraction import Extraction, Reject
from clausegraph.core.language.lexicon import phrases, word_set
from clausegraph.core.language.normalise import clean_name, entity_key
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.language.values import VALUE_KINDS
from clausegraph.core.models.json_text import JsonText, read_json
from clausegraph.core.types import Literal, Mention, Modality, Passage, Statement
from clausegraph.ingestion.extract.llm.condition_reader import ConditionReader, without_repeated
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    UnusableItem,
    described,
    element_number,
    exact_object,
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
    ShownWords,
    has_words,
    numbers_of,
    section_texts,
    shown_texts,
    spans_of,
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
_NO_DOUBT = ("", "none", "no", "null", "n/a")
_LISTS = ("triples", "triplets", "facts", "statements")


_TRIPLE = exact_object(
    **dict.fromkeys(("subject", "subject_type", "relation", "object", "object_type"), _TEXT),
    elements={"type": "array", "items": _LINE},
    holds={"type": "boolean"},
    modality={"type": "string", "enum": [modality.value for modality in Modality]},
    **{
        "if": {"anyOf": [_CONDITION, _NULL]},
        "in_force": {"anyOf": [exact_object(**{"from": _TEXT_OR_NULL, "to": _TEXT_OR_NULL}), _NULL]},
    },
    doubt=_TEXT,
)
_FORMS = [
    _LINE,
    exact_object(element=_LINE, means=_TEXT),
    exact_object(element=_LINE, quote=_TEXT, means=_TEXT),
    exact_object(element=_LINE, quote=_TEXT),
    exact_object(all=_CONDITION_LIST),
    exact_object(any=_CONDITION_LIST),
    exact_object(**{"not": _CONDITION}),
]
CONDITIONAL_SCHEMA = exact_object(triples={"type": "array", "items": {"$ref": "#/$defs/triple"}}) | {
    "$defs": {"triple": _TRIPLE, "condition": {"anyOf": _FORMS}}
}


class _Chunk:
    """One chunk of a call: what its items are checked against, and what was made of them."""

    def __init__(self, call: Call, place: int, shown: ShownWords) -> None:
        source = call.inputs[place]
        self.labels = call.labels[place]
        self.elements = {one.label: one for one in (*source.above, *source.around, *source.elements)}
        self.shown, self.section = shown, ShownWords(section_texts(source))
        self._conditions = ConditionReader(self.labels, self.elements, shown)
        self.statements: dict[Statement, None] = {}
        self.passages: dict[Passage, None] = {}
        self.rejects: list[Reject] = []

    def read(self, item: dict[str, Any], numbers: Sequence[int], notes: Sequence[str]) -> _Made:
        """What becomes of an item that cites at least one own element; nothing is kept of it yet.

        Of an item that its writer doubts, place, condition and names stay.
        """
        made = _Made(notes=list(notes))
        own = [label for number in numbers if (label := self.labels.get(number, "")).startswith("e")]
        try:
            statement = self._statement(item, own, made.notes)
        except UnusableItem as problem:
            made.notes[:] = [str(problem)]
            return made
        doubt = item.get("doubt") or ""
        if isinstance(doubt, str) and doubt.strip().lower() in _NO_DOUBT:
            made.stated = statement
        else:
            made.notes.append(f"the model doubts it: {described(doubt)}")
            made.stated = left_of(statement)
        return made

    def keep(self, item: dict[str, Any], made: _Made) -> None:
        """Keep what became of an item."""
        if isinstance(made.stated, Statement):
            self.statements[made.stated] = None
        elif made.stated is not None:
            self.passages[made.stated] = None
        what = described(item)
        self.rejects += [Reject(what, note) for note in made.notes]

    def extraction(self, lost: Sequence[Reject]) -> Extraction:
        """What was kept, with rejects that belong to no chunk."""
        return Extraction(tuple(self.statements), told([*self.rejects, *lost]), tuple(self.passages))

    def _statement(self, item: dict[str, Any], own: list[str], notes: list[str]) -> Statement:
        subject = self._mention(item, "subject", own)
        target = self._object(item, own)
        relation = relation_name(item.get("relation", item.get("predicate")))
        if relation is None:
            raise UnusableItem("its relation is missing, empty or too long")
        if any(item.get(key) for key in _UNREADABLE):
            raise UnusableItem("its condition cannot be read")
        given = [item[key] for key in _CONDITIONS if item.get(key) not in (None, "", [], {})]
        condition = self._conditions.read(given[0] if len(given) == 1 else given)
        written = target.value if isinstance(target, Literal) else target.surface
        names = (subject.surface, written, relation)
        in_force = item.get("in_force")
        dates = in_force if isinstance(in_force, dict) else item
        made = Statement(
            subject=subject,
            relation=relation,
            object=target,
            spans=tuple(span for label in own for span in spans_of(self.elements[label], names)),
            polarity=truth(item.get("holds")),
            modality=known_modality(item.get("modality")),
            condition=without_repeated(condition, names[:2]),
            effective_from=self._date(dates, "from", notes),
            effective_to=self._date(dates, "to", notes),
        )
        return without_modality(made)

    def _mention(self, item: dict[str, Any], role: str, own: list[str]) -> Mention:
        surface = _name(item, role)
        if surface.lower() in _PRONOUNS:
            raise UnusableItem(f"its {role} is a pronoun: {surface!r}")
        if not self.shown.names(surface):
            raise UnusableItem(f"not stated: {role} {surface!r}")
        kind = type_name(item.get(f"{role}_type"))
        return Mention(surface, entity_key(surface), kind, self._written(surface, kind, own))

    def _written(self, surface: str, kind: str, own: list[str]) -> str:
        """The pronoun that the cited elements have where a person or an organisation is not named in them."""
        texts = [self.elements[label].text for label in own]
        wanted = (YOU,) if kind in _PERSONS else (_WE, YOU) if kind == "organisation" else ()
        if not wanted or any(has_words(text, surface) for text in texts):
            return ""
        spoken = [found[0].lower() for text in texts for found in _SPOKEN.finditer(text)]
        return next((word for words in wanted for word in spoken if word in words), "")

    def _object(self, item: dict[str, Any], own: list[str]) -> Mention | Literal:
        kind, value = type_name(item.get("object_type")), item.get("object")
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = f"{value:g}" if isinstance(value, float) else str(value)
            kind = kind if kind in VALUE_KINDS else "number"
        elif isinstance(value, str) and _iso_date(value):
            value = self._as_written_here(value)
        item = item | {"object": value}
        if kind not in VALUE_KINDS:
            return self._mention(item, "object", own)
        surface = _name(item, "object")
        here = any(has_words(self.elements[label].text, surface) for label in own)
        if not here and not (self.section.numbers >= numbers_of(surface) and self.shown.names(surface)):
            raise UnusableItem(f"not stated: value {surface!r}")
        return Literal(surface, kind)

    def _as_written_here(self, day: str) -> str:
        """A calendar date as the section has it; unchanged where it does not."""
        texts = (one.text for one in self.elements.values())
        dates = (text[one.start : one.end] for text in texts for one in find_quantities(text) if one.kind == "date")
        return next((words for words in dates if _bounds(words) == _bounds(day)), day)

    def _date(self, given: dict[str, Any], key: str, notes: list[str]) -> str | None:
        value = given.get(key)
        if value in (None, ""):
            return None
        made = _iso_date(value) if isinstance(value, str) else None
        if made is None:
            notes.append(f'left out "{key}": not a date')
        elif made[:4] not in self.section.numbers:
            notes.append(f'left out "{key}": the section does not name the year {made[:4]}')
            return None
        return made


@dataclass(slots=True)
class _Made:
    """What became of an item in a chunk: a statement, a passage in its place, or neither; and what is said of it."""

    stated: Statement | Passage | None = None
    notes: list[str] = field(default_factory=list)


def _name(item: dict[str, Any], role: str) -> str:
    surface = clean_name(item.get(role), LONGEST_NAME)
    if surface is None:
        raise UnusableItem(f"its {role} is missing, empty or too long")
    surface = clean_name(_POSSESSIVE.sub("", surface, count=1), LONGEST_NAME) or surface
    if _OTHER.match(surface):
        raise UnusableItem(f"its {role} does not say other than what: {surface!r}")
    return surface


def _bounds(text: str) -> list[tuple[float | None, float | None]]:
    return [(one.low, one.high) for one in find_quantities(text)]


def _iso_date(text: str) -> str | None:
    """A calendar date as YYYY-MM-DD, and nothing else."""
    try:
        return text if date.fromisoformat(text).isoformat() == text else None
    except ValueError:
        return None


def parse_conditional(text: str, call: Call, *, cut_off: bool) -> tuple[Extraction | None, ...]:
    """The extraction of each chunk of the call; none for a chunk that a cut-off reply does not cover.

    A triple belongs to the chunk whose input has most of the elements it cites, one of them its own; of several, to
    each that can read it: a page that says the same in two places is cited in both. A reply that breaks off covers
    the chunks before the last one it spoke of; a call of one chunk that was not ``cut_off`` keeps what is complete.

    Raises:
        UnusableReply: there is nothing in it that can be read.
    """
    read = read_json(text)
    items, lost = first_items(_items(read))
    if not items and not read.complete:
        raise UnusableReply(f"the model's reply has no complete triple: {read.problem}")
    headings = [text for source in call.inputs for text in (source.title, *source.headings)]
    shown = ShownWords([*headings, *(text for one in call.printed for text in shown_texts(one.element))])
    chunks = [_Chunk(call, place, shown) for place in range(len(call.inputs))]
    last = 0  # the chunk of the last item that could be placed
    for item in items:
        numbers, notes = _cited(item)
        owners = _owners(numbers, call)
        if not owners:
            reason = "not an object" if not isinstance(item, dict) else "it cites no element of its own section"
            lost.append(Reject(described(item), reason))
            continue
        last = min(owners)
        notes += [f"left out citation {n}: not of this section" for n in numbers if n > len(call.printed)]
        found = [(chunks[place], chunks[place].read(item, numbers, notes)) for place in owners]
        for chunk, made in [one for one in found if isinstance(one[1].stated, Statement)] or found[:1]:
            chunk.keep(item, made)
    covered = len(chunks)
    if cut_off or (not read.complete and len(chunks) > 1):
        covered = last
    elif not read.complete:
        lost.append(Reject("reply", f"the reply cannot be read to its end ({read.problem}); complete triples are kept"))
    made_of = [chunk.extraction(lost if place == 0 else ()) for place, chunk in enumerate(chunks)]
    return tuple(one if place < covered else None for place, one in enumerate(made_of))


def _items(read: JsonText) -> list[Any]:
    """The triples of a reply: under a known key, as a bare list, as several objects, or a single one.

    Raises:
        UnusableReply: the value is none of these.
    """
    value = read.value
    if isinstance(value, list):
        return [one for item in value for one in (_listed(item) or [item])]
    if "subject" in value:
        return [value] if read.complete else []
    listed = _listed(value)
    if listed is None:
        raise UnusableReply(f'the model\'s reply has no "triples": {described(value)}')
    return listed


def _listed(value: Any) -> list[Any] | None:
    """The one list of triples in an object that is no triple itself."""
    if not isinstance(value, dict) or "subject" in value:
        return None
    lists = {key: item for key, item in value.items() if isinstance(item, list)}
    named = next((key for key in _LISTS if key in lists), next(iter(lists), "") if len(lists) == 1 else "")
    return lists.get(named)


def _cited(item: Any) -> tuple[list[int], list[str]]:
    """The element numbers an item cites, each once, and notes on what stands among them that is no number."""
    given = item.get("elements", item.get("element")) if isinstance(item, dict) else None
    values = given if isinstance(given, list) else [given]
    found = [(value, element_number(value)) for value in values if value is not None]
    bad = [value for value, number in found if number is None]
    notes = [f"left out citation {described(value)!r}: not an element number" for value in bad[:3]]
    return list(dict.fromkeys(number for _, number in found if number is not None)), notes


def _owners(numbers: Sequence[int], call: Call) -> list[int]:
    """The chunks of a call that own a cited element, as far as their inputs have most of those that are cited."""
    prefixes = [[labels.get(number, "s")[0] for number in numbers] for labels in call.labels]
    had = {place: sum(one != "s" for one in found) for place, found in enumerate(prefixes) if "e" in found}
    return [place for place, count in had.items() if count == max(had.values())]
