"""The DAGs as Airflow sees them: parsed without a ledger or a heavy import, run by ``dag.test()``, exported."""

import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from clausegraph.app.services.scheduling import FILE
from clausegraph.core.errors import SettingsError
from clausegraph.core.settings import load_settings
from clausegraph.indexes.corpora import get_corpus
from clausegraph.indexes.ledger.store import open_ledger
from tests.dags.team import CORPUS, REPOSITORY, Team
from tests.harness.cli import made_app
from tests.harness.fake_llm import FakeModelServer

pytestmark = [
    pytest.mark.integration,
    pytest.mark.skipif(importlib.util.find_spec("airflow") is None, reason="Airflow is not installed"),
]

PARSE = """
import json, os, socket, sys
from airflow.dag_processing.dagbag import DagBag
def refuse(*_, **__): raise AssertionError("parsing opened a connection")
def parsed(folder):
    before, connect = set(sys.modules), socket.socket.connect
    socket.socket.connect = refuse
    bag = DagBag(folder)
    socket.socket.connect = connect
    dag = bag.dags.get("ingest_policies")
    return {
        "dags": sorted(bag.dags), "errors": list(bag.import_errors.values()),
        "loaded": sorted(set(sys.modules) - before),
        "files": [stat.file for stat in bag.dagbag_stats],
        "warnings": [str(warning) for found in bag.captured_warnings.values() for warning in found],
        "tasks": {t.task_id: [t.pool, t.retries, bool(t.retry_exponential_backoff)] for t in dag.tasks} if dag else {},
        "limits": [dag.max_active_runs, dag.catchup] if dag else [],
        "schedule": str(dag.schedule) if dag else "", "params": dag.params.dump() if dag else {},
        "fileloc": dag.fileloc if dag else "",
        "assets": [asset.name for t in dag.tasks for asset in t.outlets] if dag else [],
    }
def show(made): print("RESULT" + json.dumps(made, default=str))
"""
PARSE_ALL = """
made = []
for folder, config in json.loads(sys.argv[1]):
    os.environ["CLAUSEGRAPH_CONFIG"] = config
    made.append(parsed(folder))
show(made)
"""

TASKS = """
import pathlib
from types import SimpleNamespace
from datetime import UTC, datetime
from airflow.sdk.exceptions import AirflowFailException, AirflowRescheduleException, AirflowSkipException
from typer.testing import CliRunner
from tests.harness.cli import made_app
dags = DagBag("dags").dags
dag = dags["ingest_policies"]
def call(name, *values):
    task = (dags["evaluate_policies"] if name == "evaluate" else dag).get_task(name)
    work = getattr(task, "python_callable", None) or task.partial_kwargs["python_callable"]
    try:
        return work() if name == "evaluate" else work(*values, **context)
    except AirflowSkipException:
        return "skipped"
    except AirflowRescheduleException:
        return "waits"
def clausegraph(*words):
    done = CliRunner().invoke(made_app(), ["--json", *words, "--corpus", "policies"])
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)
def failing(name):
    try:
        return call(name)
    except AirflowFailException as error:
        return str(error)
class Events(dict):
    def __missing__(self, asset): return self.setdefault(asset, SimpleNamespace(extra=None))
made = []
for number, dry_run in enumerate(json.loads(sys.argv[1])):
    run = SimpleNamespace(dag_id=dag.dag_id, run_id=f"run {number}", start_date=datetime.now(UTC))
    if number == 3:
        [path.unlink() for path in sorted(pathlib.Path(sys.argv[2]).glob("*.html"))[1:]]
    if number == 4:
        clausegraph("gate", "set", sys.argv[3])
        (page,) = pathlib.Path(sys.argv[2]).glob("*.html")
        page.write_text(page.read_text().replace("over 60", "over 70"))
    context = {"params": dag.params.dump() | {"dry_run": dry_run}, "dag_run": run, "outlet_events": Events()}
    plan = call("plan")
    done = {"extract": [call("extract", batch) for batch in plan], "embed": call("embed")}
    done["publish"] = "skipped" if done["embed"] == "skipped" else call("publish")
    done["decided"] = call("decided")
    if done["decided"] == "waits":
        done["held"] = clausegraph("quarantine", "list")[0]
        clausegraph("quarantine", "accept", done["held"]["id"])
        done["decided"] = call("decided")
    told = [event.extra for event in context["outlet_events"].values()]
    made.append(done | {"report": call("report"), "told": told, "evaluated": told and failing("evaluate")})
show(made)
"""
TEST = """
import json, sys
from airflow.utils.db import initdb
initdb()
sys.path.insert(0, "dags")
from ingest_corpus_dag import ingest_policies as dag
states = []
for conf in json.loads(sys.argv[1]):
    run = dag.test(run_conf=conf)
    tasks = {f"{t.task_id}.{t.map_index}": t.state for t in run.get_task_instances()}
    states.append([str(run.state), tasks])
print("RESULT" + json.dumps(states))
"""


