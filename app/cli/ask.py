"""``clausegraph ask``: an answer with its conditions and evidence."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from clausegraph.app.cli.session import CorpusOption, EpochOption, QuestionArgument, ScenarioOption, Session, command
from clausegraph.core.errors import InputError

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.types import Answer, TraceStep
    from clausegraph.query.engines.bank import Watch


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
    web: Annotated[
        list[str] | None,
        typer.Option(
            "--web",
            metavar="PLACE",
            help="Answer from pages alone, without a corpus: a folder, file, address, or file of addresses.",
            show_default="none",
        ),
    ] = None,
    at: Annotated[
        str | None,
        typer.Option(
            "--at",
            metavar="TIME",
            help="When a question to --web is asked, as 2024-03-05T10:00-08:00.",
            show_default="now",
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
    if web:
        _refuse_beside_web({"--epoch": epoch, "--on": on, "--assume": assume, "--engine": engine, "--corpus": corpus})
    elif at is not None:
        raise InputError("--at is when a question to --web is asked; give --web PLACE too, or --on DAY for a corpus")
    workspace = session.workspace(corpus)
    if on is not None:
        from clausegraph.app.services.history import epoch_on

        epoch = epoch_on(workspace, workspace.settings.corpus, on)
    from clausegraph.core.inquiry import Inquiry

    inquiry = Inquiry(" ".join(question), scenario)
    from clausegraph.app.render import answer_json, answer_markdown, render_answer

    with _watching(session, markdown=markdown, trace=trace) as watch:
        if web:
            found = _from_web(workspace, inquiry, web, at, watch)
        else:
            corpus = workspace.settings.corpus
            found = answer(workspace, corpus, inquiry, epoch, assumptions, engine=engine, watch=watch)
    _note_failures(found)
    shown = answer_markdown(found).rstrip("\n") if markdown else render_answer(found, found=trace)
    session.emit(answer_json(found, trace=trace), shown)


@contextmanager
def _watching(session: Session, *, markdown: bool, trace: bool) -> Iterator[Watch | None]:
    """Who looks on: the trace, or on a terminal the sentences that a model writes, until they are checked."""
    from clausegraph.app.cli.unchecked import UncheckedSentences, is_terminal

    if trace:
        yield None if session.json else _tell_step
    elif session.json or session.quiet or markdown or not is_terminal():
        yield None
    else:
        with UncheckedSentences() as unchecked:
            yield unchecked.watch


def _tell_step(step: TraceStep) -> None:
    """Print a step; sentences that are not checked yet are for a terminal alone."""
    from clausegraph.app.cli.output import show
    from clausegraph.app.cli.unchecked import is_terminal
    from clausegraph.app.render import render_step
    from clausegraph.query.read.model.partial import WRITING

    if step.name != WRITING or is_terminal():
        show(render_step(step))


def _note_failures(found: Answer) -> None:
    """A line on stderr for each source that failed: what it would have said is not known."""
    from clausegraph.app.cli.output import note
    from clausegraph.core.text import one_line

    failures = [step.detail["failure"] for step in found.trace if step.detail.get("outcome") == "failed source"]
    for failure in dict.fromkeys(map(str, failures)):
        note(f"Failed source: {one_line(failure)}. The answer is without what it would have said.")


def _refuse_beside_web(given: dict[str, object]) -> None:
    """Tell of an option that means nothing without a corpus."""
    wrong = next((name for name, value in given.items() if value), None)
    if wrong:
        raise InputError(f"{wrong} is of a corpus, and --web answers without one; leave one of them out")


def _from_web(workspace: Workspace, inquiry: Inquiry, places: list[str], at: str | None, watch: Watch | None) -> Answer:
    """The answer from pages that are read for it; a line on stderr for each page that could not be."""
    from clausegraph.app.cli.output import note
    from clausegraph.app.services.ask_web import WebPlaces, answer_from_web
    from clausegraph.core.text import one_line

    found = answer_from_web(workspace, inquiry, WebPlaces(places), at=at, watch=watch)
    for reject in found.rejects:
        note(f"Not read: {one_line(reject.what)}: {one_line(reject.reason)}")
    return found.answer


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ask")(ask)
