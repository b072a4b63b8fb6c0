"""``clausegraph search``: retrieval alone, with scores."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, EpochOption, QuestionArgument, ScenarioOption, Session, command
from clausegraph.app.text import one_line
from clausegraph.query.retrieve.bank import DEFAULT, RETRIEVERS

_ABOUT = "; ".join(f"{entry.name}: {entry.about} ({entry.level}s)" for entry in RETRIEVERS)


def _names() -> list[str]:
    return list(RETRIEVERS.names)


def search(
    session: Session,
    *,
    question: QuestionArgument,
    scenario: ScenarioOption = "",
    retriever: Annotated[
        str, typer.Option("--retriever", "-r", metavar="NAME", help=f"How to rank. {_ABOUT}.", autocompletion=_names)
    ] = DEFAULT,
    budget: Annotated[
        int | None,
        typer.Option(
            "--budget",
            "-b",
            min=1,
            max=1_000_000,
            help="Word pieces in all.",
            show_default="the setting search_budget: 1300",
        ),
    ] = None,
    limit: Annotated[int, typer.Option("--limit", "-n", min=1, max=1000, help="Results at most.")] = 20,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Find the passages a question is about, best first, without answering it."""
    workspace = session.workspace(corpus)
    from clausegraph.core.inquiry import Inquiry

    inquiry, entry = Inquiry(" ".join(question), scenario), RETRIEVERS[retriever]
    from clausegraph.app.services.search import find
    from clausegraph.core.tokens import count_tokens

    room = budget or workspace.settings.search_budget
    with workspace.view(epoch=epoch, embed=entry.embeds) as view:
        hits = find(view, workspace.embedder, inquiry, retriever=retriever, budget=room, limit=limit)
        asked = {"question": inquiry.question, "corpus": view.corpus, "epoch": view.epoch, "retriever": retriever}
        said = "nothing found"
        if (
            not hits
            and not session.json  # which does not say it
            and (best := find(view, workspace.embedder, inquiry, retriever=retriever, budget=None, limit=1))
        ):
            pieces = count_tokens(best[0]["text"])
            said = f"the best passage has {pieces} word pieces, more than the budget of {room}; raise --budget"
    rows = [_row(hit) for hit in hits]
    session.emit(asked | {"hits": hits}, table(("score", "page", "section", "text"), rows) if rows else said)


def _row(hit: dict[str, Any]) -> list[object]:
    section = " › ".join(hit["headings"])
    place = "" if hit["page_number"] is None else f", page {hit['page_number']}"
    return [
        f"{hit['score']:.3f}",
        one_line(hit["title"], 40) + place,
        one_line(section, 60),
        one_line(hit["text"], 300),
    ]


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "search")(search)
