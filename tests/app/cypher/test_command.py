"""``clausegraph cypher``: forms of output, parameters, epochs, limits, interrupts."""

import csv
import io
import json
import signal
import threading
from pathlib import Path

import pytest

from clausegraph.core.errors import StoreRefused
from clausegraph.indexes.graph.neo4j.cypher import run_cypher
from clausegraph.indexes.graph.neo4j.server import Neo4jServer
from tests.app.cypher.conftest import Cli
from tests.harness.wait import PATIENCE_S, until

pytestmark = pytest.mark.integration

SLOW = "UNWIND range(1, 100000) AS x UNWIND range(1, 100000) AS y WITH x, y WHERE x + y = -1 RETURN x"
_RUNNING = "SHOW TRANSACTIONS YIELD metaData WHERE metaData.clausegraph IS NOT NULL RETURN metaData"


def test_values_are_plain(cli: Cli) -> None:
    query = (
        "MATCH path = (s)-[r:STATES]->(o) WHERE r.since <= $epoch WITH path, s, r LIMIT 1 RETURN path, s, r, "
        "date('2026-01-02') AS d, datetime('2026-01-02T03:04:05Z') AS t, duration('P1DT2S') AS u, time('01:02Z') AS c, "
        "point({x: 1, y: 2}) AS p, 0.0 / 0.0 AS n, [1, {a: null}] AS l, true AS b"
    )
    (row,) = json.loads(cli("cypher", query, "--json").stdout)["rows"]
    assert row["path"]["nodes"][0] == row["s"] and row["path"]["relationships"] == [row["r"]]
    assert row["s"]["labels"] == ["Entity"] and row["s"]["id"] == row["r"]["start"]
    assert row["r"]["type"] == "STATES" and row["r"]["properties"]["corpus"] == "default"
    assert [row[name] for name in "dtucpnlb"] == [
        "2026-01-02", "2026-01-02T03:04:05.000000000+00:00", "P1DT2S", "01:02:00.000000000+00:00",
        {"srid": 7203, "coordinates": [1.0, 2.0]}, "NaN", [1, {"a": None}], True,
    ]  # fmt: skip


def test_parameters(cli: Cli) -> None:
    words = ["-p", "n=3", "-p", "t=it's `x`", "-p", 'm={"a": [1]}', "-p", "e="]
    found = json.loads(cli("cypher", "RETURN $n AS n, $t AS t, $m AS m, $e AS e", *words, "--json").stdout)
    assert found["rows"] == [{"n": 3, "t": "it's `x`", "m": {"a": [1]}, "e": ""}]
    for wrong, said in (("n", "name=value"), ("corpus=x", "--corpus"), ("epoch=1", "--epoch"), ("`a=1", "name=value")):
        result = cli("cypher", "RETURN 1", "-p", wrong)
        assert result.exit_code == 2 and said in result.stderr


def test_query_from_standard_input(cli: Cli) -> None:
    result = cli("cypher", "-", "-q", given="// a comment; with a semicolon\nRETURN $epoch AS epoch;\n")
    assert result.stdout.split() == ["epoch", "2"]


def test_terminal_obeys_nothing(cli: Cli) -> None:
    result = cli("cypher", "RETURN $x AS x, [$x] AS l", "-p", "x=\x1b[31m\u202ered")
    assert "red" in result.stdout and not {"\x1b", "\u202e"} & set(result.stdout)


def test_csv_has_no_formulas(cli: Cli) -> None:
    result = cli("cypher", "RETURN '=1+1' AS `=a`, -5 AS n, ['=1'] AS l, null AS z", "--csv", "-q")
    header, row = csv.reader(io.StringIO(result.stdout))
    assert header == ["'=a", "n", "l", "z"] and row == ["'=1+1", "-5", '["=1"]', ""]
    assert cli("cypher", "RETURN 1", "--csv", "--json").exit_code == 2


