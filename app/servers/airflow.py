"""A real Airflow on loopback, without containers: scheduler, dag-processor and api-server, LocalExecutor on SQLite.

Its folder holds the metadata, the logs, a record of the processes, and two files of mode 0600: the password of the
user "admin", and ``env.sh`` with every setting, so that a shell that reads it can use the ``airflow`` command. Over its
API it is asked whether its parts are healthy, and for a run of a corpus' DAG.
"""

from __future__ import annotations

import json
import os
import secrets
import shlex
import subprocess
import sys
import time
from base64 import urlsafe_b64encode
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import httpx

from clausegraph.app.servers.process import (
    chosen_port,
    last_words,
    load_record,
    running_processes,
    save_record,
    stop_processes,
)
from clausegraph.core.errors import InputError, NotFoundError, StorageError, require_extra
from clausegraph.core.settings import MODEL_POOL
from clausegraph.indexes.files import write_whole

PARTS = ("metadatabase", "scheduler", "dag_processor")
_TIMEOUT = 30.0  # seconds a request may take
_TAG = "clausegraph"
_ENDED = ("success", "failed")
_STEPS = ("plan", "extract", "embed", "publish", "decided", "report")
USER = "admin"
PASSWORD_FILE = "password"  # noqa: S105 - a file's name
ENV_FILE = "env.sh"
POOL_SLOTS = 4
DAGS = Path(__file__).resolve().parents[2] / "dags"

_AIRFLOW = (sys.executable, "-P", "-m", "airflow")  # without the working directory on the path
_COMMANDS = {
    "api-server": ("api-server", "--host", "127.0.0.1", "--workers", "1", "--port"),
    "scheduler": ("scheduler", "--skip-serve-logs"),
    "dag-processor": ("dag-processor",),
}
_STARTS, _PATIENCE = 180.0, 10.0  # seconds until it must be healthy, and for a clean end


def health(url: str) -> dict[str, str]:
    """What the api-server says of each part: ``healthy``, ``unhealthy``, or ``unknown`` where it says nothing."""
    try:
        said = httpx.get(f"{url}/api/v2/monitor/health", timeout=5.0).raise_for_status().json()
        return {name: (said.get(name) or {}).get("status") or "unknown" for name in PARTS}
    except (httpx.HTTPError, ValueError, AttributeError) as error:
        raise StorageError(f"no answer of Airflow at {url} ({type(error).__name__})") from error


