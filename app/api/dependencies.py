"""What routes are given of the server and of the request."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends
from fastapi.dependencies.utils import get_flat_dependant
from fastapi.routing import APIRoute
from starlette.requests import HTTPConnection, Request

from clausegraph.app.access.roles import Principal
from clausegraph.app.api.problems import refusal
from clausegraph.app.api.served import Served


async def served(connection: HTTPConnection) -> Served:
    """What the server holds."""
    return cast(Served, connection.app.state.served)


async def principal(connection: HTTPConnection) -> Principal:
    """Who sends a request to a route that is not open to everybody."""
    return cast(Principal, connection.scope["state"]["principal"])


async def known_query(request: Request) -> None:
    """Refuse a query that the route does not know, as a body's unknown member is: it would be ignored in silence.

    Raises:
        Refusal: it has such a parameter (422).
    """
    route = request.scope.get("route")
    if not isinstance(route, APIRoute) or not route.path.startswith("/v1/"):
        return  # a probe of a load balancer asks what it likes
    known = {one.alias for one in get_flat_dependant(route.dependant).query_params}
    unknown = sorted(set(request.query_params) - known)
    if unknown:
        there = f"there are {', '.join(sorted(known))}" if known else "it takes none"
        said = f"query.{unknown[0][:80]}: no such parameter; {there}"
        raise refusal("RequestInvalid", 422, "Not of the described form", said)


def about(connection: HTTPConnection, words: str) -> None:
    """What the audit log says of a request beside its path, of what only its body has."""
    connection.scope["state"]["about"] = f" ({words})"


Held = Annotated[Served, Depends(served)]
Who = Annotated[Principal, Depends(principal)]

_TITLES = {
    304: "The client has it already.",
    400: "Not understood.",
    401: "No token, or one that is unknown, revoked or expired.",
    403: "The token does not allow it.",
    404: "Not there.",
    409: "Not as things are.",
    413: "The body is too long.",
    421: "The server does not go by that name.",
    422: "Not of the described form.",
    429: "More requests than the token has in a minute.",
    500: "The server or its ledger failed.",
    502: "A server behind this one refused, or replied nonsense.",
    503: "Busy, ending, or a server behind this one does not answer.",
    504: "No answer in time.",
}
ALWAYS = (401, 403, 421, 422, 429, 500)
EVENTS = "text/event-stream"
STREAM: dict[int | str, dict[str, Any]] = {200: {"content": {EVENTS: {"schema": {"type": "string"}}}}}
OF_A_CORPUS = (*ALWAYS, 400, 404, 502, 503)


def statuses(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The responses of a route beside 200, as OpenAPI has them: problem documents but for 304."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        code: {"description": _TITLES[code]} | ({} if code == 304 else {"content": problem}) for code in sorted(codes)
    }
