"""Leaves that only say again what a statement's subject or object says, taken out of its condition."""

from __future__ import annotations

import re
from collections.abc import Sequence

from clausegraph.core.language.normalise import tokens
from clausegraph.core.types import All, Condition, Leaf

# What a clause begins with before it says what something is: "if you're a limited company"
_OPENING = re.compile(
    r"^(?:(?:if|when|where|for|as)\s+)?(?:(?:you|they|he|she|it)(?:\s+(?:are|is)|['’](?:re|s))\s+|who\s+(?:are|is)\s+)?"
    r"(?:an?\s+|the\s+)?",
    re.IGNORECASE,
)
_FEWEST = 2  # words that a part of a name has at least, to say nothing but the name


def without_repeated(condition: Condition | None, names: Sequence[str]) -> Condition | None:
    """The condition without the leaves that one of the names says already; none where nothing is left.

    Only what has to hold in any case is looked at: the whole tree, or a child of an outermost "all". A leaf repeats a
    name where its words are the name's, or two and more of them in a row, of a name without alternatives.
    """
    if condition is None:
        return None
    said = [tokens(name) for name in names]
    children = condition.children if isinstance(condition, All) else (condition,)
    kept = tuple(child for child in children if not (isinstance(child, Leaf) and _repeats(child.text, said)))
    if len(kept) == len(children):
        return condition
    return All(kept) if len(kept) > 1 else kept[0] if kept else None


def _repeats(text: str, said: Sequence[Sequence[str]]) -> bool:
    words = tokens(_OPENING.sub("", text, count=1))
    return bool(words) and any(
        words == name or (len(words) >= _FEWEST and "or" not in name and _within(words, name)) for name in said
    )


def _within(words: Sequence[str], name: Sequence[str]) -> bool:
    return any(name[i : i + len(words)] == words for i in range(len(name) - len(words) + 1))
