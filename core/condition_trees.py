"""Pure functions on judged condition trees: what of one still matters, what decides it, what of it is open."""

from __future__ import annotations

from collections.abc import Callable

from clausegraph.core.types import All, AnyOf, ConditionState, JudgedCondition, JudgedLeaf, Not, holds

VERDICTS = {"yes": "no", "no": "yes"}
"""The two verdicts, each with its opposite."""


def negated(tree: JudgedCondition) -> JudgedCondition:
    """What holds where a condition does not; never a "not" of a "not", nor of a group with one."""
    match tree:
        case Not(child):
            return child
        case AnyOf(children) if any(isinstance(child, Not) for child in children):
            plain = [child for child in children if not isinstance(child, Not)]
            barred = [] if not plain else [Not(plain[0] if len(plain) == 1 else AnyOf(tuple(plain)))]
            return All((*(child.child for child in children if isinstance(child, Not)), *barred))
        case _:
            return Not(tree)


def with_children(tree: JudgedCondition, made: Callable[[JudgedCondition, bool], JudgedCondition]) -> JudgedCondition:
    """The tree with what ``made`` makes of each child, and of whether the child stands under a "not"; a leaf itself."""
    match tree:
        case Not(child):
            return Not(made(child, True))
        case All(children):
            return All(tuple(made(child, False) for child in children))
        case AnyOf(children):
            return AnyOf(tuple(made(child, False) for child in children))
        case _:
            return tree


def settled(tree: JudgedCondition) -> JudgedCondition:
    """What of a tree still matters: once one alternative is met, the others do not.

    An answer keeps the whole tree, since somebody may take the one that is met as unmet.
    """
    if isinstance(tree, AnyOf):
        met = [c for c in tree.children if isinstance(c, JudgedLeaf) and c.state is ConditionState.MET]
        parts = tuple(settled(child) for child in met or tree.children)
        return parts[0] if len(parts) == 1 else AnyOf(parts)
    return with_children(tree, lambda child, _: settled(child))


def deciding(tree: JudgedCondition) -> JudgedCondition:
    """What of a tree makes it hold or not; where it is open, what still matters."""
    state = holds(tree)
    match tree:
        case _ if state is ConditionState.UNKNOWN:
            return settled(tree)
        case Not(child):
            return Not(deciding(child))
        case All(children) | AnyOf(children):
            settles = ConditionState.UNMET if isinstance(tree, All) else ConditionState.MET
            kept = [child for child in children if state is not settles or holds(child) is settles]
            parts = tuple(deciding(child) for child in kept)
            return parts[0] if len(parts) == 1 else All(parts) if isinstance(tree, All) else AnyOf(parts)
        case _:
            return tree


def open_part(tree: JudgedCondition) -> JudgedCondition | None:
    """What of a tree is not known yet, as a tree of open leaves; None where the tree is settled."""
    if holds(tree) is not ConditionState.UNKNOWN:
        return None
    match tree:
        case Not(Not(child)):
            return open_part(child)
        case Not(child):
            part = open_part(child)
            return part.child if isinstance(part, Not) else None if part is None else Not(part)
        case All(children) | AnyOf(children):
            parts = tuple(part for part in map(open_part, children) if part is not None)
            return parts[0] if len(parts) == 1 else All(parts) if isinstance(tree, All) else AnyOf(parts)
        case _:
            return tree
