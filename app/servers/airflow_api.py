"""What is asked of an Airflow over its API: whether its parts are healthy, and a run of a corpus' DAG."""

from __future__ import annotations

import time
from collections import Counter, defaultdict
from collections.abc import Callable, Mapping
from typing import Any

import httpx

from clausegraph.core.errors import InputError, NotFoundError, StorageError

PARTS = ("metadatabase", "scheduler", "dag_processor")
_TIMEOUT = 30.0  # seconds a request may take
_TAG = "clausegraph"
_ENDED = ("success", "failed")
_STEPS = ("plan", "extract", "embed", "publish", "report")


def health(url: str) -> dict[str, str]:
    """What the api-server says of each part: ``healthy``, ``unhealthy``, or ``unknown`` where it says nothing.

    Raises:
        StorageError: there is no answer, or none of Airflow's.
    """
    try:
        said = httpx.get(f"{url}/api/v2/monitor/health", timeout=5.0).raise_for_status().json()
        return {name: (said.get(name) or {}).get("status") or "unknown" for name in PARTS}
    except (httpx.HTTPError, ValueError, AttributeError) as error:
        raise StorageError(f"no answer of Airflow at {url} ({type(error).__name__})") from error


class AirflowApi:
    """An Airflow whose user and password are known."""

    def __init__(self, url: str, user: str, password: str) -> None:
        self._url = url
        token = self._send("POST", "/auth/token", {}, {"username": user, "password": password})["access_token"]
        self._headers = {"Authorization": f"Bearer {token}"}

    def find_dag(self, corpus: str, patience: float = 60.0) -> str:
        """Id of the DAG that ingests a corpus; one that was parsed by nobody yet is waited for.

        Raises:
            NotFoundError: there is none.
        """
        deadline = time.monotonic() + patience
        while True:
            dags = self._get(f"/dags?tags={_TAG}&limit=1000")["dags"]
            named = {dag["dag_display_name"]: dag["dag_id"] for dag in dags}
            if found := named.get(f"ingest {corpus}"):
                return str(found)
            if time.monotonic() > deadline:
                broken = [error["stack_trace"].strip().splitlines()[-1] for error in self._import_errors()]
                why = (
                    f"its DAGs do not load: {broken[0]}" if broken else f"it has: {', '.join(sorted(named)) or 'none'}"
                )
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
            for task in sorted(states, key=_place):
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

    def _import_errors(self) -> list[dict[str, Any]]:
        return list(self._get("/importErrors")["import_errors"])

    def _get(self, path: str) -> dict[str, Any]:
        return self._send("GET", f"/api/v2{path}", self._headers)

    def _send(
        self, method: str, path: str, headers: Mapping[str, str], body: Mapping[str, Any] | None = None
    ) -> dict[str, Any]:
        try:
            answer = httpx.request(
                method, self._url + path, headers=headers, json=dict(body) if body else None, timeout=_TIMEOUT
            )
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


def _place(task: str) -> tuple[int, str]:
    return (_STEPS.index(task) if task in _STEPS else len(_STEPS), task)