def test_an_epoch_is_pinned(cli: Cli) -> None:
    query = (
        "MATCH ()-[r:HAS_RULE]->(n) WHERE n.text STARTS WITH 'The manager will reply' AND r.since <= $epoch < r.until "
        "RETURN n.text AS words"
    )
    for epoch, days in (("1", "20 working days"), ("2", "25 working days")):
        (row,) = json.loads(cli("cypher", query, "--epoch", epoch, "--json").stdout)["rows"]
        assert days in row["words"]
    gone = cli("cypher", query, "--epoch", "9")
    assert gone.exit_code == 3 and "no epoch 9" in gone.stderr
    assert "$epoch" in cli("cypher", "MATCH (n) RETURN count(n) AS n").stderr


def test_a_database_that_lags_is_told(cli: Cli, server: Neo4jServer) -> None:
    assert cli("cypher", "RETURN 1", "--corpus", "nope").exit_code == 3
    server.write("MATCH (c:Corpus) SET c.prepared = 1")
    try:
        result = cli("cypher", "RETURN $epoch AS e")
        assert result.exit_code == 4 and "it ends at epoch 1" in result.stderr and "project neo4j" in result.stderr
    finally:
        server.write("MATCH (c:Corpus) SET c.prepared = 2")


def test_another_ledger_is_told(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<main><h1>A</h1><p>You must pay.</p></main>", encoding="utf-8")
    home = ["--home", str(tmp_path / "home")]
    assert cli("ingest", str(tmp_path), *home).exit_code == 0
    result = cli("cypher", "RETURN 1", *home)
    assert result.exit_code == 4 and "belongs to another ledger" in result.stderr


def test_refusals_and_failures(cli: Cli) -> None:
    for query, said in (
        ("RETURN x", "`x` not defined (line 1, column 8)"),
        ("RETURN 1 / 0", "by zero"),
        (" ", "empty"),
    ):
        result = cli("cypher", query)
        assert result.exit_code == 2 and said in result.stderr, result.output
    result = cli("cypher", "CREATE (n:Pwned)", "--json")
    assert result.exit_code == 2 and json.loads(result.stdout)["error"]["type"] == "QueryRefused"


def test_rows_are_cut_and_not_fetched(cli: Cli) -> None:
    result = cli("cypher", "UNWIND range(1, 100000000) AS x RETURN x", "--limit", "3")
    assert result.stdout.split() == ["x", "1", "2", "3"] and "--limit shows more" in result.stderr
    exact = json.loads(cli("cypher", "UNWIND range(1, 3) AS x RETURN x", "--limit", "3", "--json").stdout)
    assert len(exact["rows"]) == 3 and not exact["is_cut"]


def test_a_value_that_is_too_large_is_not_read(server: Neo4jServer) -> None:
    with pytest.raises(StoreRefused, match="larger than 1 MiB"):
        run_cypher(server, "RETURN range(1, 1000000) AS x", {}, size=2**20)
    with pytest.raises(StoreRefused, match="larger than 1 MiB"):
        run_cypher(server, "UNWIND range(1, 1000) AS x RETURN range(1, 10000) AS y", {}, size=2**20)
    rest = run_cypher(server, "UNWIND range(1, 50) AS x RETURN range(1, 10000) AS y", {}, limit=1, size=2**20)
    assert rest.is_cut and len(rest.rows[0][0]) == 10_000
    assert run_cypher(server, "RETURN 1 AS x", {}).rows == ((1,),)
    until(lambda: not server.read(_RUNNING))


def test_an_interrupt_ends_the_query_on_the_server(
    cli: Cli, server: Neo4jServer, request: pytest.FixtureRequest
) -> None:
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it
    request.addfinalizer(lambda: signal.signal(signal.SIGINT, before))
    seen = threading.Event()

    def interrupt() -> None:
        until(lambda: server.read(_RUNNING))
        seen.set()
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGINT)

    threading.Thread(target=interrupt, daemon=True).start()
    result = cli("cypher", SLOW, "--timeout", str(10 * PATIENCE_S))
    assert seen.is_set() and result.exit_code == 130
    until(lambda: not server.read(_RUNNING))
