"""``clausegraph ask``: an answer with its conditions and evidence."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from clausegraph.app.cli.session import CorpusOption, EpochOption, QuestionArgument, ScenarioOption, Session, command
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.core.types import TraceStep


def ask(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
    on: Annotated[
        str | None,
        typer.Option(
            "--on",
            metavar="DAY",
            help="Of the epoch published by the end of that day, as 2026-01-31.",
            show_default="now",
        ),
    ] = None,
    assume: Annotated[
        list[str] | None,
        typer.Option(
            help="CONDITION=met, =unmet or =open, by the words of a condition of the answer.", show_default="none"
        ),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print the answer as Markdown.")] = False,
    engine: Annotated[
        str | None,
        typer.Option("--engine", help="What answers: single-pass, loop, …", show_default="that of the settings"),
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Show what the engine does, step by step, while it does it.")
    ] = False,
) -> None:
    """Answer a question, with the conditions under which the answer holds and the sentences that say so."""
    from clausegraph.app.services.ask import answer, parse_assumptions

    assumptions = parse_assumptions(assume or [])
    if epoch is not None and on is not None:
        raise InputError("give --epoch or --on, not both")
    workspace = session.workspace(corpus)
    if on is not None:
        from clausegraph.app.services.epochs import epoch_on

        epoch = epoch_on(workspace, workspace.settings.corpus, on)
    from clausegraph.core.inquiry import Inquiry

    inquiry = Inquiry(" ".join(question), scenario)
    from clausegraph.app.answer_json import answer_json
    from clausegraph.app.cli.output import show
    from clausegraph.app.render import answer_markdown, render_answer, render_step

    def tell(step: TraceStep) -> None:
        if not session.json:
            show(render_step(step))

    watch = tell if trace else None
    found = answer(workspace, workspace.settings.corpus, inquiry, epoch, assumptions, engine=engine, watch=watch)
    shown = answer_markdown(found).rstrip("\n") if markdown else render_answer(found)
    session.emit(answer_json(found, trace=trace), shown)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ask")(ask)