@pytest.fixture(scope="module")
def airflow(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What makes a process one of an Airflow of the tests."""
    return {
        "AIRFLOW_HOME": str(tmp_path_factory.mktemp("airflow")), "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
        "AIRFLOW__CORE__DAGS_FOLDER": str(REPOSITORY / "dags"), "AIRFLOW__USAGE_DATA_COLLECTION__ENABLED": "False",
        "AIRFLOW__API_AUTH__JWT_SECRET": "only-for-tests-" * 5,
    }  # fmt: skip


def result_of(script: str, *words: str, **options: Any) -> Any:
    """What a script in a process of its own says last, after RESULT."""
    done = subprocess.run(
        [sys.executable, "-c", script, *words], capture_output=True, text=True, check=False, **options
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    (line,) = [line for line in done.stdout.splitlines() if line.startswith("RESULT")]
    return json.loads(line.removeprefix("RESULT"))


def test_parsing_loads_nothing_heavy_and_touches_nothing(tmp_path: Path, airflow: dict[str, str]) -> None:
    """Nor does it fail without a word where the settings are wrong; and a file that was exported needs no checkout."""
    team, wrong = Team(tmp_path / "team", schedule="@daily", limit=50), Team(tmp_path / "wrong")
    wrong.config.write_text(f"[corpora.{CORPUS}]\nsource = 'x'\nlimit = 0\n", encoding="utf-8")
    elsewhere = tmp_path / "dags"
    exported = CliRunner(env=team.environment()).invoke(made_app(), ["--json", "dags", "export", str(elsewhere)])
    assert exported.exit_code == 0, exported.output
    assert json.loads(exported.stdout)["corpora"] == [CORPUS]
    jobs = [(REPOSITORY / "dags", team), (REPOSITORY / "dags", wrong), (elsewhere, team)]
    paths = json.dumps([[str(folder), str(one.config)] for folder, one in jobs])
    made, failed, copied = result_of(PARSE + PARSE_ALL, paths, env=team.environment(**airflow))
    dags = ["evaluate_policies", "ingest_policies"]
    assert (made["dags"], made["errors"], made["warnings"]) == (dags, [], [])
    assert [Path(file).name for file in made["files"]] == ["ingest_corpus_dag.py"]
    heavy = {"torch", "llama_index", "numpy", "faiss"}
    heavy |= {f"clausegraph.{room}" for room in ("indexes", "ingestion", "query", "eval")}
    assert not heavy & {part for name in made["loaded"] for part in (name, name.partition(".")[0])}
    assert not team.home.exists()
    steps = ("plan", "extract", "embed", "publish", "decided", "report")
    assert made["tasks"] == {
        step: ["clausegraph_models" if step in ("extract", "embed") else "default_pool", 3, True] for step in steps
    }
    assert made["limits"] == [1, False] and made["schedule"] == "@daily"
    assert made["params"] == {"source": str(team.pages), "force": False, "limit": 50, "dry_run": False}
    assert made["assets"] == ["clausegraph_policies"] * 2
    (error,) = failed["errors"]
    assert failed["dags"] == [] and f"corpora.{CORPUS}.limit" in error and str(wrong.config) in error
    assert (copied["dags"], copied["errors"], copied["fileloc"]) == (dags, [], str(elsewhere / FILE))


def test_no_deprecated_import() -> None:
    for path in (REPOSITORY / "dags").glob("*.py"):
        text = path.read_text(encoding="utf-8")
        assert not any(name in text for name in ("airflow.decorators", "airflow.models", "airflow.operators"))


def test_what_the_tasks_do(tmp_path: Path, airflow: dict[str, str], fake: FakeModelServer) -> None:
    """A dry run, one that publishes, one that finds all unchanged, and two that wait in quarantine until they are
    accepted, for pages that are gone and for a missed gate: each task called as Airflow does."""
    team = Team(tmp_path, fake)
    team.write(4)
    questions = tmp_path / "gate.jsonl"
    questions.write_text('{"question": "Who can get grant 0a?", "has": ["over 60"]}')
    runs = result_of(
        PARSE + TASKS,
        json.dumps([True, False, False, False, False]),
        str(team.pages),
        str(questions),
        cwd=REPOSITORY,
        env=team.environment(**airflow),
    )
    dry, first, again, held, missed = runs
    assert (dry["extract"], dry["embed"], dry["publish"], dry["told"]) == ([], "skipped", "skipped", [])
    assert len(first["extract"]) == 2 and first["publish"] == 1
    (told,) = first["told"]
    assert (told["corpus"], told["epoch"]) == (CORPUS, 1) and first["report"]["epoch"] == 1
    assert (again["extract"], again["publish"], again["told"]) == ([], "skipped", [])
    assert again["report"]["pages_unchanged"] == 4
    assert (held["embed"], held["decided"], held["told"][0]["epoch"]) == ("skipped", 2, 2)
    assert (held["report"]["pages_removed"], held["report"]["epoch"], held["evaluated"]) == (3, 2, "skipped")
    assert (missed["publish"], missed["decided"], missed["told"][0]["epoch"]) == ("skipped", 3, 3)
    assert "“over 60”; got" in missed["held"]["held"][0]["examples"][0]
    assert missed["evaluated"].startswith("epoch 3 misses the floor") and missed["report"]["gate"]["asked"] == 1
    assert team.dump() == team.plain_dump(tmp_path / "plain")


@pytest.mark.long  # Airflow's own engine takes 20 seconds of processor time
@pytest.mark.parametrize("others", [False, True])
def test_a_run(tmp_path: Path, airflow: dict[str, str], fake: FakeModelServer, others: bool) -> None:
    """Alone, or between a dry run and one that finds everything unchanged; all without Airflow is in test_steps.py."""
    team = Team(tmp_path, fake)
    team.write(3 if others else 1)
    confs = [{"dry_run": True}, {"dry_run": False}, {}] if others else [{}]  # ``dag.test`` leaves what it was given
    results = result_of(TEST, json.dumps(confs), cwd=REPOSITORY, env=team.environment(**airflow))
    assert {state for state, _ in results} == {"success"}
    batches, tasks = {"extract.0"}, results[0][1]
    if others:
        (_, dry), (_, tasks), (_, again) = results
        assert dry == {
            "plan.-1": "success", "extract.-1": "skipped", "embed.-1": "skipped",
            "publish.-1": "skipped", "decided.-1": "skipped", "report.-1": "success",
        }  # fmt: skip
        assert (again["extract.-1"], again["embed.-1"], again["publish.-1"]) == ("skipped", "success", "skipped")
        batches.add("extract.1")
    assert set(tasks) == {"plan.-1", *batches, "decided.-1", "embed.-1", "publish.-1", "report.-1"}
    assert {state for name, state in tasks.items() if name != "decided.-1"} == {"success"}
    assert fake.counters()["repeated_ok"] == 0 and fake.counters()["ok"] == (6 if others else 2)
    with open_ledger(team.home) as ledger:
        assert get_corpus(ledger, CORPUS).newest == 1
    assert team.dump() == team.plain_dump(tmp_path / "plain")


def test_a_corpus_needs_a_source_and_no_unknown_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "clausegraph.toml"
    monkeypatch.setenv("CLAUSEGRAPH_CONFIG", str(path))
    for body, where in (("schedule = '@daily'", "source"), ("source = 'x'\nsauce = 1", "sauce")):
        path.write_text(f"[corpora.a]\n{body}\n", encoding="utf-8")
        with pytest.raises(SettingsError, match=rf"corpora\.a\.{where}"):
            load_settings()
