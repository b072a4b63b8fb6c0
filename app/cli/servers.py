"""``clausegraph server``: a real Neo4j on this machine, without containers; what `make neo4j` and `make stop` run."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.session import Session, command
from clausegraph.core.errors import SettingsError, require_extra

FolderOption = Annotated[Path, typer.Option("--folder", help="The server's data, logs, password and jars.")]
_FOLDER = Path(".neo4j")


def neo4j(
    session: Session,
    *,
    folder: FolderOption = _FOLDER,
    bolt_port: Annotated[int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes a free one.")] = 0,
    http_port: Annotated[int, typer.Option(min=0, max=65535, help="Port of Neo4j Browser; 0 takes a free one.")] = 0,
    memory: Annotated[str, typer.Option(help="Memory of the Java heap.")] = "1g",
    jars: Annotated[Path | None, typer.Option(help="Where its jars are kept.", show_default="in its folder")] = None,
) -> None:
    """Start Neo4j on 127.0.0.1 with a generated password; needs Java 17 and, the first time, Maven."""
    require_extra("neo4j", "Neo4j", error=SettingsError)
    from clausegraph.app.servers.neo4j import find_neo4j, start_neo4j

    if find_neo4j(folder) is None:
        session.note("starting Neo4j; its jars come from Maven Central the first time (128 MB)")
    server = start_neo4j(folder, bolt_port=bolt_port, http_port=http_port, memory=memory, cache=jars)
    settings = {
        "CLAUSEGRAPH_NEO4J_URI": server.uri,
        "CLAUSEGRAPH_NEO4J_USER": server.user,
        "CLAUSEGRAPH_NEO4J_PASSWORD": f"$(cat {shlex.quote(str(server.password_file))})",
    }
    session.emit(
        {"uri": server.uri, "user": server.user, "password_file": str(server.password_file), "browser": server.browser,
         "pid": server.pid},
        f"Neo4j answers at {server.uri} (process {server.pid})",
        f"user {server.user}, password in {server.password_file}",
        f"Neo4j Browser: {server.browser}",
        "\n".join(f'export {name}="{value}"' for name, value in settings.items()),
        f"stop it with `clausegraph server stop --folder {shlex.quote(str(folder))}`",
    )  # fmt: skip


def stop(session: Session, *, folder: FolderOption = _FOLDER) -> None:
    """Stop the Neo4j of a folder; other processes are left alone."""
    from clausegraph.app.servers.neo4j import stop_neo4j

    stopped = stop_neo4j(folder)
    session.emit({"stopped": stopped}, "Neo4j has stopped" if stopped else f"no Neo4j of {folder} is running")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Start and stop a Neo4j on this machine.")
    command(group, "neo4j")(neo4j)
    command(group, "stop")(stop)
    app.add_typer(group, name="server")
