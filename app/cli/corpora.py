"""``status``, ``corpora``, ``epochs``, ``project`` and ``export``: corpora with their sources and epochs."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import CorpusOption, EpochOption, Session, a_number, command
from clausegraph.core.errors import InputError, LedgerError
from clausegraph.core.text import counted

if TYPE_CHECKING:
    from clausegraph.app.services.history import ListedRun

_IN_WORDS = {
    "members": "page entry",
    "page_versions": "page version",
    "blobs": "stored file",
    "supports": "statement",
    "hidden_supports": "hidden statement",
    "entity_names": "entity name",
    "entity_tokens": "entity word",
    "decisions": "proposal",
    "runs": "run report",
    "model_calls": "model call",
    "budgets": "budget",
    "run_pages": "planned page",
    "run_steps": "step of a run",
    "work_batches": "batch of work",
}  # tables whose names are not the word for what one of their rows is
_DIFFERENT = 1


@command("status")
def status(session: Session, *, corpus: CorpusOption = None) -> None:
    """Show corpora, their sources, what their published epoch holds, and the last runs."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.corpora import corpus_status

    found = corpus_status(workspace, corpus)
    home = workspace.settings.home
    lines: list[Any] = [f"home: {home}"] + ([] if found else ["no corpora yet"])
    for one in found:
        lines += ["", *_corpus_lines(one)]
    session.emit({"home": str(home), "corpora": found}, *session.lines(lines))


def _corpus_lines(one: dict[str, Any]) -> list[Any]:
    behind = "" if one["published"] == one["newest"] else f" (rolled back; newest is {one['newest']})"
    lines: list[Any] = [
        f"corpus {one['corpus']}: epoch {one['published']}{behind}, {one['epochs']} retained",
        f"  {one['pages']} pages, {one['entities']} entities, {one['facts']} facts, {one['statements']} statements",
        f"  embedded by {one['model'] or 'nothing yet'}",
    ]
    for name, state in one["projections"].items():
        reason = f": {state['reason']}" if state["reason"] else ""
        lines.append(f"  in {name}: {state['state']}{reason}")
    if one["running"]:
        run = one["running"]
        who = f"process {run['pid']} on {run['host']}" if run["pid"] else f"in steps, from {run['host']}"
        lines.append(f"  run {run['run']} holds it ({who})")
    lines.append(table(("  source", "kind", "pages", "location"), [_source_row(s) for s in one["sources"]]))
    lines.append(table(("  run", "kind", "source", "status", "started"), [_run_row(run) for run in one["runs"]]))
    return lines


def _source_row(source: dict[str, Any]) -> list[Any]:
    return ["  " + source["name"], source["kind"], source["pages"], source["location"]]


def _run_row(run: ListedRun) -> list[Any]:
    return ["  " + run.id, run.kind, run.source, run.status, moment(run.started)]


@command("epochs list")
def epochs_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the retained epochs, newest first."""
    workspace = session.workspace(corpus)
    from clausegraph.app.services.history import list_epochs

    found = list_epochs(workspace, workspace.settings.corpus)
    rows = [[e.epoch, "published" if e.published else "", moment(e.created), e.run, e.model] for e in found]
    session.emit(found, table(("epoch", "", "created", "run", "model"), rows) if rows else "no epochs yet")


@command("epochs rollback")
def epochs_rollback(
    session: Session, number: Annotated[int, typer.Argument(min=1, help="The epoch.")], corpus: CorpusOption = None
) -> None:
    """Let readers see an older epoch again (or the newest, after a rollback).

    The next ingest publishes from the newest state, not from this one.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services import history as epochs

    done = epochs.rollback(workspace, workspace.settings.corpus, number)
    said = f"corpus {done['corpus']!r}: readers now see epoch {number} (newest is {done['newest']})"
    session.emit(done, said, *session.lines(done["lagging"]))


