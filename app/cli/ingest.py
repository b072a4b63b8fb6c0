"""``clausegraph ingest``: mirror a source into a corpus."""

from __future__ import annotations

from typing import Annotated

import typer

from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.runs import report_lines
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.core.errors import ModelError
from clausegraph.core.web_modes import WebMode


def ingest(
    session: Session,
    *,
    source: Annotated[str, typer.Argument(help="A folder of files, one file, a documents.json, or an address.")],
    corpus: CorpusOption = None,
    source_name: Annotated[
        str | None,
        typer.Option(help="Name of the source within the corpus.", show_default="the name of its folder, file or host"),
    ] = None,
    mode: Annotated[
        WebMode, typer.Option("--as", help="What an address is; auto: a sitemap or feed by its name, else one page.")
    ] = "auto",
    depth: Annotated[int, typer.Option(min=0, max=1000, help="Links from a site's first page to its last ones.")] = 10,
    addresses: Annotated[int, typer.Option(min=1, max=1_000_000, help="Ask at most so many addresses.")] = 2000,
    alike: Annotated[
        int, typer.Option(min=1, max=1_000_000, help="Ask at most so many of a site that differ in numbers alone.")
    ] = 100,
    include: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="Only pages of a site with such a path (*).", show_default="all"),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="PATTERN", help="No pages of a site with such a path.", show_default="none"),
    ] = None,
    pdf: Annotated[bool, typer.Option("--pdf", help="PDFs that a site links to, too.")] = False,
    keep_missing: Annotated[bool, typer.Option("--keep-missing", help="Keep pages that are gone.")] = False,
    relocate: Annotated[bool, typer.Option("--relocate", help="The source has moved here.")] = False,
    allow_empty: Annotated[
        bool, typer.Option("--allow-empty", help="A source without a page is meant: remove its pages.")
    ] = False,
    force: Annotated[bool, typer.Option("--force", help="Read every page again.")] = False,
    limit: Annotated[
        int | None,
        typer.Option(min=1, max=1_000_000_000, help="Read at most so many new or changed pages.", show_default="all"),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would change.")] = False,
) -> None:
    """Read a source into a corpus and publish what changed.

    A run mirrors its source: pages that are gone from it leave the corpus. Unchanged pages cost nothing.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services.ingest import web_options
    from clausegraph.ingestion.sources import open_source

    web = {"mode": mode, "depth": depth, "addresses": addresses, "alike": alike, "include": include} | {
        "exclude": exclude,
        "pdf": pdf,
    }
    # before the pipeline is loaded: a wrong path answers at once
    opened = open_source(source, source_name, web_options(workspace.settings, web))
    from clausegraph.app.services.ingest import run_ingest
    from clausegraph.ingestion.pipeline import Options

    options = Options(keep_missing, dry_run, force, relocate, limit, allow_empty)
    with progress_bars(session) as progress:
        report = run_ingest(workspace, workspace.settings.corpus, opened, options, progress)
    session.emit(report.as_dict(), *session.lines(report_lines(report)))
    if not report.dry_run and not session.quiet:
        session.note(f"report: `clausegraph show {report.run_id}`")
    if report.pages_failed:
        raise typer.Exit(ModelError.exit_code)


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ingest", stores=True)(ingest)
