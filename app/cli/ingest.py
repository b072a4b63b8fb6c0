"""``ingest``: mirror a source into a corpus; and a run's report in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.core.errors import ModelError
from clausegraph.core.text import one_line
from clausegraph.core.types import WebMode

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.ingestion.report import RunReport

_REJECTS_SHOWN = 10
_PAGES_SHOWN = 50
_NO_REPORT = {
    "running": "no report yet: the run is going on",
    "killed": "no report: its process was killed; what it had stored is kept, and the next run goes on with it",
}


def report_lines(report: RunReport) -> list[RenderableType]:
    """What a run did, in figures, with everything that went wrong; of a dry run the pages too."""
    from clausegraph.ingestion.changes import skipped_words

    lines: list[RenderableType] = [_headline(report), f"pages: {_page_counts(report)}"]
    if report.dry_run:
        lines += _page_table(report)
    else:
        lines.append(f"chunks: {report.chunks_extracted} extracted, {report.chunks_reused} reused")
        lines.append(f"texts: {report.texts_embedded} embedded, {report.texts_reused} reused")
        lines.append(f"seconds: {sum(report.seconds.values()):.1f}")
    lines += [usage_line(task, used) for task, used in report.usage.items()]
    lines += [f"an earlier run was killed: {run}; what it had stored was used" for run in report.killed]
    lines += report.lagging
    if report.fetched:
        lines.append("fetched: " + ", ".join(f"{count} {what}" for what, count in report.fetched.items()))
    if report.pages_same:
        lines.append(f"one page with several addresses: {len(report.pages_same)} more")
        lines.append(table(("address", "is the page"), list(report.pages_same.items())[:_REJECTS_SHOWN]))
    if report.skipped:
        lines.append(skipped_words(report.skipped))
    if report.rejects:
        lines.append(f"not used: {len(report.rejects)}")
        lines.append(table(("what", "why"), [(r.what, r.reason) for r in report.rejects[:_REJECTS_SHOWN]]))
    if report.failures:
        lines.append(f"failed: {len(report.failures)} chunks; their pages stay as they were, run again to go on")
        why = Counter((reject.what, reject.reason) for reject in report.failures)
        rows = [(page, str(count), reason) for (page, reason), count in why.most_common(_REJECTS_SHOWN)]
        lines.append(table(("page", "chunks", "why"), rows))
    return lines


def run_lines(run: dict[str, Any], corpus: str) -> list[RenderableType]:
    """A run as the ledger keeps it: its report, and why each page and chunk was done."""
    from clausegraph.ingestion.report import RunReport, report_from

    times = f"started {moment(run['started'])}" + (f", ended {moment(run['ended'])}" if run["ended"] else "")
    head = f"run {run['id']} ({run['kind']}): {run['status']}, {times}"
    if run["report"] is None:
        return [head, _NO_REPORT.get(run["status"], "no report")]
    report = report_from(run["report"]) if "run_id" in run["report"] else RunReport(run["id"], corpus, run["source"])
    return [head, *report_lines(report), *_page_table(report), *_chunk_table(report)]


def usage_line(task: str, used: dict[str, float]) -> str:
    """What a task used of a model: calls, tokens and money."""
    calls = f"{used['calls']:.0f} calls ({used['cached']:.0f} from the cache, {used['failed']:.0f} failed)"
    tokens = f"{used['prompt_tokens']:,.0f} prompt and {used['output_tokens']:,.0f} reply tokens"
    money = f", {used['money']:.4f} money" if used["money"] else ""
    return f"model, {task}: {calls}, {tokens}{money}"


def _headline(report: RunReport) -> str:
    from clausegraph.indexes.corpora import INTERRUPTED

    name = f"corpus {report.corpus!r}" + (f", source {report.source!r}" if report.source else "")
    if report.dry_run:
        return f"{name}: nothing was written (--dry-run)"
    published = "unchanged" if report.epoch is None else f"published epoch {report.epoch}"
    if report.error == INTERRUPTED:
        return f"{name}: interrupted; what was stored is kept, and the next run goes on with it"
    if report.error:
        return f"{name}: failed: {one_line(report.error)}" + (f"; {published}" if report.epoch is not None else "")
    return f"{name}: {published}"


def _page_counts(report: RunReport) -> str:
    again = [uri for uri in report.pages_changed if _is_read_again(report, uri)]
    counts = {
        "added": len(report.pages_added),
        "changed": len(report.pages_changed) - len(again),
        "removed": len(report.pages_removed),
        "kept": len(report.pages_kept),
        "unchanged": report.pages_unchanged,
    }
    if again:
        counts["read again"] = len(again)
    if report.pages_left:
        counts["left for the next run"] = report.pages_left
    if report.pages_failed:
        counts["failed"] = len(report.pages_failed)
    return ", ".join(f"{count} {name}" for name, count in counts.items())


def _page_table(report: RunReport) -> list[RenderableType]:
    """Every page that is not simply unchanged, what becomes of it, and why."""
    rows = list(_page_rows(report))
    if not rows:
        return []
    columns = ("page", "would be" if report.dry_run else "what", "why")
    return ["", table(columns, rows[:_PAGES_SHOWN]), *_more(rows)]


def _page_rows(report: RunReport) -> Iterator[tuple[str, str, str]]:
    told: set[str] = set()
    for fate in ("added", "changed", "removed", "kept", "failed"):
        for uri in getattr(report, f"pages_{fate}"):
            told.add(uri)
            yield (
                uri,
                "read again" if fate == "changed" and _is_read_again(report, uri) else fate,
                report.pages_why.get(uri, ""),
            )
    for uri in (uri for uri in report.pages_why if uri not in told):
        yield uri, "left", report.pages_why[uri]


def _is_read_again(report: RunReport, uri: str) -> bool:
    """Whether only --force made the run read a page: nothing about it had changed."""
    from clausegraph.ingestion.changes import FORCED

    return report.pages_why.get(uri) == FORCED


def _chunk_table(report: RunReport) -> list[RenderableType]:
    """The chunks of changed pages that were extracted, and why; those of a new page are new."""
    rows = [
        (uri, chunk, reason)
        for uri, by_reason in report.chunks_why.items()
        for reason, keys in by_reason.items()
        for chunk in keys
    ]
    if not rows:
        return []
    return ["", table(("page", "chunk", "extracted because"), rows[:_PAGES_SHOWN]), *_more(rows)]


def _more(rows: list[tuple[str, str, str]]) -> list[str]:
    left = len(rows) - _PAGES_SHOWN
    return [f"… and {left} more; --json has all"] if left > 0 else []


@command("ingest", stores=True)
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
    with session.progress() as progress:
        report = run_ingest(workspace, workspace.settings.corpus, opened, options, progress)
    session.emit(report.as_dict(), *session.lines(report_lines(report)))
    if not report.dry_run and not session.quiet:
        session.note(f"report: `clausegraph show {report.run_id}`")
    if report.pages_failed:
        raise typer.Exit(ModelError.exit_code)
