"""``clausegraph ask``: an answer with its conditions and evidence."""

from __future__ import annotations

from typing import Annotated

import typer

from clausegraph.app.cli.session import CorpusOption, EpochOption, QuestionArgument, ScenarioOption, Session, command


def ask(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
    trace: Annotated[bool, typer.Option("--trace", help="Show what the engine did, step by step.")] = False,
) -> None:
    """Answer a question, with the conditions under which the answer holds and the sentences that say so."""
    workspace = session.workspace(corpus)
    from clausegraph.core.inquiry import Inquiry

    inquiry = Inquiry(" ".join(question), scenario)
    from clausegraph.app.render import answer_json, render_answer, render_trace
    from clausegraph.app.wiring import make_engine

    with workspace.view(epoch=epoch) as view:
        answer = make_engine(view, workspace.embedder, workspace.settings).ask(inquiry)
    session.emit(answer_json(answer, trace=trace), render_answer(answer), *([render_trace(answer)] if trace else []))


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ask")(ask)
