"""``pages`` and ``show``: a page looked at, taken out, or asked for again; a fact with its statements; a run."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.ingest import report_lines, run_lines
from clausegraph.app.cli.output import moment, step_words, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.core.errors import ModelError
from clausegraph.core.text import counted, one_line

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.app.services.browse import FoundFact, FoundPage
    from clausegraph.core.types import Reading, Support

PageArgument = Annotated[str, typer.Argument(metavar="PAGE", help="A page's uri, title, or any address of it.")]
PagesArgument = Annotated[list[str], typer.Argument(metavar="PAGE…", help="Uris, titles, or addresses of pages.")]


@command("pages list")
def pages_list(session: Session, *, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """List the pages of a corpus, with how many statements each makes."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.explore import list_pages

    found = list_pages(workspace, workspace.settings.corpus, epoch)
    rows = [
        (page["statements"], one_line(page["title"], 60), f"{page['source']}:{page['uri']}") for page in found["pages"]
    ]
    session.emit(found, table(("statements", "title", "page"), rows) if rows else "no pages")


@command("pages show")
def pages_show(session: Session, *, page: PageArgument, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """Show a page: its version, its addresses, what each answered last, how much it holds and does not claim."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.pages import show_page

    found = show_page(workspace, workspace.settings.corpus, page, epoch)
    session.emit(found, *session.lines(_page_summary(found)))


@command("pages remove")
def pages_remove(session: Session, *, pages: PagesArgument, corpus: CorpusOption = None) -> None:
    """Take pages out of the corpus; the next run of their source brings back those that are still there."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import pages as service

    report = service.remove(workspace, workspace.settings.corpus, pages)
    session.emit(report.as_dict(), *session.lines(report_lines(report)))


@command("pages refresh", stores=True)
def pages_refresh(
    session: Session,
    *,
    pages: PagesArgument,
    force: Annotated[bool, typer.Option("--force", help="Read them again although they have not changed.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would change.")] = False,
    corpus: CorpusOption = None,
) -> None:
    """Ask the sources of pages for these alone, and publish what has changed."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import pages as service

    name = workspace.settings.corpus
    with session.progress() as progress:
        reports = service.refresh(workspace, name, pages, dry_run=dry_run, force=force, progress=progress)
    session.emit(
        [report.as_dict() for report in reports],
        *session.lines([line for report in reports for line in report_lines(report)]),
    )
    if any(report.pages_failed for report in reports):
        raise typer.Exit(ModelError.exit_code)


def _page_summary(found: dict[str, Any]) -> list[Any]:
    lines: list[Any] = [
        one_line(found["title"]),
        f"  page: {found['source']}:{one_line(found['uri'])}",
        f"  read: {moment(found['read'])}, {one_line(found['content_type'])}, bytes {found['bytes'][:12]}",
        f"  holds: {counted(found['elements'], 'element')}, {counted(found['chunks'], 'chunk')}, "
        f"{counted(found['statements'], 'statement')}",
    ]
    if found["passages"]:
        kinds = Counter(one["kind"] for one in found["passages"])
        listed = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common())
        lines.append(
            f"  not claimed: {counted(len(found['passages']), 'passage')} ({listed}); `clausegraph show` has them"
        )
    if found["url"] and found["url"] != found["uri"]:
        lines.append(f"  now at: {one_line(found['url'])}")
    if found["updated"]:
        lines.append(f"  updated: {found['updated']}")
    if found["addresses"]:
        rows = [
            (one_line(one["address"], 80), _answered(one), moment(one["fetched"]) if one["fetched"] else "")
            for one in found["addresses"]
        ]
        lines += ["", table(("address", "answered last", "bytes from"), rows)]
    return lines


def _answered(one: dict[str, Any]) -> str:
    status = f"{one['status']} " if one["status"] else ""
    why = one["target"] or one["reason"]
    return one_line(f"{status}{one['outcome']}" + (f": {why}" if why else ""), 120)


@command("show")
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
        step = step_words(record["step"], record["procedure"])
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
