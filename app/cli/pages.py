"""``clausegraph pages``: the pages of a corpus; one of them looked at, taken out, or asked for again."""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from clausegraph.app.cli.output import table
from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.runs import report_lines
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, command
from clausegraph.app.cli.status import moment
from clausegraph.core.errors import ModelError
from clausegraph.core.text import counted, one_line

PageArgument = Annotated[str, typer.Argument(metavar="PAGE", help="A page's uri, title, or any address of it.")]
PagesArgument = Annotated[list[str], typer.Argument(metavar="PAGE…", help="Uris, titles, or addresses of pages.")]


class ListsByDefault(TyperGroup):
    """A group that lists where no command is named: ``pages --json`` is ``pages list --json``."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Put ``list`` before options that stand alone, and where nothing stands."""
        if not args or (args[0].startswith("-") and args[0] not in ctx.help_option_names):
            args = ["list", *args]
        return super().parse_args(ctx, args)


def list_all(session: Session, *, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """List the pages of a corpus, with how many statements each makes."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.listings import list_pages

    found = list_pages(workspace, workspace.settings.corpus, epoch)
    rows = [
        (page["statements"], one_line(page["title"], 60), f"{page['source']}:{page['uri']}") for page in found["pages"]
    ]
    session.emit(found, table(("statements", "title", "page"), rows) if rows else "no pages")


def show(session: Session, *, page: PageArgument, corpus: CorpusOption = None, epoch: EpochOption = None) -> None:
    """Show a page: its version, its addresses, what each answered last, how much it holds and does not claim."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.pages import show_page

    found = show_page(workspace, workspace.settings.corpus, page, epoch)
    session.emit(found, *session.lines(_page_lines(found)))


def remove(session: Session, *, pages: PagesArgument, corpus: CorpusOption = None) -> None:
    """Take pages out of the corpus; the next run of their source brings back those that are still there."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services import pages as service

    report = service.remove(workspace, workspace.settings.corpus, pages)
    session.emit(report.as_dict(), *session.lines(report_lines(report)))


def refresh(
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
    with progress_bars(session) as progress:
        reports = service.refresh(workspace, name, pages, dry_run=dry_run, force=force, progress=progress)
    session.emit(
        [report.as_dict() for report in reports],
        *session.lines([line for report in reports for line in report_lines(report)]),
    )
    if any(report.pages_failed for report in reports):
        raise typer.Exit(ModelError.exit_code)


def _page_lines(found: dict[str, Any]) -> list[Any]:
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


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(
        cls=ListsByDefault, help="The pages of a corpus: list (also without a command), show, remove, refresh."
    )
    command(group, "list")(list_all)
    command(group, "show")(show)
    command(group, "remove")(remove)
    command(group, "refresh", stores=True)(refresh)
    app.add_typer(group, name="pages")
