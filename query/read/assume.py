"""What an answer becomes when a condition is taken as met or not, without searching or reading again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from clausegraph.core.condition_trees import VERDICTS, negated
from clausegraph.core.errors import InputError
from clausegraph.core.presentation.wording import asked_of
from clausegraph.core.types import (
    Alternative,
    Answer,
    AnswerStatus,
    AnyOf,
    ConditionState,
    JudgedCondition,
    Not,
    holds,
    leaves,
    mapped,
)


def assumed(answer: Answer, states: Mapping[str, ConditionState]) -> Answer:
    """The answer under assumptions. A yes or no whose condition no longer holds is turned round, or becomes what it is
    otherwise; other answers are dropped.

    Args:
        states: by a condition's text or a part of it that no other condition of the answer has.

    Raises:
        InputError: no condition of the answer has that text, or several have.
    """
    chosen = named(answer, states)
    made = [_under(alternative, chosen) for alternative in answer.alternatives]
    kept = tuple(alternative for alternative in made if alternative is not None)
    lost = answer.alternatives and not kept
    status = AnswerStatus.QUOTED if lost else answer.status
    quotes = tuple(e for a in answer.alternatives for e in a.evidence) if lost else answer.quotes
    sentences = () if _changes(answer, chosen) else answer.sentences  # they were written for another state
    return replace(answer, alternatives=kept, status=status, quotes=quotes, sentences=sentences)


def told_assumptions(answer: Answer, states: Mapping[str, ConditionState]) -> str:
    """Assumptions as a person would tell them: each condition's question with yes or no.

    Raises:
        InputError: as of :func:`assumed`.
    """
    words = {ConditionState.MET: "Yes.", ConditionState.UNMET: "No.", ConditionState.UNKNOWN: "That is not known."}
    chosen = named(answer, states)
    found = {leaf.leaf.text: leaf for one in answer.alternatives for leaf in leaves(one.condition)}
    return " ".join(f"{asked_of(found[text])} {words[state]}" for text, state in chosen.items())


def _changes(answer: Answer, chosen: Mapping[str, ConditionState]) -> bool:
    """Whether any condition is taken otherwise than the answer has it."""
    found = (leaf for one in answer.alternatives for leaf in leaves(one.condition))
    return any(chosen.get(leaf.leaf.text, leaf.state) is not leaf.state for leaf in found)


def named(answer: Answer, states: Mapping[str, ConditionState]) -> dict[str, ConditionState]:
    """The states by the whole text of each condition; errors as of :func:`assumed`."""
    every = list(dict.fromkeys(leaf.leaf.text for a in answer.alternatives for leaf in leaves(a.condition)))
    return {_named(name, every): state for name, state in states.items()}


def _named(name: str, every: list[str]) -> str:
    wanted = " ".join(name.lower().split())
    exact = [text for text in every if " ".join(text.lower().split()) == wanted]
    found = exact or [text for text in every if wanted in " ".join(text.lower().split())]
    if len(found) != 1:
        many = f"{len(found)} conditions of the answer have" if found else "no condition of the answer has"
        if not every:
            raise InputError(f"the answer has no conditions, so none with the words {name!r}; ask without assuming it")
        listed = "; ".join(repr(text) for text in (found or every))
        raise InputError(f"{many} the words {name!r}; its conditions are {listed}")
    return found[0]


def _under(alternative: Alternative, states: Mapping[str, ConditionState]) -> Alternative | None:
    tree = alternative.condition
    if tree is None:
        return alternative

    made = mapped(tree, lambda one: replace(one, state=states.get(one.leaf.text, one.state)))
    if holds(made) is not ConditionState.UNMET and not _only_required(alternative, made):
        return replace(alternative, condition=made)
    text = alternative.otherwise or VERDICTS.get(alternative.text)
    if text is None:
        return None
    back = alternative.text if alternative.otherwise else ""
    return replace(alternative, text=text, condition=negated(made), otherwise=back)


def _only_required(alternative: Alternative, tree: JudgedCondition) -> bool:
    """Whether nothing bars any more, and a "no" waits only for what is required: that is a "yes" which waits for it."""
    if alternative.text != "no" or not isinstance(tree, AnyOf) or not isinstance(tree.children[-1], Not):
        return False
    bars, required = tree.children[:-1], tree.children[-1]
    return holds(required) is ConditionState.UNKNOWN and all(holds(bar) is ConditionState.UNMET for bar in bars)
