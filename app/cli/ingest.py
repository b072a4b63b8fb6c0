"""``clausegraph ingest``: mirror a source into a corpus."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Annotated

import typer

from clausegraph.app.cli.output import table
from clausegraph.app.cli.progress import progress_bars
from clausegraph.app.cli.session import CorpusOption, Session, command
from clausegraph.core.errors import ModelError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.ingestion.report import RunReport

_REJECTS_SHOWN = 10


def ingest(
    session: Session,
    *,
    source: Annotated[str, typer.Argument(help="A folder of HTML files, one HTML file, or a documents.json.")],
    corpus: CorpusOption = None,
    source_name: Annotated[
        str | None,
        typer.Option(help="Name of the source within the corpus.", show_default="the name of its folder or file"),
    ] = None,
    keep_missing: Annotated[bool, typer.Option("--keep-missing", help="Keep pages that are gone.")] = False,
    relocate: Annotated[bool, typer.Option("--relocate", help="The source has moved here.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Read every page again.")] = False,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Read at most so many new or changed pages.", show_default="all")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only report what would change.")] = False,
) -> None:
    """Read a source into a corpus and publish what changed.

    A run mirrors its source: pages that are gone from it leave the corpus. Unchanged pages cost nothing.
    """
    workspace = session.workspace(corpus)
    from clausegraph.ingestion.sources import open_source

    opened = open_source(source, source_name)  # before the pipeline is loaded: a wrong path answers at once
    from clausegraph.app.services.ingest import run_ingest
    from clausegraph.ingestion.pipeline import Options

    options = Options(keep_missing, dry_run, force, relocate, limit)
    with progress_bars(session) as progress:
        report = run_ingest(workspace, workspace.settings.corpus, opened, options, progress)
    session.emit(report.as_dict(), *_lines(report))
    if not report.dry_run and not session.quiet:
        session.note(f"report: clausegraph show {report.run_id} --corpus {report.corpus}")
    if report.pages_failed:
        raise typer.Exit(ModelError.exit_code)


def _lines(report: RunReport) -> list[RenderableType]:
    lines: list[RenderableType] = [_headline(report)]
    counts = {
        "added": len(report.pages_added),
        "changed": len(report.pages_changed),
        "removed": len(report.pages_removed),
        "kept": len(report.pages_kept),
        "unchanged": report.pages_unchanged,
    }
    if report.pages_left:
        counts["left for the next run"] = report.pages_left
    if report.pages_failed:
        counts["failed"] = len(report.pages_failed)
    lines.append("pages: " + ", ".join(f"{count} {name}" for name, count in counts.items()))
    if not report.dry_run:
        lines.append(f"chunks: {report.chunks_extracted} extracted, {report.chunks_reused} reused")
        lines.append(f"texts: {report.texts_embedded} embedded, {report.texts_reused} reused")
        lines.append(f"seconds: {sum(report.seconds.values()):.1f}")
    lines += [usage_line(task, used) for task, used in report.usage.items()]
    for key, counts in report.proposals.items():
        named = ", ".join(f"{name} ({count})" for name, count in list(counts.items())[:_REJECTS_SHOWN])
        lines += [f"not in your {key}: {len(counts)}: {named}"] if counts else []
    lines += report.lagging
    if report.rejects:
        lines.append(f"not used: {len(report.rejects)}")
        lines.append(table(("what", "why"), [(r.what, r.reason) for r in report.rejects[:_REJECTS_SHOWN]]))
    if report.failures:
        lines.append(f"failed: {len(report.failures)} chunks; their pages stay as they were, run again to go on")
        why = Counter((reject.what, reject.reason) for reject in report.failures)
        rows = [(page, str(count), reason) for (page, reason), count in why.most_common(_REJECTS_SHOWN)]
        lines.append(table(("page", "chunks", "why"), rows))
    return lines


def usage_line(task: str, used: dict[str, float]) -> str:
    """What a task used of a model: calls, tokens and money."""
    calls = f"{used['calls']:.0f} calls ({used['cached']:.0f} from the cache, {used['failed']:.0f} failed)"
    tokens = f"{used['prompt_tokens']:,.0f} prompt and {used['output_tokens']:,.0f} reply tokens"
    money = f", {used['money']:.4f} money" if used["money"] else ""
    return f"model, {task}: {calls}, {tokens}{money}"


def _headline(report: RunReport) -> str:
    name = f"corpus {report.corpus!r}, source {report.source!r}"
    if report.dry_run:
        return f"{name}: nothing was written (--dry-run)"
    if report.epoch is None:
        return f"{name}: unchanged"
    return f"{name}: published epoch {report.epoch}"


def register(app: typer.Typer) -> None:
    """Add the command."""
    command(app, "ingest")(ingest)
