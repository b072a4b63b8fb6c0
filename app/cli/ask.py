"""``ask`` and ``search``: an answer with its conditions and evidence; retrieval alone, with scores."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

from clausegraph.app.cli.output import console, note, show, table
from clausegraph.app.cli.session import (
    CorpusOption,
    EpochOption,
    QuestionArgument,
    ScenarioOption,
    Session,
    command,
    option,
)
from clausegraph.core.errors import InputError
from clausegraph.core.inquiry import Inquiry
from clausegraph.core.text import one_line
from clausegraph.query.engines.bank import ENGINES
from clausegraph.query.retrieve.bank import DEFAULT, RETRIEVERS

if TYPE_CHECKING:
    from clausegraph.app.workspace import Workspace
    from clausegraph.core.types import Answer, TraceStep
    from clausegraph.query.engines.bank import Watch

_RETRIEVERS = "; ".join(f"{entry.name}: {entry.about} ({entry.level}s)" for entry in RETRIEVERS)
_BY_DAY = "Of the epoch published by the end of that day, as 2026-01-31."
_ASSUME = "CONDITION=met, =unmet or =open, by the words of a condition of the answer."
_WEB = "Answer from pages alone, without a corpus: a folder, file, address, or file of addresses."
_AT = "When a question to --web is asked, as 2024-03-05T10:00-08:00."
_ENGINE = option(
    f"What answers: {', '.join(ENGINES.names)}.",
    show_default="that of the settings",
    autocompletion=lambda: list(ENGINES.names),
)


def is_terminal() -> bool:
    """Whether a person sees both what is printed and what is shown meanwhile."""
    return sys.stdout.isatty() and sys.stderr.isatty()


@contextmanager
def unchecked_sentences() -> Iterator[Watch]:
    """Shows the sentences of the steps "writing" as unchecked on stderr, and wipes them away when the block ends.

    What it gives may be called on any thread.
    """
    from rich.live import Live
    from rich.text import Text

    from clausegraph.query.read.model.partial import WRITING

    lock, is_over = threading.Lock(), False
    sentences: list[str] = []
    out = console(sys.stderr)
    live = Live(console=out, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False)

    def watch(step: TraceStep) -> None:
        with lock:
            if step.name != WRITING or is_over:
                return
            if step.detail.get("restarted"):
                sentences.clear()
            else:
                sentences.append(one_line(step.detail["sentence"]))
            text = "\n".join(["Unchecked, still being written:", *sentences])
            live.start()  # does nothing where it has begun
            live.update(Text(text, style="dim"), refresh=True)

    try:
        yield watch
    finally:
        with lock:
            is_over = True
            live.stop()


@command("ask")
def ask(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
    on: Annotated[str | None, option(_BY_DAY, metavar="DAY", show_default="now")] = None,
    assume: Annotated[list[str] | None, option(_ASSUME)] = None,
    web: Annotated[list[str] | None, option(_WEB, metavar="PLACE")] = None,
    at: Annotated[str | None, option(_AT, metavar="TIME", show_default="now")] = None,
    markdown: Annotated[bool, option("Print the answer as Markdown.")] = False,
    engine: Annotated[str | None, _ENGINE] = None,
    trace: Annotated[bool, option("Show what the engine does, step by step, while it does it.")] = False,
) -> None:
    """Answer a question, with the conditions under which the answer holds and the sentences that say so."""
    from clausegraph.app.services.ask import answer, parse_assumptions

    assumptions = parse_assumptions(assume or [])
    if epoch is not None and on is not None:
        raise InputError("give --epoch or --on, not both")
    of_corpus = {"--epoch": epoch, "--on": on, "--assume": assume, "--engine": engine, "--corpus": corpus}
    if web and (wrong := next((name for name, value in of_corpus.items() if value), None)):
        raise InputError(f"{wrong} is of a corpus, and --web answers without one; leave one of them out")
    if at is not None and not web:
        raise InputError("--at is when a question to --web is asked; give --web PLACE too, or --on DAY for a corpus")
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    if on is not None:
        from clausegraph.app.services.history import epoch_on

        epoch = epoch_on(workspace, name, on)
    from clausegraph.app.render import answer_markdown, render_answer
    from clausegraph.app.services.answers import shown_answer

    inquiry = Inquiry(" ".join(question), scenario)
    with _watching(session, markdown=markdown, trace=trace) as watch:
        if web:
            found = _from_web(workspace, inquiry, web, at, watch)
        else:
            found = answer(workspace, name, inquiry, epoch, assumptions, engine=engine, watch=watch)
    failures = [step.detail["failure"] for step in found.trace if step.detail.get("outcome") == "failed source"]
    for failure in dict.fromkeys(map(str, failures)):
        note(f"Failed source: {one_line(failure)}. The answer is without what it would have said.")
    shown = answer_markdown(found).rstrip("\n") if markdown else render_answer(found, found=trace)
    session.emit(shown_answer(found, trace=trace), shown, verbatim=True)


@contextmanager
def _watching(session: Session, *, markdown: bool, trace: bool) -> Iterator[Watch | None]:
    """Who looks on: the trace, or on a terminal the sentences that a model writes, until they are checked."""
    if trace:
        yield None if session.json else _tell_step
    elif session.json or session.quiet or markdown or not is_terminal():
        yield None
    else:
        with unchecked_sentences() as watch:
            yield watch


def _tell_step(step: TraceStep) -> None:
    """Print a step; sentences that are not checked yet are for a terminal alone."""
    from clausegraph.app.render import render_step
    from clausegraph.query.read.model.partial import WRITING

    if step.name != WRITING or is_terminal():
        show(render_step(step))


def _from_web(workspace: Workspace, inquiry: Inquiry, places: list[str], at: str | None, watch: Watch | None) -> Answer:
    """The answer from pages that are read for it; a line on stderr for each page that could not be."""
    from clausegraph.app.services.ask_web import WebPlaces, answer_from_web

    found = answer_from_web(workspace, inquiry, WebPlaces(places), at=at, watch=watch)
    for reject in found.rejects:
        note(f"Not read: {one_line(reject.what)}: {one_line(reject.reason)}")
    return found.answer


_RETRIEVER = option(
    f"How to rank. {_RETRIEVERS}.", "--retriever", "-r", metavar="NAME", autocompletion=lambda: list(RETRIEVERS.names)
)
_BUDGET = option("Word pieces in all.", "--budget", "-b", min=1, max=1_000_000, show_default="1300")


@command("search")
def search(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    retriever: Annotated[str, _RETRIEVER] = DEFAULT,
    budget: Annotated[int | None, _BUDGET] = None,
    limit: Annotated[int, option("Results at most.", "--limit", "-n", min=1, max=1000)] = 20,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Find the passages a question is about, best first, without answering it."""
    from clausegraph.app.services.ask import search as find_passages

    found = session.call(
        corpus, find_passages, Inquiry(" ".join(question), scenario), retriever=retriever, budget=budget, limit=limit,
        epoch=epoch,
    )  # fmt: skip
    rows = []
    for hit in found.hits:
        title = one_line(hit.title, 40) + ("" if hit.page_number is None else f", page {hit.page_number}")
        rows.append([f"{hit.score:.3f}", title, one_line(" › ".join(hit.headings), 60), one_line(hit.text, 300)])
    nothing = "nothing found, or the best passage is longer than the budget; raise --budget"
    session.emit(found, table(("score", "page", "section", "text"), rows, nothing))