@command("epochs vacuum")
def epochs_vacuum(
    session: Session,
    *,
    corpus: CorpusOption = None,
    keep_epochs: Annotated[
        int | None,
        typer.Option(
            min=1, max=1_000_000_000, help="Newest epochs to keep.", show_default="the setting keep_epochs: 10"
        ),
    ] = None,
    keep_days: Annotated[
        float | None,
        typer.Option(
            min=0,
            max=36_525,
            callback=a_number,
            help="Days to keep an epoch.",
            show_default="the setting keep_days: 30",
        ),
    ] = None,
) -> None:
    """Remove for good what only old epochs show, and merge vector segments.

    An epoch stays while it is one of the newest, or young, or what readers get, or held by one; so do all after it.
    Reports of runs that are older than --keep-days go too. The exit code is 4 where something that should be gone
    remains; what, why and what to do is said.
    """
    workspace = session.workspace(corpus)
    from clausegraph.app.services.history import vacuum_corpus

    done = vacuum_corpus(workspace, workspace.settings.corpus, keep_epochs, keep_days)
    gone = {_IN_WORDS.get(name, name.removesuffix("s")): count for name, count in done["rows"].items() if count}
    removed = ", ".join(counted(count, what) for what, count in gone.items()) or "nothing"
    session.emit(
        done,
        f"epochs removed: {done['epochs']}, kept: {len(done['kept'])}",
        *(f"  epoch {number}: {_why_kept(reasons, done)}" for number, reasons in done["kept"].items()),
        f"removed: {removed}; vector segments: {done['segments_before']} before, {done['segments_after']} after",
        *session.lines(_unpublished(done)),
        *([f"replies of language models forgotten: {done['replies']}"] if done["replies"] else []),
        *session.lines(done["lagging"]),
        *what_remains(session, done),
    )
    fail_if_any_remains(done)


def what_remains(session: Session, done: dict[str, Any]) -> list[Any]:
    """What should be gone and is not, and what finishes it."""
    again = ["run `clausegraph epochs vacuum` again then"] if done["remains"] else []
    return session.lines([*(f"NOT REMOVED: {what}" for what in done["remains"]), *again])


def fail_if_any_remains(done: dict[str, Any]) -> None:
    """End the command as failed where text is left that was to go, here or in a server that could not follow."""
    if done["remains"] or done["lagging"]:
        raise typer.Exit(LedgerError.exit_code)


def _unpublished(done: dict[str, Any]) -> list[str]:
    said = []
    if done["ready"]:
        said.append(f"kept: epoch {done['ready']} of a run that was killed; the next `clausegraph ingest` publishes it")
    if done["unpublished"]:
        what = counted(done["unpublished"], "page version")
        said.append(f"kept: {what} that no epoch shows, younger than {done['keep_days']:g} days (--keep-days 0)")
    return said


def _why_kept(reasons: list[str], done: dict[str, Any]) -> str:
    """Why an epoch stays, and the option by which it would not."""
    words = {
        "published": "readers get it",
        "held": "a reader holds it",
        "future": "made in the future, says a clock that was set back (--keep-days 0)",
        "young": f"younger than {done['keep_days']:g} days (--keep-days 0)",
        "newest": f"one of the newest {done['keep_epochs']} (--keep-epochs 1)",
        "between": "an older one stays",
    }
    if done["keep_epochs"] == 1:
        words["newest"] = "the newest"
    return ", ".join(words[reason] for reason in reasons)


@command("corpora list")
def corpora_list(session: Session) -> None:
    """List the corpora."""
    workspace = session.workspace()
    from clausegraph.app.services.corpora import list_corpora

    found = list_corpora(workspace)
    rows = [[one["corpus"], one["published"], one["pages"], len(one["sources"])] for one in found]
    session.emit(found, table(("corpus", "epoch", "pages", "sources"), rows) if rows else "no corpora yet")


@command("corpora drop")
def corpora_drop(
    session: Session,
    *,
    name: Annotated[str, typer.Argument(help="The corpus.")],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask.")] = False,
) -> None:
    """Remove a corpus with everything it has: pages, graph, vectors, history.

    The exit code is 4 where something of it remains; what, why and what to do is said.
    """
    workspace = session.workspace()
    from clausegraph.app.services import corpora

    corpora.check_corpus(workspace, name)
    if not yes:
        _confirm(session, name)
    done = corpora.drop(workspace, name)
    said = f"corpus {name!r} is gone" + (", but not all that it left:" if done["remains"] else "")
    session.emit(done, said, *session.lines(done["lagging"]), *what_remains(session, done))
    fail_if_any_remains(done)


