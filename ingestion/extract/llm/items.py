"""Parts of what a model says: relations, types, modality, and how what is rejected is shown."""

from __future__ import annotations

import re
import reprlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, TypeVar

from clausegraph.core.extraction import Reject
from clausegraph.core.language.lexicon import is_base, third_person
from clausegraph.core.language.normalise import clean_name
from clausegraph.core.types import Modality, Statement

T = TypeVar("T")
LONGEST_NAME = 200
LONGEST_RELATION = 100
MOST_ITEMS = 5_000  # of a reply that are read: more than any that was asked for has
_MOST_REJECTS = 100  # of a chunk that are told one by one
_LONGEST_SHOWN = 120
_LONGEST_TYPE = 40
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_ROLES = ("subject", "relation", "object")
_MODALITIES = {
    **{modality.value: modality for modality in Modality},
    "": Modality.IS,
    "shall": Modality.MUST,
    "needn't": Modality.NEED_NOT,
    **dict.fromkeys(("might", "could"), Modality.CAN),
    **dict.fromkeys(("can not", "must not", "may not", "can't", "mustn't"), Modality.CANNOT),
}
_AUXILIARY = re.compile(
    r"(?P<modal>may|might|can|could|must|shall|should|cannot|need not|will|would|does|do|is|are)(?P<no> not)? (?=\w)"
)
_PLAIN = ("does", "do", "is", "are")  # auxiliaries that say something only with "not"
_DENIED = {Modality.MAY: Modality.CANNOT, Modality.MUST: Modality.CANNOT}  # "might not" is no "cannot"
_SHORT = reprlib.Repr()
_SHORT.maxlevel = 2


class UnusableItem(Exception):
    """The item cannot be used, and why."""


def relation_name(value: Any) -> str | None:
    """A relation in lower-case words, snake and camel case taken apart; none when it is empty or too long."""
    name = clean_name(value, LONGEST_RELATION) or ""
    words = " ".join(_HUMP.sub(" ", name.replace("_", " ")).split()).lower()
    return words if 0 < len(words) <= LONGEST_RELATION else None


def type_name(value: Any) -> str:
    """A type in lower case; "thing" for what is none."""
    return (clean_name(value, _LONGEST_TYPE) or "thing").lower()


def first_items(items: Sequence[T]) -> tuple[Sequence[T], list[Reject]]:
    """The items of a reply that are read, and what is said of the others."""
    if len(items) <= MOST_ITEMS:
        return items, []
    return items[:MOST_ITEMS], [Reject("reply", f"of its {len(items):,} items only the first {MOST_ITEMS:,} are read")]


def told(rejects: Sequence[Reject]) -> tuple[Reject, ...]:
    """The rejects, of very many the first and how many there are: a reply cannot fill a report."""
    if len(rejects) <= _MOST_REJECTS:
        return tuple(rejects)
    more = Reject("reply", f"{len(rejects) - _MOST_REJECTS:,} more items could not be used")
    return (*rejects[:_MOST_REJECTS], more)


def described(item: Any) -> str:
    """An item in at most 120 characters, its control characters written out."""
    if isinstance(item, dict) and any(role in item for role in _ROLES):
        text = " | ".join(_short(item.get(role)) for role in _ROLES)
    else:
        text = _short(item)
    return text if len(text) <= _LONGEST_SHOWN else text[: _LONGEST_SHOWN - 1] + "…"


def _short(value: Any) -> str:
    if not isinstance(value, str):
        return "null" if value is None else _SHORT.repr(value)
    shown = value[:_LONGEST_SHOWN]
    return shown if shown.isprintable() else repr(shown)[1:-1]


def known_modality(text: str) -> Modality:
    """A modality by one of its known words."""
    found = _MODALITIES.get(" ".join(text.lower().split()))
    if found is None:
        raise UnusableItem(f"its modality is none of {', '.join(Modality)}")
    return found


def without_modality(made: Statement) -> Statement:
    """The statement with what its relation says of modality and denial beside it, and the verb in the third person."""
    relation, modality, polarity = made.relation, made.modality, made.polarity
    found = _AUXILIARY.match(relation)
    if found and (found["no"] or found["modal"] not in _PLAIN):
        said = Modality.MAY if found["modal"] == "can" else _MODALITIES.get(found["modal"], Modality.IS)
        modality = said if modality is Modality.IS else modality
        polarity = polarity and not found["no"]
        relation = ("is " if found["modal"] in ("is", "are") else "") + relation[found.end() :]
    modality = modality if polarity else _DENIED.get(modality, modality)
    holds = polarity and modality not in (Modality.CANNOT, Modality.NEED_NOT)
    return replace(made, relation=_in_third_person(relation), modality=modality, polarity=holds)


def _in_third_person(relation: str) -> str:
    """The relation as one thing has it: "usually cover" as "usually covers", "are sent to" as "is sent to"."""
    words = relation.split()
    place = next((i for i, word in enumerate(words) if is_base(word) or not word.endswith("ly")), 0)
    verb = words[place]
    words[place] = "is" if verb in ("are", "am") else third_person(verb) if is_base(verb) else verb
    return " ".join(words)
