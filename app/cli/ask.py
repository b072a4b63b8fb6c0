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
    assume: Annotated[
        list[str] | None,
        typer.Option(help="CONDITION=met, =unmet or =open, by the words of a condition of the answer."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the answer as Markdown.")] = False,
    trace: Annotated[bool, typer.Option("--trace", help="Show what the engine did, step by step.")] = False,
) -> None:
    """Answer a question, with the conditions under which the answer holds and the sentences that say so."""
    from clausegraph.app.services.ask import answer, parse_assumptions

    assumptions = parse_assumptions(assume or [])
    workspace = session.workspace(corpus)
    from clausegraph.core.inquiry import Inquiry

    inquiry = Inquiry(" ".join(question), scenario)
    from clausegraph.app.answer_json import answer_json
    from clausegraph.app.render import answer_markdown, render_answer, render_trace

    found = answer(workspace, workspace.settings.corpus, inquiry, epoch, assumptions)
    shown = answer_markdown(found).rstrip("\n") if markdown else render_answer(found)
    session.emit(answer_json(found, trace=trace), shown, *([render_trace(found)] if trace else []))


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ask")(ask)