def _confirm(session: Session, name: str) -> None:
    if session.json or not sys.stdin.isatty():
        raise InputError(f"dropping corpus {name!r} cannot be undone; add --yes to do it")
    if not typer.confirm(f"Remove corpus {name!r} with all its pages and history?", err=True):
        raise typer.Exit(1)


@command("project neo4j", stores=True)
def bring_neo4j_up(
    session: Session,
    *,
    corpus: CorpusOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Remove the corpus from Neo4j and write it anew.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every node and relationship at the end.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Only say where Neo4j stands.")] = False,
) -> None:
    """Bring Neo4j to the newest epoch of a corpus: after a time without it, an old backup, or a wipe."""
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    from clausegraph.app.services.corpora import neo4j_status, project_neo4j

    if status:
        now = neo4j_status(workspace, name)
        session.emit(now, *session.lines([f"corpus {name!r} in Neo4j is {now['state']}: {_projected(now)}"]))
        return
    done = project_neo4j(workspace, name, rebuild=rebuild, verify=verify)
    before, report, found = done["before"], done["report"], done["differences"]
    said = [f"corpus {name!r} in Neo4j was {before['state']}" + (f": {before['reason']}" if before["reason"] else "")]
    said.append(
        f"{report['action']}: now at epoch {report['epoch']}; {report['written']} relationships written, "
        f"{report['closed']} closed, {report['removed']} removed in {report['seconds']:.1f} s"
    )
    if found is not None:
        said += [f"  {line}" for line in found] or ["every node and relationship is as the ledger has it"]
    session.emit(done, *session.lines(said))
    if found:
        raise typer.Exit(_DIFFERENT)


def _projected(status: dict[str, object]) -> str:
    return f"epoch {status['prepared']} of {status['ledger_newest']}" + (
        f"; {status['reason']}" if status["reason"] else ""
    )


class Form(StrEnum):
    """What a file can be."""

    JSONL = "jsonl"
    CSV = "csv"
    GRAPHML = "graphml"


class Receiver(StrEnum):
    """Whom an epoch can be handed over to."""

    LLAMAINDEX = "llamaindex"


@command("export")
def export(
    session: Session,
    *,
    target: Annotated[
        str | None,
        typer.Argument(
            metavar="DIR|URI", help="With --to: a new folder, or the address of an empty Neo4j.", show_default=False
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("--output", "-o", help="The file to write.", show_default="none")
    ] = None,
    form: Annotated[
        Form | None,
        typer.Option(
            "--format",
            "-f",
            help="jsonl: everything; csv: statements; graphml: the graph.",
            show_default="what FILE ends with; jsonl for a bare name",
        ),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace the file where there is one.")] = False,
    to: Annotated[
        Receiver | None,
        typer.Option(
            "--to", help="llamaindex: stores that LlamaIndex opens with its own classes.", show_default="a file"
        ),
    ] = None,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Write the published or another retained epoch to a file, or hand it over to LlamaIndex.

    Either --output FILE, or --to llamaindex DIR|URI; a Neo4j gets user and password from the settings.
    """
    if to is None and (output is None or target is not None):
        raise InputError("give --output FILE, or --to llamaindex with a folder or the address of a Neo4j")
    if to is not None and target is None:
        raise InputError(f"say where to: `clausegraph export --to {to.value} DIR`, or the address of a Neo4j")
    if to is not None and (output is not None or form is not None or force):
        raise InputError(f"--to {to.value} takes no --output, --format or --force; its DIR or URI is all it needs")
    from clausegraph.app.services.export import export_file, form_of

    kind = None if output is None else form_of(output, form.value if form else None)
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    if output is not None and kind is not None:
        done = export_file(workspace, name, epoch, kind, output, replace=force)
    else:
        from clausegraph.app.services.export import export_llamaindex

        done = export_llamaindex(workspace, name, epoch, str(target))
    listed = ", ".join(counted(count, what) for what, count in done["counts"].items())
    session.emit(done, f"{done['output']} ({done['format']}): {listed}")
