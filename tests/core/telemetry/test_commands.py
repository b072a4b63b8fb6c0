"""Commands as processes: what a collector gets from an ingest and an ask, what the logs say, and what neither says."""

import json
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from lxml import html

from tests.app.cli.conftest import REPOSITORY, SAMPLE
from tests.core.telemetry.conftest import ENDPOINT, Collector, Run
from tests.harness.fake_model import fake_with

pytestmark = pytest.mark.integration

KEY = "sk-this-is-the-key-0123456789"
QUESTION = "Can I get the heating grant for a rented flat?"
SCENARIO = "I am 70 and rent a flat from a friend."
GUIDES = SAMPLE / "guides"  # where three pages do
PAGE = SAMPLE / "heating-grant.html"
STAGES = ("read", "extract", "plan", "embed", "publish")
LOSS = "telemetry.lost"


def traced(collector: Collector, **more: str) -> dict[str, str]:
    return {"CLAUSEGRAPH_TELEMETRY": "otlp", ENDPOINT: collector.url, **more}


def page_texts() -> set[str]:
    """Every text of the sample pages that is long enough to be one of theirs."""
    texts: set[str] = set()
    for page in SAMPLE.rglob("*.html"):
        texts.update(" ".join(text.split()) for text in html.fromstring(page.read_bytes()).itertext())
    return {text for text in texts if len(text) >= 20}


def test_an_ingest_and_an_ask(collector: Collector, run: Run) -> None:
    variables = traced(collector, CLAUSEGRAPH_LLM_KEY=KEY, CLAUSEGRAPH_EXTRACTOR="rules")
    ingested = run("ingest", str(SAMPLE), "--json", **variables)
    assert ingested.returncode == 0 and ingested.stderr == ""
    report = json.loads(ingested.stdout)

    tree = collector.tree()
    assert tree["cli.ingest"] is None and tree["ingest"] == "cli.ingest"
    assert [tree[f"ingest.{stage}"] for stage in STAGES] == ["ingest"] * len(STAGES)
    whole = collector.one("ingest").attributes
    assert whole["clausegraph.run"] == report["run_id"] and whole["clausegraph.epoch"] == 1
    assert whole["clausegraph.pages_added"] == len(report["pages_added"]) > 0
    assert collector.one("ingest.embed").attributes["clausegraph.corpus"] == "default"
    assert len({each.trace for each in collector.spans}) == 1

    collector_bodies, collector.bodies[:] = list(collector.bodies), []
    asked = run("ask", QUESTION, "--scenario", SCENARIO, **variables)
    assert asked.returncode == 0 and asked.stderr == ""
    steps = dict.fromkeys(("ask.route", "ask.retrieve", "ask.validate", "ask.read"), "ask")
    assert collector.tree() == {"cli.ask": None, "ask": "cli.ask", **steps}
    attributes = collector.one("ask").attributes
    assert attributes["clausegraph.epoch"] == 1 and attributes["clausegraph.question_chars"] == len(QUESTION)
    assert "clausegraph.status" in attributes
    assert set(collector.resource) == {"service.name", "service.version"}

    sent = b"".join(collector_bodies + collector.bodies).decode("utf-8", "replace")
    assert not any(word in sent for word in (KEY, QUESTION, SCENARIO, "heating grant"))
    found = {text for text in page_texts() if text in sent}
    assert len(page_texts()) > 100 and not found


def test_calls_of_a_model(collector: Collector, run: Run) -> None:
    fake = fake_with(key=KEY)
    model = {"CLAUSEGRAPH_LLM": "mistral:fake-small", "CLAUSEGRAPH_LLM_URL": fake.url, "CLAUSEGRAPH_LLM_KEY": KEY}
    ingested = run("ingest", str(GUIDES), "--json", **traced(collector, **model))
    assert ingested.returncode == 0 and ingested.stderr == ""
    used = json.loads(ingested.stdout)["usage"]["rules"]
    calls = [each for each in collector.spans if each.name == "model.call"]
    assert len(calls) == used["calls"] > 0
    assert {collector.tree()["model.call"]} == {"ingest.extract"}
    assert sum(each.attributes["gen_ai.usage.input_tokens"] for each in calls) == used["prompt_tokens"]  # type: ignore[misc]
    assert {each.attributes["clausegraph.prompt"] for each in calls} == {"rules.v2"}
    sent = b"".join(collector.bodies).decode("utf-8", "replace")
    assert KEY not in sent and not [text for text in page_texts() if text in sent]


def test_errors_of_commands(collector: Collector, run: Run) -> None:
    assert run("ask", "Can I?", "--corpus", "nope", **traced(collector)).returncode == 4
    failed = collector.one("cli.ask")
    assert failed.failed and failed.attributes["error.type"] == "SchemaError"
    collector.bodies.clear()
    assert run("epochs", "list", **traced(collector)).returncode == 4
    assert collector.one("cli.epochs.list").failed
    wrong = run("epochs", "list", CLAUSEGRAPH_TELEMETRY="otlp", **{ENDPOINT: "collector:4318"})
    assert wrong.returncode == 4 and LOSS in wrong.stderr and "Traceback" not in wrong.stderr


@pytest.mark.parametrize("answers", [pytest.param("refused", marks=pytest.mark.long), "silent"])
def test_collector_down(run_process: Run, answers: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1] if answers == "silent" else 9
        address = f"http://name:password@127.0.0.1:{port}"
        done = run_process("ingest", str(PAGE), "-q", CLAUSEGRAPH_TELEMETRY="otlp", **{ENDPOINT: address})
    assert done.returncode == 0 and "published epoch 1" in done.stdout
    (line,) = done.stderr.splitlines()
    assert LOSS in line and "password" not in line


def test_logs_of_a_run(run: Run, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    (pages / "good.html").write_bytes((SAMPLE / "heating-grant.html").read_bytes())
    (pages / "bad\nERROR forged\x1b[2J.html").write_bytes(b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" * 20)
    settings = {"CLAUSEGRAPH_LOG_LEVEL": "info", "CLAUSEGRAPH_LLM_KEY": KEY, "CLAUSEGRAPH_EXTRACTOR": "rules"}
    text = run("ingest", str(pages), "-q", **settings).stderr
    lines = text.splitlines()
    assert [line.split()[3] for line in lines] == ["run.start", "page.rejected", "publish", "run.end"]
    assert all(re.match(r"\S+Z INFO clausegraph\.ingestion\.", line) and line.isprintable() for line in lines)
    done = run("ingest", str(pages), "--force", "-q", CLAUSEGRAPH_LOG_FORMAT="json", **settings)
    records = [json.loads(line) for line in done.stderr.splitlines()]
    assert {record["corpus"] for record in records} == {"default"} and len({record["run"] for record in records}) == 1
    assert records[1]["fields"]["page"] == "bad\nERROR forged\x1b[2J.html"
    assert records[-1]["fields"]["outcome"] == "done" and records[-1]["fields"]["pages_unchanged"] == 0


def python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], cwd=REPOSITORY, capture_output=True, text=True, check=False)


def test_off_loads_nothing_of_it() -> None:
    code = (
        "import sys; from clausegraph import main\n"
        "for word in ('--help', 'status'):\n"
        "    sys.argv = ['clausegraph', word]\n"
        "    try: main()\n"
        "    except SystemExit: pass\n"
        "print('LOADED', sorted(n for n in sys.modules if n.split('.')[0] in ('opentelemetry', 'requests')))"
    )
    assert python(code).stdout.splitlines()[-1] == "LOADED []"
