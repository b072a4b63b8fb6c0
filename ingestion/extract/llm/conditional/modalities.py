"""What a triple says of modality and denial: its ``holds`` and ``modality``, and words of its relation."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from clausegraph.core.language.verbs import is_base, third_person
from clausegraph.core.types import Modality, Statement

_MODALITIES = {
    **{modality.value: modality for modality in Modality},
    "": Modality.IS,
    "shall": Modality.MUST,
    "needn't": Modality.NEED_NOT,
    **dict.fromkeys(("might", "could"), Modality.CAN),
    **dict.fromkeys(("can not", "must not", "may not", "can't", "mustn't"), Modality.CANNOT),
}
_TRUTHS = {"true": True, "false": False, "yes": True, "no": False}
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
_NEGATIVE = (Modality.CANNOT, Modality.NEED_NOT)


class UnusableItem(Exception):
    """The item cannot be used, and why."""


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


def known_modality(value: Any) -> Modality:
    """A modality by one of its known words; that of plain statements where none is given.

    Raises:
        UnusableItem: it is none of them.
    """
    if value is None:
        return Modality.IS
    found = _MODALITIES.get(" ".join(value.lower().split())) if isinstance(value, str) and len(value) < 100 else None
    if found is None:
        *first, last = (modality.value for modality in Modality)
        raise UnusableItem(f"its modality is none of {', '.join(first)} and {last}")
    return found


def without_modality(made: Statement) -> Statement:
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
