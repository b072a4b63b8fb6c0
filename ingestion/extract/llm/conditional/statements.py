"""One item of a condition-aware reply turned into a statement of its chunk, or into the reason why it is none.

The page need not have a name in so many words, since "you" is to be called by the role that the page addresses; most
of its words must be shown, and all of its numbers. What the page says in its place is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from typing import Any

from clausegraph.core.extraction import Reject, names_above
from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.language.stated import BARE_PRONOUNS, YOU, ChunkTexts, clean_name, key_of
from clausegraph.core.language.values import VALUE_KINDS
from clausegraph.core.language.words import word_set
from clausegraph.core.types import Condition, Literal, Mention, Passage, Span, Statement
from clausegraph.ingestion.extract.llm.conditional.conditions import ConditionReader, UnusableCondition
from clausegraph.ingestion.extract.llm.conditional.meanings import checked, without_pointers
from clausegraph.ingestion.extract.llm.conditional.modalities import (
    UnusableItem,
    known_modality,
    truth,
    without_modality,
)
from clausegraph.ingestion.extract.llm.conditional.repeated import without_repeated
from clausegraph.ingestion.extract.llm.conditional.shown import ShownWords, numbers_of
from clausegraph.ingestion.extract.llm.items import (
    LONGEST_NAME,
    LONGEST_RELATION,
    described,
    relation_name,
    type_name,
)
from clausegraph.ingestion.extract.llm.left import left_of
from clausegraph.ingestion.extract.llm.numbering import Call

_CONDITIONS = ("if", "conditions", "condition")
_UNREADABLE = ("unless", "except", "exceptions", "only_if", "when")
_WE = word_set("we us our ours ourselves")
_PRONOUNS = BARE_PRONOUNS | YOU | _WE
_POSSESSIVE = re.compile(r"\b(?:your|their|our|his|her|its|my)\s+(?=\S)", re.IGNORECASE)
_PERSONS = word_set("role person people group")
_SPOKEN = re.compile(r"\b(?:you|we)\b|\b(?:your|us|our)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:any |the |all )?others?\b(?! (?:side|party|parent|partner)\b)(?!.*\b(?:than|besides?|except)\b)", re.IGNORECASE
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_NO_DOUBT = ("none", "no", "null", "n/a")


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
        except (UnusableItem, UnusableCondition) as problem:
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
        return Mention(surface, key_of(surface), kind, self._written(surface, kind, own))

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
        if isinstance(value, str) and _ISO.fullmatch(value):
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
        return checked(text, meaning, self._shown, own_clause=element.lead_in is None and element.parent is None)

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
