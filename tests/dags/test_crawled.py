"""A site that Airflow follows: scheduler, dag-processor and api-server crawl it, and again after five pages changed."""

import importlib.util
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from clausegraph.app.servers.airflow import AirflowApi, start_airflow, stop_airflow
from clausegraph.app.services.scheduling import RunRequest
from clausegraph.indexes.ledger.schema import runs
from clausegraph.indexes.ledger.store import open_ledger
from tests.dags.team import CORPUS, Team
from tests.harness.site import NAME, Site, local_site
from tests.harness.wait import PATIENCE_S
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
