"""Items as the prompt asks for them from its second version on: names in place of pronouns, relations without modality.

The page need not have a name in so many words, since "you" is to be called by the role that the page addresses; most
of its words must be shown, and all of its numbers. What the page says in its place is kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from clausegraph.core.language.quantities import find_quantities
from clausegraph.core.language.stated import BARE_PRONOUNS, YOU, clean_name, key_of
from clausegraph.core.language.verbs import is_base, third_person
from clausegraph.core.language.words import word_set
from clausegraph.core.pages.lists import names_above
from clausegraph.core.types import Condition, Literal, Mention, Modality, Statement
from clausegraph.ingestion.extract.llm.conditional.conditions import ConditionReader
from clausegraph.ingestion.extract.llm.conditional.meanings import checked, without_pointers
from clausegraph.ingestion.extract.llm.conditional.repeated import without_repeated
from clausegraph.ingestion.extract.llm.conditional.shown import ShownWords, numbers_of
from clausegraph.ingestion.extract.llm.conditional.statements import (
    ChunkParser,
    ReadItem,
    UnusableItem,
    known_modality,
)
from clausegraph.ingestion.extract.llm.items import LONGEST_NAME, described, type_name
from clausegraph.ingestion.extract.llm.left import left_of
from clausegraph.ingestion.extract.llm.numbering import Call

_MODALITIES = {
    **{modality.value: modality for modality in Modality},
    "": Modality.IS,
    "shall": Modality.MUST,
    "needn't": Modality.NEED_NOT,
    **dict.fromkeys(("might", "could"), Modality.CAN),
    **dict.fromkeys(("can not", "must not", "may not", "can't", "mustn't"), Modality.CANNOT),
}
_WE = word_set("we us our ours ourselves")
_PRONOUNS = BARE_PRONOUNS | YOU | _WE
_POSSESSIVE = re.compile(r"\b(?:your|their|our|his|her|its|my)\s+(?=\S)", re.IGNORECASE)
_PERSONS = word_set("role person people group")
_SPOKEN = re.compile(r"\b(?:you|we)\b|\b(?:your|us|our)\b", re.IGNORECASE)
_OTHER = re.compile(
    r"(?:any |the |all )?others?\b(?! (?:side|party|parent|partner)\b)(?!.*\b(?:than|besides?|except)\b)", re.IGNORECASE
)
_ISO = re.compile(r"\d{4}-\d\d-\d\d")
_AUXILIARY = re.compile(
    r"(?P<modal>may|might|can|could|must|shall|should|cannot|need not|will|would|does|do|is|are)(?P<no> not)? (?=\w)"
)
_SAYS = {
    "may": Modality.MAY,
    "can": Modality.MAY,
    "might": Modality.CAN,
    "could": Modality.CAN,
    "must": Modality.MUST,
    "shall": Modality.MUST,
    "should": Modality.SHOULD,
    "cannot": Modality.CANNOT,
    "need not": Modality.NEED_NOT,
}
_DENIED = {Modality.MAY: Modality.CANNOT, Modality.MUST: Modality.CANNOT}  # "might not" is no "cannot"
_NO_DOUBT = ("none", "no", "null", "n/a")
_NEGATIVE = (Modality.CANNOT, Modality.NEED_NOT)


class StandAloneParser(ChunkParser):
    """Turns the items of one chunk into statements that can be read without the page."""

    _only_own = False

    def __init__(self, call: Call, chunk: int, shown: ShownWords) -> None:
        super().__init__(call, chunk)
        self._shown = shown

    def _statement(self, item: dict[str, Any], own: list[str], notes: list[str]) -> Statement:
        given = item.get("in_force")
        dates = {key: given.get(key) for key in ("from", "to")} if isinstance(given, dict) else {}
        return _without_modality(super()._statement(item | dates, own, notes))

    def _mention(self, item: dict[str, Any], role: str, own: list[str]) -> Mention:
        surface = self._name(item, role)
        if surface.lower() in _PRONOUNS:
            raise UnusableItem(f"its {role} is a pronoun: {surface!r}")
        if not self._shown.names(surface):
            raise UnusableItem(f"not stated: {role} {surface!r}")
        kind = type_name(item.get(f"{role}_type"))
        return Mention(surface, key_of(surface), kind, self._written(surface, kind, own))

    def _name(self, item: dict[str, Any], role: str) -> str:
        surface = super()._name(item, role)
        return clean_name(_POSSESSIVE.sub("", surface, count=1), LONGEST_NAME) or surface

    def _written(self, surface: str, kind: str, own: Iterable[str]) -> str:
        """The pronoun that the cited elements have where a person or an organisation is not named in them."""
        texts = [self._texts.texts[label] for label in own]
        wanted = (YOU,) if kind in _PERSONS else (_WE, YOU) if kind == "organisation" else ()
        if not wanted or any(text.holds(surface.lower()) for text in texts):
            return ""
        spoken = [found[0].lower() for text in texts for found in _SPOKEN.finditer(text.text)]
        return next((word for words in wanted for word in spoken if word in words), "")

    def _states_value(self, value: str, own: list[str]) -> bool:
        """Whether the section has the value's numbers, and the page most of its words."""
        if super()._states_value(value, own):
            return True
        elements = self._texts.elements.values()
        near = [text for element in elements for text in (element.text, *element.headers)]
        stated = frozenset(number for text in (*near, self._texts.all_text) for number in numbers_of(text))
        return stated.issuperset(numbers_of(value)) and self._shown.names(value)

    def _modality(self, value: Any) -> Modality:
        return known_modality(value, _MODALITIES)


