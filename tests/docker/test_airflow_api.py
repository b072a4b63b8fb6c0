"""What is asked of Airflow over its API, against scripted answers; tests/dags asks a real one."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from typer.testing import CliRunner

from clausegraph.app.servers import airflow
from clausegraph.app.servers.airflow import AirflowApi, health
from clausegraph.core.errors import InputError, NotFoundError, StorageError
from tests.harness.cli import made_app

URL = "http://127.0.0.1:8080"
DAG = {"dag_display_name": "ingest policies", "dag_id": "ingest_policies"}
Answers = dict[str, Any]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> Callable[[Answers], list[tuple[str, str]]]:
    """Answers by the start of the path; a list is one answer after the other, the last one for ever."""

    def install(answers: Answers) -> list[tuple[str, str]]:
        sent: list[tuple[str, str]] = []
        answers = {"/auth/token": {"access_token": "t"}} | answers

        def request(method: str, url: str, **_: Any) -> httpx.Response:
            path = url.removeprefix(URL)
            sent.append((method, path))
            found = answers[max((known for known in answers if path.startswith(known)), key=len)]
            if isinstance(found, list):
                found = found.pop(0) if len(found) > 1 else found[0]
            if isinstance(found, Exception):
                raise found
            status, body = found if isinstance(found, tuple) else (200, found)
            return httpx.Response(status, json=body, request=httpx.Request(method, url))

        monkeypatch.setattr(airflow.httpx, "request", request)
        monkeypatch.setattr(airflow.httpx, "get", lambda url, **_: request("GET", url))
        monkeypatch.setattr(airflow.time, "sleep", lambda _: None)
        return sent

    return install


def _tasks(**states: list[str | None]) -> dict[str, Any]:
    return {"task_instances": [{"task_id": task, "state": one} for task, several in states.items() for one in several]}


def test_a_run_is_watched_to_its_end(script: Any) -> None:
    run = f"/api/v2/dags/{DAG['dag_id']}/dagRuns/r1"
    sent = script(
        {
            "/api/v2/dags?": [{"dags": []}, {"dags": [DAG]}],
            "/api/v2/dags/ingest_policies": {"dag_run_id": "r1"},
            run: [{"state": "queued"}, {"state": "running"}, {"state": "running"}, {"state": "success"}],
            f"{run}/taskInstances": [
                _tasks(),
                _tasks(plan=["running"], extract=[None]),
                _tasks(report=[None], extract=["running", "queued"], plan=["success"]),
                _tasks(report=["success"], extract=["success"] * 2, plan=["success"]),
            ],
        }
    )
    api = AirflowApi(URL, "admin", "secret")
    assert api.find_dag("policies") == "ingest_policies"
    assert api.trigger("ingest_policies") == "r1"
    assert [one for one in sent if one[0] != "GET"] == [
        ("POST", "/auth/token"),
        ("PATCH", "/api/v2/dags/ingest_policies"),
        ("POST", "/api/v2/dags/ingest_policies/dagRuns"),
    ]
    lines: list[str] = []
    ended = api.watch("ingest_policies", "r1", 60, lambda _, line: lines.append(line))
    assert lines == [
        "plan: running",
        "plan: success",
        "extract: 1 queued, 1 running",
        "extract: 2 success",
        "report: success",
    ]
    assert (ended["state"], ended["tasks"]["extract"]) == ("success", {"success": 2})


def test_a_run_that_does_not_end_is_left_alone(script: Any) -> None:
    script({"/api/v2/dags/d/dagRuns/r": {"state": "running"}, "/api/v2/dags/d/dagRuns/r/taskInstances": _tasks()})
    with pytest.raises(StorageError, match=r"has not ended after 0 s \(it is running\) and goes on"):
        AirflowApi(URL, "admin", "secret").watch("d", "r", 0, lambda *_: None)


def test_a_missing_dag_says_why(script: Any) -> None:
    script({"/api/v2/dags?": {"dags": [DAG]}, "/api/v2/importErrors": {"import_errors": []}})
    api = AirflowApi(URL, "admin", "secret")
    with pytest.raises(NotFoundError, match=r"no DAG of corpus 'x' \(it has: ingest policies\); add \[corpora.x\]"):
        api.find_dag("x", patience=0)
    script({"/api/v2/dags?": {"dags": []}, "/api/v2/importErrors": {"import_errors": [{"stack_trace": "a\nboom\n"}]}})
    with pytest.raises(NotFoundError, match=r"its DAGs do not load: boom"):
        api.find_dag("x", patience=0)


@pytest.mark.parametrize(
    ("answer", "error", "says"),
    [
        ((401, {}), InputError, "refuses user or password"),
        ((500, {"detail": "broken"}), StorageError, "said 500 to /auth/token.*broken"),
        (httpx.ConnectError("no"), StorageError, "no answer of Airflow at .*ConnectError"),
    ],
)
def test_what_fails_is_named(script: Any, answer: Any, error: type[Exception], says: str) -> None:
    script({"/auth/token": answer})
    with pytest.raises(error, match=says):
        AirflowApi(URL, "admin", "secret")


def test_health_by_part(script: Any) -> None:
    path = "/api/v2/monitor/health"
    script({path: {"metadatabase": {"status": "healthy"}, "scheduler": {"status": "unhealthy"}, "dag_processor": None}})
    assert health(URL) == {"metadatabase": "healthy", "scheduler": "unhealthy", "dag_processor": "unknown"}

    def ask(*words: str) -> int:
        return CliRunner().invoke(made_app(), ["dags", "health", "--url", URL, *words]).exit_code

    assert (ask("--part", "metadatabase"), ask("--part", "scheduler"), ask()) == (0, 1, 1)
    assert ask("--part", "webserver") == 2
    for answer in (httpx.ConnectError("no"), (502, {}), ["html"]):
        script({path: answer})
        assert ask("--part", "metadatabase") == 4


def test_prepare_needs_a_password_and_its_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Any) -> None:
    for name in ("AIRFLOW_ADMIN_PASSWORD", "AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE"):
        monkeypatch.delenv(name, raising=False)
    prepared: list[Any] = []
    monkeypatch.setattr(airflow, "prepare_airflow", prepared.append)
    result = CliRunner().invoke(made_app(), ["dags", "prepare"])
    assert result.exit_code == 2 and "AIRFLOW_ADMIN_PASSWORD is not set" in result.output
    monkeypatch.setenv("AIRFLOW_ADMIN_PASSWORD", 'p"w')
    result = CliRunner().invoke(made_app(), ["dags", "prepare"])
    assert result.exit_code == 2 and "PASSWORDS_FILE is not set" in result.output and not prepared
    file = tmp_path / "passwords.json"
    monkeypatch.setenv("AIRFLOW__CORE__SIMPLE_AUTH_MANAGER_PASSWORDS_FILE", str(file))
    result = CliRunner().invoke(made_app(), ["dags", "prepare"])
    assert result.exit_code == 0 and 'p"w' not in result.output and prepared
    assert file.read_text(encoding="utf-8") == '{"admin": "p\\"w"}' and file.stat().st_mode & 0o777 == 0o600
