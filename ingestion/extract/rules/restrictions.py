"""Lists that state conditions without a subordinator: "You must:", "students who:"."""

from __future__ import annotations

from clausegraph.core.language.conditions import lists_examples
from clausegraph.core.language.lexicon import WordTable, phrases, word_set
from clausegraph.core.language.propositions import Proposition
from clausegraph.core.types import Modality

_TABLE = WordTable(__file__)

_INFORMS = _TABLE.pattern("informs")
# Verbs of a state ("must be", "must have"), as against duties to act ("must send").
_STATES = word_set("be been have get getting meet live own satisfy hold pass apply pay either both")
_PURPOSE = phrases("qualify|eligible|entitled|apply|to (?:get|claim|use|join|register|be)")
_LISTS_CASES = _TABLE.pattern("lists_cases")
_OPEN_DUTY = _TABLE.pattern("open_duty")


def _duty(proposition: Proposition, *adverbs: str) -> str:
    """The verb of a relation after "must", which one of the adverbs may stand before; "" without."""
    must, verb, following = [*proposition.relation.split()[:3], "", "", ""][:3]
    return "" if must != "must" else following if verb in adverbs else verb


def lists_requirements(proposition: Proposition, text: str) -> bool:
    """Whether the list of a duty says what must hold: "To qualify you must:", "students who:"."""
    if lists_examples(text):
        return False
    if _LISTS_CASES.search(text):
        return True
    if not proposition.polarity or _INFORMS.search(text):
        return False
    is_state = _duty(proposition, "already", "usually", "normally", "also") in _STATES
    needed = is_state or _PURPOSE.search(text) is not None
    return _OPEN_DUTY.search(text) is not None or (proposition.modality is Modality.MUST and needed)
