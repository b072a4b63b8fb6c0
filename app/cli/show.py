"""``clausegraph show``: one page, fact or run."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import step_words, table
from clausegraph.app.cli.runs import run_lines
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.core.text import counted, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.app.services.browse import FoundFact, FoundPage
    from clausegraph.core.types import Reading, Support


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
    """Show a page with its elements, chunks, facts and rules not claimed; a fact with its statements; or a run."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.browse import FoundPage, FoundRun, look_up

    found = look_up(workspace, workspace.settings.corpus, name, epoch)
    if isinstance(found, FoundRun):
        session.emit(found.record, *session.lines(run_lines(found.record, workspace.settings.corpus)))
    elif isinstance(found, FoundPage):
        session.emit(found.record, *_page_lines(found))
    else:
        session.emit(found.record, *_fact_lines(found))


def _page_lines(found: FoundPage) -> list[Any]:
    from clausegraph.app.services.records import statement_words
    from clausegraph.indexes.derive import statement_id

    reading = found.reading
    sections = [(chunk.key, " › ".join(chunk.headings), len(chunk.anchors)) for chunk in reading.chunks]
    return [
        f"{one_line(reading.title)}\n{one_line(found.page)}\n"
        f"{one_line(reading.url or 'no address')}, updated {reading.updated or 'at no stated date'}\n",
        _elements(reading),
        "",
        table(("chunk", "section", "elements"), sections),
        "",
        table(
            ("fact", "statement", "states"),
            [(one.fact_id[:8], statement_id(one)[:8], statement_words(one.statement)) for one in found.stated],
        ),
        *_passage_lines(found),
    ]


def _passage_lines(found: FoundPage) -> Iterator[Any]:
    """What the page says that no fact claims: its elements, what they name, and under what condition they hold."""
    from clausegraph.app.render import condition_tree
    from clausegraph.app.services.records import passage_record

    if found.passages:
        yield f"\nrules not claimed: {counted(len(found.passages), 'passage')}, which no fact states"
    for one in found.passages:
        record = passage_record(one, found.reading)
        step = step_words(record)
        for element in record["elements"]:
            yield f"\n{one.passage.kind.value} {element['anchor']}{step}\n  “{one_line(element['quote'])}”"
        if record["names"]:
            yield f"  names: {one_line(', '.join(record['names']))}"
        if one.passage.condition is not None:
            yield condition_tree(one.passage.condition, title="  holds if")


def _elements(reading: Reading) -> RenderableType:
    """The elements, with their page where the document has pages."""
    if all(element.page_number is None for element in reading.elements):
        return table(("element", "text"), [(element.anchor, element.text) for element in reading.elements])
    rows = [(str(element.page_number or ""), element.anchor, element.text) for element in reading.elements]
    return table(("page", "element", "text"), rows)


def _fact_lines(found: FoundFact) -> list[Any]:
    fact = found.fact
    times = "once" if fact.supports == 1 else f"{fact.supports} times"
    lines: list[Any] = [f"{one_line(fact.text)}\nfact {fact.id}, stated {times}"]
    for support, reading in found.supports:
        lines += _support_lines(support, reading)
    return lines


def _support_lines(support: Support, reading: Reading) -> list[Any]:
    from clausegraph.app.render import condition_tree
    from clausegraph.app.services.records import quotes, statement_words
    from clausegraph.indexes.derive import statement_id

    statement = support.statement
    lines: list[Any] = [f"\n{statement_words(statement)}", f"  {one_line(f'{reading.title} ({support.page})')}"]
    lines.append(f"  statement {statement_id(support)[:8]}")
    for element, quote in quotes(support, reading):
        lines.append(f"  {one_line(' › '.join(element.headings))}\n  “{one_line(quote)}”")
    if statement.step is not None:
        lines.append(f"  step {statement.step.text} of: {one_line(statement.step.procedure)}")
    if statement.effective_from or statement.effective_to:
        lines.append(f"  from {statement.effective_from or '…'} to {statement.effective_to or '…'}")
    if statement.condition is not None:
        lines.append(condition_tree(statement.condition, title="holds if"))
    return lines


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "show")(show)
