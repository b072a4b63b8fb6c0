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
    from clausegraph.app.services.ask import answer

    found = answer(workspace, workspace.settings.corpus, inquiry, epoch)
    session.emit(answer_json(found, trace=trace), render_answer(found), *([render_trace(found)] if trace else []))


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ask")(ask)
