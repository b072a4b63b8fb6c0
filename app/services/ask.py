"""Answers and passages of one question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pydantic import Field

from clausegraph.app.engines import make_engine
from clausegraph.app.services import Record
from clausegraph.app.workspace import Workspace
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer, ConditionState
from clausegraph.indexes.views import View
from clausegraph.query.retrieve.bank import DEFAULT, RETRIEVERS, Hit, make_retriever

if TYPE_CHECKING:
    from clausegraph.query.engines.bank import Engine, Watch

SEARCH_BUDGET = 1300  # word pieces that a search returns, where it says no other number


class ShownPassage(Record):
    """A passage that a question is about, with what each part of the score adds."""

    page: str
    title: str
    url: str | None
    headings: list[str]
    anchor: str | None = Field(None, description="Of an element; a passage has either it or `chunk`.")
    chunk: str | None = Field(None, description="Key of a chunk.")
    anchors: list[str]
    page_number: int | None
    text: str
    score: float
    parts: dict[str, float]


class PassagesReply(Record):
    """Passages, best first."""

    question: str
    corpus: str
    epoch: int
    retriever: str
    hits: list[ShownPassage]


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
    ours, theirs = ({one.text for one in each.alternatives} for each in (again, settled))
    return replace(again, inquiry=found.inquiry) if again.sentences and ours == theirs else settled


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


def search(
    workspace: Workspace,
    corpus: str,
    inquiry: Inquiry,
    *,
    retriever: str = DEFAULT,
    budget: int | None = None,
    limit: int,
    epoch: int | None = None,
) -> PassagesReply:
    """The hits of a question, best first.

    Args:
        budget: word pieces in all; None for ``SEARCH_BUDGET``.

    Raises:
        NotFoundError, ModelMismatchError, StoreError: as ``Workspace.view``.
    """
    with workspace.view(corpus, epoch, embed=RETRIEVERS[retriever].embeds) as view:
        made = make_retriever(retriever, view, workspace.embedder, reranker=workspace.reranker)
        hits = made.retrieve(inquiry, limit=limit, budget=SEARCH_BUDGET if budget is None else budget)
        shown = [_shown_passage(view, hit) for hit in hits]
        return PassagesReply.of(view, question=inquiry.question, retriever=retriever, hits=shown)


def _shown_passage(view: View, hit: Hit) -> ShownPassage:
    reading = view.reading(hit.page)
    first = reading.element(hit.anchors[0]) if hit.anchors else None
    return ShownPassage.of(
        hit,
        reading,
        **{"anchor" if hit.level == "element" else "chunk": hit.key},
        page=str(hit.page),
        page_number=first.page_number if first is not None else None,
        score=round(hit.score, 6),
        parts={name: round(part, 6) for name, part in hit.parts.items()},
    )
