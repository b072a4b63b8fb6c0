"""``status``, ``corpora``, ``epochs``, ``project`` and ``export``: corpora with their sources and epochs."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from clausegraph.app.cli.output import moment, table
from clausegraph.app.cli.session import (
    CorpusOption,
    EpochOption,
    Session,
    a_number,
    argument,
    command,
    option,
    shown_place,
)
from clausegraph.core.errors import InputError, LedgerError
from clausegraph.core.text import counted

_IN_WORDS = {
    "members": "page entry", "page_versions": "page version", "blobs": "stored file", "supports": "statement",
    "hidden_supports": "hidden statement", "entity_names": "entity name", "entity_tokens": "entity word",
    "decisions": "proposal", "runs": "run report", "model_calls": "model call", "budgets": "budget",
    "run_pages": "planned page", "run_steps": "step of a run", "work_batches": "batch of work",
}  # fmt: skip
"""Tables whose names are not the word for what one of their rows is."""
_DIFFERENT = 1


@command("status")
def status(session: Session, *, corpus: CorpusOption = None) -> None:
    """Show corpora, their sources, what their published epoch holds, and the last runs."""
    from clausegraph.app.services.corpora import corpus_status

    workspace = session.workspace(corpus)
    found = corpus_status(workspace, corpus)
    home = workspace.settings.home
    lines: list[Any] = [f"home: {home}"] + ([] if found else ["no corpora yet"])
    if workspace.settings.database:
        lines.insert(1, f"database: {workspace.ledger.place}")
    for one in found:
        lines += ["", *_corpus_lines(one)]
    session.emit({"home": str(home), "corpora": found}, *lines)


def _corpus_lines(one: dict[str, Any]) -> list[Any]:
    from clausegraph.app.cli.ingest import gate_words

    behind = "" if one["published"] == one["newest"] else f" (rolled back; newest is {one['newest']})"
    lines: list[Any] = [
        f"corpus {one['corpus']}: epoch {one['published']}{behind}, {one['epochs']} retained",
        f"  {one['pages']} pages, {one['entities']} entities, {one['facts']} facts, {one['statements']} statements",
        f"  embedded by {one['model'] or 'nothing yet'}",
    ]
    if gate := one["gate"]:
        lines.append(f"  epoch {one['published']} misses the floor of its gate: {gate_words(gate)}")
        lines += [f"    {missed}" for missed in gate["missed"]]
    for name, state in one["projections"].items():
        lines.append(f"  in {name}: {state['state']}" + (f": {state['reason']}" if state["reason"] else ""))
    if (watched := one["watched"])["questions"]:
        changed = f"{counted(watched['changed'], 'watched answer')} changed since epoch {watched['since']}"
        lines.append(f"  {changed if watched['changed'] else counted(watched['questions'], 'watched question')}")
    if run := one["running"]:
        who = f"process {run['pid']} on {run['host']}" if run["pid"] else f"in steps, from {run['host']}"
        lines.append(f"  run {run['run']} holds it ({who})")
    sources = [(f"  {of['name']}", of["kind"], of["pages"], of["location"]) for of in one["sources"]]
    runs = [(f"  {run.id}", run.kind, run.source, run.status, moment(run.started)) for run in one["runs"]]
    lines.append(table(("  source", "kind", "pages", "location"), sources))
    lines.append(table(("  run", "kind", "source", "status", "started"), runs))
    return lines


@command("epochs list")
def epochs_list(session: Session, *, corpus: CorpusOption = None) -> None:
    """List the retained epochs, newest first."""
    from clausegraph.app.services.history import list_epochs

    found = session.call(corpus, list_epochs)
    rows = [(e.epoch, "published" if e.published else "", moment(e.created), e.run, e.model) for e in found]
    session.emit(found, table(("epoch", "", "created", "run", "model"), rows, "no epochs yet"))


@command("epochs rollback", acts=True)
def epochs_rollback(
    session: Session, number: Annotated[int, argument("The epoch.", min=1)], corpus: CorpusOption = None
) -> None:
    """Let readers see an older epoch again (or the newest, after a rollback).

    The next ingest publishes from the newest state, not from this one.
    """
    from clausegraph.app.services.history import rollback

    done = session.act(corpus, str(number), rollback, number)
    said = f"corpus {done['corpus']!r}: readers now see epoch {number} (newest is {done['newest']})"
    session.emit(done, said, *done["lagging"])


_EPOCHS = option("Newest epochs to keep.", min=1, max=1_000_000_000, show_default="the setting keep_epochs: 10")
_DAYS = option("Days to keep an epoch.", min=0, max=36_525, callback=a_number, show_default="the setting keep_days: 30")


@command("epochs vacuum", acts=True)
def epochs_vacuum(
    session: Session,
    *,
    corpus: CorpusOption = None,
    keep_epochs: Annotated[int | None, _EPOCHS] = None,
    keep_days: Annotated[float | None, _DAYS] = None,
) -> None:
    """Remove for good what only old epochs show, and merge vector segments.

    An epoch stays while it is one of the newest, or young, or what readers get, or held by one; so do all after it.
    Reports of runs that are older than --keep-days go too. The exit code is 4 where something that should be gone
    remains; what, why and what to do is said.
    """
    from clausegraph.app.services.history import vacuum_corpus

    done = session.act(corpus, "", vacuum_corpus, keep_epochs, keep_days)
    gone = [
        counted(count, _IN_WORDS.get(name, name.removesuffix("s"))) for name, count in done["rows"].items() if count
    ]
    segments = f"vector segments: {done['segments_before']} before, {done['segments_after']} after"
    lines = [f"epochs removed: {done['epochs']}, kept: {len(done['kept'])}"]
    lines += [f"  epoch {number}: {_why_kept(reasons, done)}" for number, reasons in done["kept"].items()]
    lines.append(f"removed: {', '.join(gone) or 'nothing'}; {segments}")
    if ready := done["ready"]:
        lines.append(f"kept: epoch {ready} of a run that was killed; the next `clausegraph ingest` publishes it")
    if done["unpublished"]:
        what = counted(done["unpublished"], "page version")
        lines.append(f"kept: {what} that no epoch shows, younger than {done['keep_days']:g} days (--keep-days 0)")
    if done["replies"]:
        lines.append(f"replies of language models forgotten: {done['replies']}")
    _end(session, done, lines)


def _end(session: Session, done: dict[str, Any], lines: list[str]) -> None:
    """Tell what should be gone and is not, here or in a server that could not follow; the command has failed then."""
    lines += [*done["lagging"], *(f"NOT REMOVED: {what}" for what in done["remains"])]
    lines += ["run `clausegraph epochs vacuum` again then"] if done["remains"] else []
    session.emit(done, *lines)
    if done["remains"] or done["lagging"]:
        raise typer.Exit(LedgerError.exit_code)


def _why_kept(reasons: list[str], done: dict[str, Any]) -> str:
    """Why an epoch stays, and the option by which it would not."""
    count = done["keep_epochs"]
    words = {
        "published": "readers get it",
        "held": "a reader holds it",
        "future": "made in the future, says a clock that was set back (--keep-days 0)",
        "young": f"younger than {done['keep_days']:g} days (--keep-days 0)",
        "newest": "the newest" if count == 1 else f"one of the newest {count} (--keep-epochs 1)",
        "between": "an older one stays",
    }
    return ", ".join(words[reason] for reason in reasons)


@command("corpora list")
def corpora_list(session: Session) -> None:
    """List the corpora."""
    from clausegraph.app.services.overview import list_corpora

    found = list_corpora(session.workspace())
    rows = [(one["corpus"], one["published"], one["pages"], len(one["sources"])) for one in found]
    session.emit(found, table(("corpus", "epoch", "pages", "sources"), rows, "no corpora yet"))


@command("move", acts=True)
def move(
    session: Session,
    target: Annotated[str, argument("A home folder, or postgresql://USER@HOST/DATABASE.")],
    corpus: CorpusOption = None,
) -> None:
    """Copy a corpus with all its epochs into another home or database, and compare every epoch.

    It stays where it was: `corpora drop` removes it there. A password is better in PGPASSWORD or ~/.pgpass than here.
    """
    from clausegraph.app.services.corpora import move as move_corpus

    done = session.act(corpus, shown_place(target), move_corpus, target)
    rows = sum(done["rows"].values())
    said = f"corpus {done['corpus']!r}: {counted(len(done['epochs']), 'epoch')} and {counted(rows, 'row')} are in "
    session.emit(done, said + done["target"])


@command("corpora drop", acts=True)
def corpora_drop(
    session: Session,
    *,
    name: Annotated[str, argument("The corpus.")],
    yes: Annotated[bool, option("Do not ask.", "--yes", "-y")] = False,
) -> None:
    """Remove a corpus with everything it has: pages, graph, vectors, history.

    The exit code is 4 where something of it remains; what, why and what to do is said.
    """
    from clausegraph.app.services.corpora import drop
    from clausegraph.indexes.sweep import find_corpus

    workspace = session.workspace()
    find_corpus(workspace.ledger, name)
    if not yes and (session.json or not sys.stdin.isatty()):
        raise InputError(f"dropping corpus {name!r} cannot be undone; add --yes to do it")
    if not yes and not typer.confirm(f"Remove corpus {name!r} with all its pages and history?", err=True):
        raise typer.Exit(1)
    with session.deed(workspace.settings, name, name):
        done = drop(workspace, name)
    _end(session, done, [f"corpus {name!r} is gone" + (", but not all that it left:" if done["remains"] else "")])


@command("project neo4j", stores=True, acts=True)
def bring_neo4j_up(
    session: Session,
    *,
    corpus: CorpusOption = None,
    rebuild: Annotated[bool, option("Remove the corpus from Neo4j and write it anew.")] = False,
    verify: Annotated[bool, option("Compare every node and relationship at the end.")] = False,
    status: Annotated[bool, option("Only say where Neo4j stands.")] = False,
) -> None:
    """Bring Neo4j to the newest epoch of a corpus: after a time without it, an old backup, or a wipe."""
    from clausegraph.app.services.corpora import neo4j_status, project_neo4j

    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    if status:
        now = neo4j_status(workspace, name)
        at = f"epoch {now['prepared']} of {now['ledger_newest']}" + (f"; {now['reason']}" if now["reason"] else "")
        session.emit(now, f"corpus {name!r} in Neo4j is {now['state']}: {at}")
        return
    with session.deed(workspace.settings, "rebuild" if rebuild else "", name):
        done = project_neo4j(workspace, name, rebuild=rebuild, verify=verify)
    before, report, found = done["before"], done["report"], done["differences"]
    was = before["state"] + (f": {before['reason']}" if before["reason"] else "")
    said = [
        f"corpus {name!r} in Neo4j was {was}",
        f"{report['action']}: now at epoch {report['epoch']}; {report['written']} relationships written, "
        f"{report['closed']} closed, {report['removed']} removed in {report['seconds']:.1f} s",
    ]
    if found is not None:
        said += [f"  {line}" for line in found] or ["every node and relationship is as the ledger has it"]
    session.emit(done, *said)
    if found:
        raise typer.Exit(_DIFFERENT)


_TARGET = argument("With --to: a new folder, or the address of an empty Neo4j.", "DIR|URI", show_default=False)
_OUTPUT = option(
    "The file to write: .jsonl has everything, .csv statements and rules, .graphml the graph, .nt the graph as RDF.",
    "--output", "-o",
)  # fmt: skip
_TO = option("llamaindex: stores that LlamaIndex opens with its own classes.", show_default="a file")


@command("export")
def export(
    session: Session,
    *,
    target: Annotated[str | None, _TARGET] = None,
    output: Annotated[Path | None, _OUTPUT] = None,
    force: Annotated[bool, option("Replace the file where there is one.")] = False,
    to: Annotated[Literal["llamaindex"] | None, _TO] = None,
    corpus: CorpusOption = None,
    epoch: EpochOption = None,
) -> None:
    """Write the published or another retained epoch to a file, or hand it over to LlamaIndex.

    Either --output FILE, or --to llamaindex DIR|URI; a Neo4j gets user and password from the settings.
    """
    if to is not None and target is None:
        raise InputError(f"say where to: `clausegraph export --to {to} DIR`, or the address of a Neo4j")
    if to is not None and (output is not None or force):
        raise InputError(f"--to {to} takes no --output or --force; its DIR or URI is all it needs")
    from clausegraph.app.services.export import export_file, export_llamaindex

    if to is not None:
        done = session.call(corpus, export_llamaindex, epoch, str(target))
    elif output is not None and target is None:
        done = session.call(corpus, export_file, epoch, output, replace=force)
    else:
        raise InputError("give --output FILE, or --to llamaindex with a folder or the address of a Neo4j")
    listed = ", ".join(counted(count, what) for what, count in done["counts"].items())
    session.emit(done, f"{done['output']} ({done['format']}): {listed}")
