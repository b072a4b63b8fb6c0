"""The command line with Neo4j as a required projection, and questions answered from its graph."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from clausegraph.indexes.graph.neo4j.server import Address
from tests.harness.cli import made_app

pytestmark = pytest.mark.integration

SAMPLE = Path(__file__).resolve().parents[3] / "examples" / "corpus" / "guides"
QUESTION = "Can I get help with heating?"
Cli = Callable[..., Result]


@pytest.fixture
def cli(address: Address, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Cli:
    """The command line with the test's Neo4j."""
    for name in [name for name in os.environ if name.startswith("CLAUSEGRAPH_")]:
        monkeypatch.delenv(name)
    values = {
        "HOME": str(tmp_path / "home"),
        "EMBEDDING_MODEL": "hashing",
        "NEO4J_MODE": "required",
        "NEO4J_URI": address.uri,
        "NEO4J_USER": address.user,
        "NEO4J_PASSWORD": address.password,
    }
    for name, value in values.items():
        monkeypatch.setenv(f"CLAUSEGRAPH_{name}", value)

    def run(*words: str, **environment: str) -> Result:
        settings = {f"CLAUSEGRAPH_{name}": value for name, value in environment.items()}
        return CliRunner(env=settings).invoke(made_app(), list(words))

    return run


def parsed(result: Result) -> Any:
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_every_command_that_writes_takes_neo4j_along(cli: Cli, tmp_path: Path) -> None:
    pages = tmp_path / "pages"
    pages.mkdir()
    for page in SAMPLE.glob("*.html"):
        (pages / page.name).write_bytes(page.read_bytes())
    assert parsed(cli("ingest", str(pages), "--json"))["lagging"] == []
    assert parsed(cli("project", "neo4j", "--status", "--json"))["state"] == "current"
    next(pages.glob("*.html")).unlink()
    parsed(cli("ingest", str(pages), "--json"))
    parsed(cli("epochs", "rollback", "1", "--json"))
    assert parsed(cli("project", "neo4j", "--status", "--json"))["published"] == 1
    parsed(cli("epochs", "rollback", "2", "--json"))
    parsed(cli("epochs", "vacuum", "--keep-epochs", "1", "--keep-days", "0", "--json"))
    state = parsed(cli("status", "--json"))["corpora"][0]["projections"]["neo4j"]
    assert (state["state"], state["prepared"], state["published"]) == ("current", 2, 2)
    assert "in neo4j: current" in cli("status").stdout
    assert parsed(cli("project", "neo4j", "--verify", "--json"))["differences"] == []
    assert parsed(cli("corpora", "drop", "default", "--yes", "--json"))["lagging"] == []


def test_a_question_is_answered_from_neo4j_as_from_the_ledger(cli: Cli) -> None:
    parsed(cli("ingest", str(SAMPLE), "--json"))
    told = [parsed(cli("ask", QUESTION, "--json", GRAPH=graph)) for graph in ("ledger", "neo4j")]
    for answer in told:
        answer.pop("seconds", None)
    assert told[0] == told[1]
    down = cli("ask", QUESTION, GRAPH="neo4j", NEO4J_URI="bolt://127.0.0.1:1")
    assert down.exit_code == 4 and "no Neo4j answers" in down.stderr


def test_a_server_that_is_down_blocks_what_requires_it_and_only_that(cli: Cli) -> None:
    away = "bolt://127.0.0.1:1"
    blocked = cli("ingest", str(SAMPLE), NEO4J_URI=away)
    assert blocked.exit_code == 4 and "no Neo4j answers" in blocked.stderr
    assert cli("ask", QUESTION).exit_code != 0  # nothing is published
    lagging = parsed(cli("ingest", str(SAMPLE), "--json", NEO4J_URI=away, NEO4J_MODE="optional"))
    assert lagging["recovered"] == "finished epoch 1"
    assert [line.split(":")[0] for line in lagging["lagging"]] == [
        "neo4j lags (prepare)",
        "neo4j lags (publish)",
        "neo4j lags (catch up)",
    ]
    seen = parsed(cli("status", "--json", NEO4J_URI=away))["corpora"][0]["projections"]["neo4j"]
    assert seen["state"] == "unknown"
    parsed(cli("ingest", str(SAMPLE), "--json"))  # unchanged, and Neo4j has caught up
    assert parsed(cli("project", "neo4j", "--verify", "--json"))["differences"] == []