class NothingTwiceParser(StandAloneParser):
    """As the third version of the prompt asks: a condition does not say again what subject or object say."""

    def _statement(self, item: dict[str, Any], own: list[str], notes: list[str]) -> Statement:
        made = super()._statement(item, own, notes)
        target = made.object.value if isinstance(made.object, Literal) else made.object.surface
        return replace(made, condition=without_repeated(made.condition, (made.subject.surface, target)))


class ClearParser(NothingTwiceParser):
    """As the fourth version of the prompt asks: a condition says in full what its words on the page leave open."""

    def __init__(self, call: Call, chunk: int, shown: ShownWords) -> None:
        super().__init__(call, chunk, shown)
        self._conditions = ConditionReader(self._labels, lambda label: self._texts.elements[label].text, self._clear)

    def _clear(self, label: str, text: str, meaning: str) -> str:
        element = self._texts.elements[label]
        return checked(text, meaning, self._shown, own_clause=element.lead_in is None and element.parent is None)

    def _name(self, item: dict[str, Any], role: str) -> str:
        surface = super()._name(item, role)
        if _OTHER.match(surface):
            raise UnusableItem(f"its {role} does not say other than what: {surface!r}")
        return surface

    def _object(self, item: dict[str, Any], own: list[str]) -> Mention | Literal:
        value = item.get("object")
        if isinstance(value, str) and _ISO.fullmatch(value):
            item = item | {"object": self._as_written_here(value)}
        return super()._object(item, own)

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
        condition = super()._condition(item)
        return condition and without_pointers(condition, self._introduces)

    def _introduces(self, label: str, below: str) -> bool:
        return label in names_above(self._texts.elements[below], self._texts.elements)


class DoubtedParser(ClearParser):
    """As the fifth version of the prompt asks: what its own writer doubts is a passage, and no statement."""

    def read(self, item: dict[str, Any], numbers: list[int], bad: list[Any]) -> ReadItem:
        """Read an item; of one that is doubted its place, condition and names stay."""
        found = super().read(item, numbers, bad)
        doubt = item.get("doubt")
        said = doubt.strip().lower() if isinstance(doubt, str) else doubt
        if not said or said in _NO_DOUBT or found.statement is None:
            return found
        notes = (*found.notes, f"the model doubts it: {described(doubt)}")
        return replace(found, statement=None, notes=notes, passage=left_of(found.statement))


def _bounds(text: str) -> list[tuple[float | None, float | None]]:
    return [(one.low, one.high) for one in find_quantities(text)]


def _without_modality(made: Statement) -> Statement:
    """The statement with what its relation says of modality and denial beside it, and the verb in the third person."""
    relation, modality, polarity = made.relation, made.modality, made.polarity
    found = _AUXILIARY.match(relation)
    if found and (found["no"] or found["modal"] not in ("does", "do", "is", "are")):
        said = _SAYS.get(found["modal"])
        modality = said if said and modality is Modality.IS else modality
        polarity = polarity and not found["no"]
        relation = ("is " if found["modal"] in ("is", "are") else "") + relation[found.end() :]
    if not polarity:
        modality = _DENIED.get(modality, modality)
    return replace(
        made, relation=_in_third_person(relation), modality=modality, polarity=polarity and modality not in _NEGATIVE
    )


def _in_third_person(relation: str) -> str:
    """The relation as one thing has it: "usually cover" as "usually covers", "are sent to" as "is sent to"."""
    words = relation.split()
    place = next((i for i, word in enumerate(words) if is_base(word) or not word.endswith("ly")), 0)
    verb = words[place]
    words[place] = "is" if verb in ("are", "am") else third_person(verb) if is_base(verb) else verb
    return " ".join(words)
