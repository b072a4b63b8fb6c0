"""The sample corpus as docs/cypher.md sets it up, once, in the shared Neo4j."""

import re
import shlex
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from clausegraph.indexes.graph.neo4j.server import Address, Neo4jServer
from tests.harness.cli import made_app
from tests.harness.neo4j import emptied, shared_address

ROOT = Path(__file__).resolve().parents[3]
DOCUMENT = (ROOT / "docs" / "cypher.md").read_text(encoding="utf-8")

Cli = Callable[..., Result]


@pytest.fixture(scope="package")
def address() -> Address:
    found = shared_address()
    emptied(found)
    with Neo4jServer(found) as server:
        server.write("MATCH (l:Ledger) DETACH DELETE l")
    return found


@pytest.fixture(scope="package")
def cli(address: Address, tmp_path_factory: pytest.TempPathFactory) -> Cli:
    """The command line in this process, with the home that the document's first lines make."""
    folder = tmp_path_factory.mktemp("cypher")
    environment = {
        "CLAUSEGRAPH_HOME": str(folder / "home"),
        "CLAUSEGRAPH_EMBEDDING_MODEL": "hashing",
        "CLAUSEGRAPH_NEO4J_URI": address.uri,
        "CLAUSEGRAPH_NEO4J_USER": address.user,
        "CLAUSEGRAPH_NEO4J_PASSWORD": address.password,
    }
    runner = CliRunner(env=environment)

    def run(*words: str, given: str | None = None) -> Result:
        return runner.invoke(made_app(), list(words), input=given)

    setup = re.search(r"<!-- setup:begin -->\n```sh\n(.*?)```", DOCUMENT, re.DOTALL)
    assert setup is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        (folder / "examples").symlink_to(ROOT / "examples")
        for line in setup[1].splitlines():
            words = shlex.split(line)
            if words[0] == "clausegraph":
                result = run(*words[1:])
                assert result.exit_code == 0, result.output
            else:
                subprocess.run(words, check=True)
    return run


@pytest.fixture
def server(address: Address) -> Iterator[Neo4jServer]:
    with Neo4jServer(address) as server:
        yield server