class AirflowApi:
    """An Airflow whose user and password are known; ``StorageError``: it does not answer as it must."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._url = url
        token = self._send("POST", "/auth/token", {}, {"username": user, "password": password})["access_token"]
        self._headers = {"Authorization": f"Bearer {token}"}

    def find_dag(self, corpus: str, patience: float = 60.0) -> str:
        """Id of the DAG that ingests a corpus; one that was parsed by nobody yet is waited for."""
        deadline = time.monotonic() + patience
        while True:
            dags = self._get(f"/dags?tags={_TAG}&limit=1000")["dags"]
            named = {dag["dag_display_name"]: dag["dag_id"] for dag in dags}
            if found := named.get(f"ingest {corpus}"):
                return str(found)
            if time.monotonic() > deadline:
                errors = self._get("/importErrors")["import_errors"]
                broken = [error["stack_trace"].strip().splitlines()[-1] for error in errors]
                there = f"it has: {', '.join(sorted(named)) or 'none'}"
                why = f"its DAGs do not load: {broken[0]}" if broken else there
                raise NotFoundError(
                    f"Airflow has no DAG of corpus {corpus!r} ({why}); add [corpora.{corpus}] to its settings file"
                )
            time.sleep(1.0)

    def trigger(self, dag: str) -> str:
        """Ask for a run now; its id. A DAG that is paused is let go first."""
        self._send("PATCH", f"/api/v2/dags/{dag}", self._headers, {"is_paused": False})
        started = self._send("POST", f"/api/v2/dags/{dag}/dagRuns", self._headers, {"logical_date": None})
        return str(started["dag_run_id"])

    def watch(self, dag: str, run: str, patience: float, tell: Callable[[float, str], None]) -> dict[str, Any]:
        """Wait until a run has ended; ``tell`` is given the seconds and a line for each task whose state has changed.

        Raises:
            StorageError: it has not ended after ``patience`` seconds; it goes on all the same.
        """
        started, shown = time.monotonic(), dict[str, str]()
        while True:
            state = self._get(f"/dags/{dag}/dagRuns/{run}")["state"]
            states = self._task_states(dag, run)
            seconds = time.monotonic() - started
            for task in sorted(states, key=[*_STEPS, *sorted(states.keys() - set(_STEPS))].index):
                said = describe(states[task])
                if said and shown.get(task) != said:
                    shown[task] = said
                    tell(seconds, f"{task}: {said}")
            if state in _ENDED:
                return {"dag": dag, "run": run, "state": state, "seconds": seconds, "tasks": states}
            if seconds > patience:
                raise StorageError(
                    f"run {run} of {dag} has not ended after {patience:.0f} s (it is {state}) and goes on; "
                    "its tasks' logs are in Airflow's pages"
                )
            time.sleep(1.0)

    def _task_states(self, dag: str, run: str) -> dict[str, dict[str, int]]:
        """How many instances of each task are in which state; a mapped task has several."""
        instances = self._get(f"/dags/{dag}/dagRuns/{run}/taskInstances?limit=2000")["task_instances"]
        counted: dict[str, Counter[str]] = defaultdict(Counter)
        for instance in instances:
            counted[instance["task_id"]][instance["state"] or "waiting"] += 1
        return {task: dict(states) for task, states in counted.items()}

    def _get(self, path: str) -> dict[str, Any]:
        return self._send("GET", f"/api/v2{path}", self._headers)

    def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        try:
            answer = httpx.request(method, self._url + path, headers=headers, json=body, timeout=_TIMEOUT)
        except httpx.HTTPError as error:
            raise StorageError(
                f"no answer of Airflow at {self._url} ({type(error).__name__}); `clausegraph dags serve` starts one"
            ) from error
        if answer.status_code in (401, 403):
            raise InputError(f"Airflow at {self._url} refuses user or password")
        if answer.is_error:
            raise StorageError(f"Airflow at {self._url} said {answer.status_code} to {path}: {answer.text[:300]}")
        found = answer.json()
        return found if isinstance(found, dict) else {}


def describe(states: Mapping[str, int]) -> str:
    """``running``; of a mapped task ``2 running, 2 success``; empty while all of it waits."""
    if set(states) <= {"waiting", "scheduled", "queued"}:
        return ""
    if sum(states.values()) == 1:
        return next(iter(states))
    return ", ".join(f"{count} {state}" for state, count in sorted(states.items()))


@dataclass(frozen=True, slots=True)
class RunningAirflow:
    """An Airflow that answers: its address, its user, where the password is, and its processes by name."""

    folder: Path
    url: str
    user: str
    password: str = field(repr=False)
    pids: dict[str, int]

    @property
    def password_file(self) -> Path:
        return self.folder / PASSWORD_FILE

    @property
    def env_file(self) -> Path:
        """A shell that reads it can use the ``airflow`` command."""
        return self.folder / ENV_FILE


def start_airflow(
    folder: Path,
    *,
    port: int = 0,
    dags: Path | None = None,
    options: Mapping[str, str] | None = None,
) -> RunningAirflow:
    """Start the Airflow of ``folder`` (made if new) and wait until all of it is healthy; a running one is returned.

    Args:
        folder: metadata, logs, password.
        port: of the web page and the API; 0 takes the one it had before, or a free one.
        dags: folder of DAG files; those that come with ClauseGraph if none.
        options: further environment variables, such as ``AIRFLOW__CORE__PARALLELISM``.

    Raises:
        InputError: Airflow is not installed, or the port is taken.
        StorageError: it did not become healthy; the message has its last words.
    """
    require_extra("airflow", "running the DAGs")
    folder = folder.absolute()
    running = find_airflow(folder)
    if running is not None:
        return running
    stop_airflow(folder)  # what is left of one that lost a process
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    folder.chmod(0o700)
    before = load_record(folder)
    port = chosen_port(port, before.get("port"))
    kept = {name: before.get(name) or secrets.token_urlsafe(size) for name, size in (("password", 18), ("jwt", 64))}
    kept["fernet"] = before.get("fernet") or urlsafe_b64encode(secrets.token_bytes(32)).decode()
    environment = _environment(folder, port, dags or DAGS, kept) | dict(options or {})
    values = kept | {"port": port, "environment": environment}
    save_record(folder, values, {})
    write_whole(folder / PASSWORD_FILE, f"{kept['password']}\n".encode())
    write_passwords(folder / "passwords.json", kept["password"])
    exports = "".join(f"export {name}={shlex.quote(value)}\n" for name, value in environment.items())
    write_whole(folder / ENV_FILE, exports.encode())
    whole = {**os.environ, **environment}
    with _log(folder, "prepare") as log:
        try:
            prepare_airflow(whole, log)
        except StorageError as error:
            raise StorageError(f"{error}; {folder}: {last_words(folder / 'logs' / 'prepare.log')}") from error
    url = f"http://127.0.0.1:{port}"
    processes: dict[str, subprocess.Popen[bytes]] = {}
    try:
        for name in _COMMANDS:
            processes[name] = _launch(name, port, folder, whole)
            save_record(folder, values, processes)
        _wait(folder, url, processes)
    except BaseException:
        stop_airflow(folder)
        raise
    return RunningAirflow(folder, url, USER, kept["password"], {n: p.pid for n, p in processes.items()})


def prepare_airflow(environment: Mapping[str, str], log: IO[bytes] | None = None) -> None:
    """What an Airflow needs once before it starts: its metadata, and the pool of model calls if it is not there yet.

    Args:
        environment: of the Airflow, with its settings.
        log: where Airflow's own output goes; ours if none.

    Raises:
        StorageError: the metadata cannot be made.
    """

    def airflow(*words: str) -> bool:
        done = subprocess.run(  # noqa: S603
            [*_AIRFLOW, *words], env=dict(environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log, umask=0o077,
            check=False,
        )  # fmt: skip
        return done.returncode == 0

    if not airflow("db", "migrate"):
        raise StorageError("`airflow db migrate` failed, so Airflow has no metadata")
    if not airflow("pools", "get", MODEL_POOL):  # one that is there keeps its slots
        airflow("pools", "set", MODEL_POOL, str(POOL_SLOTS), "calls of ClauseGraph's models")


def write_passwords(path: Path, password: str) -> None:
    """The file that Airflow reads the password of the user "admin" from."""
    write_whole(path, json.dumps({USER: password}).encode())


def find_airflow(folder: Path) -> RunningAirflow | None:
    """The Airflow of a folder, when all its processes run."""
    folder = folder.absolute()
    found, record = running_processes(folder), load_record(folder)
    if set(found) != set(_COMMANDS):
        return None
    pids = {name: process.pid for name, process in found.items()}
    return RunningAirflow(folder, f"http://127.0.0.1:{record['port']}", USER, str(record["password"]), pids)


def stop_airflow(folder: Path) -> bool:
    """Stop what runs of a folder's Airflow, with the tasks it runs; false when nothing did."""
    return stop_processes(folder.absolute(), _PATIENCE)


