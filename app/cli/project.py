"""``clausegraph project neo4j``: bring Neo4j to what the ledger holds, rebuild it, compare the two."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from clausegraph.app.cli.session import CorpusOption, Session, command

_DIFFERENT = 1


def neo4j(
    session: Session,
    *,
    corpus: CorpusOption = None,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Remove the corpus from Neo4j and write it anew.")] = False,
    verify: Annotated[bool, typer.Option("--verify", help="Compare every node and relationship at the end.")] = False,
    status: Annotated[bool, typer.Option("--status", help="Only say where Neo4j stands.")] = False,
) -> None:
    """Bring Neo4j to the newest epoch of a corpus: after a time without it, an old backup, or a wipe."""
    settings = session.settings(corpus)
    from clausegraph.app.services.projecting import opened_projection
    from clausegraph.app.wiring import opened_ledger
    from clausegraph.indexes.corpora import get_corpus
    from clausegraph.indexes.ledger.leases import run_lease

    with opened_ledger(settings) as ledger, opened_projection(settings, ledger) as projection:
        row = get_corpus(ledger, settings.corpus)
        before = projection.status(row.id)
        if status:
            session.emit(asdict(before), f"corpus {row.name!r} in Neo4j is {before.state}: {_where(asdict(before))}")
            return
        with run_lease(ledger, row.id, "project-neo4j"):  # nobody publishes meanwhile
            report = projection.rebuild(row.id) if rebuild else projection.catch_up(row.id)
            found = projection.verify(row.id) if verify else None
    said = [f"corpus {row.name!r} in Neo4j was {before.state}" + (f": {before.reason}" if before.reason else "")]
    said.append(
        f"{report.action}: now at epoch {report.epoch}; {report.written} relationships written, "
        f"{report.closed} closed, {report.removed} removed in {report.seconds:.1f} s"
    )
    if found is not None:
        said += [f"  {line}" for line in found] or ["every node and relationship is as the ledger has it"]
    session.emit({"before": asdict(before), "report": asdict(report), "differences": found}, *said)
    if found:
        raise typer.Exit(_DIFFERENT)


def _where(status: dict[str, object]) -> str:
    return f"epoch {status['prepared']} of {status['ledger_newest']}" + (
        f"; {status['reason']}" if status["reason"] else ""
    )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Bring servers to what the ledger holds.")
    command(group, "neo4j")(neo4j)
    app.add_typer(group, name="project")
