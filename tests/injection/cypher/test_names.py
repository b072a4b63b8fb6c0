"""Hostile names come out of Neo4j as the ledger has them; as parameters they find themselves and nothing else."""

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from clausegraph.app.services.export import safe_cell
from clausegraph.core.types import Literal
from clausegraph.indexes.graph.neo4j.cypher import run_cypher
from clausegraph.indexes.graph.neo4j.projection import Neo4jProjection
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from clausegraph.indexes.views import open_view
from tests.contracts.graph.scripted import Town
from tests.harness.cli import made_app
from tests.injection.cypher.hostile import NAMES

pytestmark = pytest.mark.integration

_PINNED = "r.corpus = $corpus AND r.since <= $epoch < r.until"


def _as_kept(value: str) -> str:
    return " ".join(value.lower().split())


@pytest.fixture(scope="module")
def stated(town: Town, projection: Neo4jProjection) -> list[tuple[str, str, str]]:
    """(subject, relation, object) of every statement of the ledger; values begin with "="."""
    with open_view(town.ledger, town.corpus) as view:
        found = [support.statement for support in view.graph.all_supports()]
    return sorted(
        (s.subject.key, s.relation, f"={_as_kept(s.object.value)}" if isinstance(s.object, Literal) else s.object.key)
        for s in found
    )


def test_names_are_there(stated: list[tuple[str, str, str]]) -> None:
    assert len(stated) == 3 * len(NAMES)
    assert len({relation for _, relation, _ in stated}) >= len(NAMES)


def test_names_come_back_equal(stated: list[tuple[str, str, str]], server: Neo4jServer, town: Town) -> None:
    query = (
        f"MATCH (s)-[r:STATES]->(o) WHERE {_PINNED} RETURN s.name, r.relation, "
        "CASE WHEN o:Value THEN '=' + o.name ELSE o.name END AS object"
    )
    result = run_cypher(server, query, {"corpus": town.corpus, "epoch": 1})
    assert sorted(result.rows) == stated


def test_each_name_as_a_parameter(stated: list[tuple[str, str, str]], server: Neo4jServer, town: Town) -> None:
    query = f"UNWIND $names AS name MATCH (s:Entity {{name: name}})-[r:STATES]->() WHERE {_PINNED} RETURN name, s.name"
    names = sorted({subject for subject, _, _ in stated})
    result = run_cypher(server, query, {"names": names, "corpus": town.corpus, "epoch": 1})
    assert {row[0] for row in result.rows} == set(names) and all(name == found for name, found in result.rows)
    assert len(result.rows) == len(stated)


@pytest.mark.parametrize("number", range(0, len(NAMES), 6))
def test_names_on_the_command_line(
    number: int, stated: list[tuple[str, str, str]], server: Neo4jServer, town: Town
) -> None:
    relation = sorted({relation for _, relation, _ in stated})[number]
    query = f"MATCH (s)-[r:STATES]->(o) WHERE {_PINNED} AND r.relation = $relation RETURN s.name AS s, o.name AS o"
    environment = {
        "CLAUSEGRAPH_HOME": str(Path(town.root) / "home"),
        "CLAUSEGRAPH_EMBEDDING_MODEL": "hashing",
        "CLAUSEGRAPH_NEO4J_URI": server.address.uri,
        "CLAUSEGRAPH_NEO4J_PASSWORD": server.address.password,
    }
    words = ["cypher", query, "--corpus", town.corpus, "--param", f"relation={json.dumps(relation)}"]
    runner = CliRunner(env=environment)
    result = runner.invoke(made_app(), [*words, "--json"])
    assert result.exit_code == 0, result.output
    expected = sorted((s, o.removeprefix("=")) for s, found, o in stated if found == relation)
    assert sorted((row["s"], row["o"]) for row in json.loads(result.stdout)["rows"]) == expected
    plain, as_csv = runner.invoke(made_app(), words), runner.invoke(made_app(), [*words, "--csv"])
    assert plain.exit_code == as_csv.exit_code == 0
    assert not {"\u2028", "\x1b"} & set(plain.stdout + as_csv.stdout)
    assert all(safe_cell(s).splitlines()[0][:20] in as_csv.stdout.replace('""', '"') for s, _ in expected)
