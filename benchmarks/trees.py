"""Condition trees in a normal form, so that two spellings of one tree are equal.

The plain form, as in ``examples/statements.json``, is nested mappings::

    {"all": [tree, ...]} | {"any": [tree, ...]} | {"not": tree} | {"leaf": text, "element": html} | None

where ``None`` is a statement that holds without a condition.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from clausegraph.core.errors import InputError
from clausegraph.eval.elements import element_key

Operator = Literal["all", "any", "not"]
PlainTree = Mapping[str, Any] | None

# What a list item leaves behind when it becomes a leaf: "be over 18; or", "live here, and".
_TRAILING = re.compile(r"(?:[\s.,;:!?\u2013\u2014-]+|\s(?:and|or))+$")
_FORMS = '{"all": [...]}, {"any": [...]}, {"not": ...} or {"leaf": text, "element": html}'


@dataclass(frozen=True)
class TreeLeaf:
    """A condition: its normalised text, and the key of its element (``elements.element_key``)."""

    text: str
    element: tuple[str, str]


@dataclass(frozen=True)
class TreeNode:
    """An operator over children in a fixed order; "not" has one child, the others two or more."""

    operator: Operator
    children: tuple[Tree, ...]


Tree = TreeLeaf | TreeNode


def normal_tree(plain: PlainTree, *, where: str) -> Tree | None:
    """Read a plain tree into its normal form; ``where`` starts the messages.

    Same operators that are nested are merged, operators with one child are replaced by it, the order
    of children is made irrelevant, and leaf texts are normalised (:func:`leaf_text`). Nothing that
    needs logic is done: a double negation, De Morgan's laws and repeated children stay as they are.

    Raises:
        InputError: a part has another form, or "all" or "any" has no child.
    """
    return None if plain is None else _read(plain, where)


def leaf_text(text: str) -> str:
    """Return a leaf's text in lower case, one space between words, without what trails it:
    punctuation and the "and" or "or" that leads to the next list item.
    """
    return _TRAILING.sub("", " ".join(text.lower().split()))


def leaves(tree: Tree | None, *, negated: bool = False) -> Iterator[tuple[TreeLeaf, bool]]:
    """Yield each leaf in the tree's order, with whether it is under an odd number of "not"."""
    match tree:
        case TreeLeaf():
            yield tree, negated
        case TreeNode(operator, children):
            for child in children:
                yield from leaves(child, negated=negated ^ (operator == "not"))


def replace_leaves(tree: Tree | None, replacements: Sequence[TreeLeaf | None]) -> Tree | None:
    """Replace the leaves, in the order of :func:`leaves`; ``None`` removes one.

    Operators left without a child go too; the result is in normal form.
    """
    remaining = iter(replacements)
    return None if tree is None else _rebuild(tree, lambda _: next(remaining))


def _read(plain: Any, where: str) -> Tree:
    match plain:
        case {"leaf": str(text), "element": str(element)} if len(plain) == 2:
            return TreeLeaf(leaf_text(text), element_key(element))
        case {"not": child} if len(plain) == 1:
            return TreeNode("not", (_read(child, f"{where}, not"),))
        case {"all": [_, *_] as children} if len(plain) == 1:
            return _combine("all", [_read(child, f"{where}, all {i}") for i, child in enumerate(children)])
        case {"any": [_, *_] as children} if len(plain) == 1:
            return _combine("any", [_read(child, f"{where}, any {i}") for i, child in enumerate(children)])
        case _:
            raise InputError(f"{where}: {str(plain)[:80]!r} is no condition tree; write {_FORMS}, lists not empty")


def _rebuild(tree: Tree, replace: Callable[[TreeLeaf], TreeLeaf | None]) -> Tree | None:
    if isinstance(tree, TreeLeaf):
        return replace(tree)
    rebuilt = [_rebuild(child, replace) for child in tree.children]
    children = [child for child in rebuilt if child is not None]
    return _combine(tree.operator, children) if children else None


def _combine(operator: Operator, children: Sequence[Tree]) -> Tree:
    """Build a node in normal form from at least one child in normal form."""
    if operator == "not":
        return TreeNode("not", tuple(children))
    flat = [part for child in children for part in _parts(child, operator)]
    return flat[0] if len(flat) == 1 else TreeNode(operator, tuple(sorted(flat, key=repr)))


def _parts(child: Tree, operator: Operator) -> tuple[Tree, ...]:
    return child.children if isinstance(child, TreeNode) and child.operator == operator else (child,)
