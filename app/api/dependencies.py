"""What routes are given of the server and of the request."""

from __future__ import annotations

from typing import Annotated, Any, cast

from fastapi import Depends
from starlette.requests import HTTPConnection

from clausegraph.app.access.roles import Principal
from clausegraph.app.api.served import Served


async def served(connection: HTTPConnection) -> Served:
    """What the server holds."""
    return cast(Served, connection.app.state.served)


async def principal(connection: HTTPConnection) -> Principal:
    """Who sends a request to a route that is not open to everybody."""
    return cast(Principal, connection.scope["state"]["principal"])


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
ALWAYS = (401, 403, 421, 429, 500)
OF_A_CORPUS = (*ALWAYS, 400, 404, 422, 502, 503)


def statuses(*codes: int) -> dict[int | str, dict[str, Any]]:
    """The responses of a route beside 200, as OpenAPI has them: problem documents but for 304."""
    problem = {"application/problem+json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    return {
        code: {"description": _TITLES[code]} | ({} if code == 304 else {"content": problem}) for code in sorted(codes)
    }
