"""Condition trees for people and programs: with what a scenario says of each leaf, where one was given."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from clausegraph.app.text import one_line
from clausegraph.core.types import All, AnyOf, Condition, ConditionState, Evidence, Leaf, Not

if TYPE_CHECKING:
    from rich.tree import Tree

MARKS = {ConditionState.MET: "✓ met", ConditionState.UNMET: "✗ unmet", ConditionState.UNKNOWN: "? open"}
_HEADS = {All: "all of:", AnyOf: "any of:", Not: "not:"}


def condition_json(
    condition: Condition | None, states: Sequence[ConditionState] = (), sources: Sequence[Evidence] = ()
) -> Any:
    """``{"all": […]}``, ``{"any": […]}``, ``{"not": …}``, ``{"leaf": {…}}`` or null.

    ``states`` and ``sources`` are parallel to the leaves, or empty; a leaf then has no state and no page.
    """
    return None if condition is None else _json(condition, iter(states), iter(sources))


def _json(condition: Condition, states: Iterator[ConditionState], sources: Iterator[Evidence]) -> Any:
    match condition:
        case Leaf(anchor, start, end, text):
            leaf: dict[str, Any] = {"text": text, "anchor": anchor, "start": start, "end": end}
            state, source = next(states, None), next(sources, None)
            if state is not None:
                leaf["state"] = state.value
            if source is not None:
                leaf |= {"page": str(source.page), "quote": source.quote}
            return {"leaf": leaf}
        case Not(child):
            return {"not": _json(child, states, sources)}
        case All(children):
            return {"all": [_json(child, states, sources) for child in children]}
        case AnyOf(children):
            return {"any": [_json(child, states, sources) for child in children]}


def condition_tree(
    condition: Condition, states: Sequence[ConditionState] = (), sources: Sequence[Evidence] = (), title: str = ""
) -> Tree:
    """The tree as people read it: one line a leaf, with its mark, and its page where that is known."""
    from rich.text import Text
    from rich.tree import Tree

    root = Tree(Text(title))
    _grow(root, condition, iter(states), iter(sources))
    return root


def _grow(tree: Tree, condition: Condition, states: Iterator[ConditionState], sources: Iterator[Evidence]) -> None:
    from rich.text import Text

    match condition:
        case Leaf():
            state, source = next(states, None), next(sources, None)
            mark = f"{MARKS[state]}: " if state is not None else ""
            page = f" ({one_line(source.title or source.page, 60)})" if source is not None else ""
            tree.add(Text(f"{mark}{one_line(condition.text)}{page}"))
        case Not(child):
            _grow(tree.add(Text(_HEADS[Not])), child, states, sources)
        case All(children) | AnyOf(children):
            branch = tree.add(Text(_HEADS[type(condition)]))
            for child in children:
                _grow(branch, child, states, sources)
