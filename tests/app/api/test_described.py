"""What the OpenAPI document promises is what the server does, for every role: tried by schemathesis."""

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from tests.app.api.conftest import Stand
from tests.app.api.serving import Serving

pytestmark = pytest.mark.integration

CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]
WHO = [("reader", False), ("reader", True), ("curator", False), ("admin", False)]


def _try(server: Serving, token: str, examples: int, *, every: int = 1) -> None:
    """Every operation with parameters and bodies that fit, and some that are names of what is there."""
    with server.client(token) as client:
        document = client.get("/openapi.json").json()
    for path in document["paths"].values():
        for operation in path.values():
            for parameter in operation.get("parameters", ()):
                if parameter["name"] == "corpus":
                    parameter["schema"]["enum"] = ["default", "other", "nowhere", "ä ö"]
    operations = [found.ok() for found in schemathesis.openapi.from_dict(document).get_all_operations()]
    assert len(operations) > 25
    for operation in operations[::every]:
        raw = operation.definition.raw
        varies = bool(raw.get("parameters")) or "requestBody" in raw  # else each example is the same

        @given(case=operation.as_strategy())
        @settings(
            max_examples=examples if varies else 1,
            deadline=None,
            database=None,
            derandomize=True,
            phases=[Phase.generate],
            suppress_health_check=list(HealthCheck),
        )
        def once(case: schemathesis.Case) -> None:
            answer = case.call(base_url=server.url, headers={"Authorization": f"Bearer {token}"}, timeout=120)
            case.validate_response(answer, checks=CHECKS)

        once()


def test_a_reader_finds_routes_as_they_are_described(server: Serving, stand: Stand) -> None:
    _try(server, stand.tokens["reader", False], 2, every=4)


@pytest.mark.long
@pytest.mark.parametrize(("role", "bound"), WHO)
def test_each_role_finds_every_route_as_it_is_described(server: Serving, stand: Stand, role: str, bound: bool) -> None:
    _try(server, stand.tokens[role, bound], 60)
