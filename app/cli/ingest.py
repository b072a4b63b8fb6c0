"""``ingest``: mirror a source into a corpus; and a run's report in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, Session, a_number, argument, command, option
from clausegraph.core.errors import ModelError
from clausegraph.core.text import counted, one_line
from clausegraph.core.types import HOLD_SHARE, WebMode

if TYPE_CHECKING:
    from rich.console import RenderableType

    from clausegraph.app.services.quarantine import HeldReason
    from clausegraph.ingestion.guards import Held
    from clausegraph.ingestion.report import Forecast, RunReport, WatchReport

HELD = 7  # exit code
_FEW = 10  # rejects and other addresses that are listed
_MANY = 50  # pages and chunks
_FATES = ("added", "changed", "removed", "kept")


def report_lines(report: RunReport) -> list[RenderableType]:
    """What a run did, in figures, with everything that went wrong; of a dry run the pages too."""
    from clausegraph.ingestion.changes import skipped_words

    counts = Counter(fate for _, fate, _ in _fates(report))
    told = [f"{counts[name]} {name}" for name in _FATES] + [f"{report.pages_unchanged} unchanged"]
    rest = {"read again": counts["read again"], "left for the next run": report.pages_left, "failed": counts["failed"]}
    told += [f"{count} {name}" for name, count in rest.items() if count]
    lines: list[RenderableType] = [_headline(report), f"pages: {', '.join(told)}"]
    if report.held and report.dry_run:
        lines.append("would be held in quarantine:")
    lines += [line for one in report.held for line in held_lines(one)]
    if (gate := report.gate) and not gate.held:
        lines.append(f"gate: {gate_words(asdict(gate))}")
        lines += [f"  missed: {one}" for one in gate.missed]
    if report.dry_run:
        lines += [*_forecast_lines(report.forecast), *_page_table(report)]
    else:
        lines.append(f"chunks: {report.chunks_extracted} extracted, {report.chunks_reused} reused")
        lines.append(f"texts: {report.texts_embedded} embedded, {report.texts_reused} reused")
        lines.append(f"seconds: {sum(report.seconds.values()):.1f}")
    lines += [usage_line(task, used) for task, used in report.usage.items()]
    lines += [] if report.dry_run else _compared(report)
    lines += [f"an earlier run was killed: {run}; what it had stored was used" for run in report.killed]
    lines += report.lagging
    lines += watched_lines(report.watched) if report.watched else []
    if report.fetched:
        lines.append("fetched: " + ", ".join(f"{count} {what}" for what, count in report.fetched.items()))
    if report.pages_same:
        lines.append(f"one page with several addresses: {len(report.pages_same)} more")
        lines.append(table(("address", "is the page"), list(report.pages_same.items())[:_FEW]))
    if report.skipped:
        lines.append(skipped_words(report.skipped))
    if report.rejects:
        lines.append(f"not used: {len(report.rejects)}")
        lines.append(table(("what", "why"), [(r.what, r.reason) for r in report.rejects[:_FEW]]))
    if report.failures:
        lines.append(f"failed: {len(report.failures)} chunks; their pages stay as they were, run again to go on")
        common = Counter((reject.what, reject.reason) for reject in report.failures).most_common(_FEW)
        lines.append(table(("page", "chunks", "why"), [(page, str(count), why) for (page, why), count in common]))
    return lines


def run_lines(run: dict[str, Any], corpus: str) -> list[RenderableType]:
    """A run as the ledger keeps it: its report, and why each page and chunk was done."""
    from clausegraph.app.services.history import run_words
    from clausegraph.ingestion.report import RunReport, report_from

    times = f"started {moment(run['started'])}" + (f", ended {moment(run['ended'])}" if run["ended"] else "")
    head = f"run {run['id']} ({run['kind']}): {run['status']}, {times}"
    if run["report"] is None:
        return [head, f"no report: {run_words(run)}"]
    report = report_from(run["report"]) if "run_id" in run["report"] else RunReport(run["id"], corpus, run["source"])
    chunks = [
        (uri, chunk, reason)
        for uri, by_reason in report.chunks_why.items()
        for reason, keys in by_reason.items()
        for chunk in keys
    ]
    return [head, *report_lines(report), *_page_table(report), *_listed(("page", "chunk", "extracted because"), chunks)]


def watched_lines(report: WatchReport) -> list[str]:
    """What became of the watched questions, in words; nothing where nothing touched them."""
    lines = []
    if report.asked or report.changed:
        said = f"watched questions: {len(report.asked)} asked again, {counted(len(report.changed), 'answer')} changed"
        lines.append(said)
    lines += [f"  `clausegraph watch show {number}` shows the change" for number in report.changed]
    reasons: dict[str, list[str]] = {}
    for one in report.not_asked:
        reasons.setdefault(one.reason, []).append(one.what)
    lines += [f"not asked: {', '.join(ids)}: {why}; the next run does so" for why, ids in reasons.items()]
    return lines + [f"not reported to {one.what}: {one.reason}; the next run tries again" for one in report.unsent]


def held_words(why: Held | HeldReason) -> str:
    """Why a run was held, in words: "5 of 18 pages: asks to log in"."""
    return f"{why.pages} of {counted(why.total, why.kind)}: {why.reason}"


def held_lines(why: Held | HeldReason) -> list[str]:
    """As :func:`held_words`, with examples."""
    if why.kind == "page":
        return [f"  {held_words(why)}: {', '.join(why.examples)}"]
    return [f"  {held_words(why)}", *(f"    {one}" for one in why.examples)]


def gate_words(gate: Mapping[str, Any]) -> str:
    """What the gate said of an epoch that was published: "4 of 5 questions right, floor 80%"."""
    right, asked = gate["asked"] - len(gate["missed"]), counted(gate["asked"], "question")
    return f"{right} of {asked} right, floor {gate['floor']:.0%}"


def end_with(session: Session, *reports: RunReport) -> None:
    """The exit code of runs: 7 where a person must decide, and 5 where pages have no extraction."""
    for report in reports:
        if report.is_held:
            unasked = "" if report.gate else "; where so much may go, --hold-share 1 asks nobody"
            show = f"look at it with `clausegraph quarantine show {report.run_id}`"
            session.note(f"{show}, then accept or drop it{unasked}")
            raise typer.Exit(HELD)
    if any(report.pages_failed for report in reports):
        raise typer.Exit(ModelError.exit_code)


def usage_line(task: str, used: dict[str, float]) -> str:
    """What a task used of a model: calls, tokens and money."""
    calls = f"{used['calls']:.0f} calls ({used['cached']:.0f} from the cache, {used['failed']:.0f} failed)"
    tokens = f"{used['prompt_tokens']:,.0f} prompt and {used['output_tokens']:,.0f} reply tokens"
    money = f", {used['money']:.4f} money" if used["money"] else ""
    return f"model, {task}: {calls}, {tokens}{money}"


def _forecast_lines(forecast: Forecast | None) -> list[str]:
    """What a dry run says of what the run would need, where it needs anything."""
    from clausegraph.ingestion.forecast import REPLY

    if forecast is None or not (forecast.pages or forecast.texts):
        return []
    needed = [counted(forecast.pages, "page") + " to read", counted(forecast.chunks, "chunk") + " to extract"]
    needed += [f"{forecast.chunks_reused} reused", counted(forecast.texts, "text") + " to embed"]
    lines = [f"forecast: {', '.join(needed)}"]
    if forecast.calls:
        tokens = f"{forecast.prompt_tokens:,} prompt and {forecast.reply_tokens:,} reply tokens"
        lines.append(f"  model: {counted(forecast.calls, 'call')}, {tokens}")
    if forecast.embed_tokens:
        lines.append(f"  embedding model: {forecast.embed_tokens:,} tokens")
    if forecast.calls or forecast.embed_tokens:
        lines.append("  money: " + ("no price in llm_prices" if forecast.money is None else f"{forecast.money:.4f}"))
    if forecast.minutes is None:
        assumed = f"; replies are taken to be {REPLY:g} times as long as their pages" if forecast.calls else ""
        return [*lines, f"  no earlier run to go by, so no minutes{assumed}"]
    return [*lines, f"  minutes: {max(forecast.minutes, 0.1):.1f}, as in {counted(forecast.runs, 'earlier run')}"]


def _compared(report: RunReport) -> list[str]:
    """What a run that asked a model used, against its forecast."""
    from clausegraph.ingestion.forecast import extraction_usage

    forecast, used = report.forecast, extraction_usage(report)
    if forecast is None or not forecast.calls:
        return []
    expected = forecast.prompt_tokens + forecast.reply_tokens
    tokens = used.get("prompt_tokens", 0) + used.get("output_tokens", 0)
    told = f"used {used.get('calls', 0):.0f}, {tokens:,.0f} ({round(100 * (tokens / expected - 1)):+d}%)"
    return [f"forecast: {counted(forecast.calls, 'call')}, {expected:,} tokens; {told}"]


def _headline(report: RunReport) -> str:
    from clausegraph.indexes.corpora import CANCELLED, INTERRUPTED, NOTHING_PUBLISHED

    name = f"corpus {report.corpus!r}" + (f", source {report.source!r}" if report.source else "")
    if report.dry_run:
        return f"{name}: nothing was written (--dry-run)"
    published = "unchanged" if report.epoch is None else f"published epoch {report.epoch}"
    if report.error in (CANCELLED, INTERRUPTED):
        told = NOTHING_PUBLISHED if report.epoch is None else published
        return f"{name}: {report.error}; {told}; what was stored is kept, and the next run goes on with it"
    if report.is_held:
        by = "held by the gate, " if report.gate else ""
        return f"{name}: {by}in quarantine, nothing was published"
    if report.error:
        return f"{name}: failed: {one_line(report.error)}" + (f"; {published}" if report.epoch is not None else "")
    return f"{name}: {published}" + (f", accepted by {report.accepted_by}" if report.accepted_by else "")


def _fates(report: RunReport) -> list[tuple[str, str, str]]:
    """Every page that is not simply unchanged, what becomes of it, and why; "read again" is by --force alone."""
    from clausegraph.ingestion.changes import FORCED

    fates = {uri: fate for fate in (*_FATES, "failed") for uri in getattr(report, f"pages_{fate}")}
    why = report.pages_why
    fates |= {uri: "read again" for uri, fate in fates.items() if fate == "changed" and why.get(uri) == FORCED}
    return [(uri, fates.get(uri, "left"), why.get(uri, "")) for uri in fates | why]


def _page_table(report: RunReport) -> list[RenderableType]:
    return _listed(("page", "would be" if report.dry_run else "what", "why"), _fates(report))


def _listed(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> list[RenderableType]:
    """The first rows as a table, and how many more there are; nothing where there is none."""
    left = len(rows) - _MANY
    more = [f"… and {left} more; --json has all"] if left > 0 else []
    return ["", table(columns, rows[:_MANY]), *more] if rows else []


_NAME = option("Name of the source within the corpus.", show_default="the name of its folder, file or host")
_MODE = option("What an address is; auto: a sitemap or feed by its name, else one page.", "--as")
_ALIKE = option("Ask at most so many of a site that differ in numbers alone.", min=1, max=1_000_000)
_INCLUDE = option("Only pages of a site with such a path (*).", metavar="PATTERN", show_default="all")
_LIMIT = option("Read at most so many new or changed pages.", min=1, max=1_000_000_000, show_default="all")

_HOLD = option("Hold a run where more of the pages are gone or lost their text.", min=0, max=1, callback=a_number)


@command("ingest", stores=True, acts=True)
def ingest(
    session: Session,
    *,
    source: Annotated[str, argument("A folder of files, one file, an address, or another source (docs/sources.md).")],
    corpus: CorpusOption = None,
    source_name: Annotated[str | None, _NAME] = None,
    mode: Annotated[WebMode, _MODE] = "auto",
    depth: Annotated[int, option("Links from a site's first page to its last ones.", min=0, max=1000)] = 10,
    addresses: Annotated[int, option("Ask at most so many addresses.", min=1, max=1_000_000)] = 2000,
    alike: Annotated[int, _ALIKE] = 100,
    include: Annotated[list[str] | None, _INCLUDE] = None,
    exclude: Annotated[list[str] | None, option("No pages of a site with such a path.", metavar="PATTERN")] = None,
    pdf: Annotated[bool, option("PDFs that a site links to, too.")] = False,
    keep_missing: Annotated[bool, option("Keep pages that are gone.")] = False,
    relocate: Annotated[bool, option("The source has moved here.")] = False,
    allow_empty: Annotated[bool, option("A source without a page is meant: remove its pages.")] = False,
    force: Annotated[bool, option("Read every page again.")] = False,
    limit: Annotated[int | None, _LIMIT] = None,
    dry_run: Annotated[bool, option("Only report what would change, and what it needs.")] = False,
    hold_share: Annotated[float, _HOLD] = HOLD_SHARE,
) -> None:
    """Read a source into a corpus and publish what changed.

    A run mirrors its source: pages that are gone from it leave the corpus. Unchanged pages cost nothing. A run that
    would take away too much, or miss the gate of the corpus, is held in quarantine, exit code 7: the corpus stays as it
    is until somebody decides.
    """
    from clausegraph.app.services.ingest import run_ingest, web_options
    from clausegraph.ingestion.sources import open_source

    workspace = session.workspace(corpus)
    web = {"mode": mode, "depth": depth, "addresses": addresses, "alike": alike, "include": include}
    # before the pipeline is loaded: a wrong path answers at once
    opened = open_source(source, source_name, web_options(workspace.settings, web | {"exclude": exclude, "pdf": pdf}))
    from clausegraph.ingestion.pipeline import Options

    options = Options(keep_missing, dry_run, force, relocate, limit, allow_empty, hold_share=hold_share)
    name = workspace.settings.corpus
    with session.progress() as progress, session.deed(workspace.settings, None if dry_run else opened.name, name):
        report = run_ingest(workspace, name, opened, options, progress)
    session.emit(report.as_dict(), *report_lines(report))
    if not report.dry_run:
        session.note(f"report: `clausegraph show {report.run_id}`")
    end_with(session, report)
