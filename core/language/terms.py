"""Content terms of a text: words without stop words, by a crude stem, for comparing texts by what they speak of."""

from __future__ import annotations

import re
from functools import lru_cache

from clausegraph.core.language.normalise import singular, tokens

_STOP_WORDS = (
    "a an the i you he she it we they me my your his her its our their them us him this that these those of to "
    "in on at by for from with about as into and or but if is are am was were be been being do does did have "
    "has had will would can could may might must should shall need there here what which who whom how when "
    "where why any some all both not no so than then also get got i'm i've you're it's just much many still "
    "now s t"
)
_STOP = frozenset(_STOP_WORDS.split())
_SUFFIX = re.compile(r"(?:ing|ed|ly|ment|ation|ion|er|al)$")


@lru_cache(maxsize=65536)
def stem(word: str) -> str:
    """A crude stem, so that "claim", "claims", "claimed" and "claiming" meet."""
    base = singular(word.removesuffix("'s"))
    cut = _SUFFIX.sub("", base)
    return cut.rstrip("e") if len(cut) >= 3 else base


@lru_cache(maxsize=16384)
def content(text: str) -> frozenset[str]:
    """Stems of the content words of a text."""
    return frozenset(stem(word) for word in tokens(text) if word not in _STOP)


def overlap(needles: frozenset[str], text: str) -> float:
    """Share of the ``needles`` that occur in ``text``; 0 without needles."""
    return len(needles & content(text)) / len(needles) if needles else 0.0
