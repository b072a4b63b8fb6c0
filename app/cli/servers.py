"""``serve``, ``mcp``, ``server`` and ``dags``: our own server, and a Neo4j and an Airflow on this machine."""

from __future__ import annotations

import os
import shlex
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from clausegraph.app.cli.output import show_json
from clausegraph.app.cli.session import CorpusOption, Session, a_number, argument, command, option
from clausegraph.core.errors import ClauseGraphError, InputError, NotFoundError, SettingsError, require_extra

Neo4jFolder = Annotated[Path, option("The server's data, logs, password and jars.")]
_NEO4J_FOLDER = Path(".neo4j")
AirflowFolder = Annotated[Path, option("Airflow's metadata, logs and password.")]
_AIRFLOW_FOLDER = Path(".airflow")
FreePort = Annotated[int, option("Port of 127.0.0.1; 0 takes a free one.", min=0, max=65535)]
_FAILED = 1
_PASSWORD = "AIRFLOW_ADMIN_PASSWORD"  # noqa: S105 - a variable's name
_NO_CONFIG = "CLAUSEGRAPH_CONFIG of Airflow's environment"
_PASSWORDS_FILE = "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"


@command("serve")
def serve(
    session: Session,
    *,
    host: Annotated[str, option("Address to listen at.")] = "127.0.0.1",
    port: Annotated[int, option("Port; 0 takes a free one.", min=0, max=65535)] = 8400,
    browser: Annotated[bool, option("Open the address in a browser.", "--open")] = False,
) -> None:
    """Serve the REST API, MCP and the console, for whoever has a token, until Ctrl-C.

    The first start makes a token for its owner and keeps it in a file that only they can read; on a terminal it is
    shown this once.
    """
    require_extra("server", "serving")
    workspace = session.workspace()
    from clausegraph.app.api.application import create_app
    from clausegraph.app.api.served import own_token, run
    from clausegraph.app.chat import chat_face
    from clausegraph.app.console.face import face
    from clausegraph.app.mcp import mcp_face
    from clausegraph.core.inquiry import Inquiry
    from clausegraph.core.models.embedding import ServedEmbedder
    from clausegraph.query.engines.bank import make_engine

    with suppress(ClauseGraphError):  # as where its database does not answer: then nobody is told that it is ready
        workspace.make_ledger()
    app = create_app(workspace, [mcp_face(), chat_face(), face()])
    text, path = own_token(workspace)

    def warm() -> None:
        """Ask for a page's title, without a model, which loads what the first question would wait for; what cannot be
        loaded is told to whoever asks."""
        with suppress(ClauseGraphError), workspace.view() as view:
            if not isinstance(workspace.embedder, ServedEmbedder):
                for page in view.page_keys()[:1]:
                    make_engine(view, workspace.embedder).ask(Inquiry(view.reading(page).title))

    def announce(url: str) -> None:
        app.state.served.work.start(warm)
        if session.json:
            show_json({"url": url, "token_file": str(path)}, indent=None)
            sys.stdout.flush()  # the command goes on
        else:
            is_log = text is None or not sys.stdout.isatty()  # what is no terminal is as a rule a log
            kept = f"your token is in {path}; `clausegraph tokens add NAME` makes others"
            shown = f"your token, shown this once and kept in {path}:\n{text}"
            session.emit(None, f"ClauseGraph answers at {url}", kept if is_log else shown)
        if browser:
            import webbrowser

            webbrowser.open(url)

    run(app, host, port, announce, workspace.settings.serve_proxies)


@command("mcp")
def mcp(session: Session, *, corpus: CorpusOption = None) -> None:
    """Serve assistants over MCP on standard input and output; `serve` has the same at /mcp, for tokens."""
    require_extra("server", "serving")
    workspace = session.workspace(corpus)
    from clausegraph.app.mcp import run

    run(workspace)


