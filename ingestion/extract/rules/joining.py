"""Whether it is sure how the conditions of a list join: the page says so, or it cannot be meant otherwise."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clausegraph.core.language.markers import plain
from clausegraph.core.language.propositions import Proposition
from clausegraph.core.language.slots import Slot
from clausegraph.core.types import Modality

_CONJUNCTION_AT_END = re.compile(r"\b(?:and|or)[,;]?$")
_KINDS = (  # what people are asked to be: nobody offers an age in place of a home
    re.compile(r"(?:you )?(?:(?:normally|usually) )?(?:live|are living|reside|work) in\b", re.IGNORECASE),
    re.compile(
        r"(?:you(?:'re| are) |are )?(?:(?:aged? )?(?:over|under|at least) \d+(?: years old)?"
        r"|(?:aged )?\d+ (?:or|and) (?:over|under))\W*$",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?:you(?:'re| are) )?(?:an? )?(?:British|UK|Irish)(?: or (?:British|UK|Irish))? (?:citizen|national)\W*$",
        re.IGNORECASE,
    ),
)


def joins_surely(slot: Slot | None, proposition: Proposition, items: Sequence[str], *, requires: bool) -> bool:
    """Whether all or any of the items must hold is said by the lead-in or by "and" and "or", or follows.

    It follows where each item bars or waives, where each is an event that brings a duty, and where each is another kind
    of requirement. A list of one item joins nothing.

    Args:
        requires: the lead-in is "You must:", and no "if".
    """
    if len(items) < 2 or (slot is not None and slot.operator is not None):
        return True
    if any(_CONJUNCTION_AT_END.search(item.rstrip(" .;,")) for item in items[:-1]):
        return True
    enough = slot is not None and not requires and _one_is_enough(slot, proposition)
    return enough or _are_requirements(items)


def _one_is_enough(slot: Slot, proposition: Proposition) -> bool:
    """Whether each item is enough for what is denied, for a duty, or to be left out ("unless:")."""
    denied = proposition.modality is Modality.CANNOT or not proposition.polarity
    return not denied if slot.negated else denied or proposition.modality is Modality.MUST


def _are_requirements(items: Sequence[str]) -> bool:
    """Whether the items ask for different kinds of things, all of which must then be: an age, a place to live."""
    kinds = [next((kind for kind in _KINDS if kind.match(plain(item))), None) for item in items]
    return None not in kinds and len(set(kinds)) == len(kinds)
