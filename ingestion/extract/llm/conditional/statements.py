"""One item of a condition-aware reply turned into a statement of its chunk, or into the reason why it is none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any

from clausegraph.core.extraction import Reject
from clausegraph.core.language.stated import BARE_PRONOUNS, ChunkTexts, clean_name, key_of
from clausegraph.core.language.values import VALUE_KINDS
from clausegraph.core.types import Condition, Literal, Mention, Modality, Passage, Span, Statement
from clausegraph.ingestion.extract.llm.conditional.conditions import ConditionReader, UnusableCondition
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    LONGEST_RELATION,
    described,
    relation_name,
    type_name,
)
from clausegraph.ingestion.extract.llm.numbering import Call

_MODALITIES = {
    **{modality.value: modality for modality in (Modality.IS, Modality.MAY, Modality.MUST, Modality.CANNOT)},
    "": Modality.IS,
    "can": Modality.MAY,
    "shall": Modality.MUST,
    **dict.fromkeys(("can not", "must not", "may not", "can't", "mustn't"), Modality.CANNOT),
}
_CONDITIONS = ("if", "conditions", "condition")
_UNREADABLE = ("unless", "except", "exceptions", "only_if", "when")
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False}


class UnusableItem(Exception):
    """The item cannot be used, and why."""


@dataclass(frozen=True, slots=True)
class ReadItem:
    """What became of an item in a chunk: a statement, a passage in its place, or neither; and what is said of it."""

    item: dict[str, Any]
    statement: Statement | None
    notes: tuple[str, ...]
    passage: Passage | None = None


class ChunkParser:
    """Turns the items of one chunk into statements and rejects, as the first version of the prompt asks for them."""

    _only_own = True  # whether a lead-in or heading among the citations is worth a note

    def __init__(self, call: Call, chunk: int) -> None:
        source = call.inputs[chunk]
        if call.by_headings:
            source = replace(source, elements=(*source.above, *source.around, *source.elements))
        self._labels = call.labels[chunk]
        self._texts = ChunkTexts(source)
        self._conditions = ConditionReader(self._labels, lambda label: self._texts.elements[label].text)
        self.statements: list[Statement] = []
        self.passages: list[Passage] = []
        self.rejects: list[Reject] = []

    def read(self, item: dict[str, Any], numbers: list[int], bad: list[Any]) -> ReadItem:
        """Read an item that cites at least one own element of the chunk; nothing is kept of it yet."""
        notes: list[str] = [f"left out citation {described(value)!r}: not an element number" for value in bad[:3]]
        own = self._own(numbers, notes)
        try:
            return ReadItem(item, self._statement(item, own, notes), tuple(notes))
        except (UnusableItem, UnusableCondition) as problem:
            return ReadItem(item, None, (str(problem),))

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
            elif not label or self._only_own:
                kind = "context only" if label else "not of this section"
                notes.append(f"left out citation {number}: {kind}")
        return own

    def _statement(self, item: dict[str, Any], own: list[str], notes: list[str]) -> Statement:
        subject = self._mention(item, "subject", own)
        target = self._object(item, own)
        relation = relation_name(item.get("relation", item.get("predicate")), LONGEST_RELATION)
        if relation is None:
            raise UnusableItem("its relation is missing, empty or too long")
        condition = self._condition(item)
        start, end = (self._date(item, key, notes) for key in ("from", "to"))
        return Statement(
            subject=subject,
            relation=relation,
            object=target,
            spans=self._spans(subject, relation, target, own),
            polarity=truth(item.get("holds")),
            modality=self._modality(item.get("modality")),
            condition=condition,
            effective_from=start,
            effective_to=end,
        )

    def _mention(self, item: dict[str, Any], role: str, own: list[str]) -> Mention:
        surface = self._name(item, role)
        if surface.lower() in BARE_PRONOUNS:
            raise UnusableItem(f"its {role} is a pronoun: {surface!r}")
        if not self._texts.states_name(surface, own):
            raise UnusableItem(f"not stated: {role} {surface!r}")
        return Mention(surface, key_of(surface), type_name(item.get(f"{role}_type")))

    def _name(self, item: dict[str, Any], role: str) -> str:
        surface = clean_name(item.get(role), LONGEST_NAME)
        if surface is None:
            raise UnusableItem(f"its {role} is missing, empty or too long")
        return surface

    def _object(self, item: dict[str, Any], own: list[str]) -> Mention | Literal:
        kind = type_name(item.get("object_type"))
        value = item.get("object")
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
        return self._texts.states_value(value, own)

    def _condition(self, item: dict[str, Any]) -> Condition | None:
        """What qualifies the triple; one that the reply puts where it is not asked for is not passed over."""
        if any(item.get(key) for key in _UNREADABLE):
            raise UnusableItem("its condition cannot be read")
        given = [item[key] for key in _CONDITIONS if item.get(key) not in (None, "", [], {})]
        return self._conditions.read(given[0] if len(given) == 1 else given)

    def _modality(self, value: Any) -> Modality:
        return known_modality(value, _MODALITIES)

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


def truth(value: Any) -> bool:
    """What ``holds`` says; true where it is not given.

    Raises:
        UnusableItem: it is neither.
    """
    if value is None or isinstance(value, bool):
        return value is not False
    found = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else None
    if found is None:
        raise UnusableItem('its "holds" is neither true nor false')
    return found


def known_modality(value: Any, known: dict[str, Modality]) -> Modality:
    """A modality by one of its known words; that of plain statements where none is given.

    Raises:
        UnusableItem: it is none of them.
    """
    if value is None:
        return Modality.IS
    found = known.get(" ".join(value.lower().split())) if isinstance(value, str) and len(value) < 100 else None
    if found is None:
        *first, last = dict.fromkeys(modality.value for modality in known.values())
        raise UnusableItem(f"its modality is none of {', '.join(first)} and {last}")
    return found


@lru_cache(maxsize=1024)
def _iso_date(text: str) -> str | None:
    """A calendar date as YYYY-MM-DD, and nothing else."""
    try:
        return text if date.fromisoformat(text).isoformat() == text else None
    except ValueError:
        return None
