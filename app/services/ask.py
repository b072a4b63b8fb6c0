"""Answering one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from clausegraph.app.wiring import make_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, ConditionState

if TYPE_CHECKING:
    from clausegraph.query.engines.bank import Engine, Watch


def answer(
    workspace: Workspace,
    corpus: str,
    inquiry: Inquiry,
    epoch: int | None = None,
    assumptions: Mapping[str, ConditionState] | None = None,
    *,
    engine: str | None = None,
    watch: Watch | None = None,
) -> Answer:
    """The answer of the published epoch, or of a retained older one; errors as of ``Workspace.view`` and of the model.

    Where a language model is set, it reads.

    Args:
        assumptions: conditions of the answer that are taken as met or unmet; see ``query.read.assume``. A model that
            wrote sentences is asked once more, since they were written for another state.
        engine: none for that of the settings.
        watch: told of each step of the engine when it has ended.
    """
    llm = workspace.model if workspace.settings.llm else None
    with workspace.view(corpus, epoch) as view:
        chosen: dict[str, Any] = {"engine": engine} if engine is not None else {}
        made = make_engine(view, workspace.embedder, workspace.settings, llm, reranker=workspace.reranker, **chosen)
        found = made.ask(inquiry, watch)
        return _under(made, found, assumptions, watch) if assumptions else found


def _under(engine: Engine, found: Answer, assumptions: Mapping[str, ConditionState], watch: Watch | None) -> Answer:
    """The answer under assumptions; sentences that they make void are written anew, in view of what is assumed."""
    from clausegraph.query.read.assume import assumed, told_assumptions

    settled = assumed(found, assumptions)
    if settled.sentences or not found.sentences:
        return settled
    scenario = f"{found.inquiry.scenario}\n{told_assumptions(found, assumptions)}".strip()
    again = engine.ask(replace(found.inquiry, scenario=scenario), watch)
    return replace(again, inquiry=found.inquiry) if _agree(again, settled) else settled


def _agree(again: Answer, settled: Answer) -> bool:
    """Whether a second reading has the answers that the condition trees give."""
    return bool(again.sentences) and {one.text for one in again.alternatives} == {
        one.text for one in settled.alternatives
    }


def parse_assumptions(given: Sequence[str]) -> dict[str, ConditionState]:
    """Conditions with their states from texts like "you live in a care home=met".

    Raises:
        InputError: a text is not of that form.
    """
    states = {"met": ConditionState.MET, "unmet": ConditionState.UNMET, "open": ConditionState.UNKNOWN}
    found = {}
    for text in given:
        name, equals, state = text.rpartition("=")
        if not equals or not name.strip() or state.strip().lower() not in states:
            raise InputError(f"assumption {text!r} is not understood; write 'CONDITION=met', '=unmet' or '=open'")
        found[name.strip()] = states[state.strip().lower()]
    return found