def _environment(folder: Path, port: int, dags: Path, kept: Mapping[str, str]) -> dict[str, str]:
    """The whole configuration; nothing listens on anything but loopback, nothing calls home."""
    config = Path(os.environ.get("CLAUSEGRAPH_CONFIG") or "clausegraph.toml").expanduser().absolute()
    return {
        "AIRFLOW_HOME": str(folder),
        "AIRFLOW__CORE__DAGS_FOLDER": str(dags.absolute()),
        "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__EXECUTOR": "LocalExecutor",
        "AIRFLOW__CORE__FERNET_KEY": kept["fernet"],
        "AIRFLOW__CORE__EXECUTION_API_SERVER_URL": f"http://127.0.0.1:{port}/execution/",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_USERS": f"{USER}:admin",
        "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE": str(folder / "passwords.json"),
        "AIRFLOW__DATABASE__SQL_ALCHEMY_CONN": f"sqlite:///{folder / 'airflow.db'}",
        "AIRFLOW__LOGGING__BASE_LOG_FOLDER": str(folder / "logs"),
        "AIRFLOW__API__HOST": "127.0.0.1",
        "AIRFLOW__API__PORT": str(port),
        "AIRFLOW__API__BASE_URL": f"http://127.0.0.1:{port}",
        "AIRFLOW__API__SECRET_KEY": kept["jwt"],
        "AIRFLOW__API_AUTH__JWT_SECRET": kept["jwt"],
        "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        **({"CLAUSEGRAPH_CONFIG": str(config)} if config.is_file() else {}),
    }


def _launch(name: str, port: int, folder: Path, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
    words = [*_AIRFLOW, *_COMMANDS[name], *([str(port)] if name == "api-server" else [])]
    with _log(folder, name) as log:
        return subprocess.Popen(  # noqa: S603
            words, env=dict(environment), stdin=subprocess.DEVNULL, stdout=log, stderr=log, umask=0o077,
            start_new_session=True,
        )  # fmt: skip


def _log(folder: Path, name: str) -> IO[bytes]:
    path = folder / "logs" / f"{name}.log"
    path.parent.mkdir(exist_ok=True, mode=0o700)
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600), "ab")


def _wait(folder: Path, url: str, processes: Mapping[str, subprocess.Popen[bytes]]) -> None:
    deadline = time.monotonic() + _STARTS
    said = "no answer"
    while time.monotonic() < deadline:
        for name, process in processes.items():
            if process.poll() is not None:
                raise StorageError(f"Airflow's {name} ended at once: {last_words(folder / 'logs' / f'{name}.log')}")
        with suppress(StorageError):
            states = health(url)
            if {states[name] for name in PARTS} == {"healthy"}:
                return
            said = str(states)
        time.sleep(0.5)
    raise StorageError(f"Airflow in {folder} is not healthy after {_STARTS:.0f} s ({said}); see its logs")
