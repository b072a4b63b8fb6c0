"""``clausegraph project neo4j``: bring Neo4j to what the ledger holds, rebuild it, compare the two."""

from __future__ import annotations

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
    workspace = session.workspace(corpus)
    name = workspace.settings.corpus
    from clausegraph.app.services.corpora import neo4j_status, project_neo4j

    if status:
        now = neo4j_status(workspace, name)
        session.emit(now, *session.lines([f"corpus {name!r} in Neo4j is {now['state']}: {_where(now)}"]))
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


def _where(status: dict[str, object]) -> str:
    return f"epoch {status['prepared']} of {status['ledger_newest']}" + (
        f"; {status['reason']}" if status["reason"] else ""
    )


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Bring servers to what the ledger holds.")
    command(group, "neo4j", stores=True)(neo4j)
    app.add_typer(group, name="project")
