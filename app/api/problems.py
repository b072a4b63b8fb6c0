"""Errors as problem documents (RFC 9457), from the same tree of errors as the command line."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import HTTPConnection
from starlette.responses import Response

from clausegraph.app.services import json_value
from clausegraph.core import errors
from clausegraph.core.secrets import mask_reply
from clausegraph.core.text import clean_json

_COMMAND = re.compile(r"`clausegraph ([a-z]+)(?: ([a-z]+)(?= |`))?[^`]*`")

RESOURCES: Mapping[str, str] = {
    "pages": "`GET pages`",
    "facts": "`GET facts`",
    "entities": "`GET entities`",
    "entities list": "`GET decisions`",
    "entities undo": "`PUT decisions/NUMBER`",
    "show": "`GET facts?page=PAGE`",
    "statements list": "`GET decisions`",
    "questions list": "`GET questions`",
    "watch list": "`GET watches`",
    "status": "`GET runs`",
    "epochs list": "`GET epochs`",
}
"""By the first words of a command, what of a corpus has the same in the API."""

SCREENS: Mapping[str, str] = {
    "pages": "the screen Pages",
    "facts": "the screen Graph",
    "rules": "the screen Rules",
    "entities": "the screen Graph",
    "entities list": "the screen Curation",
    "entities undo": "Undo on the screen Curation",
    "show": "the screen of a page",
    "statements list": "the screen Curation",
    "questions list": "the list of judged questions",
    "status": "the screen Runs",
    "epochs list": "the screen Changes",
}


def hinted(said: str, ways: Mapping[str, str]) -> str:
    """The text of an error with commands replaced by ``ways``; those of whoever runs the server stay."""
    return _COMMAND.sub(lambda found: ways.get(f"{found[1]} {found[2]}", ways.get(found[1], found[0])), said)


ADDRESS = r"^https?://[^\s/]\S*$"  # of a page
MEDIA_TYPE = "application/problem+json"
_KIND = "urn:clausegraph:error:"
_RETRY = "5"  # seconds after which another attempt is worth it, where nobody said

_STATUS: dict[type[Exception], tuple[int, str]] = {
    errors.ReplyMissing: (502, "No recorded reply"),
    errors.InputError: (400, "Not understood"),
    errors.NotFoundError: (404, "Not there"),
    errors.LeaseHeldError: (409, "Another run is at work"),
    errors.LeaseLostError: (409, "Another run took over"),
    errors.StillReadError: (409, "An old epoch is being read"),
    errors.ViewExpired: (503, "The epoch went away"),
    errors.WorkspaceClosed: (503, "The server is ending"),
    errors.StoreUnavailable: (503, "The graph's server does not answer"),
    errors.StoreError: (502, "The graph's server cannot be used"),
    errors.LedgerError: (500, "The ledger cannot be used"),
    errors.ModelMismatchError: (409, "Another embedding model"),
    errors.BudgetExceeded: (503, "The budget is used up"),
    errors.ModelUnavailable: (503, "The model does not answer"),
    errors.ModelCallError: (502, "The model's server refused or replied nonsense"),
    errors.ModelError: (503, "The model cannot be used"),
    errors.ClauseGraphError: (500, "Failed"),
}
"""The status of an error is that of its nearest class; errors of HTTP itself bring their own."""


@dataclass(frozen=True, slots=True)
class Problem:
    """A problem: its kind (the name of the error), status, what happened to this request, and what to do."""

    kind: str
    status: int
    title: str
    detail: str
    headers: Mapping[str, str] = field(default_factory=dict)

    def document(self, request: str) -> dict[str, Any]:
        """As the body has it; ``request`` is the id under which the logs have it."""
        value: dict[str, Any] = {"type": _KIND + self.kind, "title": self.title, "status": self.status}
        detail = hinted(mask_reply(self.detail), RESOURCES)
        return value | {"detail": detail, "error": self.kind, "request": request}

    def response(self, request: str) -> Response:
        """The whole response."""
        body = clean_json(json.dumps(self.document(request), ensure_ascii=False))
        return Response(body, self.status, dict(self.headers), MEDIA_TYPE)


class Refusal(Exception):
    """A request that is refused before a service sees it; carries its problem."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.detail)
        self.problem = problem


def refusal(kind: str, status: int, title: str, detail: str, **headers: str) -> Refusal:
    """A refusal; header names are given with underscores."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Refusal(Problem(kind, status, title, detail, named))


def problem_of(error: Exception) -> Problem:
    """The problem that an error is. One that nobody raised on purpose tells nothing of itself."""
    match error:
        case Refusal():
            return error.problem
        case errors.ClauseGraphError():
            status, title = next(_STATUS[kind] for kind in type(error).__mro__ if kind in _STATUS)
            said = error.afar if isinstance(error, errors.NotFoundError) else str(error)
            return Problem(type(error).__name__, status, title, said, _waiting(error, status))
        case RequestValidationError():
            return Problem("RequestInvalid", 422, "Not of the described form", _first(error))
        case HTTPException(__cause__=Refusal() as refused):  # while the body was read
            return refused.problem
        case HTTPException():
            return Problem("HTTPError", error.status_code, str(error.detail), str(error.detail), error.headers or {})
        case _:
            said = "the server failed; its log has the request's id"
            return Problem("InternalError", 500, "Failed", said)


def _waiting(error: Exception, status: int) -> dict[str, str]:
    if status != 503 or isinstance(error, errors.BudgetExceeded):
        return {}
    wait = getattr(error, "retry_after", None)
    return {"Retry-After": _RETRY if wait is None else str(max(1, round(wait)))}


_FORMS = {  # of names that are parts of addresses, and of addresses
    ADDRESS: "an address of a page is like https://host/path",
    "^[0-9a-f]{4,64}$": "an id is 4 to 64 of the characters 0 to 9 and a to f",
    "^[0-9a-f]{16}$": "an id is 16 of the characters 0 to 9 and a to f",
}


def _first(error: RequestValidationError) -> str:
    """Where and what: never the value, which may be long or a secret."""
    found = error.errors()[0]
    if found["loc"] == ("body",) and found["type"] != "value_error":
        return "body: send a JSON object as openapi.json describes it, with `Content-Type: application/json`"
    if found["type"] == "json_invalid":
        return (
            f"body: this is no JSON from character {found['loc'][-1]} on; send an object as openapi.json describes it"
        )
    said = _FORMS.get(found.get("ctx", {}).get("pattern", ""), found["msg"])
    return f"{'.'.join(str(part) for part in found['loc'])}: {said}"


def as_json(value: Any) -> str:
    """A value on one line, with every control character escaped."""
    return clean_json(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=json_value))


def request_id(connection: HTTPConnection) -> str:
    """The id under which the logs have a request."""
    return str(connection.scope["state"]["request"])
