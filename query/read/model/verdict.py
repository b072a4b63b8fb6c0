"""A judged condition tree evaluated by code: three values, and which open leaves still matter."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from clausegraph.core.types import All, AnyOf, ConditionState, JudgedCondition, JudgedLeaf, Not, holds, mapped

_SAID = {ConditionState.MET: True, ConditionState.UNMET: False, ConditionState.UNKNOWN: None}


def value_of(tree: JudgedCondition | None, *, favourable: bool = True) -> bool | None:
    """Whether a condition holds; None where that depends on an open leaf.

    An unknown leaf that is not decisive is taken for granted: it counts for what lets the whole hold, true, or false
    under a "not".
    """
    return _SAID[holds(None if tree is None else _granted(tree, favourable=favourable))]


def _granted(tree: JudgedCondition, *, favourable: bool) -> JudgedCondition:
    within = partial(_granted, favourable=favourable)
    match tree:
        case Not(child):
            return Not(_granted(child, favourable=not favourable))
        case All(children):
            return All(tuple(within(child) for child in children))
        case AnyOf(children):
            return AnyOf(tuple(within(child) for child in children))
        case JudgedLeaf():
            if tree.decisive or tree.state is not ConditionState.UNKNOWN:
                return tree
            return replace(tree, state=ConditionState.MET if favourable else ConditionState.UNMET)
    raise TypeError(f"{tree!r} is no condition")


def settled(tree: JudgedCondition, *, favourable: bool = True) -> JudgedCondition:
    """The tree with those open leaves no longer decisive on which its value does not depend any more."""
    if value_of(tree, favourable=favourable) is not None:
        return mapped(tree, _quiet)
    within = partial(settled, favourable=favourable)
    match tree:
        case Not(child):
            return Not(settled(child, favourable=not favourable))
        case All(children):
            return All(tuple(within(child) for child in children))
        case AnyOf(children):
            return AnyOf(tuple(within(child) for child in children))
    return tree


def _quiet(judged: JudgedLeaf) -> JudgedLeaf:
    return replace(judged, decisive=False) if judged.state is ConditionState.UNKNOWN else judged