@command("server neo4j")
def server_neo4j(
    session: Session,
    *,
    folder: Neo4jFolder = _NEO4J_FOLDER,
    bolt_port: FreePort = 0,
    http_port: Annotated[int, option("Port of Neo4j Browser; 0 takes a free one.", min=0, max=65535)] = 0,
    memory: Annotated[str, option("Memory of the Java heap.")] = "1g",
    jars: Annotated[Path | None, option("Where its jars are kept.", show_default="in its folder")] = None,
) -> None:
    """Start Neo4j on 127.0.0.1 with a generated password; needs Java 17 and, the first time, Maven."""
    require_extra("neo4j", "Neo4j", error=SettingsError)
    from clausegraph.app.servers.neo4j import find_neo4j, start_neo4j

    if find_neo4j(folder) is None:
        session.note("starting Neo4j; its jars come from Maven Central the first time (128 MB)")
    server = start_neo4j(folder, bolt_port=bolt_port, http_port=http_port, memory=memory, cache=jars)
    password = f"$(cat {shlex.quote(str(server.password_file))})"
    settings = {"URI": server.uri, "USER": server.user, "PASSWORD": password}
    session.emit(
        {"uri": server.uri, "user": server.user, "password_file": str(server.password_file), "browser": server.browser,
         "pid": server.pid},
        f"Neo4j answers at {server.uri} (process {server.pid})",
        f"user {server.user}, password in {server.password_file}",
        f"Neo4j Browser: {server.browser}",
        *(f'export CLAUSEGRAPH_NEO4J_{name}="{value}"' for name, value in settings.items()),
        f"stop it with `clausegraph server stop --folder {shlex.quote(str(folder))}`",
    )  # fmt: skip


@command("server stop")
def server_stop(session: Session, *, folder: Neo4jFolder = _NEO4J_FOLDER) -> None:
    """Stop the Neo4j of a folder; other processes are left alone."""
    from clausegraph.app.servers.neo4j import stop_neo4j

    stopped = stop_neo4j(folder)
    session.emit({"stopped": stopped}, "Neo4j has stopped" if stopped else f"no Neo4j of {folder} is running")


@command("dags export")
def dags_export(
    session: Session,
    *,
    folder: Annotated[Path, argument("Airflow's folder of DAGs; made if new.")],
    force: Annotated[bool, option("Replace a file of that name that differs.")] = False,
) -> None:
    """Write the file that gives Airflow one DAG per table "corpora.NAME" of the settings file in use."""
    from clausegraph.app.services.scheduling import write_dag_file
    from clausegraph.core.settings import MODEL_POOL

    settings = session.settings()
    path, config = write_dag_file(folder, settings.home, replace=force)
    corpora = sorted(settings.corpora)
    known = ", ".join(corpora) or "none yet: add a table [corpora.NAME] with source and schedule"
    session.emit(
        {"file": str(path), "config": str(config) if config else None, "corpora": corpora, "pool": MODEL_POOL},
        f"wrote {path}",
        f"settings: {config or _NO_CONFIG}",
        f"corpora: {known}",
        f'Airflow needs ClauseGraph installed beside it, and once: airflow pools set {MODEL_POOL} 4 "model calls"',
    )


@command("dags serve")
def dags_serve(
    session: Session,
    *,
    folder: AirflowFolder = _AIRFLOW_FOLDER,
    dags: Annotated[Path | None, option("Folder of DAG files.", show_default="ClauseGraph's own")] = None,
    port: FreePort = 0,
) -> None:
    """Start Airflow on 127.0.0.1 with a generated password: scheduler, dag-processor, api-server, on SQLite."""
    from clausegraph.app.servers.airflow import find_airflow, start_airflow

    corpora = sorted(session.settings().corpora)
    if find_airflow(folder) is None:
        session.note("starting Airflow; this takes about half a minute")
    server = start_airflow(folder, port=port, dags=dags)
    if not corpora:
        session.note("no corpus is scheduled: add a table [corpora.NAME] with source and schedule to clausegraph.toml")
    session.emit(
        {"url": server.url, "user": server.user, "password_file": str(server.password_file),
         "env_file": str(server.env_file), "pids": server.pids, "corpora": corpora},
        f"Airflow answers at {server.url}",
        f"user {server.user}, password in {server.password_file}",
        f"scheduled corpora: {', '.join(corpora) or 'none'}",
        f"for the airflow command: . {server.env_file}",
        f"stop it with `clausegraph dags stop --folder {shlex.quote(str(folder))}`",
    )  # fmt: skip


