"""How well extracted condition trees agree with labelled ones: one result per statement, then totals."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from benchmarks.trees import PlainTree, Tree, TreeLeaf, TreeNode, leaves, normal_tree, replace_leaves
from clausegraph.core.errors import InputError
from clausegraph.eval.assignment import best_pairs
from clausegraph.eval.text_overlap import token_f1

LEAF_F1 = 0.8
"""Least token F1 at which two leaves of the same element are the same condition."""


@dataclass(frozen=True)
class TreeResult:
    """What one statement's tree got right.

    ``exact``: the trees are equal in normal form. ``matched`` of ``predicted_leaves`` and
    ``gold_leaves`` agree. ``operators``: the skeleton over the matched leaves is right. ``compound``:
    the gold tree has an operator at all. ``exceptions_found`` of ``exceptions`` gold leaves under a
    "not" were found, under a "not".
    """

    id: str
    found: bool
    exact: bool
    predicted_leaves: int
    gold_leaves: int
    matched: int
    operators: bool
    compound: bool
    exceptions: int
    exceptions_found: int


@dataclass(frozen=True)
class TreeScores:
    """Totals over statements, 0 to 1; ``None`` where there is nothing to divide by.

    ``exact``: share of statements whose whole tree is right.
    ``leaf_precision``, ``leaf_recall``, ``leaf_f1``: over the leaves of all statements together.
    ``operators``: share of statements whose operator skeleton is right; ``compound_operators``: the
    same over those whose gold tree has an operator, where it is not trivial.
    ``exceptions_recall``: share of all gold leaves under a "not" that were found as such.
    """

    statements: int
    exact: float | None
    leaf_precision: float | None
    leaf_recall: float | None
    leaf_f1: float | None
    operators: float | None
    compound_operators: float | None
    exceptions_recall: float | None


def score_trees(predicted: Mapping[str, PlainTree], gold: Mapping[str, PlainTree]) -> tuple[TreeResult, ...]:
    """Score each labelled statement, by statement id, in the order of ``gold``.

    A statement missing from ``predicted`` was not found: it counts as wrong, unlike one predicted to
    have no condition (``None``).

    Raises:
        InputError: a tree has another form, or a predicted id is not labelled.
    """
    unknown = sorted(predicted.keys() - gold.keys())
    if unknown:
        raise InputError(
            f"predicted statements {unknown[:3]} ({len(unknown)} in all) are not labelled; score only the labelled ones"
        )
    return tuple(
        _score(
            name,
            normal_tree(predicted.get(name), where=f"predicted tree {name}"),
            normal_tree(tree, where=f"labelled tree {name}"),
            found=name in predicted,
        )
        for name, tree in gold.items()
    )


def summarise_trees(results: Iterable[TreeResult]) -> TreeScores:
    """Compute the totals from the results."""
    rows = tuple(results)
    matched = sum(row.matched for row in rows)
    predicted_leaves = sum(row.predicted_leaves for row in rows)
    gold_leaves = sum(row.gold_leaves for row in rows)
    compound = [row for row in rows if row.compound]
    return TreeScores(
        statements=len(rows),
        exact=_share(sum(row.exact for row in rows), len(rows)),
        leaf_precision=_share(matched, predicted_leaves),
        leaf_recall=_share(matched, gold_leaves),
        leaf_f1=_share(2 * matched, predicted_leaves + gold_leaves),
        operators=_share(sum(row.operators for row in rows), len(rows)),
        compound_operators=_share(sum(row.operators for row in compound), len(compound)),
        exceptions_recall=_share(sum(row.exceptions_found for row in rows), sum(row.exceptions for row in rows)),
    )


def match_leaves(predicted: Sequence[TreeLeaf], gold: Sequence[TreeLeaf]) -> list[tuple[int, int]]:
    """Pair leaves of the same element with token F1 of at least ``LEAF_F1``.

    As many pairs as possible; among those, the greatest sum of F1 (best assignment).
    """
    # The bonuses of all pairs together stay below 1, so no bonus outweighs one more pair.
    scale = 1 + min(len(predicted), len(gold))
    values = [[_agreement(p, g, scale) for g in gold] for p in predicted]
    return [(p, g) for p, g in best_pairs(values) if values[p][g] > 0]


def _agreement(predicted: TreeLeaf, gold: TreeLeaf, scale: int) -> float:
    if predicted.element != gold.element:
        return 0.0
    f1 = token_f1(predicted.text, gold.text)
    return 1.0 + f1 / scale if f1 >= LEAF_F1 else 0.0


def _score(name: str, predicted: Tree | None, gold: Tree | None, *, found: bool) -> TreeResult:
    ours, theirs = list(leaves(predicted)), list(leaves(gold))
    pairs = match_leaves([leaf for leaf, _ in ours], [leaf for leaf, _ in theirs])
    return TreeResult(
        id=name,
        found=found,
        exact=found and predicted == gold,
        predicted_leaves=len(ours),
        gold_leaves=len(theirs),
        matched=len(pairs),
        operators=found and _same_skeleton(predicted, gold, pairs),
        compound=isinstance(gold, TreeNode),
        exceptions=sum(negated for _, negated in theirs),
        exceptions_found=sum(ours[p][1] and theirs[g][1] for p, g in pairs),
    )


def _same_skeleton(predicted: Tree | None, gold: Tree | None, pairs: Sequence[tuple[int, int]]) -> bool:
    """Compare the trees after each matched leaf took the gold one's text and the others were removed.

    Without any matched leaf there is no skeleton to be right about, unless both trees are empty.
    """
    if not pairs:
        return predicted is None and gold is None
    gold_leaves = [leaf for leaf, _ in leaves(gold)]
    partners = dict(pairs)
    kept = set(partners.values())
    ours = [gold_leaves[partners[i]] if i in partners else None for i, _ in enumerate(leaves(predicted))]
    theirs = [leaf if i in kept else None for i, leaf in enumerate(gold_leaves)]
    return replace_leaves(predicted, ours) == replace_leaves(gold, theirs)


def _share(part: int, whole: int) -> float | None:
    return part / whole if whole else None
