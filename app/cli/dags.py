"""``clausegraph dags``: the DAG file for an Airflow of one's own, and an Airflow on this machine to try it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from app.cli.session import Session, command

FolderOption = Annotated[Path, typer.Option("--folder", help="Airflow's metadata, logs and password.")]
_FOLDER = Path(".airflow")


def export(
    session: Session,
    *,
    folder: Annotated[Path, typer.Argument(help="Airflow's folder of DAGs; made if new.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file of that name that differs.")] = False,
) -> None:
    """Write the file that gives Airflow one DAG per `[corpora.NAME]` of the settings file in use."""
    from app.export.dags import write_dag_file
    from core.settings import MODEL_POOL

    settings = session.settings()
    path, config = write_dag_file(folder, replace=force)
    corpora = sorted(settings.corpora)
    known = ", ".join(corpora) or "none yet: add a table [corpora.NAME] with source and schedule"
    where = f"settings: {config}" if config else "settings: CLAUSEGRAPH_CONFIG of Airflow's environment"
    session.emit(
        {"file": str(path), "config": str(config) if config else None, "corpora": corpora, "pool": MODEL_POOL},
        f"wrote {path}",
        where,
        f"corpora: {known}",
        f'Airflow needs ClauseGraph installed beside it, and once: airflow pools set {MODEL_POOL} 4 "model calls"',
    )


def serve(
    session: Session,
    *,
    folder: FolderOption = _FOLDER,
    dags: Annotated[Path | None, typer.Option(help="Folder of DAG files; ClauseGraph's own if none.")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes a free one.")] = 0,
) -> None:
    """Start Airflow on 127.0.0.1 with a generated password: scheduler, dag-processor, api-server, on SQLite."""
    from app.servers.airflow import find_airflow, start_airflow

    settings = session.settings()
    if find_airflow(folder) is None:
        session.note("starting Airflow; this takes about half a minute")
    server = start_airflow(folder, port=port, dags=dags)
    if not settings.corpora:
        session.note("no corpus is scheduled: add a table [corpora.NAME] with source and schedule to clausegraph.toml")
    session.emit(
        {"url": server.url, "user": server.user, "password_file": str(server.password_file),
         "env_file": str(server.env_file), "pids": server.pids, "corpora": sorted(settings.corpora)},
        f"Airflow answers at {server.url}",
        f"user {server.user}, password in {server.password_file}",
        f"scheduled corpora: {', '.join(sorted(settings.corpora)) or 'none'}",
        f"for the airflow command: . {server.env_file}",
        "stop it with `make stop`",
    )  # fmt: skip


def stop(session: Session, *, folder: FolderOption = _FOLDER) -> None:
    """Stop the Airflow of a folder, with the tasks it runs; other processes are left alone."""
    from app.servers.airflow import stop_airflow

    stopped = stop_airflow(folder)
    session.emit({"stopped": stopped}, "Airflow has stopped" if stopped else f"no Airflow of {folder} is running")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Airflow: the DAG file, and an Airflow on this machine.")
    command(group, "export")(export)
    command(group, "serve")(serve)
    command(group, "stop")(stop)
    app.add_typer(group, name="dags")
