"""``clausegraph show``: one page, fact or run."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.runs import run_lines
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.app.text import one_line
from clausegraph.core.errors import NotFoundError

if TYPE_CHECKING:
    from clausegraph.app.services.browse import Shelf
    from clausegraph.core.types import Fact, PageKey, Reading, Support


_FACT_ID = re.compile(r"[0-9a-f]{32}")


def show(
    session: Session,
    *,
    name: Annotated[
        str,
        typer.Argument(metavar="PAGE|FACT|RUN", help="A page's uri or title, a fact id or its beginning, a run id."),
    ],
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Show a page with its elements, chunks and facts; a fact with its statements; or the report of a run."""
    settings = session.settings(corpus)
    from clausegraph.app.services.browse import open_shelf
    from clausegraph.app.wiring import opened_ledger
    from clausegraph.indexes.corpora import get_corpus, get_run

    with opened_ledger(settings) as ledger:
        try:
            run = get_run(ledger, get_corpus(ledger, settings.corpus).id, name)
        except NotFoundError:
            run = None
        if run is not None:
            session.emit(run, *run_lines(run, settings.corpus))
            return
        shelf = open_shelf(ledger, settings.corpus, epoch)
        whole = _FACT_ID.fullmatch(name) is not None  # a page with a fact's id as its title must not hide the fact
        fact = shelf.find_fact(name) if whole else None
        page = shelf.find_page(name) if fact is None else None
        if page is not None:
            _show_page(session, shelf, *page)
            return
        fact = fact or shelf.find_fact(name)
        if fact is None:
            raise NotFoundError(
                f"no page, fact or run {name[:80]!r} in epoch {shelf.epoch} of corpus {settings.corpus!r}; "
                "`clausegraph status` lists runs, `clausegraph export` pages and facts"
            )
        _show_fact(session, shelf, fact)


def _show_page(session: Session, shelf: Shelf, page: PageKey, reading: Reading) -> None:
    from clausegraph.app.services.records import chunk_record, element_record, page_record, statement_words

    stated = shelf.facts_on(page, reading)
    value = page_record(page, reading) | {
        "elements": [element_record(page, element) for element in reading.elements],
        "chunks": [chunk_record(page, chunk) for chunk in reading.chunks],
        "facts": [{"id": support.fact_id, "statement": statement_words(support.statement)} for support in stated],
    }
    sections = [(chunk.key, " › ".join(chunk.headings), len(chunk.anchors)) for chunk in reading.chunks]
    session.emit(
        value,
        f"{one_line(reading.title)}\n{one_line(page)}\n"
        f"{one_line(reading.url or 'no address')}, updated {reading.updated or 'at no stated date'}\n",
        table(("element", "text"), [(element.anchor, element.text) for element in reading.elements]),
        "",
        table(("chunk", "section", "elements"), sections),
        "",
        table(("fact", "states"), [(support.fact_id[:8], statement_words(support.statement)) for support in stated]),
    )


def _show_fact(session: Session, shelf: Shelf, fact: Fact) -> None:
    from clausegraph.app.services.records import support_record

    listed = shelf.versions()
    value: dict[str, Any] = {"id": fact.id, "subject": fact.subject, "relation": fact.relation, "object": fact.object}
    value["supports"] = []
    items: list[Any] = [f"{one_line(fact.text)}\nfact {fact.id}, stated {fact.supports} times"]
    for support in shelf.graph.supports([fact.id]):
        reading = shelf.reading(listed[support.page][0])
        value["supports"].append(support_record(support, reading))
        items += _support_lines(support, reading)
    session.emit(value, *items)


def _support_lines(support: Support, reading: Reading) -> list[Any]:
    from clausegraph.app.conditions import condition_tree
    from clausegraph.app.services.records import quotes, statement_words

    statement = support.statement
    lines: list[Any] = [f"\n{statement_words(statement)}", f"  {one_line(f'{reading.title} ({support.page})')}"]
    for element, quote in quotes(support, reading):
        lines.append(f"  {one_line(' › '.join(element.headings))}\n  “{one_line(quote)}”")
    if statement.effective_from or statement.effective_to:
        lines.append(f"  from {statement.effective_from or '…'} to {statement.effective_to or '…'}")
    if statement.condition is not None:
        lines.append(condition_tree(statement.condition, title="holds if"))
    return lines


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "show")(show)
