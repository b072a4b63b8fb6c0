"""Condition trees for people and programs: with what a scenario says of each leaf, where one was given."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from clausegraph.core.presentation.wording import MARKS
from clausegraph.core.text import one_line
from clausegraph.core.types import JudgedLeaf, Leaf, Tree, fold

if TYPE_CHECKING:
    from rich.tree import Tree as Drawn

L = TypeVar("L", Leaf, JudgedLeaf)


def condition_json(condition: Tree[L] | None) -> Any:
    """``{"all": […]}``, ``{"any": […]}``, ``{"not": …}``, ``{"leaf": {…}}`` or null.

    A leaf whose words are not clear without the page has its meaning too; a judged one its state, page and quote.
    """
    if condition is None:
        return None
    return fold(condition, _leaf_json, _group_json)


def _group_json(kind: str, parts: list[Any]) -> Any:
    return {kind: parts[0] if kind == "not" else parts}


def _leaf_json(found: Leaf | JudgedLeaf) -> Any:
    leaf = found.leaf if isinstance(found, JudgedLeaf) else found
    value = {"text": leaf.text, "anchor": leaf.anchor, "start": leaf.start, "end": leaf.end}
    value |= {"meaning": leaf.meaning} if leaf.meaning else {}
    if isinstance(found, JudgedLeaf):
        judged = {"state": found.state.value, "decisive": found.decisive}
        value |= judged | {"page": str(found.source.page), "quote": found.source.quote}
    return {"leaf": value}


def condition_tree(condition: Tree[L], title: str) -> Drawn:
    """The tree as people read it: one line a leaf, with its mark and page where it is judged."""
    from rich.text import Text
    from rich.tree import Tree as Drawn

    def group(kind: str, parts: list[Drawn]) -> Drawn:
        branch = Drawn(Text("not:" if kind == "not" else f"{kind} of:"))
        branch.children += parts
        return branch

    def leaf(found: Leaf | JudgedLeaf) -> Drawn:
        return Drawn(Text(_leaf_line(found)))

    root = Drawn(Text(title))
    root.children.append(fold(condition, leaf, group))
    return root


def _leaf_line(found: Leaf | JudgedLeaf) -> str:
    if isinstance(found, Leaf):
        return one_line(found.words)
    source = found.source
    return f"{MARKS[found.state]}: {one_line(found.leaf.text)} ({one_line(source.title or source.page, 60)})"
