"""The rules that govern a yes/no question, and what follows from them for a scenario.

A rule is a statement with its condition: what may be under it, or what cannot be. The verdict is what the tree of the
condition gives: a requirement that is not met is a "no", a prohibition whose exception is met no longer forbids.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from clausegraph.core.condition_trees import settled
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
from clausegraph.query.read.meeting import coverage, telling
from clausegraph.query.read.statements import ReadStatement

MET, UNMET, UNKNOWN = ConditionState.MET, ConditionState.UNMET, ConditionState.UNKNOWN
UNTOLD = "nothing is told of an exception"
_SPOKEN = 0.5  # share of a condition's words that are told, from which it was spoken of
_AS_GOOD = 0.75  # relevance beside the best rule's, from which a rule is about the question


@dataclass(frozen=True, slots=True)
class GoverningRule:
    """A statement, the judged tree of its condition, and how well it fits the question (0 to 1)."""

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


@dataclass(frozen=True, slots=True)
class Ruling:
    """Yes or no, the rule it rests on, the condition under which it holds, and why."""

    yes: bool
    rule: GoverningRule
    tree: JudgedCondition | None
    why: str

    @property
    def text(self) -> str:
        return "yes" if self.yes else "no"

    @property
    def state(self) -> ConditionState:
        return holds(self.tree)


def is_positive(statement: ReadStatement) -> bool:
    """Whether a statement says that something is, may or must be."""
    return statement.polarity and statement.modality is not Modality.CANNOT


def follow(rules: Sequence[GoverningRule], preferred: bool) -> Ruling:
    """The verdict that follows from the rules, best first; at least one.

    Args:
        preferred: the verdict that the words suggest; it chooses between rules where their conditions do not.
    """
    best = max(rule.relevance for rule in rules)
    about = [rule for rule in rules if rule.relevance >= _AS_GOOD * best] or list(rules)
    may = next((rule for rule in about if rule.positive), None)
    cannot = next((rule for rule in about if not rule.positive), None)
    if cannot is not None and cannot.tree is not None:
        if may is None and excepted(cannot.tree):
            may = _beside(cannot, rules)
        ruling = _forbidden(cannot, may)
        if ruling is not None:
            return ruling
    if may is not None and may.tree is not None and (cannot is None or cannot.tree is not None or preferred):
        return _permitted(may, cannot)
    first = (may if preferred else cannot) or about[0]
    return of_rule(first)


def _beside(cannot: GoverningRule, rules: Sequence[GoverningRule]) -> GoverningRule | None:
    """What the page of a prohibition allows under a condition, however little of the question it repeats."""
    page = cannot.place[0]
    return next((rule for rule in rules if rule.positive and rule.tree is not None and rule.place[0] == page), None)


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


def of_rule(rule: GoverningRule) -> Ruling:
    """What one rule gives alone: turned round where its condition is not met."""
    if rule.state is UNMET:
        assert rule.tree is not None
        return Ruling(not rule.positive, rule, negated(rule.tree), "its condition is not met")
    if rule.tree is not None and rule.state is UNKNOWN and presumed(rule) is UNMET:
        return Ruling(not rule.positive, rule, negated(rule.tree), UNTOLD)
    return Ruling(rule.positive, rule, rule.tree, "its condition is met" if rule.tree is not None else "it says so")


def presumed(rule: GoverningRule, told: str = "") -> ConditionState:
    """The state of a rule's condition where the exceptions of which nothing is ``told`` do not hold."""
    if rule.tree is None:
        return MET
    untold = [text for text in rule.statement.exceptions if not spoken_of(text, told)]
    return holds(presumed_tree(rule.tree, untold, told))


def spoken_of(condition: str, told: str) -> bool:
    """Whether what is told has most of a condition's words."""
    return coverage(telling(condition), told) >= _SPOKEN


def presumed_tree(tree: JudgedCondition, untold: Sequence[str], told: str, *, excepts: bool = False) -> JudgedCondition:
    """The tree with the exceptions of which nothing is told, and the ``untold`` conditions, as unmet."""
    match tree:
        case Not(child):
            return Not(presumed_tree(child, untold, told, excepts=True))
        case All(children):
            return All(tuple(presumed_tree(child, untold, told, excepts=excepts) for child in children))
        case AnyOf(children):
            return AnyOf(tuple(presumed_tree(child, untold, told, excepts=excepts) for child in children))
        case _ if tree.state is UNKNOWN and not spoken_of(tree.leaf.text, told):
            return replace(tree, state=UNMET) if excepts or tree.leaf.text in untold else tree
        case _:
            return tree


def _forbidden(cannot: GoverningRule, may: GoverningRule | None) -> Ruling | None:
    """What a prohibition with a condition decides; None where it leaves the question to what is allowed."""
    assert cannot.tree is not None
    if cannot.state is MET:
        return Ruling(False, cannot, cannot.tree, "what forbids it is met")
    if cannot.state is UNKNOWN and engaged(cannot.tree):
        return Ruling(False, cannot, cannot.tree, "what forbids it may be met")
    if may is not None:
        return None
    if cannot.state is UNKNOWN and excepted(cannot.tree):
        return Ruling(True, cannot, negated(cannot.tree), "an exception is met")
    if cannot.state is UNKNOWN:
        return Ruling(False, cannot, cannot.tree, "nothing is told of what forbids it")
    return of_rule(cannot)


def _permitted(may: GoverningRule, cannot: GoverningRule | None) -> Ruling:
    assert may.tree is not None
    if may.state is UNMET:
        return Ruling(False, may, negated(may.tree), "a requirement is not met")
    barred = cannot is not None and cannot.tree is not None and cannot.state is not MET and cannot.place != may.place
    tree = (
        All((may.tree, negated(cannot.tree))) if barred and cannot is not None and cannot.tree is not None else may.tree
    )
    return Ruling(True, may, tree, "its requirements" if may.state is UNKNOWN else "its requirements are met")


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


def excepted(tree: JudgedCondition) -> bool:
    """Whether the scenario meets an exception ("unless …"), so that a branch that it touches does not hold."""
    match settled(tree):
        case AnyOf(children):
            return any(excepted(child) for child in children)
        case All(children):
            met = any(isinstance(child, Not) and holds(child.child) is MET for child in children)
            return met and any(holds(child) is MET for child in children)
        case Not(child):
            return holds(child) is MET
        case _:
            return False
