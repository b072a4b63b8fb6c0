"""A site that Airflow follows: scheduler, dag-processor and api-server crawl it, and again after five pages changed."""

import importlib.util
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import select

from clausegraph.app.access.tokens import AccessRole, Tokens
from clausegraph.app.api.application import create_app
from clausegraph.app.console.face import face
from clausegraph.app.servers.airflow import AirflowApi, start_airflow, stop_airflow
from clausegraph.app.services.gate import GateQuestion, set_gate
from clausegraph.app.services.scheduling import RunRequest
from clausegraph.app.workspace import Workspace
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.schema import runs
from clausegraph.indexes.ledger.store import open_ledger
from tests.dags.team import CORPUS, Team
from tests.dags.test_scheduled import Api
from tests.harness.site import NAME, Site, local_site
from tests.harness.wait import PATIENCE_S, until
from tests.ingestion.web.town import fee, html

pytestmark = pytest.mark.integration

PAGES = 12


def write(site: Site, changed: int = 0) -> None:
    """A first page and a dozen others, some of them changed."""
    paths = [f"/permits/{number}.html" for number in range(PAGES)]
    site.page("/", html("Permits", fee("town", 11), links=tuple(paths)))
    for number, path in enumerate(paths):
        amount = 100 + number + (500 if number < changed else 0)
        site.page(path, html(f"Permit {number}", fee(f"kind{number}", amount), links=("/",)))


def team_of(root: Path, site: Site) -> Team:
    team = Team(root, source=site.url("/"), mode="site", schedule="", depth=2, exclude=["*/secret/*"])
    lines = [f'web_allow = ["{NAME}=127.0.0.1"]', "web_interval = 0"]
    lines.append(team.config.read_text(encoding="utf-8"))
    team.config.write_text("\n".join(lines), encoding="utf-8")
    return team


def last_report(team: Team) -> dict[str, Any]:
    with open_ledger(team.home) as ledger, ledger.read() as connection:
        found = connection.execute(select(runs.c.report).order_by(runs.c.started.desc()).limit(1)).scalar_one()
    return json.loads(found)  # type: ignore[no-any-return]


def test_a_site_in_steps(tmp_path: Path) -> None:
    """What the tasks call, without Airflow."""
    with local_site() as site:
        write(site)
        team = team_of(tmp_path, site)
        web = {"mode": "site", "depth": 2, "exclude": ("*/secret/*",)}
        for name, changed in (("one", 0), ("two", 5)):
            write(site, changed)
            site.asked.clear()
            run = RunRequest(name, CORPUS, site.url("/"), web=web).as_dict()
            for batch in team.step("plan", run):
                team.step("extract", run, batch)
            team.step("embed", run)
            team.step("publish", run)
            report = team.step("report", run)
        assert (len(report["pages_changed"]), report["pages_unchanged"]) == (5, PAGES - 4)
        assert report["fetched"] == {"requests": PAGES + 2, "received": 5, "not modified": PAGES - 4}
        assert Counter(one.status for one in site.asked if one.path != "/robots.txt") == {200: 5, 304: PAGES - 4}


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("airflow") is None, reason="Airflow is not installed")
def test_airflow_follows_a_site(tmp_path: Path) -> None:
    with local_site() as site:
        write(site)
        team = team_of(tmp_path, site)
        folder = tmp_path / "airflow"
        options = {"CLAUSEGRAPH_CONFIG": str(team.config), "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1"}
        try:
            server = start_airflow(folder, options=options)
            api = AirflowApi(server.url, server.user, server.password)
            for changed in (0, 5):
                write(site, changed)
                site.asked.clear()
                dag = api.find_dag(CORPUS)
                ended = api.watch(dag, api.trigger(dag), PATIENCE_S, lambda seconds, line: None)
                assert ended["state"] == "success", ended
        finally:
            stop_airflow(folder)
        report = last_report(team)
        assert (len(report["pages_changed"]), report["pages_unchanged"]) == (5, PAGES - 4)
        assert Counter(one.status for one in site.asked if one.path != "/robots.txt") == {200: 5, 304: PAGES - 4}
        assert any("EUR" in line and "604" in line for line in team.dump())


def wait_for(api: Api, dag: str, task: str, state: str, run: str = "~") -> None:
    """Until a task of a run of a DAG is in a state."""
    path = f"/dags/{dag}/dagRuns/{run}/taskInstances"
    until(lambda: (task, state) in {(one["task_id"], one["state"]) for one in api.get(path)["task_instances"]}, every=1)


def decide(team: Team, state: str) -> str:
    """Accept or drop the held run with the console's own form; what the screen of the run says before."""
    settings = team.settings()
    token = Tokens(settings.home).add(f"cara {state}", AccessRole.CURATOR, None)[1]
    address = "http://127.0.0.1:8400"
    with TestClient(create_app(Workspace(settings), [face()]), address) as client:
        client.post("/login", data={"token": token}, headers={"Origin": address})
        run = last_report(team)["run_id"]
        screen = client.get(f"/c/{CORPUS}/run?name={run}").text
        form = {"run": run, "state": state, "csrf": screen.partition('name="csrf" value="')[2].partition('"')[0]}
        done = client.post(f"/c/{CORPUS}/curation/quarantine", data=form, headers={"Origin": address})
        assert done.status_code == 200, done.text
    return screen


@pytest.mark.long
@pytest.mark.skipif(importlib.util.find_spec("airflow") is None, reason="Airflow is not installed")
def test_airflow_waits_for_a_person_and_for_the_gate(tmp_path: Path) -> None:
    """A broken site is held, accepted in the console, published, evaluated; what misses the gate then stays out."""
    with local_site() as site:
        write(site)
        team = team_of(tmp_path, site)
        folder = tmp_path / "airflow"
        options = {"CLAUSEGRAPH_CONFIG": str(team.config), "AIRFLOW__DAG_PROCESSOR__PARSING_PROCESSES": "1"}
        try:
            server = start_airflow(folder, options=options)
            api, seen = AirflowApi(server.url, server.user, server.password), Api(server)
            dag = api.find_dag(CORPUS)

            def ended(run: str) -> dict[str, dict[str, int]]:
                found = api.watch(dag, run, PATIENCE_S, lambda seconds, line: None)
                assert found["state"] == "success", found
                return found["tasks"]  # type: ignore[no-any-return]

            assert ended(api.trigger(dag))["decided"] == {"skipped": 1}
            with Workspace(team.settings()) as workspace:
                asked = GateQuestion(question="How much must I pay for a kind0 permit?", has=("100 EUR",))
                set_gate(workspace, CORPUS, [asked], 1.0, "keep", "tester")
            for number in range(1, PAGES):
                site.error(f"/permits/{number}.html", 404)
            run = api.trigger(dag)
            wait_for(seen, dag, "decided", "up_for_reschedule", run)
            assert "11 of 13 pages: gone from the source" in decide(team, "accepted")
            assert ended(run)["decided"] == {"success": 1}
            wait_for(seen, f"evaluate_{CORPUS}", "evaluate", "success")
            write(site, PAGES)
            run = api.trigger(dag)
            wait_for(seen, dag, "decided", "up_for_reschedule", run)
            assert "Expected “100 EUR”; got" in decide(team, "dropped")
            assert ended(run)["decided"] == {"skipped": 1}
        finally:
            stop_airflow(folder)
        with open_ledger(team.home) as ledger:
            assert get_corpus(ledger, CORPUS).newest == 2
