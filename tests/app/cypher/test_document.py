"""Every query of docs/cypher.md prints what the document says, on the command line and through the plain driver."""

import json
import re
from dataclasses import dataclass
from typing import Any

import neo4j
import pytest

from clausegraph.indexes.graph.neo4j.cypher import plain
from clausegraph.indexes.graph.neo4j.server import Address
from tests.app.cypher.conftest import DOCUMENT, Cli

pytestmark = pytest.mark.integration

_WORKED = re.compile(r"^### \d+\. (.+?)\n\n```cypher\n(.*?)```\n\n```text\n(.*?)```", re.DOTALL | re.MULTILINE)
_PARAM = re.compile(r"^:param (\w+) => (.+);\n", re.MULTILINE)


@dataclass(frozen=True)
class Worked:
    """A query of the document, its parameters, and what is said to come out."""

    title: str
    query: str
    parameters: dict[str, Any]
    printed: str


def worked() -> list[Worked]:
    return [
        Worked(
            title,
            _PARAM.sub("", text),
            {name: json.loads(value.replace("'", '"')) for name, value in _PARAM.findall(text)},
            printed,
        )
        for title, text, printed in _WORKED.findall(DOCUMENT)
    ]


def test_there_are_ten() -> None:
    assert len(worked()) >= 10


@pytest.mark.parametrize("one", worked(), ids=lambda one: one.title)
def test_query(one: Worked, cli: Cli, address: Address) -> None:
    given = [word for name, value in one.parameters.items() for word in ("--param", f"{name}={value}")]
    printed = cli("cypher", one.query, *given)
    assert printed.exit_code == 0, printed.output
    assert printed.stderr == ""
    assert [line.rstrip() for line in printed.stdout.splitlines()] == one.printed.splitlines()
    found = json.loads(cli("cypher", one.query, *given, "--json").stdout)
    with (
        neo4j.GraphDatabase.driver(address.uri, auth=(address.user, address.password)) as driver,
        driver.session(database=address.database) as session,
    ):
        values = one.parameters | {"corpus": found["corpus"], "epoch": found["epoch"]}
        rows = [plain(record.data()) for record in session.run(one.query, values)]  # type: ignore[arg-type]
    assert rows == found["rows"] and rows
