"""Condition trees in words."""

from __future__ import annotations

from clausegraph.core.types import All, AnyOf, Condition, Leaf, Not


def condition_words(condition: Condition | None, *, parts_in_brackets: bool = False) -> str:
    """The tree on one line: ``(a and b and not (c or d))``; empty without one.

    With ``parts_in_brackets``, as Neo4j's rows have it, the whole has no brackets and every part that is no leaf has
    them: ``a and b and (not (c or d))``, and ``not (a)``.
    """

    def part(child: Condition) -> str:
        words = condition_words(child, parts_in_brackets=parts_in_brackets)
        return f"({words})" if parts_in_brackets and not isinstance(child, Leaf) else words

    match condition:
        case None:
            return ""
        case Leaf(_, _, _, text):
            return " ".join(text.split())
        case Not(child):
            words = condition_words(child, parts_in_brackets=parts_in_brackets)
            return f"not ({words})" if parts_in_brackets else f"not {words}"
        case All(children) | AnyOf(children):
            joined = (" and " if isinstance(condition, All) else " or ").join(map(part, children))
            return joined if parts_in_brackets else f"({joined})"
