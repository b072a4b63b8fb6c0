"""``clausegraph dags``: the DAG file for an Airflow of one's own, an Airflow on this machine, its runs and health."""

from __future__ import annotations

import os
import shlex
from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.session import Session, a_number, command

FolderOption = Annotated[Path, typer.Option("--folder", help="Airflow's metadata, logs and password.")]
_FOLDER = Path(".airflow")
_FAILED = 1
_PASSWORD = "AIRFLOW_ADMIN_PASSWORD"  # noqa: S105 - a variable's name
_PASSWORDS_FILE = "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"


def export(
    session: Session,
    *,
    folder: Annotated[Path, typer.Argument(help="Airflow's folder of DAGs; made if new.")],
    force: Annotated[bool, typer.Option("--force", help="Replace a file of that name that differs.")] = False,
) -> None:
    """Write the file that gives Airflow one DAG per table "corpora.NAME" of the settings file in use."""
    from clausegraph.app.services.scheduling import write_dag_file
    from clausegraph.core.settings import MODEL_POOL

    settings = session.settings()
    path, config = write_dag_file(folder, settings.home, replace=force)
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
    dags: Annotated[Path | None, typer.Option(help="Folder of DAG files.", show_default="ClauseGraph's own")] = None,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port of 127.0.0.1; 0 takes a free one.")] = 0,
) -> None:
    """Start Airflow on 127.0.0.1 with a generated password: scheduler, dag-processor, api-server, on SQLite."""
    from clausegraph.app.servers.airflow import find_airflow, start_airflow

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
        f"stop it with `clausegraph dags stop --folder {shlex.quote(str(folder))}`",
    )  # fmt: skip


def run(
    session: Session,
    *,
    corpus: Annotated[str, typer.Argument(help="A corpus that the settings file schedules.")],
    folder: FolderOption = _FOLDER,
    patience: Annotated[
        float, typer.Option(min=1, max=864_000, help="Seconds to wait for its end.", callback=a_number)
    ] = 3600.0,
) -> None:
    """Run the DAG of a corpus in the Airflow of a folder and wait; the exit code is 1 when the run failed."""
    from clausegraph.app.servers.airflow import find_airflow
    from clausegraph.app.servers.airflow_api import AirflowApi
    from clausegraph.core.errors import NotFoundError

    server = find_airflow(folder)
    if server is None:
        raise NotFoundError(
            f"no Airflow of {folder} is running; start it with `clausegraph dags serve --folder {folder}`"
        )
    api = AirflowApi(server.url, server.user, server.password)
    dag = api.find_dag(corpus)
    made = api.trigger(dag)
    session.note(f"{dag}, run {made}")
    ended = api.watch(dag, made, patience, lambda seconds, line: session.note(f"{seconds:4.0f} s  {line}"))
    session.emit(ended, f"run {made}: {ended['state']} after {ended['seconds']:.0f} s")
    if ended["state"] != "success":
        raise typer.Exit(_FAILED)


def prepare(session: Session) -> None:
    """Make what the Airflow of this environment needs before it starts: metadata, pool, the password of its user."""
    from clausegraph.app.servers.airflow import USER, prepare_airflow, write_passwords
    from clausegraph.core.errors import SettingsError
    from clausegraph.core.output_files import check_output

    password, file = os.environ.get(_PASSWORD), os.environ.get(_PASSWORDS_FILE)
    if not password or not file:
        missing = _PASSWORDS_FILE if password else _PASSWORD
        raise SettingsError(f"{missing} is not set; it is needed for the password of Airflow's user {USER!r}")
    check_output(Path(file), home=session.settings().home, replace=True)
    prepare_airflow(os.environ)
    write_passwords(Path(file), password)
    session.emit({"user": USER, "passwords_file": file}, f"Airflow is prepared; user {USER}, password in {file}")


def health(
    session: Session,
    *,
    url: Annotated[str, typer.Option(help="Address of Airflow's api-server.")],
    part: Annotated[
        list[str] | None, typer.Option(help="metadatabase, scheduler or dag_processor.", show_default="all")
    ] = None,
) -> None:
    """Ask an Airflow how it is; the exit code is 1 when a part is not healthy, 4 without an answer."""
    from clausegraph.app.servers.airflow_api import PARTS
    from clausegraph.app.servers.airflow_api import health as ask
    from clausegraph.core.errors import InputError

    if unknown := sorted(set(part or ()) - set(PARTS)):
        raise InputError(f"Airflow has no part {unknown[0]!r}; its parts are {', '.join(PARTS)}")
    states = {name: state for name, state in ask(url).items() if name in (part or PARTS)}
    session.emit(states, *(f"{name}: {state}" for name, state in states.items()))
    if set(states.values()) != {"healthy"}:
        raise typer.Exit(_FAILED)


def stop(session: Session, *, folder: FolderOption = _FOLDER) -> None:
    """Stop the Airflow of a folder, with the tasks it runs; other processes are left alone."""
    from clausegraph.app.servers.airflow import stop_airflow

    stopped = stop_airflow(folder)
    session.emit({"stopped": stopped}, "Airflow has stopped" if stopped else f"no Airflow of {folder} is running")


def register(app: typer.Typer) -> None:
    """Add the commands."""
    group = typer.Typer(no_args_is_help=True, help="Airflow: the DAG file, an Airflow on this machine, its runs.")
    command(group, "export")(export)
    command(group, "serve")(serve)
    command(group, "run")(run)
    command(group, "prepare")(prepare)
    command(group, "health")(health)
    command(group, "stop")(stop)
    app.add_typer(group, name="dags")
