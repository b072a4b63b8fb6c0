"""``pages`` and ``show``: a page looked at, taken out, or asked for again; a fact with its statements; a run."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING, Annotated, Any

from clausegraph.app.cli.ingest import end_with, report_lines, run_lines
from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, argument, command, option
from clausegraph.core.text import counted, one_line

if TYPE_CHECKING:
    from clausegraph.app.services.browse import FoundFact, FoundPage

PageArgument = Annotated[str, argument("A page's uri, title, or any address of it.", "PAGE")]
PagesArgument = Annotated[list[str], argument("Uris, titles, or addresses of pages.", "PAGE…")]


@command("pages list")
def pages_list(session: Session, *, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """List the pages of a corpus, with how many statements each makes and rules it has."""
    from clausegraph.app.services.explore import list_pages

    found = session.call(corpus, list_pages, epoch)
    rows = [
        (one["statements"], one["rules"], one_line(one["title"], 60), f"{one['source']}:{one['uri']}")
        for one in found["pages"]
    ]
    session.emit(found, table(("statements", "rules", "title", "page"), rows, "no pages"))


@command("pages show")
def pages_show(session: Session, *, page: PageArgument, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """Show a page: its version, its addresses, what each answered last, how much it holds and does not claim."""
    from clausegraph.app.services.pages import show_page

    found = session.call(corpus, show_page, page, epoch)
    held = ", ".join(counted(found[f"{what}s"], what) for what in ("element", "chunk", "statement", "rule"))
    lines: list[Any] = [
        one_line(found["title"]),
        f"  page: {found['source']}:{one_line(found['uri'])}",
        f"  read: {moment(found['read'])}, {one_line(found['content_type'])}, bytes {found['bytes'][:12]}",
        f"  holds: {held}",
    ]
    if found["url"] and found["url"] != found["uri"]:
        lines.append(f"  now at: {one_line(found['url'])}")
    if found["updated"]:
        lines.append(f"  updated: {found['updated']}")
    rows = []
    for one in found["addresses"]:
        why = one["target"] or one["reason"]
        said = (f"{one['status']} " if one["status"] else "") + one["outcome"] + (f": {why}" if why else "")
        rows.append((one_line(one["address"], 80), one_line(said, 120), moment(one["fetched"] or None)))
    lines += ["", table(("address", "answered last", "bytes from"), rows)] if rows else []
    session.emit(found, *lines)


@command("pages remove", acts=True)
def pages_remove(session: Session, *, pages: PagesArgument, corpus: CorpusOption = None) -> None:
    """Take pages out of the corpus; the next run of their source brings back those that are still there."""
    from clausegraph.app.services.pages import remove

    report = session.act(corpus, ", ".join(pages), remove, pages)
    session.emit(report.as_dict(), *report_lines(report))
    end_with(session, report)


@command("pages refresh", stores=True, acts=True)
def pages_refresh(
    session: Session,
    *,
    pages: PagesArgument,
    force: Annotated[bool, option("Read them again although they have not changed.")] = False,
    dry_run: Annotated[bool, option("Only report what would change.")] = False,
    corpus: CorpusOption = None,
) -> None:
    """Ask the sources of pages for these alone, and publish what has changed."""
    from clausegraph.app.services.pages import refresh

    target = None if dry_run else ", ".join(pages)
    with session.progress() as progress:
        reports = session.act(corpus, target, refresh, pages, dry_run=dry_run, force=force, progress=progress)
    session.emit([one.as_dict() for one in reports], *(line for one in reports for line in report_lines(one)))
    end_with(session, *reports)


@command("show")
def show(
    session: Session,
    *,
    name: Annotated[str, argument("A page's uri or title, a fact id or its beginning, a run id.", "PAGE|FACT|RUN")],
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Show a page with its elements, chunks and facts; a fact with its statements; or a run."""
    from clausegraph.app.services.browse import FoundPage, look_up

    workspace = session.workspace(corpus)
    found = look_up(workspace, workspace.settings.corpus, name, epoch)
    if isinstance(found, dict):
        session.emit(found, *run_lines(found, workspace.settings.corpus))
    else:
        lines = _page_lines(found) if isinstance(found, FoundPage) else _fact_lines(found)
        session.emit(found.record, *lines, verbatim=True)


def _page_lines(found: FoundPage) -> list[Any]:
    """Elements, chunks and statements, and how many rules."""
    from clausegraph.app.services.records import statement_words
    from clausegraph.indexes.derive import statement_id

    reading = found.reading
    address = f"{one_line(reading.url or 'no address')}, updated {reading.updated or 'at no stated date'}\n"
    elements = [(str(one.page_number or ""), one.anchor, one.text) for one in reading.elements]
    columns, skipped = ("page", "element", "text"), 0 if any(number for number, _, _ in elements) else 1
    sections = [(chunk.key, " › ".join(chunk.headings), len(chunk.anchors)) for chunk in reading.chunks]
    stated = [(one.fact_id[:8], statement_id(one)[:8], statement_words(one.statement)) for one in found.stated]
    return [
        f"{one_line(reading.title)}\n{one_line(found.page)}\n{address}",
        table(columns[skipped:], [row[skipped:] for row in elements]),
        "",
        table(("chunk", "section", "elements"), sections),
        "",
        table(("fact", "statement", "states"), stated),
        f"\n{counted(len(found.rules), 'rule')}; `clausegraph rules {shlex.quote(str(found.page))}` lists them",
    ]


def _fact_lines(found: FoundFact) -> list[Any]:
    from clausegraph.app.render import condition_tree
    from clausegraph.app.services.records import quoted, statement_words
    from clausegraph.indexes.derive import statement_id

    times = "once" if found.fact.supports == 1 else f"{found.fact.supports} times"
    lines: list[Any] = [f"{one_line(found.fact.text)}\nfact {found.fact.id}, stated {times}"]
    for support, reading in found.supports:
        one = support.statement
        lines += [f"\n{statement_words(one)}", f"  {one_line(f'{reading.title} ({support.page})')}"]
        lines.append(f"  statement {statement_id(support)[:8]}")
        for element, quote in quoted(one.spans, reading):
            lines.append(f"  {one_line(' › '.join(element.headings))}\n  “{one_line(quote)}”")
        if one.step is not None:
            lines.append(f"  step {one.step.text} of: {one_line(one.step.procedure)}")
        if one.effective_from or one.effective_to:
            lines.append(f"  from {one.effective_from or '…'} to {one.effective_to or '…'}")
        if one.condition is not None:
            lines.append(condition_tree(one.condition, title="holds if"))
    return lines
