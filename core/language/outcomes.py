"""What a clause grants or refuses, so that a rule and what is excluded from it meet: "a permit", "to apply"."""

from __future__ import annotations

import re

from clausegraph.core.language.markers import expand
from clausegraph.core.language.standing import LOSABLE, stems
from clausegraph.core.language.words import PREPOSITIONS, word_set

# Verbs by which anything is granted or refused: what it is, the nouns say.
_LIGHT = word_set(
    "get have give claim pay receive grant issue accept offer make use ask usually normally sometimes still also be"
    " been will won't apply consider take provide"
)
_POINTS = word_set("it this that them these those one")
_ANNOUNCED = re.compile(
    r"\s*\b(?:if|when|where|unless|because|(?:any|one|all) of|the following|these)\b.*$", re.IGNORECASE
)


_SAYS_LITTLE = (LOSABLE - _POINTS) | PREPOSITIONS


def same_outcome(granted: str, refused: str) -> bool:
    """Whether a clause refuses what another grants: its nouns are among the other's, or it only points ("it").

    Where it has no nouns ("You cannot apply"), the verbs must be the same. Both are main clauses.
    """
    grants, refuses = _outcome(granted), _outcome(refused)
    nouns = refuses - _LIGHT - _POINTS
    if nouns:
        return nouns <= grants
    return bool(refuses & _POINTS) or (bool(refuses) and refuses <= grants)


def _outcome(clause: str) -> set[str]:
    """The words of a clause that say what it is about, in their base forms."""
    said = _ANNOUNCED.sub("", expand(clause).strip(" .:;,"))
    bare = re.sub(r"^(?:also|however|but),?\s", "", said, flags=re.IGNORECASE)
    return stems(bare) - _SAYS_LITTLE
