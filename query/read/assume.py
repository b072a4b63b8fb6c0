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
    JudgedLeaf,
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
    changes = any(chosen.get(one.leaf.text, one.state) is not one.state for one in _conditions(answer))
    made = [_under(alternative, chosen) for alternative in answer.alternatives]
    kept = tuple(alternative for alternative in made if alternative is not None)
    result = replace(answer, alternatives=kept, sentences=() if changes else answer.sentences)  # of another state
    if kept or not made:
        return result
    quotes = tuple(evidence for one in answer.alternatives for evidence in one.evidence)
    return replace(result, status=AnswerStatus.QUOTED, quotes=quotes)


def told_assumptions(answer: Answer, states: Mapping[str, ConditionState]) -> str:
    """Assumptions as a person would tell them: each condition's question with yes or no.

    Raises:
        InputError: as of :func:`assumed`.
    """
    words = {ConditionState.MET: "Yes.", ConditionState.UNMET: "No.", ConditionState.UNKNOWN: "That is not known."}
    found = {one.leaf.text: one for one in _conditions(answer)}
    return " ".join(f"{asked_of(found[text])} {words[state]}" for text, state in named(answer, states).items())


def named(answer: Answer, states: Mapping[str, ConditionState]) -> dict[str, ConditionState]:
    """The states by the whole text of each condition; errors as of :func:`assumed`."""
    every = list(dict.fromkeys(one.leaf.text for one in _conditions(answer)))
    return {_named(name, every): state for name, state in states.items()}


def _conditions(answer: Answer) -> list[JudgedLeaf]:
    return [one for alternative in answer.alternatives for one in leaves(alternative.condition)]


def _named(name: str, every: list[str]) -> str:
    wanted = " ".join(name.lower().split())
    plain = {text: " ".join(text.lower().split()) for text in every}
    found = [text for text in every if plain[text] == wanted] or [text for text in every if wanted in plain[text]]
    if len(found) == 1:
        return found[0]
    if not every:
        raise InputError(f"the answer has no conditions, so none with the words {name!r}; ask without assuming it")
    many = f"{len(found)} conditions of the answer have" if found else "no condition of the answer has"
    listed = "; ".join(map(repr, found or every))
    raise InputError(f"{many} the words {name!r}; its conditions are {listed}")


def _under(alternative: Alternative, states: Mapping[str, ConditionState]) -> Alternative | None:
    if alternative.condition is None:
        return alternative
    made = mapped(alternative.condition, lambda one: replace(one, state=states.get(one.leaf.text, one.state)))
    if holds(made) is not ConditionState.UNMET and not _only_required(alternative, made):
        return replace(alternative, condition=made)
    text = alternative.otherwise or VERDICTS.get(alternative.text)
    back = alternative.text if alternative.otherwise else ""
    return replace(alternative, text=text, condition=negated(made), otherwise=back) if text else None


def _only_required(alternative: Alternative, tree: JudgedCondition) -> bool:
    """Whether nothing bars any more, and a "no" waits only for what is required: that is a "yes" which waits for it."""
    if alternative.text != "no" or not isinstance(tree, AnyOf) or not isinstance(tree.children[-1], Not):
        return False
    bars, required = tree.children[:-1], tree.children[-1]
    return holds(required) is ConditionState.UNKNOWN and all(holds(bar) is ConditionState.UNMET for bar in bars)