_PATIENCE = option("Seconds to wait for its end.", min=1, max=864_000, callback=a_number)


@command("dags run")
def dags_run(
    session: Session,
    *,
    corpus: Annotated[str, argument("A corpus that the settings file schedules.")],
    folder: AirflowFolder = _AIRFLOW_FOLDER,
    patience: Annotated[float, _PATIENCE] = 3600.0,
) -> None:
    """Run the DAG of a corpus in the Airflow of a folder and wait; the exit code is 1 when the run failed."""
    from clausegraph.app.servers.airflow import AirflowApi, find_airflow

    server = find_airflow(folder)
    if server is None:
        fix = f"start it with `clausegraph dags serve --folder {folder}`"
        raise NotFoundError(f"no Airflow of {folder} is running; {fix}")
    api = AirflowApi(server.url, server.user, server.password)
    dag = api.find_dag(corpus)
    made = api.trigger(dag)
    session.note(f"{dag}, run {made}")
    ended = api.watch(dag, made, patience, lambda seconds, line: session.note(f"{seconds:4.0f} s  {line}"))
    session.emit(ended, f"run {made}: {ended['state']} after {ended['seconds']:.0f} s")
    if ended["state"] != "success":
        raise typer.Exit(_FAILED)


@command("dags prepare")
def dags_prepare(session: Session) -> None:
    """Make what the Airflow of this environment needs before it starts: metadata, pool, the password of its user."""
    from clausegraph.app.servers.airflow import USER, prepare_airflow, write_passwords
    from clausegraph.core.output_files import check_output

    password, file = os.environ.get(_PASSWORD), os.environ.get(_PASSWORDS_FILE)
    if not password or not file:
        missing = _PASSWORDS_FILE if password else _PASSWORD
        raise SettingsError(f"{missing} is not set; it is needed for the password of Airflow's user {USER!r}")
    check_output(Path(file), home=session.settings().home, replace=True)
    prepare_airflow(os.environ)
    write_passwords(Path(file), password)
    session.emit({"user": USER, "passwords_file": file}, f"Airflow is prepared; user {USER}, password in {file}")


@command("dags health")
def dags_health(
    session: Session,
    *,
    url: Annotated[str, option("Address of Airflow's api-server.")],
    part: Annotated[list[str] | None, option("metadatabase, scheduler or dag_processor.", show_default="all")] = None,
) -> None:
    """Ask an Airflow how it is; the exit code is 1 when a part is not healthy, 4 without an answer."""
    from clausegraph.app.servers.airflow import PARTS, health

    if unknown := sorted(set(part or ()) - set(PARTS)):
        raise InputError(f"Airflow has no part {unknown[0]!r}; its parts are {', '.join(PARTS)}")
    states = {name: state for name, state in health(url).items() if name in (part or PARTS)}
    session.emit(states, *(f"{name}: {state}" for name, state in states.items()))
    if set(states.values()) != {"healthy"}:
        raise typer.Exit(_FAILED)


@command("dags stop")
def dags_stop(session: Session, *, folder: AirflowFolder = _AIRFLOW_FOLDER) -> None:
    """Stop the Airflow of a folder, with the tasks it runs; other processes are left alone."""
    from clausegraph.app.servers.airflow import stop_airflow

    stopped = stop_airflow(folder)
    session.emit({"stopped": stopped}, "Airflow has stopped" if stopped else f"no Airflow of {folder} is running")
