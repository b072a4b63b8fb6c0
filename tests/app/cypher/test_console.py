"""The console's box for queries: its examples run, rows are escaped, and who may not query does not."""

import html
import json
import re
from pathlib import Path

import httpx
import pytest

from clausegraph.app.access.tokens import AccessRole
from clausegraph.core.settings import Settings
from tests.app.console.conftest import looking
from tests.app.cypher.conftest import Cli
from tests.harness.neo4j import Address

pytestmark = pytest.mark.integration
AT = "/c/default/cypher"


def test_examples_run_and_others_may_not_query(cli: Cli, address: Address) -> None:
    found = json.loads(cli("--json", "settings").output)
    home = next(one["value"] for one in found if one["name"] == "home")
    place = {"neo4j_uri": address.uri, "neo4j_user": address.user, "neo4j_password": address.password}
    settings = Settings(home=Path(home), embedding_model="hashing", **place)

    async def query(client: httpx.AsyncClient) -> None:
        form = (await client.get(AT)).text
        examples = [html.unescape(one) for one in re.findall(r'<option value="(MATCH[^"]+)"', form)]
        assert len(examples) == 10
        for example in examples:
            answer = await client.post(AT, data={"query": example})
            assert answer.status_code == 200 and '<table id="found">' in answer.text, answer.text
            assert "does not use" not in answer.text
        answer = await client.post(AT, data={"query": "RETURN '<script>' AS name"})
        assert "&lt;script&gt;" in answer.text and "does not use $epoch" in answer.text
        assert (await client.post(AT, data={"query": "CREATE (n) RETURN n"})).status_code == 400

    async def refused(client: httpx.AsyncClient) -> None:
        assert (await client.get(AT)).status_code in (403, 404)
        assert "Query with Cypher" not in (await client.get("/c/default/graph")).text

    looking(settings, query, AccessRole.CURATOR)
    looking(settings, refused, AccessRole.READER)
    looking(settings, refused, AccessRole.CURATOR, ("default",))
