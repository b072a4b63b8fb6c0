"""Answering one question."""

from __future__ import annotations

from clausegraph.app.wiring import make_engine
from clausegraph.app.workspace import Workspace
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.types import Answer


def answer(workspace: Workspace, corpus: str, inquiry: Inquiry, epoch: int | None = None) -> Answer:
    """The answer of the published epoch, or of a retained older one; errors as of ``Workspace.view`` and of the model.

    Where a language model is set, it reads.
    """
    llm = workspace.model if workspace.settings.llm else None
    with workspace.view(corpus, epoch) as view:
        return make_engine(view, workspace.embedder, workspace.settings, llm).ask(inquiry)
