"""``clausegraph search``: retrieval alone, with scores."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.session import CorpusOption, EpochOption, QuestionArgument, ScenarioOption, Session, command
from clausegraph.core.text import one_line
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
    rows = [_row(hit) for hit in found["hits"]]
    said = found.get("why_nothing", "")
    session.emit(found, table(("score", "page", "section", "text"), rows) if rows else said)


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
