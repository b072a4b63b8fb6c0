"""The rules that govern a yes/no question, and what follows from them for a scenario.

A rule is a statement with its condition: what may be under it, or what cannot be. The verdict is what the tree of the
condition gives: a requirement that is not met is a "no", a prohibition whose exception is met no longer forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausegraph.core.types import (
    All,
    AnyOf,
    ConditionState,
    JudgedCondition,
    JudgedLeaf,
    Modality,
    Not,
    PageKey,
    holds,
)
from clausegraph.query.read.statements import ReadStatement
from clausegraph.query.read.word_match import content_terms, coverage

MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
_SPOKEN = 0.5  # share of a condition's words that are told, from which it was spoken of


@dataclass(frozen=True, slots=True)
class GoverningRule:
    """A statement, the judged tree of its condition, ."""

    statement: ReadStatement
    tree: JudgedCondition | None
    relevance: float

    @property
    def positive(self) -> bool:
        return is_positive(self.statement)

    @property
    def state(self) -> ConditionState:
        return holds(self.tree)

    @property
    def place(self) -> tuple[PageKey, str]:
        return (
            self.statement.candidate.page,
            self.statement.candidate.element.lead_in or self.statement.candidate.element.anchor,
        )


def is_positive(statement: ReadStatement) -> bool:
    """Whether a statement says that something is, may or must be."""
    return statement.polarity and statement.modality is not Modality.CANNOT


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


def says_yes(rule: GoverningRule) -> bool:
    """The verdict of one rule alone, turned round where its condition is not met or only exceptions would meet it."""
    if rule.tree is None or rule.state is MET:
        return rule.positive
    short = rule.state is UNMET or holds(presumed_tree(rule.tree, rule.statement.exceptions, "")) is UNMET
    return rule.positive != short


def spoken_of(condition: str, user_text: str) -> bool:
    """Whether what is told has most of a condition's words."""
    return coverage(content_terms(condition), user_text) >= _SPOKEN


def presumed_tree(
    tree: JudgedCondition, untold: Sequence[str], user_text: str, *, excepts: bool = False
) -> JudgedCondition:
    """The tree with the exceptions of which nothing is told, and the ``untold`` conditions, as unmet."""
    match tree:
        case Not(child):
            return Not(presumed_tree(child, untold, user_text, excepts=True))
        case All(children):
            return All(tuple(presumed_tree(child, untold, user_text, excepts=excepts) for child in children))
        case AnyOf(children):
            return AnyOf(tuple(presumed_tree(child, untold, user_text, excepts=excepts) for child in children))
        case _ if tree.state is UNKNOWN and not spoken_of(tree.leaf.text, user_text):
            return replace(tree, state=UNMET) if excepts or tree.leaf.text in untold else tree
        case _:
            return tree


def engaged(tree: JudgedCondition) -> bool:
    """Whether the scenario touches a condition that is still open: a branch of it is met in part."""
    match tree:
        case AnyOf(children):
            return any(engaged(child) for child in children)
        case All(children):
            return holds(tree) is UNKNOWN and any(holds(child) is MET for child in children)
        case Not(child):
            return engaged(child)
        case JudgedLeaf(state=state):
            return state is MET
