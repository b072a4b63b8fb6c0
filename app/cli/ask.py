"""``ask`` and ``search``: an answer with its conditions and evidence; retrieval alone, with scores."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self

import typer

from clausegraph.app.cli.output import console, note, show, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, QuestionArgument, ScenarioOption, Session, command
from clausegraph.core.errors import InputError
from clausegraph.core.text import one_line
from clausegraph.query.retrieve.bank import DEFAULT, RETRIEVERS

if TYPE_CHECKING:
    from rich.live import Live
    from rich.text import Text

    from clausegraph.app.services.ask import ShownPassage
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.types import Answer, TraceStep
    from clausegraph.query.engines.bank import Watch

_ABOUT = "; ".join(f"{entry.name}: {entry.about} ({entry.level}s)" for entry in RETRIEVERS)


def is_terminal() -> bool:
    """Whether a person sees both what is printed and what is shown meanwhile."""
    return sys.stdout.isatty() and sys.stderr.isatty()


class UncheckedSentences:
    """Shows the steps "writing" of a question on stderr; at its end, however it ends, they are wiped away.

    ``watch`` may be called on any thread.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._sentences: list[str] = []
        self._live: Live | None = None
        self._ended = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._lock:
            self._ended = True
            if self._live is not None:
                self._live.stop()

    def watch(self, step: TraceStep) -> None:
        """Show a sentence; other steps are passed over."""
        from clausegraph.query.read.model.partial import WRITING

        if step.name != WRITING:
            return
        with self._lock:
            if self._ended:
                return
            if step.detail.get("restarted"):
                self._sentences.clear()
            else:
                self._sentences.append(str(step.detail["sentence"]))
            self._show()

    def _show(self) -> None:
        from rich.live import Live

        if self._live is None:
            self._live = Live(
                console=console(sys.stderr),
                auto_refresh=False,
                transient=True,
                redirect_stdout=False,
                redirect_stderr=False,
            )
            self._live.start()
        self._live.update(unchecked_text(self._sentences), refresh=True)


def unchecked_text(sentences: list[str]) -> Text:
    """The sentences as they are shown: dim, each on a line, under a line that says that they are unchecked."""
    from rich.text import Text

    return Text("\n".join(["Unchecked, still being written:", *map(one_line, sentences)]), style="dim")


@command("ask")
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
    from clausegraph.app.render import answer_markdown, render_answer
    from clausegraph.app.services.answers import shown_answer

    with _watching(session, markdown=markdown, trace=trace) as watch:
        if web:
            found = _from_web(workspace, inquiry, web, at, watch)
        else:
            corpus = workspace.settings.corpus
            found = answer(workspace, corpus, inquiry, epoch, assumptions, engine=engine, watch=watch)
    _note_failures(found)
    shown = answer_markdown(found).rstrip("\n") if markdown else render_answer(found, found=trace)
    session.emit(shown_answer(found, trace=trace), shown)


@contextmanager
def _watching(session: Session, *, markdown: bool, trace: bool) -> Iterator[Watch | None]:
    """Who looks on: the trace, or on a terminal the sentences that a model writes, until they are checked."""
    if trace:
        yield None if session.json else _tell_step
    elif session.json or session.quiet or markdown or not is_terminal():
        yield None
    else:
        with UncheckedSentences() as unchecked:
            yield unchecked.watch


def _tell_step(step: TraceStep) -> None:
    """Print a step; sentences that are not checked yet are for a terminal alone."""
    from clausegraph.app.render import render_step
    from clausegraph.query.read.model.partial import WRITING

    if step.name != WRITING or is_terminal():
        show(render_step(step))


def _note_failures(found: Answer) -> None:
    """A line on stderr for each source that failed: what it would have said is not known."""
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
    from clausegraph.app.services.ask_web import WebPlaces, answer_from_web
    from clausegraph.core.text import one_line

    found = answer_from_web(workspace, inquiry, WebPlaces(places), at=at, watch=watch)
    for reject in found.rejects:
        note(f"Not read: {one_line(reject.what)}: {one_line(reject.reason)}")
    return found.answer


def _retrievers() -> list[str]:
    return list(RETRIEVERS.names)


@command("search")
def search(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    retriever: Annotated[
        str,
        typer.Option(
            "--retriever",
            "-r",
            metavar="NAME",
            help=f"How to rank. {_ABOUT}.",
            autocompletion=_retrievers,
        ),
    ] = DEFAULT,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            "-b",
            min=1,
            max=1_000_000,
            help="Word pieces in all.",
            show_default="1300",
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Results at most.")] = 20,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Find the passages a question is about, best first, without answering it."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.ask import search as hits_of
    from clausegraph.core.inquiry import Inquiry

    found = hits_of(
        workspace,
        workspace.settings.corpus,
        Inquiry(" ".join(question), scenario),
        retriever=retriever,
        budget=budget,
        limit=limit,
        epoch=epoch,
        explain=not session.json,  # which does not say it
    )
    rows = [_hit_row(hit) for hit in found.hits]
    said = getattr(found, "why_nothing", "")
    session.emit(found, table(("score", "page", "section", "text"), rows) if rows else said)


def _hit_row(hit: ShownPassage) -> list[object]:
    section = " › ".join(hit.headings)
    place = "" if hit.page_number is None else f", page {hit.page_number}"
    return [
        f"{hit.score:.3f}",
        one_line(hit.title, 40) + place,
        one_line(section, 60),
        one_line(hit.text, 300),
    ]
