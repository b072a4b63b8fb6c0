"""Chain of Condition (Lin, Lai and Feng 2024): identify the conditions and their logic, verify each, solve by code.

The page is the nearest one, as for the other prompts over a whole page; what code has solved stands above it in the
prompt of the answer, and the conditions of the answer are those that are left open: no model chooses them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from clausegraph.core.condition_trees import deciding
from clausegraph.core.errors import UnusableReply
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.language.normalise import visible
from clausegraph.core.types import (
    All,
    AnyOf,
    Condition,
    ConditionState,
    JudgedCondition,
    JudgedLeaf,
    Leaf,
    Not,
    fold,
    holds,
    leaves,
    mapped,
)
from clausegraph.query.engines.preset import Sources, preset
from clausegraph.query.engines.prompt import ContextElement, PromptContext, Solved
from clausegraph.query.engines.whole_page import PAGE_CHARACTERS, find_page
from clausegraph.query.read.evidence import evidence_of
from clausegraph.query.read.model.schema import READ_SCHEMA
from clausegraph.query.steps.model import inputs_of
from clausegraph.query.steps.reply import MOST_ITEMS, object_of, object_schema

DEPTH = 6  # of an expression
_TEXT = {"type": "string"}
_STATES = {"met": ConditionState.MET, "contradicted": ConditionState.UNMET, "open": ConditionState.UNKNOWN}
_LOGIC = {"anyOf": [{"$ref": "#/$defs/tree"}, {"type": "null"}]}


def _listed(**properties: Any) -> dict[str, Any]:
    return {"type": "array", "items": object_schema("item", **properties)[1]}


_IDENTIFIED = object_schema("conditions", conditions=_listed(id=_TEXT, element=_TEXT), logic=_LOGIC)
IDENTIFY_SCHEMA = _IDENTIFIED[0], _IDENTIFIED[1] | {"$defs": READ_SCHEMA["$defs"]}
VERIFY_SCHEMA = object_schema("states", states=_listed(id=_TEXT, state={"type": "string", "enum": list(_STATES)}))


@dataclass(frozen=True, slots=True)
class Chain:
    """Conditions by id, and their logic; none where the answer depends on nothing."""

    conditions: Mapping[str, ContextElement]
    logic: Condition | None


def _solved(sources: Sources, inquiry: Inquiry) -> PromptContext:
    """The page with its conditions as code has solved them: at most two calls."""
    whole = find_page(sources, inquiry)
    if not whole.shown:
        return whole
    shown = _within(whole.shown)
    inputs: dict[str, object] = {
        "question": inquiry.question,
        "context": "\n".join(f"e{number} {visible(one.element.text)}" for number, one in enumerate(shown, 1)),
    }
    parse = partial(parse_chain, shown=shown)
    found = sources.model.ask("chain-identify", inputs, parse, schema=IDENTIFY_SCHEMA, pages=whole.pages).value
    if found.logic is None:
        return replace(whole, solved=Solved(None))
    tree = _judged(sources, found, _verified(sources, inquiry, found))
    said = solved_in_words(tree)
    missing = deciding(tree) if holds(tree) is ConditionState.UNKNOWN else None
    return replace(whole, text=f"{said}\n\n{whole.text}", solved=Solved(missing))


def parse_chain(text: str, shown: Sequence[ContextElement]) -> Chain:
    """Read the first reply."""
    reply = object_of(text)
    by_label = {f"e{number}": one for number, one in enumerate(shown, 1)}
    found: dict[str, ContextElement] = {}
    listed = reply.get("conditions")
    for item in listed[:MOST_ITEMS] if isinstance(listed, list) else []:
        named = (item.get("id"), item.get("element")) if isinstance(item, dict) else (None, None)
        if all(isinstance(one, str) for one in named) and named[1] in by_label:
            found[str(named[0])] = by_label[str(named[1])]
    return Chain(found, _expression(reply.get("logic"), found, 1))


def _expression(value: Any, found: Mapping[str, ContextElement], depth: int) -> Condition | None:
    """The tree of an expression; what names no condition is left out, and a group of nothing with it."""
    if depth > DEPTH:
        raise UnusableReply(f"its logic is nested more than {DEPTH} deep")
    if value is None or isinstance(value, str):
        one = found.get(value or "")
        return None if one is None else Leaf(one.element.anchor, 0, len(one.element.text), one.element.text)
    if not isinstance(value, dict) or len(value) != 1 or not set(value) <= {"all", "any", "not"}:
        raise UnusableReply("its logic is no expression of ids, all, any and not")
    ((operator, inner),) = value.items()
    if operator == "not":
        child = _expression(inner, found, depth + 1)
        return None if child is None else Not(child)
    parts = (
        _expression(item, found, depth + 1) for item in (inner if isinstance(inner, list) else [inner])[:MOST_ITEMS]
    )
    children = tuple(dict.fromkeys(part for part in parts if part is not None))
    if len(children) < 2:
        return children[0] if children else None
    return All(children) if operator == "all" else AnyOf(children)


def parse_states(text: str, ids: Sequence[str]) -> dict[str, ConditionState]:
    """Read the second reply; of what it does not say nothing is known."""
    listed = object_of(text).get("states")
    if not isinstance(listed, list):
        raise UnusableReply("the reply has no list of states")
    said = {item.get("id"): item.get("state") for item in listed[:MOST_ITEMS] if isinstance(item, dict)}
    return {one: _STATES.get(str(said.get(one)).lower(), ConditionState.UNKNOWN) for one in ids}


def solved_in_words(tree: JudgedCondition) -> str:
    """What code has found: each condition with its state, the expression, and whether it holds."""
    summary = {
        ConditionState.MET: "The conditions hold.",
        ConditionState.UNMET: "The conditions do not hold.",
        ConditionState.UNKNOWN: "Whether the conditions hold depends on those that are open.",
    }[holds(tree)]
    words = {state: word for word, state in _STATES.items()}
    names = {one.leaf: f"c{number}" for number, one in enumerate(dict.fromkeys(leaves(tree)), 1)}
    lines = [f"{names[one.leaf]} ({words[one.state]}): {visible(one.leaf.text)}" for one in dict.fromkeys(leaves(tree))]

    def group(kind: str, parts: list[str]) -> str:
        return f"not {parts[0]}" if kind == "not" else "(" + {"all": " and ", "any": " or "}[kind].join(parts) + ")"

    logic = fold(tree, lambda one: names[one.leaf], group)
    return "\n".join(["Conditions of what is asked for, solved for this scenario:", *lines, f"{logic}: {summary}"])


def _verified(sources: Sources, inquiry: Inquiry, found: Chain) -> dict[str, ConditionState]:
    lines = [f"{name} {visible(one.element.text)}" for name, one in found.conditions.items()]
    inputs = inputs_of(inquiry, conditions="\n".join(lines))
    parse = partial(parse_states, ids=tuple(found.conditions))
    return sources.model.ask("chain-verify", inputs, parse, schema=VERIFY_SCHEMA).value


def _judged(sources: Sources, found: Chain, states: Mapping[str, ConditionState]) -> JudgedCondition:
    assert found.logic is not None
    by_anchor = {one.element.anchor: (one, states[name]) for name, one in found.conditions.items()}

    def leaf(stated: Leaf) -> JudgedLeaf:
        one, state = by_anchor[stated.anchor]  # a page has each anchor once
        return JudgedLeaf(stated, state, evidence_of(one.page, sources.view.reading(one.page), one.element))

    return mapped(found.logic, leaf)


def _within(shown: Sequence[ContextElement]) -> list[ContextElement]:
    """The elements that fit into one prompt."""
    kept, used = [], 0
    for one in shown:
        used += len(one.element.text)
        if used > PAGE_CHARACTERS:
            break
        kept.append(one)
    return kept


chain_of_condition = preset("chain-of-condition", _solved)
